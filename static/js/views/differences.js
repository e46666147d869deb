// SPDX-License-Identifier: Apache-2.0
/* What another release or other settings would change: sections, their changes before and after, and the reasons. */
import { h } from "../dom.js";
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
                ? h(
                      "p.muted",
                      { id: "comparing" },
                      "Comparing: mixtures of both sides are analysed until each change has its reason… ",
                      h(
                          "button",
                          { type: "button", "data-key": "cancel", onclick: actions.cancel },
                          "Cancel",
                      ),
                  )
                : answer(model, state, other, actions),
    ];
}

function chooser(state, diff, releases, settings, actions) {
    const side = otherSide(state.against),
        set = (patch) => actions.against(writeSide({ ...side, ...patch }));
    const release = h(
        "select",
        { id: "against", "data-key": "against", onchange: () => set({ release: release.value }) },
        h("option", { value: "", selected: !side.release }, "the same release"),
        releaseOptions(releases, side.release),
    );
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
        set({ settings: { ...side.settings, [match[1].toUpperCase()]: match[2] } });
    };
    const drop = (name) =>
        set({
            settings: Object.fromEntries(
                Object.entries(side.settings).filter(([key]) => key !== name),
            ),
        });
    return h(
        "div.toolbar",
        { id: "chooser" },
        h("label.field", null, "Against", release),
        h(
            "span.field",
            null,
            "with",
            text,
            h(
                "datalist",
                { id: "setting-names" },
                settings.map((row) => h("option", { value: `${row.name}=` }, row.meaning)),
            ),
        ),
        h("button", { type: "button", "data-key": "add", onclick: add }, "Add"),
        h(
            "ul.chips",
            { "aria-label": "Settings of the other side" },
            Object.entries(side.settings).map(([name, value]) =>
                h(
                    "li.chip",
                    null,
                    h("span", null, `${name}=${value || "default"}`),
                    h(
                        "button",
                        {
                            type: "button",
                            "aria-label": `Remove ${name} of the other side`,
                            onclick: () => drop(name),
                        },
                        "×",
                    ),
                ),
            ),
        ),
        state.against.length > 0 &&
            h(
                "button",
                {
                    type: "button",
                    "data-key": "swap",
                    title: "The other side becomes what is asked",
                    onclick: actions.swap,
                },
                "Swap",
            ),
        state.against.length > 0 &&
            h(
                "button.text",
                { type: "button", "data-key": "no-against", onclick: () => actions.against([]) },
                "clear",
            ),
    );
}

function empty(releases, state, model, actions) {
    const others = byMinor(releases.filter((row) => row.name !== model.doc.nccl))
        .slice(0, 5)
        .map(([, rows]) => rows[0]);
    return h(
        "div",
        { id: "no-comparison" },
        h(
            "p",
            null,
            "Choose a release or a setting to hold this answer against: every path, verdict, channel and " +
                "prediction that differs is listed with the rule that changes it.",
        ),
        h(
            "p.try",
            null,
            others.map((row) => [
                h(
                    "button",
                    {
                        type: "button",
                        "data-key": `try:${row.name}`,
                        onclick: () => actions.against([row.name]),
                    },
                    `NCCL ${row.name}`,
                ),
                " ",
            ]),
            ["NCCL_P2P_LEVEL=SYS", "NCCL_NVLS_ENABLE=0", "NCCL_CROSS_NIC=1"].map((text) => [
                h(
                    "button.mono",
                    {
                        type: "button",
                        "data-key": `try:${text}`,
                        onclick: () => actions.against([text]),
                    },
                    text,
                ),
                " ",
            ]),
        ),
    );
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
    const names = { a: sideName(diff.a, diff.b), b: sideName(diff.b, diff.a) };
    return [
        h(
            "p",
            { id: "diff-summary" },
            h("b", null, names.a),
            " → ",
            h("b", null, names.b),
            ": ",
            diff.summary,
        ),
        outcomesView(diff.outcomes),
        !diff.equal && tabs("change", "changes", options, current, (name) => actions.change(name)),
        !diff.equal &&
            h(
                "div",
                { id: "changes", role: "tabpanel", tabindex: "-1" },
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
            ),
        !diff.search.complete &&
            h(
                "p.note",
                null,
                "On a machine of this size some changes list every rule that may be the reason, marked “perhaps”.",
            ),
    ];
}

