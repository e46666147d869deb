// SPDX-License-Identifier: Apache-2.0
/* The only place that talks to the service. Addresses are relative, so the page works below a path too. */
import { headingOf } from "./page_words.js";

/** An answer that is an error: a problem of RFC 9457, or what replaces one where the server cannot be reached. */
export class Problem extends Error {
    constructor(problem) {
        super(problem.detail || problem.title || "The request failed");
        this.problem = problem;
    }
}

/** The service's answer about a failure. Any other error is our own mistake, and is thrown again. */
export function problemOf(error) {
    if (error instanceof Problem) return error.problem;
    throw error;
}

/** The same instead of a drawing, whatever failed. */
export const drawingProblem = ({ problem, message }) =>
    problem ?? { title: "The drawing cannot be shown", detail: message };

/* The bearer token lives here and nowhere else: closing or reloading the page drops it. */
let token = "",
    asking = null,
    /** @type {(refused: boolean) => Promise<string>} */
    askForToken = async () => "";

/** Sets who asks for a token if the server needs one: ask(refused) gives it, or "" to give up. */
export const onTokenNeeded = (ask) => (askForToken = ask);
export const hasToken = () => token !== "";
export const forgetToken = () => (token = "");

/* Several requests may be refused at once; one question answers them all. */
async function newToken(used) {
    if (used !== token) return token; // the reader has been asked meanwhile
    asking ??= askForToken(used !== "").finally(() => (asking = null));
    return (token = await asking);
}

const authorized = (headers) =>
    token ? { ...headers, Authorization: `Bearer ${token}` } : headers;
const unreachable = () =>
    new Problem({
        title: "The server cannot be reached",
        detail: "No answer came back",
        advice: "See whether orrery serve is still running, then try again",
        status: 0,
    });

async function call(path, options = {}) {
    for (;;) {
        const used = token;
        let response;
        try {
            response = await fetch(path, {
                ...options,
                headers: authorized(options.headers ?? {}),
            });
        } catch (cause) {
            throw cause.name === "AbortError" ? cause : unreachable();
        }
        if (response.ok) return response;
        if (response.status !== 401 || !(await newToken(used)))
            throw new Problem(await readProblem(response));
    }
}

async function readProblem(response) {
    try {
        const body = await response.json();
        return { status: response.status, ...body, title: headingOf(body) };
    } catch {
        return {
            status: response.status,
            title: `The server answered ${response.status}`,
            detail: response.statusText,
        };
    }
}

const json = async (path, options) => (await call(path, options)).json();
const BYTES = { "Content-Type": "application/octet-stream", Accept: "application/json" };
const post = (path, body, signal = null) =>
    json(path, { method: "POST", body, signal, headers: BYTES });
const send = (path, value, method = "POST") =>
    json(path, {
        method,
        body: typeof value === "string" ? value : JSON.stringify(value),
        headers: { "Content-Type": "application/json" },
    });
/** A question with more parameters: {name: value or values}. */
function withMore(question, more) {
    const query = new URLSearchParams(question);
    for (const [name, values] of Object.entries(more))
        for (const value of [values].flat()) if ((value ?? "") !== "") query.append(name, value);
    return query;
}
const topology = (id) => `v1/topologies/${encodeURIComponent(id)}`;
const ask = (path, query) => (String(query) ? `${path}?${query}` : path);

/* fetch() does not report how much has been sent; XMLHttpRequest does. */
const transmit = (path, body, signal, onProgress) =>
    new Promise((done, fail) => {
        const request = new XMLHttpRequest();
        request.open("POST", path);
        for (const [name, value] of Object.entries(authorized(BYTES)))
            request.setRequestHeader(name, value);
        request.upload.onprogress = (event) =>
            event.lengthComputable && onProgress?.(event.loaded, event.total);
        request.onload = () =>
            done(
                new Response(request.status === 204 ? null : request.responseText, {
                    status: request.status || 500,
                    statusText: request.statusText,
                    headers: { Location: request.getResponseHeader("Location") ?? "" },
                }),
            );
        request.onerror = () => fail(unreachable());
        request.onabort = () => fail(new DOMException("aborted", "AbortError"));
        signal?.addEventListener("abort", () => request.abort());
        request.send(body);
    });

