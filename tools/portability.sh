# shellcheck shell=bash
# `./dev portability`: does the last commit build and pass where other people build it?
. tools/systems.sh

new_user() { # SYSTEM PART...: README's two commands
    git clone -q --no-hardlinks . "$system/home/orrery" || return 1
    in_system 3600 "apt-get update -qq && apt-get install -y -qq --no-install-recommends git >/dev/null && cd /home/orrery &&
        git config --global safe.directory '*' && export ORR_WERROR=${ORR_WERROR:-OFF} && bash tests/tools/first_steps.sh && ./dev test ${*:2}"
}

# The steps of the Dockerfile in one system, in its order, then its command as its user. No container engine is needed.
dockerfile() {
    local steps
    git clone -q --no-hardlinks . "$system/src" && steps=$(python3 tests/tools/dockerfile_steps.py Dockerfile) || return 1
    in_system 3600 "set -e; cd /src; $steps"
}

# try NAME COMMAND...: one check in a fresh copy of the system NAME.
try() {
    local obstacle log seconds=$SECONDS
    obstacle=$(system_obstacle "$1")
    [ -z "$obstacle" ] || { echo "skipped: $2 on $1, because $obstacle"; return 0; }
    log=build-test/portability-$1-$2.log
    mkdir -p build-test
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
        dockerfile) try debian-12 dockerfile ;;
        *) try "$subject" new_user "$subject" $parts ;;
        esac
    done
    return $failed
}
