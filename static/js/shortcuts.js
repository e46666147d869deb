// SPDX-License-Identifier: Apache-2.0
/* Whether single letters do something. Voice control types letters, so they can be switched off (WCAG 2.1.4); the
 * choice is kept in this browser. */
import { read, write } from "./kept.js";

const KEY = "single-letter-keys";

export const on = () => read(KEY) !== "off";

/** Gives whether they are on now: a browser that keeps nothing keeps them on. */
export function toggle() {
    write(KEY, on() ? "off" : null);
    return on();
}
