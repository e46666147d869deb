// SPDX-License-Identifier: Apache-2.0
/* The levels and limits in effect, each with where it comes from. */
import { button, h, table } from "../dom.js";
import { levelRows } from "../levels.js";

/** settings: rows of /v1/settings. actions: setting(name), which leads to its place in the question. */
export const levelsView = ({ model, settings, state, actions }) => [
    h("p.muted", [
        `What limits NCCL ${model.doc.nccl} on this machine. Choose a setting to change it; Why explains ` +
            "single decisions.",
    ]),
    table(
        "Levels and limits in effect",
        ["Limits", "In effect", "From", "Result", "Setting"],
        levelRows(model, settings, state.settings).map((row) => [
            h("td.wrap", row.what),
            h("td.wrap", h("b", row.value)),
            h("td.wrap", row.asked ? h("span.mono", row.from) : "default"),
            h("td.wrap", row.result || "–"),
            button(`level:${row.name}`, row.name, () => actions.setting(row.name), {
                class: "text mono",
            }),
        ]),
        { id: "levels", rowHeads: true },
    ),
];
