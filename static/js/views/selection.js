// SPDX-License-Identifier: Apache-2.0
/* The selected device, or the selected path with its hops, its narrowest link and the decision it leads to. */
import { button, facts, h, table, textButton } from "../dom.js";
import { loads } from "../channels.js";
import { flawedLinks } from "../diagnosis.js";
import { sentence } from "./problem.js";
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

const kind = (type) => h(`span.kind.k-${type}`, { title: KINDS[type] }, type);

/** other: {model, names} of the other side of a comparison, or null. extending: the next device that is chosen is the
 * end of a path. actions: extend(on), select(from, to), setting(name), hosts(n). */
export function selectionView({ model, network = null, other, state, extending = false, actions }) {
    if (!model.nodes.has(state.from) || (state.to && !model.nodes.has(state.to))) {
        const missing = model.nodes.has(state.from) ? state.to : state.from;
        return h("div", { id: "not-here" }, [
            h("p", [
                `${missing} is not in this analysis. `,
                textButton(null, "clear", actions.clear),
            ]),
            ["NET", "NIC"].includes(typeOf(missing)) &&
                model.doc.hosts === 1 && [
                    h("p.note", "With one host NCCL drops the NICs."),
                    button(null, "Take two hosts", () => actions.hosts(2)),
                ],
        ]);
    }
    return state.to
        ? [pathView(model, state, actions), other && beforeAfter(model, other, state)]
        : deviceView(model, network, state, extending, actions);
}

const whyButtons = (model, state, actions) =>
    whyOfSelection(model, state).map(({ why, label }, i) => [
        button(
            `ask:${why}`,
            i ? `Why? ${label.split(",")[0].split(" ")[0]}` : "Why?",
            () => actions.why(why),
            { title: `${label} ( w )` },
        ),
        " ",
    ]);

/* The NICs of a GPU; on one host, those that it would use on two. */
function nicsOf(model, network, gpu, actions) {
    const row = nicTable(network ?? model).find((one) => one.gpu === gpu);
    if (!row?.nics.length) return null;
    return [
        h("h3", network ? `NICs on ${network.doc.hosts} hosts` : "NICs"),
        nicsOfGpu(row, actions.nic),
    ];
}

function deviceView(model, network, state, extending, actions) {
    const { from } = state;
    const rows = pathsFrom(model, from);
    return [
        h("div.path-head", [
            h("h2", shortName(model, from)),
            button("extend", "Path to…", () => actions.extend(!extending), {
                pressed: extending,
                title: "Then click the other end on the drawing (or Shift+click it)",
            }),
            textButton(null, "clear", actions.clear),
        ]),
        extending &&
            h("p.note", { id: "extending", role: "status" }, [
                "Now click the device at the other end of the path, on the drawing or in the list below.",
            ]),
        facts(deviceFacts(model, from)),
        h("p", [
            textButton(
                "show-source",
                actions.lineOf(from)
                    ? `Line ${actions.lineOf(from)} of the dump`
                    : "Show in the dump",
                actions.source,
            ),
            " ",
            whyButtons(model, state, actions),
        ]),
        nicsOf(model, network, from, actions),
        rows.length > 0 &&
            table(
                `Paths from ${shortName(model, from)}`,
                ["Path to", "Type", "#GB/s", "#Hops", "Verdict"],
                rows.map((path) => {
                    const decision = verdict(model, path.from, path.to);
                    return {
                        tag: "tr.click",
                        props: { onclick: () => actions.select(path.from, path.to) },
                        cells: [
                            h("button.text", shortName(model, path.to)),
                            kind(path.type),
                            bandwidth(path.bw),
                            String(path.hops.length),
                            decision
                                ? `${decision.kind} ${decision.yes ? "yes" : decision.part ? "one way" : "no"}`
                                : "",
                        ],
                    };
                }),
                { scroll: false },
            ),
        rows.length === 0 && h("p.note", "NCCL keeps paths between GPUs, NICs (NET) and CPUs."),
    ];
}

