# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Shared by the commands: messages, packages, builds. `./dev` reads this file before that of a command.
say() { printf '%s\n' "$*" >&2; }
die() { say "dev: $*"; exit 1; }

# packages KIND...: the rows of these kinds, each as "package how-to-see-it".
packages() { awk -v kinds=" $* " '{ n = split($1, of, ","); for (i = 1; i <= n; i++) if (index(kinds, " " of[i] " ")) { print $2, $3; next } }' tools/packages.txt; }

# is_there PACKAGE HOW, for one that is not installed under its Debian name
is_there() {
    case "$2" in
    -) ! command -v dpkg-query >/dev/null ;; # other systems have no way to check; the program that needs it will complain
    pc:*) pkg-config --exists "${2#pc:}" 2>/dev/null ;;
    py:*) /usr/bin/python3 -c "import ${2#py:}" 2>/dev/null ;;
    *) command -v "$2" >/dev/null ;;
    esac
}

# need KIND...: installs the missing packages of these kinds; silent and offline if none is missing.
need() {
    local package how missing=() installed=" "
    ! command -v dpkg-query >/dev/null || installed=" $(dpkg-query -W -f='${Package}:${db:Status-Status} ' 2>/dev/null)"
    while read -r package how; do
        case "$installed" in *" ${package%|*}:installed "* | *" ${package#*|}:installed "*) continue ;; esac
        is_there "$package" "$how" || missing+=("$package")
    done < <(packages "$@")
    [ ${#missing[@]} = 0 ] && return 0
    if command -v apt-get >/dev/null; then install_packages "${missing[@]}"; else list_packages "$@"; fi
}

# list_packages KIND...: for a system without apt, what to install by its own tools. Only what a build needs has to be there.
list_packages() {
    local package how found lacking=""
    say "dev: there is no apt-get here. Install what is missing by your system's own tools:"
    while read -r package how; do
        found=missing
        if is_there "$package" "$how"; then found=found; fi
        [ "$how" != - ] || found="not checked"
        printf '  %-12s %-28s Debian: %s\n' "$found" "${how#-}" "$package" >&2
        case "$found $package" in
        "missing ccache") ;;
        missing*) [ -z "$(packages build | awk -v name="$package" '$1 == name')" ] || lacking="$lacking ${how#*:}" ;;
        esac
    done < <(packages "$@")
    [ -z "$lacking" ] || die "a build needs:$lacking"
}

# install_packages PACKAGE...: installs by apt the first known of alternatives. Packages that the system does not have are left out and named.
install_packages() {
    local package known="" unknown="" as_root=""
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || die "you are not root and there is no sudo; as root: apt-get install $*"
        as_root=sudo
    fi
    $as_root apt-get update -qq >&2 </dev/null || die "apt-get update failed"
    for package in "$@"; do
        if has_candidate "${package%|*}"; then known="$known ${package%|*}"
        elif has_candidate "${package#*|}"; then known="$known ${package#*|}"
        else unknown="$unknown $package"; fi
    done
    [ -z "$unknown" ] || say "dev: this system has no package$unknown; what needs it is skipped or fails"
    [ -n "$known" ] || return 0
    say "dev: installing$known"
    # The tests start their own servers, so those of the packages must start neither now nor at the next boot.
    local policy=/usr/sbin/policy-rc.d servers="" failed=0
    case " $known " in *" postgresql "*) servers="postgresql" ;; esac
    case " $known " in *" nginx "*) servers="$servers nginx" ;; esac
    [ -n "$servers" ] && [ ! -e $policy ] || policy=""
    [ -z "$policy" ] || printf '#!/bin/sh\nexit 101\n' | $as_root install -m 755 /dev/stdin $policy
    # shellcheck disable=SC2086 # a list
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $known >/dev/null </dev/null || failed=1
    [ -z "$policy" ] || $as_root rm -f $policy
    # shellcheck disable=SC2086 # a list
    [ -z "$servers" ] || $as_root systemctl disable $servers >/dev/null 2>&1 </dev/null || true
    [ $failed = 0 ] || die "apt-get install failed"
}

has_candidate() { apt-cache policy "$1" 2>/dev/null | grep -q '^  Candidate: [^(]'; }

# build PRESET: configures once, then builds, $targets or all. The log is shown only where it fails. CI sets ORR_WERROR=ON. ccache gives the preset
# package what it kept of release: the folder of the build, which only debug information names, does not count.
build() {
    local preset log
    local options=("-DORR_WERROR=${ORR_WERROR:-OFF}")
    need build
    ! command -v ccache >/dev/null || options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache)
    export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
    for preset in "${@:-release}"; do
        [ "$preset" != lint ] || options+=(-DORR_WERROR=ON)
        log=$(mktemp)
        # shellcheck disable=SC2086 # targets are words
        if ! { cmake --preset "$preset" "${options[@]}" && cmake --build --preset "$preset" ${targets:+--target $targets}; } >"$log" 2>&1; then
            cat "$log" >&2
            rm -f "$log"
            die "the build of preset $preset failed"
        fi
        rm -f "$log"
    done
}

# The driver of the browser tests; the lock file decides whether it is there already, so that a second run needs no network.
npm_packages() {
    local lock=tests/browser/package-lock.json have=tests/browser/node_modules/.orrery-lock
    cmp -s "$lock" "$have" && return 0
    (cd tests/browser && npm ci --silent --no-audit --no-fund) >&2 </dev/null && cp "$lock" "$have"
}

# properties BUILD SEED COUNT [ARGUMENT...]: random machines through every release. A seed makes the same machine again.
properties() {
    ASAN_OPTIONS=handle_segv=2:detect_stack_use_after_return=1:strict_string_checks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
        "$1/tests/property" --seed "$2" --count "$3" "${@:4}"
}

# All recorded machines on which Orrery was once wrong.
regressions() {
    python3 tests/conformance/check.py --jobs 1 --reference ../shared/conformance/regressions/reference --topologies ../shared/conformance/regressions/topologies
}

# compare [ARGUMENT...]: with what NCCL computed; the cases of ../shared where it lies beside the checkout (ours are among them), else those of tests/conformance.
compare() {
    local shared=../shared/conformance folder given=()
    case " $* " in
    *" --reference"[\ =]*) ;;
    *) if [ -d $shared ]; then
        for folder in reference clusters regressions/reference round3/{fusion,mnnvl,graphfile,settings,odd,refusals}; do given+=(--reference "$shared/$folder"); done
        for folder in ../topologies regressions/topologies round3/topologies; do given+=(--topologies "$shared/$folder"); done
    fi ;;
    esac
    python3 tests/conformance/check.py "${given[@]}" "$@"
}

c_files() { git ls-files '*.c' '*.h'; }
