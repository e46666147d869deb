# SPDX-License-Identifier: Apache-2.0
# usage: ./dev bench [ARGUMENT...] | bench library | bench start [RUNS] | bench attacks | bench fleet [HOSTS] | bench page [DUMP]
# Measures every stage for every machine, requests a second beside bare libmicrohttpd, scores of sets of GPUs, MB of log read a second.
# library: what Python adds to an analysis in C. start: how long the command takes to start, beside `true`. attacks: what another client notices of each attack on the service, and the memory it takes. fleet: uploads, lists, searches, groups, gates, clusters, restart and retention with many hosts (tests/bench/fleet.py --help). page: how soon the page shows its verdict, how it pans, what moves, by the browser's own clock and trace.
need build run bench && build release || exit 1
case "${1:-}" in
attacks) shift && exec python3 tests/bench/attacks.py "$@" ;;
page) shift && need page && npm_packages && ORRERY=$PWD/build/orrery exec node tests/browser/measure.mjs "$@" ;;
fleet) shift && exec python3 tests/bench/fleet.py "$@" ;;
start) shift && exec python3 tests/bench/start.py "$@" ;;
library) exec python3 tests/bench/what_ifs.py ;;
esac
exec python3 tests/bench/bench.py "$@"
