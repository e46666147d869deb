/* What a cluster looks like from above: pure functions over the section "cluster" of its analysis. */

/** A letter for each kind of host, in order: A, B, ... Z, AA. */
export const letter = (kind) => (kind < 26 ? "" : letter(Math.floor(kind / 26) - 1)) + String.fromCharCode(65 + (kind % 26));

/** [{host, kind, ranks}] of all hosts, in order. */
export function tiles(view) {
    const hosts = view.host_ranks.map((ranks, host) => ({ host, kind: 0, ranks }));
    view.kinds.forEach((kind, k) => {
        for (const [from, to] of kind.hosts)
            for (let host = from; host <= to; host++)
                hosts[host].kind = k;
    });
    return hosts;
}

/** Tiles where they can be told apart, else only the kinds. */
export const MOST_TILES = 1024;

/** Who is not like most: kinds that at most a quarter of the hosts are of, where one kind has more than half. */
export function odd(view) {
    const most = Math.max(...view.kinds.map((kind) => kind.host_count));
    return 2 * most <= view.hosts ? [] : view.kinds.flatMap((kind, k) => (4 * kind.host_count <= view.hosts ? [k] : []));
}

/** The fullest links first: [{kind, from, to, type, bw, link_bw, share}]. */
export const busiest = (view, most = 12) => view.links.filter((row) => row.link_bw > 0).map((row) => ({ ...row, share: row.bw / row.link_bw }))
    .sort((a, b) => b.share - a.share || a.kind - b.kind).slice(0, most);

/** NICs that something goes by. */
export const used = (view) => view.nics.filter((row) => row.channels_in > 0 || row.channels_out > 0);

/** "320 of 384 hops between hosts keep their rail". */
export function railSentence({ hops, crossing }) {
    if (!hops)
        return "No ring leaves its host by a NIC.";
    return crossing ? `${hops - crossing} of ${hops} hops of the rings between hosts keep their rail; ${crossing} enter by a NIC of another number than they left by.`
        : `All ${hops} hops of the rings between hosts keep their rail.`;
}

/** The cluster in a sentence. */
export function sentence(view, doc) {
    const many = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`, order = { block: "host by host", cyclic: "dealt out in turn", list: "placed by a list" }[view.order];
    const fused = view.systems < view.hosts ? `, ${many(view.systems, "system")} after fusing NVLink domains` : "";
    return `${many(view.hosts, "host")} of ${many(view.kinds.length, "kind")}${fused}; ${many(doc.ranks, "rank")} ${order} on ${many(view.nodes, "node")}, ${many(doc.summary.channels, "channel")}.`;
}

/** Host numbers in ranges: "0–2, 5". */
export const ranges = (hosts) => hosts.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(", ");

/** What NCCL makes of the NVLink fabrics of the hosts; "" where nothing is said of them. */
export function domainSentence({ rule, text, line, crosses_cliques: crosses }) {
    if (rule === "NOT_STATED")
        return "";
    const who = line === null ? "" : ` (hosts[${line}])`;
    return `${rule === "ON" ? text : `Hosts stay apart: ${text}`}${who}${crosses ? " Cliques of one UUID talk by NVLink too." : ""}`;
}

/** Findings about hosts beside one another, then the others. */
export function order(findings) {
    const first = ["domain-unused", "domain-split", "host-differs", "nics-otherwise", "host-sets-channels", "uneven-hosts"], of = (row) => first.includes(row.id);
    return [...findings.filter(of), ...findings.filter((row) => !of(row))];
}
