// SPDX-License-Identifier: Apache-2.0
/* Building elements. Text is always set as text, never as markup. */
import { idle } from "./handling.js";
import { onPage } from "./page_words.js";

/** h("td.num", {title: "x", onclick}, child, ...), or h("td.num", child, ...): children are nodes, texts, arrays or
 * null. A button has the type "button" unless it says another.
 * @param {string} spec
 * @param {any} [props]
 * @param {...any} children
 * @returns {any} the element: which of its kinds it is, the first argument says */
export function h(spec, props, ...children) {
    const [tag, ...classes] = spec.split(".");
    const node = document.createElement(tag || "div");
    if (tag === "button") node.setAttribute("type", "button");
    if (classes.length) node.className = classes.join(" ");
    return props && Object.getPrototypeOf(props) === Object.prototype
        ? fill(node, props, children)
        : fill(node, null, [props, ...children]);
}

const SVG = "http://www.w3.org/2000/svg";

/** The same for SVG elements; classes are a prop.
 * @param {string} tag
 * @param {Record<string, any> | null} [props]
 * @param {...any} children
 * @returns {any} */
export const s = (tag, props, ...children) =>
    fill(document.createElementNS(SVG, tag), props, children);

/** A button. key: its name for tests and for the focus, which stays on it when the page is made anew; null for none.
 * @param {string | null} key
 * @param {any} label
 * @param {(event: any) => any} act
 * @param {Record<string, any>} [options] pressed: of a switch, whether it is on; all else are attributes */
export const button = (key, label, act, { pressed, ...more } = {}) =>
    h(
        "button",
        {
            "data-key": key,
            "aria-pressed": pressed === undefined ? null : String(pressed),
            onclick: act,
            ...more,
        },
        label,
    );

/** A button that looks like a link in a text. */
export const textButton = (key, label, act, options = {}) =>
    button(key, label, act, { class: "text", ...options });

/** A field, or a larger one by the tag "textarea", for what no dictionary knows. id: its name for tests and for the
 * focus too.
 * @param {string} id
 * @param {Record<string, any>} props
 * @param {string} [tag] */
export const field = (id, props, tag = "input") =>
    h(tag, { id, "data-key": id, spellcheck: "false", autocomplete: "off", ...props });

/** A field that finds something while somebody writes. find(text).
 * @param {string} id
 * @param {string} name
 * @param {string} value
 * @param {(text: string) => any} find
 * @param {Record<string, any>} [more] */
export const searchField = (id, name, value, find, more = {}) =>
    h("input.filter", {
        type: "search",
        id,
        "data-key": id,
        placeholder: name,
        "aria-label": name,
        value,
        oninput: ({ target }) => find(target.value),
        ...more,
    });

/** A field for a whole number. It calls act(n) when somebody enters one that is not below `least`; a
 * larger one than `most` counts as `most`. For anything else it shows `value` again.
 * @param {string} key
 * @param {number} value
 * @param {{least?: number, most?: number, [name: string]: any}} range all else are attributes
 * @param {(n: number) => any} act */
export function numberField(
    key,
    value,
    { least = 0, most = Infinity, class: look = "short", ...props },
    act,
) {
    const entered = () => {
        const n = Math.min(most, Math.floor(Number(made.value)));
        if (made.value !== "" && n >= least) act(n);
        else made.value = String(value);
    };
    const made = h("input", {
        class: look,
        type: "number",
        "data-key": key,
        min: String(least),
        max: most < Infinity ? String(most) : null,
        value: String(value),
        onchange: entered,
        ...props,
    });
    return made;
}

/* The values that fields were made with; a different value was written since, and not entered yet. */
const given = new WeakMap();

