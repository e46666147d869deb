// SPDX-License-Identifier: Apache-2.0
/* The fifteen questions that people bring, answered from an analysis if it can, each with the place that shows the
 * evidence. A row: {id, ask, answer, tone, patch: of the state, or null, assumes: texts}. tone: "good", "assumed"
 * (good, if the assumptions hold), "limited", "fault", "open" (not known); null for a fact or a link, neither good nor
 * bad. */
import {
    bandwidth,
    deviceFacts,
    gdrOfHosts,
    hostsText,
    joined,
    parseId,
    plural,
    reason,
    shortName,
    typeOf,
    words,
} from "./model.js";
import { loads } from "./channels.js";
import { waysAt } from "./chart.js";
import { assumed, bandwidthTone, costs, flaw, lossText } from "./diagnosis.js";
import { verdictText } from "./log.js";
import { netName, nicTable } from "./nics.js";

const all = (n, one) =>
    n === 1 ? `the only ${one}` : n === 2 ? `both ${one}s` : `all ${n} ${one}s`;

/** network: the index of the same question about two hosts, if one was asked about; else null. known: what was found
 * out since, each null if it was not: {pair: a comparison with another dump, log: the check of a log, other: what says
 * that the log is from another machine, results: results of nccl-tests judged}. */
export const questions = (asked, { network = null, releases = [], known = {} } = {}) =>
    QUESTIONS.map(([id, ask, answer, parts = [], findings = []]) => {
        const model = network && OF_NETWORK.includes(id) ? network : asked;
        const row = { id, ask, patch: null, assumes: [], ...answer(model, { releases, ...known }) },
            found = flaw(model.doc, findings);
        if (model !== asked)
            Object.assign(row, {
                answer: `on ${hostsText(model.doc)}: ${row.answer}`,
                patch: row.patch && { hosts: model.doc.hosts, ...row.patch },
            });
        if (row.tone === "open") return row;
        const assumes = row.patch ? assumed(model.doc, parts) : [],
            tone = found?.tone ?? row.tone;
        return {
            ...row,
            assumes,
            tone: tone === "good" && assumes.length ? "assumed" : tone,
            answer: row.answer + (found ? `; ${lower(found.title)}` : ""),
        };
    });

/* tone: null if the answer is neither good nor bad; patch: of the state, null if nothing shows the evidence. */
const said = (answer, tone = null, patch = null) => ({ answer, tone, patch });
const VERDICTS = { view: "matrix", cell: "verdict" };

/* Id, question, its answer; the parts of the document on which the answer rests; findings that say that it is bad. */
/** @type {any[][]} */
const QUESTIONS = [
    ["machine", "Machine", machine, [], ["gpu-missing", "no-gpu", "no-ranked-gpu"]],
    [
        "p2p",
        "P2P between all GPUs",
        p2p,
        ["p2p"],
        ["p2p-refused", "setting-hinders", "neither-p2p-nor-shm"],
    ],
    [
        "nics",
        "NIC of each GPU",
        nics,
        ["paths"],
        words(
            "nic-missing nic-misplaced nic-past-cpu nic-on-other-socket unused-nic mixed-speeds " +
                "port-slow ports-below-type nics-below-type nics-below-generation virtual-nics " +
                "slow-slot shared-uplink sockets-only",
        ),
    ],
    ["gdr", "GPUDirect RDMA", gdr, ["gdr"], ["gdr-off", "gdr-too-far"]],
    [
        "channels",
        "Channels and their limit",
        channels,
        ["graphs"],
        ["simple-order", "no-tree", "one-channel"],
    ],
    ["busbw", "Expected bus bandwidth", busbw, ["tuning"]],
    ["degraded", "Slower than its equals", degraded],
    ["credible", "Real or flattened", credible, [], ["flat-tree"]],
    ["peers", "Like its peers", peers],
    ["pxn", "PXN and rails", pxn, ["paths"], ["crosses-rails"]],
    ["nvls", "NVLS", nvls, ["graphs"], ["nvls-off"]],
    ["domain", "NVLink domain, C2C", domain],
    [
        "settings",
        "Settings that matter",
        settings,
        [],
        ["setting-hinders", "level-as-number", "farther-than-built"],
    ],
    ["release", "Another release", release],
    ["log", "Agrees with a log", log],
];

/** Questions about the network, which one host does not use. */
const OF_NETWORK = ["nics", "gdr", "pxn"];

/** Ids of findings that are named here. */
export const NAMED = QUESTIONS.flatMap(([, , , , findings = []]) => findings);

