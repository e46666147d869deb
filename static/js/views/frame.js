// SPDX-License-Identifier: Apache-2.0
/* The frame around every view: the rail, the header with the place and the question, tabs, and the menus. */
import { joined } from "../model.js";
import { button, copyButton, docsLink, h, replace, s, textButton } from "../dom.js";
import { shape } from "../hosts.js";
import { sectionOf, SECTIONS } from "../state.js";

const ICONS = {
    verdict: "M5 13l4 4L19 7",
    machine: "M4 5h16v5H4zM4 14h16v5H4zM7 7.5h.1M7 16.5h.1",
    communication: "M6 8a6.5 6.5 0 0 1 12 0M18 16a6.5 6.5 0 0 1-12 0M18 4v4h-4M6 20v-4h4",
    compare: "M8 4v16M16 4v16M4 8h8M12 16h8",
    open: "M12 16V5M8 9l4-4 4 4M5 19h14",
    library: "M5 4v16M10 4v16M14 5l5 15",
    clusters: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z",
};
const icon = (name) =>
    s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));
const logo = () =>
    s("svg", { viewBox: "0 0 32 32", "aria-hidden": "true" }, [
        s("circle", { cx: 16, cy: 16, r: 12.5, class: "orbit" }),
        s("circle", { cx: 16, cy: 16, r: 4, class: "sun" }),
        s("circle", { cx: 26.5, cy: 9.5, r: 4, class: "planet" }),
    ]);

/* The place where a word of the rail may break. */
const HYPHENS = { Communication: "Commu\u00adnication" };

/** A button with a list of actions below it, which the browser itself closes. rows(): nodes of the list, made anew each
 * time that it opens. */
function menu(id, label, face, rows) {
    const said = { id: `${id}-menu`, popover: "auto", role: "group", "aria-label": label };
    const list = h("div.menu", said);
    const button = h(
        "button",
        {
            id: `${id}-button`,
            "data-key": id,
            title: label,
            "aria-haspopup": "true",
            "aria-expanded": "false",
            popovertarget: `${id}-menu`,
        },
        face,
    );
    list.addEventListener("beforetoggle", ({ newState }) => {
        button.setAttribute("aria-expanded", String(newState === "open"));
        if (newState === "open") replace(list, rows());
    });
    list.addEventListener("click", (event) => {
        if (event.target.closest("button:not(.copy), a")) list.hidePopover();
    });
    return { button, list };
}

const item = (key, label, act, hint = "") =>
    button(key, [h("span", label), hint && h("kbd", hint)], act);

/** The rail, made once: show(state) marks where the page is. actions: home(), library(), clusters(), section(name),
 * theme(), help(), shortcuts(); asked(): {theme, shortcuts} of now. */
export class Rail {
    actions;

    constructor(root, actions, asked) {
        Object.assign(this, { actions });
        const { button, list } = menu("menu", "Orrery: menu", logo(), () => [
            item("home", "Open another machine", actions.home),
            item("library", "Library", actions.library),
            item("clusters", "Clusters", actions.clusters),
            docsLink("", "Documentation"),
            item("help", "Keys", actions.help, "?"),
            item(
                "shortcuts",
                asked().shortcuts ? "Turn single-letter keys off" : "Turn single-letter keys on",
                actions.shortcuts,
            ),
            item(
                "theme",
                asked().theme === "dark" ? "Light colours" : "Dark colours",
                actions.theme,
            ),
        ]);
        button.classList.add("brand");
        this.rows = h("div.rail-rows");
        root.append(button, this.rows, list);
    }

    /** @param {any} state */
    show({ id, view, place }) {
        const { actions } = this,
            here = sectionOf(view)[0];
        const row = (name, label, current, act) =>
            button(`go:${name}`, [icon(name), h("span", label)], act, {
                "aria-current": current ? "page" : null,
            });
        replace(
            this.rows,
            id
                ? SECTIONS.map(([name, label]) =>
                      row(name, HYPHENS[label] ?? label, name === here, () =>
                          actions.section(name),
                      ),
                  )
                : [
                      row("open", "Open", !place, actions.home),
                      row("library", "Library", /library|fleet/.test(place), actions.library),
                      row("clusters", "Clusters", place === "clusters", actions.clusters),
                  ],
        );
    }
}

const CALLED = { log: "the log", results: "the results" };

/* What a link can include, and how much longer that makes it. */
function attachments(actions) {
    const list = h("div.attachments");
    actions.attachments().then((rows) =>
        replace(
            list,
            rows.map(([kind, { text, fits }, has]) =>
                fits || has
                    ? item(
                          `attach:${kind}`,
                          `${has ? "Leave" : "Include"} ${CALLED[kind]} ${has ? "out of" : "in"} the link`,
                          () => actions.attach(kind),
                          text,
                      )
                    : h("p.muted.small", `A link cannot include ${CALLED[kind]}: ${text}.`),
            ),
        ),
    );
    return list;
}

/** The header, made once; show() fills it. actions: ask(), palette(), export(), summary() gives text, attachments()
 * promises rows [kind, {text, fits}, has], attach(kind). */
export class Header {
    actions;

