// SPDX-License-Identifier: Apache-2.0
/* A machine type in place of a file: the picker of the start page, and addresses that name a type. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture, soon } from "./fixture.mjs";
import { ready } from "./support.mjs";

const it = fixture();
const titles = () => it.page.locator("#open-type option").allTextContents();
async function picker() {
    await it.page.goto(it.server.url);
    await it.page.locator("#open-type option[value=hgx-h100]").waitFor({ state: "attached" });
}

test("the picker has every type by family; words narrow it down, and say what the first one has", async () => {
    await picker();
    const { machines } = await (await it.page.request.get(`${it.server.url}/v1/machines`)).json();
    await soon.equal(async () => (await titles()).length, machines.length);
    await soon.deepEqual(
        () =>
            it.page
                .locator("#open-type optgroup")
                .evaluateAll((rows) => rows.map((row) => row.label)),
        ["Racks", ...new Set(machines.map((row) => row.family))],
    );
    await soon.match(async () => (await titles())[0], /^GB300 NVL72/, "the newest rack first");
    await soon.match(async () => (await titles())[2], /B300/, "the newest host first");
    await it.page.locator("#type-search").fill("h100 aws");
    const some = await titles();
    assert.ok(some.length > 0 && some.length < machines.length, some.join());
    await soon.match(
        () => it.page.locator("#type-facts").textContent(),
        /^\d × H100 SXM5?, (NVSwitch|no NVLink); \d+ NIC ports? of \d+ Gb\/s with GPUDirect RDMA\./,
    );
    await it.axe("a search");
    await it.page.locator("#type-search").fill("no such machine");
    await soon.deepEqual(() => titles(), []);
    await soon.equal(
        () => it.page.locator("#type-facts").textContent(),
        "No machine type contains these words.",
    );
    await soon.ok(() => it.page.locator("#open-machine").isDisabled());
    await it.axe("nothing found");
});

test("by keyboard alone: search, Enter, and the machine is open with what was made up", async () => {
    await picker();
    await it.page.locator("#type-search").focus();
    await it.page.keyboard.type("hgx h100");
    await it.page.keyboard.press("Tab");
    await soon.equal(() => it.page.evaluate(() => document.activeElement.id), "open-type");
    await it.choose("#open-type", "hgx-h100");
    await it.page.keyboard.press("Enter");
    await ready(it.page);
    await soon.match(
        () => it.page.locator("#input").textContent(),
        /machine type: HGX H100, 8 GPUs.*Bus ids and PCIe switches are made up.*NCCL_TOPO_DUMP_FILE/s,
    );
    await soon.match(() => it.page.url(), /machine=hgx-h100/);
    await it.page.goBack();
    await it.page.locator("#open-machine").waitFor();
    await it.page.locator("#type-search").fill("dgx a100");
    await it.page.locator("#open-machine").click();
    await ready(it.page);
    await soon.match(() => it.page.locator("header").textContent(), /dgx-a100/i);
});

test(
    "an address that names a type opens it as it is asked for; a deleted one is made again; a wrong name is " +
        "refused with the nearest",
    async () => {
        await it.visit(`${it.server.url}/#machine=hgx-h100&hosts=2&view=tuning&release=2.21.5`);
        await it.page.locator("#ranges").waitFor();
        await soon.match(() => it.page.locator("#panel dl.facts").textContent(), /16 on 2 hosts/);
        const address = it.page.url(),
            id = /id=([0-9a-f]{32})/.exec(address)[1];
        assert.match(address, /machine=hgx-h100.*release=2\.21\.5.*hosts=2.*view=tuning/);
        await it.visit(address);
        await it.page.locator("#ranges").waitFor();
        await soon.equal(
            async () =>
                (await it.page.request.delete(`${it.server.url}/v1/topologies/${id}`)).status(),
            204,
        );
        await it.until(
            async (url) => (await fetch(url)).status === 404,
            `${it.server.url}/v1/topologies/${id}/analysis?hosts=2&release=2.21.5`,
        );
        await it.visit(address);
        await it.page.locator("#ranges").waitFor();
        await soon.equal(() => it.page.url(), address);
        await it.page.goto("about:blank");
        await it.page.goto(`${it.server.url}/#machine=hgx-h10`);
        await it.page.locator(".problem").waitFor();
        await soon.match(() => it.page.locator(".problem").textContent(), /hgx-h10.*hgx-h100/s);
        await soon.doesNotMatch(() => it.page.url(), /machine=/);
    },
);

test("a phone shows the picker whole; dark colours as well", async () => {
    await it.another({ width: 390, height: 844, theme: "dark" });
    await picker();
    await soon.ok(() => it.wideAsWindow());
    await it.axe("on a phone, dark");
});