/* Two of the trays that a number of hosts means may be one domain: no link leads to them. */
const needsHosts = (doc) =>
    said(
        hostsText(doc).includes("domain")
            ? "one NVLink domain uses no NIC; two domains show it"
            : "one host uses no NIC; two hosts show it",
        "open",
        doc.cluster ? null : { hosts: 2 },
    );

function machine({ doc, gpus }) {
    const m = doc.summary?.machine ?? {};
    const nvlink =
        { switched: "NVSwitch", direct: "direct NVLink", none: "no NVLink" }[m.nvlink] ?? "";
    return said(
        joined(", ", [
            plural(m.gpus ?? gpus.length, "GPU"),
            m.capabilities?.length && `sm ${m.capabilities.join(", ")}`,
            nvlink,
            plural(m.nets ?? 0, "NIC port"),
            plural(m.numa_domains ?? 0, "NUMA domain"),
        ]),
        null,
        { view: "machine" },
    );
}

function p2p(model) {
    const rows = model.doc.p2p ?? [],
        off = rows.filter((row) => !row.p2p);
    const at = (row) => ({
        ...VERDICTS,
        from: model.gpuOfRank.get(row.a) ?? "",
        to: model.gpuOfRank.get(row.b) ?? "",
        panel: "selection",
    });
    if (!rows.length) return said("there is one GPU");
    if (!off.length) return said(`yes, ${all(rows.length, "ordered pair")}`, "good", VERDICTS);
    return said(
        `${off.length} of ${rows.length} not: ` +
            `${lower(reason(model, model.p2pWhy.get(`${off[0].a},${off[0].b}`)))}`,
        "limited",
        at(off[0]),
    );
}

const lower = (text) =>
    text
        ? text.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()).replace(/\.$/, "")
        : "by rule";

function nics(model) {
    const devs = model.doc.net_devs ?? [];
    if (!model.nets.length)
        return model.doc.summary?.machine?.nets ? needsHosts(model.doc) : said("the dump has none");
    if (!devs.length) return needsHosts(model.doc);
    const used = new Set(devs.map((row) => row.net)),
        unused = model.nets.filter((node) => !used.has(node.id));
    const from = model.gpus[0],
        best = model.nets
            .map((node) => model.paths.get(`${from.id}>${node.id}`))
            .filter(Boolean)
            .sort((a, b) => b.bw - a.bw || a.hops.length - b.hops.length)[0];
    const patch = {
        view: "matrix",
        cell: "type",
        panel: "selection",
        from: (unused[0] ? model.gpus[0] : from).id,
        to: unused[0]?.id ?? best?.to ?? "",
    };
    if (unused.length)
        return said(
            `${plural(unused.length, "NIC")} in no channel: ${unused
                .slice(0, 3)
                .map((node) => netName(model, node.id))
                .join(", ")}`,
            null,
            patch,
        );
    const cut = nicTable(model).filter(
        (row) => row.nics.length && row.nics.every((nic) => !nic.bw),
    );
    if (cut.length)
        return said(
            `${plural(cut.length, "GPU")} cannot reach the NIC that NCCL gives ` +
                `${cut.length === 1 ? "it" : "them"}`,
            "fault",
            { ...patch, from: cut[0].gpu, to: cut[0].nics[0].net },
        );
    const shared =
        model.gpus.length > used.size ? `; ${model.gpus.length} GPUs share ${used.size}` : "";
    return said(
        `${used.size === 1 ? "the only NIC is in use" : `${all(used.size, "NIC")} in use`}${shared}; ` +
            `GPU 0 at ${best?.type ?? "–"}, ${bandwidth(best?.bw)} GB/s`,
        "good",
        patch,
    );
}

function gdr(model) {
    const rows = gdrOfHosts(model.doc),
        off = rows.filter((row) => !row.send || !row.recv);
    if (!rows.length)
        return model.nets.length || model.doc.summary?.machine?.nets
            ? needsHosts(model.doc)
            : said("no NIC");
    if (!off.length) return said(`on for ${all(rows.length, "GPU–NIC pair")}`, "good", VERDICTS);
    const used = new Set((model.doc.net_devs ?? []).map((row) => `${row.proxy_rank},${row.net}`)),
        inUse = off.filter((row) => used.has(`${row.rank},${row.net}`));
    const direct = new Set(rows.filter((row) => row.send && row.recv).map((row) => row.rank)),
        enough = !inUse.length && rows.every((row) => direct.has(row.rank));
    const first = inUse[0] ?? off[0],
        gpu = model.gpuOfRank.get(first.rank),
        whyOf = (row) => model.gdrWhy.get(`${row.rank},${row.net},${row.send ? "recv" : "send"}`);
    const reasons = new Map();
    for (const row of off) {
        const why = lower(reason(model, { ...whyOf(row), distance: "" })); // what is compared differs by pair
        reasons.set(why, (reasons.get(why) ?? 0) + 1);
    }
    const because =
        reasons.size === 1
            ? [lower(reason(model, whyOf(first))).replace(/\. (\S+ against \S+)$/, " ($1)")]
            : [...reasons].sort(([, a], [, b]) => b - a).map(([why, n]) => `${n} because ${why}`);
    return said(
        `${enough ? "every GPU has a NIC with it; " : ""}${off.length} of ${rows.length} pairs without: ` +
            `${because.join("; ")}`,
        enough ? "good" : "limited",
        { ...VERDICTS, panel: "selection", from: gpu ?? "", to: first.net },
    );
}

