/* Where findings are marked on drawings: of a machine, of one of its rings or trees, and of a cluster's hosts. Pure functions. */
import { linksOf } from "./channels.js";
import { flawedDevices, flawedLinks } from "./diagnosis.js";
import { typeOf } from "./model.js";

/** The marks on the drawing of a whole machine: [{node: id in the drawing, or link: [from, to, type], severity, findings}]. */
export const marksOfMachine = (model) => [...flawedDevices(model.doc.findings ?? []), ...flawedLinks(model, model.doc.findings ?? [])];

/* Pictures of a channel by itself name devices of other hosts "host1/GPU/...", and a rank that is drawn twice "...~out". */
const plain = (drawn) => drawn.replace(/^host\d+\/|~out$/g, "");

/** The marks on the picture of a ring or tree by itself, which draws ports without their NIC, and paths in place of links: on every
 *  copy of a device, and on every path that takes a link. drawn: ids of the picture. */
export function marksOfChannel(model, drawn) {
    const rows = marksOfMachine(model), ports = (nic) => [...model.links.values()].flat().filter((link) => link.from === nic && typeOf(link.to) === "NET").map((link) => link.to);
    const devices = new Map(rows.filter((row) => row.node).flatMap((row) => (typeOf(row.node) === "NIC" ? ports(row.node) : [row.node]).map((id) => [id, row])));
    const links = rows.filter((row) => row.link), same = (link, [from, to, type]) => link[2] === type && ((link[0] === from && link[1] === to) || (link[0] === to && link[1] === from));
    return drawn.flatMap((id) => {
        const [from, to] = id.split("--");
        if (!to)
            return devices.has(plain(id)) ? [{ ...devices.get(plain(id)), node: id }] : [];
        const way = linksOf(model, plain(from), plain(to)), taken = links.filter((row) => way.some((link) => same(link, row.link)));
        return taken.length ? [{ ...taken[0], findings: [...new Set(taken.flatMap((row) => row.findings))], link: [from, to, ""] }] : [];
    });
}

/** Findings about hosts of a cluster that are not like most, which its drawing marks. */
export const ON_DRAWING = ["cluster-odd-host", "cluster-nic-order"];

/** The marks on the ring or tree of a cluster. stations: [{id, title}] of the drawing, titles such as "▼ Host 5: slowest, unlike most: …". */
export function marksOfCluster(view, findings, stations) {
    const found = findings.filter(({ id, severity }) => ON_DRAWING.includes(id) && severity !== "info"), kind = (host) => view.kinds.find(({ hosts }) => hosts.some(([from, to]) => host >= from && host <= to));
    return stations.flatMap(({ id, title }) => {
        const host = /\bHost (\d+)/.exec(title)?.[1];
        return found.length && host !== undefined && kind(Number(host))?.odd ? [{ node: id, severity: found[0].severity, findings: found }] : [];
    });
}
