#!/usr/bin/env bash
# Runs the sh blocks of README.md as they stand, in their order, in one shell: each command must succeed.
set -u
cd "$(dirname "$0")/../.." || exit 2
[ -x build/orrery ] || { echo "./dev build first" >&2; exit 2; }
blocks=$(awk '/^```sh$/ {on = 1; next} /^```$/ {on = 0} on' README.md)
[ -n "$blocks" ] || { echo "README.md has no sh blocks" >&2; exit 1; }
timeout 120 bash -c "trap 'kill \$(jobs -p) 2>/dev/null || :; wait' EXIT; set -e
$blocks"
status=$?
[ $status = 0 ] && echo "ok: every command of README.md"
exit $status
