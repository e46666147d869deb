#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 Checks that the command starts fast because it loads few libraries: serving,
# drawing and posting are in orrery-service (cli/service.h). usage: check_start.sh ORRERY ORRERY-SERVICE
set -u
failed=0
heavy='libgvc|libcgraph|libcurl|libpq|libmicrohttpd|libgnutls|libsqlite3'
loaded=$(ldd "$1") || exit 1
found=$(grep -oE "^[[:space:]]*($heavy)[^ ]*" <<<"$loaded") && { echo "$1 loads what only orrery-service needs:" $found; failed=1; }
for library in ${heavy//|/ }; do # so that the list above is not out of date
    ldd "$2" | grep -q "$library" || { echo "$2 does not load $library: is its name another one now?"; failed=1; }
done
exit $failed
