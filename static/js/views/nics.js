// SPDX-License-Identifier: Apache-2.0
/* GPU and NIC side by side: which NIC each GPU uses, by which path, with or without GPUDirect RDMA, and through whom.
 * */
import { h } from "../dom.js";
import { bandwidth, KINDS } from "../model.js";
import { inShort } from "../nics.js";

const scroll = (caption, table) =>
    h("div.scroll", { tabindex: "0", role: "group", "aria-label": caption }, table);
const head = (...names) =>
    h(
        "thead",
        null,
        h(
            "tr",
            null,
            names.map((name) => h(name === "GB/s" ? "th.num" : "th", null, name)),
        ),
    );
const type = (nic) => h(`span.kind.k-${nic.type}`, { title: KINDS[nic.type] }, nic.type);
const lead = (id, row, nic, select) => [
    h(
        "button.text",
        {
            type: "button",
            "data-key": `nic:${id}:${row.rank}:${nic.net}`,
            onclick: () => select(row.gpu, nic.net),
        },
        nic.name,
    ),
    nic.bus && h("span.muted", null, ` ${nic.bus}`),
];

/** One line a GPU. rows: of nicTable(). select(gpu, net): what a click on a NIC does. */
export const nicSummary = (rows, select) =>
    scroll(
        "The NIC of each GPU",
        h(
            "table.wide",
            { id: "gpu-nics" },
            h("caption.unseen", null, "The NIC of each GPU"),
            head("GPU", "NIC", "Path, GB/s", "GDR", "PXN"),
            h(
                "tbody",
                null,
                rows.map(inShort).map((row) =>
                    row.nics.map((nic, i) =>
                        h(
                            "tr",
                            { "data-rank": String(row.rank), "data-net": nic.net },
                            i === 0
                                ? h(
                                      "th",
                                      {
                                          scope: "row",
                                          rowspan:
                                              row.nics.length > 1 ? String(row.nics.length) : null,
                                      },
                                      String(row.rank),
                                  )
                                : null,
                            h("td.wrap", null, lead("gpu-nics", row, nic, select)),
                            h("td", null, type(nic), ` ${bandwidth(nic.bw)}`),
                            h("td", null, nic.gdr),
                            h(
                                "td.wrap",
                                null,
                                nic.via === null
                                    ? row.more
                                        ? `${row.more} more`
                                        : "–"
                                    : `through GPU ${nic.via}`,
                            ),
                        ),
                    ),
                ),
            ),
        ),
    );

/** All NICs of one GPU, and through whom. */
export const nicsOfGpu = (row, select) =>
    scroll(
        "The NICs of this GPU",
        h(
            "table.wide",
            { id: "own-nics" },
            h("caption.unseen", null, "The NICs of this GPU"),
            head("NIC", "Path", "GB/s", "GDR", "PXN"),
            h(
                "tbody",
                null,
                row.nics.map((nic) =>
                    h(
                        "tr",
                        { "data-net": nic.net },
                        h("td.wrap", null, lead("own-nics", row, nic, select)),
                        h("td", null, type(nic)),
                        h("td.num", null, bandwidth(nic.bw)),
                        h("td", null, nic.gdr),
                        h("td.wrap", null, nic.via === null ? "–" : `through GPU ${nic.via}`),
                    ),
                ),
            ),
        ),
    );
