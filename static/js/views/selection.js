// SPDX-License-Identifier: Apache-2.0
/* The selected device, or the selected path with its hops, its narrowest link and the decision it leads to. */
import { h } from "../dom.js";
import { loads } from "../channels.js";
import { flawedLinks } from "../diagnosis.js";
import { whyOfSelection } from "../why.js";
import { nicTable } from "../nics.js";
import { nicsOfGpu } from "./nics.js";
import {
    bandwidth,
    deviceFacts,
    GRAPH_NAMES,
    hops,
    KINDS,
    pathsFrom,
    reason,
    shortName,
    typeOf,
    verdict,
} from "../model.js";

const sentence = (text) =>
    text ? `${text[0].toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}` : "";
const kind = (type) => h(`span.kind.k-${type}`, { title: KINDS[type] }, type);

/** other: {model, names} of the other side of a comparison, or null. extending: the next device that is chosen is the
 * end of a path. actions: extend(on), select(from, to), setting(name), hosts(n). */
export function selectionView({ model, network = null, other, state, extending = false, actions }) {
    if (!model.nodes.has(state.from) || (state.to && !model.nodes.has(state.to))) {
        const missing = model.nodes.has(state.from) ? state.to : state.from;
        return h(
            "div",
            { id: "not-here" },
            h(
                "p",
                null,
                `${missing} is not in this analysis. `,
                h("button.text", { type: "button", onclick: actions.clear }, "clear"),
            ),
            ["NET", "NIC"].includes(typeOf(missing)) &&
                model.doc.hosts === 1 && [
                    h("p.note", null, "With one host NCCL drops the NICs."),
                    h(
                        "button",
                        { type: "button", onclick: () => actions.hosts(2) },
                        "Take two hosts",
                    ),
                ],
        );
    }
    return state.to
        ? [pathView(model, state, actions), other && beforeAfter(model, other, state)]
        : deviceView(model, network, state, extending, actions);
}

const whyButtons = (model, state, actions) =>
    whyOfSelection(model, state).map(({ why, label }, i) => [
        h(
            "button",
            {
                type: "button",
                "data-key": `ask:${why}`,
                title: `${label} ( w )`,
                onclick: () => actions.why(why),
            },
            i ? `Why? ${label.split(",")[0].split(" ")[0]}` : "Why?",
        ),
        " ",
    ]);

/* The NICs of a GPU; on one host, those that it would use on two. */
function nicsOf(model, network, gpu, actions) {
    const row = nicTable(network ?? model).find((one) => one.gpu === gpu);
    return (
        row?.nics.length > 0 && [
            h("h3", null, network ? `NICs on ${network.doc.hosts} hosts` : "NICs"),
            nicsOfGpu(row, actions.nic),
        ]
    );
}

