// SPDX-License-Identifier: Apache-2.0
/* What the reader can do with files: dumps, logs, results and graph files that are dropped or chosen. */
import * as api from "./api.js";
import { ArchiveError, isArchive, MOST_FILES, unpacked } from "./archive.js";
import { isResults } from "./bandwidth.js";
import { announce } from "./dom.js";
import { isGraphFile, withGraphs, withoutGraphs } from "./graph_file.js";
import { isLog } from "./log.js";
import { joined, plural } from "./model.js";

// bytes at the beginning of a file by which its format is recognised; a quarter of them at its end
const LOOKED_AT = 1 << 20;

/* "1 dump, 1 log, 1 result: opened together", and the names of files that were left out. */
function receiptText({ dumps, logs, results }) {
    const opened = Object.entries({ dump: dumps, result: results, log: logs }),
        said = opened.flatMap(([what, files]) => (files.length ? `1 ${what}` : [])),
        rest = [...logs.slice(1), ...results.slice(1)].map(({ name }) => name).join(", ");
    return joined(" ", [
        said.length > 0 && `${said.join(", ")}: opened${said.length > 1 ? " together" : ""}.`,
        rest && `Not opened, because one log and one result are shown at a time: ${rest}.`,
    ]);
}

/** page: what main.js made; actions: all of them, for those that lead on; home(patch): shows the start page. */
export function fileActions(page, actions, home) {
    const { store, loading, library, results, moment, opening } = page;
    const { loaded } = loading;
    /* What is shown on the start page without a machine, from wherever it was dropped. */
    const alone = (shown) => {
        home({});
        Object.assign(moment, shown);
        loading.changed();
    };
    /* The machine type that results imply, with their hosts and release; without an answer, the type that was chosen
     * for them. */
    async function openedFor(type, blob, name, answer = null) {
        if (!(await opening.machine(type))) return undefined;
        const known = moment.releases.find((row) => row.name === answer?.release);
        store.replace({
            view: "bandwidth",
            hosts: answer?.hosts || store.state.hosts,
            release: !known ? store.state.release : known.standard ? "" : known.name,
        });
        return answer ? results.take(blob, name, answer) : results.open(blob, name);
    }
    /* Files by what their beginning, or the end of a log with results, says. */
    async function sorted(files) {
        const kinds = { dumps: [], logs: [], results: [] };
        for (const file of files) {
            const text = await file.slice(0, LOOKED_AT).text(),
                ending = await file.slice(-LOOKED_AT / 4).text();
            const program = [text, ending].some(isResults) ? "results" : isLog(text) && "logs";
            kinds[/^\s*</.test(text) || !program ? "dumps" : program].push(file);
        }
        return kinds;
    }
    /* Several hosts: kept, and chosen in the library. more: files beyond what the page takes. */
    async function keepAll({ dumps, logs, results: measured }, more) {
        const ids = [],
            names = [],
            refused = [...logs, ...measured].map(({ name }) => ({
                name,
                why: "logs and results are checked against one machine: open it, then drop this file there",
            }));
        for (const file of dumps) {
            const name = file.name.replace(/\.(xml|txt|log|tar|tgz|gz)$/i, ""),
                kept = await opening.keep(file, file.name, name, (error) =>
                    refused.push({ name: file.name, why: error.problem?.detail || error.message }),
                );
            if (kept) {
                ids.push(kept.id);
                names.push(name);
            }
        }
        if (more > 0)
            refused.push({
                name: `${more} more files`,
                why: `the page takes up to ${MOST_FILES} at once`,
            });
        library.choose(ids, names, refused);
        announce(
            `${plural(ids.length, "dump")} kept${
                refused.length ? `; not kept: ${refused.map(({ name }) => name).join(", ")}` : ""
            }`,
        );
        home({ place: "library" });
        library.load();
    }
    return {
        /* Results of nccl-tests go to the machine that is open, or open the one that they imply; what the service does
         * not know as such is read on. A log goes to the machine that is open, or opens the one that it prints or
         * implies; if it does neither, its triage is shown alone. If one dump is compared, the next one is the second;
         * all else is a machine of its own. */
        open: async (blob, name) => {
            moment.receipt = "";
            if (isArchive(new Uint8Array(await blob.slice(0, LOOKED_AT / 1024).arrayBuffer()))) {
                const files = await actions.unpacked([
                    blob instanceof File ? blob : new File([blob], name),
                ]);
                if (files.length !== 1)
                    return files.length > 1 ? actions.openMany(files) : undefined;
                [blob] = files;
                name = blob.name;
            }
            const text = await blob.slice(0, LOOKED_AT).text(),
                log = isLog(text) && !/^\s*</.test(text);
            if (
                (isResults(text) || isResults(await blob.slice(-LOOKED_AT / 4).text())) &&
                (await actions.results(blob, name))
            )
                return undefined;
            if (store.state.id && isLog(text)) return actions.log(blob, name);
            if (store.state.id && store.state.view === "compare") return actions.second(blob, name);
            const answer = log ? await opening.readLog(blob, name) : null,
                implied = answer?.implied_machine;
            if (log && (!answer || !answer.check)) {
                return answer ? alone({ log: { blob, name, answer } }) : loading.changed();
            }
            if (implied?.type)
                return (await actions.machine(implied.type)) && actions.log(blob, name, implied);
            if (
                (await opening.open(blob, name, name.replace(/\.[a-z]+$/i, ""))) &&
                loaded.summary?.input?.kind === "nccl-log"
            )
                await actions.log(blob, name);
        },
        /** The files that archives among these hold; [] if one cannot be unpacked, which was said. */
        unpacked: async (files) => {
            try {
                return (await Promise.all(files.map(unpacked))).flat();
            } catch (error) {
                if (!(error instanceof ArchiveError)) throw error;
                await opening.fail(
                    new api.Problem({
                        title: "The archive cannot be opened",
                        detail: error.message,
                        advice:
                            "Drop a tar, tar.gz or zip file with one dump for each host, such as host1.xml, " +
                            "host2.xml, or the files themselves",
                    }),
                    null,
                    "",
                );
                return [];
            }
        },
        /** Any number of files and archives of any kind, sorted by kind: one dump is opened, and logs and results are
         * checked against it; several are hosts, kept and chosen in the library. */
        openMany: async (dropped) => {
            const files = await actions.unpacked(dropped),
                kinds = await sorted(files.slice(0, MOST_FILES));
            if (!files.length) return;
            const { dumps, logs, results: measured } = kinds;
            if (dumps.length > 1) return keepAll(kinds, files.length - MOST_FILES);
            const opened = [...dumps, ...measured.slice(0, 1), ...logs.slice(0, 1)];
            for (const file of opened) await actions.open(file, file.name);
            moment.receipt = receiptText(kinds);
            announce(moment.receipt);
            if (store.state.id) store.replace({ view: "verdict" });
            loading.changed();
        },
        /** A machine of a type in place of a file; whether it is open now. */
        machine: (type) => opening.machine(type),
        /** Results of nccl-tests; returns false if the text has none. */
        results: async (blob, name) => {
            if (store.state.id) {
                store.replace({ view: "bandwidth", results: "" });
                return results.open(blob, name);
            }
            const answer = await opening.readResults(blob, name),
                type = answer?.machine?.name,
                machines = moment.machines ?? (await api.machines().catch(() => []));
            if (answer && machines.some((row) => row.name === type))
                await openedFor(type, blob, name, answer);
            else if (answer) return alone({ results: { blob, name, answer } }) ?? true;
            loading.changed();
            return answer !== undefined;
        },
        /** The results that are there, compared with a machine of a type. */
        resultsOn: async (type) => {
            const { blob, name } = moment.results ?? results;
            return openedFor(type, blob, name);
        },
        noResults: () => {
            store.replace({ results: "" });
            results.forget();
        },
        tested: (program) => results.program(program),
        resultsTable: (index) => results.show(index),
        forgetResults: () => {
            moment.results = null;
            loading.changed();
        },
        /** The log that is there, compared with a machine of a type. */
        logOn: async (type) => {
            const { blob, name } = moment.log ?? loading.log;
            return (await actions.machine(type)) && actions.log(blob, name);
        },
        /** The log that is there, as if no machine were open: its own tree, or what it implies. */
        logOwn: async () => {
            const { blob, name } = loading.log;
            home({});
            await actions.open(blob, name);
        },
        forgetLog: () => {
            moment.log = null;
            loading.changed();
        },
        /* The service takes a dump and its graph file as one text: another dump, which takes the place of the open one.
         * null means no graph file. */
        graphs: async (blob) => {
            const { id } = store.state,
                name = loaded.summary?.name ?? "",
                source = loaded.source ?? (await api.source(id)),
                graphs = await blob?.text();
            const refuse = (why) => (moment.refused = { graphs: { why } });
            moment.refused = {};
            if (blob && !isGraphFile(graphs)) {
                refuse("This is not a graph file: its first element is not <graphs>");
                return loading.changed();
            }
            const text = blob ? withGraphs(source, graphs) : withoutGraphs(source);
            const kept = await opening.keep(new Blob([text]), name, name, ({ problem }) => {
                refuse(joined(": ", [problem.title, problem.detail]));
            });
            if (!kept || store.state.id !== id) return loading.changed();
            loaded.summary = kept;
            announce(
                blob ? "The graphs of the file replace the search" : "The graphs are searched",
            );
            store.set({ id: kept.id, machine: "", channel: 0 });
        },
        log: async (blob, name, implied = null) => {
            store.replace({ view: "log", topic: "", log: "" });
            const answer = await loading.checkLog(blob, name, implied),
                known = (id) => loaded.model?.nodes.has(id),
                nodes = answer?.check?.first_difference?.nodes.filter(known) ?? [];
            if (nodes.length)
                store.replace({ from: nodes[0], to: nodes[1] ?? "", finding: "", line: 0 });
        },
        noLog: () => {
            loading.checkLog(null, "", null);
            store.set({ topic: "", log: "" });
            loading.changed();
        },
    };
}
