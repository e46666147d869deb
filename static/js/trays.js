// SPDX-License-Identifier: Apache-2.0
/* The matrix of a machine of many trays, summarised: what all pairs between two trays have in common. Pure
 * functions. */
import { cell, parseId } from "./model.js";

/** From this many columns on a matrix is summarised by tray at first. */
export const MANY_COLUMNS = 40;

/** The trays of a machine: [{system, name, gpus, nets}] in order; one if it is one host. name: "Tray 3", ranks:
 * "12–15". */
export function trays(model) {
    const rows = new Map(),
        of = (node) =>
            rows.get(parseId(node.id).system) ??
            rows
                .set(parseId(node.id).system, {
                    system: parseId(node.id).system,
                    gpus: [],
                    nets: [],
                })
                .get(parseId(node.id).system);
    for (const node of model.gpus) of(node).gpus.push(node);
    for (const node of model.nets) of(node).nets.push(node);
    return [...rows.values()]
        .sort((a, b) => parseInt(a.system, 16) - parseInt(b.system, 16))
        .map((row, i) => ({ ...row, name: `Tray ${i}`, ranks: ranksOf(row.gpus) }));
}

const ranksOf = (gpus) =>
    gpus.length ? `${gpus[0].rank ?? "–"}–${gpus.at(-1).rank ?? "–"}` : "no GPU";

/** The common text of pairs of GPUs and other devices: {text, kind, label, mixed}. A pair of a device with itself does
 * not count. */
export function together(model, from, to, mode) {
    const counts = new Map();
    for (const a of from)
        for (const b of to) {
            if (a.id === b.id) continue;
            const one = cell(model, a.id, b.id, mode),
                key = `${one.text} ${one.kind}`,
                row = counts.get(key) ?? { ...one, count: 0 };
            row.count++;
            counts.set(key, row);
        }
    const rows = [...counts.values()].sort((a, b) => b.count - a.count),
        all = rows.reduce((sum, row) => sum + row.count, 0);
    if (!rows.length) return { text: "", kind: "", label: "no pair", mixed: false };
    const [most] = rows,
        texts = [...new Set(rows.map((row) => row.text || "·"))],
        names = rows.map((row) => `${row.count} of ${all}: ${row.label}`).join("; ");
    return {
        text: texts.length < 3 ? texts.join(" ") : `${texts[0]} +${texts.length - 1}`,
        kind: most.kind,
        label: rows.length === 1 ? `all ${all} pairs: ${most.label}` : names,
        mixed: rows.length > 1,
    };
}

/** The pair of trays that a state names, such as "3,5"; null if there is none. */
export function chosenTrays(all, text) {
    const [a, b] = /^\d+,\d+$/.test(text) ? text.split(",").map(Number) : [];
    return all[a] && all[b] ? [all[a], all[b]] : null;
}
