#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 Tests the Debian packages and the installed tree as users get them: built,
# unpacked into an empty root, run from there. Prints a line "ok: ..." for each thing that holds. `./dev test package`
# builds the preset package first.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=build-package
root=$(mktemp -d)
server=""
leave() {
    [ -n "$server" ] && kill "$server" 2>/dev/null && wait "$server" 2>/dev/null
    rm -rf "$root"
}
trap leave EXIT
trap 'exit 130' INT TERM

ok() { echo "ok: $*"; }
wrong() { echo "wrong: $*"; exit 1; }
# contains TEXT PATTERN...: every pattern is in the text
contains() {
    local text=$1 pattern
    shift
    for pattern in "$@"; do grep -qE -- "$pattern" <<<"$text" || wrong "no $pattern in: $text"; done
}

rm -f "$build"/*.deb
(cd "$build" && cpack) >"$root/cpack.log" 2>&1 || { cat "$root/cpack.log"; wrong "cpack fails"; }
program=$(ls "$build"/orrery_*.deb) library=$(ls "$build"/liborrery0.2_*.deb) development=$(ls "$build"/liborrery-dev_*.deb)

version=$(cmake -P cmake/version.cmake)
version=${version//+/\\+}
control=$(dpkg-deb -I "$program")
contains "$control" '^ Package: orrery$' "^ Version: $version-1\$" '^ Depends:.*libmicrohttpd12' '^ Depends:.*libxml2' \
    '^ Depends:.*libgvc6' '^ Depends:.*libjansson4' '^ Depends:.*libsqlite3-0' '^ Depends:.*libarchive13' '^ Depends:.*libcurl3-gnutls' '^ Description: .' '^ Maintainer: .'
ok "orrery: name, version, dependencies from its libraries"
files=$(dpkg-deb -c "$program")
contains "$files" ' ./usr/bin/orrery$' ' ./usr/libexec/orrery/orrery-service$' ' ./usr/share/orrery/static/index.html$' ' ./usr/share/orrery/static/js/main.js$' ' ./usr/share/orrery/docs/index.html$' \
    ' ./usr/lib/systemd/system/orrery.service$' ' ./usr/lib/systemd/system/orrery-agent.service$' ' ./usr/share/man/man1/orrery.1.gz$' ' ./usr/share/bash-completion/completions/orrery$' \
    ' ./usr/share/doc/orrery/copyright$'
grep -qE 'node_modules|\.so|/include/|\.a$' <<<"$files" && wrong "orrery holds what it should not: $files"
ok "orrery: program, page, unit, manual page, completion"
contains "$(dpkg-deb -I "$library")" '^ Package: liborrery0.2$' '^ Depends:.*libxml2' '^ Depends:.*libjansson4' 'shlibs'
contains "$(dpkg-deb -c "$library")" 'liborrery.so.0.2 -> liborrery.so.0\.2\.'
grep -qE 'microhttpd|libgvc|libpq|curl' <<<"$(dpkg-deb -I "$library")" && wrong "liborrery0.2 depends on the server's libraries"
contains "$(dpkg-deb -I "$development")" '^ Depends: liborrery0.2 \(= '
contains "$(dpkg-deb -c "$development")" ' ./usr/include/orrery/orrery.h$' 'liborrery.so -> ' 'pkgconfig/orrery.pc$'
ok "liborrery0.2 and liborrery-dev"
for script in postinst prerm; do
    dpkg-deb --ctrl-tarfile "$program" | tar -xO "./$script" >"$root/$script" && sh -n "$root/$script" || wrong "$script"
    sh "$root/$script" configure "" || wrong "$script fails if there is no systemd"
done
ok "maintainer scripts"

# An empty root, and nothing of this checkout but what is asked for.
for package in "$program" "$library" "$development"; do dpkg -x "$package" "$root/system" || wrong "dpkg -x $package"; done
orrery=$root/system/usr/bin/orrery
serves() { # PROGRAM: /healthz, the page, an analysis and a drawing
    local address at body
    : >"$root/out" # not the address of the one before
    (cd / && exec env -i HOME="$root/home" PATH=/usr/bin:/bin "$1" serve --listen 127.0.0.1:0 --quiet) >"$root/out" 2>"$root/log" &
    server=$!
    for _ in $(seq 100); do address=$(sed -n 's/^listening on //p' "$root/out"); [ -n "$address" ] && break; sleep 0.1; done
    [ -n "$address" ] || { cat "$root/log"; wrong "$1 does not start"; }
    [ "$(curl -s -o /dev/null -w '%{http_code}' "$address/healthz")" = 200 ] || wrong "/healthz"
    contains "$(curl -fs "$address/")" '<title>Orrery'
    at=$(curl -s -D - -o /dev/null --data-binary @static/examples/a100-nvswitch.xml "$address/v1/topologies" | tr -d '\r' | sed -n 's/^Location: //p')
    contains "$(curl -fs "$address$at/analysis/summary")" '"sentence"'
    body=$(curl -fs "$address$at/diagram.svg") || wrong "no drawing"
    contains "$body" '<svg' 'GPU'
    kill -TERM "$server" && wait "$server" || { cat "$root/log"; wrong "$1 does not end well"; }
    server=""
    [ -s "$root/home/.local/state/orrery/orrery.db" ] || wrong "no database in the home"
    rm -rf "$root/home"
}
mkdir "$root/home"
serves "$orrery"
ok "the unpacked program serves its page, an analysis and a drawing"

# The manual page and the completion say what --help says.
gzip -dc "$root/system/usr/share/man/man1/orrery.1.gz" >"$root/orrery.1"
[ -z "$(groff -man -ww -z -Tutf8 "$root/orrery.1" 2>&1)" ] || wrong "groff: $(groff -man -ww -z -Tutf8 "$root/orrery.1" 2>&1)"
mandoc -T lint -W warning "$root/orrery.1" || wrong "mandoc finds faults in the manual page"
page=$(MANWIDTH=200 man -l "$root/orrery.1" 2>/dev/null | col -b)
contains "$page" '^NAME' '^SYNOPSIS' '^COMMANDS' '^EXIT STATUS' '^ +orrery analyze \[options\] \[FILE\|-\]'
commands=$("$orrery" --help | sed -n 's/^  \([a-z][a-z-]*\)  *[a-z].*/\1/p' | grep -v orrery)
[ "$(wc -l <<<"$commands")" -ge 5 ] || wrong "commands: $commands"
complete_with() { # WORD...: what bash offers for the last
    bash --norc -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _orrery; printf "%s\n" "${COMPREPLY[@]}"' - \
        "$root/system/usr/share/bash-completion/completions/orrery" "$@" 2>/dev/null
}
offered=$(complete_with orrery "")
count=0
for command in $commands; do
    grep -qx -- "$command" <<<"$offered" || wrong "$command is not offered: $offered"
    options=$("$orrery" "$command" --help | grep -oE '^  --[a-z-]+' | tr -d ' ')
    [ -n "$options" ] || wrong "$command has no options in --help"
    words=$(complete_with orrery "$command" --)
    for option in $options; do
        grep -qx -- "$option" <<<"$words" || wrong "$command $option is not offered"
        grep -qE "^ +$option( |\$)" <<<"$page" || wrong "$command $option is not in the manual page"
        count=$((count + 1))
    done
