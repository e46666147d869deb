// SPDX-License-Identifier: Apache-2.0
/* What another release or other settings would change: sections, their changes before and after, and the reasons. */
import { button, dropDown, fold, h, leftOut, table, textButton } from "../dom.js";
import {
    findChange,
    grouped,
    otherSide,
    pairOf,
    placeText,
    SECTIONS,
    sideName,
    valueText,
    writeSide,
} from "../compare.js";
import { helpingView } from "./helping.js";
import { outcomesView } from "./outcomes.js";
import { problemView } from "./problem.js";
import { tabs } from "./frame.js";
import { byMinor, releaseOptions } from "./settings.js";

const SHOWN = 12; // places of a change before "more"

/** other: {diff, problem, busy}. actions: against(list), swap(), change(text), select(from, to), cancel(). */
export function differencesView({ model, state, other, releases, settings, actions }) {
    const { diff } = other;
    return [
        chooser(state, diff, releases, settings, actions),
        !state.against.length
            ? empty(releases, state, model, actions)
            : other.problem
              ? problemView(other.problem)
              : !diff
                ? h("p.muted", { id: "comparing" }, [
                      "Comparing: mixtures of both sides are analysed until each change has its reason… ",
                      button("cancel", "Cancel", actions.cancel),
                  ])
                : answer(model, state, other, actions),
    ];
}

function chooser(state, diff, releases, settings, actions) {
    const side = otherSide(state.against),
        set = (patch) => actions.against(writeSide({ ...side, ...patch }));
    const text = h("input", {
        id: "against-setting",
        "data-key": "against-setting",
        placeholder: "NCCL_NAME=VALUE",
        list: "setting-names",
        spellcheck: "false",
        autocomplete: "off",
        "aria-label": "A setting of the other side",
        onkeydown: (event) => event.key === "Enter" && add(),
    });
    const add = () => {
        const match = /^\s*(NCCL_[A-Za-z0-9_]+)\s*=\s*(.*?)\s*$/.exec(text.value);
        if (!match)
            return (
                text.setCustomValidity(
                    "write it as NCCL_NAME=VALUE; an empty value takes the default",
                ),
                text.reportValidity()
            );
        text.value = "";
        set({ settings: { ...side.settings, [match[1].toUpperCase()]: match[2] } });
    };
    const drop = (name) =>
        set({
            settings: Object.fromEntries(
                Object.entries(side.settings).filter(([key]) => key !== name),
            ),
        });
    return h("div.toolbar", { id: "chooser" }, [
        dropDown(
            "against",
            "Against",
            [["", "the same release"], ...releaseOptions(releases, side.release)],
            side.release ?? "",
            (value) => set({ release: value }),
        ),
        h("span.field", [
            "with",
            text,
            h("datalist", { id: "setting-names" }, [
                settings.map((row) => h("option", { value: `${row.name}=` }, row.meaning)),
            ]),
        ]),
        button("add", "Add", add),
        h("ul.chips", { "aria-label": "Settings of the other side" }, [
            Object.entries(side.settings).map(([name, value]) =>
                h("li.chip", [
                    h("span", `${name}=${value || "default"}`),
                    button(null, "×", () => drop(name), {
                        "aria-label": `Remove ${name} of the other side`,
                    }),
                ]),
            ),
        ]),
        state.against.length > 0 &&
            button("swap", "Swap", actions.swap, { title: "Swap the two sides" }),
        state.against.length > 0 && textButton("no-against", "clear", () => actions.against([])),
    ]);
}

function empty(releases, state, model, actions) {
    const others = byMinor(releases.filter((row) => row.name !== model.doc.nccl))
        .slice(0, 5)
        .map(([, rows]) => rows[0]);
    return h("div", { id: "no-comparison" }, [
        h("p", [
            "Choose a release or a setting to compare this answer with: every path, verdict, channel and " +
                "prediction that differs is listed with the rule that changes it.",
        ]),
        h("p.try", [
            others.map((row) => [
                button(`try:${row.name}`, `NCCL ${row.name}`, () => actions.against([row.name])),
                " ",
            ]),
            ["NCCL_P2P_LEVEL=SYS", "NCCL_NVLS_ENABLE=0", "NCCL_CROSS_NIC=1"].map((text) => [
                button(`try:${text}`, text, () => actions.against([text]), { class: "mono" }),
                " ",
            ]),
        ]),
        fold("helping", "Settings that help here", () => helpingView(state, actions)),
    ]);
}

function answer(model, state, { diff }, actions) {
    const chosen = findChange(diff, state.change),
        current = chosen.section || "why";
    const options = [
        ["why", `Reasons ${diff.reasons.length}`],
        ...Object.entries(SECTIONS)
            .filter(([name]) => diff.sections[name])
            .map(([name, label]) => [name, `${label} ${diff.sections[name].changed}`]),
    ];
    const names = {
        a: sideName(diff.a, diff.b),
        b: sideName(diff.b, diff.a),
        reasons: diff.reasons,
    };
    return [
        h("p", { id: "diff-summary" }, h("b", names.a), " → ", h("b", names.b), ": ", diff.summary),
        outcomesView(diff.outcomes),
        !diff.equal && tabs("change", "changes", options, current, (name) => actions.change(name)),
        !diff.equal &&
            h("div", { id: "changes", role: "tabpanel", tabindex: "-1" }, [
                current === "why"
                    ? reasons(diff, chosen.id, names)
                    : section(
                          model,
                          diff.sections[current],
                          current,
                          chosen.change,
                          names,
                          actions,
                      ),
            ]),
        !diff.search.complete &&
            h("p.note", [
                "On a machine of this size some changes list every rule that may be the reason, marked “perhaps”.",
            ]),
    ];
}

