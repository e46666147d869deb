// SPDX-License-Identifier: Apache-2.0
/* Pictures from the service as elements of this page: parsed as XML, stripped of everything that could act, adopted. */
import { words } from "./model.js";

const FORBIDDEN = new Set(
    words(
        "script foreignObject iframe image use style animate set animateTransform " +
            "animateMotion audio video handler object embed",
    ).map((name) => name.toLowerCase()),
);
const XLINK = "http://www.w3.org/1999/xlink";

/** The <svg> element of a text; throws if the text is not one. */
export function picture(text) {
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    const root = parsed.documentElement;
    if (root.localName !== "svg" || root.querySelector("parsererror"))
        throw new Error("The server's picture is not SVG");
    clean(root);
    return document.adoptNode(root);
}

/** The same of a text that the page made itself, which holds nothing to remove. The parser of HTML is twice as fast as
 * that of XML. */
export const ownPicture = (text) =>
    document.adoptNode(new DOMParser().parseFromString(text, "text/html").querySelector("svg"));

/** Removes what could act, in place. */
export function clean(root) {
    for (const node of [...root.querySelectorAll("*")])
        if (
            FORBIDDEN.has(node.localName.toLowerCase()) ||
            node.namespaceURI !== "http://www.w3.org/2000/svg"
        )
            node.remove();
    for (const node of [root, ...root.querySelectorAll("*")])
        for (const name of node.getAttributeNames())
            if (!HARMLESS.has(name) && forbidden(node.getAttributeNode(name)))
                node.removeAttribute(name);
}

/* Most attributes of a picture are places and sizes, in which nothing can hide, so they are not read. */
const HARMLESS = new Set(
    words(
        "id class d points x y cx cy rx ry text-anchor font-family font-size stroke-width stroke-dasharray",
    ),
);

function forbidden({ name, localName, namespaceURI, value }) {
    if (/^on/i.test(name) || name === "style") return true;
    if (localName === "href" && (namespaceURI === XLINK || !namespaceURI))
        return !value.startsWith("#");
    return /url\s*\(\s*['"]?(?!#)/i.test(value);
}

const WIDTH = 0.62; // of a character, against its height

/** The box around the content of a group, without some elements, from the numbers in it: {x, y, w, h}, or null if it is
 * empty. The browser knows it exactly, but lays out every text to do so. Curves are inside their control points. */
export function extent(group, but) {
    const xs = [],
        ys = [],
        add = (x, y) => (xs.push(x), ys.push(y));
    for (const shape of group.querySelectorAll("path, polygon, ellipse, text")) {
        const number = (name) => Number(shape.getAttribute(name)),
            x = number("x"),
            y = number("y");
        if (shape.closest(but)) continue;
        if (shape.localName === "text") {
            const half = (shape.textContent.length * WIDTH * number("font-size")) / 2,
                middle = x + ({ middle: 0, end: -half }[shape.getAttribute("text-anchor")] ?? half);
            add(middle - half, y - number("font-size"));
            add(middle + half, y);
        } else if (shape.localName === "ellipse") {
            add(number("cx") - number("rx"), number("cy") - number("ry"));
            add(number("cx") + number("rx"), number("cy") + number("ry"));
        } else {
            const numbers =
                (shape.getAttribute("d") ?? shape.getAttribute("points")).match(/-?\d+(\.\d+)?/g) ??
                [];
            for (let i = 1; i < numbers.length; i += 2)
                add(Number(numbers[i - 1]), Number(numbers[i]));
        }
    }
    const least = (all) => all.reduce((a, b) => Math.min(a, b)),
        most = (all) => all.reduce((a, b) => Math.max(a, b));
    return xs.length
        ? { x: least(xs), y: least(ys), w: most(xs) - least(xs), h: most(ys) - least(ys) }
        : null;
}

/** The name of a device or link, for people: Graphviz puts the tooltip on a link around the shape. */
export const titleOf = (group) =>
    group.querySelector("a")?.getAttributeNS(XLINK, "title") ||
    group.querySelector("title")?.textContent ||
    group.id;
