// SPDX-License-Identifier: Apache-2.0
/* Clusters: the list of those that are kept, and one of them from above: hosts, kinds, who sets what, NICs,
 * links, groups. */
import {
    behind,
    busiest,
    calledHosts,
    clusterName,
    domainSentence,
    fieldName,
    fullestSentence,
    hostNames,
    hostsOf,
    letter,
    MOST_TILES,
    odd,
    order,
    railMap,
    railSentence,
    ranges,
    runs,
    sentence,
    used,
} from "../cluster.js";
import { DRAWN } from "../cluster_picture.js";
import { capital, costs, costText } from "../diagnosis.js";
import { choices, fold, h, withCode } from "../dom.js";
import { deviceName, GRAPH_NAMES } from "../model.js";
import { address, DEFAULTS, MOST_HOSTS } from "../state.js";
import { problemView } from "./problem.js";
import { transfersView } from "./transfers.js";

const number = (value) =>
    Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : 1);
const scroll = (label, table) =>
    h("div.scroll", { tabindex: "0", role: "group", "aria-label": label }, table);
/* "#" before a name: a column of figures; "" means the bar beside one. */
const head = (...names) =>
    h(
        "thead",
        null,
        h(
            "tr",
            null,
            names.map((name) =>
                h(
                    name.startsWith("#") ? "th.num" : "th",
                    null,
                    name ? name.replace("#", "") : h("span.unseen", null, "Share"),
                ),
            ),
        ),
    );
const share = (value, of, what, high = "0.999") =>
    h("meter", {
        min: "0",
        max: "1",
        high,
        value: String(Math.min(1, of ? value / of : 0)),
        "aria-label": what,
        title: `${Math.round((of ? value / of : 0) * 100)} %`,
    });

/** clusters: see clusters.js. actions: reload(), keep(text), remove(id), layout(text), group(text), those of
 * transfers.js, home(), library(). */
export function clustersView({ clusters, state, actions }) {
    const { problem, one } = clusters;
    return h(
        "div.library.clusters",
        { "aria-busy": String(clusters.busy) },
        problem && problemView(problem, { again: actions.reload }),
        problem &&
            !state.cluster &&
            h(
                "p",
                { id: "cluster-example" },
                "A description that works: ",
                h("code", null, EXAMPLE),
            ),
        state.cluster
            ? one
                ? oneCluster({ one, clusters, state, actions })
                : !problem && h("p.muted", null, "Computing…")
            : list({ clusters, state, actions }),
    );
}

const EXAMPLE = '{"hosts": [{"machine": "hgx-h100", "count": 2}]}';

function list({ clusters, state, actions }) {
    const text = h("textarea", {
        id: "cluster-text",
        rows: "5",
        spellcheck: "false",
        "aria-label": "Description of a cluster",
        placeholder:
            '{"hosts": [{"topology": "ID of a kept dump", "count": 4}, {"machine": "hgx-h100", "count": 2}], ' +
            '"ranks": "block"}',
        value: document.getElementById("cluster-text")?.value ?? "",
    });
    return [
        h(
            "header",
            null,
            h("h1", null, "Clusters"),
            h("p.muted", null, "Hosts of the same or of different machines in one communicator."),
        ),
        !clusters.items
            ? h("p.muted", null, "Loading…")
            : !clusters.items.length
              ? h("p", { id: "clusters-empty" }, "None is kept yet.")
              : scroll(
                    "Kept clusters",
                    h(
                        "table.wide",
                        { id: "clusters" },
                        h("caption.unseen", null, "Kept clusters"),
                        head("Name", "#Hosts", "Added (UTC)", "Do"),
                        h(
                            "tbody",
                            null,
                            clusters.items.map((row) =>
                                h(
                                    "tr",
                                    null,
                                    h(
                                        "td",
                                        null,
                                        h(
                                            "a",
                                            {
                                                href: address(state, { cluster: row.id }),
                                                "data-key": `cluster:${row.id}`,
                                            },
                                            row.name || row.id.slice(0, 12),
                                        ),
                                    ),
                                    h("td.num", null, String(row.hosts)),
                                    h("td", null, row.created.slice(0, 16).replace("T", " ")),
                                    h(
                                        "td",
                                        null,
                                        h(
                                            "button",
                                            {
                                                type: "button",
                                                "data-key": `delete:${row.id}`,
                                                "aria-label": `Delete ${row.name || row.id}`,
                                                onclick: () => actions.remove(row.id),
                                            },
                                            "Delete",
                                        ),
                                    ),
                                ),
                            ),
                        ),
                    ),
                ),
        h("h2", null, "Make one"),
        h(
            "p",
            null,
            "Drop the dumps of all hosts on this page at once, or a tar, tar.gz or zip file of them. Or " +
                "choose " +
                "hosts in the library: ",
            h(
                "button",
                { type: "button", "data-key": "from-library", onclick: actions.library },
                "Choose in the library",
            ),
        ),
        h("h2", null, "Or describe one"),
        h(
            "p.muted",
            null,
            "Dumps are named by their ids, which the library shows. A host may take some of its GPUs (gpus), " +
                "share an NVLink domain with others (domain), and say what its GPUs report of it " +
                "(fabric: uuid, clique, state). " +
                "Ranks are block, cyclic, or a list with the host of every rank.",
        ),
        text,
        h(
            "p",
            null,
            h(
                "button",
                {
                    type: "button",
                    "data-key": "keep-cluster",
                    onclick: () => actions.keep(text.value),
                },
                "Keep and open",
            ),
        ),
    ];
}

