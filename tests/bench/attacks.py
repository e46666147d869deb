#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attacks on the service (tests/support/attacks.py), with its default limits or those given.

usage: attacks.py [--match TEXT] [OPTION OF orrery serve ...]      `./dev bench attacks`

For each: time until the first refusal, time until all is over, the longest that another client waited for /healthz and
for a small cached analysis, the same for a trivial server beside it, the most resident memory, and how long the
service takes to drain afterwards. Beyond a second of /healthz or cached, or of draining after the grace time, the line
ends in "!".
"""
import argparse
import pathlib
import re
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import attacks  # noqa: E402

GRACE = 2


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--match", default="", help="only attacks whose name holds this")
    args, options = parser.parse_known_args()
    print(
        f"{'attack':<52}{'refused s':>10}{'over s':>8}{'health ms':>11}{'cached ms':>11}"
        f"{'control ms':>11}{'MiB':>7}{'drain s':>9}  statuses"
    )
    for name, attack in attacks.ATTACKS.items():
        if args.match not in name:
            continue
        getattr(attack, "prepare", lambda: None)()
        serve = subprocess.Popen(
            [
                ROOT / "build/orrery",
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--threads",
                "2",
                "--quiet",
                "--database",
                ":memory:",
                "--grace",
                str(GRACE),
                *options,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        port = int(re.search(r":(\d+)\n", serve.stdout.readline())[1])
        target = attacks.Target(port)
        begun = time.monotonic()
        with attacks.Watch(port, serve.pid) as watch:
            statuses = attack(target)
        over = time.monotonic() - begun
        serve.send_signal(signal.SIGTERM)
        begun = time.monotonic()
        serve.wait(60)
        drain = time.monotonic() - begun
        refused = min((seconds for seconds, _, _ in target.refusals), default=None)
        late = max(watch.worst["health"], watch.worst["cached"]) > 1 or drain > GRACE + 1 or watch.failed
        shown = " ".join(f"{s}x{statuses.count(s)}" for s in sorted(set(statuses)))
        print(
            f"{name:<52}{'-' if refused is None else f'{refused:.2f}':>10}{over:>8.2f}"
            + "".join(f"{watch.worst[w] * 1000:>11.1f}" for w in ("health", "cached", "control"))
            + f"{watch.peak:>7.0f}{drain:>9.2f}  {shown}{' !' if late else ''}",
            flush=True,
        )


if __name__ == "__main__":
    main()
