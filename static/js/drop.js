/* A file may be dropped anywhere on the page. */
export function listenToDrops(actions) {
    const hasFile = (event) => event.dataTransfer?.types.includes("Files");
    addEventListener("dragover", (event) => {
        if (hasFile(event)) {
            event.preventDefault();
            document.body.classList.add("dragging");
        }
    });
    addEventListener("dragleave", (event) => event.relatedTarget || document.body.classList.remove("dragging"));
    addEventListener("drop", (event) => {
        document.body.classList.remove("dragging");
        const [file] = event.dataTransfer?.files ?? [];
        if (file) {
            event.preventDefault();
            actions.open(file, file.name);
        }
    });
}
