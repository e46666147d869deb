// SPDX-License-Identifier: Apache-2.0
/* What a cluster looks like from above: pure functions over the section "cluster" of its analysis. */
import { barOf } from "./diagnosis.js";
import { deviceName, plural, words } from "./model.js";
import { address, DEFAULTS, MOST_HOSTS } from "./state.js";

/** A letter for each kind of host, in order: A, B, ... Z, AA. */
export const letter = (kind) =>
    (kind < 26 ? "" : letter(Math.floor(kind / 26) - 1)) + String.fromCharCode(65 + (kind % 26));

/** [{host, kind, ranks}] of all hosts, in order. */
export function tiles(view) {
    const hosts = view.host_ranks.map((ranks, host) => ({ host, kind: 0, ranks }));
    view.kinds.forEach((kind, k) => {
        for (const [from, to] of kind.hosts)
            for (let host = from; host <= to; host++) hosts[host].kind = k;
    });
    return hosts;
}

/** Consecutive hosts of one kind and size as one run: [{from, to, kind, ranks}]. If there are few, each is a run. */
export function runs(view, few = 32) {
    const rows = [];
    for (const { host, kind, ranks } of tiles(view)) {
        const last = rows.at(-1);
        if (view.hosts > few && last?.kind === kind && last.ranks === ranks) last.to = host;
        else rows.push({ from: host, to: host, kind, ranks });
    }
    return rows;
}

/** Up to this many hosts have a cell each; of more, each run of equal hosts, as long as there are no more of those. */
export const MOST_TILES = 2048;

/** "node40", or "host 40" if it has no name. one: {record, view, verdict}. */
export const calledHost = ({ record }, host) => hostNames(record)[host] || `host ${host}`;

/** The faults of a host in the cluster's verdict. */
export const faultsOf = ({ verdict }, host) =>
    (verdict?.faults ?? []).filter(({ hosts }) => hosts.some((row) => row.host === host));

const places = new Intl.Collator("en", { numeric: true });

/** The hosts as cells by leaf switch, else by NVLink domain, else all as one: [{rack, cells: [{from, to, name, title,
 * kind, state}]}], names in their natural order. state: "fault", "odd" or "good". */
export function racks({ view, record, verdict }) {
    const names = hostNames(record),
        faulty = new Set(
            (verdict?.faults ?? []).flatMap(({ hosts }) => hosts.map((row) => row.host)),
        ),
        racksOf = record.description.hosts.flatMap((row) => {
            const rack = row.switch
                ? `Leaf switch ${row.switch}`
                : row.domain
                  ? `Domain ${row.domain}`
                  : "";
            return Array.from({ length: row.count ?? 1 }, () => rack);
        }),
        groups = new Map();
    for (const { from, to, kind, ranks } of runs(view, MOST_TILES)) {
        const rack = racksOf[from] ?? "",
            name = from === to ? (names[from] ?? "") : `${from}–${to}`,
            called = from === to ? names[from] || `Host ${from}` : `Hosts ${from}–${to}`;
        groups.set(rack, [
            ...(groups.get(rack) ?? []),
            {
                from,
                to,
                name,
                kind,
                title: `${called}, kind ${letter(kind)}, ${plural(ranks, "GPU")}`,
                state: faulty.has(from) ? "fault" : view.kinds[kind].odd ? "odd" : "good",
            },
        ]);
    }
    const sorted = [...groups].sort(([a], [b]) => places.compare(a, b));
    return sorted.map(([rack, cells]) => ({
        rack,
        cells: cells.every(({ name }) => name)
            ? cells.sort((a, b) => places.compare(a.name, b.name))
            : cells,
    }));
}

/** Hosts that a chosen finding is about: those of a fault of the verdict ("fault:0"), or of kinds of hosts. */
export function litHosts({ view, verdict, findings }, chosen) {
    const fault = verdict?.faults[/^fault:(\d+)$/.exec(chosen)?.[1] ?? -1];
    if (fault) return new Set(fault.hosts.map(({ host }) => host));
    const about = findings.find(({ key }) => key === chosen)?.kinds ?? [];
    return new Set(tiles(view).flatMap(({ host, kind }) => (about.includes(kind) ? [host] : [])));
}

/** The kinds of these hosts. */
export function litKinds(one, chosen) {
    const lit = chosen ? litHosts(one, chosen) : new Set();
    return new Set(tiles(one.view).flatMap(({ host, kind }) => (lit.has(host) ? [kind] : [])));
}

/** The bar of the verdict, as costBar() makes one of a machine's; null if no bandwidth is lost. */
export function clusterBar(verdict) {
    const { now, all_repaired: repaired, unit, for: what, faults } = verdict;
    if (!(repaired > now * 1.001)) return null;
    const rows = faults.map(({ device, hosts_text: hosts, fixed }, i) => {
        return { finding: `fault:${i}`, device: device ?? hosts, gain: (fixed ?? 0) - now };
    });
    const gaining = rows.filter(({ gain }) => gain > now * 0.001);
    return barOf({ now, repaired, unit, for: what }, gaining);
}

