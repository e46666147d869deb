#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The shared library FILE shows exactly the functions that include/orrery/orrery.h declares, and is liborrery.so.0.2.
set -u
declared=$(sed -n '/^ORR_LIBRARY/,/;/p' include/orrery/orrery.h | grep -oE 'orr_[a-z0-9_]+\(' | tr -d '(' | sort -u)
shown=$(nm -D --defined-only "$1" | awk '$2 == "T" {sub(/@.*/, "", $3); print $3}' | sort -u)
[ -n "$declared" ] || { echo "no function found in include/orrery/orrery.h"; exit 1; }
diff <(printf '%s\n' "$declared") <(printf '%s\n' "$shown") || { echo "declared (<) and shown (>) differ"; exit 1; }
readelf -d "$1" | grep -q 'SONAME.*\[liborrery.so.0.2\]' || { echo "the SONAME is not liborrery.so.0.2"; exit 1; }