function deviceView(model, network, state, extending, actions) {
    const { from } = state;
    const rows = pathsFrom(model, from);
    return [
        h(
            "div.path-head",
            null,
            h("h2", null, shortName(model, from)),
            h(
                "button",
                {
                    type: "button",
                    "data-key": "extend",
                    "aria-pressed": String(extending),
                    title: "Then click the other end on the drawing (or Shift+click it)",
                    onclick: () => actions.extend(!extending),
                },
                "Path to…",
            ),
            h("button.text", { type: "button", onclick: actions.clear }, "clear"),
        ),
        extending &&
            h(
                "p.note",
                { id: "extending", role: "status" },
                "Now click the device at the other end of the path, on the drawing or in the list below.",
            ),
        h(
            "dl.facts",
            null,
            deviceFacts(model, from).map(([name, value]) => [
                h("dt", null, name),
                h("dd", null, value),
            ]),
        ),
        h(
            "p",
            null,
            h(
                "button.text",
                { type: "button", "data-key": "show-source", onclick: actions.source },
                actions.lineOf(from)
                    ? `Line ${actions.lineOf(from)} of the dump`
                    : "Show in the dump",
            ),
            " ",
            whyButtons(model, state, actions),
        ),
        nicsOf(model, network, from, actions),
        rows.length > 0 &&
            h(
                "table.wide",
                null,
                h("caption.unseen", null, `Paths from ${shortName(model, from)}`),
                h(
                    "thead",
                    null,
                    h(
                        "tr",
                        null,
                        h("th", null, "Path to"),
                        h("th", null, "Type"),
                        h("th.num", null, "GB/s"),
                        h("th.num", null, "Hops"),
                        h("th", null, "Verdict"),
                    ),
                ),
                h(
                    "tbody",
                    null,
                    rows.map((path) => {
                        const decision = verdict(model, path.from, path.to);
                        return h(
                            "tr.click",
                            { onclick: () => actions.select(path.from, path.to) },
                            h(
                                "td",
                                null,
                                h("button.text", { type: "button" }, shortName(model, path.to)),
                            ),
                            h("td", null, kind(path.type)),
                            h("td.num", null, bandwidth(path.bw)),
                            h("td.num", null, String(path.hops.length)),
                            h(
                                "td",
                                null,
                                decision
                                    ? `${decision.kind} ${decision.yes ? "yes" : decision.part ? "one way" : "no"}`
                                    : "",
                            ),
                        );
                    }),
                ),
            ),
        rows.length === 0 &&
            h("p.note", null, "NCCL keeps paths between GPUs, NICs (NET) and CPUs."),
    ];
}

function pathView(model, state, actions) {
    const { from, to } = state;
    const path = model.paths.get(`${from}>${to}`),
        decision = from === to ? null : verdict(model, from, to);
    const head = h(
        "div.path-head",
        null,
        h("h2", null, `${shortName(model, from)} → ${shortName(model, to)}`),
        h("button.text", { type: "button", onclick: () => actions.select(to, from) }, "reverse"),
        h("button.text", { type: "button", onclick: actions.clear }, "clear"),
    );
    if (!path) return [head, linkView(model, from, to, actions)];
    const rows = hops(model, path),
        diversion = model.diversions.get(`${from}>${to}`);
    return [
        head,
        h("p", null, kind(path.type), " ", h("span.big", null, bandwidth(path.bw)), " GB/s"),
        h("p.muted", null, sentence(diversion ?? KINDS[path.type] ?? "")),
        h("p", null, whyButtons(model, state, actions)),
        rows.length > 0 &&
            h(
                "table.wide.hops",
                null,
                h("caption.unseen", null, "Hops"),
                h(
                    "thead",
                    null,
                    h(
                        "tr",
                        null,
                        h("th.num", null, "Hop"),
                        h("th", null, "To"),
                        h("th", null, "Link"),
                        h("th.num", null, "GB/s"),
                        h("th", null, h("span.unseen", null, "Remark")),
                    ),
                ),
                h(
                    "tbody",
                    null,
                    rows.map((row, i) =>
                        h(
                            row.narrowest ? "tr.narrow" : "tr",
                            null,
                            h("td.num", null, String(i + 1)),
                            h("td.wrap", { title: row.to }, shortName(model, row.to)),
                            h("td", null, kind(row.type)),
                            h("td.num", null, bandwidth(row.bw)),
                            h("td", null, row.narrowest ? "narrowest" : ""),
                        ),
                    ),
                ),
            ),
        decision?.rows.map((row) =>
            h(
                "section.verdict",
                { "data-verdict": row.yes ? "yes" : "no" },
                h("h3", null, row.what, h(`span.kind.k-${row.yes ? "yes" : "no"}`, null, row.text)),
                row.why && h("p", null, reason(model, row.why)),
                row.why?.setting &&
                    h(
                        "p.muted",
                        null,
                        row.why.by_user ? "You set " : "Moved by ",
                        h(
                            "button.text.mono",
                            { type: "button", onclick: () => actions.setting(row.why.setting) },
                            row.why.setting,
                        ),
                        ".",
                    ),
            ),
        ),
        typeOf(from) === "GPU" &&
            typeOf(to) === "GPU" &&
            from !== to &&
            !decision &&
            h("p.note", null, "No verdict: these GPUs take no part."),
    ];
}

