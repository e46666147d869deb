# SPDX-License-Identifier: Apache-2.0
# usage: ./dev readers [SECONDS [N]]
# Measures N slow readers (32) of streams of 131072 ranks, and abandoned ones; memory must stay flat (30 s by default).
need build run http && build release && exec python3 tests/bench/slow_readers.py "$@"
