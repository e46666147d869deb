# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# `./dev portability`: checks that the last commit builds and passes on the systems of other people.
. tools/systems.sh

new_user() { # SYSTEM PART...: README's two commands
    git clone -q --no-hardlinks . "$system/home/orrery" || return 1
    in_system 7200 "apt-get update -qq && apt-get install -y -qq --no-install-recommends git >/dev/null && cd /home/orrery &&
        git config --global safe.directory '*' && export ORR_WERROR=${ORR_WERROR:-OFF} && bash tests/tools/first_steps.sh && ./dev test ${*:2}"
}

# Builds the image of the Dockerfile on a base that debootstrap made, without the daemon of a container engine, and runs its command as its user.
dockerfile() { # SYSTEM
    local store=$system/store base=localhost/$1:bare container command
    image() { buildah --root "$store/root" --runroot "$store/run" "$@" </dev/null; }
    # shellcheck disable=SC2154 # systems is of tools/systems.sh
    container=$(image from scratch) && image add -q "$container" "$systems/$1" / &&
        image run --isolation chroot "$container" sh -c 'rm -rf /var/lib/apt/lists/* /var/cache/apt/*' && # as in a base from a registry
        image commit -q --rm "$container" "$base" && git clone -q --no-hardlinks . "$system/src" &&
        image build --format docker --isolation chroot --layers --volume "$systems/packages-$1:/var/cache/apt/archives" --build-arg BASE="$base" \
            --tag orrery "$system/src" && container=$(image from orrery) || return 1
    command=$(image inspect --type image --format '{{range .OCIv1.Config.Entrypoint}}{{.}} {{end}}{{range .OCIv1.Config.Cmd}}{{.}} {{end}}' orrery)
    # shellcheck disable=SC2016
    image run --isolation chroot "$container" /bin/sh -ec '
        [ "$(id -un)" = orrery ]
        $0 --listen 127.0.0.1:0 >/tmp/log 2>&1 &
        for i in $(seq 300); do grep -q "^listening on" /tmp/log && break; sleep 0.1; done
        address=$(sed -n "s/^listening on //p" /tmp/log)
        curl -fsS "$address/healthz" && curl -fsS "$address/docs/" | grep -q "<title>" || { cat /tmp/log; exit 1; }
        kill -TERM $! && wait $!' "$command" || return 1
    echo "ok: $command; $(image images --format '{{.Name}}: {{.Size}}' | grep localhost | xargs)"
}

