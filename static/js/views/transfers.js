// SPDX-License-Identifier: Apache-2.0
/* Who sends to whom in which round, point to point: rounds by ranks as a picture, and the rounds of one rank as a
 * table. */
import { button, h, table } from "../dom.js";
import { kindOf, nicText, overText, rankText, rowOf, sentence } from "../transfers.js";
import { grid, kindLegend } from "./grid.js";
import { problemView } from "./problem.js";

const SHM = "Shared memory of the host";

/** schedule: see schedule.js. state: rank, round. actions: transfer(rank, round), again(), table(rank). */
export function transfersView({ schedule, state, actions }) {
    const { doc, problem } = schedule;
    if (problem) return problemView(problem, { again: actions.again });
    if (!doc) return h("p.muted", "Computing…");
    const own = rowOf(doc, state.rank),
        at = {
            rank: own?.rank ?? 0,
            round: Math.min(state.round, Math.max(0, (own?.count ?? 1) - 1)),
        };
    return [
        h(
            "div.toolbar",
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
            button("transfers-csv", `CSV of rank ${at.rank}`, () => actions.table(at.rank), {
                title: "All its rounds, for a spreadsheet",
            }),
        ),
        h("p", { id: "transfers-sentence" }, sentence(doc)),
        doc.group &&
            h(
                "p.note",
                `Ranks are those of group ${doc.group.kind} ${doc.group.number}; the cluster's ranks are in brackets.`,
            ),
        picture(doc, at, actions),
        own && roundsOf(doc, own, at, actions),
    ];
}

function stepper(what, text, at, count, go) {
    const step = (by, sign, word) =>
        button(`${what}:${word}`, sign, () => go((at + by + count) % count), {
            class: "icon",
            disabled: count < 2,
            "aria-label": `${word === "next" ? "Next" : "Previous"} ${what}`,
        });
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
        step(-1, "‹", "previous"),
        " ",
        field,
        " ",
        h("span.channel-no", { id: `${what}-no` }, text),
        " ",
        step(1, "›", "next"),
    );
}

/* A row a rank, a column a round; a cell names the peer that is sent to. */
function picture(doc, at, actions) {
    const rounds = [
            ...new Set(doc.schedule.flatMap((row) => row.rounds.map((round) => round.round))),
        ].sort((a, b) => a - b),
        used = new Set();
    const table = grid(
        {
            id: "transfers",
            name: "Who sends to whom in each round",
            look: "dense",
            corner: h("small.muted", "Rank, round"),
        },
        rounds.map((round) => ({ text: String(round), look: round === at.round ? "on" : "" })),
        doc.schedule.map((row) => ({
            text: rankText(doc, row.rank),
            look: row.rank === at.rank ? "on" : "",
            cells: rounds.map((number) => {
                const send = row.rounds.find(({ round }) => round === number)?.send,
                    kind = kindOf(send, row.rank);
                if (kind) used.add(kind);
                const what = send
                    ? `rank ${row.rank} sends to rank ${send.rank}: ` +
                      `${[overText(send), nicText(send, row.rank)].filter(Boolean).join(", ")}`
                    : `rank ${row.rank} sends to nobody`;
                return {
                    key: `transfer:${row.rank}:${number}`,
                    text: send && String(send.rank),
                    kind,
                    title: `Round ${number}: ${what}`,
                    says: `Round ${number}, ${what}`,
                    on: row.rank === at.rank && number === at.round,
                    act: () => actions.transfer(row.rank, number),
                };
            }),
        })),
    );
    if (!table.querySelector('button[tabindex="0"]'))
        table.querySelector("tbody button")?.setAttribute("tabindex", "0");
    return h("div.beside", h("div.scroll", table), h("div.legend", kindLegend(used, { SHM })));
}

function roundsOf(doc, own, at, actions) {
    const peer = (way) => (way ? rankText(doc, way.rank) : h("span.zero", "–"));
    return table(
        `Rounds of rank ${own.rank}`,
        [
            "#Round",
            "~Channels",
            "#Sends to",
            "~Over",
            "~By NIC",
            "#Receives from",
            "~Over",
            "~By NIC",
        ],
        own.rounds.map((round) => ({
            tag: round.round === at.round ? "tr.on" : "tr",
            props: { "data-round": round.round },
            cells: [
                button(
                    `round-row:${round.round}`,
                    String(round.round),
                    () => actions.transfer(own.rank, round.round),
                    { class: "text" },
                ),
                channels(round.channels),
                peer(round.send),
                overText(round.send),
                nicText(round.send, own.rank) || "–",
                peer(round.receive),
                overText(round.receive),
                nicText(round.receive, own.rank) || "–",
            ],
        })),
        { id: "rounds", caption: `Rounds of rank ${rankText(doc, own.rank)}, node ${own.node}` },
    );
}

const MOST_NAMED = 8;
const channels = (list) =>
    !list
        ? "not known"
        : list.length <= MOST_NAMED
          ? list.join(" ")
          : `${list.slice(0, MOST_NAMED).join(" ")} … (${list.length})`;
