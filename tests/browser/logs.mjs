// SPDX-License-Identifier: Apache-2.0
/* A log of a job on the machine that a page shows. */

/** Lines of its ranks as NCCL 2.27.7 prints them, made of the prediction itself; change() puts in what is to differ. */
export async function logOf(page, url, change = (text) => text) {
    const id = new URL(page.url()).hash.match(/id=([0-9a-f]+)/)[1];
    const doc = await (await fetch(`${url}/v1/topologies/${id}/analysis?release=2.27.7`)).json(),
        rows = ["NCCL version 2.27.7+cuda12.4"];
    const gpus = doc.system.nodes.filter((node) => node.type === "GPU"),
        say = (rank, text) =>
            rows.push(`node1:${10 + rank}:${20 + rank} [${rank}] NCCL INFO ${text}`);
    for (const gpu of gpus) {
        say(
            gpu.rank,
            `ncclCommInitRank comm 0x5${gpu.rank} rank ${gpu.rank} nranks ${doc.ranks} cudaDev ${gpu.rank} ` +
                `nvmlDev ${gpu.dev} busId ${gpu.id.split("-")[1]} commId 0xa - Init START`,
        );
        for (const from of gpus)
            say(
                gpu.rank,
                `${from.id} :${doc.paths
                    .filter((row) => row.from === from.id)
                    .map((row) => `${row.to} (${row.hops.length}/${row.bw.toFixed(1)}/${row.type})`)
                    .join(" ")} `,
            );
        doc.channels.rings.forEach(
            (ring, c) =>
                gpu.rank === 0 &&
                say(
                    0,
                    `Channel ${String(c).padStart(2, "0")}/${String(doc.channels.count).padStart(2, "0")} : ` +
                        `${ring.join(" ")}`,
                ),
        );
    }
    return change(rows.join("\n"));
}
