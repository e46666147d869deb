// SPDX-License-Identifier: Apache-2.0
/* How many channels use each link of a drawing, as figures on the links; their width and colour say how full they
 * are. */
import { s } from "../dom.js";

const AT = 0.3; // as a share of a link's length

/** rows: of loads(). edgesOf(row): groups of the drawing. Marks these, and gives an element to lay over the drawing. */
export function weights(rows, edgesOf) {
    const fullest = new Map();
    for (const row of rows)
        for (const edge of edgesOf(row)) {
            const now = fullest.get(edge);
            if (!now || row.used / row.bw > now.used / now.bw) fullest.set(edge, row);
        }
    return s("g", { class: "weights" }, [
        [...fullest].map(([edge, row]) => {
            const share = row.used / row.bw,
                path = edge.querySelector("path"),
                at = path?.getPointAtLength(path.getTotalLength() * AT);
            edge.classList.add(share > 0.9 ? "load3" : share > 0.5 ? "load2" : "load1");
            if (!at) return null;
            return s("g", { "data-weight": `${row.from}>${row.to}` }, [
                s("title", null, [
                    `${row.channels.length} channels, ${Math.round(share * 100)} % used`,
                ]),
                s("text", { x: at.x, y: at.y, "dominant-baseline": "central" }, [
                    String(row.channels.length),
                ]),
            ]);
        }),
    ]);
}
