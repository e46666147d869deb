#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 Compares the interface of the shared library FILE with the kept dump: functions,
# types, versions of symbols. A program that was built with an older header must go on working, so an incompatible
# change is refused. ORR_UPDATE_GOLDEN=1 adds new parts to the dump; if the SONAME changes, delete the dump first.
set -u
kept=tests/library/liborrery.abi
now=$(mktemp)
trap 'rm -f "$now" "$now.changed"' EXIT
abidw --headers-dir include/orrery --drop-private-types --exported-interfaces-only --no-corpus-path --no-comp-dir-path \
    --no-show-locs --no-elf-needed --type-id-style hash "$1" >"$now" || exit 1
[ -f "$kept" ] || [ -z "${ORR_UPDATE_GOLDEN:-}" ] || cp "$now" "$kept"
# The check itself must be able to fail: without a function, and with a member of another type.
for change in 's/orr_plan_ring/orr_plan_rang/g' "s/name='bw' type-id='[^']*'/name='bw' type-id='type-of-bool'/"; do
    sed "$change" "$now" | sed "s/type-of-bool/$(sed -n "s/.*type-decl name='bool'.* id='\([^']*\)'.*/\1/p" "$now" | head -1)/" >"$now.changed"
    abidiff "$now" "$now.changed" >/dev/null
    [ $(($? & 4)) != 0 ] || { echo "abidiff does not find the change $change"; exit 1; }
done
changes=$(abidiff "$kept" "$now")
status=$?
[ $status = 0 ] && exit 0
printf '%s\n' "$changes"
if [ $((status & 8)) != 0 ] || [ $((status & 3)) != 0 ]; then
    echo "the interface is not compatible with $kept: keep the old function or member, and add a new one"
elif [ -n "${ORR_UPDATE_GOLDEN:-}" ]; then
    cp "$now" "$kept" && echo "$kept was renewed" && exit 0
else
    echo "the interface has additions, or a change that abidiff cannot judge: look at them, then run this with ORR_UPDATE_GOLDEN=1"
fi
exit 1