function fill(node, props, children) {
    for (const [name, value] of Object.entries(props ?? {})) {
        if (value === undefined || value === null || value === false) continue;
        if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
        else if (name === "value") node.value = value;
        else node.setAttribute(name, value === true ? "" : value);
    }
    node.append(
        ...children
            .flat(Infinity)
            .filter((child) => child !== null && child !== undefined && child !== false),
    );
    if (
        node instanceof HTMLElement &&
        node.matches("textarea, select, input:not([type=range], [type=checkbox], [type=file])")
    ) {
        given.set(node, node.value);
        if (props?.onchange) node.addEventListener("change", () => given.delete(node));
    }
    return node;
}

const folds = new Map(); // folds that the reader opened or closed, because each change makes a view anew

/** Something that is shown on demand, a <details>. content: what h() takes, or a function that makes it once it is
 * shown. key: of this fold wherever the page is made anew.
 * @param {string} key
 * @param {any} label
 * @param {any} content
 * @param {{id?: string, open?: boolean}} [options] */
export function fold(key, label, content, { id, open = false } = {}) {
    let shown = folds.get(key) ?? open,
        made = typeof content !== "function";
    const node = h("details.fold", { id, open: shown }, [
        h("summary", { "data-key": `fold:${key}` }, label),
        made && content,
    ]);
    const make = () => {
        if (node.open && !made) fill(node, null, [content()]);
        made ||= node.open;
    };
    node.addEventListener("toggle", () => {
        if (node.open !== shown)
            // the browser says so of a new element too
            folds.set(key, (shown = node.open));
        make();
    });
    make();
    return node;
}

/** Text whose commands are in backticks, as nodes. */
export const withCode = (text) =>
    onPage(text)
        .split("`")
        .map((piece, i) => (i % 2 ? h("code", piece) : piece));

const MARKS = { "#": "num", "~": "wrap" };
/* Rows of a long table that are made at once: more than a screen has room for. The others follow when the browser is
 * idle, unless the table was there already and may be scrolled. */
const AT_ONCE = 40;

/** A table that scrolls by itself if it is too wide for its place.
 * @param {string} name what it lists
 * @param {string | any[]} heads names of the columns, as a list or with "|" between them: "#GB/s" of figures, "~Why" of
 * texts that wrap, "(Share)" not shown; or <th>
 * @param {any[]} rows lists of cells, which are texts, nodes or whole <td> and <th>, or {tag, props, cells}, or
 * functions that make one of these
 * @param {{id?: string, tag?: string, rowHeads?: boolean, caption?: any, scroll?: boolean}} [options] rowHeads: the
 * first cell names its row; caption: shown above, else only the name is there for screen readers */
export function table(
    name,
    heads,
    rows,
    { id, tag = "table.wide", rowHeads = false, caption, scroll = true } = {},
) {
    const named = typeof heads === "string" ? heads.split("|") : heads,
        kinds = named.map((head) => MARKS[head[0]]),
        texts = named.map((head, i) => (kinds[i] ? head.slice(1) : head));
    const headOf = (text, i) =>
        text instanceof HTMLTableCellElement
            ? text
            : h(kinds[i] === "num" ? "th.num" : "th", [
                  /^\(.*\)$/.test(text) ? h("span.unseen", text.slice(1, -1)) : text,
              ]);
    const cell = (value, i) =>
        value === null || value instanceof HTMLTableCellElement
            ? value // null if a cell above spans this row too
            : rowHeads && !i
              ? h(kinds[i] ? `th.${kinds[i]}` : "th", { scope: "row" }, value)
              : h(kinds[i] ? `td.${kinds[i]}` : "td", value);
    const rowOf = (row) => {
        const told = typeof row === "function" ? row() : row,
            { tag: of = "tr", props = null, cells } = Array.isArray(told) ? { cells: told } : told;
        return h(of, props, cells.map(cell));
    };
    const late = rows.length > 2 * AT_ONCE && !document.getElementById(id);
    const made = h(tag, { id }, [
        caption ? h("caption", caption) : h("caption.unseen", name),
        h("thead", h("tr", texts.map(headOf))),
        h("tbody", rows.slice(0, late ? AT_ONCE : rows.length).map(rowOf)),
    ]);
    if (late) idle().then(() => made.tBodies[0].append(...rows.slice(AT_ONCE).map(rowOf)));
    return scroll
        ? h("div.scroll", { tabindex: "0", role: "group", "aria-label": name }, made)
        : made;
}

