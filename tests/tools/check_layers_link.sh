#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 Checks that a call to a forbidden room fails to link. usage: check_layers_link.sh
# BUILD-FOLDER ROOM:SYMBOL... Builds each program breach_ROOM of tests/CMakeLists.txt; fails if one links, or if the
# missing symbol is not SYMBOL.
set -u
build=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
targets=() status=0
for breach in "$@"; do
    targets+=(--target "breach_${breach%%:*}")
    rm -f "$build/breach_${breach%%:*}"
done
on=-k # to the end, whatever fails on the way
[ ! -e "$build/build.ninja" ] || on="-k 0"
# shellcheck disable=SC2086
cmake --build "$build" "${targets[@]}" -- $on >"$log" 2>&1 </dev/null
for breach in "$@"; do
    room=${breach%%:*} symbol=${breach#*:}
    if ! nm "$build/orrery-service" | grep -q " [Tt] $symbol\$"; then
        echo "$symbol is not a function of the program: name another one of a room that $room must not use"
        status=1
    elif [ -e "$build/breach_$room" ]; then
        echo "a program that calls $symbol links with the room $room and those below it"
        status=1
    elif ! grep -q "breach_$room\.c.*undefined reference to [\`']$symbol'" "$log"; then
        echo "breach_$room was not refused for lack of $symbol:"
        tail -40 "$log"
        status=1
    fi
done
exit $status
