// SPDX-License-Identifier: Apache-2.0
/* The machine types that are offered first for a recognised input. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fitting } from "../../static/js/views/input.js";

const rows = [
    ["a", 8, 8],
    ["b", 8, 4],
    ["c", 4, 4],
    ["d", 16, 8],
    ["e", 2, 1],
].map(([name, gpus, nets]) => ({ name, gpus, nets }));
const names = (machine) => fitting(machine, rows).map((row) => row.name);

test("types with as many GPUs and NIC ports; without NICs the GPUs decide", () => {
    assert.deepEqual(names({ gpus: 8, nets: 8 }), ["a"]);
    assert.deepEqual(names({ gpus: 8, nets: 0 }), ["a", "b"]);
    assert.deepEqual(names({ gpus: 8, nets: 9 }), []);
});

test("nothing recognised, or a list that would be as long as the whole: none", () => {
    assert.deepEqual([names(null), names({ gpus: 0, nets: 4 })], [[], []]);
    assert.deepEqual(fitting({ gpus: 8, nets: 0 }, rows.slice(0, 3)), []);
});
