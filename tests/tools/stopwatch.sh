#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 Measures how soon a new user has an answer. Clones the last commit into an empty
# folder, gives the commands of README.md there without a compiler's cache, and counts commands and seconds until the
# report about a dump of the user's own. Then pastes the output of `nvidia-smi topo -m` into the page and counts until
# the verdict.
#
#     tests/tools/stopwatch.sh [DUMP]      or ./dev stopwatch; the Debian packages are there already, as after ./dev packages
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
service=
leave() {
    [ -z "$service" ] || kill "$service" 2>/dev/null || :
    wait 2>/dev/null || :
    rm -rf "$folder"
}
trap leave EXIT
trap 'exit 130' INT TERM
cp "$(realpath "${1:-$root/static/examples/h100-with-faults.xml}")" "$folder/topo.xml"
export CCACHE_DISABLE=1
cd "$folder"

begun=$(date +%s.%N)
before=$begun
commands=0
lap() { # what was done: the seconds since the last lap
    local now
    now=$(date +%s.%N)
    commands=$((commands + 1))
    awk -v what="$1" -v a="$before" -v b="$now" 'BEGIN { printf "%8.1f s  %s\n", b - a, what }'
    before=$now
}

git clone -q "$root" orrery
lap "git clone ... orrery"
cd orrery
./dev run --listen 127.0.0.1:0 --database :memory: >"$folder/log" 2>&1 &
service=$!
until grep -q 'listening on' "$folder/log"; do
    kill -0 "$service" 2>/dev/null || { cat "$folder/log" >&2; exit 1; }
    sleep 0.1
done
lap "cd orrery && ./dev run (builds, then serves $(grep -o 'http://[0-9.:]*' "$folder/log" | head -1))"
build/orrery show "$folder/topo.xml" >"$folder/report"
lap "build/orrery show topo.xml"
grep -q '^Verdict' "$folder/report"
kill "$service" && wait "$service" || : # so that its build counts below
service=
awk -v n=$commands -v a="$begun" -v b="$before" -v lines="$(wc -l <"$folder/report")" \
    'BEGIN { printf "%8.1f s  in all: %d commands from a fresh clone to a report of %d lines about a dump\n", b - a, n, lines }'
times >"$folder/times" # of this shell, then of what it ran; in a pipe it would be another shell's
awk -F '[ms ]+' -v cores="$(nproc)" -v load="$(cut -d' ' -f1 /proc/loadavg)" \
    'NR == 2 { printf "%8.1f s  of them processor time, user and system (%d cores, load %s)\n", 60 * ($1 + $3) + $2 + $4, cores, load }' "$folder/times"

ORRERY=$PWD/build/orrery
export ORRERY
cd "$root"
if [ -d tests/browser/node_modules ]; then
    node --test --test-reporter=tap tests/browser/stopwatch.test.mjs >"$folder/tap" || { cat "$folder/tap" >&2; exit 1; }
    sed -n 's/^# stopwatch: /            /p' "$folder/tap"
else
    echo "            the page is left out: its tests' packages are not installed (./dev test browser)"
fi
