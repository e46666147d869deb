// SPDX-License-Identifier: Apache-2.0
/* Knows whether somebody is pressing something. A button that is replaced between press and release loses its click,
 * and a list that is replaced while it is open closes. So nothing new is shown before the release. */
const MOST_MS = 4000; // some ends are not seen: a click elsewhere closes a list, or a button is released outside
let until = 0;

const end = () => (until = 0);
const pressed = () => performance.now() < until;

/** Begins to watch the document. most is the longest wait in milliseconds. */
export function watchHands(target = document, most = MOST_MS) {
    const listen = (kind, act) => target.addEventListener(kind, act, true);
    listen("pointerdown", () => (until = performance.now() + most));
    // a list stays open; otherwise after the click, which ends it if there is one
    listen("pointerup", (event) => event.target.closest?.("select") || setTimeout(end));
    listen("click", end);
    // a field changes when a button beside it is pressed: that button still waits for its click
    listen("change", (event) => event.target.closest?.("select") && end());
    listen("pointercancel", end);
    listen("keydown", (event) => event.key === "Escape" && end());
}

/** Gives a promise that resolves when the press ends, at once if nobody presses anything. */
export async function handsOff() {
    while (pressed()) await new Promise((next) => setTimeout(next, 50));
}

/** Gives a function that calls this one once nobody presses anything, which is mostly at once. */
export const unpressed = (act) => () => (pressed() ? handsOff().then(act) : act());

const FRAMES_MS = 50; // three frames

/** Resolves once the browser has shown everything and has nothing else to do. */
export async function idle() {
    await new Promise((done) => setTimeout(done, FRAMES_MS));
    if (globalThis.requestIdleCallback)
        await new Promise((done) => requestIdleCallback(done, { timeout: 300 }));
}
