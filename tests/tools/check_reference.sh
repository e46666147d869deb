#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_reference.sh ORRERY: docs/reference is what the program, and make_rest.py from the description of the service that the build made, write; ORR_UPDATE_GOLDEN=1 writes it anew.
set -u
cd "$(dirname "$0")/../.." || exit 2
failed=0
for what in commands settings; do
    page=docs/reference/$what.md
    [ -z "${ORR_UPDATE_GOLDEN:-}" ] || "$1" reference $what > "$page" || exit 1
    "$1" reference $what | diff -u "$page" - >&2 || failed=1
done
description=$(dirname "$1")/api/openapi.yaml
[ -z "${ORR_UPDATE_GOLDEN:-}" ] || /usr/bin/python3 tests/tools/make_rest.py "$description" || exit 1
/usr/bin/python3 tests/tools/make_rest.py "$description" --check || failed=1
exit $failed
