// SPDX-License-Identifier: Apache-2.0
/* The bus bandwidth at 1 GiB over the number of hosts, and with other NICs and CPUs where the input does not describe
 * them, asked of the service one after the other, once the answer to the question itself is shown. */
import * as api from "./api.js";
import { idle } from "./handling.js";
import { question } from "./state.js";
import { CPUS, cpusAssumed, isTray, nicsAssumed } from "./views/input.js";

const HOSTS = [1, 2, 4, 8, 16, 32, 64];
const PROGRAMS = [
    ["AllReduce", "all_reduce"],
    ["AlltoAll", "alltoall"],
];
const SIZE = 2 ** 30;
/** Most GPUs of a host for which the chart is drawn; with more, it would show the fabric and not the machine. */
const MOST_RANKS = 16;

const RACK = "18"; // trays that NVLink joins in an NVL72

const SPEEDS = ["100", "200", "400"];

/* Facts that the verdict may depend on, as questions: {id, ask, field: of the state, hosts, rows: [{word, label, on,
 * busbw}]}; busbw: undefined until it is known, null if it cannot be predicted. */
function openQuestions(model, hosts) {
    const { input } = model.doc,
        nics = nicsAssumed(input),
        cpu = cpusAssumed(input),
        speeds = nics && [...new Set([...SPEEDS, nics.gbps])].sort((a, b) => Number(a) - Number(b));
    return [
        nics && {
            id: "speed",
            ask: "How fast are the NICs?",
            field: "assume_nics",
            hosts: Math.max(2, hosts), // one host uses no NIC
            rows: speeds.map((gbps) => ({
                word: `${gbps}${nics.gdr ? "" : "-no-gdr"}`,
                label: `at ${gbps} Gb/s`,
                on: gbps === nics.gbps,
            })),
        },
        hosts > 1 &&
            isTray(model) && {
                id: "domain",
                ask: "Does NVLink join the hosts?",
                field: "domain",
                hosts,
                rows: [
                    { word: "1", label: "over NICs alone", on: !model.doc.cluster },
                    {
                        word: RACK,
                        label: `with NVLink between ${hosts > Number(RACK) ? RACK : "all"} of them`,
                        on: Boolean(model.doc.cluster),
                    },
                ],
            },
        cpu && {
            id: "cpu",
            ask: "Which CPUs are these?",
            field: "assume_cpu",
            hosts,
            rows: [...new Set(["intel", "amd", cpu])].map((word) => ({
                word,
                label: `with ${CPUS[word] ?? word} CPUs`,
                on: word === cpu,
            })),
        },
    ].filter(Boolean);
}

export class Scaling {
    store;
    later;

    #key = "";
    #chart = ""; // the key of `shown`
    #control = null;
    shown = null; // {pending, hosts, lines}, as scalingChart() takes it
    which = []; // of openQuestions()

    /** later(): more is known, but nobody waits for it. */
    constructor(store, later) {
        Object.assign(this, { store, later });
    }

    /** Asks about this analysis; answers that are already known stay. */
    async load(model) {
        const { state } = this.store,
            { doc } = model ?? {},
            hostRanks = doc?.cluster ? doc.ranks / doc.cluster.hosts : doc?.local_ranks,
            key = `${state.id}?${question(state)}`,
            chart = `${state.id}?${question({ ...state, hosts: 1 })}`,
            known = chart === this.#chart && this.shown?.pending === false ? this.shown : null;
        if (!doc || hostRanks > MOST_RANKS || hostRanks < 2) {
            this.#stop("");
            return;
        }
        if (key === this.#key) return;
        this.#stop(key);
        const { signal } = (this.#control = new AbortController()),
            lines = PROGRAMS.map(([name]) => ({ name, values: HOSTS.map(() => null) }));
        this.#chart = chart;
        this.shown = known ?? { pending: true, hosts: HOSTS, lines };
        this.which = openQuestions(model, state.hosts);
        await idle();
        const all = question({ ...state, hosts: HOSTS.at(-1) }),
            answer = !known && (await this.#ask(() => api.scaling(state.id, all, signal), signal));
        for (const [line, [, program]] of PROGRAMS.entries())
            lines[line].values = HOSTS.map((hosts) => {
                const fits = (row) => row.hosts === hosts && row.collective === program;
                return (
                    (answer?.outcomes ?? []).find((row) => fits(row) && row.size === SIZE)?.busbw ??
                    null
                );
            });
        for (const { hosts, field, rows } of this.which)
            for (const row of rows) {
                const asks = question({ ...state, hosts, [field]: row.word }),
                    predicted = () => api.predict(state.id, asks, "all_reduce", signal, "1G");
                row.busbw = (await this.#ask(predicted, signal))?.rows[0]?.busbw ?? null;
            }
        if (signal.aborted) return;
        this.shown.pending = false;
        this.later();
    }

    /* null if there is no answer. */
    async #ask(request, signal) {
        if (signal.aborted) return null;
        try {
            return await request();
        } catch (error) {
            if (error.name !== "AbortError" && !(error instanceof api.Problem)) throw error;
            return null;
        }
    }

    forget() {
        this.#stop("");
    }

    #stop(key) {
        this.#control?.abort();
        this.#key = key;
        this.shown = null;
        this.which = [];
    }
}
