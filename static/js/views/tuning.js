/* The tuning model: bandwidth and latency of every algorithm with every protocol. */
import { choices, h } from "../dom.js";
import { bandwidth, tuningRows } from "../model.js";

/** actions: collective(name). */
export function tuningView({ model, state, actions }) {
    const tuning = model.doc.tuning ?? {}, collectives = Object.keys(tuning.bandwidths ?? {});
    if (!collectives.length)
        return h("p", null, "The analysis holds no tuning model.");
    const collective = collectives.includes(state.collective) ? state.collective : collectives[0];
    const rows = tuningRows(tuning, collective), protocols = rows[0]?.cells.map((cell) => cell.protocol) ?? [];
    return [
        h("div.toolbar", null, choices("Collective", collectives.map((name) => [name, name]), collective, actions.collective)),
        h("div.scroll", { tabindex: "0", role: "group", "aria-label": "Tuning table" }, h("table", { id: "tuning" },
            h("caption.unseen", null, `Tuning of ${collective}`),
            h("thead", null,
                h("tr", null, h("th", { rowspan: "2", scope: "col" }, "Algorithm"), h("th", { colspan: String(protocols.length), scope: "colgroup" }, "Bandwidth, GB/s"),
                    h("th", { colspan: String(protocols.length), scope: "colgroup" }, "Latency, µs")),
                h("tr", null, [...protocols, ...protocols].map((protocol) => h("th.num", { scope: "col" }, protocol)))),
            h("tbody", null, rows.map((row) => h("tr", null, h("th", { scope: "row" }, row.algorithm),
                row.cells.map((cell) => h(`td.num${cell.best ? ".best" : ""}${cell.bw > 0 ? "" : ".zero"}`, null, cell.bw > 0 ? bandwidth(cell.bw) : "–")),
                row.cells.map((cell) => h(`td.num${cell.bw > 0 ? "" : ".zero"}`, null, cell.bw > 0 ? bandwidth(cell.latency) : "–"))))))),
        h("p.note", null, "NCCL takes the combination with the least latency + size ÷ bandwidth. A dash: not available here. The highest bandwidth is set bold."),
    ];
}
