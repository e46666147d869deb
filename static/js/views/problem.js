// SPDX-License-Identifier: Apache-2.0
/* An error: what is wrong, where, and what to do; and the lines of the input that it is about. */
import { forgetToken, hasToken } from "../api.js";
import { button, h, listOf } from "../dom.js";
import { onPage } from "../page_words.js";
import { excerpt, outdented } from "../model.js";

/** problem: as the service gives it; source: the text that was sent, if it is at hand; name: of the file; again():
 * tries once more. seen: how a text begins that was not understood, forms: rows of /v1/inputs, which would have
 * been. */
export function problemView(
    problem,
    { source = null, name = "", seen = null, forms = null, again = null, choose = null } = {},
) {
    const place = problem.line
        ? `${name || "input"}:${problem.line}${problem.column ? `:${problem.column}` : ""}`
        : "";
    return h("div.problem", { role: "alert" }, [
        h("h2", problem.title ?? "Error"),
        h("p", sentence(problem.detail)),
        place &&
            h("p.where", [
                `${place} (line ${problem.line}${problem.column ? `, column ${problem.column}` : ""})`,
            ]),
        problem.where && !problem.line && h("p.where", problem.where),
        problem.advice && h("p", sentence(onPage(problem.advice))),
        choose &&
            h("p", button(null, "Fill it in from a machine type…", choose, { id: "choose-type" })),
        again &&
            problem.status === 403 &&
            hasToken() &&
            h("p", [
                button("other-token", "Use another token", () => {
                    forgetToken();
                    again();
                }),
            ]),
        again &&
            (problem.again ||
                problem.status === 0 ||
                problem.status === 401 ||
                problem.status >= 429) &&
            h("p", button("again", "Try again", again)),
        seen !== null &&
            h("div", { id: "seen" }, [
                seen.trim()
                    ? [
                          h("p", "It begins with:"),
                          h("pre.seen", { tabindex: "0" }, firstLines(seen)),
                      ]
                    : h("p", "It contains only blanks or control characters."),
            ]),
        forms?.length > 0 && [
            h("p", "Orrery reads:"),
            listOf("ul.forms", { id: "forms" }, [...forms, RESULTS], (row) => [
                h("b", row.title),
                `: ${row.sign}. Made by `,
                h("code", row.made_by),
            ]),
        ],
        problem.line && source !== null && excerptView(source, problem.line, problem.column),
    ]);
}

/** What a question to the service led to: a problem, what show(answer) gives, or a word that says it is under way.
 * options: of problemView().
 * @param {any} told
 * @param {((answer: any) => any) | null} show
 * @param {string} [waiting]
 * @param {any} [options] */
export const answered = (
    { answer = null, problem = null },
    show,
    waiting = "Computing…",
    options = {},
) => (problem ? problemView(problem, options) : answer ? show(answer) : h("p.muted", waiting));

const RESULTS = {
    title: "results of nccl-tests",
    sign: "columns of bus bandwidth (busbw)",
    made_by: "all_reduce_perf -b 8 -e 8G -f 2 -g 8",
};
const firstLines = (text) =>
    text
        .split(/\r\n|\r|\n/)
        .slice(0, 4)
        .map((line) =>
            (line.length > 160 ? `${line.slice(0, 160)}…` : line).replace(
                /[\x00-\x08\x0b-\x1f\x7f]/g,
                "\ufffd",
            ),
        )
        .join("\n");

/** A text as a sentence, "" of nothing. */
export const sentence = (text) =>
    text ? text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".") : "";

/** around: lines before and after. */
export const excerptView = (source, line, column, around = 2) =>
    h(
        "div.excerpt",
        { tabindex: "0", role: "group", "aria-label": `Lines around ${line}` },
        outdented(excerpt(source, line, column, around)).map((row) => [
            h(row.here ? "div.here" : "div", h("span.number", String(row.number)), row.text || " "),
            row.caret >= 0 &&
                h("div", { "aria-hidden": "true" }, [
                    h("span.number", ""),
                    h("span.caret", `${" ".repeat(row.caret)}^`),
                ]),
        ]),
    );
