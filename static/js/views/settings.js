// SPDX-License-Identifier: Apache-2.0
/* All that can be changed: release, hosts, GPUs and NICs that take part, fused NICs, a tuner file, NCCL_* settings. */
import {
    button,
    choices,
    dropDown,
    field,
    fileButton,
    h,
    numberField,
    options,
    searchField,
} from "../dom.js";
import { graphCount } from "../graph_file.js";
import { joined, plural } from "../model.js";
import { FUSE_NICS, MOST_HOSTS, repairs } from "../state.js";
import { CPUS, joinedText } from "./input.js";

/* Which parts of the machine a job uses, in rows like those of settings. */
const SELECTIONS = [
    {
        name: "gpus",
        label: "GPUs",
        meaning: "GPUs that take part, in the order of their ranks.",
        values: "numbers or bus ids, such as 0,1",
        default: "all",
    },
    {
        name: "nics",
        label: "NICs",
        meaning: "NICs that take part, by the beginnings of their names.",
        values: "as in NCCL_IB_HCA: mlx5_0,mlx5_3 or ^mlx5_4",
        default: "all",
    },
    {
        name: "fuse_nics",
        label: "Fused NICs",
        chip: (when) => `NICs fused: ${when}`,
        drop: "Fuse NICs as the input requires",
        choices: FUSE_NICS,
        default: "auto",
        meaning:
            "Fuses NICs as NCCL does when a job runs, and groups EFA NICs as Amazon's plugin does. auto: not in " +
            "XML that NCCL wrote itself.",
    },
    {
        name: "tuner",
        label: "Tuner file",
        chip: (text) => `tuner file, ${lineCount(text)}`,
        drop: "No tuner file",
        file: true,
        meaning:
            "File of NCCL's example tuner plugin (CSV), which decides algorithm, protocol and channels. Choose " +
            "or paste it.",
    },
];

/* Only NCCL's own XML can have a graph file after it. */
const GRAPHS = {
    name: "graphs",
    label: "Graph file",
    meaning:
        "File that NCCL_GRAPH_DUMP_FILE wrote. Its graphs replace the search, as NCCL_GRAPH_FILE does. The " +
        "service keeps the dump with this file under another address.",
};

const lineCount = (text) => {
    const lines = text.trim().split("\n").length;
    return `${lines} ${lines === 1 ? "line" : "lines"}`;
};

/** The question in a few words, for the pill: ["NCCL 2.30.7", "2 hosts", "1 setting"]. release: the one that answers;
 * domain: as questionView() takes it. */
export function questionText({ state, release, domain = 0, assumed = 0 }) {
    const changed =
        Object.keys(state.settings).length +
        [
            ...SELECTIONS.map(({ name }) => name),
            "assume",
            "assume_nics",
            "assume_cpu",
            "domain",
        ].filter((name) => state[name]).length;
    const repaired = repairs(state).length;
    return [
        `NCCL ${release}`.trim(),
        plural(state.hosts, domain > 1 ? "domain" : "host"),
        changed > 0 && plural(changed, "setting"),
        repaired > 0 && `${repaired} repaired`,
        assumed > 0 && `${assumed} assumed`,
    ].filter(Boolean);
}

const HOSTS = [1, 2, 4, 8, 16, 64];

/** Everything that is asked, in one place: release, hosts, what was changed, assumptions, settings. graphs: how many
 * the graph file of the dump has, 0 if there is none. domain: hosts of the dump that NVLink joins, each of which counts
 * if there are several. controls: nodes that assume something else. The rest as in settingsList(). actions:
 * release(text), hosts(n), set(name, value), take(name, text), graphs(file). */
