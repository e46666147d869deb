// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { byMinor, readReleases, releaseLabel } from "../../static/js/views/settings.js";

const release = (name, more = {}) => ({
    release: name,
    behaves_alike: [],
    shipped_with: [],
    verified: true,
    ...more,
});

test("releases say which is the default and which tags behave alike", () => {
    const rows = readReleases({
        default: "2.27.7",
        releases: [release("2.30.7"), release("2.27.7", { behaves_alike: ["2.27.6"] })],
    });
    assert.deepEqual(rows, [
        { name: "2.30.7", standard: false, alike: [], shipped: [], compared: true },
        { name: "2.27.7", standard: true, alike: ["2.27.6"], shipped: [], compared: true },
    ]);
    assert.deepEqual(readReleases({}), [], "no answer");
});

test("the choice names the tags that behave alike and the frameworks that bring the release", () => {
    const wheel = { framework: "PyTorch", version: "2.12", build: "CUDA 12", nccl: "2.29.3" };
    const [row, plain, rough] = readReleases({
        default: "2.28.9",
        releases: [
            release("2.29.2", { behaves_alike: ["2.29.3"], shipped_with: [wheel] }),
            release("2.28.9"),
            release("2.28.7", { verified: false }),
        ],
    });
    assert.equal(releaseLabel(rough), "2.28.7 – not compared");
    assert.equal(releaseLabel(row), "2.29.2 (also 2.29.3) – PyTorch 2.12 (CUDA 12)");
    assert.equal(releaseLabel(plain), "2.28.9");
});

test("releases are grouped by minor release, in their order", () => {
    const rows = readReleases({
        default: "2.28.9",
        releases: ["2.28.9", "2.28.7", "2.27.7"].map((name) => release(name)),
    });
    assert.deepEqual(
        byMinor(rows).map(([minor, group]) => [minor, group.map((row) => row.name)]),
        [
            ["2.28", ["2.28.9", "2.28.7"]],
            ["2.27", ["2.27.7"]],
        ],
    );
});
