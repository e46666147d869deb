# SPDX-License-Identifier: Apache-2.0
# usage: ./dev fuzz [SECONDS [TARGET...]] | fuzz keep
# Runs libFuzzer on inputs of every kind, each target for 60 s by default.
# Targets are analysis (dumps), json (bodies), api (requests), log, results (of nccl-tests), input (every kind) and detect (gathered archives). They start with
# our own seeds and with those of ../shared. What they learn stays in build-fuzz/corpus. keep minimises what was learnt from
# our own seeds into tests/fuzz/corpus, which `./dev test fuzz` replays.

# fuzz_one TARGET SECONDS CORPUS SEEDS: one job, bounded in time and memory; crashes are left in build-fuzz/found.
fuzz_one() {
    local target=$1 corpus=build-fuzz/corpus/$3/$1 found=build-fuzz/found/$1
    mkdir -p "$corpus" "$found"
    say "fuzzing $target for $2 s with the seeds of $4"
    ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 nice -n 15 "build-fuzz/fuzz/fuzz_$target" -fork=1 \
        -dict="build-fuzz/$target.dict" -max_len=16384 -timeout=25 -rss_limit_mb=2048 -max_total_time="$2" \
        -artifact_prefix="$found/" "$corpus" "$4" "tests/fuzz/corpus/$target" "tests/fuzz/cases/$target"
}

# keep_one TARGET: the fewest inputs that reach every branch that any reaches.
keep_one() {
    local kept=build-fuzz/kept/$1
    rm -rf "$kept" && mkdir -p "$kept"
    "build-fuzz/fuzz/fuzz_$1" -set_cover_merge=1 -use_counters=0 -max_len=16384 -timeout=25 "$kept" "tests/fuzz/corpus/$1" "build-fuzz/corpus/own/$1" || return 1
    rm -f "tests/fuzz/corpus/$1"/*
    cp "$kept"/* "tests/fuzz/corpus/$1/"
}

seconds=${1:-60} status=0
[ $# = 0 ] || shift
[ $# -gt 0 ] || set -- analysis json api log results input detect
need build fuzz
build fuzz
if [ "$seconds" = keep ]; then
    for target in "$@"; do keep_one "$target" || exit 1; done
    exit 0
fi
rm -rf build-fuzz/seeds build-fuzz/seeds-shared
python3 tests/fuzz/make_seeds.py build-fuzz/seeds
[ ! -d ../shared/topologies ] || python3 tests/fuzz/make_seeds.py build-fuzz/seeds-shared --shared
for target in "$@"; do
    build-fuzz/fuzz/fuzz_dictionary "$target" >"build-fuzz/$target.dict" || exit 1
    fuzz_one "$target" "$seconds" own "build-fuzz/seeds/$target" || status=1
    [ "$target" != analysis ] || [ ! -d build-fuzz/seeds-shared ] || fuzz_one "$target" "$seconds" with-shared "build-fuzz/seeds-shared/$target" || status=1
done
find build-fuzz/found -type f | sed 's/^/dev: found: /' >&2
exit $status
