/* A log's answer in words. Pure functions. */

/** Topics as the service names them, in NCCL's order. */
export const TOPICS = {
    system: "System", links: "Links", paths: "Paths", graphs: "Graphs", orders: "Orders of channels", rings: "Rings", trees: "Trees", nvls: "NVLS", counts: "Counts",
    p2p: "P2P", gdr: "GPUDirect RDMA", net: "NICs of channels", tuning: "Tuning",
};

/** Whether text is a log, or a dumped graph, and no topology. */
export const isLog = (text) => /^\s*<graphs[\s>]/.test(text) || (!/^\s*</.test(text) && /\bNCCL (INFO|WARN|version) /.test(text));

export function verdictText(check) {
    if (check.verdict === "nothing-to-compare")
        return "Nothing in the log can be compared.";
    return check.verdict === "agrees" ? `All ${check.agree} facts of the log agree with the prediction.` : `${check.differ} of ${check.agree + check.differ} facts differ from the prediction.`;
}

/** What was predicted for, in a sentence. */
export function applied({ release, hosts, ranks, settings, ranks_taken_from_log }) {
    const given = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
    return `NCCL ${release.predicted}${release.same ? "" : release.logged ? ", the nearest emulated release" : ", which agrees best"}; ${hosts} host${hosts === 1 ? "" : "s"}, ${ranks} rank${ranks === 1 ? "" : "s"}${ranks_taken_from_log ? " numbered as in the log" : ""}${given.length ? `; ${given.join(" ")}` : ""}`;
}

/** "16 ranks, 8 of them here; 8 ranks, 8 of them here; and 4 more". */
export function communicatorsText(communicators, shown = 6) {
    const rows = communicators.slice(0, shown).map((row) => `${row.ranks} rank${row.ranks === 1 ? "" : "s"}, ${row.ranks_seen} of them here`);
    if (communicators.length > shown)
        rows.push(`and ${communicators.length - shown} more`);
    return rows.join("; ") || "not in the log";
}

/** Facts of a topic, differences first. */
export const factRows = (check, topic) => check.facts.filter((fact) => fact.topic === topic).sort((a, b) => (b.verdict === "differs") - (a.verdict === "differs"));

/** Rows for a spreadsheet. */
export const logRows = (check) => [["topic", "what", "verdict", "log", "predicted", "line", "lines"], ...check.facts.map((fact) => [fact.topic, fact.what, fact.verdict, fact.logged, fact.predicted, fact.line, fact.times])];
