// SPDX-License-Identifier: Apache-2.0
/* Who sends to whom in which round, point to point: rounds by ranks as a picture, and the rounds of one rank as a
 * table. */
import { h } from "../dom.js";
import { KINDS } from "../model.js";
import { kindOf, nicText, overText, rankText, rowOf, sentence } from "../transfers.js";
import { walk } from "./matrix.js";
import { problemView } from "./problem.js";

const SHM = "Shared memory of the host";

/** schedule: see schedule.js. state: rank, round. actions: transfer(rank, round), again(), table(rank). */
export function transfersView({ schedule, state, actions }) {
    const { doc, problem } = schedule;
    if (problem) return problemView(problem, { again: actions.again });
    if (!doc) return h("p.muted", null, "Computing…");
    const own = rowOf(doc, state.rank),
        at = {
            rank: own?.rank ?? 0,
            round: Math.min(state.round, Math.max(0, (own?.count ?? 1) - 1)),
        };
    return [
        h(
            "div.toolbar",
            null,
            stepper(
                "rank",
                `Rank ${rankText(doc, at.rank)} of ${doc.ranks}`,
                at.rank,
                doc.ranks,
                (rank) => actions.transfer(rank, at.round),
            ),
            stepper(
                "round",
                `Round ${at.round} of ${own?.count ?? 0}`,
                at.round,
                own?.count ?? 0,
                (round) => actions.transfer(at.rank, round),
            ),
            h(
                "button",
                {
                    type: "button",
                    "data-key": "transfers-csv",
                    title: "All its rounds, for a spreadsheet",
                    onclick: () => actions.table(at.rank),
                },
                `CSV of rank ${at.rank}`,
            ),
        ),
        h("p", { id: "transfers-sentence" }, sentence(doc)),
        doc.group &&
            h(
                "p.note",
                null,
                `Ranks are those of group ${doc.group.kind} ${doc.group.number}; the cluster's ranks are in brackets.`,
            ),
        picture(doc, at, actions),
        own && table(doc, own, at, actions),
    ];
}

function stepper(what, text, at, count, go) {
    const button = (by, sign, word) =>
        h(
            "button.icon",
            {
                type: "button",
                "data-key": `${what}:${word}`,
                disabled: count < 2,
                "aria-label": `${word === "next" ? "Next" : "Previous"} ${what}`,
                onclick: () => go((at + by + count) % count),
            },
            sign,
        );
    const field = h("input.short", {
        type: "number",
        min: "0",
        max: String(Math.max(0, count - 1)),
        value: String(at),
        "data-key": `${what}:number`,
        "aria-label": `Go to ${what}`,
        onchange: () => /^\d+$/.test(field.value) && go(Math.min(count - 1, Number(field.value))),
    });
    return h(
        "div",
        { role: "group", "aria-label": what === "rank" ? "Rank" : "Round" },
        button(-1, "‹", "previous"),
        " ",
        field,
        " ",
        h("span.channel-no", { id: `${what}-no` }, text),
        " ",
        button(1, "›", "next"),
    );
}

/* A row a rank, a column a round; a cell names the peer that is sent to. */
function picture(doc, at, actions) {
    const rounds = [
            ...new Set(doc.schedule.flatMap((row) => row.rounds.map((round) => round.round))),
        ].sort((a, b) => a - b),
        used = new Set();
    const body = doc.schedule.map((row) =>
        h(
            "tr",
            null,
            h(`th${row.rank === at.rank ? ".on" : ""}`, { scope: "row" }, rankText(doc, row.rank)),
            rounds.map((number) => {
                const round = row.rounds.find((one) => one.round === number),
                    kind = kindOf(round?.send, row.rank),
                    on = row.rank === at.rank && number === at.round;
                if (kind) used.add(kind);
                const what = round?.send
                    ? `rank ${row.rank} sends to rank ${round.send.rank}: ` +
                      `${[overText(round.send), nicText(round.send, row.rank)].filter(Boolean).join(", ")}`
                    : `rank ${row.rank} sends to nobody`;
                return h(
                    "td",
                    { role: "gridcell", "aria-selected": String(on) },
                    h(
                        `button${kind ? `.k-${kind}` : ""}`,
                        {
                            type: "button",
                            "data-key": `transfer:${row.rank}:${number}`,
                            tabindex: on ? "0" : "-1",
                            title: `Round ${number}: ${what}`,
                            "aria-label": `Round ${number}, ${what}`,
                            onclick: () => actions.transfer(row.rank, number),
                        },
                        round?.send ? String(round.send.rank) : "·",
                    ),
                );
            }),
        ),
    );
    const grid = h(
        "table.matrix.dense",
        {
            role: "grid",
            id: "transfers",
            "aria-label": "Whom each rank sends to in each round",
            onkeydown: walk,
        },
        h(
            "thead",
            null,
            h(
                "tr",
                null,
                h("td", null, h("small.muted", null, "Rank, round")),
                rounds.map((number) =>
                    h(`th${number === at.round ? ".on" : ""}`, { scope: "col" }, String(number)),
                ),
            ),
        ),
        h("tbody", null, body),
    );
    if (!grid.querySelector('button[tabindex="0"]'))
        grid.querySelector("tbody button")?.setAttribute("tabindex", "0");
    return h(
        "div.beside",
        null,
        h("div.scroll", null, grid),
        h(
            "div.legend",
            null,
            [...Object.entries(KINDS), ["SHM", SHM]]
                .filter(([kind]) => used.has(kind) && kind !== "LOC")
                .map(([kind, meaning]) =>
                    h("span", null, h(`span.kind.k-${kind}`, null, kind), meaning),
                ),
        ),
    );
}

function table(doc, own, at, actions) {
    const peer = (way) => (way ? rankText(doc, way.rank) : h("span.zero", null, "–"));
    return h(
        "div.scroll",
        { tabindex: "0", role: "group", "aria-label": `Rounds of rank ${own.rank}` },
        h(
            "table.wide",
            { id: "rounds" },
            h("caption", null, `Rounds of rank ${rankText(doc, own.rank)}, node ${own.node}`),
            h(
                "thead",
                null,
                h(
                    "tr",
                    null,
                    h("th.num", null, "Round"),
                    h("th", null, "Channels"),
                    h("th.num", null, "Sends to"),
                    h("th", null, "Over"),
                    h("th", null, "By NIC"),
                    h("th.num", null, "Receives from"),
                    h("th", null, "Over"),
                    h("th", null, "By NIC"),
                ),
            ),
            h(
                "tbody",
                null,
                own.rounds.map((round) =>
                    h(
                        round.round === at.round ? "tr.on" : "tr",
                        { "data-round": round.round },
                        h(
                            "td.num",
                            null,
                            h(
                                "button.text",
                                {
                                    type: "button",
                                    "data-key": `round-row:${round.round}`,
                                    onclick: () => actions.transfer(own.rank, round.round),
                                },
                                String(round.round),
                            ),
                        ),
                        h("td.wrap", null, channels(round.channels)),
                        h("td.num", null, peer(round.send)),
                        h("td.wrap", null, overText(round.send)),
                        h("td.wrap", null, nicText(round.send, own.rank) || "–"),
                        h("td.num", null, peer(round.receive)),
                        h("td.wrap", null, overText(round.receive)),
                        h("td.wrap", null, nicText(round.receive, own.rank) || "–"),
                    ),
                ),
            ),
        ),
    );
}

const MOST_NAMED = 8;
const channels = (list) =>
    !list
        ? "not known"
        : list.length <= MOST_NAMED
          ? list.join(" ")
          : `${list.slice(0, MOST_NAMED).join(" ")} … (${list.length})`;
