// SPDX-License-Identifier: Apache-2.0
/* Parts that several views share: buttons to the next and the previous thing, and places to paste a text. */
import { button, field, h } from "../dom.js";

/** Buttons to the one before and the one after of `count`, with what is chosen between them. what: "channel"; keys:
 * that do the same, as titles say; prefix: of the names of the buttons. go(i).
 * @param {string} what
 * @param {{text: string, at: number, count: number, keys?: string, prefix?: string, between?: any}} of
 * @param {(i: number) => any} go */
export function stepper(what, { text, at, count, keys = "", prefix = "", between = null }, go) {
    const step = (by, sign, word, key) => {
        const name = `${capital(word)} ${what}`;
        return button(`${prefix}${word}`, sign, () => go((at + by + count) % count), {
            class: "icon",
            disabled: count < 2,
            title: key && `${name} ( ${key} )`,
            "aria-label": name,
        });
    };
    return h("div", { role: "group", "aria-label": capital(what) }, [
        step(-1, "‹", "previous", keys[0]),
        [" ", between, between && " "],
        h("span.channel-no", { id: `${what}-no` }, text),
        " ",
        step(1, "›", "next", keys[1]),
    ]);
}
const capital = (word) => word[0].toUpperCase() + word.slice(1);

/** A place for a text: a button that asks for files, and a field to paste into. open(blob, name).
 * @param {string} id
 * @param {{name: string, file: any, hint: string, placeholder: string}} about
 * @param {(blob: Blob, name: string) => any} open
 * @param {...any} more */
export function pasting(id, { name, file, hint, placeholder }, open, ...more) {
    const text = field(`${id}-paste`, { rows: "2", "aria-label": name, placeholder }, "textarea"),
        read = () => text.value.trim() && open(new Blob([text.value]), `pasted.${id}`);
    return h("div.toolbar", { id: `${id}-chooser` }, [
        file,
        h("span.muted", hint),
        text,
        button(`${id}-read`, "Check the pasted text", read),
        more,
    ]);
}
