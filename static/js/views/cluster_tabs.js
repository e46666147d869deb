// SPDX-License-Identifier: Apache-2.0
/* The other tabs of a cluster: releases, kinds of hosts, parallel groups, order, transfers. */
import {
    behind,
    calledHost,
    domainSentence,
    fieldName,
    hostsOf,
    letter,
    openKind,
    ranges,
    withDomains,
} from "../cluster.js";
import { button, choices, dropDown, h, link, numberField, share, table } from "../dom.js";
import { bandwidth } from "../model.js";
import { outcomesView } from "./outcomes.js";
import { answered } from "./problem.js";
import { releaseOptions } from "./settings.js";
import { transfersView } from "./transfers.js";

/* The other side of a comparison. */
const against = ([release = ""], releases, choose, label) =>
    h("div.toolbar", [
        dropDown(
            "cluster-against",
            label,
            [["", release ? "none" : "choose…"], ...releaseOptions(releases, release)],
            null,
            (value) => choose(value ? [value] : []),
        ),
    ]);

/** What 1, 2, 4 ... and all hosts get, and what they get with another release. actions: against(list). */
export const scalingTab = ({ clusters, releases, state, actions }) => [
    against(state.against, releases, actions.against, "Also with NCCL"),
    answered(clusters.asked, ({ sentence, outcomes }) => [
        h("p", { id: "scaling-sentence" }, h("b", sentence)),
        outcomesView(outcomes),
        h("p.muted", "A job on fewer hosts takes the first ones in the order of the ranks."),
    ]),
];

/** What another release gives on all hosts, and why. actions: against(list). */
export function releasesTab({ clusters, releases, state, actions }) {
    const [release = ""] = state.against;
    return [
        against(state.against, releases, actions.against, "Compare with NCCL"),
        release
            ? answered(clusters.asked, (diff) => [
                  h("p", { id: "diff-summary" }, h("b", diff.summary)),
                  outcomesView(diff.outcomes),
                  !diff.equal &&
                      table(
                          "Rules that change something",
                          ["Rule", diff.a.nccl, diff.b.nccl, "#Facts"],
                          diff.reasons.map((row) => [
                              h("td.wrap", row.text),
                              h("td.wrap", row.a),
                              h("td.wrap", row.b),
                              String(row.changed),
                          ]),
                          { id: "cluster-reasons" },
                      ),
              ])
            : h("p.muted", "Choose a release to see what these hosts get with it, and why."),
    ];
}

/** Kinds of hosts, what they do alone, and the values that all share. actions: keep(text). */
export function kindsTab({ one: { view, record }, actions }) {
    const best = Math.max(...view.kinds.map((kind) => kind.ring_bw));
    return [
        table(
            "Kinds of hosts",
            "Kind|#Hosts|#GPUs|#Channels alone|#GB/s alone|(Share)|Why|Machine",
            view.kinds.map((kind, k) => [
                [letter(k), kind.odd && h("span.unseen", ", unlike most")],
                h("td.num", { title: `hosts ${hostsOf(kind)}` }, String(kind.host_count)),
                String(kind.ranks),
                String(kind.channels),
                bandwidth(kind.ring_bw),
                [
                    share(kind.ring_bw, best, "of the best kind", null),
                    view.slowest.includes(k) && h("b", " slowest"),
                ],
                h("td.wrap", behind(kind) || "–"),
                h("td.wrap", [link(openKind(view, record, k), `kind:${k}`, kind.machine.sentence)]),
            ]),
            { id: "kinds", rowHeads: true },
        ),
        domains(view.mnnvl, record),
        domainMaker(view.hosts, record, actions),
        h("h2", "Values that all hosts share"),
        alignment(view),
    ];
}

/* The hosts of each clique, if anything is known about NVLink domains. */
function domains(mnnvl, { description }) {
    const sentence = domainSentence(mnnvl, description);
    if (!sentence) return null;
    return [
        h("h2", "NVLink domains"),
        h("p", { id: "domains-sentence" }, sentence),
        mnnvl.cliques.length > 0 &&
            table(
                "NVLink domains",
                ["Domain", "Cluster UUID", "#Clique", "#Hosts", "#GPUs", "Which hosts"],
                mnnvl.cliques.map((row) => [
                    row.domain ?? "–",
                    row.uuid,
                    String(row.clique),
                    String(row.host_count),
                    String(row.ranks),
                    h("td.wrap", ranges(row.hosts)),
                ]),
                { id: "domains", rowHeads: true },
            ),
    ];
}

const DOMAINS = [2, 4, 8, 9, 16, 18, 36, 72]; // hosts that share NVLink switches

/* The same hosts as another cluster, with other NVLink domains. */
function domainMaker(hosts, { name, description }, actions) {
    const sizes = DOMAINS.filter((size) => size <= hosts);
    if (!sizes.length) return null;
    // without onchange: a redraw then carries the choice, which nothing else keeps
    const size = h("select", { id: "domain-size", "data-key": "domain-size" }, [
        h("option", { value: "1" }, "none"),
        sizes.map((n) => h("option", { value: String(n) }, `${n} hosts each`)),
    ]);
    const make = () => {
        const made = withDomains(description, Number(size.value));
        actions.keep(JSON.stringify(name ? { ...made, name: `${name}, other domains` } : made));
    };
    return h(
        "div.toolbar",
        { id: "domain-maker", role: "group", "aria-label": "Other NVLink domains" },
        h("label.field", "The same hosts with NVLink domains ", size),
        button("make-domains", "Make a cluster", make),
    );
}

