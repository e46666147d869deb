#!/bin/sh
# check_reference.sh ORRERY: docs/reference is what the program writes; ORR_UPDATE_GOLDEN=1 writes it anew.
set -u
cd "$(dirname "$0")/../.." || exit 2
failed=0
for what in commands settings; do
    page=docs/reference/$what.md
    [ -z "${ORR_UPDATE_GOLDEN:-}" ] || "$1" reference $what > "$page" || exit 1
    "$1" reference $what | diff -u "$page" - >&2 || failed=1
done
exit $failed
