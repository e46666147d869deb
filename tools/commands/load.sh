# SPDX-License-Identifier: Apache-2.0
# usage: ./dev load [SECONDS]
# Measures 64 keep-alive clients for five minutes: cached analyses, new dumps, drawings; latencies and memory.
need build run bench && build release && exec python3 tests/bench/load.py "$@"
