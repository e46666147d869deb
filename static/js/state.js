// SPDX-License-Identifier: Apache-2.0
/* What the page shows is one plain object; the URL's fragment is that object written down. */
import { words } from "./model.js";

/* Ids with what they are called: [[id, name]]. */
function called(names, ids) {
    const texts = words(names);
    return words(ids).map((id, i) => [id, texts[i]]);
}

/** The views of an open machine by the section of the rail that they are in: [[section, its name, [[view, its
 * tab]]]]. */
/** @type {[string, string, string[][]][]} */
export const SECTIONS = [
    ["verdict", "Verdict", [["verdict", "Overview"]]],
    ["machine", "Machine", called("Drawing|Matrix|Dump", "machine matrix source")],
    [
        "communication",
        "Communication",
        called(
            "Channels|Hosts|Transfers|Tuning|Bandwidth|Levels|As NCCL logs it",
            "channels hosts transfers tuning bandwidth levels logged",
        ),
    ],
    ["compare", "Compare", called("What if|Machines|Log|Choose GPUs", "diff compare log place")],
];
export const VIEWS = SECTIONS.flatMap(([, , views]) => views.map(([view]) => view));
export const sectionOf = (view) =>
    SECTIONS.find(([, , views]) => views.some(([name]) => name === view)) ?? SECTIONS[0];
/** Views of figures and text, to which the drawing adds nothing. */
export const WITHOUT_DRAWING = ["tuning", "bandwidth", "levels", "logged", "source", "log"];
/** The tabs of a cluster. */
export const CLUSTER_TABS = called(
    "Faults|Scaling|Releases|Rings|Rails|Kinds of hosts|Groups|Order|Transfers",
    "faults scaling releases rings rails kinds groups order transfers",
);
export const PANELS = ["auto", "selection", "why", "settings", "none"];
export const CELLS = ["type", "bw", "hops", "verdict"];
export const SIDES = ["a", "b", "both"];

/** @type {Readonly<Record<string, any>>} */
export const DEFAULTS = Object.freeze({
    id: "", // of a stored topology
    machine: "", // the machine type that the topology was made of; without an id it is made first
    release: "", // "" for the server's default
    hosts: 1,
    settings: Object.freeze({}), // NCCL_NAME: text
    gpus: "", // those that take part: numbers or bus ids; "" for all
    nics: "", // the same, as NCCL_IB_HCA names them
    fuse_nics: "", // "never" or "always"; "" as the input is
    tuner: "", // the text of a file of NCCL's example tuner plugin
    assume: "", // the machine type that fills in what the input does not say
    // the same for NIC ports of unknown speed: "400", "400-no-gdr", "default-no-gdr"; "" as the service assumes
    assume_nics: "",
    assume_cpu: "", // the same for CPUs that the input does not describe: "amd"
    domain: "", // hosts that NVLink joins, such as "18"; "" as usual for the machine
    repair: "", // findings that are assumed to be repaired, such as "slow-link,gdr-off"
    against: Object.freeze([]), // what the other side of a comparison has instead: a release, NCCL_NAME=VALUE
    view: "verdict",
    panel: "auto", // of the inspector, see shownPanel()
    from: "", // selected device, or start of the selected path
    to: "", // end of the selected path
    finding: "", // the finding that is lit on the drawing, by its id
    why: "", // the decision to explain, as why.js writes it; "" for the first about the selection
    cell: "type", // the text of matrix cells
    side: "a", // of a comparison, in the matrix: before, after, or both
    change: "", // of a comparison: a section ("paths"), one of its changes ("paths.3") or a reason ("why.pxn")
    topic: "", // of a log's facts; "" for all in a table
    with: "", // id of a second topology to compare with
    row: "", // of that: a section ("hardware"), one of its rows ("hardware.3") or changes ("paths.0")
    beside: "ghost", // what differs marked on this machine's picture, or both pictures ("side")
    graph: "ring", // the graph whose channel is drawn
    channel: 0,
    layout: "machine", // a channel on the machine, "alone" as a picture of its own, or the "load" of links
    collective: "AllReduce",
    size: 0, // bytes of the message whose tuning is shown
    program: "all_reduce", // the program of nccl-tests whose prediction is shown
    count: 0, // GPUs of a job for which the best set is looked for; 0: half of them
    free: "", // GPUs that it may take, such as "0,1,4"; "" for all
    rival: "", // another choice, to compare with
    pick: "", // the set that the drawing shows; "" for the best
    axes: "log", // of the chart of bandwidths: all sizes, or "linear" from 1 MiB on
    rank: 0, // whose transfers are shown
    round: 0, // and in which round
    host: 0, // of several, the one that is shown
    line: 0, // of the dump
    trays: "", // of a matrix of many trays: "" summarised by tray, "all" devices, or two trays such as "3,5"
    detail: "all", // or "less": bus ids hidden, identical blocks folded
    // "library": the kept dumps; "fleet": their hosts in groups; "set": some dumps against what most are like;
    // "clusters": the kept clusters, or one of them
    place: "",
    cluster: "", // its id
    groups: "", // its parallel groups, such as "tp=8,pp=4"
    tab: "", // of a cluster, see shownTab()
    group: "", // one of them, such as "dp:0": whose transfers are shown; "" for those of the whole cluster
    log: "", // that is attached to the address, as attached.js packs it
    results: "", // the same of nccl-tests
    q: "", // what is searched there
    verdict: "", // of the groups of hosts that are shown; "" for any
    days: 0, // days within which they changed; 0 for any time
    expect: "", // the machine type that they are compared with; "" for the largest group
    node: "", // the host whose history is shown
    set: "", // "label:NAME=VALUE", "q:TEXT", or ids with commas between
});