export function questionView({
    state,
    input = null,
    domain = 0,
    releases,
    controls = [],
    settings,
    focus,
    filter,
    refused,
    actions,
}) {
    const names = releases.map((row) => row.name);
    const standard = releases.find((row) => row.standard)?.name;
    const current = state.release || standard || "";
    const hosts = numberField(
        "hosts",
        state.hosts,
        { id: "hosts", class: null, least: 1, most: MOST_HOSTS, step: "1" },
        actions.hosts,
    );
    return [
        h("section.ask", { role: "group", "aria-label": "The question" }, [
            dropDown(
                "release",
                h("span", "NCCL"),
                [
                    current && !names.includes(current) && [current, current],
                    releaseOptions(releases, current),
                ],
                current,
                (name) => actions.release(name === standard ? "" : name),
            ),
            h(
                "div.field",
                { title: domain > 1 ? `Each is an NVLink domain of ${domain} hosts` : null },
                h("label", { for: "hosts" }, domain > 1 ? "Domains" : "Hosts"),
                hosts,
                choices("Hosts of the job", HOSTS, state.hosts, actions.hosts),
            ),
            chips(state, input?.graph_file ?? 0, actions),
            controls,
        ]),
        settingsList({ state, input, settings, focus, filter, refused, actions }),
    ];
}

const USUAL = "Reset to the service's defaults";

/** Everything that differs from the default, each with a button that undoes it. */
export function chips(state, graphs, actions) {
    const { assume, assume_nics: nics, assume_cpu: cpu, domain } = state,
        reset = (name) => () => actions.take(name, "");
    const rows = [
        assume && [
            `assumed: ${assume}`,
            "Assume nothing",
            "Use only what the input contains",
            () => actions.assume(""),
        ],
        nics && [nicsChip(nics), "Assume the usual NICs", USUAL, () => actions.assumeNics("")],
        cpu && [
            `${CPUS[cpu] ?? cpu} CPUs assumed`,
            "Assume the usual CPUs",
            USUAL,
            reset("assume_cpu"),
        ],
        domain && [
            `NVLink joins ${joinedText(domain)}`,
            "Join hosts as usual",
            USUAL,
            reset("domain"),
        ],
        graphs > 0 && [
            `graph file, ${graphCount(graphs)}`,
            "No graph file",
            "Search the graphs",
            () => actions.graphs(null),
        ],
        ...SELECTIONS.filter(({ name }) => state[name]).map(
            ({ name, label, chip = (text) => `${label} ${text}`, drop = `All ${label}` }) => [
                chip(state[name]),
                drop,
                drop,
                reset(name),
            ],
        ),
        ...Object.entries(state.settings).map(([name, value]) => [
            `${name}=${value}`,
            `Remove ${name}`,
            "Back to the default",
            () => actions.set(name, ""),
        ]),
    ];
    return h("ul.chips", { "aria-label": "Changed settings" }, [
        rows
            .filter(Boolean)
            .map(([text, name, title, undo]) =>
                h("li.chip", [
                    h("span", text),
                    button(null, "×", undo, { "aria-label": name, title }),
                ]),
            ),
    ]);
}

/* "400-no-gdr" in words. */
function nicsChip(word) {
    const [speed, ...without] = word.split("-");
    return joined(" ", [
        "NICs assumed",
        speed !== "default" && `at ${speed} Gb/s`,
        without.length > 0 && "without GDR",
    ]);
}

/** All settings of the release with their meaning, and settings of the question that the release does not have. input:
 * what the service recognised in the bytes; refused: settings that were refused, {name: {why, text}}. */
function settingsList({ state, input = null, settings, focus, filter, refused, actions }) {
    const known = new Set(settings.map((row) => row.name));
    const rows = [
        ...SELECTIONS,
        ...(input?.kind === "nccl-topology" ? [{ ...GRAPHS, count: input.graph_file ?? 0 }] : []),
        ...settings,
        ...Object.keys(state.settings)
            .filter((name) => !known.has(name))
            .map((name) => ({ name, meaning: "Not a setting of this release.", default: "" })),
    ];
    const list = h("ul.settings", [
        rows.map((row) =>
            row.name === GRAPHS.name
                ? graphFile(row, refused[row.name], actions)
                : setting(row, refused[row.name], state, actions),
        ),
    ]);
    const apply = () => {
        const wanted = search.value.trim().toLowerCase();
        [...list.children].forEach(
            (item, i) =>
                (item.hidden =
                    wanted !== "" &&
                    !`${rows[i].name} ${rows[i].label ?? ""} ${rows[i].meaning}`
                        .toLowerCase()
                        .includes(wanted)),
        );
    };
    const search = searchField("filter", "Filter settings", focus || filter || "", (text) => {
        actions.filter(text);
        apply();
    });
    apply();
    return [
        h("div", search),
        settings.length ? list : h("p.muted", "The server lists no settings."),
    ];
}

