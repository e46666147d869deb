import assert from "node:assert/strict";
import test from "node:test";
import { readReleases } from "../../static/js/views/settings.js";

test("releases say which is the default and which are not verified", () => {
    const rows = readReleases({ default: "2.27.7", releases: [{ release: "2.30.7", verified: true }, { release: "2.28.9", verified: false }, { release: "2.27.7", verified: true }] });
    assert.deepEqual(rows, [
        { name: "2.30.7", standard: false, verified: true }, { name: "2.28.9", standard: false, verified: false }, { name: "2.27.7", standard: true, verified: true }]);
});

test("a list of names says nothing against them", () => {
    assert.deepEqual(readReleases(["2.27.7"]), [{ name: "2.27.7", standard: true, verified: true }]);
});
