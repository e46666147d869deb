/* The only place that talks to the service. Addresses are relative, so the page works below a path too. */

/** An answer that is an error: a problem of RFC 9457, or what stands for one where the server cannot be reached. */
export class Problem extends Error {
    constructor(problem) {
        super(problem.detail || problem.title || "The request failed");
        this.problem = problem;
    }
}

async function call(path, options) {
    let response;
    try {
        response = await fetch(path, options);
    } catch (cause) {
        if (cause.name === "AbortError")
            throw cause;
        throw new Problem({
            title: "The server cannot be reached", detail: "No answer came back",
            advice: "See whether orrery serve is still running, then try again", status: 0,
        });
    }
    if (!response.ok)
        throw new Problem(await problemOf(response));
    return response;
}

async function problemOf(response) {
    try {
        const body = await response.json();
        return { status: response.status, ...body };
    } catch {
        return { status: response.status, title: `The server answered ${response.status}`, detail: response.statusText };
    }
}

const json = async (path, options) => (await call(path, options)).json();
const topology = (id) => `v1/topologies/${encodeURIComponent(id)}`;
const ask = (path, query) => (String(query) ? `${path}?${query}` : path);

/** Stores a dump (bytes or a Blob); gives its summary, with the id. */
export async function upload(body, name) {
    const query = new URLSearchParams();
    if (name)
        query.set("name", name.slice(0, 120));
    const response = await call(ask("v1/topologies", query), {
        method: "POST", body, headers: { "Content-Type": "application/octet-stream", Accept: "application/json" },
    });
    const summary = await response.json();
    summary.id ??= decodeURIComponent(response.headers.get("Location")?.split("/").pop() ?? "");
    return summary;
}

export const summary = (id, signal) => json(topology(id), { signal });
export const analysis = (id, question, signal) => json(ask(`${topology(id)}/analysis`, question), { signal });
export function difference(id, question, against, signal) {
    const query = new URLSearchParams(question);
    for (const text of against)
        query.append("against", text);
    return json(ask(`${topology(id)}/analysis/diff`, query), { signal });
}
export const source = async (id, signal) => (await call(`${topology(id)}/source`, { signal })).text();
export const findings = (id) => json(`${topology(id)}/findings`);
export const releases = () => json("v1/releases");
export const settings = (release) => json(ask("v1/settings", release ? new URLSearchParams({ release }) : ""));

/** The text of a picture. options: view, theme, channel, from, to. */
export async function diagram(id, question, options, signal) {
    const query = new URLSearchParams(question);
    for (const [name, value] of Object.entries(options))
        if (value !== undefined && value !== "")
            query.set(name, value);
    return (await call(ask(`${topology(id)}/diagram.svg`, query), { signal })).text();
}

/** Example machines that come with the page, and the bytes of one. */
export const examples = () => json("v1/examples");
export const example = async (file) => (await call(`examples/${encodeURIComponent(file)}`)).blob();
