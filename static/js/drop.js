// SPDX-License-Identifier: Apache-2.0
/* Lets people drop a file, several dumps or a text anywhere on the page, and paste a text. */
const isField = (node) => node instanceof Element && node.matches("input, textarea, select");

export function listenToDrops(actions) {
    const hasFile = (event) =>
        event.dataTransfer?.types.some((type) => type === "Files" || type === "text/plain") &&
        !isField(event.target);
    addEventListener("dragover", (event) => {
        if (hasFile(event)) {
            event.preventDefault();
            document.body.classList.add("dragging");
        }
    });
    addEventListener(
        "dragleave",
        (event) => event.relatedTarget || document.body.classList.remove("dragging"),
    );
    addEventListener("drop", (event) => {
        document.body.classList.remove("dragging");
        const files = [...(event.dataTransfer?.files ?? [])],
            [file] = files,
            text = isField(event.target) ? "" : (event.dataTransfer?.getData("text/plain") ?? "");
        if (file || text.includes("\n")) event.preventDefault();
        if (files.length > 1) actions.openMany(files);
        else if (file) actions.open(file, file.name);
        else if (text.includes("\n")) actions.open(new Blob([text]), "dropped.txt");
    });
    addEventListener("paste", (event) => {
        const [file] = event.clipboardData?.files ?? [],
            text = event.clipboardData?.getData("text/plain") ?? "";
        if (
            isField(event.target) ||
            document.querySelector("dialog[open]") ||
            (!file && !text.includes("\n"))
        )
            return; // a single word on the clipboard is not a machine
        event.preventDefault();
        actions.open(file ?? new Blob([text]), file?.name ?? "pasted.txt");
    });
}
