# SPDX-License-Identifier: Apache-2.0
# usage: ./dev help [COMMAND]
# Lists the commands, or tells everything about one.
about() { sed -n '/^#/!q; /^# SPDX-/d; s/^# \{0,1\}//p' "tools/commands/$1.sh"; }
if [ $# -gt 0 ]; then
    [ -f "tools/commands/$1.sh" ] || die "no command named $1"
    about "$1"
else
    printf 'usage: ./dev COMMAND [ARGUMENT...]     ./dev help COMMAND says more\n'
    for group in "run build test fmt lint" "conformance fuzz portability rules soak tsan" "bench load readers stopwatch" "pictures shots" "archive packages help"; do
        echo
        for name in $group; do printf '  %-12s %s\n' "$name" "$(about "$name" | sed -n 2p)"; done
    done
    printf '\nMissing Debian packages are installed first, by sudo if you are not root.\n'
fi
