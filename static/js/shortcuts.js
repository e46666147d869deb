// SPDX-License-Identifier: Apache-2.0
/* Whether single letters do something. Voice control types letters, so they can be switched off (WCAG 2.1.4); the
 * choice is kept in this browser. */
const KEY = "single-letter-keys";

export function on() {
    try {
        return localStorage.getItem(KEY) !== "off";
    } catch {
        return true;
    }
}

/** Gives whether they are on. */
export function toggle() {
    const next = !on();
    try {
        if (next) localStorage.removeItem(KEY);
        else localStorage.setItem(KEY, "off");
    } catch {
        return true; // a browser that keeps nothing keeps them on
    }
    return next;
}
