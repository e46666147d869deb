# SPDX-License-Identifier: Apache-2.0
"""Calibrates engine/perf/bands_table.c on the published results of ../shared/bandwidth, and measures by leaving one
source out how well the bands judge results that they do not know.

    check_bands.py                          compares with the table, prints verdicts by source (ctest `bands`)
    ORR_UPDATE_GOLDEN=1 check_bands.py      also writes the table and tests/golden/perf_verdicts.md

tests/golden/perf_questions.csv says how each result is asked about, who published it and whether it calibrates. The
verdicts of a left-out source come from judge() below, which repeats engine/perf/bands.c and rows.c; that both agree is
checked on all results with all sources. Without ../shared the check is skipped (exit status 77)."""
import collections
import csv
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RESULTS = os.path.join(ROOT, "..", "shared", "bandwidth")
TABLE = os.path.join(ROOT, "engine", "perf", "bands_table.c")
VERDICTS = os.path.join(ROOT, "tests", "golden", "perf_verdicts.md")
MARGINS = [0, 0.15, 0.08, 0.04]
RELATIONS = [((1, 1, 1), 0), ((1, 1, 0), 0.05), ((0, 1, 1), 0.1), ((1, 0, 0), 0.1), ((0, 0, 0), 0.15)]
LOW, HIGH, EXPECTED, CANNOT = "low", "high", "as expected", "cannot judge"


def size_range(size):
    found = -1
    while found + 1 < 6 and size >> 20 >> 2 * (found + 1):
        found += 1
    return found


