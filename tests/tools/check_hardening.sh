#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each FILE is hardened: position independent, full RELRO, no executable stack, stack protector, checked libc calls, landing places for branches on x86.
set -u
failed=0
miss() { echo "$1: $2"; failed=1; }
[ $# -gt 0 ] || { echo "usage: $0 FILE..."; exit 2; }
for file in "$@"; do
    dynamic=$(readelf -dW "$file") segments=$(readelf -lW "$file") symbols=$(readelf --dyn-syms -W "$file")
    readelf -hW "$file" | grep -q 'Type: *DYN' || miss "$file" "is not position independent"
    grep -q GNU_RELRO <<<"$segments" || miss "$file" "has no RELRO"
    grep -qE 'BIND_NOW|FLAGS_1.*NOW' <<<"$dynamic" || miss "$file" "binds late, so that its RELRO is only partial"
    grep -E 'GNU_STACK' <<<"$segments" | grep -q ' RW ' || miss "$file" "has an executable stack"
    grep -q __stack_chk_fail <<<"$symbols" || miss "$file" "has no stack protector"
    grep -qE '__[a-z]+_chk' <<<"$(grep -v __stack_chk <<<"$symbols")" || miss "$file" "calls no checked function of libc"
    # If libc's own startup code is not marked, the linker marks nothing: what counts are the landing places (endbr64) of our functions.
    [ "$(uname -m)" != x86_64 ] || [ "$(LC_ALL=C grep -oaP '\xf3\x0f\x1e\xfa' "$file" | wc -l)" -gt 1000 ] || miss "$file" "has no control-flow protection"
done
exit $failed
