// SPDX-License-Identifier: Apache-2.0
/* A card of the machine: what the device side may use, and why not. */
import { facts, h, textButton } from "../dom.js";
import { writeWhy } from "../why.js";

const ROWS = [
    ["symmetricKernels", "Symmetric kernels", writeWhy("symmetric", "AllReduce", 1048576)],
    ["lsaSize", "LSA team", "lsa"],
    ["hasLsaMultimem", "Multimem", "multimem"],
    ["globalGinSupport", "GIN", "gin"],
    ["ceCollectives", "Copy engines", "ce"],
];

const valueText = (name, value) =>
    typeof value === "string"
        ? value
        : name === "lsaSize"
          ? `${value} ranks`
          : value
            ? "yes"
            : "no";

/** What the card shows of an analysis: [{label, value, sentence, why}]; sentence is empty for a yes. Without the rows
 * that the release does not have. */
export function deviceRows(doc) {
    const facts = new Map((doc.device?.facts ?? []).map((fact) => [fact.name, fact]));
    return ROWS.flatMap(([name, label, why]) => {
        const fact = facts.get(name);
        if (!fact || fact.value === null) return [];
        return {
            label,
            value: valueText(name, fact.value) + (fact.others ? ", and nodes differ" : ""),
            sentence: fact.value === 0 || fact.value === "none" ? fact.why : "",
            why,
        };
    });
}

/** The card; null if the release has none of it. actions: why(text). */
export function deviceCard(doc, actions) {
    const rows = deviceRows(doc);
    if (!rows.length) return null;
    return h("section", { id: "device-side", "aria-label": "Device side" }, [
        h("h2", "What kernels may use"),
        facts(
            rows.map(({ label, value, sentence, why }) => [
                label,
                h("dd", { title: sentence || null }, [
                    textButton(null, value, () => actions.why(why), {
                        "aria-label": `${label}: ${value}. Why?`,
                    }),
                ]),
            ]),
        ),
    ]);
}
