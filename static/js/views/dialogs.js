// SPDX-License-Identifier: Apache-2.0
/* Questions that stop the page: each shows a dialog and gives the answer, or null if the reader cancels it. */
import { button, field, h } from "../dom.js";

/* Shows a dialog of these contents; `read` makes the answer when its form is sent. */
const ask = (title, contents, { yes, danger = false, read }) =>
    new Promise((done) => {
        let answer = null;
        const form = h("form", { method: "dialog", onsubmit: () => (answer = read()) }, [
            contents,
            h("p.buttons", [
                h(
                    danger ? "button.danger" : "button.primary",
                    { type: "submit", id: "dialog-yes" },
                    yes,
                ),
                button(null, "Cancel", () => dialog.close(), { id: "dialog-no" }),
            ]),
        ]);
        const dialog = h(
            "dialog.help",
            {
                "aria-labelledby": "dialog-title",
                onclose: () => {
                    dialog.remove();
                    done(answer);
                },
            },
            h("h2", { id: "dialog-title" }, title),
            form,
        );
        document.body.append(dialog);
        dialog.showModal();
    });

/** Gives a bearer token, or "" if there is none. refused: the server did not accept the last one. */
export async function tokenDialog(refused) {
    const secret = field("token", {
        class: "wide",
        type: "password",
        required: true,
        "aria-describedby": "token-note",
    });
    return (
        (await ask(
            "A token is needed",
            [
                refused &&
                    h("p.bad", { role: "alert" }, [
                        "The server refuses this token: it may have expired, or does not allow this.",
                    ]),
                h("label.stack", "Bearer token", secret),
                h("p.note", { id: "token-note" }, [
                    "This server requires a token. Ask whoever runs it for one. The page keeps the token until " +
                        "it is closed or reloaded, and never stores it.",
                ]),
            ],
            { yes: "Use this token", read: () => secret.value.trim() },
        )) ?? ""
    );
}

/** Gives whether to delete. */
export const deleteDialog = (row) =>
    ask(
        `Delete “${row.name || row.id.slice(0, 12)}”?`,
        h("p", [
            "The dump and its labels are removed from this server for everybody. Links to it stop working.",
        ]),
        { yes: "Delete", danger: true, read: () => true },
    );

/* A field for labels, which reports a line that is not a label. */
const labelsField = (id, props) =>
    field(
        id,
        {
            ...props,
            oninput: ({ target }) =>
                target.setCustomValidity(
                    readLabels(target.value) ? "" : "one label a line, as NAME=VALUE",
                ),
        },
        "textarea",
    );

/** Gives {name, labels}, with labels as one NAME=VALUE a line. */
export function editDialog(row) {
    const name = field("edit-name", { class: "wide", value: row.name ?? "", maxlength: "200" });
    const labels = labelsField("edit-labels", {
        rows: "5",
        placeholder: "rack=7\nhost=node17",
        value: writeLabels(row.labels),
    });
    return ask(
        "Name and labels",
        [
            h("label.stack", "Name", name),
            h("label.stack", "Labels, one a line as NAME=VALUE", labels),
        ],
        {
            yes: "Save",
            read: () => ({ name: name.value.trim(), labels: readLabels(labels.value) }),
        },
    );
}

/** Gives labels for several dumps: {NAME: VALUE}; null removes a label. */
export function labelDialog(count) {
    const labels = labelsField("labels-of-all", {
        rows: "3",
        required: true,
        placeholder: "rack=7",
    });
    return ask(
        `Label ${count === 1 ? "the chosen dump" : `the ${count} chosen dumps`}`,
        [
            h("label.stack", "Labels, one a line as NAME=VALUE", labels),
            h("p.note", "NAME= removes a label. Other labels stay."),
        ],
        {
            yes: "Save",
            read: () => {
                const rows = Object.entries(readLabels(labels.value));
                return Object.fromEntries(rows.map(([name, value]) => [name, value || null]));
            },
        },
    );
}

export const writeLabels = (labels) =>
    Object.entries(labels ?? {})
        .map(([name, value]) => `${name}=${value}`)
        .join("\n");

/** Labels of a text, null if a line is not a label. */
export function readLabels(text) {
    const labels = {};
    for (const line of text
        .split("\n")
        .map((one) => one.trim())
        .filter(Boolean)) {
        const at = line.indexOf("=");
        if (at < 1) return null;
        labels[line.slice(0, at).trim()] = line.slice(at + 1).trim();
    }
    return labels;
}