function channels(model) {
    const ring = (model.doc.graphs ?? []).find((row) => row.name === "ring");
    if (!ring?.channels) return said("no ring was found", "fault", { view: "channels" });
    const [tightest] = loads(model, "ring");
    const limit = tightest
        ? `; fullest link ${shortName(model, tightest.from)} → ${shortName(model, tightest.to)}, ` +
          `${bandwidth(tightest.used)} of ${bandwidth(tightest.bw)} GB/s`
        : "";
    return said(
        `${model.doc.channels.count}; ring ${ring.channels} × ${bandwidth(ring.bw_intra)} GB/s ` +
            `inside${model.doc.hosts > 1 ? `, ${bandwidth(ring.bw_inter)} out` : ""}${limit}`,
        ring.bw_intra < 1 ? "limited" : bandwidthTone(model.doc, { shown: true }),
        { view: "channels", graph: "ring", channel: 0 },
    );
}

function busbw({ doc }, { results }) {
    const tone = { "as expected": "good", high: "good", low: "fault" }[results?.verdict];
    if (tone) return said(`measured: ${lower(results.sentence)}`, tone, { view: "bandwidth" });
    const chosen = waysAt(doc.predictions, "AllReduce", 2 ** 30).find((way) => way.chosen);
    if (!chosen) return said("one rank sends nothing");
    return said(
        `AllReduce ${bandwidth(chosen.bw)} GB/s at 1 GiB, ${chosen.name} (a model, not a ` +
            `measurement)${lossText(doc)}`,
        bandwidthTone(doc),
        { view: "tuning", collective: "AllReduce" },
    );
}

/** Findings about a device that is slower than its equals or its model. The service decides which devices are equal
 * (engine/hardware). */
const SLOWER = words(
    "nvlink-count nvlink-one-sided nvlink-zero slow-link port-slow ports-below-type nics-below-type " +
        "nics-below-generation nvlinks-missing nvlinks-below-board pcie-below-model",
);

function degraded({ doc }) {
    const found = (doc.findings ?? []).filter((row) => SLOWER.includes(row.id));
    if (!found.length)
        return assumed(doc, ["system.links"]).length
            ? unknowable("link speeds are assumed")
            : said("none: equal devices have equal links and ports", "good", { view: "machine" });
    const [first] = found,
        more = found.reduce((sum, row) => sum + row.places.length + row.more_places, -1);
    return said(
        `${first.detail}${more > 0 ? `; ${plural(more, "more device")}` : ""}`,
        found.some(costs) ? "fault" : "limited",
        {
            view: "machine",
            ...(first.where?.node ? { panel: "selection", from: first.where.node, to: "" } : {}),
        },
    );
}

const unknowable = (why) => said(`cannot be known from this input: its ${why}`, "open");

function credible(model) {
    if (assumed(model.doc, ["p2p"]).length)
        // positions in the tree, on which P2P rests; how NICs are presented is another matter
        return unknowable("switches and distances are assumed");
    const pci = [...model.nodes.keys()].filter((id) => typeOf(id) === "PCI").length,
        many = model.gpus.length > 2;
    const c2c = [...model.links.values()].some((rows) => rows[0].type === "C2C");
    const flat =
        many &&
        !pci &&
        !c2c &&
        model.gpus.every((node) =>
            [...model.links.keys()].some(
                (key) =>
                    key.startsWith(`${node.id}>CPU/`) && model.links.get(key)[0].type === "PCI",
            ),
        );
    return flat
        ? said(
              "every GPU hangs on its CPU, no PCIe switch is seen: a virtual machine may hide them",
              "limited",
              { view: "source" },
          )
        : said(
              pci
                  ? `looks real: ${plural(pci, "PCIe switch", "PCIe switches")}`
                  : c2c
                    ? "looks real: C2C links to the CPUs"
                    : "no sign of hidden PCIe switches",
              "good",
              { view: "source" },
          );
}

