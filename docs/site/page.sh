#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# page.sh SOURCE-FOLDER PAGE OUTPUT: makes one page of /docs. PAGE is a Markdown file as docs/site/pages.txt has it; OUTPUT is the HTML file.
set -eu
cd "$1"
[ -f "$2" ] || { echo "docs/site/pages.txt names $2, which does not exist" >&2; exit 1; }
mkdir -p "$(dirname "$3")"
cmark-gfm --extension table "$2" | LC_ALL=C awk -v page="$2" -f docs/site/page.awk > "$3.new"
mv "$3.new" "$3"