const reasons = (diff, id, names) => [
    table(
        "Reasons",
        ["~Rule or setting", `~${names.a}`, `~${names.b}`, "#Facts", "~In"],
        [...diff.reasons]
            .sort((x, y) => y.changed - x.changed)
            .map((row) => ({
                tag: row.id === id ? "tr.on" : "tr",
                props: { "data-reason": row.id },
                cells: [
                    row.kind === "setting"
                        ? [h("span.mono", row.id), h("div.muted", row.text)]
                        : row.text,
                    row.a,
                    row.b,
                    String(row.changed),
                    row.sections.map((name) => SECTIONS[name] ?? name).join(", "),
                ],
            })),
        { id: "reasons" },
    ),
    (diff.without_effect.length > 0 || diff.reasons.some((row) => row.kind !== "setting")) &&
        fold("ids", "Ids of the rules", () => ids(diff)),
];

const ids = ({ reasons, without_effect: idle }) => [
    table(
        "Ids of the rules",
        ["~Rule", "Id"],
        reasons.filter((row) => row.kind !== "setting").map((row) => [row.text, row.id]),
    ),
    idle.length > 0 && h("p.note", `Differ too, and change nothing here: ${idle.join(", ")}.`),
];

/** names: of both sides, and the reasons of the answer; reasons is false if it has none. */
export function section(model, rows, name, selected, names, actions) {
    if (!rows.changed) return h("p", `None of ${rows.compared} facts changes.`);
    return [
        h(
            "div.scroll",
            { tabindex: "0", role: "group", "aria-label": `Changes in ${SECTIONS[name]}` },
            h("table.wide.changes", [
                h("caption.unseen", `Changes in ${SECTIONS[name]}`),
                h("thead", [
                    h("tr", [
                        h("th", "Where"),
                        h("th", names.a),
                        h("th", names.b),
                        names.reasons !== false && h("th", "Because"),
                    ]),
                ]),
                grouped(rows).map((group) =>
                    h("tbody", [
                        h("tr.group", [
                            h(
                                "th",
                                {
                                    colspan: names.reasons === false ? "3" : "4",
                                    scope: "rowgroup",
                                },
                                group.text,
                            ),
                        ]),
                        group.rows.map(({ i, change }) =>
                            changeRow(
                                model,
                                name,
                                i,
                                change,
                                change === selected,
                                actions,
                                names.reasons,
                            ),
                        ),
                    ]),
                ),
            ]),
        ),
        leftOut(rows.left_out, "changes"),
    ];
}

/* A reason in words; a setting is a reason, too. */
const words = (reasons, id) => {
    const row = reasons.find((reason) => reason.id === id);
    return !row || row.kind === "setting" ? id : row.text;
};

function changeRow(model, section, i, change, open, actions, reasons) {
    const key = `${section}.${i}`,
        first = change.where[0] ?? {},
        toggle = () => actions.change(open ? section : key);
    const because = change.because.flatMap((id, n) => [
        n ? "; " : "",
        textButton(null, words(reasons, id), () => actions.change(`why.${id}`)),
    ]);
    return [
        h(open ? "tr.on" : "tr", { "data-change": key }, [
            h("td.wrap", [
                textButton(
                    `change:${key}`,
                    change.count > 1 ? `${change.count} places` : placeText(model, first),
                    toggle,
                    { "aria-expanded": String(open) },
                ),
                change.count > 1 && h("span.muted", `, such as ${placeText(model, first)}`),
            ]),
            h("td.wrap.value", { title: change.rule_a ?? null }, [
                valueText(model, change.what, change.a),
            ]),
            h("td.wrap.value.after", { title: change.rule_b ?? null }, [
                valueText(model, change.what, change.b),
            ]),
            reasons && h("td.wrap", change.certain ? null : "perhaps ", because),
        ]),
        open &&
            h("tr.places", [
                h("td", { colspan: reasons ? "4" : "3" }, [
                    change.rule_a && h("p", h("span.muted", "Before: "), change.rule_a),
                    change.rule_b && h("p", h("span.muted", "After: "), change.rule_b),
                    h("p", [
                        change.where
                            .slice(0, SHOWN)
                            .map((where) => [place(model, where, actions), " "]),
                        change.count > SHOWN &&
                            h("span.muted", [
                                `and ${change.count - Math.min(SHOWN, change.where.length)} more`,
                            ]),
                    ]),
                ]),
            ]),
    ];
}

function place(model, where, actions) {
    const pair = pairOf(model, where),
        text = placeText(model, where);
    return pair && model.nodes.has(pair.from) && model.nodes.has(pair.to)
        ? button(`place:${pair.from}>${pair.to}`, text, () =>
              actions.select(pair.from, pair.to, true),
          )
        : h("span.place", text);
}
