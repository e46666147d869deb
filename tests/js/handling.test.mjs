// SPDX-License-Identifier: Apache-2.0
/* Updates that can wait are delayed while the user presses something. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { handsOff, unpressed, watchHands } from "../../static/js/handling.js";

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

test("what is drawn anew waits for the click, and is drawn at once after it", async () => {
    const button = new EventTarget();
    watchHands(button, Infinity);
    let drawn = 0;
    const draw = unpressed(() => drawn++);
    draw();
    assert.equal(drawn, 1);
    button.dispatchEvent(new Event("pointerdown"));
    draw();
    await later();
    assert.equal(drawn, 1);
    button.dispatchEvent(new Event("pointerup"));
    button.dispatchEvent(new Event("click"));
    draw();
    assert.equal(drawn, 2, "the click's own change");
    await later();
    assert.equal(drawn, 3, "the one that waited");
});