/** The address of the machine of a kind of hosts. */
export function openKind(view, record, kind, release = "") {
    const { topology = "", machine = "" } = record.description.hosts[view.kinds[kind].line];
    return address(DEFAULTS, {
        id: topology,
        machine,
        release,
        hosts: Math.min(view.hosts, MOST_HOSTS),
    });
}

/** The kinds of at most a quarter of the hosts each, if another kind has more than half of them. */
export const odd = (view) => view.kinds.flatMap((kind, k) => (kind.odd ? [k] : []));

/** A field of a graph, for people. */
export const fieldName = (field) => FIELDS[field] ?? field.replaceAll("_", " ");
const FIELDS = {
    bw_intra: "bandwidth of a channel inside a host",
    bw_inter: "bandwidth of a channel between hosts",
    type_intra: "longest path inside a host",
    type_inter: "longest path to a NIC",
    cross_nic: "crossing of rails",
};

/** How a kind is worse than the one with the fastest rings: "ring: bandwidth of a channel between hosts 12 instead of
 * 24 GB/s". */
export const behind = (kind) =>
    kind.behind
        .map(
            ({ graph, field, value, best }) =>
                `${graph}: ${fieldName(field)} ${value} instead of ${best}${field.startsWith("bw") ? " GB/s" : ""}`,
        )
        .join("; ");

/** Hosts of a kind by their ranges: "0–4, 6". */
export const hostsOf = (kind, most = 4) =>
    ranges(kind.hosts.slice(0, most)) + (kind.hosts.length > most ? ", …" : "");

/** Which NIC of each kind carries which rail: {rails: [number], rows: [{kind, cells: [NICs of that rail]}]}. */
export function railMap(view) {
    const rails = [...new Set(view.nics.map((row) => row.rail))].sort((a, b) => a - b);
    return {
        rails,
        rows: view.kinds.map((_, kind) => ({
            kind,
            cells: rails.map((rail) =>
                view.nics.filter((row) => row.kind === kind && row.rail === rail),
            ),
        })),
    };
}

/** "NET 0 (rail 0) of B at 96 %; PCIe switch 17:00.0 → GPU 19:00.0 of A at 48 % (PCIe)". */
export function fullestSentence({ nic, links }) {
    const percent = (row, of) => `${Math.round((row.bw / of) * 100)} %`;
    const told = [
        ...[nic].filter(Boolean).map((row) => {
            const at = percent(row, row.port_bw);
            return `${deviceName(row.net)} (rail ${row.rail}) of ${letter(row.kind)} at ${at}`;
        }),
        ...[...links]
            .filter((row) => row.type !== "NET")
            .sort((a, b) => b.bw / b.link_bw - a.bw / a.link_bw)
            .map(
                (row) =>
                    `${deviceName(row.from)} → ${deviceName(row.to)} of ${letter(row.kind)} at ` +
                    `${percent(row, row.link_bw)} (${LINKS[row.type] ?? row.type})`,
            ),
    ];
    return told.length
        ? `The fullest over all rings: ${told.join("; ")}.`
        : "No ring uses a NIC or link.";
}
const LINKS = { NVL: "NVLink", PCI: "PCIe", SYS: "inter-CPU", C2C: "C2C" };

/** The fullest links first: [{kind, from, to, type, bw, link_bw, share}]. */
export const busiest = (view, most = 12) =>
    view.links
        .filter((row) => row.link_bw > 0)
        .map((row) => ({ ...row, share: row.bw / row.link_bw }))
        .sort((a, b) => b.share - a.share || a.kind - b.kind)
        .slice(0, most);

/** NICs in use. */
export const used = (view) =>
    view.nics.filter((row) => row.channels_in > 0 || row.channels_out > 0);

/** "320 of 384 hops between hosts keep their rail". */
export function railSentence({ hops, crossing }) {
    if (!hops) return "No ring leaves its host by a NIC.";
    return crossing
        ? `${hops - crossing} of ${hops} hops of the rings between hosts keep their rail; ${crossing} enter by ` +
              "a NIC of another number than they left by."
        : `All ${hops} hops of the rings between hosts keep their rail.`;
}

/* The orders of the ranks over the hosts. */
const ORDERS = {
    block: "host by host",
    cyclic: "dealt out in turn",
    name: "host by host in the order of their names",
    switch: "host by host by leaf switch",
    domain: "host by host by NVLink domain",
    list: "placed by a list",
};

/** The cluster in a sentence. */
export function sentence(view, doc) {
    const fused =
        view.systems < view.hosts
            ? `, ${plural(view.systems, "system")} after fusing NVLink domains`
            : "";
    return (
        `${plural(view.hosts, "host")} of ${plural(view.kinds.length, "kind")}${fused}; ` +
        `${plural(doc.ranks, "rank")} ${ORDERS[view.order] ?? view.order} on ${plural(view.nodes, "node")}, ` +
        `${plural(doc.summary.channels, "channel")}.`
    );
}

/** What a cluster is called. */
export const clusterName = ({ name, id }) => name || `Cluster ${id.slice(0, 12)}`;

