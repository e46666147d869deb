// SPDX-License-Identifier: Apache-2.0
/* What the views ask about an analysis document: pure functions over one index of it. */
import { waysAt } from "./chart.js";

/** Kinds of paths and links, nearest first, with what they mean. */
export const KINDS = {
    LOC: "the same device",
    NVL: "NVLink only",
    NVB: "NVLink through another GPU",
    C2C: "chip-to-chip link to the CPU",
    PCI: "PCIe link",
    PIX: "at most one PCIe bridge",
    PXB: "several PCIe bridges, not through the CPU",
    P2C: "C2C to the CPU, then its PCIe",
    PXN: "to the NIC through another GPU",
    PHB: "through the CPU's PCIe host bridge",
    SYS: "across the link between NUMA domains",
    NET: "through the network",
    DIS: "not connected",
};
export const PATTERNS = {
    1: "balanced tree",
    2: "split tree",
    3: "tree",
    4: "ring",
    5: "NVLS",
    6: "CollNet direct",
};
export const GRAPH_NAMES = {
    ring: "Ring",
    tree: "Tree",
    collnet: "CollNet",
    collnet_chain: "CollNet chain",
    collnet_direct: "CollNet direct",
    nvls: "NVLS",
};

/** From this on a bandwidth means "not limited". */
const UNLIMITED = 5000;

/** "1 host", "2 hosts". */
export const plural = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

/** What is there of some texts, with a separator between them. */
export const joined = (separator, texts) => texts.filter(Boolean).join(separator);

/** The words of a text, or what it has between the signs "|", as a list. */
export const words = (text) => text.split(text.includes("|") ? "|" : " ");

