// SPDX-License-Identifier: Apache-2.0
/* Colours as people with the three common kinds of colour blindness see them: coloured information is legible, and
 * never shown by colour alone. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { VERDICTS } from "../../static/js/bandwidth.js";
import { TONES } from "../../static/js/tones.js";

const css = readFileSync(new URL("../../static/css/tokens.css", import.meta.url), "utf8");
const themes = {
    light: /\[data-theme="light"\] \{([^}]*)\}/,
    dark: /\[data-theme="dark"\] \{([^}]*)\}/,
};
const colours = (theme) =>
    Object.fromEntries(
        [...themes[theme].exec(css)[1].matchAll(/--([A-Za-z0-9-]+): (#[0-9a-f]{6})/g)].map(
            ([, name, hex]) => [
                name,
                [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255),
            ],
        ),
    );

/* Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB. */
const SEEN = {
    "full vision": [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
    ],
    protanopia: [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    deuteranopia: [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    tritanopia: [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
};
const linear = (rgb) =>
    rgb.map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
const seenAs = (rgb, kind) =>
    SEEN[kind].map((row) =>
        Math.min(
            1,
            Math.max(
                0,
                row.reduce((sum, factor, i) => sum + factor * linear(rgb)[i], 0),
            ),
        ),
    ); // linear still
const luminance = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
};
function lab([r, g, b]) {
    const f = (value) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116);
    const [x, y, z] = [
        (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
    ].map(f);
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
const difference = (a, b) => Math.hypot(...lab(a).map((value, i) => value - lab(b)[i]));

for (const theme of Object.keys(themes))
    for (const kind of Object.keys(SEEN))
        test(`${theme}, ${kind}: text and marks stand out from the ground, good from fault and limited`, () => {
            const rows = colours(theme),
                see = (name) => seenAs(rows[name], kind);
            for (const name of ["ink", "muted", "accent", "bad", "warn"])
                for (const ground of ["bg", "raised"])
                    assert.ok(
                        contrast(see(name), see(ground)) >= 4.5,
                        `${name} on ${ground}: ${contrast(see(name), see(ground)).toFixed(2)}`,
                    );
            for (const name of [
                "yes",
                "part",
                "no",
                "strong",
                "NVL",
                "NVB",
                "C2C",
                "PCI",
                "PIX",
                "PXB",
                "P2C",
                "PXN",
                "PHB",
                "SYS",
                "NET",
            ])
                assert.ok(
                    contrast(see(name), see("bg")) >= 3,
                    `${name}: ${contrast(see(name), see("bg")).toFixed(2)}`,
                );
            for (const [a, b] of [
                ["yes", "bad"],
                ["yes", "warn"],
                ["yes", "no"],
                ["yes", "part"],
                ["NVL", "SYS"],
                ["NVL", "PHB"],
                ["PIX", "SYS"],
            ])
                assert.ok(
                    difference(see(a), see(b)) >= 20,
                    `${a} and ${b}: ${difference(see(a), see(b)).toFixed(1)}`,
                );
        });

test("nothing is said by colour alone: every tone and verdict has a mark and a word of its own", () => {
    for (const rows of [
        Object.values(TONES),
        Object.entries(VERDICTS).map(([word, [mark]]) => [mark, word]),
    ]) {
        assert.equal(new Set(rows.map(([mark]) => mark)).size, rows.length);
        assert.equal(new Set(rows.map(([, word]) => word)).size, rows.length);
        assert.ok(rows.every(([mark, word]) => mark && word));
    }
});
