#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a test that needs more than a build does: if_there.sh WHAT HOW... -- COMMAND..., from the root of the repository. HOW is as in tools/packages.txt.
set -u
. tools/common.sh
what=$1
shift
while [ "$1" != -- ]; do
    is_there "" "$1" || { echo "skipped: $what, because ${1#*:} is not installed"; exit 77; }
    shift
done
shift
exec "$@"