/** GB/s with at most three significant digits: 721.8 -> "722", 21.6, 0.048, 5000 -> "∞". */
export function bandwidth(value) {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    if (value >= UNLIMITED) return "∞";
    if (value === 0) return "0";
    return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

export const typeOf = (id) => id.slice(0, id.indexOf("/"));

/** "GPU/0-1b000" -> {type, system, local}. */
export function parseId(id) {
    const match = /^([A-Z]+)\/([0-9a-f]+)-([0-9a-f]+)$/.exec(id);
    return match
        ? { type: match[1], system: match[2], local: match[3] }
        : { type: typeOf(id), system: "0", local: "" };
}

/** "1b000" -> "1b:00.0", the domain only if it is not 0. */
export function busId(local) {
    const digits = local.padStart(8, "0");
    const [domain, bus, device, fn] = [
        digits.slice(0, -5),
        digits.slice(-5, -3),
        digits.slice(-3, -1),
        digits.slice(-1),
    ];
    const prefix = /^0*$/.test(domain) ? "" : `${domain.replace(/^0+/, "").padStart(4, "0")}:`;
    return `${prefix}${bus}:${device}.${fn}`;
}

/* NCCL 2.30 counts a physical GPU (DEV) and the rank on it as two nodes with a link between; a picture shows one device
 * where a DEV has a single rank, and so do paths: Map of such DEVs to their GPU. */
function soleRanks(links) {
    const ranks = new Map();
    for (const [from, to] of links)
        if (typeOf(from) === "DEV" && typeOf(to) === "GPU")
            ranks.set(from, ranks.has(from) ? "" : to);
    return new Map([...ranks].filter(([, gpu]) => gpu));
}

export function index(doc) {
    const nodes = new Map((doc.system?.nodes ?? []).map((node) => [node.id, node]));
    const sole = soleRanks(doc.system?.links ?? []),
        shown = (id) => sole.get(id) ?? id;
    const paths = new Map();
    for (const path of doc.paths ?? []) {
        const hops = path.hops
            .map(shown)
            .filter((id, i, all) => id !== (i ? all[i - 1] : path.from));
        paths.set(`${path.from}>${path.to}`, { ...path, hops });
    }
    for (const id of sole.keys()) nodes.delete(id);
    for (const id of new Set((doc.paths ?? []).map((path) => path.from)))
        if (!nodes.has(id)) nodes.set(id, { id, type: typeOf(id) });
    const links = new Map();
    for (const [a, b, type, bw] of doc.system?.links ?? []) {
        const from = shown(a),
            to = shown(b);
        if (from !== to || a === b)
            links.set(`${from}>${to}`, [
                ...(links.get(`${from}>${to}`) ?? []),
                { from, to, type, bw },
            ]);
    }
    const gpus = [...nodes.values()].filter((node) => typeOf(node.id) === "GPU");
    gpus.sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
    const nets = [...nodes.values()].filter((node) => typeOf(node.id) === "NET");
    const systems = new Set(gpus.map((node) => parseId(node.id).system)).size,
        severalSystems = systems > 1;
    const key = (row) => ("a" in row ? `${row.a},${row.b}` : `${row.rank},${row.net}`);
    const by = (rows) => new Map((rows ?? []).map((row) => [key(row), row]));
    const why = doc.explanations ?? {};
    const gdrWhy = new Map((why.gdr ?? []).map((row) => [`${key(row)},${row.direction}`, row]));
    return {
        doc,
        /** @type {any} */
        bar: null, // of costBar(), once the answer about the machine with nothing repaired is there
        nodes,
        paths,
        links,
        gpus,
        nets,
        systems,
        severalSystems,
        shown,
        gpuOfRank: new Map(gpus.map((node) => [node.rank, node.id])),
        p2p: by(doc.p2p),
        gdr: by(doc.gdr),
        p2pWhy: by(why.p2p),
        gdrWhy,
        rules: why.rules ?? {},
        diversions: new Map((why.paths ?? []).map((row) => [`${row.from}>${row.to}`, row.why])),
    };
}

/* A bus id, or a number in the order of the machine for a device whose bus id is made up. */
function place(model, id) {
    const { type, local } = parseId(id);
    if (!model.nodes.get(id)?.id_assumed) return busId(local);
    return [...model.nodes.keys()].filter((one) => typeOf(one) === type).indexOf(id);
}

/* What a device is called by its kind: `at` is its place, `n` its number. */
const called = (type, at, n) =>
    ({
        GPU: `GPU ${at}`,
        DEV: `GPU ${at}`,
        PCI: `PCIe ${at}`,
        NIC: `NIC ${at}`,
        NET: `NET ${n}`,
        CPU: `NUMA ${n}`,
        NVS: "NVSwitch",
    })[type];

/** "GPU 3", "NET 0", "CPU 1": short names as in tables. In a domain, GPUs have a number in each tray, and are called by
 * their ranks. */
export function shortName(model, id) {
    const node = model.nodes.get(id),
        { type, local, system } = parseId(id),
        host = model.severalSystems && ["NET", "CPU"].includes(type) ? ` h${system}` : "";
    if (type === "GPU" && node?.rank !== undefined)
        return `${model.severalSystems ? "Rank" : "GPU"} ${node.rank}`;
    const at = ["GPU", "PCI", "NIC", "DEV"].includes(type) ? place(model, id) : "",
        number = type === "PCI" && node?.id_assumed ? `switch ${at}` : at;
    return called(type, number, `${parseInt(local, 16)}${host}`) ?? id;
}

/** A device of any host, for people: "GPU 19:00.0", "NET 3", "PCIe switch 17:00.0". A rank's number is another on each
 * host. */
export function deviceName(id) {
    const { type, local } = parseId(id),
        at = type === "PCI" ? `switch ${busId(local)}` : busId(local);
    return called(type, at, parseInt(local, 16)) ?? id;
}

/** Facts about a device, [[name, value]]. */
export function deviceFacts(model, id) {
    const node = model.nodes.get(id) ?? {},
        { type, local } = parseId(id);
    const facts = [["Id", id]]; /* the one in addresses and in JSON */
    const add = (name, value) =>
        value !== undefined && value !== null && facts.push([name, String(value)]);
    const yes = (value) => (value === undefined ? undefined : value ? "yes" : "no");
    if (["GPU", "PCI", "NIC"].includes(type))
        add("Bus id", node.id_assumed ? "not known; the one in Id is made up" : busId(local));
    if (type === "GPU") {
        add("Rank", node.rank);
        add("Device", node.dev);
        add(
            "Capability",
            node.sm === undefined ? undefined : `${Math.floor(node.sm / 10)}.${node.sm % 10}`,
        );
        add("GPUDirect RDMA", yes(node.gdr));
    } else if (type === "NET") {
        add("Port", node.port);
        add("Bandwidth, GB/s", node.bw === undefined ? undefined : bandwidth(node.bw));
        add("Latency, µs", node.latency);
        add("GPUDirect RDMA", yes(node.gdr));
        add("CollNet", yes(node.coll));
        add("Max channels", node.max_channels);
    } else if (type === "CPU") {
        add("Architecture", ["", "x86-64", "POWER", "Arm"][node.arch] ?? node.arch);
    }
    return facts;
}

/** The hops of a path, [{from, to, type, bw, narrowest}]. */
export function hops(model, path) {
    let from = path.from;
    const rows = path.hops.map((to) => {
        const link = linkOn(model, from, to, path.bw);
        const row = { from, to, type: link?.type ?? "", bw: link?.bw, narrowest: false };
        from = to;
        return row;
    });
    const narrowest = narrowestHop(rows);
    if (narrowest >= 0) rows[narrowest].narrowest = true;
    return rows;
}

/* Two devices may have several links, such as C2C and PCIe: the first that carries the path's bandwidth is the one. */
function linkOn(model, from, to, bw) {
    const links = model.links.get(`${from}>${to}`) ?? [];
    return links.find((link) => link.bw >= bw) ?? links[0];
}

/** The first of the slowest hops; -1 if there is none. */
export function narrowestHop(rows) {
    let best = -1;
    rows.forEach((row, i) => {
        if (row.bw !== undefined && (best < 0 || row.bw < rows[best].bw)) best = i;
    });
    return best;
}

/** The decision between two devices, or null: {kind, yes, code, rows: [{what, yes, why}]}. */
export function verdict(model, from, to) {
    const a = typeOf(from),
        b = typeOf(to),
        rank = (id) => model.nodes.get(id)?.rank;
    if (a === "GPU" && b === "GPU") {
        const row = model.p2p.get(`${rank(from)},${rank(to)}`);
        if (!row) return null;
        const how = row.p2p ? (row.read ? "yes, by reading" : "yes, by writing") : "no";
        const via = row.via >= 0 ? `, through GPU ${row.via}` : "";
        return {
            kind: "P2P",
            yes: row.p2p > 0,
            code: row.p2p ? (row.read ? "R" : "W") : "–",
            rows: [
                {
                    what: "P2P",
                    yes: row.p2p > 0,
                    text: how + via,
                    why: model.p2pWhy.get(`${row.a},${row.b}`),
                },
            ],
        };
    }
    const gpu = a === "GPU" ? from : to,
        net = a === "NET" ? from : to;
    if (typeOf(gpu) !== "GPU" || typeOf(net) !== "NET") return null;
    const row = model.gdr.get(`${rank(gpu)},${net}`);
    if (!row) return null;
    const say = (value) => (value > 1 ? `yes, mode ${value}` : value ? "yes" : "no");
    return {
        kind: "GDR",
        yes: row.send > 0 && row.recv > 0,
        part: row.send > 0 !== row.recv > 0,
        code: (row.send ? "S" : "–") + (row.recv ? "R" : "–"),
        rows: ["send", "recv"].map((direction) => ({
            what: direction === "send" ? "GDR, sending" : "GDR, receiving",
            yes: row[direction] > 0,
            text: say(row[direction]),
            why: model.gdrWhy.get(`${row.rank},${net},${direction}`),
        })),
    };
}

/** A decision's rule as sentences. */
export function reason(model, why) {
    if (!why) return "";
    const rule = why.text || model.rules[why.rule] || why.rule || "";
    const compared =
        why.rule?.endsWith("_LEVEL") && why.distance && why.level
            ? ` ${why.distance} against ${why.level}.`
            : "";
    return rule + compared;
}

/** What a matrix cell says: {text, kind, label}. */
export function cell(model, from, to, mode) {
    const path = model.paths.get(`${from}>${to}`);
    if (!path) return { text: "", kind: "", label: "no path" };
    const decision = from === to ? null : verdict(model, from, to);
    const label =
        `${path.type}, ${bandwidth(path.bw)} GB/s, ${path.hops.length} hops` +
        (decision ? `, ${decision.rows.map((row) => `${row.what} ${row.text}`).join(", ")}` : "");
    switch (mode) {
        case "bw":
            return { text: from === to ? "–" : bandwidth(path.bw), kind: path.type, label };
        case "hops":
            return { text: String(path.hops.length), kind: path.type, label };
        case "verdict":
            return decision
                ? {
                      text: decision.code,
                      kind: decision.yes ? "yes" : decision.part ? "part" : "no",
                      label,
                  }
                : { text: from === to ? "" : "?", kind: from === to ? "LOC" : "", label };
        default:
            return { text: path.type, kind: path.type, label };
    }
}

/** Paths of a device to every GPU and NET, for lists. */
export const pathsFrom = (model, id) =>
    [...model.gpus, ...model.nets]
        .map((node) => model.paths.get(`${id}>${node.id}`))
        .filter((path) => path && path.to !== id);

/** Rows of a tuning table: [{algorithm, cells: [{protocol, bw, latency, best}]}]. */
export function tuningRows(tuning, collective) {
    const bandwidths = tuning?.bandwidths?.[collective] ?? {},
        latencies = tuning?.latencies?.[collective] ?? {};
    const most = Math.max(0, ...Object.values(bandwidths).flatMap((row) => Object.values(row)));
    return Object.entries(bandwidths).map(([algorithm, row]) => ({
        algorithm,
        cells: Object.entries(row).map(([protocol, bw]) => ({
            protocol,
            bw,
            latency: latencies[algorithm]?.[protocol] ?? 0,
            best: bw > 0 && bw === most,
        })),
    }));
}

/** "1 host", "4 hosts"; of hosts that NVLink joins: "20 hosts in 2 NVLink domains"; of several systems in one dump: "1
 * NVLink domain of 18 hosts". */
export function hostsText(doc) {
    if (doc.cluster)
        return `${plural(doc.cluster.hosts, "host")} in ${plural(doc.hosts, "NVLink domain")}`;
    const systems = new Set(
        (doc.system?.nodes ?? [])
            .filter((node) => typeOf(node.id) === "GPU")
            .map((node) => parseId(node.id).system),
    ).size;
    if (systems > 1) return `${plural(doc.hosts, "NVLink domain")} of ${systems} hosts`;
    return `${plural(doc.hosts, "host")}`;
}

/** Decisions of GPUDirect RDMA about each GPU and the NICs of its own host: a dump of several hosts lists those of the
 * others as well. */
export function gdrOfHosts({ gdr = [], system }) {
    const hosts = new Map(
        (system?.nodes ?? [])
            .filter(({ id }) => typeOf(id) === "GPU")
            .map(({ id, rank }) => [rank, parseId(id).system]),
    );
    return gdr.filter(
        ({ rank, net }) => !hosts.has(rank) || hosts.get(rank) === parseId(net).system,
    );
}

/** The figures of the summary, so that a change can be shown before and after. [[name, value]] */
export function figures(doc) {
    const channels = doc.channels ?? {},
        summary = doc.summary ?? {};
    const ring = (doc.graphs ?? []).find((graph) => graph.name === "ring");
    const pairs = (doc.p2p ?? []).length,
        p2p = (doc.p2p ?? []).filter((row) => row.p2p).length;
    const gdr = gdrOfHosts(doc),
        direct = gdr.filter((row) => row.send && row.recv).length;
    const large = waysAt(doc.predictions, "AllReduce", 2 ** 30).find(({ chosen }) => chosen);
    return [
        ["Ranks", `${doc.ranks ?? "–"}${doc.hosts > 1 ? ` on ${doc.hosts} hosts` : ""}`],
        ["Channels", String(channels.count ?? "–")],
        [
            "Ring, per channel",
            ring?.channels
                ? `${bandwidth(ring.bw_intra)} GB/s, ${ring.type_intra}${
                      doc.hosts > 1 ? `, to NIC ${ring.type_inter}` : ""
                  }`
                : "–",
        ],
        ["P2P", pairs ? `${p2p} of ${pairs} ordered pairs` : "–"],
        [
            "GPUDirect RDMA",
            gdr.length
                ? `${direct} of ${gdr.length} GPU–NIC pairs, both ways`
                : doc.hosts > 1
                  ? "no NIC"
                  : "NICs are out of use on one host",
        ],
        [
            "NVLS",
            (summary.nvls ?? channels.nvls?.channels > 0)
                ? `${channels.nvls?.channels ?? ""} channels`.trim()
                : "off",
        ],
        ["AllReduce at 1 GiB", large ? `${bandwidth(large.bw)} GB/s, ${large.name}` : "–"],
    ];
}

const ESCAPES = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])/g;

