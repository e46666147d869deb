#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 Runs README's first command in a clone, as a new user does: ./dev run builds and
# serves. Asks for the page, an analysis and a drawing, then ends the service.
set -u
cd "$(dirname "$0")/../.." || exit 2
log=$(mktemp)
./dev run --listen 127.0.0.1:0 >"$log" 2>&1 &
service=$!
trap 'kill $service 2>/dev/null; rm -f "$log" "$log".*' EXIT
wrong() { tail -n 30 "$log"; echo "wrong: $*"; exit 1; }
until address=$(sed -n 's/^listening on //p' "$log") && [ -n "$address" ]; do
    kill -0 $service 2>/dev/null || wrong "./dev run ends"
    sleep 1
done
asks() { # PATTERN PATH [CURL-OPTION...]
    curl -fsS -m 60 "${@:3}" "$address$2" >"$log.answer" && grep -qi -- "$1" "$log.answer" || wrong "no $1 in the answer of $2"
}
dump=(--data-binary @static/examples/h100-nvswitch.xml)
asks '<title>Orrery' /
asks '<title>' /docs/
asks '"graphs"' /v1/analyze "${dump[@]}"
asks '<svg' '/v1/render?view=system&format=svg' "${dump[@]}"
asks PNG '/v1/render?view=ring&format=png' "${dump[@]}"
kill -TERM $service && wait $service || wrong "the service does not end well"
echo "ok: ./dev run builds and serves the page, the documentation, an analysis and drawings"