const refusal = (refused) => refused && h("p.problem", { role: "alert" }, refused.why);

function graphFile({ name, label, meaning, count }, refused, actions) {
    const id = `set-${name}`;
    return h(count ? "li.changed" : "li", [
        h("div.line", [
            h("label", { for: id }, label),
            fileButton(id, "Choose…", label, ([file]) => actions.graphs(file), {
                accept: ".xml,.txt",
            }),
        ]),
        refusal(refused),
        h("p", { id: `${id}-meaning` }, meaning, count ? ` In use: ${graphCount(count)}.` : ""),
    ]);
}

function setting(row, refused, state, actions) {
    const selects = SELECTIONS.includes(row),
        value = (selects ? state[row.name] : state.settings[row.name]) ?? "",
        id = `set-${row.name}`;
    const said = { id, "data-key": id, "aria-describedby": `${id}-meaning` },
        become = (text) => (selects ? actions.take : actions.set)(row.name, text.trim());
    const input = row.choices
        ? h("select", { ...said, onchange: () => become(input.value) }, [
              options(
                  ["", ...row.choices].map((word) => [word, word || row.default]),
                  value,
              ),
          ])
        : field(
              id,
              {
                  ...said,
                  value: refused?.text ?? value,
                  rows: row.file && "3",
                  placeholder: row.file ? null : String(row.default ?? ""),
                  onchange: () => become(input.value),
              },
              row.file ? "textarea" : "input",
          );
    return h(value ? "li.changed" : "li", [
        h("div.line", [
            h(row.label ? "label" : "label.mono", { for: id }, row.label ?? row.name),
            row.file &&
                fileButton(
                    `${id}-file`,
                    "Choose…",
                    `Choose a ${row.label.toLowerCase()}`,
                    ([file]) => actions.take(row.name, file),
                    { accept: ".csv,.conf,.txt" },
                ),
            input,
        ]),
        refusal(refused),
        h("p", { id: `${id}-meaning` }, [
            row.meaning,
            row.values ? ` Values: ${row.values}.` : "",
            row.default !== undefined && row.default !== "" ? ` Default: ${row.default}.` : "",
        ]),
    ]);
}

/** The answer of /v1/releases as rows; [] without one. */
export const readReleases = ({ default: standard, releases = [] }) =>
    releases.map(({ release, behaves_alike, shipped_with, verified }) => ({
        name: release,
        standard: release === standard,
        alike: behaves_alike,
        shipped: shipped_with,
        compared: verified,
    }));

/** "2.29.2 (also 2.29.3) – PyTorch 2.12 (CUDA 12)": a release as the choice shows it. */
export function releaseLabel(row) {
    const also = row.alike.length ? ` (also ${row.alike.join(", ")})` : "";
    const shipped = row.shipped
        .map((wheel) => `${wheel.framework} ${wheel.version} (${wheel.build})`)
        .join(", ");
    return `${row.name}${also}${shipped && ` – ${shipped}`}${row.compared ? "" : " – not compared"}`;
}

/** All releases as options of a choice, grouped by minor release. */
export const releaseOptions = (releases, current) =>
    byMinor(releases).map(([minor, rows]) =>
        h("optgroup", { label: `NCCL ${minor}` }, [
            rows.map((row) =>
                h("option", { value: row.name, selected: row.name === current }, releaseLabel(row)),
            ),
        ]),
    );

/** Releases by minor release, in their order: [["2.28", rows], ...]. */
export function byMinor(releases) {
    const groups = new Map();
    for (const row of releases) {
        const minor = row.name.split(".").slice(0, 2).join(".");
        groups.set(minor, [...(groups.get(minor) ?? []), row]);
    }
    return [...groups];
}

/** The answer of /v1/settings as rows; a default that the release computes is a text. */
export const readSettings = ({ settings }) =>
    settings.map((row) => ({ ...row, default: row.default ?? row.default_text }));
