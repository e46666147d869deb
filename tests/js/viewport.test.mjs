// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { fit, grown, pan, reshape, write, zoom } from "../../static/js/viewport.js";

const picture = { x: 0, y: 0, w: 400, h: 100 },
    square = { w: 500, h: 500 };
const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);

test("fitting shows all, centred, in the window's proportions", () => {
    const box = fit(picture, square, { margin: 0 });
    assert.deepEqual(box, { x: 0, y: -150, w: 400, h: 400 });
    const tall = fit({ x: 10, y: 20, w: 50, h: 200 }, { w: 200, h: 100 }, { margin: 0 });
    assert.deepEqual(tall, { x: 35 - 200, y: 20, w: 400, h: 200 });
});

test("a small picture in a large window is not blown up beyond a scale", () => {
    const box = fit(picture, { w: 2000, h: 1000 }, { margin: 0, most: 2 });
    assert.deepEqual(box, { x: 200 - 500, y: 50 - 250, w: 1000, h: 500 });
});

test("a window without a size is not a division by zero", () => {
    assert.ok(Number.isFinite(fit(picture, { w: 0, h: 0 }).w));
});

test("zooming keeps the point under the pointer and the proportions", () => {
    const whole = fit(picture, square, { margin: 0 }),
        box = zoom(whole, 2, 0.25, 0.5, whole);
    near(box.w, 200);
    near(box.x + 0.25 * box.w, whole.x + 0.25 * whole.w);
    near(box.y + 0.5 * box.h, whole.y + 0.5 * whole.h);
    near(box.w / box.h, whole.w / whole.h);
});

test("zooming ends somewhere on both sides", () => {
    const whole = fit(picture, square, { margin: 0 });
    near(zoom(whole, 1e9, 0.5, 0.5, whole).w, 400 / 24);
    near(zoom(whole, 1e-9, 0.5, 0.5, whole).w, 800);
});

test("panning never loses the picture", () => {
    const box = fit(picture, square, { margin: 0 }),
        far = pan(box, 100, -100, picture);
    near(far.x + far.w / 2, picture.x + picture.w);
    near(far.y + far.h / 2, picture.y);
});

test("another window keeps the middle and the scale", () => {
    const box = { x: 100, y: 40, w: 100, h: 50 },
        after = reshape(box, { w: 200, h: 100 }, { w: 400, h: 100 });
    assert.deepEqual(after, { x: 50, y: 40, w: 200, h: 50 });
});

test("what lies around the part in sight is a share of its size on each side", () => {
    assert.deepEqual(grown({ x: 10, y: 20, w: 100, h: 40 }, 0.5), { x: -40, y: 0, w: 200, h: 80 });
});

test("a box is written with few digits", () =>
    assert.equal(write({ x: 0.12345, y: 1, w: 2.5, h: 3 }), "0.123 1 2.5 3"));
