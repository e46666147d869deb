# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# `./dev test`: the parts of the suite, how each is run, and the totals.

# How a part of the suite is run. A piece uses one core at most, and side_by_side() fills the cores with pieces, the longest first; unit and fuzz are
# one run of ctest, which fills the cores by itself. answers are the checks that compare whole answers and make thousands of them: the release
# build runs them in a third of the time, and `./dev soak` more of them under the sanitizers.
# part      pieces                        reports presets     packages
parts="
unit        unit                        ctest   dev         unit
fuzz        fuzz                        ctest   dev         -
browser     browser-1,browser-2,browser-3 node    release     page
answers     answers                     ctest   release     -
http        http,memory-1,memory-2      pytest  dev,release http
conformance conformance,shared          lines   release     -
property    property-1,property-2       lines   dev,release -
package     package                     lines   package     package
readme      readme                      lines   release     -
js          js                          node    -           page"
all_parts() { awk 'NF { print $1 }' <<<"$parts"; }
# column PART N: its words, none for "-"
column() { awk -v part="$1" -v n="$2" '$1 == part && $n != "-" { gsub(",", " ", $n); print $n }' <<<"$parts"; }
# report_of PIECE
report_of() { awk -v piece="$1" 'index("," $2 ",", "," piece ",") { print $3 }' <<<"$parts"; }
# Files of http that run under the sanitizers, because their subject is memory: every route and every command, with good and with hostile input;
# what is refused, fails or is cut off in the middle. The others compare answers, which the release build gives in a fifth of the time; `./dev soak`
# asks those of the sanitized program too.
sanitized=" openapi uncompared hostile attacks limits refusals recovery faults streams service log_mutations "
# http_files YES|NO: those of this list, or the others
http_files() {
    local file name
    for file in tests/http/test_*.py; do
        name=${file#tests/http/test_} name=${name%.py}
        case "$sanitized" in *" $name "*) [ "$1" = NO ] || echo "$file" ;; *) [ "$1" = YES ] || echo "$file" ;; esac
    done
}
# Targets that the suite needs of a build; empty means all. The programs of unit tests run in build-dev alone.
targets_of() { [ "$1" != release ] || echo suite; }
# Seconds of one core, or of waiting if that is longer, for the longest files of browser and of http under the sanitizers; others count as 5.
lengths="
http/attacks 45   http/openapi 30   http/faults 35      http/limits 20      http/uncompared 12  http/service 10     http/log_mutations 12
browser/everywhere 37  browser/opening 22     browser/clusters 35     browser/twelve 32       browser/inputs 27       browser/verdict 26
browser/why 18       browser/perf 18        browser/export 18       browser/log 17          browser/bandwidth 17    browser/figures 16
browser/steady 16    browser/rack 16        browser/page 15         browser/compare 15      browser/library 14      browser/differences 14
browser/tasks 13     browser/scenes 13      browser/settings 13     browser/glance 11       browser/transfers 10    browser/explore 10
browser/hosts 9      browser/fleet 8        browser/source 8        browser/design 7        browser/machine_picker 7  browser/channels 6
"
# share N I FILE...: the Ith of N shares that take about the same time. The longest file is dealt first, each to the shortest share so far.
share() {
    printf '%s\n' "${@:3}" | awk -v lengths="$lengths" 'BEGIN { n = split(lengths, w); for (i = 1; i < n; i += 2) of[w[i]] = w[i + 1] }
        { key = $0; sub(/^tests\//, "", key); sub(/\/test_/, "/", key); sub(/(\.test\.mjs|\.py)$/, "", key); print key in of ? of[key] : 5, $0 }' |
        sort -k1,1nr -k2 | awk -v n="$1" -v i="$2" '{ least = 1; for (s = 2; s <= n; s++) if (sum[s] < sum[least]) least = s
            sum[least] += $1; if (least == i) print $2 }'
}
# http_tests BUILD FILE...
http_tests() { ORRERY=$1/orrery /usr/bin/python3 -m pytest -q -rs -p no:cacheprovider "${@:2}"; }
# run_node ARGUMENT...: its own test runner, which Debian 12 and Ubuntu 24.04 are the first to have
run_node() {
    if node --test-reporter=tap -e 0 2>/dev/null; then
        node --test --test-reporter=tap "$@"
    else
        printf 'ok 1 # SKIP these tests, because Node 18 or newer is not installed\n# skipped 1\n'
    fi
}
# browser_tests LOG FILE...: a file with a failure runs once more, alone, and reports to LOG.again: on a busy machine a page answers in an order
# that no test foresaw, about once in 20,000 checks. A test that fails twice has failed; one that passes the second time is named as unsteady and must be mended.
browser_tests() {
    local log=$1 again
    shift
    ORRERY=$PWD/build/orrery run_node --test-concurrency=1 "$@" && return 0
    again=$(python3 tests/tools/tap.py files "$log")
    # shellcheck disable=SC2086 # file names without spaces
    ORRERY=$PWD/build/orrery run_node --test-concurrency=1 $again >"$log.again" 2>&1
}
# piece NAME LOG: runs it; its output goes to LOG.
piece() {
    local start=$SECONDS
    # shellcheck disable=SC2046
    case "$1" in
    unit) ctest --test-dir build-dev --output-on-failure --output-junit "$PWD/$2.xml" "-j$jobs" --label-exclude 'fuzz|answers' ;;
    fuzz) ctest --test-dir build-dev --output-on-failure --output-junit "$PWD/$2.xml" "-j$jobs" --label-regex fuzz ;;
    answers) ctest --test-dir build --output-on-failure --output-junit "$PWD/$2.xml" -j1 --label-regex answers ;;
    property-1) properties build-dev 1 34 --releases 3 ;; # in three releases each: all 34 of them come up three times
    property-2) properties build 35 136 --releases 3 ;;   # the release build takes a fourteenth of the time
    conformance) python3 tests/conformance/check.py --jobs 1 --every 2 ;; # without --every, it takes all
    shared) if [ -d ../shared/conformance ]; then regressions && compare --jobs 1 --every 12 --beyond-ours; else
        echo "skipped: the larger set of reference cases, because ../shared is not beside this checkout"; fi ;;
    http) http_tests build $(http_files NO) ;;
    memory-*) http_tests build-dev $(share 2 "${1#*-}" $(http_files YES)) ;;
    js) run_node tests/js/*.test.mjs ;;
    browser-*) browser_tests "$2" $(share 3 "${1#*-}" tests/browser/*.test.mjs) ;;
    package) tests/tools/check_package.sh ;;
    readme) tests/tools/check_readme.sh ;;
    esac >"$2" 2>&1
    echo "$? $((SECONDS - start))" >"$2.status"
}

# what_failed NAME LOG: the tests that failed and their output, as the end of a log tells of those that ran last.
what_failed() {
    case "$(report_of "$1")" in
    ctest) awk '/^ *[0-9]+\/[0-9]+ Test +#/ { shown = /\*\*\*/ } /^ +Start +[0-9]+:/ { shown = 0 } /^The following tests/ { shown = 1 } shown' "$2" ;;
    node) python3 tests/tools/tap.py failures "$2"; [ ! -f "$2.again" ] || python3 tests/tools/tap.py failures "$2.again"; tail -n 8 "$2" ;;
    *) cat "$2" ;;
    esac
}

