// SPDX-License-Identifier: Apache-2.0
/* The page's own calls compared with the service's description: path, method, names of query parameters, media type of
 * a body, and that the status that came is described. What the answers hold is checked by the HTTP tests. */
import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";

/* Each file of tests is a process, and reading YAML takes longer than starting one: the first keeps it as JSON. */
function readOnce(file) {
    const kept = `${file}.json`,
        { mtimeMs } = statSync(file);
    try {
        const { of, document } = JSON.parse(readFileSync(kept, "utf8"));
        if (of === mtimeMs) return document;
    } catch {
        // not there yet
    }
    const document = parse(readFileSync(file, "utf8"));
    writeFileSync(`${kept}.${process.pid}`, JSON.stringify({ of: mtimeMs, document }));
    renameSync(`${kept}.${process.pid}`, kept); // whole, as others read it meanwhile
    return document;
}

/** program: of the build that made the description. */
export function readDescription(program) {
    const document = readOnce(join(dirname(program), "api/openapi.yaml"));
    const resolve = (value) =>
        value?.$ref
            ? value.$ref
                  .slice(2)
                  .split("/")
                  .reduce((at, key) => at[key], document)
            : value;
    const routes = Object.entries(document.paths)
        .sort(([a], [b]) => a.split("{").length - b.split("{").length)
        .map(([path, item]) => ({
            path,
            item,
            pattern: new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}$`),
        }));

    const operationOf = (method, pathname) => {
        const route = routes.find(({ pattern }) => pattern.test(pathname));
        return { route, operation: route?.item[method === "HEAD" ? "get" : method.toLowerCase()] };
    };

    /** What is wrong with a call, in words; null if it is as described. */
    const wrongCall = (method, url, mediaType) => {
        const { pathname, searchParams } = new URL(url),
            { route, operation } = operationOf(method, pathname);
        if (!operation)
            return `${method} ${pathname}: openapi.yaml has no such ${route ? "method" : "path"}`;
        const known = [...(route.item.parameters ?? []), ...(operation.parameters ?? [])]
            .map(resolve)
            .filter(({ in: place }) => place === "query")
            .map(({ name }) => name);
        const foreign = [...searchParams.keys()].filter(
            (name) =>
                !known.includes(name) && !(name.startsWith("NCCL_") && known.includes("NCCL_*")),
        );
        if (foreign.length)
            return `${method} ${route.path}: openapi.yaml has no parameter ${foreign.join(", ")}`;
        const body = resolve(operation.requestBody);
        if (mediaType && !body) return `${method} ${route.path}: openapi.yaml has no body here`;
        const media = mediaType?.split(";")[0];
        if (media && !Object.keys(body.content).some((kind) => kind === media || kind === "*/*"))
            return `${method} ${route.path}: openapi.yaml takes ${Object.keys(body.content).join(", ")}, not ${media}`;
        return null;
    };

    const wrongStatus = (method, url, status) => {
        const { route, operation } = operationOf(method, new URL(url).pathname);
        const described = Object.keys(operation?.responses ?? {});
        return !operation ||
            described.includes(String(status)) ||
            (status >= 400 && described.includes("default"))
            ? null
            : `${method} ${route.path}: openapi.yaml does not describe ${status}`;
    };
    return { wrongCall, wrongStatus };
}
