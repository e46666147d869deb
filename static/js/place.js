// SPDX-License-Identifier: Apache-2.0
/* Which GPUs a job should take: what is asked of the service, and its answer as rows and marks. Pure functions. */
import { bandwidth, plural } from "./model.js";

/** The number of GPUs of a job if nobody gives it: half of them, at least two. */
export const usualCount = (gpus) => Math.max(Math.min(2, gpus), Math.floor(gpus / 2));

/** A list of GPU numbers as the service reads it: "0,2,4". */
export const setText = (gpus) => gpus.join(",");
export const readSet = (text) => (text ? text.split(",").map(Number) : []);

/** A list with one GPU more or less; "" if it has all of `gpus`, because no list means all. */
export function toggled(text, gpu, gpus) {
    const had = new Set(text ? readSet(text) : Array.from({ length: gpus }, (_, i) => i));
    had[had.has(gpu) ? "delete" : "add"](gpu);
    return had.size === gpus ? "" : setText([...had].sort((a, b) => a - b));
}

/** The query about a machine with this many GPUs. asked: the parameters of an analysis. With one host, one and two
 * hosts count. */
export function placeQuery(asked, state, gpus) {
    const query = new URLSearchParams(asked);
    for (const name of ["hosts", "nics"])
        // nics of an analysis are given names, which NICs a job gets is found here
        query.delete(name);
    if (state.hosts > 1) query.set("hosts", state.hosts);
    query.set("count", state.count || usualCount(state.free ? readSet(state.free).length : gpus));
    query.set("collective", state.program);
    if (state.free) query.set("free", state.free);
    if (state.rival) query.set("compare", state.rival);
    return query;
}

/** "91 %" of the best one; "best". */
const shareText = (busbw, best) =>
    busbw === null || !best
        ? "–"
        : busbw >= best
          ? "best"
          : `${Math.round((100 * busbw) / best)} %`;

/** Rows of the table, the best first; the compared set last: [{key, gpus, nics, busbw, hosts: [text], share, limit,
 * left, same, rival, entry}]. */
export function placeRows(answer) {
    const best = answer.best[0]?.busbw ?? 0,
        sets = answer.compared
            ? [...answer.best.map((entry) => [entry, false]), [answer.compared, true]]
            : answer.best.map((entry) => [entry, false]);
    return sets.map(([entry, rival]) => ({
        key: setText(entry.gpus),
        gpus: entry.gpus,
        nics: entry.nics,
        rival,
        entry,
        hosts: entry.hosts.map((row) => bandwidth(row.busbw)),
        share: shareText(entry.busbw, best),
        limit: entry.hosts.at(-1)?.limit ?? "–",
        left: leftText(entry.left),
        same: entry.same > 1 ? `${entry.same} sets` : rival ? "" : "1 set",
    }));
}

/** "3, 5, 6, 7: another such job gets 57.9 GB/s". */
export function leftText(left) {
    if (!left?.gpus.length) return "none";
    return `${left.gpus.join(", ")}${left.next === null ? "" : `: another such job gets ${bandwidth(left.next)} GB/s`}`;
}

/** The row that the drawing shows: the chosen one, or else the best. */
export const shownRow = (rows, pick) => rows.find((row) => row.key === pick) ?? rows[0] ?? null;

/** What a choice costs compared with the best set: "Takes 34 % less than the best set: 38.6 instead of 57.9 GB/s on 2
 * hosts". "" if nothing. */
export function costOf(row, rows) {
    const [best] = rows;
    if (!row || row === best || row.entry.busbw === null || !(row.entry.busbw < best.entry.busbw))
        return "";
    const worst = row.entry.hosts
        .map((one, i) => ({ one, other: best.entry.hosts[i] }))
        .filter(({ one, other }) => one.busbw < other.busbw)
        .sort((a, b) => a.one.busbw / a.other.busbw - b.one.busbw / b.other.busbw)[0];
    const share = Math.round(100 * (1 - row.entry.busbw / best.entry.busbw));
    return `${share} % less than the best set${
        worst
            ? `: ${bandwidth(worst.one.busbw)} instead of ` +
              `${bandwidth(worst.other.busbw)} GB/s on ${plural(worst.one.hosts, "host")}`
            : ""
    }`;
}

/** Devices of a set on the drawing: its GPUs, the ports of its NICs and their cards. names: {NET id: name}. */
export function placeMarks(model, names, row) {
    const ports = Object.keys(names).filter((id) => row.nics.includes(names[id]));
    const cards = [...model.links.values()]
        .flat()
        .filter((link) => ports.includes(link.to) && link.from.startsWith("NIC/"))
        .map((link) => link.from);
    return [
        ...new Set([
            ...row.gpus.map((rank) => model.gpuOfRank.get(rank)).filter(Boolean),
            ...ports,
            ...cards,
        ]),
    ];
}

/** The setting that starts a job on a set: the devices in the order of its ranks. */
export function command(model, row) {
    const device = (rank) => model.nodes.get(model.gpuOfRank.get(rank))?.dev ?? rank;
    return `CUDA_VISIBLE_DEVICES=${row.entry.order.map(device).join(",")}`;
}
