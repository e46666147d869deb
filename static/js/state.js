/* What the page shows is one plain object; the URL's fragment is that object written down. */

export const VIEWS = ["machine", "matrix", "channels", "tuning"];
export const PANELS = ["summary", "selection", "settings"];
export const CELLS = ["type", "bw", "hops", "verdict"];

export const DEFAULTS = Object.freeze({
    id: "",            // of a stored topology
    release: "",       // "": the server's default
    hosts: 1,
    settings: Object.freeze({}), // NCCL_NAME: text
    view: "machine",   // the drawing alone, or the table below it
    panel: "summary",
    from: "",          // selected device, or start of the selected path
    to: "",            // end of the selected path
    cell: "type",      // what matrix cells say
    graph: "ring",     // whose channel is drawn
    channel: 0,
    layout: "machine", // a channel on the machine, or "alone" as a picture of its own
    collective: "AllReduce",
});

/** As many as the service takes; more in an address is left for it to refuse. */
export const MOST_HOSTS = 512;
const MAX_HOSTS = 65536;
const TEXTS = ["id", "release", "from", "to", "graph", "collective"];
const ONE_OF = { view: VIEWS, panel: PANELS, cell: CELLS, layout: ["machine", "alone"] };

const number = (text, least, most, otherwise) =>
    /^\d{1,6}$/.test(text ?? "") ? Math.min(most, Math.max(least, Number(text))) : otherwise;

/** Reads a fragment, with or without "#". What it does not understand is left at its default. */
export function parse(fragment) {
    const query = new URLSearchParams(fragment.replace(/^#/, ""));
    const state = { ...DEFAULTS, settings: {} };
    for (const name of TEXTS)
        state[name] = query.get(name) ?? DEFAULTS[name];
    for (const [name, values] of Object.entries(ONE_OF))
        if (values.includes(query.get(name)))
            state[name] = query.get(name);
    state.hosts = number(query.get("hosts"), 1, MAX_HOSTS, DEFAULTS.hosts);
    state.channel = number(query.get("channel"), 0, 65535, DEFAULTS.channel);
    for (const [name, value] of query)
        if (/^NCCL_[A-Z0-9_]+$/.test(name) && value !== "")
            state.settings[name] = value;
    return state;
}

/** Writes a state as a fragment: only what differs from the defaults, in a fixed order. */
export function format(state) {
    const query = new URLSearchParams();
    for (const name of Object.keys(DEFAULTS)) {
        if (name === "settings") {
            for (const setting of Object.keys(state.settings).sort())
                query.set(setting, state.settings[setting]);
        } else if (state[name] !== DEFAULTS[name]) {
            query.set(name, state[name]);
        }
    }
    return query.toString().replaceAll("%2F", "/").replaceAll("%3A", ":");
}

/** The part of a state that decides an analysis, as query parameters of the service. */
export function question(state) {
    const query = new URLSearchParams();
    if (state.release)
        query.set("release", state.release);
    if (state.hosts !== 1)
        query.set("hosts", state.hosts);
    for (const setting of Object.keys(state.settings).sort())
        query.set(setting, state.settings[setting]);
    return query;
}

/** Which keys differ between two states. */
export function changes(before, after) {
    return new Set(Object.keys(DEFAULTS).filter((name) =>
        name === "settings" ? question(before).toString() !== question(after).toString() : before[name] !== after[name]));
}

/** The state in the address bar: set() writes it and tells the listeners, as do the browser's back and forward. */
export class Store {
    #listeners = [];

    constructor() {
        this.state = parse(location.hash);
        addEventListener("popstate", () => this.#become(parse(location.hash)));
    }

    subscribe(listener) {
        this.#listeners.push(listener);
    }

    /** replace: no new entry in the browser's history. Gives whether anything changed. */
    set(patch, { replace = false } = {}) {
        const next = { ...this.state, ...patch };
        if (!changes(this.state, next).size)
            return false;
        const url = `#${format(next)}`;
        if (replace)
            history.replaceState(null, "", url);
        else
            history.pushState(null, "", url);
        this.#become(next);
        return true;
    }

    #become(next) {
        const before = this.state;
        this.state = next;
        const changed = changes(before, next);
        if (changed.size)
            for (const listener of this.#listeners)
                listener(next, changed, before);
    }
}
