# SPDX-License-Identifier: Apache-2.0
# usage: ./dev rules [FILE]
# Prints the rules of docs/nccl/release-table.md that a file of NCCL's source has, such as graph/paths.cc; without one, the files.
table=docs/nccl/release-table.md
if [ $# -eq 0 ]; then
    sed -n '/^## By source file/,$s/^### //p' "$table"
else
    rules=$(awk -v file="### $1" '/^## By source file/ { here = 1 } /^### / { found = here && $0 == file } found && /^\| `/' "$table")
    [ -n "$rules" ] || { printf './dev rules: no rule is in %s; ./dev rules lists the files\n' "$1" >&2; exit 1; }
    printf '%s\n' "$rules"
fi