function peers(model, { pair }) {
    if (pair)
        return said(
            `compared with ${pair.b.name || "another dump"}: ${lower(pair.summary)}`,
            pair.equal && pair.same_decisions ? "good" : pair.equal ? null : "limited",
            { view: "compare" },
        );
    return said(
        "compare it with the dump of another host, or many of the library with their majority",
        null,
        { view: "compare" },
    );
}

function pxn(model) {
    const devs = model.doc.net_devs ?? [];
    if (!devs.length)
        return model.doc.summary?.machine?.nets ? needsHosts(model.doc) : said("no NIC");
    const via = devs.filter((row) => row.proxy_rank !== row.rank),
        ring = (model.doc.graphs ?? []).find((row) => row.name === "ring");
    const cross = ring?.cross_nic
        ? `; rings ${ring.cross_nic > 1 ? "alternate between" : "cross"} rails`
        : "; rings keep to their rail";
    const first = via[0];
    return said(
        (via.length
            ? `PXN for ${via.length} of ${devs.length} pairs of GPU and channel, such as GPU ${first.rank} ` +
              `through GPU ${first.proxy_rank}`
            : "no PXN") + cross,
        null,
        first
            ? {
                  view: "matrix",
                  panel: "selection",
                  from: model.gpuOfRank.get(first.rank) ?? "",
                  to: first.net,
              }
            : { view: "channels", graph: "ring" },
    );
}

function nvls(model) {
    const { doc, nodes, gpus } = model,
        count = doc.channels?.nvls?.channels ?? 0;
    if (count)
        return said(`yes, ${plural(count, "channel")}`, "good", {
            view: "channels",
            graph: "nvls",
            channel: 0,
        });
    const hub = [...nodes.keys()].some((id) => id.startsWith("NVS/")),
        old = gpus.find((node) => node.sm !== undefined && node.sm < 90);
    const why =
        "NCCL_NVLS_ENABLE" in (doc.settings ?? {})
            ? "by NCCL_NVLS_ENABLE"
            : !hub
              ? "there is no NVSwitch"
              : old
                ? `it needs capability 9.0, these have ` +
                  `${deviceFacts(model, old.id).find(([n]) => n === "Capability")?.[1]}`
                : doc.ranks <= 2
                  ? "two ranks do not need it"
                  : (doc.graphs ?? []).some(({ name, channels }) => name === "nvls" && !channels)
                    ? "the search found no channel for it"
                    : `by a rule of NCCL ${doc.nccl}`;
    return said(
        `off: ${why}`,
        null,
        "NCCL_NVLS_ENABLE" in (doc.settings ?? {})
            ? { panel: "settings" }
            : { view: "channels", graph: "nvls" },
    );
}

function domain(model) {
    const c2c = [...model.links.values()]
            .flat()
            .filter((row) => row.type === "C2C" && typeOf(row.from) === "CPU").length,
        systems = new Set(model.gpus.map((node) => parseId(node.id).system));
    if (systems.size > 1)
        return said(`${systems.size} hosts fused in one NVLink domain`, null, { view: "machine" });
    return c2c
        ? said(`one host; ${plural(c2c, "C2C link")} from CPUs to GPUs`, null, {
              view: "matrix",
              cell: "type",
          })
        : said("none: one host, no C2C links", null, { view: "machine" });
}

function settings({ doc }) {
    const given = Object.keys(doc.settings ?? {});
    return given.length
        ? said(
              `${given.join(", ")} given: what ${given.length > 1 ? "they change" : "it changes"}`,
              null,
              { view: "diff", against: given.map((name) => `${name}=`), change: "" },
          )
        : said("none given; see what NCCL_P2P_LEVEL=SYS would change", null, {
              view: "diff",
              against: ["NCCL_P2P_LEVEL=SYS"],
              change: "",
          });
}

function release({ doc }, { releases }) {
    const rows = releases.filter((row) => row.name !== doc.nccl),
        at = releases.findIndex((row) => row.name === doc.nccl);
    const before = releases[at + 1] ?? rows[0];
    return before
        ? said(`see what ${before.name} would decide`, null, {
              view: "diff",
              against: [before.name],
              change: "",
          })
        : said("the differences", null, { view: "diff" });
}

function log(model, { log: check, other }) {
    if (other)
        return said("the log that was opened is from another machine", null, { view: "log" });
    if (check?.agree + check?.differ > 0)
        return said(lower(verdictText(check)), check.verdict === "agrees" ? "good" : "limited", {
            view: "log",
        });
    return said("needs a log of the job (NCCL_DEBUG=INFO)", null, { view: "log" });
}
