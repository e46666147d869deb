// SPDX-License-Identifier: Apache-2.0
/* Building elements. Text is always set as text, never as markup. */

/** h("td.num", {title: "x", onclick}, child, ...), or h("td.num", child, ...): children are nodes, texts, arrays or
 * null. A button has the type "button" unless it says another.
 * @param {string} spec
 * @param {any} [props]
 * @param {...any} children
 * @returns {any} the element: which of its kinds it is, the first argument says */
import { onPage } from "./page_words.js";
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
export function s(tag, props, ...children) {
    return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(node, props, children) {
    for (const [name, value] of Object.entries(props ?? {})) {
        if (value === undefined || value === null || value === false) continue;
        if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
        else if (name === "value") node.value = value;
        else node.setAttribute(name, value === true ? "" : value);
    }
    node.append(
        ...children
            .flat(3)
            .filter((child) => child !== null && child !== undefined && child !== false),
    );
    return node;
}

const folds = new Map(); // which folds the reader opened or closed: a view is made anew with each change

/** Something that is shown on demand, a <details>. content: what h() takes, or a function that makes it once it is
 * shown. key: of this fold wherever the page is made anew.
 * @param {string} key
 * @param {any} label
 * @param {any} content
 * @param {{id?: string, open?: boolean}} [options] */
export function fold(key, label, content, { id, open = false } = {}) {
    let shown = folds.get(key) ?? open,
        made = typeof content !== "function";
    const node = h(
        "details.fold",
        { id, open: shown },
        h("summary", { "data-key": `fold:${key}` }, label),
        made && content,
    );
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

/** A table that scrolls by itself where it is too wide for its place.
 * @param {string} name what it lists
 * @param {any[]} heads names of the columns: "#GB/s" of figures, "~Why" of texts that wrap,
 * "(Share)" not shown; or <th>
 * @param {any[]} rows lists of cells, which are texts, nodes or whole <td> and <th>, or {tag, props, cells}
 * @param {{id?: string, tag?: string, rowHeads?: boolean, caption?: any, scroll?: boolean}} [options] rowHeads: the
 * first cell names its row; caption: shown above, else only the name is there for screen readers */
export function table(
    name,
    heads,
    rows,
    { id, tag = "table.wide", rowHeads = false, caption, scroll = true } = {},
) {
    const kinds = heads.map((head) => MARKS[head[0]]),
        texts = heads.map((head, i) => (kinds[i] ? head.slice(1) : head));
    const headOf = (text, i) =>
        text instanceof HTMLTableCellElement
            ? text
            : h(
                  kinds[i] === "num" ? "th.num" : "th",
                  /^\(.*\)$/.test(text) ? h("span.unseen", text.slice(1, -1)) : text,
              );
    const cell = (value, i) =>
        value === null || value instanceof HTMLTableCellElement
            ? value // null: a cell above spans this row too
            : rowHeads && !i
              ? h("th", { scope: "row" }, value)
              : h(kinds[i] ? `td.${kinds[i]}` : "td", value);
    const rowOf = ({ tag: of = "tr", props = null, cells }) => h(of, props, cells.map(cell));
    const made = h(
        tag,
        { id },
        caption ? h("caption", caption) : h("caption.unseen", name),
        h("thead", h("tr", texts.map(headOf))),
        h(
            "tbody",
            rows.map((row) => rowOf(Array.isArray(row) ? { cells: row } : row)),
        ),
    );
    return scroll
        ? h("div.scroll", { tabindex: "0", role: "group", "aria-label": name }, made)
        : made;
}

/** A bar beside a figure: how much of another it is. */
export const share = (value, of, what, high = "0.999") =>
    h("meter", {
        min: "0",
        max: "1",
        high,
        value: String(Math.min(1, of ? value / of : 0)),
        "aria-label": what,
        title: `${Math.round((of ? value / of : 0) * 100)} %`,
    });

/** Replaces what is in a node, keeping the focus on the element of the same data-key. The browser keeps the node's
 * scroll position, as long as nobody asks for it in between: that would lay out the page each time. */
export function replace(node, ...children) {
    const key = node.contains(document.activeElement)
        ? document.activeElement.closest("[data-key]")?.dataset.key
        : null;
    node.replaceChildren(
        ...children
            .flat(3)
            .filter((child) => child !== null && child !== undefined && child !== false),
    );
    if (key) node.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

/** Says something to screen readers. */
export function announce(text) {
    document.getElementById("status").textContent = text;
}

/** text: or a function that gives it. A button that puts text on the clipboard and says so without changing its width.
 * */
export function copyButton(text, label = "Copy") {
    const button = h(
        "button.copy",
        { "aria-label": typeof text === "function" ? label : `${label}: ${text}`, onclick: copy },
        label,
    );
    async function copy() {
        const what = typeof text === "function" ? text() : text;
        let done = true;
        try {
            await navigator.clipboard.writeText(what);
        } catch {
            done = copyBySelection(what);
        }
        button.textContent = done ? "Copied" : "Select it";
        announce(done ? "Copied" : "The browser did not allow copying");
        setTimeout(() => (button.textContent = label), 1600);
    }
    return button;
}

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

/** A row of choices of which one holds: [[value, label, title], ...]. */
export function choices(name, options, current, choose) {
    return h(
        "div.choices",
        { role: "group", "aria-label": name },
        options.map(([value, label, title]) =>
            h(
                "button",
                {
                    title,
                    "aria-pressed": String(value === current),
                    "data-key": `${name}:${value}`,
                    onclick: () => choose(value),
                },
                label,
            ),
        ),
    );
}
