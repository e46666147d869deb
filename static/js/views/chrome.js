/* The line on top, tabs, and the help. */
import { copyButton, docsLink, h, s } from "../dom.js";

/** working: the node that shows work under way. actions: home(), library(), clusters(), theme(), help(). */
export function topBar({ name, sentence, theme, open, place, working, actions }) {
    return h(
        "div.bar.top",
        null,
        h(
            "button.brand",
            {
                type: "button",
                title: "Open another machine",
                "data-key": "home",
                onclick: actions.home,
            },
            s(
                "svg",
                { viewBox: "0 0 32 32", "aria-hidden": "true" },
                s("circle", {
                    cx: 16,
                    cy: 16,
                    r: 12.5,
                    fill: "none",
                    stroke: "currentColor",
                    "stroke-width": 2,
                }),
                s("circle", { cx: 16, cy: 16, r: 4, fill: "currentColor" }),
                s("circle", { cx: 26.5, cy: 9.5, r: 4, fill: "var(--accent)" }),
            ),
            "Orrery",
        ),
        h(
            open ? "h1.machine-name" : "p.machine-name",
            { title: [name, sentence].filter(Boolean).join(": ") || null },
            name && h("b", null, name),
            h("span.muted", null, sentence ?? ""),
        ),
        working,
        place !== "library" &&
            h(
                "button",
                { type: "button", "data-key": "library", onclick: actions.library },
                "Library",
            ),
        place !== "clusters" &&
            h(
                "button",
                { type: "button", "data-key": "clusters", onclick: actions.clusters },
                "Clusters",
            ),
        open &&
            h(
                "button",
                {
                    type: "button",
                    "data-key": "search",
                    title: "Find a device by bus id, rank, name or GUID ( / )",
                    onclick: actions.search,
                },
                "Find",
            ),
        open &&
            h(
                "button",
                {
                    type: "button",
                    "data-key": "export",
                    title: "Pictures, tables, a report ( e )",
                    onclick: actions.export,
                },
                "Export…",
            ),
        open && linkButton(),
        open &&
            h(
                "button",
                {
                    type: "button",
                    "data-key": "open",
                    title: "Open another machine",
                    onclick: actions.home,
                },
                "Open…",
            ),
        docsLink("", "Docs"),
        h(
            "button",
            {
                type: "button",
                id: "help",
                "data-key": "help",
                title: "Keyboard shortcuts ( ? )",
                onclick: actions.help,
            },
            "Keys",
        ),
        h(
            "button",
            {
                type: "button",
                id: "theme",
                "data-key": "theme",
                title: theme === "dark" ? "Light colours" : "Dark colours",
                onclick: actions.theme,
            },
            theme === "dark" ? "Light" : "Dark",
        ),
    );
}

/* The address names all that is shown, so it is read when it is copied. */
function linkButton() {
    const button = copyButton(() => location.href, "Copy link");
    button.dataset.key = "link";
    return button;
}

/** [[value, label]], or groups of them [[heading, [[value, label]]]]: one of them is current; arrow keys move between them. */
export function tabs(name, controls, rows, current, choose) {
    const groups = Array.isArray(rows[0]?.[1]) ? rows : [["", rows]],
        options = groups.flatMap(([, some]) => some);
    const move = (event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!step) return;
        event.preventDefault();
        const at = options.findIndex(([value]) => value === current);
        const [value] = options[(at + step + options.length) % options.length];
        choose(value);
        document.querySelector(`[data-key="${name}:${value}"]`)?.focus();
    };
    const tab = ([value, label]) =>
        h(
            "button",
            {
                type: "button",
                role: "tab",
                "aria-selected": String(value === current),
                "aria-controls": controls,
                tabindex: value === current ? "0" : "-1",
                "data-key": `${name}:${value}`,
                onclick: () => choose(value),
            },
            label,
        );
    return h(
        "div.tabs",
        { role: "tablist", "aria-label": name, onkeydown: move },
        groups.map(([heading, some]) =>
            heading
                ? h(
                      "div.tab-group",
                      { role: "presentation", "data-heading": heading },
                      some.map(tab),
                  )
                : some.map(tab),
        ),
    );
}

const KEYS = [
    ["m x c h", "Machine alone, matrix, channels, hosts"],
    ["b t p k", "Bandwidth, tuning, transfers point to point, choice of GPUs"],
    ["g d v r", "A log, what if, compare with another machine, the dump as it reads"],
    ["s", "Settings"],
    ["w", "Why: the rule, and what would change it"],
    ["z", "Hide or show the panel"],
    ["e", "Export"],
    ["/", "Find a device: bus id, rank, mlx5_N, GUID"],
    ["l", "Load of links"],
    ["f", "Fold what is alike, hide bus ids"],
    ["[  ]", "Previous, next channel; rank of the transfers"],
    [",  .", "Previous, next step of the channel; round of the transfers"],
    ["Esc", "Clear the selection"],
    ["Tab", "To the drawing, its devices, findings on it, the tabs, the table, the panel"],
    ["← ↑ → ↓", "From a device along its links; move the drawing; go through the matrix"],
    ["PgDn PgUp", "Next and previous device"],
    ["Enter", "Selects a device; Shift+Enter makes it the end of the path"],
    ["+  −  0", "Zoom the drawing, show all"],
    ["?", "This list"],
];

export function helpDialog() {
    const dialog = h(
        "dialog.help",
        { "aria-labelledby": "help-title" },
        h("h2", { id: "help-title" }, "Keys"),
        h(
            "dl.facts",
            null,
            KEYS.map(([keys, meaning]) => [
                h("dt", null, h("kbd", null, keys)),
                h("dd", null, meaning),
            ]),
        ),
        h("form", { method: "dialog" }, h("button", null, "Close")),
    );
    document.body.append(dialog);
    return dialog;
}
