// SPDX-License-Identifier: Apache-2.0
/* Fingers and the mouse on a drawing: one finger moves it, two zoom it, and a tap chooses the device below. */

const STILL = 4; // pixels by which a tap may move

export class Fingers {
    act;
    canvas;

    #down = new Map(); // pointer -> where it is
    #dragged = false;
    #pressed = null;

    /** act: {ready(), began(): the drawing moves from now on, moved(dx, dy): in pixels, by one finger, spread(dx, dy,
     * factor, fx, fy): by two, with their middle as fractions of the canvas, lifted(), chosen(device, shift): a device
     * or link, null beside all}. */
    constructor(canvas, act) {
        Object.assign(this, { canvas, act });
        canvas.addEventListener("pointerdown", (event) => this.#press(event));
        canvas.addEventListener("pointermove", (event) => this.#move(event));
        for (const name of ["pointerup", "pointercancel"])
            canvas.addEventListener(name, (event) => this.#release(event));
    }

    #press(event) {
        if (!this.act.ready() || event.button) return;
        this.#down.set(event.pointerId, { x: event.clientX, y: event.clientY });
        this.#dragged = this.#down.size > 1;
        this.#pressed = {
            x: event.clientX,
            y: event.clientY,
            device: event.target.closest?.("g.node[role='button'], g.edge[role='button']"),
            shift: event.shiftKey,
        };
    }

    #move(event) {
        const finger = this.#down.get(event.pointerId);
        if (!finger || !this.act.ready()) return;
        if (
            !this.#dragged &&
            Math.hypot(event.clientX - this.#pressed.x, event.clientY - this.#pressed.y) > STILL
        ) {
            this.#dragged = true;
            this.canvas.setPointerCapture(event.pointerId);
            this.act.began();
        }
        if (!this.#dragged) return;
        const before = this.#middle(),
            dx = event.clientX - finger.x,
            dy = event.clientY - finger.y;
        finger.x = event.clientX;
        finger.y = event.clientY;
        const after = this.#middle();
        if (after) this.act.spread(dx / 2, dy / 2, after.d / before.d, after.x, after.y);
        else this.act.moved(dx, dy);
    }

    /* Distance and middle of two fingers, null with fewer. */
    #middle() {
        if (this.#down.size < 2) return null;
        const [a, b] = [...this.#down.values()],
            at = this.canvas.getBoundingClientRect();
        return {
            d: Math.max(1, Math.hypot(a.x - b.x, a.y - b.y)),
            x: ((a.x + b.x) / 2 - at.left) / at.width,
            y: ((a.y + b.y) / 2 - at.top) / at.height,
        };
    }

    #release(event) {
        if (!this.#down.delete(event.pointerId)) return;
        this.act.lifted();
        if (!this.#dragged && event.type === "pointerup")
            this.act.chosen(this.#pressed.device ?? null, this.#pressed.shift);
    }
}