function pathView(model, state, actions) {
    const { from, to } = state;
    const path = model.paths.get(`${from}>${to}`),
        decision = from === to ? null : verdict(model, from, to);
    const head = h("div.path-head", [
        h("h2", `${shortName(model, from)} → ${shortName(model, to)}`),
        textButton(null, "reverse", () => actions.select(to, from)),
        textButton(null, "clear", actions.clear),
    ]);
    if (!path) return [head, linkView(model, from, to, actions)];
    const rows = hops(model, path),
        diversion = model.diversions.get(`${from}>${to}`);
    return [
        head,
        h("p", kind(path.type), " ", h("span.big", bandwidth(path.bw)), " GB/s"),
        h("p.muted", sentence(diversion ?? KINDS[path.type] ?? "")),
        h("p", whyButtons(model, state, actions)),
        rows.length > 0 &&
            table(
                "Hops",
                ["#Hop", "To", "Link", "#GB/s", "(Remark)"],
                rows.map((row, i) => ({
                    tag: row.narrowest ? "tr.narrow" : "tr",
                    cells: [
                        String(i + 1),
                        h("td.wrap", { title: row.to }, shortName(model, row.to)),
                        kind(row.type),
                        bandwidth(row.bw),
                        row.narrowest ? "narrowest" : "",
                    ],
                })),
                { tag: "table.wide.hops", scroll: false },
            ),
        decision?.rows.map((row) =>
            h("section.verdict", { "data-verdict": row.yes ? "yes" : "no" }, [
                h("h3", row.what, h(`span.kind.k-${row.yes ? "yes" : "no"}`, row.text)),
                row.why && h("p", reason(model, row.why)),
                row.why?.setting &&
                    h("p.muted", [
                        row.why.by_user ? "You set " : "Moved by ",
                        button(null, row.why.setting, () => actions.setting(row.why.setting), {
                            class: "text mono",
                        }),
                        ".",
                    ]),
            ]),
        ),
        typeOf(from) === "GPU" &&
            typeOf(to) === "GPU" &&
            from !== to &&
            !decision &&
            h("p.note", "No verdict: these GPUs take no part."),
    ];
}

/* Two devices without a path may be the ends of a link. Shows what it is, and how much each graph puts on it. */
function linkView(model, from, to, actions) {
    const links = model.links.get(`${from}>${to}`) ?? [];
    if (!links.length) return h("p", "NCCL keeps no path between these two.");
    const rows = (model.doc.graphs ?? []).flatMap((graph) =>
        loads(model, graph.name)
            .filter((row) => row.from === from && row.to === to)
            .map((row) => [graph.name, row]),
    );
    return [
        ...links.map((link) =>
            h("p", kind(link.type), " ", h("span.big", bandwidth(link.bw)), " GB/s, one link"),
        ),
        ...flawedLinks(model, model.doc.findings ?? [])
            .filter(({ link }) => link.includes(from) && link.includes(to))
            .flatMap(({ findings }) => findings)
            .map((row) =>
                h("p", [
                    h(`span.sev-${row.severity}`, row.severity),
                    " ",
                    textButton(null, row.title, () => actions.finding(row)),
                    `: ${row.detail}.`,
                ]),
            ),
        rows.length
            ? table(
                  "What channels put on it",
                  ["Graph", "~Channels", "#Used GB/s", "#Left GB/s"],
                  rows.map(([name, row]) => [
                      GRAPH_NAMES[name] ?? name,
                      row.channels.join(" "),
                      bandwidth(row.used),
                      bandwidth(row.left),
                  ]),
                  { id: "link-load", scroll: false, caption: "What channels put on it" },
              )
            : h("p.note", "NCCL's search reserves none of it in this direction."),
    ];
}

/* The same path on the other side, with the differences line by line. */
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
    return h("section.verdict", { id: "before-after", "aria-label": "Before and after" }, [
        table(
            "This path on both sides",
            ["", names.a, names.b],
            a.map(([what, text]) => {
                const now = b.get(what) ?? "–",
                    same = now === text;
                return [
                    what,
                    h("td.wrap", text),
                    h(same ? "td.wrap.zero" : "td.wrap.after", same ? "the same" : now),
                ];
            }),
            { rowHeads: true, scroll: false },
        ),
    ]);
}
