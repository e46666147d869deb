// SPDX-License-Identifier: Apache-2.0
/* Finds devices of a drawing that show nothing new: blocks below a CPU that are like an earlier one. Pure functions. */
import { typeOf } from "./model.js";

/** The ids of everything below a device over PCIe, away from its CPU. */
function below(model, top) {
    const found = new Set([top]),
        queue = [top];
    for (const id of queue)
        for (const link of model.from.get(id) ?? [])
            if (
                ["PCI", "NET", "LOC"].includes(link.type) &&
                !["CPU", "NVS"].includes(typeOf(link.to)) &&
                !found.has(link.to)
            ) {
                found.add(link.to);
                queue.push(link.to);
            }
    return found;
}

/** {hidden: Set of ids, blocks: how many are folded}: NICs, ports and inner switches of blocks like one before. GPUs
 * and each block's own switch stay. */
export function folded(model) {
    const from = new Map();
    for (const rows of model.links.values())
        for (const link of rows) from.set(link.from, [...(from.get(link.from) ?? []), link]);
    const seen = new Set(),
        hidden = new Set();
    let blocks = 0;
    for (const cpu of [...model.nodes.keys()].filter((id) => typeOf(id) === "CPU"))
        for (const { to: top } of from.get(cpu) ?? []) {
            if (typeOf(top) !== "PCI") continue;
            const inside = below({ from }, top);
            const like = [...inside]
                .map(
                    (id) =>
                        `${typeOf(id)}:${(from.get(id) ?? [])
                            .filter((link) => inside.has(link.to))
                            .map((link) => `${typeOf(link.to)} ${link.type} ${link.bw}`)
                            .sort()}`,
                )
                .sort()
                .join("|");
            if (!seen.has(like)) {
                seen.add(like);
                continue;
            }
            blocks++;
            for (const id of inside) if (id !== top && typeOf(id) !== "GPU") hidden.add(id);
        }
    return { hidden, blocks };
}
