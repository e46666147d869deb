// SPDX-License-Identifier: Apache-2.0
/* Comparisons of two dumps, and of a set: what the service's answer means on the pictures and in tables. Pure
 * functions. */
import { joined } from "./model.js";
import { findChange, marksOf } from "./compare.js";

/** "hardware.2" -> {section, row}, "paths.0" -> as findChange(); row and change null if a section is meant. */
export function findRow(pair, text) {
    const [section, at] = text.split(".");
    if (section === "hardware" || section === "numbering")
        return {
            section,
            row: (at !== undefined && pair?.[section].rows[at]) || null,
            change: null,
        };
    return { row: null, ...findChange(pair, text) };
}

/** Which device of b plays the role of a device of a: Map of ids. */
export const roles = (pair) => new Map(pair.match.filter(([a, b]) => a && b));

/* Marks of one row of hardware on the picture of a side, "a" or "b". */
function marksOfRow(row, side) {
    const device = row[`device_${side}`]?.node,
        other = row[`other_${side}`]?.node,
        mine = [device, other].filter(Boolean);
    const alone =
        (row.what === "missing" && side === "a") || (row.what === "added" && side === "b");
    return {
        devices: alone ? [] : mine,
        only: alone ? mine : [],
        links:
            row.what === "nvlinks" && device
                ? [other, nvswitch()].map((end) => [device, end, "NVL"])
                : [],
    };
}
/* All NVSwitches count as one, whatever the device. */
const nvswitch = () => "NVS/0-0";

/** The marks on a side's picture: {links, devices, only}; only: devices that this side alone has. chosen: of findRow(),
 * or null for everything. */
export function marksOfPair(model, pair, chosen, side) {
    const to = side === "b" ? roles(pair) : null,
        name = (id) => (to ? (to.get(id) ?? id) : id),
        links = [],
        devices = new Set(),
        only = new Set();
    const take = (row) => {
        const marks = marksOfRow(row, side);
        links.push(...marks.links);
        marks.devices.forEach((id) => devices.add(id));
        marks.only.forEach((id) => only.add(id));
    };
    if (!chosen)
        // links with another bandwidth show it best
        links.push(
            ...marksOf(model, pair, { section: "system", change: null }).links.map(
                ([from, end, type]) => [name(from), name(end), type],
            ),
        );
    const whole = !chosen?.row && !chosen?.change;
    if (chosen?.row) take(chosen.row);
    else if (whole && (!chosen || chosen.section === "hardware")) pair.hardware.rows.forEach(take);
    if (whole)
        for (const [a, b] of pair.match) if (side === "a" ? !b : !a) only.add(side === "a" ? a : b);
    if (
        chosen?.change ||
        (chosen && whole && chosen.section !== "hardware" && chosen.section !== "numbering")
    ) {
        const marks = marksOf(model, pair, chosen);
        links.push(...marks.links.map(([from, end, type]) => [name(from), name(end), type]));
        marks.devices.forEach((id) => devices.add(name(id)));
    }
    return { links, devices: [...devices].filter((id) => !only.has(id)), only: [...only] };
}

/** A row of hardware in words: {device, other, text, a, b}. */
export function rowText(row) {
    const a = row.device_a?.name,
        b = row.device_b?.name,
        device = a ?? b ?? "–";
    const inside = joined(", ", [
        row.gpus > 1 && `${row.gpus} GPUs`,
        row.nets > 1 && `${row.nets} ports`,
    ]);
    const text = row.what === "nvlinks" ? `NVLinks to ${row.other_a?.name ?? "?"}` : row.text;
    const values = {
        missing: ["there", "missing"],
        added: ["missing", "there"],
        moved: [`below ${row.other_a?.name}`, `below ${row.other_b?.name}`],
    }[row.what] ?? [row.a ?? "–", row.b ?? "–"];
    return {
        device,
        other: a && b && a !== b ? b : "",
        text: inside ? `${text}, with ${inside}` : text,
        a: values[0],
        b: values[1],
    };
}

/** The name of a side. */
export const calledText = (side) => side.name || side.topology.slice(0, 12);

/** The set that a text names, as parameters of the service: "label:rack=7", "q:h100" or ids with commas between. */
export function setQuery(text) {
    const query = new URLSearchParams(),
        [, kind, rest] = /^(label|q):(.*)$/s.exec(text) ?? [];
    if (kind) query.append(kind, rest);
    else
        text.split(",")
            .filter(Boolean)
            .forEach((id) => query.append("topology", id));
    return query;
}

/** A set in words. */
export function setText(text) {
    const [, kind, rest] = /^(label|q):(.*)$/s.exec(text) ?? [];
    return kind === "label"
        ? `All with the label ${rest}`
        : kind === "q"
          ? `All matches of “${rest}”`
          : `${text.split(",").filter(Boolean).length} chosen dumps`;
}

/** Rows of the comparison for a spreadsheet. */
export function pairRows(pair) {
    const told = (kind) =>
        pair[kind].rows.map((row) => {
            const said = rowText(row);
            return [kind, said.device, said.other, said.text, said.a, said.b];
        });
    return [
        ["kind", "device", "device of b", "what", calledText(pair.a), calledText(pair.b)],
        ...told("hardware"),
        ...told("numbering"),
    ];
}
