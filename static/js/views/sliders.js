// SPDX-License-Identifier: Apache-2.0
/* Two sliders below the drawing of a channel: the message size, which decides algorithm and protocol and so the graph
 * that is drawn, and the release, which marks on the drawing what another one changes. A slider shows its value while
 * it moves, and the page follows when it is released. */
import { busBandwidthAt, chosenAt, ranges } from "../chart.js";
import { otherSide, sizeText, writeSide } from "../compare.js";
import { h, textButton } from "../dom.js";
import { bandwidth, plural } from "../model.js";

/* The graph that an algorithm uses. PAT has none that the search finds. */
const GRAPHS = {
    Ring: "ring",
    Tree: "tree",
    CollNetDirect: "collnet_direct",
    CollNetChain: "collnet_chain",
    NVLS: "nvls",
    NVLSTree: "nvls",
};
const USUAL = 2 ** 30; // bytes, until one is chosen

/** The graph that NCCL uses for an algorithm, "" if none can be drawn.
 * @param {string} algorithm */
export const graphOf = (algorithm) => GRAPHS[algorithm] ?? "";

function slider({ id, label, values, at, text, move, after = null }) {
    const said = h("output", { for: id, id: `${id}-text` }, text(values[at])),
        input = h("input", {
            id,
            type: "range",
            min: "0",
            max: String(values.length - 1),
            step: "1",
            value: String(at),
            "data-key": id,
            "aria-valuetext": text(values[at]),
            oninput: () => {
                said.textContent = text(values[Number(input.value)]);
                input.setAttribute("aria-valuetext", said.textContent);
            },
            onchange: () => move(values[Number(input.value)]),
        });
    return h("div.slider", h("label", { for: id }, label), input, said, after);
}

/** other: the compared side, {diff, problem, key}. actions: message(size, graph), compareHere(list), view(name). */
export const slidersView = ({ model, state, other, releases, actions }) =>
    h("div.sliders", [
        sizeSlider(model, state, actions),
        releaseSlider(model, state, other, releases, actions),
    ]);

function sizeSlider(model, state, actions) {
    const { predictions, tuning } = model.doc,
        known = Object.keys(tuning?.bandwidths ?? {}),
        collective = known.includes(state.collective) ? state.collective : known.at(-1),
        rows = ranges(predictions, collective);
    if (!rows.length) return null;
    const { sizes } = predictions,
        size = sizes.includes(state.size) ? state.size : USUAL;
    const text = (bytes) => {
        const { name, channels } = chosenAt(rows, bytes);
        return (
            `${sizeText(bytes)}: ${name}, ${plural(channels, "channel")}, ` +
            `${bandwidth(busBandwidthAt(predictions, collective, bytes))} GB/s`
        );
    };
    return slider({
        id: "message",
        label: collective,
        values: sizes,
        at: sizes.indexOf(size),
        text,
        move: (bytes) => actions.message(bytes, graphOf(chosenAt(rows, bytes).algorithm)),
    });
}

function releaseSlider(model, state, other, releases, actions) {
    const names = releases
            .filter(({ compared }) => compared)
            .map(({ name }) => name)
            .reverse(),
        now = model.doc.nccl,
        side = otherSide(state.against),
        at = names.indexOf(side.release || now);
    if (at < 0 || names.length < 2 || !names.includes(now)) return null;
    const same = (name) => name === now && !Object.keys(side.settings).length;
    const text = (name) => (same(name) ? `${name}, as asked` : `${name} instead of ${now}`);
    return slider({
        id: "release-slider",
        label: "NCCL",
        values: names,
        at,
        text,
        move: (name) =>
            actions.compareHere(writeSide({ ...side, release: name === now ? "" : name })),
        after:
            state.against.length > 0 &&
            h("span.changes", { id: "release-changes" }, [
                other?.problem
                    ? other.problem.title
                    : !other?.diff
                      ? "Comparing…"
                      : other.diff.equal
                        ? "Nothing changes on this machine."
                        : [
                              other.diff.summary,
                              " ",
                              textButton("all-changes", "All changes", () => actions.view("diff")),
                          ],
            ]),
    });
}
