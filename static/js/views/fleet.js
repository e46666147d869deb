// SPDX-License-Identifier: Apache-2.0
/* Hosts in groups that are alike, each with its verdict beside the largest group or a machine type, and how one host
 * changed over time. */
import { changeText } from "../compare.js";
import { capital } from "../diagnosis.js";
import { button, choices, dropDown, fold, h, link, listOf, searchField, table } from "../dom.js";
import { address, DEFAULTS } from "../state.js";
import { answered } from "./problem.js";

const FEW = 5, // names and changes that are shown without a click
    WORDS = { slower: "slower", alike: "as fast", faster: "faster", unknown: "unknown" },
    VERDICTS = Object.entries({ "": "all", ...WORDS }).map(([id, word]) => [id, capital(word)]),
    DAYS = Object.entries({
        0: "At any time",
        1: "In the last day",
        7: "In the last week",
        30: "In the last 30 days",
    });

/** fleet: see fleet.js. machines: the names of the known types. actions: those of fleet.js, library(). */
export function fleetView({ fleet, machines, state, actions }) {
    const { doc, problem } = fleet;
    const listed = () => [
        state.node && fleet.events && history(fleet.events, state, actions),
        doc.items.length ? groups(doc, state, actions) : nothing(doc, state),
        doc.left_out > 0 &&
            h("p.note", `${doc.left_out} more groups are not listed: search for some.`),
    ];
    return h("div.library.fleet", [
        h("header", [
            h("h1", "Hosts"),
            h("p", { id: "fleet-summary" }, doc?.sentence ?? ""),
            button("fleet-dumps", "Dumps", actions.library),
        ]),
        filters(doc, machines, state, actions),
        answered({ answer: doc, problem }, listed, "Loading…", { again: actions.again }),
    ]);
}

function filters(doc, machines, state, actions) {
    const search = searchField("fleet-search", "Search the hosts", state.q, actions.search, {
            placeholder: "Host, GPU model, or label such as rack=7",
        }),
        hosts = doc?.items.reduce((sum, row) => sum + row.hosts, 0) ?? 0;
    return [
        search,
        h("p.toolbar", [
            choices("Verdict", VERDICTS, state.verdict, (verdict) => actions.set({ verdict })),
            dropDown("fleet-days", "Changed", DAYS, String(state.days), (days) =>
                actions.set({ days: Number(days) }),
            ),
            dropDown(
                "fleet-expect",
                "Compare with",
                [["", "the largest group"], ...machines.map((name) => [name, name])],
                state.expect,
                (expect) => actions.set({ expect }),
            ),
            hosts > 1 &&
                button("fleet-cluster", `Make a cluster of ${hosts} hosts`, actions.cluster),
        ]),
    ];
}

const nothing = (doc, state) =>
    h("p", { id: "fleet-empty" }, [
        doc.hosts || state.q
            ? "No group of hosts fits."
            : [
                  "No dump has the label ",
                  h("code", "host"),
                  " yet. On each host, run ",
                  h("code", `orrery detect --post ${location.origin}`),
                  ".",
              ],
    ]);

const day = (time) => time.slice(0, 16).replace("T", " ");
const arrows = (text) => text.replaceAll("->", "→");
/* The bus bandwidth of AllReduce at 1 GiB on two hosts. */
const figure = ({ before, after }) =>
    h("span.stack", `${after.toPrecision(3)} instead of ${before.toPrecision(3)} GB/s`);

function groups(doc, state, actions) {
    const reference = doc.items.find((row) => row.reference);
    return table(
        "Groups of hosts",
        ["~Hosts", "~Machine", "Verdict", "~What differs", "Last upload (UTC)", "(Do)"],
        doc.items.map((row) => ({
            props: { "data-group": row.like },
            cells: [
                [h("b", `${row.hosts} like ${row.like}`), names(row, state, actions)],
                h("td.wrap.machine", row.machine),
                verdict(row, doc.hosts),
                differences(row),
                h("time", { datetime: row.last }, day(row.last)),
                [
                    link(address(DEFAULTS, { id: row.topology }), `open:${row.like}`, "Open"),
                    reference &&
                        reference !== row && [
                            h("br"),
                            beside(reference.topology, row.topology, row.like),
                        ],
                ],
            ],
        })),
        { id: "groups" },
    );
}

const beside = (id, other, key) =>
    link(
        address(DEFAULTS, { id, with: other, view: "compare", hosts: 2 }),
        `beside:${key}`,
        "Compare",
    );

function names({ like, names: all, hosts }, state, actions) {
    const one = (name) =>
        button(`host:${name}`, name, () => actions.host(name === state.node ? "" : name), {
            class: "label",
            title: "How this host changed",
            pressed: name === state.node,
        });
    const left = hosts - FEW;
    return h("div.names", [
        all.slice(0, FEW).map(one),
        left > 0 &&
            fold(`names:${like}`, `${left} more`, () =>
                h("div.names", [
                    all.slice(FEW).map(one),
                    hosts > all.length && ` and ${hosts - all.length} more`,
                ]),
            ),
    ]);
}

function verdict({ reference, verdict: word, differs, hosts }, all) {
    const change = differs?.cost?.change;
    return reference
        ? h("td.muted", [
              hosts > all / 2
                  ? "most are so"
                  : hosts > 1
                    ? "the largest group"
                    : "none is like another; the others are compared with this one",
          ])
        : h(`td.verdict-${word}`, [
              WORDS[word],
              ["slower", "faster"].includes(word) && [
                  ` ${changeText(change)}`,
                  figure(differs.cost),
              ],
          ]);
}

function differences({ differs, reference }) {
    if (!differs) return reference ? "–" : "not compared";
    if (!differs.changes) return "cannot be compared";
    const more = differs.changes.length + differs.left_out - FEW;
    return differs.changes.length
        ? h("ul.plain", [
              differs.changes.slice(0, FEW).map((text) => h("li", arrows(text))),
              more > 0 && h("li.muted", `and ${more} more`),
          ])
        : "names and numbers of devices";
}

/* "mlx5_3: x16 -> x8 since 12 Nov" */
const history = (events, state, actions) =>
    h("section", { id: "host-history" }, [
        h("h2", `How ${state.node} changed`),
        events.length
            ? listOf("ol.plain", events, (event) => [
                  h("time", { datetime: event.at }, `Since ${day(event.at)} UTC`),
                  " ",
                  event.verdict &&
                      h(`span.verdict-${event.verdict.after}`, WORDS[event.verdict.after]),
                  ` ${arrows(event.sentence.slice(event.host.length + 2))} `,
                  beside(event.before.topology, event.after.topology, event.sequence),
              ])
            : h("p", "Its uploads never differed in more than GUIDs and host hashes."),
        button("history-close", "Close", () => actions.host("")),
    ]);
