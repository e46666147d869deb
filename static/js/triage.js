// SPDX-License-Identifier: Apache-2.0
/* The triage of a log in words. Pure functions. */
import { joined, plural } from "./model.js";

/** "0-3, 7" of ascending numbers. */
export function ranges(numbers) {
    const parts = [];
    for (let i = 0; i < numbers.length; i++) {
        const from = numbers[i];
        while (i + 1 < numbers.length && numbers[i + 1] === numbers[i] + 1) i++;
        parts.push(from === numbers[i] ? `${from}` : `${from}-${numbers[i]}`);
    }
    return parts.join(", ");
}

export const hostsText = (hosts) =>
    hosts.length > 6
        ? `${hosts.slice(0, 6).join(", ")} and ${hosts.length - 6} more`
        : hosts.join(", ");

/** Errors and warnings: notes are left out. */
export const shownEvents = (triage) => triage.events.filter((event) => event.severity !== "note");

/** Rows [what, value] about the job that ran. */
const NAMES = {
    release: "Release",
    driver: "CUDA driver",
    network: "Network",
    plugin: "Network plugin",
    provider: "libfabric provider",
    tuner: "Tuner plugin",
    topo_file: "Topology file",
};
export function ranRows(ran) {
    const rows = Object.entries(NAMES)
        .filter(([key]) => ran[key].length)
        .map(([key, name]) => [
            name,
            ran[key]
                .map(
                    (row) =>
                        row.value +
                        (ran[key].length > 1 && row.hosts.length
                            ? ` (${hostsText(row.hosts)})`
                            : ""),
                )
                .join("; "),
        ]);
    const { p2p, shm, net, net_gdr, net_pxn } = ran.connections;
    if (p2p + shm + net)
        rows.push([
            "Connections",
            `${p2p} P2P, ${shm} shared memory, ${net} network (${net_gdr} with GPUDirect RDMA, ${net_pxn} ` +
                `through another rank's NIC)`,
        ]);
    if (ran.nvls !== undefined)
        rows.push(["NVLS multicast", ran.nvls ? "available" : "not available"]);
    if (ran.coll_channels !== undefined)
        rows.push([
            "Channels",
            `${ran.coll_channels} for ` +
                `collectives${ran.nvls_channels === undefined ? "" : `, ${ran.nvls_channels} for NVLS`}, ` +
                `${ran.p2p_channels} for point-to-point`,
        ]);
    return rows;
}

export const choicesText = ({ agree, differ, not_compared }) =>
    joined(", ", [
        agree + differ && `${agree} of ${plural(agree + differ, "size")} as predicted`,
        not_compared && `${not_compared} not compared`,
    ]);

/** Text for a ticket: the verdict, the sentences, then what they rest on. */
export function ticketText(triage) {
    const events = shownEvents(triage).map(
        (event) =>
            `- line ${event.line}, ${event.severity}, ` +
            `${plural(event.count, "time")}${event.ranks.length ? `, ranks ${ranges(event.ranks)}` : ""}` +
            `${event.hosts.length ? `, hosts ${hostsText(event.hosts)}` : ""}: ${event.text}`,
    );
    const ran = ranRows(triage.ran).map(([name, value]) => `- ${name}: ${value}`);
    const settings = triage.ran.settings.flatMap((row) =>
        row.values.map((value) => `- ${row.name}=${value.value}`),
    );
    return [
        `Verdict: ${triage.verdict}`,
        "",
        ...triage.sentences,
        ...(events.length ? ["", "Errors and warnings:", ...events] : []),
        ...(ran.length ? ["", "What ran:", ...ran] : []),
        ...(settings.length ? ["", "Settings:", ...settings] : []),
    ].join("\n");
}
