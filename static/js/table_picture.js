// SPDX-License-Identifier: Apache-2.0
/* Makes pictures of tables: draws what is on the page, cell by cell, as SVG text that needs nothing else. */

const NOTHING = "rgba(0, 0, 0, 0)",
    MARGIN = 12;

/** The tables within an element, one below the other, as SVG text. null if there is none. */
export function tablePicture(root) {
    const tables = [...(root?.querySelectorAll("table") ?? [])].filter(
        (table) => table.getClientRects().length,
    );
    if (!tables.length) return null;
    return fromStart(root, () => {
        let w = 0,
            h = MARGIN;
        const drawn = tables.map((table) => {
            const box = table.getBoundingClientRect(),
                x = box.left - MARGIN,
                y = box.top - h;
            w = Math.max(w, Math.ceil(box.width) + 2 * MARGIN);
            h += Math.ceil(box.height) + 2 * MARGIN;
            const at = ({ left, top, width, height }) => ({
                x: left - x,
                y: top - y,
                w: width,
                h: height,
            });
            return [...table.querySelectorAll("caption, th, td")]
                .map((cell) => cellPicture(cell, at))
                .join("");
        });
        h -= MARGIN;
        return (
            `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w}" ` +
            `height="${h}">${rect({ x: 0, y: 0, w, h }, getComputedStyle(document.body).backgroundColor)}` +
            `${drawn.join("")}</svg>`
        );
    });
}

/* Measures with everything scrolled to its start, because headings that stay in sight may cover other cells. */
function fromStart(root, measure) {
    const scrolled = [root, ...root.querySelectorAll("*")]
        .filter((node) => node.scrollLeft || node.scrollTop)
        .map((node) => ({ node, left: node.scrollLeft, top: node.scrollTop }));
    scrolled.forEach(({ node }) => node.scrollTo({ left: 0, top: 0, behavior: "instant" }));
    try {
        return measure();
    } finally {
        scrolled.forEach(({ node, left, top }) =>
            node.scrollTo({ left, top, behavior: "instant" }),
        );
    }
}

function cellPicture(cell, at) {
    const style = getComputedStyle(cell),
        drawn = [];
    if (style.clipPath !== "none" || style.visibility === "hidden") return "";
    for (const node of [cell, ...cell.querySelectorAll("*")]) {
        const { backgroundColor } = getComputedStyle(node);
        if (backgroundColor !== NOTHING)
            drawn.push(rect(at(node.getBoundingClientRect()), backgroundColor));
        if (node.classList.contains("changed"))
            drawn.push(
                corner(at(node.getBoundingClientRect()), style.getPropertyValue("--accent")),
            );
    }
    const line = Number.parseFloat(style.borderBottomWidth);
    if (line > 0 && style.borderBottomStyle !== "none") {
        const { x, y, w, h } = at(cell.getBoundingClientRect());
        drawn.push(rect({ x, y: y + h - line, w, h: line }, style.borderBottomColor));
    }
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) drawn.push(...lines(texts.currentNode, at));
    return drawn.join("");
}

/* The words of a text, line by line. */
function lines(text, at) {
    const style = getComputedStyle(text.parentElement),
        range = document.createRange(),
        rows = [];
    for (const { index, 0: word } of text.data.matchAll(/\S+/g)) {
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const box = range.getClientRects()[0];
        if (!box?.width) continue;
        const here = at(box),
            row = rows.at(-1);
        if (row && Math.abs(row.y - here.y) < here.h / 2) row.words.push(word);
        else rows.push({ ...here, words: [word] });
    }
    const size = Number.parseFloat(style.fontSize),
        weight = style.fontWeight === "400" ? "" : ` font-weight="${style.fontWeight}"`;
    return rows.map(
        ({ x, y, h, words }) =>
            `<text x="${short(x)}" y="${short(y + h / 2 + size * 0.35)}" fill="${style.color}" ` +
            `font-family="${escape(style.fontFamily)}" ` +
            `font-size="${size}"${weight}>${escape(words.join(" "))}</text>`,
    );
}

const short = (value) => Number(value.toFixed(1));
const rect = ({ x, y, w, h }, fill) =>
    `<rect x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}" fill="${fill}"/>`;
const corner = ({ x, y, w }, fill) =>
    `<path d="M${short(x + w - 6)},${short(y)}h6v6z" fill="${fill}"/>`;
const escape = (text) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
