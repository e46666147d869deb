// SPDX-License-Identifier: Apache-2.0
/* Puts texts and pictures into files of the reader. */
import { h, s } from "./dom.js";
import { words } from "./model.js";

/** Offers bytes or text as a download. */
export function save(name, content, type) {
    const url = URL.createObjectURL(
        content instanceof Blob ? content : new Blob([content], { type }),
    );
    const link = h("a", { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

const STYLES = words(
    "display fill fill-opacity stroke stroke-width stroke-dasharray stroke-opacity stroke-linecap opacity " +
        "font-family font-size font-weight text-anchor paint-order vector-effect transform",
);
const PLAIN = {
    display: "inline",
    "fill-opacity": "1",
    "stroke-opacity": "1",
    "stroke-dasharray": "none",
    "stroke-linecap": "butt",
    opacity: "1",
    "vector-effect": "none",
    transform: "none",
};

/** A picture of the page as a text that needs nothing else: all of it, with the styles that the page gives it. */
export function standalone(svg, whole) {
    const copy = svg.cloneNode(true),
        from = [svg, ...svg.querySelectorAll("*")],
        to = [copy, ...copy.querySelectorAll("*")];
    from.forEach((node, i) => {
        const style = getComputedStyle(node);
        for (const name of STYLES) {
            const value = style.getPropertyValue(name);
            if (
                value &&
                value !== PLAIN[name] &&
                !(name === "transform" && node.hasAttribute("transform"))
            )
                to[i].setAttribute(name, name === "transform" ? translation(value) : value);
        }
        for (const name of ["class", "tabindex", "role", "aria-pressed"])
            to[i].removeAttribute(name);
    });
    const seen = svg.viewBox.baseVal,
        { x, y } = whole ?? seen,
        [width, height] = whole ? [whole.w, whole.h] : [seen.width, seen.height],
        fill = getComputedStyle(document.body).backgroundColor;
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
    copy.setAttribute("width", String(Math.round(width)));
    copy.setAttribute("height", String(Math.round(height)));
    copy.prepend(s("rect", { x, y, width, height, fill }));
    return new XMLSerializer().serializeToString(copy);
}

/* "matrix(1, 0, 0, 1, 0, 14)" is what a computed style says; attributes take it without units. */
const translation = (value) => value.replace(/px/g, "");

const LARGEST = 8192; // pixels of a side that every browser can draw

/** The same as PNG bytes, two pixels for each unit where the picture is not larger than browsers can draw. */
export async function png(text) {
    const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" })),
        image = new Image();
    try {
        await new Promise((done, fail) => {
            image.onload = done;
            image.onerror = () => fail(new Error("the browser cannot draw this picture"));
            image.src = url;
        });
        const scale = Math.min(2, LARGEST / Math.max(image.naturalWidth, image.naturalHeight)),
            canvas = document.createElement("canvas");
        canvas.width = Math.max(1, Math.round(image.naturalWidth * scale));
        canvas.height = Math.max(1, Math.round(image.naturalHeight * scale));
        canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
        return await new Promise((done, fail) =>
            canvas.toBlob(
                (blob) => (blob ? done(blob) : fail(new Error("no picture came out"))),
                "image/png",
            ),
        );
    } finally {
        URL.revokeObjectURL(url);
    }
}
