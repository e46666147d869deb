// SPDX-License-Identifier: Apache-2.0
/* Names that the page shares with the service, against the description that the build made of the service's tables. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import test from "node:test";
import { drawnAlone } from "../../static/js/channels.js";
import { GRAPH_NAMES } from "../../static/js/model.js";
import { PARTS } from "../../static/js/why.js";

const builds = [dirname(process.env.ORRERY ?? "/none/orrery"), "build-dev", "build"];
const places = builds.map((build) => `${build}/api/openapi.yaml`);
const description = readFileSync(places.find(existsSync), "utf8");

/** The choices of a query parameter: its line is JSON. */
function choices(name) {
    const line = new RegExp(`^    [\\w.]+: ({"name": "${name}".*)$`, "m");
    const [, json] = description.match(line) ?? [];
    assert.ok(json, `openapi.yaml has no parameter ${name}`);
    return JSON.parse(json).schema.enum;
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