function oneCluster({ one, clusters, state, actions }) {
    const { record, view, doc, findings } = one;
    return [
        h(
            "header",
            null,
            h("h1", null, clusterName(record)),
            h("p.muted", null, `NCCL ${doc.nccl}`),
            h(
                "a",
                {
                    href: address(state, { cluster: "", groups: "", group: "", rank: 0, round: 0 }),
                    "data-key": "all-clusters",
                },
                "All clusters",
            ),
        ),
        h("p", { id: "cluster-sentence" }, sentence(view, doc)),
        found(findings, view, record, state, actions),
        hosts(view, record),
        picture({ view, doc, clusters, findings, state, actions }),
        kinds(view, record),
        domains(view.mnnvl, record),
        alignment(view),
        traffic(view),
        groups({ clusters, state, actions }),
        h("h2", null, "Point to point"),
        whose(clusters, state, actions),
        transfersView({ schedule: clusters.schedule, state, actions }),
    ];
}

/* A ring or tree over the hosts, as the service draws it. */
function picture({ view, doc, clusters, findings, state, actions }) {
    if (view.hosts > MOST_HOSTS)
        return [
            h("h2", null, "Between hosts"),
            h("p.muted", { id: "no-picture" }, `Drawings show up to ${MOST_HOSTS} hosts.`),
        ];
    clusters.picture.mark(view, findings, state.finding, actions.finding);
    const { wanted, diagram } = clusters.picture,
        count = Math.max(1, doc.summary.channels),
        channel = Math.min(wanted.channel, count - 1),
        move = (by) => actions.channel((channel + by + count) % count);
    return [
        h("h2", null, "Between hosts"),
        h(
            "div.toolbar",
            null,
            choices(
                "Graph",
                DRAWN.map((name) => [name, GRAPH_NAMES[name]]),
                wanted.view,
                actions.graph,
            ),
            h(
                "div",
                { role: "group", "aria-label": "Channel" },
                h(
                    "button.icon",
                    {
                        type: "button",
                        "data-key": "previous",
                        disabled: count < 2,
                        "aria-label": "Previous channel",
                        onclick: () => move(-1),
                    },
                    "‹",
                ),
                " ",
                h("span.channel-no", { id: "channel-no" }, `channel ${channel} of ${count}`),
                " ",
                h(
                    "button.icon",
                    {
                        type: "button",
                        "data-key": "next",
                        disabled: count < 2,
                        "aria-label": "Next channel",
                        onclick: () => move(1),
                    },
                    "›",
                ),
            ),
            h(
                "div",
                { role: "group", "aria-label": "Take the drawing away" },
                ["svg", "dot"].map((format) => [
                    h(
                        "button",
                        {
                            type: "button",
                            "data-key": `take:${format}`,
                            onclick: () => actions.take(format),
                        },
                        format.toUpperCase(),
                    ),
                    " ",
                ]),
            ),
        ),
        h("div.cluster-picture", null, diagram.root),
        h(
            "p.muted",
            null,
            "Hosts that are alike and follow one another are one box. A dotted line (0→1) enters by another " +
                "rail than it left by; a thick dashed one (▼) is the narrowest.",
        ),
    ];
}

