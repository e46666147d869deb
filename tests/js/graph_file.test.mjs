// SPDX-License-Identifier: Apache-2.0
/* A graph file after a dump, as the service takes both. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { graphCount, isGraphFile, withGraphs, withoutGraphs } from "../../static/js/graph_file.js";

const DUMP = '<system version="1">\n</system>\n',
    FIRST = '<graphs version="1">\n1\n</graphs>\n',
    SECOND = '<!-- kept -->\n<graphs version="1">\n2\n</graphs>\n';

test("a graph file is known by its first element", () => {
    assert.deepEqual([FIRST, SECOND, `<?xml version="1.0"?>\n${FIRST}`].map(isGraphFile), [
        true,
        true,
        true,
    ]);
    assert.deepEqual(
        [DUMP, `${DUMP}${FIRST}`, "allreduce,0,1,ring", "", "<graphs2/>"].map(isGraphFile),
        [false, false, false, false, false],
    );
});

test("a file takes the place of the one before, and leaves the dump as it was", () => {
    const first = withGraphs(DUMP, FIRST),
        second = withGraphs(first, SECOND);
    assert.equal(first, DUMP + FIRST);
    assert.equal(second, DUMP + SECOND.slice(SECOND.indexOf("<graphs")));
    assert.equal(withoutGraphs(second), DUMP);
    assert.equal(withoutGraphs(DUMP), DUMP);
});

test("graphs are counted in words", () => {
    assert.deepEqual([1, 2].map(graphCount), ["1 graph", "2 graphs"]);
});
