// SPDX-License-Identifier: Apache-2.0
/* The faults of a cluster's hosts: what each costs, what to do, and lists to hand out. */
import { calledHosts, clusterBar, hostNames, odd, order } from "../cluster.js";
import { capital, costs, costText } from "../diagnosis.js";
import { button, fold, h, table, textButton, withCode } from "../dom.js";
import { bandwidth, plural } from "../model.js";

const FACTS = [
    ["report", "Report", "cluster.md"],
    ["faults-csv", "CSV", "faults.csv"],
    ["slurm-drain", "Drain lines for Slurm", "drain.sh"],
    ["kubernetes-cordon", "Cordon lines for Kubernetes", "cordon.sh"],
];

/** actions: light(key), facts(format, file). */
export function faultsTab({ one, state, actions }) {
    const { verdict } = one,
        named = hostNames(one.record).every(Boolean); // what other programs call a host
    return [
        verdict?.faults.length > 0 && [
            faultTable(verdict, state, actions),
            verdict.left_out > 0 && h("p.muted", `${verdict.left_out} more faults were not tried.`),
            h("p.take", { role: "group", "aria-label": "Lists of the hosts with faults" }, [
                FACTS.filter((_, i) => i < 2 || named).map(([format, label, file]) =>
                    button(`facts:${format}`, label, () => actions.facts(format, file)),
                ),
            ]),
        ],
        found(one, state, actions),
    ];
}

/* A row a fault, however many hosts have it. */
function faultTable(verdict, state, actions) {
    const { now, unit, faults } = verdict,
        texts = new Map(clusterBar(verdict)?.parts.map((part) => [part.finding, part.text]));
    const gain = (value) =>
        value === null ? "unknown" : value > now * 1.001 ? `+${bandwidth(value - now)}` : "0";
    return table(
        "What each repair gains",
        ["Hosts", "Device", "Fault", `#Repaired, ${unit}`, `#Without these hosts, ${unit}`],
        faults.map((row, i) => [
            textButton(`light:fault:${i}`, row.hosts_text, () => actions.light(`fault:${i}`), {
                title: "Show these hosts",
                pressed: state.finding === `fault:${i}`,
            }),
            row.device ?? "–",
            h("td.wrap", `${row.what}.`, h("p.muted", withCode(row.remedy))),
            row.only_together
                ? "only with others"
                : texts.has(`fault:${i}`)
                  ? `+${texts.get(`fault:${i}`)}`
                  : gain(row.fixed),
            gain(row.drained),
        ]),
        { id: "faults" },
    );
}

/* Findings that need attention come first, with their cost; notes are folded. */
function found({ findings, view, record, verdict }, state, actions) {
    const rows = order(findings),
        faults = rows.filter(({ severity }) => severity !== "info"),
        notes = rows.filter(({ severity }) => severity === "info"),
        names = hostNames(record);
    const where = ({ kinds, where: at }) =>
        at?.node && kinds.length === 1 && view.kinds.length > 1
            ? ` on ${calledHosts(view.kinds[kinds[0]], names)}`
            : "";
    const title = (row) =>
        row.kinds.length > 0 && row.severity !== "info"
            ? textButton(`light:${row.key}`, row.title, () => actions.light(row.key), {
                  title: "Show these hosts",
                  pressed: state.finding === row.key,
              })
            : row.title;
    const list = (some) =>
        h("ul.cluster-findings", [
            some.map((row) =>
                h("li", { "data-finding": row.key }, [
                    h(`span.sev.sev-${row.severity}`, row.severity),
                    " ",
                    h("b", title(row)),
                    where(row),
                    row.detail && `: ${row.detail}.`,
                    row.id === "cluster-odd-host" &&
                        names.some(Boolean) &&
                        h("p", { id: "odd-names" }, [
                            odd(view).map(
                                (k) =>
                                    `${capital(calledHosts(view.kinds[k], names))} ` +
                                    `differ${view.kinds[k].host_count === 1 ? "s" : ""}. `,
                            ),
                        ]),
                    gainText(row) && h("p.cost", gainText(row)),
                    h("p.muted", withCode(row.advice)),
                ]),
            ),
        ]);
    return h("div", { id: "cluster-findings" }, [
        faults.length > 0
            ? list(faults)
            : !verdict?.faults.length &&
              h("p", [
                  notes.length
                      ? "No host differs from the others in anything that costs bandwidth."
                      : "No host differs from the others.",
              ]),
        notes.length > 0 &&
            fold("cluster-notes", `${plural(notes.length, "note")} (info)`, list(notes)),
    ]);
}

/* What the job gets with these hosts and without them, or after a repair. */
const gainText = (row) =>
    row.id === "cluster-odd-host" && costs(row)
        ? `The job gets ${bandwidth(row.cost.now)} ${row.cost.unit} with them and ${bandwidth(row.cost.repaired)} ` +
          `${row.cost.unit} without them (${row.cost.for.replace(/^(bus bandwidth|time) of /, "")}).`
        : row.cost || row.no_cost
          ? `${costText(row)}.`
          : "";
