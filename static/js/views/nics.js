/* GPU and NIC side by side: which NIC each GPU uses, by which path, with or without GPUDirect RDMA, and through whom. */
import { h } from "../dom.js";
import { bandwidth, KINDS } from "../model.js";

/** rows: of nicTable(). select(gpu, net): what a click on a NIC does. gpus: whether the rows name their GPU. */
export function nicTableView(rows, select, { id, caption, gpus = true }) {
    return h("div.scroll", { tabindex: "0", role: "group", "aria-label": caption }, h("table.wide", { id }, h("caption.unseen", null, caption),
        h("thead", null, h("tr", null, gpus && h("th", null, "GPU"), ["NIC", "Path"].map((name) => h("th", null, name)), h("th.num", null, "GB/s"), ["GDR", "PXN"].map((name) => h("th", null, name)))),
        h("tbody", null, rows.map((row) => row.nics.map((nic, i) => h("tr", { "data-rank": String(row.rank), "data-net": nic.net },
            gpus && (i === 0 ? h("th", { scope: "row", rowspan: row.nics.length > 1 ? String(row.nics.length) : null }, `GPU ${row.rank}`) : null),
            h("td", null, h("button.text", { type: "button", "data-key": `nic:${id}:${row.rank}:${nic.net}`, onclick: () => select(row.gpu, nic.net) }, nic.name), nic.bus && h("span.muted", null, ` ${nic.bus}`)),
            h("td", null, h(`span.kind.k-${nic.type}`, { title: KINDS[nic.type] }, nic.type)), h("td.num", null, bandwidth(nic.bw)), h("td", null, nic.gdr), h("td", null, nic.via === null ? "–" : `through GPU ${nic.via}`)))))));
}
