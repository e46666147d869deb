// SPDX-License-Identifier: Apache-2.0
/* The prediction in NCCL's own lines, against logs of the machine. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import test from "node:test";
import { index } from "../../static/js/model.js";
import { asLogged, placeInTree } from "../../static/js/nccl_log.js";

const root = new URL("../../", import.meta.url).pathname,
    orrery = process.env.ORRERY ?? `${root}build/orrery`;

for (const release of ["2.27.7", "2.30.7"])
    test(`the lines of ${release} are those that the log has, for every rank of the first host`, () => {
        const doc = JSON.parse(
            execFileSync(
                orrery,
                [
                    "analyze",
                    "--json",
                    "--release",
                    release,
                    "--hosts",
                    "2",
                    "static/examples/workstation-2gpu.xml",
                ],
                { cwd: root, maxBuffer: 1 << 26 },
            ),
        );
        const log = readFileSync(`${root}tests/data/logs/workstation-${release}-2h.log`, "utf8"),
            model = index(doc);
        for (const rank of [0, 1]) {
            const said = new Set(
                log
                    .split("\n")
                    .filter((line) => line.startsWith(`node1:100${rank}:`))
                    .map((line) => line.replace(/^.*NCCL INFO /, "").trimEnd()),
            );
            const lines = asLogged(model, rank);
            assert.ok(lines.length > 8);
            for (const line of lines.filter((one) => !/coll channels/.test(one)))
                assert.ok(said.has(line.trimEnd()), `rank ${rank}: ${line}`);
        }
    });

test("a rank's place in a tree", () => {
    const tree = { up: [-1, 0, 0], down: [[1, 2, -1], [], [-1, -1, -1]] };
    assert.equal(placeInTree(tree, 0), "1/2/-1->0->-1");
    assert.equal(placeInTree(tree, 1), "-1/-1/-1->1->0");
});
