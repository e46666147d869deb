# Orrery on Debian 12 slim: built in one stage, run by its own user in another. The lists of packages stand in ./dev.
#
#   docker build -t orrery . && docker run --rm -p 127.0.0.1:8080:8080 -v orrery:/var/lib/orrery orrery
#
# --insecure lets it listen beyond the container without tokens: publish the port on loopback (as above), or give
# ORRERY_TOKEN_FILE, and ORRERY_TLS_CERT with ORRERY_TLS_KEY. Every setting of `orrery serve` can be such a variable.
FROM debian:bookworm-slim AS build
COPY dev /src/dev
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(bash /src/dev packages build)
COPY . /src
WORKDIR /src
RUN cmake --preset release -DORR_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr/local && cmake --build --preset release && DESTDIR=/out cmake --install build --component program --strip

FROM debian:bookworm-slim
COPY --from=build /src/dev /usr/local/lib/orrery-packages
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(bash /usr/local/lib/orrery-packages packages run) && rm -rf /var/lib/apt/lists/* /usr/local/lib/orrery-packages
RUN useradd --system --home-dir /var/lib/orrery --create-home --shell /usr/sbin/nologin orrery
COPY --from=build /out/usr/local /usr/local
USER orrery
WORKDIR /var/lib/orrery
VOLUME /var/lib/orrery
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=5s CMD curl -fsS http://127.0.0.1:8080/healthz || exit 1
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/orrery", "serve"]
CMD ["--listen", "0.0.0.0:8080", "--insecure", "--database", "/var/lib/orrery/orrery.db"]
