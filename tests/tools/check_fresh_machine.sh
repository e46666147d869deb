#!/usr/bin/env bash
# Does a new user's machine get there? Makes a bare Debian 12 in a folder, clones the last commit into it and runs the two
# commands of README.md there, then the steps of the Dockerfile in a second copy (no container engine is needed).
#
#     tests/tools/check_fresh_machine.sh [run] [test] [docker]     all three by default; as root; needs debootstrap
#
# BARE=/srv/bare is the folder of the bare system (kept between runs, never changed), WORK=/srv/bare-work the copy that is
# used and removed. Every step is bounded; mounts are taken away on any exit.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
bare=${BARE:-/srv/bare}
work=${WORK:-/srv/bare-work}
mirror=${MIRROR:-http://deb.debian.org/debian}
failed=0

[ "$(id -u)" = 0 ] || { echo "as root, please: debootstrap and chroot need it" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "apt-get install debootstrap" >&2; exit 2; }

leave() {
    local at
    for at in dev/shm dev/pts proc sys; do
        mountpoint -q "$work/$at" && umount -l "$work/$at"
    done
    rm -rf --one-file-system "$work"
}
trap leave EXIT
trap 'exit 130' INT TERM

if [ ! -e "$bare/.complete" ]; then
    rm -rf --one-file-system "$bare"
    timeout 900 debootstrap --variant=minbase bookworm "$bare" "$mirror" >/tmp/debootstrap.log 2>&1 ||
        { tail -20 /tmp/debootstrap.log; exit 1; }
    touch "$bare/.complete"
fi

# A machine of its own: fresh copy, its own /proc, a repository without anything built, and this network's certificates.
enter() {
    leave
    cp -a --reflink=auto "$bare" "$work"
    cp /etc/resolv.conf "$work/etc/resolv.conf"
    mkdir -p "$work/usr/local/share/ca-certificates"
    cp /usr/local/share/ca-certificates/*.crt "$work/usr/local/share/ca-certificates/" 2>/dev/null
    mount -t proc proc "$work/proc"
    mount -t sysfs sysfs "$work/sys"
    mkdir -p "$work/dev/pts" "$work/dev/shm"
    mount -t devpts devpts "$work/dev/pts"
    mount -t tmpfs tmpfs "$work/dev/shm"
    git clone -q --no-hardlinks "$root" "$work/home/orrery"
}

inside() { # seconds, command line: as a new user would type it, without input
    timeout -k 10 "$1" chroot "$work" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
        npm_config_cafile=/etc/ssl/certs/ca-certificates.crt NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt \
        ${CI:+CI=$CI} bash -c "$2" </dev/null
}

verdict() { # name, status
    if [ "$2" = 0 ]; then echo "ok    $1"; else echo "FAIL  $1 (status $2)"; failed=1; fi
}

# Starts a command that serves, waits for it on a port, asks two questions, ends it by SIGTERM.
serves() { # name, seconds to wait, command line, port
    inside "$(($2 + 60))" "$3 & echo \$! >/tmp/pid; wait \$!" >"/tmp/fresh-$1.log" 2>&1 &
    local chroot_pid=$! left=$2 status=1
    while [ "$left" -gt 0 ] && kill -0 "$chroot_pid" 2>/dev/null; do
        curl -fsS -m 2 "http://127.0.0.1:$4/readyz" >/dev/null 2>&1 && { status=0; break; }
        sleep 2
        left=$((left - 2))
    done
    if [ "$status" = 0 ]; then
        curl -fsS -m 5 "http://127.0.0.1:$4/" | grep -qi '<html' || status=3
        curl -fsS -m 10 --data-binary "@$root/static/examples/h100-nvswitch.xml" "http://127.0.0.1:$4/v1/analyze" |
            grep -q '"graphs"' || status=4
        curl -fsS -m 20 --data-binary "@$root/static/examples/h100-nvswitch.xml" \
            "http://127.0.0.1:$4/v1/render?view=system&format=svg" | grep -q '<svg' || status=5
    fi
    [ -s "$work/tmp/pid" ] && kill -TERM "$(cat "$work/tmp/pid")" 2>/dev/null
    wait "$chroot_pid"
    [ "$status" = 0 ] || tail -30 "/tmp/fresh-$1.log"
    verdict "$1" "$status"
}

for part in "${@:-run test docker}"; do
    for part in $part; do
        case "$part" in
        run)
            enter
            serves run 600 "cd /home/orrery && exec ./dev run --listen 127.0.0.1:18080" 18080
            ;;
        test)
            enter
            CI=true inside 1500 "cd /home/orrery && .ci/run" >/tmp/fresh-test.log 2>&1
            status=$?
            tail -8 /tmp/fresh-test.log
            verdict test $status
            ;;
        docker)
            rm -f /tmp/fresh-docker-steps.log
            # The Dockerfile's RUN lines of both stages in one system, in its order, then its CMD as its user.
            enter
            mkdir -p "$work/src" && cp -a "$work/home/orrery/." "$work/src"
            steps=$(python3 - "$root/Dockerfile" <<'PY'
import re, sys
text = re.sub(r"\\\n", " ", open(sys.argv[1]).read())
for line in text.splitlines():
    word, _, rest = line.partition(" ")
    if word == "RUN":
        print(rest.strip())
    elif word == "COPY" and rest.startswith("--from=build"):
        source, target = rest.split()[1:3]
        folder = target.rsplit("/", 1)[0] or "/"
        print(f"mkdir -p {folder}; if [ -d {source} ]; then mkdir -p {target} && cp -a {source}/. {target}; else cp {source} {target}; fi")
PY
)
            status=0
            while IFS= read -r step; do
                inside 900 "cd /src && $step" >>/tmp/fresh-docker-steps.log 2>&1 || { status=$?; echo "step failed: $step"; tail -20 /tmp/fresh-docker-steps.log; break; }
            done <<<"$steps"
            verdict docker-steps $status
            command=$(python3 - "$root/Dockerfile" <<'PY'
import json, sys
words = {}
for line in open(sys.argv[1]):
    word, _, rest = line.partition(" ")
    if word in ("ENTRYPOINT", "CMD"):
        words[word] = json.loads(rest)
print(" ".join(words.get("ENTRYPOINT", []) + words.get("CMD", [])))
PY
)
            [ $status = 0 ] && serves docker-serve 60 "exec setpriv --reuid=orrery --regid=orrery --clear-groups $command" 8080
            ;;
        *) echo "no part named $part: run test docker" >&2; exit 2 ;;
        esac
    done
done
exit $failed