/** The inspector shows what is selected unless something else was chosen. No view moves it.
 * @param {any} state */
export const shownPanel = ({ panel }) => (panel === "auto" ? "selection" : panel);

/** The tab of a cluster: the chosen one, or the one that shows what an address without a tab names.
 * @param {any} state */
export function shownTab({ tab, group, groups, rank, round, graph, channel }) {
    if (tab) return tab;
    if (group || rank || round) return "transfers";
    if (groups) return "groups";
    return graph !== DEFAULTS.graph || channel ? "rings" : "faults";
}

/** The most that the service accepts; a larger number in an address is left for it to refuse. */
export const MOST_HOSTS = 512;
const MAX_HOSTS = 65536;
export const FUSE_NICS = ["never", "always"];
const ONE_OF = {
    fuse_nics: FUSE_NICS,
    view: VIEWS,
    panel: PANELS,
    cell: CELLS,
    side: SIDES,
    layout: ["machine", "alone", "load"],
    axes: ["log", "linear"],
    detail: ["less", "all"],
    place: ["library", "fleet", "set", "clusters"],
    verdict: ["alike", "slower", "faster", "unknown"],
    tab: CLUSTER_TABS.map(([name]) => name),
    beside: ["ghost", "side"],
};
/** Fields that decide an analysis, besides the release, the hosts and the settings. */
const ASKED_TEXTS = words("gpus nics fuse_nics tuner assume assume_nics assume_cpu domain");
export const ASKED = ["release", "hosts", "settings", "repair", ...ASKED_TEXTS];
const NUMBERS = {
    channel: 65535,
    size: 2 ** 40,
    host: 65535,
    rank: 131071,
    round: 262143,
    line: 1e7,
    count: 1024,
    days: 3650,
};
/** Fields with any text. */
const TEXTS = Object.keys(DEFAULTS).filter(
    (name) => typeof DEFAULTS[name] === "string" && !Object.hasOwn(ONE_OF, name),
);
const MOST_AGAINST = 48;

const number = (text, least, most, otherwise) =>
    /^\d{1,13}$/.test(text ?? "") ? Math.min(most, Math.max(least, Number(text))) : otherwise;

/** Reads a fragment, with or without "#". Values that it does not understand keep their default. */
export function parse(fragment) {
    const query = new URLSearchParams(fragment.replace(/^#/, ""));
    /** @type {Record<string, any>} */
    const state = { ...DEFAULTS, settings: {} };
    for (const name of TEXTS) state[name] = query.get(name) ?? DEFAULTS[name];
    for (const [name, values] of Object.entries(ONE_OF))
        if (values.includes(query.get(name))) state[name] = query.get(name);
    state.hosts = number(query.get("hosts"), 1, MAX_HOSTS, DEFAULTS.hosts);
    for (const [name, most] of Object.entries(NUMBERS))
        state[name] = number(query.get(name), 0, most, DEFAULTS[name]);
    state.against = query.getAll("against").filter(Boolean).slice(0, MOST_AGAINST);
    for (const [name, value] of query)
        if (/^NCCL_[A-Z0-9_]+$/.test(name) && value !== "") state.settings[name] = value;
    return state;
}

/** Writes a state as a fragment: only what differs from the defaults, in a fixed order. */
export function format(state) {
    const query = new URLSearchParams();
    for (const name of Object.keys(DEFAULTS)) {
        if (name === "settings") {
            for (const setting of Object.keys(state.settings).sort())
                query.set(setting, state.settings[setting]);
        } else if (name === "against") {
            for (const text of state.against) query.append("against", text);
        } else if (state[name] !== DEFAULTS[name]) {
            query.set(name, state[name]);
        }
    }
    return query.toString().replaceAll("%2F", "/").replaceAll("%3A", ":").replaceAll("%3D", "=");
}

/** The findings that are assumed to be repaired. */
export const repairs = ({ repair }) => repair.split(",").filter(Boolean);

/** The part of a state that decides an analysis, as query parameters of the service. */
export function question(state) {
    const query = new URLSearchParams();
    if (state.release) query.set("release", state.release);
    if (state.hosts !== 1) query.set("hosts", state.hosts);
    for (const name of ASKED_TEXTS) if (state[name]) query.set(name, state[name]);
    for (const finding of repairs(state)) query.append("repair", finding);
    for (const setting of Object.keys(state.settings).sort())
        query.set(setting, state.settings[setting]);
    return query;
}

/** Which keys differ between two states. */
export function changes(before, after) {
    const said = (state, name) =>
        name === "settings"
            ? question(state).toString()
            : name === "against"
              ? state.against.join("\n")
              : state[name];
    return new Set(
        Object.keys(DEFAULTS).filter((name) => said(before, name) !== said(after, name)),
    );
}

/** The address of a state that differs from this one in a patch, for links. */
export const address = (state, patch) => `#${format({ ...state, ...patch })}`;

/** The state in the address bar: set() writes it and calls the listeners, like the browser's back and forward. */
export class Store {
    #listeners = [];

    constructor() {
        this.state = parse(location.hash);
        addEventListener("popstate", () => this.#become(parse(location.hash)));
    }

    subscribe(listener) {
        this.#listeners.push(listener);
    }

    /** Gives whether anything changed. */
    set(patch, write = "pushState") {
        const next = { ...this.state, ...patch };
        if (!changes(this.state, next).size) return false;
        history[write](null, "", `#${format(next)}`);
        this.#become(next);
        return true;
    }

    /** The same without a new entry in the browser's history. */
    replace(patch) {
        return this.set(patch, "replaceState");
    }

    #become(next) {
        const before = this.state;
        this.state = next;
        const changed = changes(before, next);
        if (changed.size) for (const listener of this.#listeners) listener(next, changed, before);
    }
}
