// SPDX-License-Identifier: Apache-2.0
/* The bandwidths of both sides of a comparison, which come before any fact that differs. */
import { changeText, outcomeRows, sizeText } from "../compare.js";
import { h, table } from "../dom.js";
import { bandwidth, plural } from "../model.js";

const cell = (at) =>
    !at
        ? h("td.num.zero", "–")
        : !at.change
          ? h("td.num.zero", bandwidth(at.after))
          : h("td.num", { class: `num ${at.change < 0 ? "worse" : "better"}` }, [
                `${bandwidth(at.before)} → `,
                h("b", bandwidth(at.after)),
                ` (${changeText(at.change)})`,
            ]);

/** outcomes: of a document of the service. */
export function outcomesView(outcomes) {
    const { hosts, rows } = outcomeRows(outcomes);
    if (!rows.length) return null;
    return table(
        "Bus bandwidth before and after, GB/s",
        ["Bus bandwidth, GB/s", "Size", ...hosts.map((n) => `#${plural(n, "host")}`)],
        rows.map(({ name, size, cells }) => [name, sizeText(size), ...cells.map(cell)]),
        { id: "outcomes", tag: "table" },
    );
}
