#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The format of JavaScript, CSS and Python, and what ESLint, TypeScript (tsc --checkJs) and flake8 find in them. This folder holds the settings and, in its lock file, the
# versions of Prettier and ESLint; black and flake8 are Debian's.
#
# usage: scripts.sh check|fix
set -u
cd "$(dirname "$0")/../../.." || exit 1
here=tests/tools/lint bin=tests/tools/lint/node_modules/.bin black_version=23.1.0 failed=0
case "${1:-}" in check) prettier=--check black=--check ;; fix) prettier=--write black=-q ;; *) sed -n 's/^# usage/usage/p' "$0" >&2; exit 2 ;; esac

if ! cmp -s $here/package-lock.json $here/node_modules/.orrery-lock; then
    (cd $here && npm ci --silent --no-audit --no-fund) >&2 </dev/null || { echo "lint: npm ci fails in $here" >&2; exit 1; }
    cp $here/package-lock.json $here/node_modules/.orrery-lock
fi
git ls-files -z '*.js' '*.mjs' '*.css' | xargs -0 $bin/prettier --config $here/prettier.json --log-level warn $prettier || failed=1
git ls-files -z '*.js' '*.mjs' | xargs -0 $bin/eslint -c $here/eslint.config.mjs || failed=1
$bin/tsc -p $here || failed=1 # the types that JSDoc tells, of the page's scripts
case "$(black --version)" in
*" $black_version "*) git ls-files -z '*.py' | xargs -0 black -q --config $here/black.toml $black || failed=1 ;;
*) echo "skipped: the format of Python, because it is that of black $black_version (Debian 12), and newer ones differ" ;;
esac
git ls-files -z '*.py' | xargs -0 flake8 --config $here/flake8.ini || failed=1
# Formatters leave comments, strings and data as they are. A row of a Markdown table has no second line.
! git ls-files -z '*.c' '*.h' '*.js' '*.mjs' '*.css' '*.py' |
    LC_ALL=C.UTF-8 xargs -0 grep -nE '^.{121}' | grep -v ':| ' >&2 || { echo "lint: lines of more than 120 columns" >&2; failed=1; }
exit $failed