/* Two devices without a path may be the ends of a link: what it is, and what each graph puts on it. */
function linkView(model, from, to, actions) {
    const links = model.links.get(`${from}>${to}`) ?? [];
    if (!links.length) return h("p", null, "NCCL keeps no path between these two.");
    const rows = (model.doc.graphs ?? []).flatMap((graph) =>
        loads(model, graph.name)
            .filter((row) => row.from === from && row.to === to)
            .map((row) => [graph.name, row]),
    );
    return [
        ...links.map((link) =>
            h(
                "p",
                null,
                kind(link.type),
                " ",
                h("span.big", null, bandwidth(link.bw)),
                " GB/s, one link",
            ),
        ),
        ...flawedLinks(model, model.doc.findings ?? [])
            .filter(({ link }) => link.includes(from) && link.includes(to))
            .flatMap(({ findings }) => findings)
            .map((row) =>
                h(
                    "p",
                    null,
                    h(`span.sev-${row.severity}`, null, row.severity),
                    " ",
                    h(
                        "button.text",
                        { type: "button", onclick: () => actions.finding(row) },
                        row.title,
                    ),
                    `: ${row.detail}.`,
                ),
            ),
        rows.length
            ? h(
                  "table.wide",
                  { id: "link-load" },
                  h("caption", null, "What channels put on it"),
                  h(
                      "thead",
                      null,
                      h(
                          "tr",
                          null,
                          h("th", null, "Graph"),
                          h("th", null, "Channels"),
                          h("th.num", null, "Used GB/s"),
                          h("th.num", null, "Left GB/s"),
                      ),
                  ),
                  h(
                      "tbody",
                      null,
                      rows.map(([name, row]) =>
                          h(
                              "tr",
                              null,
                              h("td", null, GRAPH_NAMES[name] ?? name),
                              h("td.wrap", null, row.channels.join(" ")),
                              h("td.num", null, bandwidth(row.used)),
                              h("td.num", null, bandwidth(row.left)),
                          ),
                      ),
                  ),
              )
            : h("p.note", null, "NCCL's search reserves none of it in this direction."),
    ];
}

/* The same path on the other side, line by line what differs. */
function beforeAfter(model, { model: after, names }, { from, to }) {
    const told = (side) => {
        const path = side.paths.get(`${from}>${to}`),
            decision = verdict(side, from, to);
        return [
            ["Type", path?.type ?? "–"],
            ["GB/s", path ? bandwidth(path.bw) : "–"],
            ["Route", path ? path.hops.map((id) => shortName(side, id)).join(" → ") || "–" : "–"],
            ...(decision?.rows ?? []).map((row) => [row.what, row.text]),
            ["Rule", decision?.rows[0]?.why ? reason(side, decision.rows[0].why) : "–"],
        ];
    };
    const a = told(model),
        b = new Map(/** @type {any} */ (told(after)));
    return h(
        "section.verdict",
        { id: "before-after", "aria-label": "Before and after" },
        h(
            "table.wide",
            null,
            h("caption.unseen", null, "This path on both sides"),
            h(
                "thead",
                null,
                h("tr", null, h("td", null, ""), h("th", null, names.a), h("th", null, names.b)),
            ),
            h(
                "tbody",
                null,
                a.map(([what, text]) =>
                    h(
                        "tr",
                        null,
                        h("th", { scope: "row" }, what),
                        h("td.wrap", null, text),
                        h(
                            b.get(what) === text ? "td.wrap.zero" : "td.wrap.after",
                            null,
                            b.get(what) === text ? "the same" : (b.get(what) ?? "–"),
                        ),
                    ),
                ),
            ),
        ),
    );
}