/* Every tile leads to the machine of its host. */
function hosts(view, record) {
    const strange = odd(view),
        rows = runs(view),
        names = hostNames(record);
    if (rows.length > MOST_TILES)
        return h(
            "p.muted",
            null,
            `${view.hosts} hosts in ${rows.length} runs are too many for tiles; the kinds of hosts are ` +
                `listed below.`,
        );
    return [
        h("h2", null, "Hosts"),
        h(
            "ol.tiles",
            { id: "tiles" },
            rows.map(({ from, to, kind, ranks }) =>
                h(
                    "li",
                    null,
                    h(
                        `a.tile${strange.includes(kind) ? ".odd" : ""}`,
                        {
                            href: machine(view, record, kind),
                            title: view.kinds[kind].machine.sentence,
                            "data-key": `host:${from}`,
                        },
                        h("b", null, from === to ? `${from}` : `${from}–${to}`),
                        from === to && names[from] && h("span.called", null, ` ${names[from]}`),
                        ` ${letter(kind)}`,
                        h(
                            "span.muted",
                            null,
                            ` ${ranks} GPU${ranks === 1 ? "" : "s"}${from === to ? "" : " each"}`,
                        ),
                        view.slowest.includes(kind) && h("b.slow", null, " slowest"),
                        strange.includes(kind) && h("span.unseen", null, ", unlike most"),
                    ),
                ),
            ),
        ),
    ];
}

function machine(view, record, kind) {
    const { topology = "", machine: type = "" } = record.description.hosts[view.kinds[kind].line];
    return address(DEFAULTS, { id: topology, machine: type, hosts: Math.min(view.hosts, 512) });
}

function kinds(view, record) {
    const best = Math.max(...view.kinds.map((kind) => kind.ring_bw));
    return [
        h("h2", null, "Kinds of hosts"),
        scroll(
            "Kinds of hosts",
            h(
                "table.wide",
                { id: "kinds" },
                h("caption.unseen", null, "Kinds of hosts"),
                head(
                    "Kind",
                    "#Hosts",
                    "#GPUs",
                    "#Channels alone",
                    "#GB/s alone",
                    "",
                    "Why",
                    "Machine",
                ),
                h(
                    "tbody",
                    null,
                    view.kinds.map((kind, k) =>
                        h(
                            "tr",
                            null,
                            h(
                                "th",
                                { scope: "row" },
                                letter(k),
                                kind.odd && h("span.unseen", null, ", unlike most"),
                            ),
                            h(
                                "td.num",
                                { title: `hosts ${hostsOf(kind)}` },
                                String(kind.host_count),
                            ),
                            h("td.num", null, String(kind.ranks)),
                            h("td.num", null, String(kind.channels)),
                            h("td.num", null, number(kind.ring_bw)),
                            h(
                                "td",
                                null,
                                share(kind.ring_bw, best, "of the best kind", null),
                                view.slowest.includes(k) && h("b", null, " slowest"),
                            ),
                            h("td.wrap", null, behind(kind) || "–"),
                            h(
                                "td.wrap",
                                null,
                                h(
                                    "a",
                                    { href: machine(view, record, k), "data-key": `kind:${k}` },
                                    kind.machine.sentence,
                                ),
                            ),
                        ),
                    ),
                ),
            ),
        ),
    ];
}