/** Host numbers in ranges: "0–2, 5". */
export const ranges = (hosts) =>
    hosts.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(", ");

/** Hosts of one line of a cluster's description: "host 3", "hosts 4–7". */
export function lineHosts(description, line) {
    const { count = 1 } = description.hosts[line],
        first = description.hosts.slice(0, line).reduce((sum, row) => sum + (row.count ?? 1), 0);
    return `host${count === 1 ? "" : "s"} ${ranges([[first, first + count - 1]])}`;
}

/** What the description says about the NICs of a host: "mlx5_0: rail 1, leaf L1". Hosts of ranks that are listed one by
 * one have other numbers than their lines; the line of their kind then counts. */
export function nicSentences(description, host, lineOfKind) {
    const { hosts, ranks } = description;
    let line = Array.isArray(ranks) ? lineOfKind : 0;
    for (let left = host; !Array.isArray(ranks) && left >= (hosts[line]?.count ?? 1); line++)
        left -= hosts[line]?.count ?? 1;
    return (hosts[line]?.nics ?? []).map(
        ({ name, ...facts }, i) =>
            `${name ?? `NIC ${i}`}: ${Object.entries(facts)
                .map(([key, value]) => `${key} ${value}`)
                .join(", ")}`,
    );
}

/** What NCCL makes of the NVLink fabrics of the hosts; "" if nothing is known about them. Hosts of ranks that are
 * listed one by one have other numbers than their lines. */
export function domainSentence({ rule, text, line, crosses_cliques: crosses }, description) {
    if (rule === "NOT_STATED") return "";
    const who =
        line === null || Array.isArray(description.ranks)
            ? ""
            : ` (${lineHosts(description, line)})`;
    return `${rule === "ON" ? text : `Hosts stay apart: ${text}`}${who}${
        crosses ? " Cliques of one UUID talk by NVLink too." : ""
    }`;
}

/** Findings that compare hosts first, then the others. */
export function order(findings) {
    const first = words(
            "domain-unused domain-split cluster-odd-host cluster-nic-order host-sets-channels uneven-hosts",
        ),
        of = (row) => first.includes(row.id);
    return [...findings.filter(of), ...findings.filter((row) => !of(row))];
}

/** Hosts in the order of their ids as runs: [{id, count, names}]; names: of the files, one for each host, or none. */
export function runsOf(ids, names = []) {
    const rows = [];
    ids.forEach((id, i) => {
        if (rows.at(-1)?.id !== id) rows.push({ id, count: 0, names: [] });
        const run = rows.at(-1);
        run.count++;
        run.names.push(...names.slice(i, i + 1));
    });
    return rows;
}

const HOST_NAME = /^[A-Za-z0-9._-]{1,253}$/;

/** The description of a cluster of kept dumps, as the service reads it. It includes names if every host has a valid one
 * of its own. */
export function describe(runs) {
    const all = runs.flatMap(({ names = [] }) => names),
        fit =
            all.length === runs.reduce((sum, { count }) => sum + count, 0) &&
            new Set(all).size === all.length &&
            all.every((name) => HOST_NAME.test(name));
    return JSON.stringify({
        hosts: runs.map(({ id, count, names }) => ({
            topology: id,
            count,
            ...(fit ? { names } : {}),
        })),
    });
}

/** A cluster's description with NVLink domains of `size` hosts each, in their order; 1: with none. What hosts reported
 * about other domains is left out. */
export function withDomains({ hosts, ...rest }, size) {
    let at = 0;
    const rows = hosts.flatMap(({ count = 1, names = [], domain, fabric, ...line }) => {
        const pieces = [];
        for (let done = 0; done < count;) {
            const some = size > 1 ? Math.min(count - done, size - (at % size)) : count;
            pieces.push({
                ...line,
                count: some,
                ...(names.length > 0 && { names: names.slice(done, done + some) }),
                ...(size > 1 && { domain: `domain ${Math.floor(at / size)}` }),
            });
            done += some;
            at += some;
        }
        return pieces;
    });
    return { ...rest, hosts: rows };
}

/** Names of the hosts of a cluster by their numbers, from its record; "" if a host has none. */
export const hostNames = (record) =>
    record.description.hosts.flatMap(({ count = 1, names = [] }) =>
        Array.from({ length: count }, (_, i) => names[i] ?? ""),
    );

/** "host 40 (node41)", "hosts 3, 7 (a, b)": hosts of a kind with what they are called, for people. */
export function calledHosts(kind, names) {
    const numbers = kind.hosts
            .flatMap(([from, to]) =>
                Array.from({ length: Math.min(to - from + 1, 8) }, (_, i) => from + i),
            )
            .slice(0, 8),
        called = numbers.map((n) => names[n]).filter(Boolean);
    return (
        `host${kind.host_count === 1 ? "" : "s"} ` +
        hostsOf(kind) +
        (called.length
            ? ` (${called.slice(0, 4).join(", ")}${kind.host_count > 4 ? ", …" : ""})`
            : "")
    );
}
