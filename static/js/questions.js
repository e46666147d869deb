/* The fifteen questions that people bring, answered from an analysis where it can, each with the place that shows the evidence.
 * A row: {id, ask, answer, tone: "good" | "note" | "bad" | "open", patch: of the state, or null}. "open": something more is needed. */
import { bandwidth, deviceFacts, parseId, reason, shortName, tuningRows, typeOf } from "./model.js";
import { loads } from "./channels.js";
import { sizeText } from "./compare.js";

const plural = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

export function questions(model, { releases = [] } = {}) {
    return QUESTIONS.map(([id, ask, answer]) => ({ id, ask, patch: null, ...answer(model, releases) }));
}

const QUESTIONS = [
    ["machine", "Machine", machine], ["p2p", "P2P between all GPUs", p2p], ["nics", "NIC of each GPU", nics], ["gdr", "GPU Direct RDMA", gdr], ["channels", "Channels and their limit", channels],
    ["busbw", "Expected bus bandwidth", busbw], ["degraded", "Slower than its equals", degraded], ["credible", "Real or flattened", credible], ["peers", "Like its peers", peers], ["pxn", "PXN and rails", pxn],
    ["nvls", "NVLS", nvls], ["domain", "NVLink domain, C2C", domain], ["settings", "Settings that matter", settings], ["release", "Another release", release], ["log", "Agrees with a log", log],
];

const needsHosts = { answer: "on one host no NIC is used; with two it shows", tone: "open", patch: { hosts: 2 } };

function machine({ doc, gpus }) {
    const m = doc.summary?.machine ?? {};
    const nvlink = { switched: "NVSwitch", direct: "direct NVLink", none: "no NVLink" }[m.nvlink] ?? "";
    return { answer: [plural(m.gpus ?? gpus.length, "GPU"), m.capabilities?.length && `sm ${m.capabilities.join(", ")}`, nvlink, plural(m.nets ?? 0, "NIC port"),
        plural(m.numa_domains ?? 0, "NUMA domain")].filter(Boolean).join(", "), tone: "good", patch: { view: "machine" } };
}

function p2p(model) {
    const rows = model.doc.p2p ?? [], off = rows.filter((row) => !row.p2p);
    const at = (row) => ({ view: "matrix", cell: "verdict", from: model.gpuOfRank.get(row.a) ?? "", to: model.gpuOfRank.get(row.b) ?? "", panel: "selection" });
    if (!rows.length)
        return { answer: "there is one GPU", tone: "note", patch: null };
    if (!off.length)
        return { answer: `yes, all ${plural(rows.length, "ordered pair")}`, tone: "good", patch: { view: "matrix", cell: "verdict" } };
    return { answer: `${off.length} of ${rows.length} not: ${lower(reason(model, model.p2pWhy.get(`${off[0].a},${off[0].b}`)))}`, tone: "bad", patch: at(off[0]) };
}

const lower = (text) => (text ? text[0].toLowerCase() + text.slice(1).replace(/\.$/, "") : "by rule");

function nics(model) {
    const devs = model.doc.net_devs ?? [];
    if (!model.nets.length)
        return model.doc.summary?.machine?.nets ? needsHosts : { answer: "the dump holds none", tone: "bad", patch: { view: "source" } };
    if (!devs.length)
        return needsHosts;
    const used = new Set(devs.map((row) => row.net)), unused = model.nets.filter((node) => !used.has(node.id));
    const from = model.gpus[0], best = model.nets.map((node) => model.paths.get(`${from.id}>${node.id}`)).filter(Boolean).sort((a, b) => b.bw - a.bw || a.hops.length - b.hops.length)[0];
    const patch = { view: "matrix", cell: "type", panel: "selection", from: (unused[0] ? model.gpus[0] : from).id, to: unused[0]?.id ?? best?.to ?? "" };
    if (unused.length)
        return { answer: `${plural(unused.length, "NIC")} in no channel: ${unused.slice(0, 3).map((node) => shortName(model, node.id)).join(", ")}`, tone: "bad", patch };
    const shared = model.gpus.length > used.size ? `; ${model.gpus.length} GPUs share ${used.size}` : "";
    return { answer: `all ${used.size} in use${shared}; GPU 0 at ${best?.type ?? "–"}, ${bandwidth(best?.bw)} GB/s`, tone: "good", patch };
}