/* Who is of which clique, where something is said of NVLink fabrics. */
function domains(mnnvl, { description }) {
    const sentence = domainSentence(mnnvl, description);
    return (
        sentence && [
            h("h2", null, "NVLink domains"),
            h("p", { id: "domains-sentence" }, sentence),
            mnnvl.cliques.length > 0 &&
                scroll(
                    "NVLink domains",
                    h(
                        "table.wide",
                        { id: "domains" },
                        h("caption.unseen", null, "NVLink domains"),
                        head("Domain", "Cluster UUID", "#Clique", "#Hosts", "#GPUs", "Which hosts"),
                        h(
                            "tbody",
                            null,
                            mnnvl.cliques.map((row) =>
                                h(
                                    "tr",
                                    null,
                                    h("th", { scope: "row" }, row.domain ?? "–"),
                                    h("td", null, row.uuid),
                                    h("td.num", null, String(row.clique)),
                                    h("td.num", null, String(row.host_count)),
                                    h("td.num", null, String(row.ranks)),
                                    h("td.wrap", null, ranges(row.hosts)),
                                ),
                            ),
                        ),
                    ),
                ),
        ]
    );
}

function alignment(view) {
    return [
        h("h2", null, "Values that all hosts share"),
        !view.alignment.length
            ? h("p", { id: "aligned" }, "All hosts have the same values.")
            : scroll(
                  "Values that all hosts share",
                  h(
                      "table",
                      { id: "alignment" },
                      h(
                          "caption.unseen",
                          null,
                          "Values that all hosts share, and the kind of host that sets them",
                      ),
                      head(
                          "Graph",
                          "Value",
                          "#All use",
                          "Set by",
                          ...view.kinds.map((_, k) => `#${letter(k)} alone`),
                      ),
                      h(
                          "tbody",
                          null,
                          view.alignment.map((row) =>
                              h(
                                  "tr",
                                  null,
                                  h("td", null, row.graph),
                                  h("td", null, fieldName(row.field)),
                                  h("td.num.best", null, text(row.value)),
                                  h("td", null, row.set_by.map(letter).join(", ") || "–"),
                                  row.values.map((value) => h("td.num", null, text(value))),
                              ),
                          ),
                      ),
                  ),
              ),
    ];
}

const text = (value) => (typeof value === "number" ? number(value) : value);

/* Findings that need attention come first, with their cost; notes are folded. */
function found(findings, view, record, state, actions) {
    const rows = order(findings),
        faults = rows.filter(({ severity }) => severity !== "info"),
        notes = rows.filter(({ severity }) => severity === "info"),
        names = hostNames(record);
    const where = ({ kinds, where: at }) =>
        at?.node && kinds.length === 1 && view.kinds.length > 1
            ? ` on ${calledHosts(view.kinds[kinds[0]], names)}`
            : "";
    const list = (some) =>
        h(
            "ul.cluster-findings",
            null,
            some.map((row) =>
                h(
                    "li",
                    { "data-finding": row.key },
                    h(`span.sev-${row.severity}`, null, row.severity),
                    " ",
                    row.kinds.length > 0 && row.severity !== "info" && view.hosts <= MOST_HOSTS
                        ? h(
                              "b",
                              null,
                              h(
                                  "button.text",
                                  {
                                      type: "button",
                                      "data-key": `light:${row.key}`,
                                      title: "Show on the drawing",
                                      "aria-pressed": String(state.finding === row.key),
                                      onclick: () => actions.light(row.key),
                                  },
                                  row.title,
                              ),
                          )
                        : h("b", null, row.title),
                    where(row),
                    row.detail && `: ${row.detail}.`,
                    row.id === "cluster-odd-host" &&
                        names.some(Boolean) &&
                        h(
                            "p",
                            { id: "odd-names" },
                            odd(view).map(
                                (k) =>
                                    `${capital(calledHosts(view.kinds[k], names))} ` +
                                    `differ${view.kinds[k].host_count === 1 ? "s" : ""}. `,
                            ),
                        ),
                    gainText(row) && h("p.cost", null, gainText(row)),
                    h("p.muted", null, withCode(row.advice)),
                ),
            ),
        );
    return [
        h("h2", null, "Findings"),
        h(
            "div",
            { id: "cluster-findings" },
            !faults.length
                ? h(
                      "p",
                      null,
                      notes.length
                          ? "No host differs from the others in anything that costs bandwidth."
                          : "No host differs from the others.",
                  )
                : list(faults),
            notes.length > 0 &&
                fold(
                    "cluster-notes",
                    `${notes.length} note${notes.length === 1 ? "" : "s"} (info)`,
                    list(notes),
                ),
        ),
    ];
}