# Every compiler of the system that README promises, with warnings as errors, for the tests too. Nothing is linked. Clang finds its warnings before it
# makes code, GCC only after. The generated files come from the build here.
generated="api/openapi_yaml.c cli/guides.c"
compilers() { # SYSTEM
    git clone -q --no-hardlinks . "$system/home/orrery" && mkdir "$system/generated" || return 1
    # shellcheck disable=SC2086 # a list
    (cd build && cp --parents $generated "$system/generated") || return 1
    in_system 7200 "set -e; apt-get update -qq; cd /home/orrery
        quietly() { \"\$@\" >/log 2>&1 || { tail -n 40 /log; echo \"failed: \$*\"; exit 1; }; }
        export DEBIAN_FRONTEND=noninteractive
        install() { quietly apt-get install -y -qq --no-install-recommends \"\$@\"; }
        install \$(./dev packages build | xargs)
        for compiler in ${ORR_COMPILERS:-gcc-12 gcc-13 gcc-14 clang-14 clang-15 clang-16 clang-17 clang-18 clang-19}; do
            apt-cache policy \$compiler | grep -q '^  Candidate: [^(]' || continue
            install \$compiler
            rm -rf /build && quietly env CC=\$compiler cmake -B /build -G Ninja -DORR_WERROR=ON
            cp -r /generated/. /build
            case \$compiler in clang*) only=-fsyntax-only ;; *) only='-o /dev/null' ;; esac
            python3 tests/tools/compile_commands.py /build \"\$only\" >/commands
            xargs -d '\\n' -P2 -n1 sh -c </commands || { echo \"failed: \$compiler\"; exit 1; }
            echo \"ok: \$(\$compiler --version | head -1): \$(wc -l </commands) files\"
        done"
}

# For 64-bit Arm by Debian's cross compiler; the programs of the unit tests run under qemu. Packages of the other architecture are only unpacked,
# because what some of them run after installation would need a kernel that knows qemu.
aarch64() { # SYSTEM
    git clone -q --no-hardlinks . "$system/home/orrery" || return 1
    in_system 7200 "set -e; cd /home/orrery; dpkg --add-architecture arm64; apt-get update -qq
        apt-get install -y -qq --no-install-recommends \$(./dev packages build | grep -v '^lib' | xargs) gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
            qemu-user >/dev/null
        apt-get install -y -qq --no-install-recommends --download-only \$(./dev packages build | sed -n '/^lib/s/\$/:arm64/p' | xargs) >/dev/null
        for package in /var/cache/apt/archives/*_arm64.deb; do dpkg -x \$package /; done
        cmake -B build -G Ninja -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64.cmake -DCMAKE_BUILD_TYPE=Release -DORR_WERROR=ON -DCMAKE_C_COMPILER_LAUNCHER=ccache
        cmake --build build >/build.log || { tail -n 60 /build.log; exit 1; }
        file=\$(od -An -tx2 -j18 -N2 build/orrery | tr -d ' '); [ \$file = 00b7 ] || { echo \"not a program for Arm: \$file\"; exit 1; }
        ctest --test-dir build -R '^test_' -E '_postgresql|_kill|^test_(diagram|diagram_worker|detect)\$' -j2 --output-on-failure"
    echo "skipped: on Arm, tests that start the program itself (the kernel would have to know qemu) and those that kill it after some milliseconds"
}

# try NAME COMMAND...: one check in a fresh copy of the system NAME.
try() {
    local obstacle log seconds=$SECONDS
    obstacle=$(system_obstacle "$1")
    [ -z "$obstacle" ] || { echo "skipped: $2 on $1, because $obstacle"; return 0; }
    log=build-portability/$1-$2.log
    mkdir -p build-portability
    if system_copy "$1" && "${@:2}" >"$log" 2>&1; then
        sed -n '/^ok: /p; /^skipped: /p; /passed, .* failed/p' "$log" | sed 's/^\([^os]\)/   \1/'
        echo "ok: $2 on $1 ($((SECONDS - seconds)) s)"
    else
        tail -n 60 "$log"
        echo "wrong: $2 on $1; all of it is in $log"
        failed=1
    fi
    system_drop
    system=""
}

check_portability() {
    local subject parts=unit failed=0
    need run systems
    [ "${1:-}" != --whole ] || { parts=""; shift; }
    [ $# -gt 0 ] || set -- debian-12 debian-13
    trap system_drop EXIT
    trap 'exit 130' INT TERM
    for subject in "$@"; do
        case "$subject" in
        dockerfile) need image; try debian-12 dockerfile debian-12 ;;
        compilers) targets=$generated build release; try debian-12 compilers; try debian-13 compilers ;;
        aarch64) try debian-13 aarch64 ;;
        *) try "$subject" new_user "$subject" $parts ;;
        esac
    done
    return $failed
}

# Debian 11's compiler for Arm that runs on this machine, in a system for Arm, in place of the emulated one, which takes an hour. It is only
# unpacked, because its packages and those of the system's own compiler exclude each other.
# shellcheck disable=SC2016
native_compiler='dpkg --add-architecture amd64; apt-get update -qq; mkdir /compiler; cd /compiler
    chown _apt .
    apt-get download -qq $(printf "%s:amd64 " gcc-10-aarch64-linux-gnu cpp-10-aarch64-linux-gnu binutils-aarch64-linux-gnu libc6 libgcc-s1 \
        libgmp10 libisl23 libmpc3 libmpfr6 libstdc++6 zlib1g) libgcc-10-dev-arm64-cross
    for package in *.deb; do dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C /; done'

# The archive and the wheel.
build_archive() {
    git clone -q --no-hardlinks . "$system/home/orrery" || return 1
    in_system 14400 "set -e; apt-get update -qq; cd /home/orrery
        apt-get install -y -qq --no-install-recommends $(./dev packages build | xargs) patchelf graphviz fonts-dejavu-core file >/dev/null
        $([ "$machine" = "$(uname -m)" ] || printf %s "$native_compiler")
        cd /home/orrery
        git config --global safe.directory '*'; tools/make_archive.sh /archive" || return 1
    local tree=$system/archive/wheel name
    name=$(basename "$system"/archive/*.tar.gz .tar.gz)
    mkdir -p build-archive && rm -f build-archive/*"${name##*-}".* && cp "$system"/archive/*.tar.gz build-archive/ || return 1
    # The wheel has the same tree without what only C programs and packages need.
    mkdir "$tree" && cp -r "$system/archive/$name/." "$tree" && rm -rf "$tree"/include "$tree"/lib/{pkgconfig,systemd} "$tree"/share/{man,bash-completion,zsh,fish} &&
        cp -r bindings/python "$system/archive/source" && rm -rf "$system/archive/source/build" &&
        ORRERY_TREE=$tree ORRERY_PLATFORM=manylinux_2_31_${name##*linux-} /usr/bin/python3 -m pip wheel -q --no-index --no-build-isolation --no-deps \
            -w build-archive "$system/archive/source" &&
        python3 tests/tools/check_glibc.py 2.31 "$tree" && du -h build-archive/*"${name##*-}".*
}
archive_works() {
    mkdir -p "$system/try" && cp build-archive/*"$machine".tar.gz tests/tools/check_archive.sh tests/data/logs/workstation-2.27.7-2h.log "$system/try" &&
        in_system 3600 'cd /try && bash check_archive.sh *.tar.gz "$PWD/workstation-2.27.7-2h.log"'
}
wheel_works() {
    mkdir -p "$system/try" && cp build-archive/*"$machine".whl tests/tools/check_wheel.sh static/examples/h100-nvswitch.xml "$system/try" &&
        in_system 3600 'cd /try && apt-get update -qq && apt-get install -y -qq --no-install-recommends python3 python3-pip >/dev/null &&
            bash check_wheel.sh *.whl h100-nvswitch.xml'
}
make_archive() { # [check] [arm64]
    local name failed=0 machine checked="" arm=""
    machine=$(uname -m)
    for name in "$@"; do
        case "$name" in
        check) checked=1 ;;
        arm64) arm=-arm64 machine=aarch64 ;;
        *) say "dev archive: there is no $name to make; it takes check and arm64"; return 2 ;;
        esac
    done
    need run systems package ${arm:+arm}
    trap system_drop EXIT
    trap 'exit 130' INT TERM
    try debian-11$arm build_archive
    [ -n "$checked" ] && [ $failed = 0 ] && [ -d build-archive ] || return $failed
    for name in debian-11$arm debian-12$arm debian-13$arm; do
        try "$name" archive_works
        try "$name" wheel_works
    done
    return $failed
}
