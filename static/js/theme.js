// SPDX-License-Identifier: Apache-2.0
/* Light or dark: the system's choice until somebody chooses here; then theirs, kept in this browser. */
import { read, write } from "./kept.js";

const system = matchMedia("(prefers-color-scheme: dark)");
/** @type {(theme: string) => void} */
let listener = () => {};

export const current = () => document.documentElement.dataset.theme;

function apply() {
    const before = current(),
        theme = read("theme") ?? (system.matches ? "dark" : "light");
    document.documentElement.dataset.theme = theme;
    if (before && before !== theme) listener(theme);
}

export function start(onChange) {
    apply();
    listener = onChange;
    system.addEventListener("change", apply);
}

/** Switches to the other theme. Choosing the system's own theme means following the system again. */
export function toggle() {
    const next = current() === "dark" ? "light" : "dark";
    if (write("theme", next === (system.matches ? "dark" : "light") ? null : next)) return apply();
    document.documentElement.dataset.theme = next;
    return listener(next);
}