/* What the job gets with these hosts and without them, or after a repair. */
const gainText = (row) =>
    row.id === "cluster-odd-host" && costs(row)
        ? `The job gets ${number(row.cost.now)} ${row.cost.unit} with them and ${number(row.cost.repaired)} ` +
          `${row.cost.unit} without them (${row.cost.for.replace(/^(bus bandwidth|time) of /, "")}).`
        : row.cost || row.no_cost
          ? `${costText(row)}.`
          : "";

function traffic(view) {
    const nics = used(view),
        links = busiest(view);
    return [
        h("h2", null, "Where rings go"),
        h("p", { id: "rails" }, railSentence(view.rails)),
        h("p", { id: "fullest" }, fullestSentence(view.fullest)),
        rails(view),
        nics.length > 0 &&
            scroll(
                "NICs",
                h(
                    "table",
                    { id: "nics" },
                    h("caption.unseen", null, "NICs"),
                    head("Kind", "NIC", "#Channels in", "#Channels out", "#GB/s", "#of", ""),
                    h(
                        "tbody",
                        null,
                        nics.map((row) =>
                            h(
                                "tr",
                                null,
                                h("td", null, letter(row.kind)),
                                h("td", null, deviceName(row.net)),
                                h("td.num", null, number(row.channels_in)),
                                h("td.num", null, number(row.channels_out)),
                                h("td.num", null, number(row.bw)),
                                h("td.num", null, number(row.port_bw)),
                                h("td", null, share(row.bw, row.port_bw, "of the port")),
                            ),
                        ),
                    ),
                ),
            ),
        links.length > 0 && [
            h("h3", null, "The fullest links"),
            scroll(
                "The fullest links",
                h(
                    "table",
                    { id: "busy-links" },
                    h("caption.unseen", null, "The fullest links"),
                    head("Kind", "From", "To", "Type", "#GB/s", "#of", ""),
                    h(
                        "tbody",
                        null,
                        links.map((row) =>
                            h(
                                "tr",
                                null,
                                h("td", null, letter(row.kind)),
                                h("td", null, deviceName(row.from)),
                                h("td", null, deviceName(row.to)),
                                h("td", null, row.type),
                                h("td.num", null, number(row.bw)),
                                h("td.num", null, number(row.link_bw)),
                                h("td", null, share(row.bw, row.link_bw, "of the link")),
                            ),
                        ),
                    ),
                ),
            ),
        ],
    ];
}

/* Whose transfers: those of all ranks, or of a group by its kind and number. */
function whose(clusters, state, actions) {
    const kinds = clusters.groups?.kinds ?? [],
        [name, at] = state.group.split(":"),
        kind = kinds.find((one) => one.name === name);
    if (!kinds.length) return null;
    const field = h("input.short", {
        type: "number",
        min: "0",
        max: String((kind?.groups ?? 1) - 1),
        value: at ?? "0",
        "data-key": "group:number",
        "aria-label": "Number of the group",
        onchange: () => /^\d+$/.test(field.value) && actions.group(`${name}:${field.value}`),
    });
    return h(
        "div.toolbar",
        null,
        choices(
            "Transfers of",
            [["", "All ranks"], ...kinds.map((one) => [one.name, one.name])],
            kind?.name ?? "",
            (value) => actions.group(value && `${value}:0`),
        ),
        kind && h("label", null, field, ` of ${kind.groups} groups`),
    );
}