/** A text as a terminal would show it: without the sequences that colour it or move the cursor. */
export const withoutEscapes = (text) => text.replace(ESCAPES, "");

/* How far a cut moves back to end between two attributes. */
const MOST_ATTRIBUTE = 80;

/** Lines of a text around a place: [{number, text, here, caret}]. The whole elements of usual dumps fit; longer lines
 * are cut around the column, between two attributes where one ends near enough, with "…". */
export function excerpt(text, line, column, around = 2, width = 400) {
    const lines = text.split(/\r\n|\r|\n/);
    const first = Math.max(1, line - around),
        last = Math.min(lines.length, line + around);
    column = column
        ? withoutEscapes((lines[line - 1] ?? "").slice(0, column - 1)).length + 1
        : column;
    const from = column && column > width - 20 ? column - Math.floor(width / 2) : 0;
    const rows = [];
    for (let number = first; number <= last; number++) {
        const all = withoutEscapes(lines[number - 1])
            .replaceAll("\t", " ")
            .replace(/[\x00-\x1f\x7f]/g, "\ufffd");
        const space = all.length > from + width ? all.lastIndexOf(" ", from + width) : -1;
        const to = space > from + width - MOST_ATTRIBUTE ? space + 1 : from + width;
        const cut = all.slice(from, to);
        const lead = from && cut ? "…" : "";
        rows.push({
            number,
            text: lead + cut + (all.length > to ? "…" : ""),
            here: number === line,
            caret: number === line && column ? Math.max(0, column - 1 - from) + lead.length : -1,
        });
    }
    return rows;
}

/** Lines of an excerpt without the indentation that they share. */
export function outdented(rows) {
    const shared = Math.min(
        ...rows.filter((row) => row.text.trim()).map((row) => row.text.search(/\S/)),
    );
    return rows.map((row) => ({
        ...row,
        text: row.text.slice(shared),
        caret: row.caret < 0 ? -1 : Math.max(0, row.caret - shared),
    }));
}
