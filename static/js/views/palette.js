// SPDX-License-Identifier: Apache-2.0
/* The command palette: a field with a list below it that finds devices, views, settings, actions and documents. Arrow
 * keys and Enter work in it. */
import { h, replace } from "../dom.js";
import { plural } from "../model.js";
import { entries, find } from "../search.js";
import { devicesIn } from "../source.js";
import { SECTIONS } from "../state.js";

const DOCUMENTS = [
    ["Quick start", "quick-start.html"],
    ["Findings and what to do about them", "findings.html"],
    ["How NCCL sees a machine", "nccl/"],
    ["Glossary: bus bandwidth, rail, PXN, NVLS", "glossary.html"],
    ["I have a dump", "guides/dump.html"],
    ["I have a log", "guides/log.html"],
    ["I have nccl-tests numbers", "guides/nccl-tests.html"],
    ["I run a fleet", "guides/fleet.html"],
    ["Clusters and parallel groups", "guides/clusters.html"],
    ["REST API", "reference/rest.html"],
    ["Settings of NCCL", "reference/settings.html"],
];

/** Everything that can be done from here, by name: [{name, about, run}]. open: whether a machine is open. settings: of
 * the release. actions: those of the page. */
export function commands({ open, settings, actions }) {
    const row =
        (about) =>
        (/** @type {any[]} */ [name, run]) => ({ name, about, run });
    const view = SECTIONS.flatMap(([, section, views]) =>
        views.map(([name, label]) => [
            section === label || views.length === 1 ? section : `${section}: ${label}`,
            () => actions.view(name),
        ]),
    );
    const here = [
        ...view.map(row("view")),
        ...[
            ["Change release, hosts, settings, assumptions", () => actions.panel("settings")],
            ["Why: the rule that decided", () => actions.panel("why")],
            ["Files: pictures, tables, a report", actions.export],
            ["Hide or show the inspector", actions.inspector],
            ["Clear the selection", actions.clear],
        ].map(row("action")),
        ...[1, 2, 4, 8, 16, 64]
            .map((n) => [plural(n, "host"), () => actions.hosts(n)])
            .map(row("question")),
        ...settings.map(({ name }) => [name, () => actions.setting(name)]).map(row("setting")),
    ];
    return [
        ...(open ? here : []),
        ...[
            ["Open another machine", actions.home],
            ["Library", actions.library],
            ["Hosts in groups", actions.fleet],
            ["Clusters", actions.clusters],
            ["Light or dark colours", actions.theme],
            ["Keys", actions.help],
        ].map(row("action")),
        ...DOCUMENTS.map(([name, page]) => [
            name,
            () => window.open(`docs/${page}`, "_blank", "noopener"),
        ]).map(row("document")),
    ];
}

const MOST = 14;

/** model: of the analysis, or null; source(): gives the dump's text. choose(id, extend): a device. */
export async function palette({ model, source, choose, commands: rows }) {
    let devices = model ? entries(model) : [],
        shown = [],
        at = 0;
    const others = rows.map((one, i) => ({
        ...one,
        id: `command:${i}`,
        text: `${one.name}\n${one.about}`.toLowerCase(),
    }));
    const options = h("ul.found", { id: "found", role: "listbox", "aria-label": "What was found" }),
        hint = h("p.note", [
            "Bus id, rank, mlx5_N or GUID of a device, or a view, a setting, an action, a document. " +
                "Shift+Enter makes a device the end of the path.",
        ]);
    const take = (entry, extend) => {
        if (!entry) return;
        dialog.close();
        if (entry.run) entry.run();
        else {
            choose(entry.id, extend);
            document.getElementById(entry.id)?.focus({ preventScroll: true });
        }
    };
    const field = h("input.filter", {
        type: "text",
        id: "search",
        role: "combobox",
        "aria-label": "Find",
        "aria-controls": "found",
        "aria-expanded": "true",
        "aria-autocomplete": "list",
        autocomplete: "off",
        spellcheck: "false",
        oninput: () => {
            at = 0;
            draw();
        },
        onkeydown: (event) => {
            const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
            if (step && shown.length) {
                event.preventDefault();
                at = (at + step + shown.length) % shown.length;
                draw();
            } else if (event.key === "Enter") {
                event.preventDefault();
                take(shown[at], event.shiftKey);
            }
        },
    });
    const draw = () => {
        const wanted = field.value.trim();
        shown = wanted
            ? [...find(devices, wanted), ...find(others, wanted)].slice(0, MOST)
            : others.slice(0, MOST);
        field.setAttribute("aria-activedescendant", shown.length ? `found-${at}` : "");
        replace(
            options,
            shown.map((entry, i) =>
                h(
                    "li",
                    {
                        id: `found-${i}`,
                        role: "option",
                        "aria-selected": String(i === at),
                        "data-found": entry.id,
                        onclick: (event) => take(entry, event.shiftKey),
                    },
                    h("b", entry.name),
                    h("span.muted", entry.about),
                ),
            ),
        );
        options.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
        hint.textContent =
            shown.length || !wanted ? hint.textContent : `Nothing here is called “${wanted}”.`;
    };
    const dialog = h(
        "dialog.help.search",
        { "aria-label": "Find", onclose: () => dialog.remove() },
        field,
        options,
        hint,
    );
    document.querySelector("dialog.search")?.remove(); // a closed dialog disappears a moment later
    document.body.append(dialog);
    dialog.showModal();
    draw();
    field.focus();
    if (!model) return;
    try {
        const text = await source();
        devices = entries(model, text.split(/\r\n|\r|\n/), devicesIn(text));
        draw();
    } catch {
        draw(); // only the dump has names and GUIDs; the rest can be found without it
    }
}