done
ok "manual page: clean, and it has every command and all $count options"
contains "$(complete_with orrery render --view r)" '^ring$'
contains "$(complete_with orrery render --format = p)" '^png$' '^pdf$'
contains "$(complete_with orrery analyze --release 2.2)" '^2\.21\.5$' '^2\.27\.7$'
contains "$(complete_with orrery analyze --set NCCL_CROSS)" '^NCCL_CROSS_NIC=$'
contains "$(complete_with orrery serve --database static/examples/a100)" '^static/examples/a100-nvswitch.xml$'
contains "$(complete_with orrery analyze static/examples/a100)" '^static/examples/a100-nvswitch.xml$'
[ -z "$(complete_with orrery analyze --hosts "")" ] || wrong "something is offered for a number"
ok "completion: commands, options, releases, views, settings, files"

# The unit.
unit=$root/system/usr/lib/systemd/system/orrery.service
for line in DynamicUser=yes ProtectSystem=strict NoNewPrivileges=yes MemoryDenyWriteExecute=yes StateDirectory=orrery ProtectHome=yes \
    'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX' SystemCallFilter=@system-service CapabilityBoundingSet= PrivateDevices=yes Restart=on-failure; do
    grep -qxF -- "$line" "$unit" || wrong "the unit has no $line"
