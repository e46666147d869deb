#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 Runs the sh blocks of README.md and of the guides in docs unchanged and in order,
# with one shell per file: each command must succeed. Commands in indented blocks are not run: each needs a reason in
# `reasons`. Then follows every relative link of these files.
set -u
cd "$(dirname "$0")/../.." || exit 2
[ -x build/orrery ] || { echo "./dev build first" >&2; exit 2; }
# Beginnings of commands that are not run here, and why.
reasons='./dev run|builds and serves for ever; tests/tools/stopwatch.sh runs it
./dev test|is the suite, of which this is a part
build/orrery serve |serves for ever; the blocks of docs/operations.md run it on other ports
NCCL_TOPO_DUMP_FILE=|needs GPUs
cmake --preset package|check_package.sh builds and installs the packages
(cd build-package|check_package.sh builds and installs the packages
apt-get install ./build-package|changes the machine; check_package.sh unpacks the packages instead
PGPASSWORD=|needs a database of that name; tests/http/test_database.py runs the service on PostgreSQL'
failed=0
for file in README.md docs/quick-start.md docs/operations.md docs/guides/*.md; do
    while IFS= read -r command; do
        reason=$(printf '%s\n' "$reasons" | while IFS='|' read -r start why; do
            case $command in "$start"*) echo "$why" ;; esac
        done)
        if [ -n "$reason" ]; then
            echo "not run: $file: ${command%% #*}, because it $reason"
        else
            echo "$file: neither run nor excused: $command" >&2
            failed=1
        fi
    done < <(awk '/^```/ {on = !on} !on && sub(/^    /, "")' "$file")
done
for file in README.md docs/quick-start.md docs/operations.md docs/guides/*.md; do
    blocks=$(awk '/^```sh$/ {on = 1; next} /^```$/ {on = 0} on' "$file")
    if [ -z "$blocks" ]; then
        [ "$file" = docs/guides/page.md ] || { echo "$file has no sh blocks" >&2; failed=1; }
        continue
    fi
    timeout 300 bash -c "trap 'kill \$(jobs -p) 2>/dev/null || :; wait' EXIT; set -e
$blocks"
    status=$?
    if [ $status = 0 ]; then
        printf '\nok: every command of %s\n' "$file" # what ran before may not end with a line
    else
        printf '\n%s: a command failed (status %s)\n' "$file" $status >&2
        failed=1
    fi
done
# A guide begins with a command and its answer: the first text block is what the first sh block prints.
for file in docs/guides/*.md; do
    [ "$file" = docs/guides/page.md ] && continue # it begins with ./dev run
    first=$(awk '/^```sh$/ {on = 1; next} /^```$/ && on {exit} on' "$file")
    answer=$(awk '/^```text$/ {on = 1; next} /^```$/ && on {exit} on' "$file")
    if difference=$(diff <(printf '%s\n' "$answer") <(timeout 60 bash -c "$first" 2>/dev/null)); then
        echo "ok: the answer with which $file begins"
    else
        printf '%s begins with another answer than its command:\n%s\n' "$file" "$difference" >&2
        failed=1
    fi
done
for file in README.md docs/*.md docs/guides/*.md; do
    broken=$(grep -o '](\([^)#:]*\))' "$file" | sed 's/^](//; s/)$//' | while read -r link; do
        [ -e "$(dirname "$file")/$link" ] || echo "$link"
    done)
    if [ -z "$broken" ]; then
        echo "ok: every link of $file"
    else
        printf '%s links to files that do not exist: %s\n' "$file" "$broken" >&2
        failed=1
    fi
done
exit $failed
