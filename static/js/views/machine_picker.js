// SPDX-License-Identifier: Apache-2.0
/* The picker of machine types: a search, the types by family, what the chosen one has, and a button that opens it. */
import { button, h, replace } from "../dom.js";
import { isRack, matching, typeText } from "../machine_types.js";
import { machineOptions } from "./input.js";

const ROWS = 6;

/** machines: rows of /v1/machines, null while they are not known. open(type): what a choice does; label: of the
 * button. */
export function machinePicker(machines, open, label = "Open this machine") {
    const rows = machines ?? [];
    const search = h("input", {
        type: "search",
        id: "type-search",
        "data-key": "type-search",
        placeholder: "hgx h100, p5, azure, gb200 …",
        autocomplete: "off",
        spellcheck: "false",
        disabled: !machines,
        oninput: () => list(),
        oncarried: () => list(),
        onkeydown: (event) => event.key === "Enter" && (event.preventDefault(), take()),
    });
    const types = h("select", {
        id: "open-type",
        "data-key": "open-type",
        size: String(ROWS),
        disabled: !machines,
        onchange: () => about(),
        oncarried: () => about(),
        ondblclick: () => take(),
        onkeydown: (event) => event.key === "Enter" && take(),
    });
    const opener = button("open-machine", label, () => take(), {
        id: "open-machine",
        disabled: true,
    });
    const facts = h("p.muted", { id: "type-facts", role: "status" });

    function take() {
        const row = rows.find(({ name }) => name === types.value);
        if (row) open(row.name);
    }
    function about() {
        const row = rows.find(({ name }) => name === types.value);
        opener.disabled = !row;
        replace(
            facts,
            !machines
                ? "Loading…"
                : !row
                  ? "No machine type contains these words."
                  : [
                        typeText(row),
                        ". ",
                        row.source ? `From ${row.source}.` : "Not looked up: common knowledge.",
                        row.unsure && ` Not certain: ${row.unsure}.`,
                    ],
        );
    }
    function list() {
        const some = matching(rows, search.value),
            before = types.value;
        replace(
            types,
            machineOptions(
                some.filter((row) => !isRack(row)),
                some.filter(isRack),
                "Racks",
            ),
        );
        types.value = some.some(({ name }) => name === before)
            ? before
            : (types.options[0]?.value ?? "");
        about();
    }
    list();
    return h("div.picker", [
        h("label.stack", "Search the machine types", search),
        h("label.stack", "Machine type", types),
        facts,
        opener,
    ]);
}