def ask(orrery, name, question):
    done = subprocess.run(
        [orrery, "check-perf", "--json", *question.split(), os.path.join(RESULTS, name + ".txt")],
        capture_output=True,
        text=True,
    )
    if done.returncode not in (0, 3, 4):
        sys.exit(f"{name}: status {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def points(document):
    """(key, measured / predicted) of each row that can be judged."""
    for table in document["tables"]:
        for row in table["rows"]:
            if row["expected"] and row["busbw"] is not None and row["busbw"] >= 0 and size_range(row["size"]) >= 0:
                yield (
                    (table["network"], table["generation"], row["algorithm"], row["protocol"], size_range(row["size"])),
                    row["busbw"] / row["expected"],
                )


def calibrate(results, without=None):
    gathered = collections.defaultdict(list)
    for result in results:
        if result["calibrates"] == "yes" and result["source"] != without:
            for key, ratio in points(result["document"]):
                gathered[key].append((ratio, result["result"], result["source"]))
    return {
        key: (
            min(r for r, _, _ in rows),
            max(r for r, _, _ in rows),
            len({n for _, n, _ in rows}),
            len({s for _, _, s in rows}),
        )
        for key, rows in gathered.items()
    }


def band(bands, key):
    for (generation, algorithm, protocol), margin in RELATIONS:
        rows = [
            row
            for other, row in bands.items()
            if other[0] == key[0]
            and other[4] == key[4]
            and (not generation or other[1] == key[1])
            and (not algorithm or other[2] == key[2])
            and (not protocol or other[3] == key[3])
        ]
        sources = max((row[3] for row in rows), default=0)
        if sources >= (2 if margin else 1):
            more = MARGINS[min(sources, 3)] + margin
            return (
                min(r[0] for r in rows) * (1 - more),
                max(r[1] for r in rows) * (1 + more + (0 if margin else MARGINS[min(sources, 3)])),
                sources,
                margin > 0 or sources < 2,
            )
    return (None, None, (0.15, 2, 0, True), (0.15, 2, 0, True), (0.5, 1.6, 0, True), (0.5, 1.6, 0, True))[key[4]]


def judge(bands, table):
    rows = []
    for row in table["rows"]:
        verdict, sources, wide = CANNOT, 0, True
        if row["expected"] and row["busbw"] is not None and row["busbw"] >= 0 and size_range(row["size"]) >= 0:
            limits = band(
                bands,
                (table["network"], table["generation"], row["algorithm"], row["protocol"], size_range(row["size"])),
            )
            if limits:
                sources, wide = limits[2], limits[3]
                verdict = (
                    LOW
                    if row["busbw"] < limits[0] * row["expected"]
                    else HIGH
                    if row["busbw"] > limits[1] * row["expected"]
                    else EXPECTED
                )
        rows.append((row["size"], verdict, sources, wide))
    judged = [row for row in rows if row[1] != CANNOT]
    if not judged:
        return CANNOT
    largest = max(row[0] for row in judged)
    top = [row[1] for row in judged if row[0] >= largest // 4]
    if 2 * top.count(LOW) > len(top):
        return LOW
    if 2 * top.count(HIGH) > len(top):
        return HIGH
    run = 0
    for row in rows:
        run = run + 1 if row[1] == LOW and not row[3] and row[2] >= 2 and size_range(row[0]) >= 3 else 0
        if run == 3:
            return LOW
    return EXPECTED


def verdict_of(bands, document):
    """The worst of a document's tables, as engine/perf/perf.c ranks them."""
    worst = [CANNOT, EXPECTED, HIGH, LOW]
    return max((judge(bands, table) for table in document["tables"]), key=worst.index)


def write_table(bands):
    out = [
        "/* Written by tests/tools/check_bands.py from published results; do not edit. */",
        '#include "engine/perf/bands.h"',
        "",
        "const struct orr_band_row orr_band_rows[] = {",
    ]
    for key in sorted(bands):
        low, high, results, sources = bands[key]
        out.append(
            f'    {{ORR_PERF_LINK_{key[0].upper().replace("-", "_")}, {key[1]}, "{key[2]}", "{key[3]}", {key[4]}, '
            f"{low:.3f}, {high:.3f}, {results}, {sources}}},"
        )
    out += ["};", "const size_t orr_band_row_count = sizeof orr_band_rows / sizeof orr_band_rows[0];", ""]
    return "\n".join(out)


def figures(text):
    return re.findall(r'ORR_PERF_LINK_\w+, \d+, "\w+", "\w+", \d, [\d.]+, [\d.]+, \d+, \d+', text)


def main():
    if not os.path.isdir(RESULTS):
        print("skipped: bands of published results, because ../shared is not beside this checkout")
        return 77
    orrery = os.environ.get("ORRERY", os.path.join(ROOT, "build", "orrery"))
    index = {row["name"]: row for row in json.load(open(os.path.join(RESULTS, "INDEX.json"), encoding="utf-8"))}
    with open(os.path.join(ROOT, "tests", "golden", "perf_questions.csv"), encoding="utf-8", newline="") as file:
        results = list(csv.DictReader(file))
    for result in results:
        result["document"] = ask(orrery, result["result"], result["question"])
        result["says"] = index[result["result"]].get("verdict", "")
    bands = calibrate(results)
    text = write_table(bands)
    update = os.environ.get("ORR_UPDATE_GOLDEN")
    bad = 0
    if update:
        open(TABLE, "w", encoding="utf-8").write(text)
    elif figures(text) != figures(re.sub(r"\s+", " ", open(TABLE, encoding="utf-8").read())):
        print("engine/perf/bands_table.c is not what the results give; ORR_UPDATE_GOLDEN=1 writes it")
        bad += 1
    out = ["| result | source | its owner says | verdict | without its source | rows |", "|---|---|---|---|---|---|"]
    by_source = collections.defaultdict(lambda: collections.Counter())
    for result in results:
        document = result["document"]
        without = verdict_of(calibrate(results, result["source"]), document)
        twin = verdict_of(bands, document)
        if (
            twin != document["verdict"]
            and not update
            and document["machine"]
            and document["machine"]["source"] != "guessed"
        ):
            print(f'{result["result"]}: the program says {document["verdict"]}, judge() {twin}')
            bad += 1
        count = sum(len(table["rows"]) for table in document["tables"])
        by_source[result["source"]][(result["says"], without)] += 1
        out.append(f'| {result["result"]} | {result["source"]} | {result["says"]} | {twin} | {without} | {count} |')
    total = collections.Counter()
    for source, counts in sorted(by_source.items()):
        total.update(counts)
        print(
            source
            + ": "
            + ", ".join(f'{says or "no word"} -> {verdict}: {n}' for (says, verdict), n in sorted(counts.items()))
        )
    low = sum(n for (says, _), n in total.items() if says == "low")
    flagged = total[("low", LOW)]
    ok = sum(n for (says, _), n in total.items() if says == "ok")
    false = total[("ok", LOW)]
    print(
        f"left one source out: {flagged} of {low} low results are called low, {total[('low', EXPECTED)]} as expected; "
        f"{false} of {ok} good results are called low"
    )
    bad += flagged < 0.9 * low or total[("low", EXPECTED)] > 0 or false > 0.05 * ok
    golden = "\n".join(out) + "\n"
    if update:
        open(VERDICTS, "w", encoding="utf-8").write(golden)
    elif golden != open(VERDICTS, encoding="utf-8").read():
        print("tests/golden/perf_verdicts.md is not what comes out; ORR_UPDATE_GOLDEN=1 writes it")
        bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
