// SPDX-License-Identifier: Apache-2.0
/* The kept dumps: search, open, rename, label, delete. */
import { button, copyable, h, link, listOf, numberField, searchField, table } from "../dom.js";
import { sizeText } from "../compare.js";
import { address, DEFAULTS } from "../state.js";
import { problemView } from "./problem.js";

/** library: {items, next, busy, problem, picked, runs}. actions: search(text), more(), edit(row), remove(row), home(),
 * reload(), pick(id, on), pair(a, b), majority(set). */
export function libraryView({ library, state, actions }) {
    const search = searchField("library-search", "Search the library", state.q, actions.search, {
        placeholder: "Name, label or id",
    });
    const { items } = library;
    return h("div.library", [
        h("header", [
            h("h1", "Library"),
            h("p.muted", "Dumps that this server keeps, newest first. "),
            button("fleet", "Hosts in groups", actions.fleet),
            button("add-dump", "Add one…", actions.home),
        ]),
        library.refused.length > 0 &&
            h("div.problem", { id: "refused", role: "alert" }, [
                h("h2", [
                    `${library.refused.length} file${library.refused.length === 1 ? " was" : "s were"} not kept`,
                ]),
                listOf("ul", library.refused.slice(0, 8), ({ name, why }) => [
                    h("b", name),
                    `: ${why}`,
                ]),
                library.refused.length > 8 && h("p", `and ${library.refused.length - 8} more.`),
                h("p", [
                    "Each host needs a file of its own, for example ",
                    h("code", "NCCL_TOPO_DUMP_FILE=/tmp/topo.xml"),
                    " of a job, or ",
                    h("code", "nvidia-smi topo -m > host1.txt"),
                    ".",
                ]),
            ]),
        search,
        items?.length > 0 && together(library, items, state, actions),
        library.problem
            ? [
                  problemView(library.problem, { again: actions.reload }),
                  h("p", button("reload", "Try again", actions.reload)),
              ]
            : !items
              ? h("p.muted", "Loading…")
              : !items.length
                ? h("div", { id: "library-empty" }, [
                      state.q
                          ? `No dump has “${state.q}” in its name, labels or id.`
                          : [
                                "Nothing here yet. The server keeps what you open on this page until " +
                                    "somebody deletes it. To add a dump from a script:",
                                copyable(ADD),
                            ],
                  ])
                : keptDumps(items, library, actions),
        library.next &&
            h("p", [
                button("more", library.busy ? "Loading…" : "More", actions.more, {
                    id: "more",
                    disabled: library.busy,
                }),
            ]),
    ]);
}

const ADD = `curl --data-binary @topo.xml "${location.origin}/v1/topologies?name=node17"`;

/* Actions on several dumps: two are compared side by side, more are compared with what most of them are like. */
function together({ picked, runs }, items, state, actions) {
    const chosen = [...picked],
        hosts = runs.reduce((sum, run) => sum + run.count, 0);
    return h("p.toolbar", { id: "together" }, [
        button("compare-two", "Compare the two", () => actions.pair(...chosen), {
            disabled: chosen.length !== 2,
        }),
        button(
            "compare-many",
            "Compare with the majority",
            () => actions.majority(chosen.join(",")),
            { disabled: chosen.length < 3 },
        ),
        state.q &&
            items.length > 2 &&
            button("compare-found", "Compare all found with the majority", () =>
                actions.majority(`q:${state.q}`),
            ),
        button(
            "make-cluster",
            hosts > 1 ? `Make a cluster of ${hosts} hosts` : "Make a cluster",
            actions.cluster,
            { disabled: hosts < 2 },
        ),
        chosen.length > 0 && [
            button("label-chosen", "Label…", actions.label),
            button("export-chosen", "Export", actions.export),
            chosen.length > 1 && button("delete-chosen", "Delete…", actions.removeAll),
        ],
        h("span.muted", [
            chosen.length
                ? `${chosen.length} chosen`
                : "Choose dumps to compare them or to make a cluster of them.",
        ]),
    ]);
}

/* A field for the number of hosts of a cluster that are like this dump. */
function hostsField(row, runs, actions) {
    const own = runs.filter((run) => run.id === row.id).reduce((sum, run) => sum + run.count, 0),
        range = { least: 1, most: 16384, "aria-label": `Hosts like ${row.name || row.id}` },
        act = (n) => actions.count(row.id, n);
    return h("label", { title: "Hosts of the cluster" }, [
        " × ",
        numberField(`hosts:${row.id}`, own, range, act),
    ]);
}

const keptDumps = (items, { picked, runs }, actions) =>
    table(
        "Kept dumps",
        [
            "(Choose)",
            "~Name",
            "Machine",
            "~Labels",
            h(
                "th",
                {
                    title:
                        "Findings about the dump alone. Open the dump to see what each of them " +
                        "costs; one that costs nothing is a note.",
                },
                "Findings, before costs",
            ),
            "Added (UTC)",
            "#Size",
            "(Do)",
        ],
        items.map((row) => ({
            props: { "data-topology": row.id },
            cells: [
                [
                    h("input", {
                        type: "checkbox",
                        checked: picked.has(row.id),
                        "data-key": `pick:${row.id}`,
                        "aria-label": `Choose ${row.name || row.id}`,
                        onchange: (event) => actions.pick(row.id, event.target.checked),
                    }),
                    picked.has(row.id) && hostsField(row, runs, actions),
                ],
                link(
                    address(DEFAULTS, { id: row.id }),
                    `open:${row.id}`,
                    row.name || row.id.slice(0, 12),
                ),
                h("td.wrap.machine", row.machine?.sentence ?? "–"),
                Object.entries(row.labels ?? {}).map(([name, value]) => [
                    button(null, `${name}=${value}`, () => actions.search(value, true), {
                        class: "label",
                        title: "Search for this label",
                    }),
                    " ",
                ]),
                counts(row.findings),
                h("time", { datetime: row.created }, [
                    (row.created ?? "").slice(0, 16).replace("T", " "),
                ]),
                sizeText(row.size ?? 0),
                [
                    button(`edit:${row.id}`, "Edit", () => actions.edit(row), {
                        "aria-label": `Name and labels of ${row.name || row.id}`,
                    }),
                    " ",
                    button(`delete:${row.id}`, "Delete", () => actions.remove(row), {
                        "aria-label": `Delete ${row.name || row.id}`,
                    }),
                ],
            ],
        })),
        { id: "library" },
    );

const counts = (findings) =>
    Object.entries(findings ?? {})
        .filter(([, n]) => n)
        .map(([name, n], i) => [
            i > 0 && ", ",
            h(`span.sev-${name}`, `${n} ${name === "info" ? "note" : name}${n === 1 ? "" : "s"}`),
        ]);