/** Facts [[name, value]] as a list; a value may be the whole <dd>.
 * @param {any[][]} rows
 * @param {any} [options] old: a Map of what they were before, name -> value; lead: in front of each value; all else are
 * attributes */
export const facts = (rows, { old = null, lead = "", ...props } = {}) =>
    h("dl.facts", props, [
        rows.map(([name, value]) => [
            h("dt", name),
            value instanceof HTMLElement && value.tagName === "DD"
                ? value
                : h("dd", [
                      lead,
                      value,
                      old?.has(name) &&
                          old.get(name) !== value &&
                          h("div.was", `was ${old.get(name)}`),
                  ]),
        ]),
    ]);

/** listOf("ul.findings", {id}, rows, say), or without props: a list with an item for each row. say(row, i): what is in
 * the item.
 * @param {string} spec
 * @param {...any} rest */
export function listOf(spec, ...rest) {
    const [say, rows, props] = rest.reverse();
    return h(spec, props, [rows.map((row, i) => h("li", say(row, i)))]);
}

/** A command, or other text to copy, with the button that copies it. */
export const copyable = (text) =>
    h("div.command", h("pre", { tabindex: "0" }, text), copyButton(text));

/** The sentence of a list about rows that it leaves out. */
export const leftOut = (n, what = "") =>
    n > 0 && h("p.note", `${n} more ${what}${what && " "}${n === 1 ? "is" : "are"} not listed.`);

/** A link to another state of the page. key: its name for tests and for the focus.
 * @param {string} href
 * @param {string | null} key
 * @param {any} label */
export const link = (href, key, label) => h("a", { href, "data-key": key }, label);

/** A sign next to words that say the same. */
export const sign = (mark, look = "mark") => h(`span.${look}`, { "aria-hidden": "true" }, mark);

/** A bar next to a figure, which shows its share of another figure. */
export const share = (value, of, what, high = "0.999") =>
    h("meter", {
        min: "0",
        max: "1",
        high,
        value: String(Math.min(1, of ? value / of : 0)),
        "aria-label": what,
        title: `${Math.round((of ? value / of : 0) * 100)} %`,
    });

/** Replaces what is in a node, keeping the focus and the marked text of the element of the same data-key, and what
 * somebody is writing into a field. The browser keeps the node's scroll position, as long as nobody asks for it in
 * between: that would lay out the page each time. */
export function replace(node, ...children) {
    /** @type {any} */
    const active = node.contains(document.activeElement) ? document.activeElement : null,
        key = active?.closest("[data-key]")?.dataset.key,
        marked = active?.selectionStart ?? null, // null if it is not a text
        end = active?.selectionEnd,
        fresh = fill(document.createDocumentFragment(), null, children),
        named = (name) => fresh.querySelector(`[data-key="${CSS.escape(name)}"]`),
        written = [...node.querySelectorAll("[data-key]")]
            .filter((field) => given.has(field) && field.value !== given.get(field))
            .map((field) => ({ field, now: named(field.dataset.key), at: field.selectionStart }))
            .filter(({ field, now }) => now && given.get(now) === given.get(field));
    // a field that leaves the page reports what was written into it, which is not entered yet
    for (const { field } of written)
        field.addEventListener("change", (event) => event.stopImmediatePropagation(), true);
    const focused = key && named(key);
    node.replaceChildren(fresh);
    focused?.focus({ preventScroll: true });
    if (marked !== null && focused?.value === active.value) focused.setSelectionRange(marked, end);
    for (const { field, now, at } of written) carry(now, field.value, at);
}