/** Stores a dump (bytes or a Blob); gives its summary, with the id. onProgress(sent, of): bytes.
 * @param {any} body
 * @param {string} name
 * @param {{signal?: AbortSignal, onProgress?: (sent: number, of: number) => void}} options */
export async function upload(body, name, { signal, onProgress } = {}) {
    const query = new URLSearchParams();
    if (name) query.set("name", name.slice(0, 120));
    for (;;) {
        const used = token,
            response = await transmit(ask("v1/topologies", query), body, signal, onProgress);
        if (response.ok) {
            const summary = await response.json();
            summary.id ??= decodeURIComponent(
                response.headers.get("Location")?.split("/").pop() ?? "",
            );
            return summary;
        }
        if (response.status !== 401 || !(await newToken(used)))
            throw new Problem(await readProblem(response));
    }
}

/** Keeps a machine of a type in place of a file; gives its summary. */
export const keepMachine = (machine, signal) =>
    json(ask("v1/topologies", new URLSearchParams({ machine, name: machine })), {
        method: "POST",
        signal,
    });
/** Detects the machine of the service and keeps its dump: its summary, with `detection`. */
export const detect = () => json("v1/detect", { method: "POST" });
export const summary = (id, signal) => json(topology(id), { signal });
export const analysis = (id, question, signal) =>
    json(ask(`${topology(id)}/analysis`, question), { signal });
/* The machine as it is: not every route can take findings as repaired. Some learn from what they read which hosts are
 * joined, or look at one host. */
function asItIs(question, ...without) {
    const query = new URLSearchParams(question);
    for (const name of ["repair", ...without]) query.delete(name);
    return query;
}
/** Which GPUs a job should take. */
export const place = (id, query, signal) =>
    json(ask(`${topology(id)}/place`, asItIs(query, "domain")), { signal });
export const difference = (id, question, against, signal) =>
    json(ask(`${topology(id)}/analysis/diff`, withMore(question, { against })), { signal });
/** Two topologies by role; and a set, named by what setQuery() made, against what most are like. */
export const compare = (a, b, question, signal) =>
    json(ask("v1/compare", withMore(asItIs(question), { a, b })), { signal });
export const majority = (set, question, signal) =>
    json(ask("v1/compare", new URLSearchParams([...set, ...question])), { signal });
/** Why a decision is what it is. asked: {decision, from, to, ...}. */
export const explanation = (id, question, asked, signal) =>
    json(ask(`${topology(id)}/explain`, withMore(question, asked)), { signal });
/** A log (bytes or a Blob) against the prediction for a kept machine; alone: for the machine that it prints or
 * implies. */
export const checkLogAlone = (body, signal) => post("v1/check-log", body, signal);
export const checkLog = (id, question, body, signal) =>
    post(ask(`${topology(id)}/log`, asItIs(question, "domain")), body, signal);
/** Results of nccl-tests (bytes or a Blob) against the prediction for a kept machine; alone: for the machine that they
 * imply. */
export const checkPerfAlone = (body, signal) => post("v1/check-perf", body, signal);
export const checkPerf = (id, question, body, signal) =>
    post(ask(`${topology(id)}/perf`, asItIs(question, "domain")), body, signal);
/** What a program of nccl-tests should print on a kept machine. sizes: as nccl-tests' -b, -e and -f; "" means all. */
export const predict = (id, question, collective, signal, sizes = "") =>
    json(ask(`${topology(id)}/predict`, withMore(question, { collective, sizes })), { signal });
/** What the usual operations get on 1, 2, 4 ... and as many hosts as are asked. */
export const scaling = (id, question, signal) =>
    json(ask(`${topology(id)}/scaling`, question), { signal });
export const settingsThatHelp = (id, question, signal) =>
    json(ask(`${topology(id)}/settings`, question), { signal });
/** Whether a problem says that the service did not recognise the input. */
export const isUnrecognised = (problem) => /\/unrecognised/.test(problem.type ?? "");
/** The text that was uploaded; for a tar, the XML that it gives. */
export async function source(id, signal) {
    const response = await call(`${topology(id)}/source`, { signal });
    return /\b(tar|gzip)\b/.test(response.headers.get("Content-Type"))
        ? xml(id, "", signal)
        : response.text();
}
/** A kept dump as it was uploaded: {name, bytes}. */
export async function sourceFile(id) {
    const response = await call(`${topology(id)}/source`);
    return {
        name: /filename="([^"]*)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1],
        bytes: new Uint8Array(await response.arrayBuffer()),
    };
}
export const findings = (id) => json(`${topology(id)}/findings`);
/** Those of an analysis, with the devices that they are about: a list. */
export const findingsOf = (id, question, signal) =>
    json(ask(`${topology(id)}/analysis/findings`, question), { signal });
