/* Names that the page shares with the service, against api/openapi.yaml, which ctest `questions` holds to the service's tables. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { drawnAlone } from "../../static/js/channels.js";
import { GRAPH_NAMES } from "../../static/js/model.js";
import { PARTS } from "../../static/js/why.js";

const description = readFileSync(new URL("../../api/openapi.yaml", import.meta.url), "utf8");

/** The choices of a query parameter: the first list behind its name. */
function choices(name) {
    const [, list] =
        description.match(
            new RegExp(`name: ${name}[,\\n](?:(?!name: )[\\s\\S])*?enum: \\[([^\\]]*)\\]`),
        ) ?? [];
    assert.ok(list, `openapi.yaml has no choices for ${name}`);
    return list.split(",").map((word) => word.trim());
}

test("the page asks only for views that the service draws", () => {
    const views = choices("view");
    for (const view of ["system", ...Object.keys(GRAPH_NAMES).map(drawnAlone).filter(Boolean)])
        assert.ok(views.includes(view), view);
    assert.equal(drawnAlone("ring"), "ring");
});

test("the page and the service know the same decisions", () => {
    assert.deepEqual(Object.keys(PARTS).sort(), choices("decision").sort());
});
