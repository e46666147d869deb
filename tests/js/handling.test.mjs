// SPDX-License-Identifier: Apache-2.0
/* What can be shown later waits while somebody presses something. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { handsOff, textEntered, watchHands } from "../../static/js/handling.js";

const later = () => new Promise((next) => setTimeout(next, 60));

async function held() {
    let off = false;
    handsOff().then(() => (off = true));
    await later();
    return !off;
}

test(
    "a button that is pressed is not replaced before its click is over; an open list not before a " +
        "choice",
    async () => {
        const button = new EventTarget(),
            list = Object.assign(new EventTarget(), { closest: (kind) => kind === "select" });
        const act = (target, kind, more = {}) =>
            target.dispatchEvent(Object.assign(new Event(kind), more));
        watchHands(button, Infinity);
        watchHands(list, Infinity);
        assert.equal(await held(), false, "nobody presses anything");
        act(button, "pointerdown");
        assert.equal(await held(), true);
        act(button, "pointerup");
        await later();
        assert.equal(await held(), false);
        for (const [kind, more] of [["change"], ["keydown", { key: "Escape" }]]) {
            act(list, "pointerdown");
            act(list, "pointerup");
            assert.equal(await held(), true, "the list is open");
            act(list, kind, more);
            await later();
            assert.equal(await held(), false);
        }
    },
);

test("a text that is being written is not replaced before it is entered", async () => {
    const field = Object.assign(new EventTarget(), { isConnected: true });
    watchHands(field, 5000);
    const write = () => field.dispatchEvent(new Event("input"));
    for (const kind of ["change", "focusout"]) {
        write();
        let over = false;
        const waiting = textEntered().then(() => (over = true));
        await later();
        await later();
        assert.equal(over, false);
        field.dispatchEvent(new Event(kind));
        await waiting;
    }
    write();
    assert.equal(await held(), false, "what answers to each letter does not wait");
    field.isConnected = false;
    await textEntered();
});
