// SPDX-License-Identifier: Apache-2.0
/* Output of nccl-tests, made from the service's prediction for a machine type, so that a test knows the right
 * answer. */

/** scale(size): measured over predicted. devices: lines that name the GPUs, as `NVIDIA H100 80GB HBM3`; "" if there are
 * none. */
export async function resultsOf(
    url,
    { type, gpus = 8, hosts = 1, program = "all_reduce", model = "", scale = () => 1 },
) {
    const answer = await fetch(
            `${url}/v1/predict?machine=${type}&hosts=${hosts}&collective=${program}&sizes=1K:8G:2`,
            { method: "POST" },
        ),
        { rows } = await answer.json();
    const device = (rank) =>
        `#  Rank ${String(rank).padStart(2)} Group  0 Pid ${4000 + rank} on node${Math.floor(rank / gpus) + 1} ` +
        `device ${String(rank % gpus).padStart(2)} [0x${(0x10 + (rank % gpus)).toString(16)}] ${model}`;
    const line = ({ size, time, algbw, busbw }) => {
        const by = scale(size),
            way =
                `${(time / by).toPrecision(4).padStart(9)} ${(algbw * by).toFixed(2).padStart(7)} ` +
                `${(busbw * by).toFixed(2).padStart(7)}      0`;
        return `${String(size).padStart(12)} ${String(size / 4).padStart(13)}     float     sum      -1 ${way} ${way}`;
    };
    return [
        `# nThread 1 nGpus ${hosts > 1 ? 1 : gpus} minBytes 1024 maxBytes 8589934592 step: 2(factor) warmup ` +
            `iters: 5 iters: 20 agg iters: 1 validate: 1 graph: 0`,
        "#",
        ...(model
            ? [
                  "# Using devices",
                  ...Array.from({ length: gpus * hosts }, (_, rank) => device(rank)),
                  "#",
              ]
            : []),
        "#                                                              out-of-place                       " +
            "in-place          ",
        "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw  " +
            " busbw #wrong",
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  " +
            "(GB/s)       ",
        ...rows.map(line),
        "# Out of bounds values : 0 OK",
        "# Avg bus bandwidth    : 100.0",
        "#",
        "",
    ].join("\n");
}
