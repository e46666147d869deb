#!/usr/bin/env bash
# Who may include whom (ARCHITECTURE.md). Prints each offending line and fails; ctest runs it as `layers`.
# Arguments: another root to check (the check checks itself on a wrong tree that way).
set -u
cd "${1:-$(dirname "$0")/../..}" || exit 2
bad=0

forbid() { # why, pattern, folder or file...
    local why=$1 pattern=$2 hits; shift 2
    hits=$(grep -rnE --include='*.[ch]' "$pattern" "$@" 2>/dev/null) || return 0
    printf '%s\n%s\n' "$why:" "$hits"
    bad=1
}

include='^[[:space:]]*#[[:space:]]*include[[:space:]]*'
forbid "engine/ includes api/, server/, cli/, library/ or its header" "$include[\"<](api|server|cli|library|include|orrery)/" engine
forbid "api/ includes server/, cli/, library/ or its header" "$include[\"<](server|cli|library|include|orrery)/" api
forbid "server/ includes cli/, library/ or its header" "$include[\"<](cli|library|include|orrery)/" server
forbid "library/ includes server/ or cli/" "$include\"(server|cli)/" library
forbid "cli/ includes library/ or its header" "$include[\"<](library|include|orrery)/" cli
# Users have the header alone.
forbid "include/ includes another header of Orrery" "$include\"" include
# No look-ahead in grep -E: every name that is not serve.h.
forbid "cli/ includes another header of server/ than serve.h" "$include\"server/([^s]|s[^e]|se[^r]|ser[^v]|serv[^e]|serve[^.])" cli
# What cli and server share with the handlers of api: its own interface, never the handlers' insides.
forbid "cli/ or server/ includes the insides of the handlers" "$include\"api/(http/(call|params|problem)|documents/(json|sections|stream_text))\.h" cli server
forbid "only server/ knows libmicrohttpd" "$include[<\"]microhttpd" engine api cli library

outside=$(find engine api server cli library include -name '*.[ch]' -not -path 'engine/diagram/*')
# shellcheck disable=SC2086  file names here have no blanks
forbid "only engine/diagram knows Graphviz" "$include[<\"]graphviz" $outside
outside=$(find engine api server cli library include -name '*.[ch]' -not -path 'api/documents/*')
# shellcheck disable=SC2086
forbid "only api/documents knows jansson" "$include[<\"]jansson" $outside
outside=$(find engine api server cli library include -name '*.[ch]' -not -path 'api/store/*')
# shellcheck disable=SC2086
forbid "only api/store knows SQLite and libpq" "$include[<\"](sqlite3|libpq)" $outside

outside=$(find engine api server cli library include -name '*.[ch]' -not -path 'engine/release/*')
# shellcheck disable=SC2086
forbid "only engine/release looks at versions; others ask for a behaviour" "ORR_VERSION\(|release(s\[[^]]*\])?(->|\.)version" $outside

# Rooms from the ground up; each uses those before it. whatif, findings and diagram do not use one another; compare
# uses whatif and findings.
rooms="base release log_messages dump topology log_reading hardware machines nics paths decide search connect tuning analysis cluster trials"
above="log_comparing log_machine nccltests expect triage whatif findings diagnosis compare explain report detect input diagram orrery"
for room in $rooms; do
    later=$(printf '%s' "${rooms#*"$room"} $above" | xargs | tr ' ' '|')
    [ -d "engine/$room" ] && forbid "engine/$room includes a room above it" "$include\"engine/($later)[/.]" "engine/$room"
done
forbid "detect uses another room than base, release, dump, topology, hardware and nics" "$include\"engine/(paths|decide|search|connect|tuning|analysis|$(printf '%s' "$above" | sed 's/detect//' | xargs | tr ' ' '|'))/" engine/detect
forbid "findings or diagram uses detect" "$include\"engine/detect/" engine/findings engine/diagram
outside=$(find engine api server cli library include -name '*.[ch]' -not -path 'engine/detect/*')
# shellcheck disable=SC2086
forbid "only engine/detect knows libarchive and loads libraries" "$include[<\"](archive|dlfcn)" $outside
forbid "log_messages uses another room than base" "$include\"engine/[^bl]" engine/log_messages
[ -d engine/log_comparing ] && forbid "log_comparing uses a room above it" "$include\"engine/(log_machine|triage|findings|whatif|compare|explain|diagram|input|detect)/" engine/log_comparing
[ -d engine/log_machine ] && forbid "log_machine uses a room above it" "$include\"engine/(triage|findings|whatif|compare|explain|diagram|perf)/" engine/log_machine
[ -d engine/input ] && forbid "input uses a room above it" "$include\"engine/(log_comparing|log_machine|triage|findings|whatif|compare|explain|diagram|perf)/" engine/input
[ -d engine/nccltests ] && forbid "nccltests uses a room above log_reading" "$include\"engine/(log_comparing|log_machine|triage|findings|whatif|diagnosis|compare|explain|diagram|input|detect)/" engine/nccltests
[ -d engine/expect ] && forbid "expect uses a room above nccltests" "$include\"engine/(triage|findings|whatif|diagnosis|compare|explain|diagram|input|detect)/" engine/expect
[ -d engine/triage ] && forbid "triage uses a room above log_comparing" "$include\"engine/(findings|whatif|compare|explain|diagram|input|detect)/" engine/triage
[ -d engine/report ] && forbid "report uses compare, detect, input or diagram" "$include\"engine/(compare|detect|input|diagram)/" engine/report
forbid "findings uses diagram" "$include\"engine/(diagram|compare)/" engine/findings
forbid "diagram uses findings" "$include\"engine/(findings|compare)/" engine/diagram
[ -d engine/whatif ] && forbid "whatif uses findings, compare or diagram" "$include\"engine/(findings|compare|diagram)/" engine/whatif
[ -d engine/compare ] && forbid "compare uses diagram" "$include\"engine/diagram/" engine/compare

# The shared folder is for tests and tools alone.
hits=$(grep -rnE --include='*' '(\.\./|/work/)shared' engine api server cli library include bindings static CMakeLists.txt CMakePresets.json Dockerfile 2>/dev/null |
    grep -v node_modules) && { printf 'only tests may point to the shared folder:\n%s\n' "$hits"; bad=1; }
[ -d engine/base ] && [ -d api ] && [ -d server ] && [ -d cli ] && [ -d library ] || { echo "not the root of Orrery: $PWD"; exit 2; }
exit $bad