function reasons(diff, id, names) {
    return [
        h(
            "div.scroll",
            { tabindex: "0", role: "group", "aria-label": "Reasons" },
            h(
                "table.wide",
                { id: "reasons" },
                h("caption.unseen", null, "Rules and settings that change something"),
                h(
                    "thead",
                    null,
                    h(
                        "tr",
                        null,
                        h("th", null, "Rule or setting"),
                        h("th", null, names.a),
                        h("th", null, names.b),
                        h("th.num", null, "Facts"),
                        h("th", null, "In"),
                    ),
                ),
                h(
                    "tbody",
                    null,
                    [...diff.reasons]
                        .sort((x, y) => y.changed - x.changed)
                        .map((row) =>
                            h(
                                row.id === id ? "tr.on" : "tr",
                                { "data-reason": row.id },
                                h(
                                    "td.wrap",
                                    null,
                                    row.kind === "setting"
                                        ? h("span.mono", null, row.id)
                                        : row.text,
                                    h(
                                        "div.muted",
                                        null,
                                        row.kind === "setting"
                                            ? row.text
                                            : h("span.mono", null, row.id),
                                    ),
                                ),
                                h("td.wrap", null, row.a),
                                h("td.wrap", null, row.b),
                                h("td.num", null, String(row.changed)),
                                h(
                                    "td.wrap",
                                    null,
                                    row.sections.map((name) => SECTIONS[name] ?? name).join(", "),
                                ),
                            ),
                        ),
                ),
            ),
        ),
        diff.without_effect.length > 0 &&
            h(
                "p.note",
                null,
                `Differ too, and change nothing here: ${diff.without_effect.join(", ")}.`,
            ),
    ];
}

export function section(model, rows, name, selected, names, actions) {
    if (!rows.changed) return h("p", null, `None of ${rows.compared} facts changes.`);
    return [
        h(
            "div.scroll",
            { tabindex: "0", role: "group", "aria-label": `Changes in ${SECTIONS[name]}` },
            h(
                "table.wide.changes",
                null,
                h("caption.unseen", null, `Changes in ${SECTIONS[name]}`),
                h(
                    "thead",
                    null,
                    h(
                        "tr",
                        null,
                        h("th", null, "Where"),
                        h("th", null, names.a),
                        h("th", null, names.b),
                        names.reasons !== false && h("th", null, "Because"),
                    ),
                ),
                grouped(rows).map((group) =>
                    h(
                        "tbody",
                        null,
                        h(
                            "tr.group",
                            null,
                            h(
                                "th",
                                { colspan: names.reasons === false ? "3" : "4", scope: "rowgroup" },
                                group.text,
                            ),
                        ),
                        group.rows.map(({ i, change }) =>
                            changeRow(
                                model,
                                name,
                                i,
                                change,
                                change === selected,
                                actions,
                                names.reasons !== false,
                            ),
                        ),
                    ),
                ),
            ),
        ),
        rows.left_out > 0 && h("p.note", null, `${rows.left_out} more changes are not listed.`),
    ];
}

function changeRow(model, section, i, change, open, actions, reasons) {
    const key = `${section}.${i}`,
        first = change.where[0] ?? {},
        toggle = () => actions.change(open ? section : key);
    const because = change.because.flatMap((id, n) => [
        n ? ", " : "",
        h("button.text.mono", { type: "button", onclick: () => actions.change(`why.${id}`) }, id),
    ]);
    return [
        h(
            open ? "tr.on" : "tr",
            { "data-change": key },
            h(
                "td.wrap",
                null,
                h(
                    "button.text",
                    {
                        type: "button",
                        "data-key": `change:${key}`,
                        "aria-expanded": String(open),
                        onclick: toggle,
                    },
                    change.count > 1 ? `${change.count} places` : placeText(model, first),
                ),
                change.count > 1 && h("span.muted", null, `, such as ${placeText(model, first)}`),
            ),
            h(
                "td.wrap.value",
                { title: change.rule_a ?? null },
                valueText(model, change.what, change.a),
            ),
            h(
                "td.wrap.value.after",
                { title: change.rule_b ?? null },
                valueText(model, change.what, change.b),
            ),
            reasons && h("td.wrap", null, change.certain ? null : "perhaps ", because),
        ),
        open &&
            h(
                "tr.places",
                null,
                h(
                    "td",
                    { colspan: reasons ? "4" : "3" },
                    change.rule_a && h("p", null, h("span.muted", null, "Before: "), change.rule_a),
                    change.rule_b && h("p", null, h("span.muted", null, "After: "), change.rule_b),
                    h(
                        "p",
                        null,
                        change.where
                            .slice(0, SHOWN)
                            .map((where) => [place(model, where, actions), " "]),
                        change.count > SHOWN &&
                            h(
                                "span.muted",
                                null,
                                `and ${change.count - Math.min(SHOWN, change.where.length)} more`,
                            ),
                    ),
                ),
            ),
    ];
}

function place(model, where, actions) {
    const pair = pairOf(model, where),
        text = placeText(model, where);
    return pair && model.nodes.has(pair.from) && model.nodes.has(pair.to)
        ? h(
              "button",
              {
                  type: "button",
                  "data-key": `place:${pair.from}>${pair.to}`,
                  onclick: () => actions.select(pair.from, pair.to, true),
              },
              text,
          )
        : h("span.place", null, text);
}
