#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 Tests the portable archive on a system without added packages: check_archive.sh
# ARCHIVE LOG, in an empty folder. Prints "ok: ..." for each thing that holds.
set -u
wrong() { echo "wrong: $*"; exit 1; }
tar xzf "$1" && cd orrery-*/ || wrong "the archive"
orrery=$PWD/bin/orrery example=$PWD/share/orrery/static/examples/h100-with-faults.xml
for file in bin/orrery libexec/orrery/orrery-service lib/orrery/*.so* lib/orrery/graphviz/*.so*; do
    missing=$(ldd "$file" 2>&1 | grep -E 'not found' ) && wrong "$file: $missing"
    ldd "$file" | awk -v here="$PWD/" '$3 ~ /^\// && index($3, here) != 1 { print $3 }' |
        grep -vE '/(libc|libm|libdl|libpthread|librt|libresolv|libutil)\.so' && wrong "$file loads libraries of the system"
done
ok="every library but glibc comes along"
echo "ok: $ok"
said=$("$orrery" show "$example") && grep -q '^Verdict' <<<"$said" || wrong "show: $said"
echo "ok: show"
for format in svg png pdf; do
    "$orrery" render --hosts 2 --format $format --output drawing.$format "$example" 2>said && [ -s drawing.$format ] || wrong "render $format: $(cat said)"
done
grep -q "<svg" drawing.svg || wrong "the SVG"
grep -aq PNG drawing.png || wrong "the PNG"
grep -aq FontFile drawing.pdf || wrong "the PDF has no fonts"
echo "ok: render as SVG, PNG and PDF, with fonts"
"$orrery" check-log --machine hgx-h100 "$2" >said 2>&1
[ $? -le 3 ] && [ -s said ] && ! grep -q 'error' said || wrong "check-log: $(cat said)"
echo "ok: check-log"
mkdir -p home
HOME=$PWD/home "$orrery" serve --listen 127.0.0.1:0 --quiet >address 2>log &
service=$!
until [ -s address ] || ! kill -0 $service 2>/dev/null; do sleep 0.1; done
port=$(sed -n 's/^listening on .*:\([0-9]*\)$/\1/p' address)
get() { # PATH: with the shell alone, because there is no curl
    exec 3<>"/dev/tcp/127.0.0.1/$port" || return 1
    printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$1" >&3
    cat <&3
}
get / | grep -aq '<title>Orrery' || wrong "the page: $(cat log)"
get /docs/ | grep -aq '<title>' || wrong "the documentation"
post() { # PATH FILE
    exec 3<>"/dev/tcp/127.0.0.1/$port" || return 1
    printf 'POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: %s\r\n\r\n' "$1" "$(wc -c <"$2")" >&3
    cat "$2" >&3
    cat <&3
}
post '/v1/render?format=svg' "$example" >said
head -1 said | grep -aq ' 200 ' && grep -aq '<svg' said && grep -aq '</svg>' said || wrong "a drawing by the service: $(head -c 500 said)"
kill -TERM $service && wait $service || wrong "the service does not end well: $(cat log)"
echo "ok: serve, with the page, the documentation and a drawing"
