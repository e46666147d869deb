// SPDX-License-Identifier: Apache-2.0
/* The settings that help here: the service tries those that people set, once somebody opens the list. */
import * as api from "../api.js";
import { Asking } from "../asking.js";
import { button, h, replace, table } from "../dom.js";
import { question } from "../state.js";
import { problemView } from "./problem.js";

/* The element stays while the page is made anew around it. */
const root = h("div", { id: "helping", "aria-live": "polite" });
const asking = new Asking();

/** actions: against(list). */
export function helpingView(state, actions) {
    const words = question(state),
        key = `${state.id}?${words}`;
    if (key !== asking.key) load(state.id, words, key, actions);
    return root;
}

async function load(id, words, key, actions) {
    replace(root, h("p.muted", "Trying the settings that people set, and pairs of them…"));
    const told = await asking.ask(key, (signal) => api.settingsThatHelp(id, words, signal));
    if (!told) return;
    const { answer, problem } = told;
    if (problem) asking.key = ""; // it is asked again when the list is shown again
    replace(root, problem ? problemView(problem) : answered(answer, actions));
}

const effect = ({ helps, gains }) =>
    helps ? "helps" : gains ? "helps some, costs others" : "only costs";

const answered = ({ settings, tried, helping, complete }, actions) => [
    h("p", [
        `${helping ? `${helping} of` : "None of"} ${tried} settings and pairs of settings ` +
            `${helping > 1 ? "help" : "helps"} without costing anything, as predicted` +
            `${complete ? "." : "; not all could be tried."}`,
    ]),
    settings.length > 0 &&
        table(
            "Settings that change a bandwidth by more than 2 %",
            ["Setting", "~What changes most", "Effect"],
            settings.map((row) => {
                const list = Object.entries(row.settings).map(([name, to]) => `${name}=${to}`);
                return [
                    button(
                        `helping:${list.join(" ")}`,
                        list.join(" "),
                        () => actions.against(list),
                        { class: "text mono" },
                    ),
                    row.sentence.slice(row.sentence.indexOf(": ") + 2),
                    effect(row),
                ];
            }),
            { rowHeads: true },
        ),
];
