// SPDX-License-Identifier: Apache-2.0
/* The machine types of /v1/machines, as a list to choose from. Pure functions. */
import { plural } from "./model.js";

/** Rows that have every word of a text in their name, other names, title, family or GPU, whatever the case. */
export function matching(rows, text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return rows.filter((row) => {
        const said = [row.name, ...row.also, row.title, row.family, row.gpu]
            .join(" ")
            .toLowerCase();
        return words.every((word) => said.includes(word));
    });
}

/* The first capability of Blackwell. Its workstation cards (12.0, 12.1) have higher numbers than its later data-centre
 * GPUs (10.3), but are not newer. */
const BLACKWELL = 100,
    WORKSTATION = 120;
const generation = ({ sm }) => (sm >= WORKSTATION ? BLACKWELL : sm);

/** Families in the service's order, makers before clouds. Within each family, newer generations of GPUs come first,
 * then types with more GPUs, which are more common in jobs, then the order of titles. */
export function newestFirst(rows) {
    const families = [...new Set(rows.map((row) => row.family))],
        family = (row) => families.indexOf(row.family);
    return [...rows].sort(
        (a, b) =>
            family(a) - family(b) ||
            generation(b) - generation(a) ||
            b.gpus - a.gpus ||
            a.title.localeCompare(b.title, "en", { numeric: true }),
    );
}

/** Whether a type is a rack of trays that NVLink joins: more GPUs than a host has. */
export const isRack = ({ gpus }) => gpus > 16;

const NVLINK = { switched: "NVSwitch", direct: "direct NVLink", none: "no NVLink" };

/** "8 × H100 SXM, NVSwitch; 8 NIC ports of 400 Gb/s with GPUDirect RDMA". */
export function typeText({ gpus, gpu, nvlink, nets, net_gbps, gdr }) {
    const nics = nets
        ? `${plural(nets, "NIC port")} of ${net_gbps} Gb/s ${gdr ? "with" : "without"} GPUDirect RDMA`
        : "no NICs";
    return `${gpus} × ${gpu}, ${NVLINK[nvlink] ?? nvlink}; ${nics}`;
}
