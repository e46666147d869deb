// SPDX-License-Identifier: Apache-2.0
/* For the first page: the machine that the service runs on, and what could not be detected. */
import { button, copyable, h } from "../dom.js";
import { plural } from "../model.js";

const COMMAND = "orrery detect > topo.xml";

const noteItem = ({ severity, text, advice, command }) =>
    h("li", [
        h("b", severity === "warning" ? "Missing: " : "Note: "),
        text,
        advice && h("p.muted", advice),
        command && copyable(command),
    ]);

/** found: what POST /v1/detect answered, null if not asked. actions: detect(), show(id). */
export function detectedView({ found, actions }) {
    const detection = found?.detection;
    return h("div", { id: "detected" }, [
        h("p", [
            "Without NCCL: this command writes the same dump on any machine, and says what is missing.",
        ]),
        copyable(COMMAND),
        h("p", button("detect", "Detect the server's machine", actions.detect, { id: "detect" })),
        detection &&
            h("div", { role: "status" }, [
                h("p", [
                    `Found ${plural(detection.gpus, "GPU")} and ${plural(detection.nets, "network device")}, as ` +
                        `NCCL ${detection.release} would dump it. `,
                    detection.gpus
                        ? button(null, "Show it", () => actions.show(found.id), {
                              id: "show-detected",
                          })
                        : "Without a GPU there is nothing to analyse.",
                ]),
                detection.notes.length > 0 &&
                    h("ul", { id: "notes" }, detection.notes.map(noteItem)),
            ]),
    ]);
}