    constructor(root, working, actions) {
        Object.assign(this, { actions });
        const link = copyButton(() => location.href, "Copy link"),
            summary = copyButton(actions.summary, "Copy summary");
        link.dataset.key = "link";
        summary.dataset.key = "copy-summary";
        const share = menu("share", "Share", "Share", () => [
            link,
            summary,
            attachments(actions),
            item("export", "Files…", actions.export, "e"),
        ]);
        this.share = share.button;
        this.where = h("div.where");
        this.pill = h("div.pill-place");
        this.find = button(
            "search",
            ["Find", h("kbd", /Mac|iP/.test(navigator.platform) ? "⌘K" : "Ctrl K")],
            actions.palette,
            { title: "Find a device, a view, a setting, an action ( / )" },
        );
        root.append(this.where, working, this.pill, this.find, this.share, share.list);
    }

    /** name, sentence: of the machine that is open; state; model: null while there is none; asked: the question in a
     * few words, parts of the pill. */
    show({ name, sentence, state, model, asked }) {
        const { actions } = this,
            open = Boolean(state.id);
        this.share.hidden = !open;
        replace(
            this.where,
            h(
                open ? "h1.machine-name" : "p.machine-name",
                { title: joined(": ", [name, sentence]) || null },
                name ? h("b", name) : h("b", "Orrery"),
                !open && h("span.muted", sentence ?? ""),
            ),
            open && crumbs(model, state, actions),
        );
        replace(
            this.pill,
            open &&
                button(
                    "question",
                    asked.map((text, i) => h(i ? "span.part" : "span", text)),
                    actions.ask,
                    {
                        class: "pill",
                        id: "question",
                        title: "What is asked: release, hosts, settings and assumptions ( s )",
                        "aria-expanded": String(state.panel === "settings"),
                        "aria-controls": "panel",
                    },
                ),
        );
    }
}

/* "/ 64 hosts / host 3 ‹ ›": where in a communicator this is. */
function crumbs(model, state, actions) {
    const { count, local } = model ? shape(model) : { count: 1 };
    if (count < 2) return null;
    const host = Math.min(state.host, count - 1),
        ranks = `${host * local}–${host * local + local - 1}`;
    const go = (by) => actions.host((host + by + count) % count);
    const step = (key, label, mark, by) =>
        button(key, mark, () => go(by), { class: "icon", "aria-label": label });
    return h("nav.crumbs", { id: "crumbs", "aria-label": "Where this is" }, [
        h("span.muted", "/ "),
        state.view === "hosts"
            ? h("b", { "aria-current": "page" }, `${count} hosts`)
            : [
                  textButton("all-hosts", `${count} hosts`, () => actions.view("hosts")),
                  h("span.muted", " / "),
                  h("b", { "aria-current": "page", title: `Ranks ${ranks}` }, `Host ${host}`),
                  h("span.muted.ranks", `, ranks ${ranks}`),
                  step("host-before", "Previous host", "‹", -1),
                  step("host-after", "Next host", "›", 1),
              ],
    ]);
}

/** [[value, label]], one of which is current; arrow keys move between them. */
export function tabs(name, controls, rows, current, choose, label = name) {
    const move = (event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!step) return;
        event.preventDefault();
        const at = rows.findIndex(([value]) => value === current);
        const [value] = rows[(at + step + rows.length) % rows.length];
        choose(value);
        document.querySelector(`[data-key="${name}:${value}"]`)?.focus();
    };
    return h("div.tabs", { role: "tablist", "aria-label": label, onkeydown: move }, [
        rows.map(([value, text], i) =>
            h(
                "button",
                {
                    role: "tab",
                    "aria-selected": String(value === current),
                    "aria-controls": controls,
                    tabindex:
                        value === current || (!i && !rows.some(([one]) => one === current))
                            ? "0"
                            : "-1",
                    "data-key": `${name}:${value}`,
                    onclick: () => choose(value),
                },
                text,
            ),
        ),
    ]);
}

const KEYS = [
    ["Ctrl+K", "Find anything: a device, a view, a setting, an action, a document"],
    ["o m x r", "Verdict, drawing, matrix, the dump line by line"],
    ["c h p t b", "Channels, hosts, transfers point to point, tuning, bandwidth"],
    ["d v g k", "What if, comparison with another machine, a log, choice of GPUs"],
    ["s", "The question: release, hosts, settings, assumptions"],
    ["w", "Why: the rule, and what would change it"],
    ["z", "Hide or show the inspector"],
    ["e", "Files: pictures, tables, a report"],
    ["/", "Find a device: bus id, rank, mlx5_N, GUID"],
    ["l", "Load of links"],
    ["f", "Fold identical devices, hide bus ids"],
    ["[  ]", "Previous, next channel; rank of the transfers"],
    [",  .", "Previous, next step of the channel; round of the transfers"],
    ["Esc", "Clear the selection"],
    ["Tab", "To the drawing, its devices, findings on it, the tabs, the table, the inspector"],
    ["← ↑ → ↓", "From a device along its links; move the drawing; go through the matrix"],
    ["PgDn PgUp", "Next and previous device"],
    ["Enter", "Select a device; Shift+Enter makes it the end of the path"],
    ["+  −  0", "Zoom the drawing, show all"],
    ["?", "This list"],
];

export function helpDialog() {
    const dialog = h("dialog.help", { "aria-labelledby": "help-title" }, [
        h("h2", { id: "help-title" }, "Keys"),
        h("dl.facts", [KEYS.map(([keys, meaning]) => [h("dt", h("kbd", keys)), h("dd", meaning)])]),
        h("p.muted", "The menu after the logo turns the single-letter keys off."),
        h("form", { method: "dialog" }, h("button", "Close")),
    ]);
    document.body.append(dialog);
    return dialog;
}