/* Kinds of hosts by rails: the NIC, how full it is, channels that leave by it for another rail. */
function rails(view) {
    const { rails, rows } = railMap(view),
        cell = (nics, rail, kind) =>
            h(
                nics.length ? "td.rail" : "td.rail.gone",
                null,
                nics.length
                    ? nics.map((nic) =>
                          h(
                              "div",
                              {
                                  title:
                                      `${number(nic.channels_in)} channels in, ${number(nic.channels_out)} ` +
                                      `out, ${number(nic.bw)} of ${number(nic.port_bw)} GB/s`,
                              },
                              h("b", null, `NET ${parseInt(nic.net.split("-").at(-1), 16)}`),
                              share(nic.bw, nic.port_bw, `rail ${rail} of kind ${letter(kind)}`),
                              nic.crossing > 0
                                  ? h(
                                        "span.crosses",
                                        null,
                                        `${Math.round(nic.crossing * view.kinds[kind].systems)} cross`,
                                    )
                                  : !nic.bw && h("span.muted", null, "unused"),
                          ),
                      )
                    : h("span", null, "missing"),
            );
    return (
        rails.length > 0 && [
            h("h3", null, "Rails"),
            scroll(
                "Rails",
                h(
                    "table",
                    { id: "rail-map" },
                    h("caption.unseen", null, "Which NIC carries which rail on each kind of host"),
                    h(
                        "thead",
                        null,
                        h(
                            "tr",
                            null,
                            h("th", null, "Kind"),
                            h("th", null, "Hosts"),
                            rails.map((rail) => h("th", null, `Rail ${rail}`)),
                        ),
                    ),
                    h(
                        "tbody",
                        null,
                        rows.map(({ kind, cells }) =>
                            h(
                                "tr",
                                null,
                                h("th", { scope: "row" }, letter(kind)),
                                h("td", null, hostsOf(view.kinds[kind])),
                                cells.map((nics, i) => cell(nics, rails[i], kind)),
                            ),
                        ),
                    ),
                ),
            ),
        ]
    );
}

function groups({ clusters, state, actions }) {
    const field = h("input.filter", {
        id: "layout",
        "data-key": "layout",
        placeholder: "tp=8,pp=4",
        "aria-label": "Sizes of the groups",
        value: document.getElementById("layout")?.value ?? state.groups,
        onkeydown: (event) => event.key === "Enter" && actions.layout(field.value.trim()),
    });
    return [
        h("h2", null, "Parallel groups"),
        h(
            "p",
            null,
            field,
            " ",
            h(
                "button",
                {
                    type: "button",
                    "data-key": "form-groups",
                    onclick: () => actions.layout(field.value.trim()),
                },
                "Form groups",
            ),
        ),
        clusters.groups &&
            scroll(
                "Parallel groups",
                h(
                    "table",
                    { id: "groups" },
                    h("caption.unseen", null, "Parallel groups"),
                    head(
                        "Groups",
                        "#Of ranks",
                        "#Number",
                        "First",
                        "#Hosts",
                        "#Channels",
                        "Inside",
                        "Outside",
                        "AllReduce of 256 MiB",
                        "#GB/s",
                    ),
                    h(
                        "tbody",
                        null,
                        clusters.groups.kinds.flatMap((kind) =>
                            kind.shapes.map((shape) =>
                                h(
                                    "tr",
                                    null,
                                    h("th", { scope: "row" }, kind.name),
                                    h("td.num", null, String(kind.size)),
                                    h("td.num", null, String(shape.groups)),
                                    h(
                                        "td.wrap",
                                        null,
                                        `${shape.ranks.slice(0, 8).join(" ")}${kind.size > 8 ? " …" : ""}`,
                                    ),
                                    h("td.num", null, String(shape.hosts)),
                                    h("td.num", null, String(shape.channels)),
                                    h("td", null, shape.type_intra),
                                    h("td", null, shape.nodes > 1 ? shape.type_inter : "–"),
                                    h(
                                        "td",
                                        null,
                                        shape.all_reduce
                                            ? `${shape.all_reduce.algorithm} ${shape.all_reduce.protocol}`
                                            : "–",
                                    ),
                                    h(
                                        "td.num",
                                        null,
                                        shape.all_reduce ? number(shape.all_reduce.bus_bw) : "–",
                                    ),
                                ),
                            ),
                        ),
                    ),
                ),
            ),
        clusters.groups &&
            clusters.groups.kinds
                .filter((kind) => kind.nics.length)
                .map((kind) =>
                    h(
                        "p.muted",
                        null,
                        `${kind.name}: each host's busiest NIC sends ` +
                            `${number(Math.max(...kind.nics.map((nic) => nic.most)))} groups' worth of ` +
                            `ring traffic, the least used of ` +
                            `${kind.nics.length} ${number(Math.min(...kind.nics.map((nic) => nic.mean)))}.`,
                    ),
                ),
    ];
}