done
grep -q '^ExecStart=/usr/bin/orrery serve' "$unit" || wrong "the unit starts something else"
if command -v systemd-analyze >/dev/null; then
    mkdir "$root/unit"
    sed "s#/usr/bin/orrery#$orrery#" "$unit" >"$root/unit/orrery.service"
    said=$(systemd-analyze verify --man=no "$root/unit/orrery.service" 2>&1) && [ -z "$said" ] || wrong "systemd-analyze verify: $said"
    agent=${unit%orrery.service}orrery-agent.service
    sed "s#/usr/bin/orrery#$orrery#" "$agent" >"$root/unit/orrery-agent.service"
    said=$(systemd-analyze verify --man=no "$root/unit/orrery-agent.service" 2>&1) && [ -z "$said" ] || wrong "systemd-analyze verify: $said"
    said=$(systemd-analyze security --offline=true --threshold=30 --no-pager "$root/unit/orrery-agent.service" 2>&1) || wrong "too open: $said"
    said=$(systemd-analyze security --offline=true --threshold=20 --no-pager "$root/unit/orrery.service" 2>&1) || wrong "too open: $said"
    ok "unit: $(grep -o 'Overall exposure level.*: [0-9.]*' <<<"$said" | sed 's/ for .*:/:/')"
else
    echo "skipped: what systemd-analyze says about the units, because it is not installed"
fi

