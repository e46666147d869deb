// SPDX-License-Identifier: Apache-2.0
/* "Choose GPUs": the best set on the drawing with its NICs, what another choice costs, what is free. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture, soon } from "./fixture.mjs";

const it = fixture(),
    text = (selector) => it.page.locator(selector).innerText();
const marked = () =>
    it.page
        .locator("#canvas g.node.picked")
        .evaluateAll((nodes) => nodes.map((node) => node.id).sort());
const open = async (more = "") => {
    await it.visit(`${it.server.url}/#machine=p4d.24xlarge&release=2.27.7${more}`);
    await it.view("Choose GPUs");
    await it.page.locator("#place-sets").waitFor();
    await it.settled();
};

test("p4d: the best four GPUs with three NICs on the drawing; the first four get a third less", async () => {
    await open("&hosts=2");
    await soon.match(
        () => text("#place-sentence"),
        /Take GPUs 0, 1, 2, 4: 57\.9 GB\/s on 2 hosts for AllReduce; 0, 1, 2, 3 would get 38\.6 GB\/s/,
    );
    const best = await marked();
    assert.equal(best.filter((id) => id.startsWith("GPU/")).length, 4);
    assert.equal(best.filter((id) => id.startsWith("NET/")).length, 3);
    await soon.match(() => text("#place-cost"), /On the drawing: GPUs 0, 1, 2, 4 with rdmap0s0/);
    await it.page.locator('[data-set="0,1,2,3"] button').click();
    await it.until(() =>
        /Costs 33 % less than the best set: 38\.6 instead of 57\.9 GB\/s on 2 hosts/.test(
            document.querySelector("#place-cost").textContent,
        ),
    );
    const first = await marked();
    assert.equal(first.filter((id) => id.startsWith("NET/")).length, 2, "the chosen set's NICs");
    assert.notDeepEqual(first, best);
    await soon.match(() => it.page.url(), /pick=0%2C1%2C2%2C3|pick=0,1,2,3/);
    await soon.equal(
        () => it.page.locator("#place-sets meter").count(),
        () => it.page.locator("#place-sets tbody tr").count(),
    );
    const [answer, drawing] = await Promise.all(
        ["#place-sentence", "#canvas"].map((name) => it.page.locator(name).boundingBox()),
    );
    assert.ok(answer.x + answer.width <= drawing.x, "the drawing is beside the answer");
    await it.axe("choice of GPUs");
});

test("free GPUs, the number and one's own choice are asked anew, and are in the address", async () => {
    await open();
    await it.key("free:0").uncheck();
    await it.key("free:2").uncheck();
    await it.until(() =>
        /Take GPUs 1, 4, 6|Take GPUs 1, 3, 4/.test(
            document.querySelector("#place-sentence")?.textContent,
        ),
    );
    await soon.doesNotMatch(() => text("#place-sets"), /^0,/m);
    await it.page.locator("#place-count").fill("2");
    await it.page.locator("#place-count").press("Enter");
    await it.page.locator("#place-rival").fill("4, 5");
    await it.page.locator("#place-rival").press("Enter");
    await it.page.locator('[data-set="4,5"]').first().waitFor();
    await it.until(() =>
        /less than the best set/.test(document.querySelector("#place-cost")?.textContent),
    );
    await soon.match(() => text('#place-sets tr[aria-current="true"]'), /4, 5/);
    await it.visit(it.page.url());
    await it.page.locator("#place-sets").waitFor();
    await soon.equal(() => it.page.locator("#place-count").inputValue(), "2");
    await it.page.locator("#place-count").fill("7");
    await it.page.locator("#place-count").press("Enter");
    await it.page.locator("#drawer .problem").waitFor();
    await it.page.locator("body").press("m");
    await it.until(() => !document.querySelector("#canvas g.node.picked"));
});

test("a phone", async () => {
    await it.another({ width: 390, height: 844, theme: "dark" });
    await open();
    await soon.ok(() => it.wideAsWindow());
    await it.axe("phone");
});
