// SPDX-License-Identifier: Apache-2.0
/* The expert's page: the prediction in the lines that NCCL prints. */
import { copyButton, h, numberField } from "../dom.js";
import { asLogged } from "../nccl_log.js";

/** actions: transfer(rank, round), which chooses the rank. */
export function loggedView({ model, state, actions }) {
    const last = (model.doc.local_ranks ?? 1) - 1,
        rank = Math.min(state.rank, last),
        lines = asLogged(model, rank).join("\n");
    const number = numberField("logged-rank", rank, { id: "logged-rank", most: last }, (n) =>
        actions.transfer(n, 0),
    );
    return [
        h("div.toolbar", h("label.field", "Rank ", number), copyButton(lines, "Copy the lines")),
        h("p.muted", [
            "What this rank prints with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,GRAPH, as NCCL " +
                `${model.doc.nccl} is predicted to decide. Releases before 2.27 write GPU/21000 for GPU/0-21000, ` +
                "and align the ranks of a channel. To compare a whole log, drop it on this page.",
        ]),
        h("pre.logged", { id: "logged", tabindex: "0", "aria-label": "Lines of the log" }, lines),
    ];
}