/* Writes a text into the field that took the place of another. A browser reports only what it saw being written as a
 * change, so that this one is reported here. */
function carry(field, text, at) {
    field.value = text;
    if (field.selectionStart !== null) field.setSelectionRange?.(at, at);
    field.dispatchEvent(new Event("carried"));
    const over = new AbortController(),
        enter = () => field.isConnected && field.dispatchEvent(new Event("change"));
    field.addEventListener("change", () => over.abort(), over);
    field.addEventListener("blur", enter, over);
    field.addEventListener(
        "keydown",
        ({ key }) => key === "Enter" && field.tagName === "INPUT" && enter(),
        over,
    );
}

/** Says something to screen readers. */
export function announce(text) {
    document.getElementById("status").textContent = text;
}

const said = new Map(); // what copy buttons say for a moment, by name, because each change makes a view anew

/** text: or a function that gives it. A button that puts text on the clipboard and says so without changing its
 * width. */
export function copyButton(text, label = "Copy") {
    const name = typeof text === "function" ? label : `${label}: ${text}`;
    const say = (word) => {
        if (word) said.set(name, word);
        else said.delete(name);
        for (const one of document.querySelectorAll(`.copy[aria-label="${CSS.escape(name)}"]`))
            one.textContent = word || label;
    };
    return button(`copy:${name}`, said.get(name) ?? label, copy, {
        class: "copy",
        "aria-label": name,
    });
    async function copy() {
        const what = typeof text === "function" ? text() : text;
        let done = true;
        try {
            await navigator.clipboard.writeText(what);
        } catch {
            done = copyBySelection(what);
        }
        say(done ? "Copied" : "Select it");
        announce(done ? "Copied" : "The browser did not allow copying");
        setTimeout(() => say(""), COPIED_MS);
    }
}
const COPIED_MS = 1600;

/** A button that asks for files, and the field after it, whose id and name it takes. take(files). Browsers draw the
 * field each in its own way, with a text that fits nowhere.
 * @param {string} id
 * @param {string} label
 * @param {string} name
 * @param {(files: File[]) => any} take
 * @param {{class?: string, accept?: string, multiple?: boolean}} [options] */
export function fileButton(id, label, name, take, { class: look = "", ...options } = {}) {
    const field = h("input.unseen", {
        type: "file",
        id,
        "aria-label": name,
        tabindex: "-1",
        onchange: () => field.files.length && take([...field.files]),
        ...options,
    });
    return [button(`${id}-choose`, label, () => field.click(), { class: look || null }), field];
}

/** Options of a list: of rows [value, text], of which that of `current` is chosen, and nodes. */
export const options = (rows, current) =>
    rows.map((one) =>
        typeof one?.[0] === "string"
            ? h("option", { value: one[0], selected: one[0] === current }, one[1])
            : one,
    );

/** A list to choose from, under its label. rows: as options() takes them. choose(value). */
export const dropDown = (id, label, rows, current, choose) =>
    h("label.field", [
        label,
        " ",
        h("select", { id, "data-key": id, onchange: ({ target }) => choose(target.value) }, [
            options(rows, current),
        ]),
    ]);

/** A link to a page of the documentation, which opens beside this one. */
export const docsLink = (page, label) =>
    h("a", { href: `docs/${page}`, target: "_blank", rel: "noopener" }, label);

/* For pages without a secure context: an http:// address other than localhost. */
function copyBySelection(text) {
    const area = h("textarea.unseen", { value: text, "aria-hidden": "true" });
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
}

/** A row of choices, one of which is on: [[value, label, title], ...], or texts that are both. */
export const choices = (name, options, current, choose) =>
    h("div.choices", { role: "group", "aria-label": name }, [
        options
            .map((one) => (Array.isArray(one) ? one : [one, String(one)]))
            .map(([value, label, title]) =>
                button(`${name}:${value}`, label, () => choose(value), {
                    title,
                    pressed: value === current,
                }),
            ),
    ]);
