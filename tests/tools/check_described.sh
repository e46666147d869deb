#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 The manual pages and the completions for zsh and fish have every command and every
# option: check_described.sh ORRERY BUILD Shells and mandoc check them if they are installed; skipped checks are named.
set -u
written=$2/server/deploy/written
wrong() { echo "wrong: $*"; exit 1; }
there() { command -v "$1" >/dev/null || { echo "skipped: $2, because $1 is not installed"; return 1; }; }
commands=$("$1" --help | sed -n 's/^  \([a-z][a-z-]*\)  *[a-z].*/\1/p' | grep -v orrery)
[ "$(wc -l <<<"$commands")" -ge 5 ] || wrong "commands: $commands"
zsh_offers() { # WORD...: what the function gives to zsh for the last
    zsh -f -c 'compdef() { }; _files() { }; compadd() { print -rl -- "$@"; }; _arguments() { print -rl -- "$@"; }
        source "$1"; words=("${@:2}"); CURRENT=$#words; _orrery' - "$written/orrery.zsh" "$@"
}
fish_offers() { fish -N -c 'source $argv[1]; complete -C $argv[2]' "$written/orrery.fish" "$1" | cut -f1; }
if there zsh "completion for zsh"; then has_zsh=yes; else has_zsh=""; fi
if there fish "completion for fish"; then has_fish=yes; else has_fish=""; fi
count=0
for command in $commands; do
    page=$(gzip -dc "$written/man1/orrery-$command.1.gz") || wrong "no page for $command"
    options=$("$1" "$command" --help | grep -oE '^  --[a-z-]+' | tr -d ' ')
    [ -z "$has_zsh" ] || zsh=$(zsh_offers orrery "$command" "") || wrong "zsh: $command"
    [ -z "$has_fish" ] || fish=$(fish_offers "orrery $command --")
    for option in $options; do
        grep -qF -- "\\fB${option//-/\\-}\\fR" <<<"$page" || wrong "$command $option is not in its page"
        [ -z "$has_zsh" ] || grep -qE -- "^\*${option}[=[]" <<<"$zsh" || wrong "zsh: $command $option: $zsh"
        [ -z "$has_fish" ] || grep -qx -- "$option=\?" <<<"$fish" || wrong "fish: $command $option: $fish"
        count=$((count + 1))
    done
done
[ "$count" -gt 50 ] || wrong "only $count options"
[ -z "$has_zsh" ] || grep -q 'render' <<<"$(zsh_offers orrery "")" || wrong "zsh offers no commands"
[ -z "$has_zsh" ] || zsh_offers orrery render "" | grep -q '^\*--view=.*:(.*ring.*)$' || wrong "zsh: views"
[ -z "$has_fish" ] || [ "$(fish_offers "orrery render --view ri")" = "ring" ] || wrong "fish: views: $(fish_offers "orrery render --view ri")"
if there mandoc "faults of the pages"; then
    for page in "$written"/man1/*.gz "$2/library/liborrery.3.gz"; do
        said=$(gzip -dc "$page" | mandoc -T lint -W warning) || wrong "$page: $said"
    done
fi
echo "ok: $(wc -l <<<"$commands") pages and the completions have all $count options"
