// SPDX-License-Identifier: Apache-2.0
/* The search of the documentation. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { CHAPTERS, PARTS } from "../../static/js/why.js";

// theme.js asks the browser when it is loaded
globalThis.matchMedia = () => ({ matches: false, addEventListener() {} });
const { search, sectionsOf } = await import("../../static/js/docs.js");

const element = (tagName, textContent, id) => ({ tagName, textContent, id });
const page = {
    children: [
        element("H1", "Paths", "paths"),
        element("P", "NCCL computes\n  paths."),
        element("H2", "Path types", "path-types"),
        element("P", "PIX crosses one PCIe switch."),
        element("DIV", "PXB crosses several."),
    ],
};
const sections = sectionsOf(page, "NCCL: paths", "nccl/paths.html");

test("a section is a heading with the text up to the next one", () => {
    assert.deepEqual(
        sections.map((section) => [section.address, section.heading, section.text]),
        [
            ["nccl/paths.html", "", ""],
            ["nccl/paths.html#paths", "Paths", "NCCL computes paths."],
            [
                "nccl/paths.html#path-types",
                "Path types",
                "PIX crosses one PCIe switch. PXB crosses several.",
            ],
        ],
    );
});

test("sections that have every word are found, in any case and order", () => {
    assert.deepEqual(
        search(sections, "pcie CROSSES").map((row) => row.heading),
        ["Path types"],
    );
    assert.deepEqual(search(sections, "pcie nowhere"), []);
    assert.deepEqual(search(sections, "  "), []);
});

test("words in a heading come first, and an excerpt shows the first word", () => {
    const long = {
        title: "T",
        address: "t",
        heading: "Other",
        text: `${"x ".repeat(200)}needle ${"y ".repeat(200)}`,
    };
    const found = search(
        [long, { title: "T", address: "u", heading: "Needle", text: "no more" }],
        "needle",
    );
    assert.deepEqual(
        found.map((row) => row.address),
        ["u", "t"],
    );
    assert.match(found[1].excerpt, /^….*needle.*…$/);
    assert.ok(found[1].excerpt.length < 200);
});

test("every decision has a chapter", () =>
    assert.deepEqual(Object.keys(CHAPTERS).sort(), Object.keys(PARTS).sort()));

test("the guide to the page lists every key that views listen to", () => {
    const guide = readFileSync(new URL("../../docs/guides/page.md", import.meta.url), "utf8");
    const source = readFileSync(new URL("../../static/js/keys.js", import.meta.url), "utf8");
    const keys = [
        ...source.matchAll(/(?:^|[{,]) *(?:([a-z])|"(.)"): (?:\(\) =>|actions\.|")/gm),
    ].map((found) => found.slice(1).find(Boolean));
    assert.ok(keys.length > 23, keys.join());
    for (const key of [...keys, "Esc", "?"])
        assert.ok(guide.includes(`\`${key}\``), `docs/guides/page.md does not name ${key}`);
});
