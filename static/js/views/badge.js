// SPDX-License-Identifier: Apache-2.0
/* The mark of findings on a drawing: a button that has the same size at every zoom. */
import { s } from "../dom.js";

/** row: as marks.js gives it. at: {x, y}. open(finding): what a click or Enter does. */
export function badge({ node, link, severity, findings: [first, ...more] }, at, open) {
    const name = node ?? link.slice(0, 2).join("--"),
        label = `${severity}: ${first.title}${more.length ? ` and ${more.length} more` : ""}`;
    const act = (event) => {
        event.stopPropagation();
        open(first);
    };
    return s(
        "g",
        {
            class: `badge-at sev-${severity}`,
            transform: `translate(${at.x} ${at.y})`,
            "data-badge": name,
            "data-key": `badge:${name}`,
            role: "button",
            tabindex: "0",
            "aria-label": label,
            onpointerdown: (event) => event.stopPropagation(),
            onclick: act,
            onkeydown: (event) =>
                ["Enter", " "].includes(event.key) && (event.preventDefault(), act(event)),
        },
        s("title", null, label),
        s("g", { class: "badge-face" }, [
            s("circle", { r: "12", class: "reach" }),
            s("circle", { r: "7.5" }),
            s("text", { y: "4" }, severity === "error" ? "✗" : "!"),
        ]),
    );
}
