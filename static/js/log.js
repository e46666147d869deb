// SPDX-License-Identifier: Apache-2.0
/* A log's answer in words. Pure functions. */
import { joined, parseId, plural, shortName, typeOf } from "./model.js";
import { netName } from "./nics.js";

/** Topics as the service names them, in NCCL's order. */
export const TOPICS = {
    system: "System",
    links: "Links",
    paths: "Paths",
    graphs: "Graphs",
    orders: "Orders of channels",
    rings: "Rings",
    trees: "Trees",
    nvls: "NVLS",
    counts: "Counts",
    p2p: "P2P",
    gdr: "GPUDirect RDMA",
    net: "NICs of channels",
    tuning: "Tuning",
};

/** Whether a text is a log or a dumped graph, not a topology. */
export const isLog = (text) =>
    /^\s*<graphs[\s>]/.test(text) ||
    (!/^\s*</.test(text) && /\bNCCL (INFO|WARN|version) /.test(text));

export function verdictText(check) {
    if (check.verdict === "nothing-to-compare") return "Nothing in the log can be compared.";
    return check.verdict === "agrees"
        ? `All ${check.agree} facts of the log agree with the prediction.`
        : `${check.differ} of ${check.agree + check.differ} facts differ from the prediction.`;
}

/** How every communicator of the log compares; "" if the log names at most one. */
export function surveyText(survey) {
    if (!survey || survey.rows.length < 2) return "";
    const all = survey.rows.length,
        differing = survey.rows.filter((row) => row.differ > 0).map((row) => row.communicator),
        shown = differing.slice(0, 20);
    const text =
        `${survey.compared === all ? `All ${all}` : `${survey.compared} of ${all}`} communicators were ` +
        `compared: ${survey.agree} facts agree, ${survey.differ} differ.`;
    return shown.length
        ? `${text} Facts differ in communicator${differing.length === 1 ? "" : "s"} ` +
              shown.join(", ") +
              `${differing.length > shown.length ? ` and ${differing.length - shown.length} more` : ""}.`
        : text;
}

/* What the log says about GPUs that the machine does not have; "" if they may be its own. Bus ids are the machine's
 * only in NCCL's own dumps. */
function missingGpus({ log, check }, model) {
    const said = check?.causes.find((row) => row.id === "other-gpus")?.what,
        wanted = new Set(log.communicators[0]?.members.map((row) => row.bus_id).filter(Boolean));
    if (said || !wanted.size || model.doc.input?.kind !== "nccl-topology") return said ?? "";
    return model.gpus.some(({ id }) => wanted.has(parseId(id).local))
        ? ""
        : `none of the log's ${wanted.size} GPUs is in the dump`;
}

/** Where a log comes from if its GPUs are not the machine's, and what is shown; "" if it may be from this machine. */
export function otherMachine(answer, model) {
    const missing = missingGpus(answer, model),
        [first] = answer.log.communicators,
        { hosts, ranks } = model.doc;
    if (!missing) return "";
    const from = first
        ? joined(", ", [
              first.hosts > 0 && plural(first.hosts, "host"),
              plural(first.ranks, "rank"),
          ])
        : "";
    return (
        `This log is from another machine${from && `: ${from}`}; shown: ${plural(hosts, "host")}, ` +
        `${plural(ranks, "rank")}. ${missing[0].toUpperCase()}${missing.slice(1)}.`
    );
}

/** The question of the prediction, in a sentence. */
export function applied({ release, hosts, ranks, settings, ranks_taken_from_log }) {
    const given = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
    return (
        `NCCL ${release.predicted}${
            release.same
                ? ""
                : release.logged
                  ? ", the nearest emulated release"
                  : ", which agrees best"
        }; ${plural(hosts, "host")}, ${ranks} ` +
        `rank${ranks === 1 ? "" : "s"}${ranks_taken_from_log ? " numbered as in the log" : ""}` +
        `${given.length ? `; ${given.join(" ")}` : ""}`
    );
}

/** "16 ranks, 8 of them here; 8 ranks, 8 of them here; and 4 more". */
export function communicatorsText(communicators, shown = 6) {
    const rows = communicators
        .slice(0, shown)
        .map((row) => `${plural(row.ranks, "rank")}, ${row.ranks_seen} of them here`);
    if (communicators.length > shown) rows.push(`and ${communicators.length - shown} more`);
    return rows.join("; ") || "not in the log";
}

const ID = /\b[A-Z]{3}\/[0-9a-f]+-[0-9a-f]+\b/g;

/** A text of a fact with the names of the page in place of the log's ids: "GPU 0 → NUMA 0" for "GPU/0-21000 ->
 * CPU/0-0". What the machine lacks keeps its id. */
export const named = (model, text) =>
    text
        .replace(ID, (id) =>
            !model.nodes.has(id)
                ? id
                : typeOf(id) === "NET"
                  ? `NIC ${netName(model, id).replace(/^NET /, "")}`
                  : shortName(model, id),
        )
        .replace(/(?<=\S) -> (?=\S)/g, " → ");

/** Facts of a topic, differences first. */
export const factRows = (check, topic) =>
    check.facts
        .filter((fact) => fact.topic === topic)
        .sort((a, b) => Number(b.verdict === "differs") - Number(a.verdict === "differs"));

/** Rows for a spreadsheet. */
export const logRows = (check) => [
    ["topic", "what", "verdict", "log", "predicted", "line", "lines"],
    ...check.facts.map((fact) => [
        fact.topic,
        fact.what,
        fact.verdict,
        fact.logged,
        fact.predicted,
        fact.line,
        fact.times,
    ]),
];