function alignment(view) {
    const text = (value) => (typeof value === "number" ? bandwidth(value) : value);
    return !view.alignment.length
        ? h("p", { id: "aligned" }, "All hosts have the same values.")
        : table(
              "Values that all hosts share, and the kind of host that sets them",
              [
                  "Graph",
                  "Value",
                  "#All use",
                  "Set by",
                  ...view.kinds.map((_, k) => `#${letter(k)} alone`),
              ],
              view.alignment.map((row) => [
                  row.graph,
                  fieldName(row.field),
                  h("td.num.best", text(row.value)),
                  row.set_by.map(letter).join(", ") || "–",
                  ...row.values.map(text),
              ]),
              { id: "alignment", tag: "table" },
          );
}

/** Parallel groups of a layout. actions: layout(text). */
export function groupsTab({ clusters, state, actions }) {
    const field = h("input.filter", {
        id: "layout",
        "data-key": "layout",
        placeholder: "tp=8,pp=4",
        "aria-label": "Sizes of the groups",
        value: state.groups,
        onkeydown: (event) => event.key === "Enter" && actions.layout(field.value.trim()),
    });
    return [
        h("p", [
            field,
            " ",
            button("form-groups", "Form groups", () => actions.layout(field.value.trim())),
        ]),
        state.groups
            ? answered(clusters.groups, groupTable)
            : h("p.muted", [
                  "Give the sizes of tensor (tp), pipeline (pp), expert (ep) and data (dp) parallel groups to " +
                      "see what each of them gets.",
              ]),
    ];
}

const groupTable = ({ kinds }) => [
    table(
        "Parallel groups",
        "Groups|#Of ranks|#Number|First|#Hosts|#Channels|Inside|Outside|AllReduce of 256 MiB|#GB/s",
        kinds.flatMap((kind) =>
            kind.shapes.map((shape) => [
                kind.name,
                String(kind.size),
                String(shape.groups),
                h("td.wrap", `${shape.ranks.slice(0, 8).join(" ")}${kind.size > 8 ? " …" : ""}`),
                String(shape.hosts),
                String(shape.channels),
                shape.type_intra,
                shape.nodes > 1 ? shape.type_inter : "–",
                shape.all_reduce
                    ? `${shape.all_reduce.algorithm} ${shape.all_reduce.protocol}`
                    : "–",
                bandwidth(shape.all_reduce?.bus_bw),
            ]),
        ),
        { id: "groups", rowHeads: true },
    ),
    kinds
        .filter((kind) => kind.nics.length)
        .map((kind) =>
            h("p.muted", [
                `${kind.name}: each host's busiest NIC sends ` +
                    `${bandwidth(Math.max(...kind.nics.map((nic) => nic.most)))} groups' worth of ring traffic, the ` +
                    `least used of ${kind.nics.length} sends ` +
                    `${bandwidth(Math.min(...kind.nics.map((nic) => nic.mean)))}.`,
            ]),
        ),
];

/** The best order of hosts. */
export const orderTab = ({ one, clusters }) =>
    answered(clusters.asked, (answer) => [
        h("p", { id: "order-sentence" }, h("b", answer.sentence)),
        h("p.muted", answer.proof),
        answer.better &&
            table(
                "The hosts in this order",
                ["#Place", "Host", "Leaf switch", "NVLink domain", "GPUs in the order of ranks"],
                answer.hosts.map((row, i) => [
                    String(i),
                    row.name ?? calledHost(one, row.host),
                    row.switch ?? "–",
                    row.domain ?? "–",
                    row.gpus.join(" "),
                ]),
                { id: "order" },
            ),
    ]);

/** Point to point. actions: group(text), and those of transfersView(). */
export const transfersTab = ({ clusters, state, actions }) => [
    whose(clusters.groups.answer?.kinds ?? [], state, actions),
    transfersView({ schedule: clusters.schedule, state, actions }),
];

/* Chooses whose transfers are shown: those of all ranks, or of a group by its kind and number. */
function whose(kinds, state, actions) {
    const [name, at] = state.group.split(":"),
        kind = kinds.find((one) => one.name === name);
    if (!kinds.length) return null;
    const range = { most: (kind?.groups ?? 1) - 1, "aria-label": "Number of the group" },
        number = numberField("group:number", Number(at ?? 0), range, (n) =>
            actions.group(`${name}:${n}`),
        );
    return h("div.toolbar", [
        choices(
            "Transfers of",
            [["", "All ranks"], ...kinds.map((one) => [one.name, one.name])],
            kind?.name ?? "",
            (value) => actions.group(value && `${value}:0`),
        ),
        kind && h("label", number, ` of ${kind.groups} groups`),
    ]);
}
