// SPDX-License-Identifier: Apache-2.0
/* Places findings on drawings: of a machine, of one of its rings or trees, and of a cluster's hosts. Pure functions. */
import { linksOf } from "./channels.js";
import { flawedDevices, flawedLinks, portsOf, worst } from "./diagnosis.js";
import { typeOf } from "./model.js";

/** The marks on the drawing of a whole machine: [{node: id in the drawing, or link: [from, to, type], severity,
 * findings}]. */
export const marksOfMachine = (model) => [
    ...flawedDevices(model.doc.findings ?? []),
    ...flawedLinks(model, model.doc.findings ?? []),
];

/* Pictures of a channel by itself name devices of other hosts "host1/GPU/...", and a rank that is drawn twice
 * "...~out". */
const plain = (drawn) => drawn.replace(/^host\d+\/|~out$/g, "");

/** The marks on the picture of a ring or tree by itself, which draws ports without their NIC, and paths in place of
 * links: on every copy of a device, and on every path that takes a link. drawn: ids of the picture. */
export function marksOfChannel(model, drawn) {
    const rows = marksOfMachine(model);
    const devices = new Map(),
        drawnOf = (id) => (typeOf(id) === "NIC" ? portsOf(model, id) : [id]);
    for (const row of rows) if (row.node) for (const id of drawnOf(row.node)) devices.set(id, row);
    const links = rows.filter((row) => row.link),
        same = (link, [from, to, type]) =>
            link[2] === type &&
            ((link[0] === from && link[1] === to) || (link[0] === to && link[1] === from));
    return drawn.flatMap((id) => {
        const [from, to] = id.split("--");
        if (!to) return devices.has(plain(id)) ? [{ ...devices.get(plain(id)), node: id }] : [];
        const way = linksOf(model, plain(from), plain(to)),
            taken = links.filter((row) => way.some((link) => same(link, row.link)));
        const findings = [...new Set(taken.flatMap((row) => row.findings))];
        return taken.slice(0, 1).map((row) => ({ ...row, findings, link: [from, to, ""] }));
    });
}

/* Findings that compare the hosts of a cluster: they are about those that are not like most, or about all if none
 * is. */
const COMPARING = ["cluster-odd-host", "cluster-nic-order"];

/** A cluster's findings with what they are about: [{...row, key, kinds: [k, ...]}]; no kinds: not about single hosts.
 * Findings about devices are those of the first host's kind; others: of further kinds, [[k, rows]]. */
export function findingsByKind(view, findings, others = []) {
    const first = kindOf(view, 0),
        odd = view.kinds.flatMap((kind, k) => (kind.odd ? [k] : [])),
        about = ({ id, where }) =>
            COMPARING.includes(id)
                ? odd.length
                    ? odd
                    : view.kinds.map((_, k) => k)
                : where?.node
                  ? [first]
                  : [];
    return [
        ...findings.map((row) => ({ ...row, key: row.id, kinds: about(row) })),
        ...others.flatMap(([k, rows]) =>
            rows
                .filter(({ severity, where }) => severity !== "info" && where?.node)
                .map((row) => ({ ...row, key: `${row.id}:${k}`, kinds: [k] })),
        ),
    ];
}

const kindOf = (view, host) =>
    view.kinds.findIndex(({ hosts }) => hosts.some(([from, to]) => host >= from && host <= to));

/** The marks on the ring or tree of a cluster. findings: of findingsByKind(). stations: [{id, title}] of the drawing,
 * titles such as "▼ Host 5: slowest, unlike most: …", "4 hosts alike, 1…4" or "2 hosts alike, such as 1". */
export const marksOfCluster = (view, findings, stations) =>
    stations.flatMap(({ id, title }) => {
        const host = /\b(?:Host|alike,|such as) (\d+)/.exec(title)?.[1],
            kind = host === undefined ? -1 : kindOf(view, Number(host)),
            rows = findings.filter(
                ({ severity, kinds }) => severity !== "info" && kinds.includes(kind),
            );
        return rows.length ? [{ node: id, severity: worst(rows), findings: rows }] : [];
    });
