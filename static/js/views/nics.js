// SPDX-License-Identifier: Apache-2.0
/* GPUs and NICs side by side: which NIC each GPU uses, by which path, with or without GPUDirect RDMA, and through which
 * GPU. */
import { h, table, textButton } from "../dom.js";
import { bandwidth, KINDS } from "../model.js";
import { inShort } from "../nics.js";

const type = (nic) => h(`span.kind.k-${nic.type}`, { title: KINDS[nic.type] }, nic.type);
const lead = (id, row, nic, select) => [
    textButton(`nic:${id}:${row.rank}:${nic.net}`, nic.name, () => select(row.gpu, nic.net)),
    nic.bus && h("span.muted", ` ${nic.bus}`),
];

/** One line a GPU. rows: of nicTable(). select(gpu, net): what a click on a NIC does. */
export const nicSummary = (rows, select) =>
    table(
        "The NIC of each GPU",
        ["GPU", "~NIC", "Path, GB/s", "GDR", "~PXN"],
        rows.map(inShort).flatMap((row) =>
            row.nics.map((nic, i) => ({
                props: { "data-rank": String(row.rank), "data-net": nic.net },
                cells: [
                    i
                        ? null
                        : h("th", { scope: "row", rowspan: String(row.nics.length) }, [
                              String(row.rank),
                          ]),
                    lead("gpu-nics", row, nic, select),
                    [type(nic), ` ${bandwidth(nic.bw)}`],
                    nic.gdr,
                    nic.via === null
                        ? row.more
                            ? `${row.more} more`
                            : "–"
                        : `through GPU ${nic.via}`,
                ],
            })),
        ),
        { id: "gpu-nics" },
    );

/** All NICs of one GPU, and the GPUs through which it uses them. */
export const nicsOfGpu = (row, select) =>
    table(
        "The NICs of this GPU",
        ["~NIC", "Path", "#GB/s", "GDR", "~PXN"],
        row.nics.map((nic) => ({
            props: { "data-net": nic.net },
            cells: [
                lead("own-nics", row, nic, select),
                type(nic),
                bandwidth(nic.bw),
                nic.gdr,
                nic.via === null ? "–" : `through GPU ${nic.via}`,
            ],
        })),
        { id: "own-nics" },
    );
