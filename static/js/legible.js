// SPDX-License-Identifier: Apache-2.0
/* Short texts for drawings that are shown small: what a tile or link says in brief, and in which size. Pure
 * functions. */

export const LEAST = 8.6; // pixels that a drawing's own text needs to be readable
export const SMALL = 0.5; // pixels a unit, below which links say nothing
const WANTED = 10.5,
    GOOD = 9,
    POOR = 7.5,
    WIDTH = 0.6; // pixels; the width of a character against its height

const BUS_ID = /\s*\b([0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]\b/;
const SHORTER = { "PCIe switch": "PCIe", NVSwitch: "NVS" };

/** What a tile of some lines may say instead, longest first: ["GPU 0 · rank 0", "12:00.0"] -> ["GPU 0 · rank 0 ·
 * 12:00.0", "GPU 0 · rank 0", "GPU 0", "0"]. type: the class of the device. less: without bus ids and whatever else
 * follows the name. */
export function briefNames(lines, type = "", less = false) {
    if (type === "station") {
        // "60 hosts alike, 7…125", "▼ Host 5: slowest"
        const own = lines[0].replace(/( hosts) alike.*|: .*/, "$1");
        return [
            lines.join(" · "),
            lines[0],
            own,
            own.replace(/^(\d+) hosts/, "$1×").replace(/(Host|Tray) /, ""),
        ];
    }
    // a line of its own where each tray numbers its GPUs from 0: the rank is the name
    const rank = lines.find((line) => /^rank \d+$/.test(line));
    const plain =
        rank ??
        (lines[0].split(" · ")[0].replace(BUS_ID, "").replace("NUMA node", "NUMA") ||
            (type === "pci" ? "PCIe" : ""));
    const shortest =
        SHORTER[plain] ?? /^(?:GPU|NET|GIN|NUMA|rank) (\d+)$/.exec(plain)?.[1] ?? plain;
    // the same places for all, so that equal tiles say the same
    return [...(less ? [] : [lines.join(" · "), lines[0]]), plain, shortest];
}

/** A link's text in brief: "Gen4 x16 · 24 GB/s" -> "24"; with its kind if there is room, "NVL 722 GB/s" -> "NVL
 * 722". */
export const briefLink = (text, kinds) =>
    kinds
        ? text.replace(" GB/s", "")
        : text.replace(/^.*?([\d.∞]+) GB\/s/, (_, figure) =>
              /^\W/.test(text) ? `${text[0]} ${figure}` : figure,
          );

const sizeOf = (text, { w, h }, scale, own) =>
    Math.min(Math.max(own, WANTED / scale), h * 0.86, (w * 0.94) / (WIDTH * text.length));

/** Texts for tiles of one kind [{names, box: {w, h}, own}] at this many pixels per unit: all say as much as all have
 * room for, [{text, size}]; null if nothing can be read. */
export function fitting(tiles, scale) {
    const most = Math.max(0, ...tiles.map((tile) => tile.names.length)),
        pixels = (tile, i) =>
            tile.names[i] ? sizeOf(tile.names[i], tile.box, scale, tile.own) * scale : 0;
    const all = (least) =>
        Array.from({ length: most }, (_, i) => i).find((i) =>
            tiles.every((tile) => pixels(tile, i) >= least),
        );
    const common = all(GOOD) ?? all(POOR);
    return tiles.map((tile) => {
        const i = common ?? tile.names.length - 1;
        return pixels(tile, i) >= POOR
            ? { text: tile.names[i], size: pixels(tile, i) / scale }
            : null;
    });
}
