/* The search for a device: a field with a list below it, worked by arrows and Enter. */
import { h, replace } from "../dom.js";
import { entries, find } from "../search.js";
import { devicesIn } from "../source.js";

/** model: of the analysis; source(): gives the dump's text. choose(id, extend). */
export async function searchDialog({ model, source, choose }) {
    let list = entries(model),
        shown = [],
        at = 0;
    const options = h("ul.found", { id: "found", role: "listbox", "aria-label": "Devices" }),
        hint = h(
            "p.note",
            null,
            "Bus id, rank, mlx5_N, GUID or id. Enter selects, Shift+Enter makes it the end of the path.",
        );
    const take = (entry, extend) => {
        if (entry) {
            dialog.close();
            choose(entry.id, extend);
        }
    };
    const field = h("input.filter", {
        type: "text",
        id: "search",
        role: "combobox",
        "aria-label": "Find a device",
        "aria-controls": "found",
        "aria-expanded": "true",
        "aria-autocomplete": "list",
        autocomplete: "off",
        spellcheck: "false",
        oninput: () => {
            at = 0;
            draw();
        },
        onkeydown: (event) => {
            const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
            if (step && shown.length) {
                event.preventDefault();
                at = (at + step + shown.length) % shown.length;
                draw();
            } else if (event.key === "Enter") {
                event.preventDefault();
                take(shown[at], event.shiftKey);
            }
        },
    });
    const draw = () => {
        shown = find(list, field.value);
        field.setAttribute("aria-activedescendant", shown.length ? `found-${at}` : "");
        replace(
            options,
            shown.map((entry, i) =>
                h(
                    "li",
                    {
                        id: `found-${i}`,
                        role: "option",
                        "aria-selected": String(i === at),
                        "data-found": entry.id,
                        onclick: (event) => take(entry, event.shiftKey),
                    },
                    h("b", null, entry.name),
                    h("span.muted", null, entry.about),
                ),
            ),
        );
        hint.hidden = shown.length > 0;
        if (!shown.length && field.value.trim())
            ((hint.textContent = `No device here is called “${field.value.trim()}”.`),
                (hint.hidden = false));
    };
    const dialog = h(
        "dialog.help.search",
        { "aria-label": "Find a device", onclose: () => dialog.remove() },
        field,
        options,
        hint,
    );
    document.body.append(dialog);
    dialog.showModal();
    field.focus();
    try {
        const text = await source();
        list = entries(model, text.split(/\r\n|\r|\n/), devicesIn(text));
        draw();
    } catch {
        draw(); // names and GUIDs are only in the dump; the rest can be found without
    }
}
