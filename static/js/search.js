// SPDX-License-Identifier: Apache-2.0
/* Finds devices by what people know about them: bus id, rank, mlx5_N, GUID, id. Pure functions. */
import { busId, joined, parseId, shortName, typeOf } from "./model.js";
import { placeOf } from "./source.js";

/** Entries to search: [{id, name, text}]. lines and devices: of the dump, if it is loaded; they hold names and
 * GUIDs. */
export const entries = (model, lines = [], devices = new Map()) =>
    [...model.nodes.values()]
        .filter((node) => typeOf(node.id) !== "DEV")
        .map((node) => {
            const { type, local } = parseId(node.id),
                place = placeOf(devices, node.id);
            const said = place ? lines.slice(place.line - 1, place.last).join(" ") : "",
                named = /<net[^>]*\bname="([^"]*)"/.exec(said)?.[1] ?? "",
                guid = /\bguid="([^"]*)"/.exec(said)?.[1] ?? "";
            const bus = ["GPU", "PCI", "NIC"].includes(type) ? busId(local) : "",
                rank = node.rank === undefined ? "" : `rank ${node.rank}`,
                name = shortName(model, node.id);
            return {
                id: node.id,
                name,
                about: joined(", ", [bus, rank, named, guid]),
                text: joined("\n", [
                    ...[node.id, name, bus, bus && `0000:${bus}`],
                    ...[rank && `${rank} rank:${node.rank}`, named, guid, node.asic],
                ]).toLowerCase(),
            };
        });

/** The entries that contain every word, best first: entries that begin with the words, or equal them, come before those
 * that merely contain them. */
export function find(list, wanted, most = 12) {
    const text = wanted.trim().toLowerCase(),
        words = text.split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    const score = (entry) => {
        const lines = entry.text.split("\n");
        return lines.includes(text)
            ? 0
            : lines.some((line) => line.startsWith(text))
              ? 1
              : entry.name.toLowerCase().includes(text)
                ? 2
                : 3;
    };
    return list
        .filter((entry) => words.every((word) => entry.text.includes(word)))
        .map((entry) => ({ entry, score: score(entry) }))
        .sort(
            (a, b) =>
                a.score - b.score ||
                ORDER.indexOf(typeOf(a.entry.id)) - ORDER.indexOf(typeOf(b.entry.id)),
        )
        .slice(0, most)
        .map(({ entry }) => entry);
}

const ORDER = ["GPU", "NET", "NIC", "CPU", "PCI", "NVS"];
