// SPDX-License-Identifier: Apache-2.0
/* What this browser opened recently, newest first. Only ids and names are kept, in this browser. */
import { read, write } from "./kept.js";

const KEY = "recent",
    MOST = 6;

/** [{id, name, sentence, machine}]. */
export function recent() {
    try {
        const rows = JSON.parse(read(KEY) ?? "[]");
        return Array.isArray(rows)
            ? rows.filter((row) => /^[0-9a-f]{8,}$/.test(row?.id)).slice(0, MOST)
            : [];
    } catch {
        return [];
    }
}

const keep = (rows) => write(KEY, JSON.stringify(rows.slice(0, MOST)));

/** The machine that is open now comes first. */
export const remember = ({ id, name, sentence, machine }) =>
    keep([
        { id, name: name ?? "", sentence: sentence ?? "", machine: machine || undefined },
        ...recent().filter((row) => row.id !== id),
    ]);
/** Removes an entry that the service no longer has. */
export const forget = (id) => keep(recent().filter((row) => row.id !== id));
