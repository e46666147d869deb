// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { deviceRows } from "../../static/js/views/device.js";
import { parseWhy } from "../../static/js/why.js";

const doc = {
    device: {
        facts: [
            { name: "symmetricKernels", value: 0, why: "isAllDirectNvlink is 0." },
            { name: "lsaSize", value: 8, why: "" },
            { name: "globalGinSupport", value: "full", why: "", others: [{ rank: 8 }] },
            { name: "ceCollectives", value: null, why: "" },
        ],
    },
};

test("rows of the card say a no with its reason, and leave out what the release lacks", () => {
    const rows = deviceRows(doc);
    assert.deepEqual(
        rows.map(({ label, value, sentence }) => [label, value, sentence]),
        [
            ["Symmetric kernels", "no", "isAllDirectNvlink is 0."],
            ["LSA team", "8 ranks", ""],
            ["GIN", "full, and nodes differ", ""],
        ],
    );
    for (const { why } of rows) assert.ok(parseWhy(why), why);
    assert.deepEqual(deviceRows({}), []);
});
