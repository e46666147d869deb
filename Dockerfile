# SPDX-License-Identifier: Apache-2.0
# Orrery on Debian 12 slim: built in one stage, run by its own user in another. The packages that a build needs are those of tools/packages.txt;
# dpkg-dev and file are for CPack.
#
#   docker build -t orrery . && docker run --rm -p 127.0.0.1:8080:8080 -v orrery:/var/lib/orrery orrery
#
# --insecure lets it listen beyond the container without tokens: publish the port on loopback (as above), or give
# ORRERY_TOKEN_FILE, and ORRERY_TLS_CERT with ORRERY_TLS_KEY. Every setting of `orrery serve` can be such a variable.
# BASE can name the base by its digest: --build-arg BASE=debian@sha256:...
ARG BASE=debian:bookworm-slim
FROM ${BASE} AS build
WORKDIR /src
COPY dev /src/dev
COPY tools /src/tools
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(./dev packages build) dpkg-dev file
COPY . /src
RUN cmake --preset package && cmake --build --preset package && cd build-package && cpack -D CPACK_COMPONENTS_ALL=program

FROM ${BASE}
RUN --mount=type=bind,from=build,source=/src/build-package,target=/built apt-get update -qq && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends /built/orrery_*.deb fonts-dejavu-core curl && \
    rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin
RUN useradd --system --home-dir /var/lib/orrery --create-home --shell /usr/sbin/nologin orrery
RUN orrery show /usr/share/orrery/static/examples/h100-nvswitch.xml | grep Verdict
USER orrery
WORKDIR /var/lib/orrery
VOLUME /var/lib/orrery
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=5s CMD curl -fsS http://127.0.0.1:8080/healthz || exit 1
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/orrery", "serve"]
CMD ["--listen", "0.0.0.0:8080", "--insecure", "--database", "/var/lib/orrery/orrery.db"]