# finish NAME: the line of a piece that ended, its output if it failed, and the totals.
finish() {
    local log=$work/$1 rc seconds good bad left tally source
    read -r rc seconds <"$log.status"
    source=$log
    [ "$(report_of "$1")" != ctest ] || source=$log.xml
    tally=$(python3 tests/tools/tally.py "$(report_of "$1")" "$rc" "$source") || tally="0 1 0"
    read -r good bad left <<<"$tally"
    passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + left))
    [ "$bad" -eq 0 ] || { printf -- '--- %s fails; the end of its output:\n' "$1"; what_failed "$1" "$log" | tail -n 200; printf -- '---\n'; }
    printf '%-13s %6d passed, %d failed, %d skipped  (%s s)\n' "$1" "$good" "$bad" "$left" "$seconds"
    sed -n '2,$s/^/    /p' <<<"$tally"
}

# side_by_side PIECE...: $jobs at once, one more than there are cores, because browsers and databases wait. Each is a group of processes of its
# own, which ends with this script.
side_by_side() {
    local name ended
    declare -A running=()
    # shellcheck disable=SC2154
    trap 'for id in "${!running[@]}"; do kill -TERM -- "-$id" 2>/dev/null; done; exit 130' INT TERM
    for name in "$@" ""; do
        while [ ${#running[@]} -ge "$jobs" ] || { [ -z "$name" ] && [ ${#running[@]} -gt 0 ]; }; do
            wait -n -p ended "${!running[@]}"
            finish "${running[$ended]}"
            unset "running[$ended]"
        done
        [ -n "$name" ] || break
        set -m
        piece "$name" "$work/$name" </dev/null &
        set +m
        running[$!]=$name
    done
    trap - INT TERM
}

# Temporary files go into memory if it has room: made-up machines have 100,000 files, and databases wait for the disk. No test is about a
# machine that loses power. Other users (of PostgreSQL, and nobody) get into the folder.
in_memory() {
    [ "$(df --output=avail -BM /dev/shm 2>/dev/null | tr -dc '0-9\n' | tail -n 1)0" -ge 40000 ] || return 0
    TMPDIR=$(mktemp -d /dev/shm/orrery-test-XXXXXX) && chmod 1777 "$TMPDIR" && export TMPDIR
    # shellcheck disable=SC2064 # that folder, whatever the name means later
    trap "rm -rf '$TMPDIR'" EXIT
}

run_tests() {
    local part preset presets="" kinds="build run" pieces="" chosen=${*:-$(all_parts)}
    for part in $chosen; do
        [ -n "$(column "$part" 2)" ] || die "no part named $part; parts are: $(all_parts | xargs)"
        presets="$presets $(column "$part" 4)" kinds="$kinds $(column "$part" 5)"
    done
    # shellcheck disable=SC2086
    need $kinds
    # shellcheck disable=SC2086
    for preset in $(printf '%s\n' $presets | sort -u); do targets=$(targets_of "$preset") build "$preset"; done
    passed=0 failed=0 skipped=0 jobs=${ORR_TEST_JOBS:-$(($(nproc) + 1))}
    work=build-test
    rm -rf $work && mkdir $work
    in_memory
    for part in $chosen; do
        case "$part" in
        browser) npm_packages || die "the browser's driver cannot be installed (npm ci in tests/browser)" ;;&
        unit | fuzz) piece "$part" "$work/$part" </dev/null; finish "$part" ;;
        *) pieces="$pieces $(column "$part" 2)" ;;
        esac
    done
    # shellcheck disable=SC2086
    side_by_side $pieces
    printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