function gdr(model) {
    const rows = model.doc.gdr ?? [], off = rows.filter((row) => !row.send || !row.recv);
    if (!rows.length)
        return model.nets.length || model.doc.summary?.machine?.nets ? needsHosts : { answer: "no NIC", tone: "note", patch: null };
    if (!off.length)
        return { answer: `on for all ${rows.length} GPU–NIC pairs`, tone: "good", patch: { view: "matrix", cell: "verdict" } };
    const first = off[0], gpu = model.gpuOfRank.get(first.rank), why = model.gdrWhy.get(`${first.rank},${first.net},${first.send ? "recv" : "send"}`);
    return { answer: `${off.length} of ${rows.length} pairs without: ${lower(reason(model, why))}`, tone: off.length === rows.length && model.doc.hosts > 1 ? "bad" : "note",
        patch: { view: "matrix", cell: "verdict", panel: "selection", from: gpu ?? "", to: first.net } };
}

function channels(model) {
    const ring = (model.doc.graphs ?? []).find((row) => row.name === "ring");
    if (!ring?.channels)
        return { answer: "no ring was found", tone: "bad", patch: { view: "channels" } };
    const [tightest] = loads(model, "ring");
    const limit = tightest ? `; fullest link ${shortName(model, tightest.from)} → ${shortName(model, tightest.to)}, ${bandwidth(tightest.used)} of ${bandwidth(tightest.bw)} GB/s` : "";
    return { answer: `${model.doc.channels.count}; ring ${ring.channels} × ${bandwidth(ring.bw_intra)} GB/s inside${model.doc.hosts > 1 ? `, ${bandwidth(ring.bw_inter)} out` : ""}${limit}`,
        tone: ring.bw_intra < 1 ? "bad" : "good", patch: { view: "channels", graph: "ring", channel: 0 } };
}

function busbw({ doc }) {
    const chosen = doc.predictions?.functions?.AllReduce?.ranges?.at(-1);
    const top = tuningRows(doc.tuning, "AllReduce").flatMap((row) => row.cells.map((c) => ({ ...c, algorithm: row.algorithm }))).reduce((a, b) => (b.bw > (a?.bw ?? 0) ? b : a), null);
    if (!top)
        return { answer: "one rank sends nothing", tone: "note", patch: null };
    const factor = doc.ranks > 1 ? 2 * (doc.ranks - 1) / doc.ranks : 1;
    return { answer: `AllReduce at most ${bandwidth(top.bw * factor)} GB/s, ${chosen ? `${chosen.algorithm} ${chosen.protocol} from ${sizeText(chosen.from)}` : `${top.algorithm} ${top.protocol}`} (a model, not a measurement)`,
        tone: "good", patch: { view: "tuning", collective: "AllReduce" } };
}

/** Findings about a device that is slower than its equals. The service decides which devices are equal (engine/hardware). */
const SLOWER = ["nvlink-count", "slow-link", "port-slow"];

function degraded({ doc }) {
    const found = (doc.findings ?? []).filter((row) => SLOWER.includes(row.id));
    if (!found.length)
        return { answer: "none: equal devices have equal links and ports", tone: "good", patch: { view: "machine" } };
    const [first] = found, more = found.reduce((sum, row) => sum + row.places.length + row.more_places, -1);
    return { answer: `${first.detail}${more > 0 ? `; ${plural(more, "more device")}` : ""}`, tone: "bad",
        patch: { view: "machine", ...(first.where?.node ? { panel: "selection", from: first.where.node, to: "" } : {}) } };
}

function credible(model) {
    const pci = [...model.nodes.keys()].filter((id) => typeOf(id) === "PCI").length, many = model.gpus.length > 2;
    const c2c = [...model.links.values()].some((rows) => rows[0].type === "C2C");
    const flat = many && !pci && !c2c && model.gpus.every((node) => [...model.links.keys()].some((key) => key.startsWith(`${node.id}>CPU/`) && (model.links.get(key)[0].type === "PCI")));
    return flat ? { answer: "every GPU hangs on its CPU, no PCIe switch is seen: a virtual machine may hide them", tone: "bad", patch: { view: "source" } }
        : { answer: pci ? `looks real: ${plural(pci, "PCIe switch", "PCIe switches")}` : "plain PCIe, nothing speaks against it", tone: "good", patch: { view: "source" } };
}