# The library, from the unpacked packages alone.
pc=$(dirname "$(find "$root/system" -name orrery.pc)")
flags=$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs orrery) || wrong "pkg-config"
contains "$flags" "-I$root/system" '-lorrery'
installed=$(dirname "$pc")
export LD_LIBRARY_PATH=$installed
for example in examples/c/*.c; do
    name=$(basename "$example" .c)
    # shellcheck disable=SC2086
    cc -std=c11 -Wall -Wextra -Werror -pedantic "$example" $flags -o "$root/$name" || wrong "$example"
done
two=static/examples/workstation-2gpu.xml good=static/examples/h100-nvswitch.xml bad=static/examples/h100-with-faults.xml
said=$("$root/paths" $two) || wrong "paths.c fails: $said"
want=$("$orrery" analyze --release 2.27.7 --hosts 2 $two | python3 -c '
import json, sys
d = json.load(sys.stdin)
p = next(p for p in d["paths"] if p["from"].startswith("GPU") and p["to"].startswith("GPU") and p["from"] < p["to"])
print("^%d ranks, %d channels;.*|^rank 0 to 1: %s, %.1f GB/s, P2P on" % (d["ranks"], d["channels"]["count"], p["type"], p["bw"]))')
[ "$(grep -cE "$want" <<<"$said")" = 2 ] || wrong "paths.c says: $said, not: $want"
printf '<system version="1"><cpu' >"$root/broken.xml"
"$root/paths" "$root/broken.xml" 2>"$root/said" && wrong "a broken dump passes"
contains "$(cat "$root/said")" ':1:[0-9]+: malformed-xml: '
[ "$("$root/whatif" $good | grep -c 'GB/s')" = 5 ] || wrong "whatif.c"
cmp <("$root/findings" $bad | python3 -m json.tool) <("$orrery" analyze --hosts 2 --section findings $bad | python3 -m json.tool) || wrong "findings.c and the program differ"
contains "$("$root/compare" $good $bad)" '"equal":false'
contains "$("$root/draw" $good "$orrery")" '<svg' 'GPU'
PATH=/usr/bin:/bin "$root/draw" $good 2>"$root/said" && wrong "a drawing without the program"
contains "$(cat "$root/said")" 'render-failed: .*does not start'
unset LD_LIBRARY_PATH
echo '#include <orrery/orrery.h>
int main() { return orr_library_version() ? 0 : 1; }' >"$root/use.cc"
# shellcheck disable=SC2086
c++ -Wall -Wextra -Werror -pedantic "$root/use.cc" $flags -o "$root/use" && LD_LIBRARY_PATH=$installed "$root/use" || wrong "C++"
ok "library: the five examples and C++ compile by pkg-config alone, and their answers are those of the program"
count=$(find "$root/system/usr/share/orrery/schemas" -name '*.json' | wc -l)
grep -q "https://json-schema.org/draft/2020-12/schema" "$root/system/usr/share/orrery/schemas/analysis.json" && [ "$count" -gt 20 ] || wrong "schemas"
ok "liborrery-dev: $count JSON schemas"

# The Python package: a wheel that carries the library, and one that uses the installed one. Built offline, from a copy.
export PYTHONDONTWRITEBYTECODE=1
here=$PWD
wheel() { # FOLDER ORRERY_LIBRARY: installs the wheel there
    rm -rf "$root/bindings" && cp -r bindings/python "$root/bindings" && rm -rf "$root/bindings/build"
    ORRERY_LIBRARY=$2 /usr/bin/python3 -m pip install -q --no-index --no-build-isolation --no-deps --no-warn-script-location --root-user-action=ignore \
        --target "$1" "$root/bindings" >"$root/pip.log" 2>&1 || { cat "$root/pip.log"; wrong "pip install"; }
}
asks() { # FOLDER VARIABLE=VALUE...: checks that the package answers, and prints the library that it uses
    (cd / && env -i PATH=/usr/bin:/bin PYTHONPATH="$1" "${@:2}" /usr/bin/python3 -c 'import orrery, sys
plan = orrery.load(sys.argv[1]).analyze(release="2.27.7", hosts=2)
assert plan.ranks == 4 and plan.document["nccl"] == "2.27.7"
print(orrery._native._place)' "$here/$two") 2>"$root/said" || { cat "$root/said"; wrong "the package of $1"; }
}
real=$(readlink -f "$installed"/liborrery.so.0.2)
wheel "$root/carrying" "$real"
[ "$(asks "$root/carrying")" = "$root/carrying/orrery/_lib/liborrery.so" ] || wrong "the wheel does not use its library"
grep -qx 'Tag: py3-none-linux_.*' "$root"/carrying/orrery-*.dist-info/WHEEL || wrong "the tag of the wheel with a library"
wheel "$root/plain" none
[ -e "$root/plain/orrery/_lib" ] && wrong "a library in the wheel without one"
grep -qx 'Tag: py3-none-any' "$root"/plain/orrery-*.dist-info/WHEEL || wrong "the tag of the wheel without a library"
[ "$(asks "$root/plain" LD_LIBRARY_PATH="$installed")" = liborrery.so.0.2 ] || wrong "the installed library is not used"
env -i PATH=/usr/bin:/bin PYTHONPATH="$root/plain" /usr/bin/python3 -c 'import orrery; orrery.releases()' 2>"$root/said" && wrong "no library is there, and it works"
contains "$(cat "$root/said")" 'liborrery was not found. Install the package liborrery0.2'
ok "Python: a wheel with the library, and one that uses the installed library"
if command -v ip >/dev/null && unshare -rn true 2>/dev/null; then offline="unshare -rn sh -c 'ip link set lo up && exec \"\$@\"' -"; else offline=""; fi
said=$(eval "$offline" env PYTHONPATH="$root/carrying" ORRERY_PROGRAM="$orrery" /usr/bin/python3 tests/tools/check_notebook.py 2>"$root/log") || { cat "$root/log"; wrong "the notebook: $said"; }
ok "the notebook examples/python/orrery.ipynb: $said"

# cmake --install into another prefix.
cmake --install "$build" --prefix "$root/other" --component program >/dev/null || wrong "cmake --install"
[ -e "$root/other/include" ] && wrong "the program's component holds the header"
mkdir "$root/home"
serves "$root/other/bin/orrery"
ok "cmake --install into another prefix"
