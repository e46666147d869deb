/* Replaces what names a machine by numbers, the same everywhere: host names, GUIDs, hashes, ids of dumps. Bus ids, device names such as
 * mlx5_0 and models stay, since every answer rests on them. Pure functions. */

/* Attributes of the dump and keys of the answers that hold such names, and what stands for them. */
const HELD = { guid: "0xaa", host_hash: "0xbb", asic: "0xcc", topology: "dump-", sha256: "sum-", uuid: "uuid-", serial: "serial-", hostname: "host-", host: "host-", node: "host-", nodename: "host-" };
const SHORTEST = 4; // what is shorter, such as 0x0, tells nothing and would be found everywhere

/** A replacer that has learned from a dump's text, an answer and a summary; any of them may be missing. */
export function anonymiser({ source = "", doc = null, summary = null }) {
    const known = new Map(), counts = new Map();
    const learn = (value, kind) => {
        const text = String(value ?? "");
        if (text.length < SHORTEST || known.has(text) || /^0x0*$/.test(text))
            return;
        const prefix = HELD[kind] ?? "x-", count = (counts.get(prefix) ?? 0) + 1;
        counts.set(prefix, count);
        known.set(text, prefix.startsWith("0x") ? `${prefix}${count.toString(16).padStart(4, "0")}` : `${prefix}${count}`);
    };
    for (const [, name, double, single] of (source ?? "").matchAll(/\b([a-z_]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi))
        if (name.toLowerCase() in HELD && name.toLowerCase() !== "node")
            learn(double ?? single, name.toLowerCase());
    walk(doc, (key, value) => key in HELD && learn(value, key));
    if (summary) {
        learn(summary.id, "topology");
        learn(summary.sha256, "sha256");
        learn(summary.name, "hostname");
        for (const value of Object.values(summary.labels ?? {}))
            learn(value, "host");
    }
    const secrets = [...known.keys()].sort((a, b) => b.length - a.length);
    const pattern = secrets.length ? new RegExp(`(?<![\\w.])(?:${secrets.map(escape).join("|")})(?![\\w])`, "g") : null;
    return (text) => (pattern ? text.replace(pattern, (found) => known.get(found)) : text);
}

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/* Texts and numbers of the given keys anywhere in an answer. */
function walk(value, see) {
    if (!value || typeof value !== "object")
        return;
    for (const [key, inner] of Object.entries(value))
        if (inner && typeof inner === "object")
            walk(inner, see);
        else if (typeof inner === "string")
            see(key, inner);
}
