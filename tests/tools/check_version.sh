#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 Compares the version that the program prints with VERSION and `git describe`:
# check_version.sh PROGRAM, from the root of the repository.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
wrong() { echo "wrong: $*"; exit 1; }
version() { cmake -DSOURCE="$1" -P cmake/version.cmake; }
is() { [ "$2" = "$3" ] || wrong "$1: $2, not $3"; }
commit() { git -C "$folder" -c user.name=t -c user.email=t@localhost commit -q --allow-empty -m "$1"; }

numbers=$(cat VERSION)
[[ $numbers =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || wrong "VERSION holds no version: $numbers"
grep -qxF "  version: $numbers" "${1%/*}/api/openapi.yaml" || wrong "the openapi.yaml that was built has another version than $numbers"
grep -qxF "__version__ = \"$numbers\"" bindings/python/orrery/__init__.py || wrong "the Python package has another version than $numbers"
grep -qE "^## \[$numbers\]" CHANGELOG.md || wrong "CHANGELOG.md has no section for $numbers"
said=$("$1" --version) || wrong "$1 --version fails"
case "$said" in *" $numbers" | *" $numbers+"* | "$numbers" | "$numbers+"*) ;; *) wrong "the program says $said, VERSION says $numbers" ;; esac

echo 1.2.3 >"$folder/VERSION"
is "a tarball" "$(version "$folder")" 1.2.3
git -C "$folder" init -q && commit one
is "VERSION in no commit" "$(version "$folder")" 1.2.3
git -C "$folder" add VERSION && commit release
is "the release without a tag" "$(version "$folder")" 1.2.3
commit later
later=1.2.3+1.g$(git -C "$folder" rev-parse --short HEAD)
is "a commit after a release without a tag" "$(version "$folder")" "$later"
git clone -q --depth 1 "file://$folder" "$folder/no-history"
is "a shallow clone without a tag" "$(version "$folder/no-history")" 1.2.3
echo 1.3.0 >"$folder/VERSION"
is "before the next release without a tag" "$(version "$folder")" 1.3.0
echo 1.2.3 >"$folder/VERSION"
git -C "$folder" tag v1.2.3
is "the tagged commit" "$(version "$folder")" 1.2.3
commit two
is "a commit later" "$(version "$folder")" "1.2.3+1.g$(git -C "$folder" rev-parse --short HEAD)"
echo 1.3.0 >"$folder/VERSION"
is "before the next tag" "$(version "$folder")" 1.3.0
git clone -q --depth 1 "file://$folder" "$folder/shallow" && echo 1.3.0 >"$folder/shallow/VERSION"
is "a shallow clone" "$(version "$folder/shallow")" 1.3.0
