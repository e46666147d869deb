// SPDX-License-Identifier: Apache-2.0
/* Pan and zoom as arithmetic on a view box {x, y, w, h} over a picture of a given size. */

const MOST = 24; // times magnified, against fitting

/** The box that shows all of the picture, centred, in a window of the given proportions. most: pixels a unit, for small
 * pictures in large windows. */
export function fit(picture, window, { margin = 0.02, most = Infinity } = {}) {
    const ratio = window.w > 0 && window.h > 0 ? window.w / window.h : 1;
    let w = Math.max(picture.w * (1 + 2 * margin), window.w / most),
        h = picture.h * (1 + 2 * margin);
    if (w / h > ratio) h = w / ratio;
    else w = h * ratio;
    return { x: picture.x + picture.w / 2 - w / 2, y: picture.y + picture.h / 2 - h / 2, w, h };
}

/** Zooms by a factor (> 1: closer) so that the point at (fx, fy), fractions of the box, stays where it is. */
export function zoom(box, factor, fx, fy, whole) {
    const w = Math.min(whole.w * 2, Math.max(whole.w / MOST, box.w / factor)),
        h = (w * box.h) / box.w;
    return { x: box.x + (box.w - w) * fx, y: box.y + (box.h - h) * fy, w, h };
}

/** Moves by fractions of the box; its middle stays over the picture. */
export function pan(box, dx, dy, picture) {
    const clamp = (value, least, most) => Math.min(most, Math.max(least, value));
    return {
        ...box,
        x: clamp(box.x + dx * box.w, picture.x - box.w / 2, picture.x + picture.w - box.w / 2),
        y: clamp(box.y + dy * box.h, picture.y - box.h / 2, picture.y + picture.h - box.h / 2),
    };
}

/** The same middle and scale in a window of other proportions. */
export function reshape(box, before, after) {
    const scale = before.w > 0 ? box.w / before.w : 1;
    const w = after.w * scale,
        h = after.h * scale;
    return { x: box.x + (box.w - w) / 2, y: box.y + (box.h - h) / 2, w, h };
}

/** The same with a share of its size more on each side. */
export const grown = ({ x, y, w, h }, share) => ({
    x: x - share * w,
    y: y - share * h,
    w: w * (1 + 2 * share),
    h: h * (1 + 2 * share),
});

export const write = (box) =>
    [box.x, box.y, box.w, box.h].map((n) => Number(n.toFixed(3))).join(" ");
