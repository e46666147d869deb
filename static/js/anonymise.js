// SPDX-License-Identifier: Apache-2.0
/* Replaces what names a machine, the same everywhere: host names, GUIDs, hashes, ids of dumps. The service says which
 * parts of the dump are such names (engine/input/anonymise.c); the keys of the answers are known here. Bus ids, device
 * names such as mlx5_0 and models stay, since every answer rests on them. Pure functions. */

/* Keys of the answers that hold such names, and what replaces them. */
const HELD = {
    asic: "0xcc",
    topology: "dump-",
    sha256: "sum-",
    uuid: "uuid-",
    serial: "serial-",
    hostname: "host-",
    host: "host-",
    nodename: "host-",
};
const SHORTEST = 4; // a shorter text, such as 0x0, identifies nothing and would be found everywhere

/** A replacer that knows the service's list ({from, to} rows) and has learned from an answer and a summary; any of them
 * may be missing. */
export function anonymiser({ replaced = [], doc = null, summary = null }) {
    const known = new Map(replaced.map(({ from, to }) => [from, to])),
        counts = new Map();
    const learn = (value, kind) => {
        const text = String(value ?? "");
        if (text.length < SHORTEST || known.has(text) || /^0x[0-9a-f]{0,8}$/i.test(text)) return;
        const prefix = HELD[kind] ?? "x-",
            count = (counts.get(prefix) ?? 0) + 1;
        counts.set(prefix, count);
        known.set(
            text,
            prefix.startsWith("0x")
                ? `${prefix}${count.toString(16).padStart(4, "0")}`
                : `${prefix}${count}`,
        );
    };
    walk(doc, (key, value) => key in HELD && learn(value, key));
    if (summary) {
        learn(summary.id, "topology");
        learn(summary.sha256, "sha256");
        learn(summary.name, "hostname");
        for (const value of Object.values(summary.labels ?? {})) learn(value, "host");
    }
    const secrets = [...known.keys()].sort((a, b) => b.length - a.length);
    const pattern = secrets.length
        ? new RegExp(`(?<![\\w.])(?:${secrets.map(escape).join("|")})(?![\\w])`, "g")
        : null;
    return (text) => (pattern ? text.replace(pattern, (found) => known.get(found)) : text);
}

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/* Texts and numbers of the given keys anywhere in an answer. */
function walk(value, see) {
    if (!value || typeof value !== "object") return;
    for (const [key, inner] of Object.entries(value))
        if (inner && typeof inner === "object") walk(inner, see);
        else if (typeof inner === "string") see(key, inner);
}