export const releases = () => json("v1/releases");
export const settings = (release) =>
    json(ask("v1/settings", release ? new URLSearchParams({ release }) : ""));

/** A page of the kept dumps, newest first: {items, next}.
 * @param {{q?: string, cursor?: string, limit?: number}} query
 * @param {AbortSignal} [signal] */
export const list = ({ q = "", cursor = "", limit = 50 }, signal = null) =>
    json(ask("v1/topologies", withMore({}, { limit: String(limit), q, cursor })), { signal });
/** The hosts in groups, by what fleetQuery() made; and the events of a host. */
export const fleet = (query, signal) => json(ask("v1/fleet", query), { signal });
export const events = (host, since, signal) =>
    json(ask("v1/events", new URLSearchParams({ host, since, limit: "200" })), { signal });
/** changes: {name, labels}. */
export const change = (id, changes) => send(topology(id), changes, "PATCH");
/** Sets labels of several dumps, all of them or none; null removes one. */
export const label = (topologies, labels) => send("v1/topologies", { topologies, labels }, "PATCH");
export const remove = (id) => call(topology(id), { method: "DELETE" });

/** Kept clusters; one; an answer about it, by the rest of its address; a schedule; keeping (a description as text) and
 * deleting. */
const clusterAt = (id) => `v1/clusters/${encodeURIComponent(id)}`;
export const clusters = (signal) => json("v1/clusters?limit=200", { signal });
export const cluster = (id, signal) => json(clusterAt(id), { signal });
export const clusterAnswer = (id, path, question, more = {}, signal = null) =>
    json(ask(`${clusterAt(id)}/${path}`, withMore(question, more)), { signal });
export const clusterFacts = async (id, question, format) =>
    (await call(ask(`${clusterAt(id)}/facts`, withMore(question, { format })))).text();
/** A window of the point-to-point schedule of a topology or a cluster. query: also ranks, rounds, layout, group. */
export const schedule = (ofCluster, id, query, signal) =>
    json(ask(`${ofCluster ? clusterAt(id) : topology(id)}/p2p`, asItIs(query)), { signal });
export const keepCluster = (text) => send("v1/clusters", text);
export const removeCluster = (id) => call(clusterAt(id), { method: "DELETE" });

const drawn = async (where, question, { format = "svg", ...options }, signal) =>
    (await call(ask(`${where}/diagram.${format}`, withMore(question, options)), { signal })).text();
/** The text of a picture. options: format (svg, dot), view, theme, channel, from, to. */
export const diagram = (id, question, options, signal) =>
    drawn(topology(id), question, options, signal);
export const clusterDiagram = (id, question, options, signal) =>
    drawn(clusterAt(id), question, options, signal);

/** The same as NCCL's own XML, a topology file for a virtual machine, and what replaces the names in it: {text,
 * replaced}. */
export const xml = async (id, query, signal) =>
    (await call(ask(`${topology(id)}/xml`, query), { signal })).text();
export const vmFile = async (id, query) =>
    (await call(ask(`${topology(id)}/vm-file`, query))).text();
export const anonymised = (id) =>
    json(`${topology(id)}/anonymised`, { headers: { Accept: "application/json" } });
/** The forms of input that are understood, and the machine types that fill in what an input does not show. */
export const inputs = async () => (await json("v1/inputs")).inputs;
export const machines = async () => (await json("v1/machines")).machines;

/** The analysis of a dump that is not kept. */
export const analyze = (body, question) => post(ask("v1/analyze", question), body);
/** A picture of a dump that is not kept. options: format, theme. */
export const render = async (body, options) =>
    (
        await call(`v1/render?${new URLSearchParams(options)}`, {
            method: "POST",
            body,
            headers: { "Content-Type": BYTES["Content-Type"] },
        })
    ).text();
/** Example machines that come with the page, and the bytes of one. */
export const examples = () => json("v1/examples");
export const example = async (file) => (await call(`examples/${encodeURIComponent(file)}`)).blob();
