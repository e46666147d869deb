#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The manual pages, one per command and one of all, and the completions: write_pages.sh FOLDER DATE GZIP ORRERY...
set -eu
folder=$1 date=$2 gzip=$3
shift 3
rm -rf "$folder"
mkdir -p "$folder/man1"
for shell in bash zsh fish; do "$@" completion $shell >"$folder/orrery.$shell"; done
"$@" man "$date" >"$folder/man1/orrery.1"
for command in $(sed -n 's/.*__fish_use_subcommand -a //p' "$folder/orrery.fish"); do "$@" man "$date" "$command" >"$folder/man1/orrery-$command.1"; done
"$gzip" -9n "$folder"/man1/*.1
touch "$folder/.complete"
