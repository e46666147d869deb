// SPDX-License-Identifier: Apache-2.0
/* Who sends to whom in which round, point to point: rounds by ranks as a picture, and the rounds of one rank as a
 * table. */
import { stepper } from "./parts.js";
import { joined } from "../model.js";
import { button, h, numberField, table, textButton } from "../dom.js";
import { kindOf, nicText, overText, rankText, rowOf, sentence } from "../transfers.js";
import { grid, kindLegend } from "./grid.js";
import { answered } from "./problem.js";

const SHM = "Shared memory of the host";

/** schedule: see schedule.js. state: rank, round. actions: transfer(rank, round), again(), table(rank). */
export function transfersView({ schedule, state, actions }) {
    const { doc, problem } = schedule;
    if (problem || !doc)
        return answered({ answer: doc, problem }, null, "Computing…", { again: actions.again });
    const own = rowOf(doc, state.rank),
        at = {
            rank: own?.rank ?? 0,
            round: Math.min(state.round, Math.max(0, (own?.count ?? 1) - 1)),
        };
    return [
        h("div.toolbar", [
            walker("rank", rankText(doc, at.rank), at.rank, doc.ranks, (rank) =>
                actions.transfer(rank, at.round),
            ),
            walker("round", `${at.round}`, at.round, own?.count ?? 0, (round) =>
                actions.transfer(at.rank, round),
            ),
            button("transfers-csv", `CSV of rank ${at.rank}`, () => actions.table(at.rank), {
                title: "All its rounds, for a spreadsheet",
            }),
        ]),
        h("p", { id: "transfers-sentence" }, sentence(doc)),
        doc.group &&
            h("p.note", [
                `Ranks are those of group ${doc.group.kind} ${doc.group.number}; the cluster's ranks are in brackets.`,
            ]),
        picture(doc, at, actions),
        own && roundsOf(doc, own, at, actions),
    ];
}

/* Steps from one to the next, or goes to any by its number. */
const walker = (what, name, at, count, go) =>
    stepper(
        what,
        {
            text: `${what === "rank" ? "Rank" : "Round"} ${name} of ${count}`,
            at,
            count,
            prefix: `${what}:`,
            between: numberField(
                `${what}:number`,
                at,
                { most: Math.max(0, count - 1), "aria-label": `Go to ${what}` },
                go,
            ),
        },
        go,
    );

/* A row for each rank, a column for each round; a cell names the peer that the rank sends to. */
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
                      `${joined(", ", [overText(send), nicText(send, row.rank)])}`
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
        "#Round|~Channels|#Sends to|~Over|~By NIC|#Receives from|~Over|~By NIC",
        own.rounds.map((round) => ({
            tag: round.round === at.round ? "tr.on" : "tr",
            props: { "data-round": round.round },
            cells: [
                textButton(`round-row:${round.round}`, String(round.round), () =>
                    actions.transfer(own.rank, round.round),
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