function peers() {
    return { answer: "hold it against the dump of another host, or a set of the library against what most are like", tone: "open", patch: { view: "compare" } };
}

function pxn(model) {
    const devs = model.doc.net_devs ?? [];
    if (!devs.length)
        return model.doc.summary?.machine?.nets ? needsHosts : { answer: "no NIC", tone: "note", patch: null };
    const via = devs.filter((row) => row.proxy_rank !== row.rank), ring = (model.doc.graphs ?? []).find((row) => row.name === "ring");
    const cross = ring?.cross_nic ? `; rings ${ring.cross_nic > 1 ? "alternate between" : "cross"} rails` : "; rings keep to their rail";
    const first = via[0];
    return { answer: (via.length ? `PXN for ${via.length} of ${devs.length}, GPU ${first.rank} through GPU ${first.proxy_rank}` : "no PXN") + cross, tone: ring?.cross_nic ? "note" : "good",
        patch: first ? { view: "matrix", panel: "selection", from: model.gpuOfRank.get(first.rank) ?? "", to: first.net } : { view: "channels", graph: "ring" } };
}

function nvls(model) {
    const { doc, nodes, gpus } = model, count = doc.channels?.nvls?.channels ?? 0;
    if (count)
        return { answer: `yes, ${plural(count, "channel")}`, tone: "good", patch: { view: "channels", graph: "nvls", channel: 0 } };
    const hub = [...nodes.keys()].some((id) => id.startsWith("NVS/")), old = gpus.find((node) => node.sm !== undefined && node.sm < 90);
    const why = "NCCL_NVLS_ENABLE" in (doc.settings ?? {}) ? "by NCCL_NVLS_ENABLE" : !hub ? "there is no NVSwitch" : old ? `it needs capability 9.0, these have ${deviceFacts(model, old.id).find(([n]) => n === "Capability")?.[1]}`
        : doc.ranks <= 2 ? "two ranks do not need it" : `by a rule of NCCL ${doc.nccl}`;
    return { answer: `off: ${why}`, tone: "note", patch: "NCCL_NVLS_ENABLE" in (doc.settings ?? {}) ? { panel: "settings" } : { view: "channels", graph: "nvls" } };
}

function domain(model) {
    const c2c = [...model.links.values()].flat().filter((row) => row.type === "C2C" && typeOf(row.from) === "CPU").length, systems = new Set(model.gpus.map((node) => parseId(node.id).system));
    if (systems.size > 1)
        return { answer: `${systems.size} hosts fused in one NVLink domain`, tone: "good", patch: { view: "machine" } };
    return c2c ? { answer: `one host of it; ${plural(c2c, "C2C link")} from CPUs to GPUs`, tone: "note", patch: { view: "matrix", cell: "type" } } : { answer: "no such machine: one host, no C2C", tone: "note", patch: { view: "machine" } };
}

function settings({ doc }) {
    const given = Object.keys(doc.settings ?? {});
    return given.length ? { answer: `${given.join(", ")} given: what ${given.length > 1 ? "they change" : "it changes"}`, tone: "note", patch: { view: "diff", against: given.map((name) => `${name}=`), change: "" } }
        : { answer: "none given; what NCCL_P2P_LEVEL=SYS would change", tone: "good", patch: { view: "diff", against: ["NCCL_P2P_LEVEL=SYS"], change: "" } };
}

function release({ doc }, releases) {
    const rows = releases.filter((row) => row.name !== doc.nccl), at = releases.findIndex((row) => row.name === doc.nccl);
    const before = releases[at + 1] ?? rows[0];
    return before ? { answer: `what ${before.name} would decide`, tone: "good", patch: { view: "diff", against: [before.name], change: "" } } : { answer: "the differences", tone: "good", patch: { view: "diff" } };
}

function log() {
    return { answer: "needs an NCCL debug log (NCCL_DEBUG=INFO, NCCL_DEBUG_SUBSYS=INIT,GRAPH)", tone: "open", patch: null };
}

