import assert from "node:assert/strict";
import test from "node:test";
import { byMinor, readReleases } from "../../static/js/views/settings.js";

test("releases say which is the default and which tags behave alike", () => {
    const rows = readReleases({ default: "2.27.7", releases: [{ release: "2.30.7" }, { release: "2.27.7", behaves_alike: ["2.27.6"] }] });
    assert.deepEqual(rows, [{ name: "2.30.7", standard: false, alike: [] }, { name: "2.27.7", standard: true, alike: ["2.27.6"] }]);
});

test("a list of names has no others", () => {
    assert.deepEqual(readReleases(["2.27.7"]), [{ name: "2.27.7", standard: true, alike: [] }]);
});

test("releases are grouped by minor release, in their order", () => {
    const rows = readReleases(["2.28.9", "2.28.7", "2.27.7"]);
    assert.deepEqual(byMinor(rows).map(([minor, group]) => [minor, group.map((row) => row.name)]), [["2.28", ["2.28.9", "2.28.7"]], ["2.27", ["2.27.7"]]]);
});
