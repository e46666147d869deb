// SPDX-License-Identifier: Apache-2.0
/* Whether somebody is pressing something. A button that is replaced between press and release loses its click, and a
 * list that is replaced while it is open closes: what can be shown later waits that long. */
const MOST_MS = 4000; // not every end is seen: a click elsewhere closes a list, a button is released outside the page
let until = 0;
let written = null; // the field in which a text is being written
let writtenUntil = 0;

const end = () => (until = 0);

/** Begins to watch the document; most: milliseconds that anything waits. */
export function watchHands(target = document, most = MOST_MS) {
    const listen = (kind, act) => target.addEventListener(kind, act, true);
    listen("pointerdown", () => (until = performance.now() + most));
    // behind the click; a list stays open
    listen("pointerup", (event) => event.target.closest?.("select") || setTimeout(end));
    // a field changes when a button beside it is pressed: that button still waits for its click
    listen("change", (event) => event.target.closest?.("select") && setTimeout(end));
    listen("pointercancel", end);
    listen("keydown", (event) => event.key === "Escape" && end());
    listen("input", (event) => {
        written = event.target;
        writtenUntil = performance.now() + most;
    });
    for (const kind of ["change", "focusout"]) listen(kind, () => (written = null));
    listen("keydown", (event) => event.key === "Enter" && (written = null));
}

/** Gives a promise of the end: at once where nobody presses anything. */
export async function handsOff() {
    while (performance.now() < until) await new Promise((next) => setTimeout(next, 50));
}

/** The same, and until a text that is being written has been entered: a redraw would lose it with its field. */
export async function textEntered() {
    do {
        await handsOff();
        if (written) await new Promise((next) => setTimeout(next, 50));
    } while (written?.isConnected && performance.now() < writtenUntil);
}

const FRAMES_MS = 50; // three frames

/** Once the browser has shown what there is and has nothing else to do. */
export async function idle() {
    await new Promise((done) => setTimeout(done, FRAMES_MS));
    if (globalThis.requestIdleCallback)
        await new Promise((done) => requestIdleCallback(done, { timeout: 300 }));
}
