# SPDX-License-Identifier: Apache-2.0
# usage: ./dev soak [SECONDS [N]]
# Runs mixed requests against the sanitised daemon for 60 s, then thousands of random inputs and kills.
# The daemon's errors and memory are watched. Then come N new random machines through every release (2000 by default, about 0.3 s each), as many clusters
# against their twin, a tenth as many folders of random machines, detected, against theirs, 500 logs broken in one thing, results of 1 GB, place
# against brute force, the search against a plain one on 500 N small machines, the tests of http under the sanitizers, the page's tests with late answers on
# a slow machine, and last a thousand kills of writers and a hundred of servers, on both databases.
count=${2:-2000} now=$(date +%s)
need build run unit http page && build dev release || exit 1
export PYTHONDONTWRITEBYTECODE=1

mixed_requests() { python3 tests/tools/soak.py "$1"; }
random_machines() { properties build-dev "${now}000" "$count"; }
every_fault() { python3 tests/tools/check_faults.py && python3 tests/tools/check_faults.py --assumed && python3 tests/tools/check_gate.py && python3 tests/tools/check_explanations.py --cases 300; }
large_results() { ORRERY=$PWD/build/orrery python3 tests/tools/check_large_results.py; }
plain_search() { # nine of ten machines have at most 3 GPUs: a core compares about 240 of them a second, and 90 of the others
    same() { build/tests/same_search --seed "$now$1" --count "$((count * $2))" --most "$3"; }
    same 000000 250 3 &
    same 500000 200 3 && same 900000 50 6 && wait $!
}
choices_of_gpus() {
    # shellcheck disable=SC2046 # file names without spaces
    build/tests/check_place --random "$((count / 10))" --seed "$now" static/examples/*.xml $(find -L ../shared/topologies/machines -name '*.xml' 2>/dev/null) &&
        build/tests/check_limit --random "$((count / 2))" --seed "$now" static/examples/*.xml
}
twins() {
    python3 tests/cluster/twin_check.py --orrery build-dev/orrery --seed "$now" --count "$count" &&
        python3 tests/detect/twin_check.py --seed "$now" --count "$((count / 10))"
}
shared_files() { python3 tests/tools/check_inputs.py && python3 tests/tools/check_pairs.py && python3 tests/tools/check_logs.py; }
broken_logs() { /usr/bin/python3 tests/tools/mutate_log.py 500 "$now"; }
sanitized_answers() { # what ./dev test asks of the release build
    . tools/suite.sh
    # shellcheck disable=SC2046 # file names without spaces
    http_tests build-dev $(http_files NO)
}
slow_page() { (export ORRERY_SLOW=4 ORRERY_ALL=1 ORRERY=$PWD/build/orrery && npm_packages && node --test --test-concurrency=1 tests/browser/*.test.mjs); }
every_allocation() { ORR_TEST_ALLOCATIONS=all build-dev/tests/test_api_allocation; }
kills() { # more of what ./dev test does a hundred times
    ORR_TEST_KILLS=1000 build-dev/tests/test_api_store_kill &&
        ORR_TEST_KILLS=1000 python3 tests/support/postgresql.py build-dev/tests/test_api_store_kill &&
        ORR_TEST_KILLS=100 /usr/bin/python3 -m pytest -q -p no:cacheprovider tests/http/test_database.py -k killed
}

export ORRERY=$PWD/build-dev/orrery
mixed_requests "${1:-60}" && random_machines && every_fault && large_results && plain_search && choices_of_gpus && twins && shared_files && broken_logs && every_allocation && sanitized_answers && slow_page && kills
