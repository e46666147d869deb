// SPDX-License-Identifier: Apache-2.0
/* Two dumps side by side, and a set of dumps compared with the majority: by mouse, by keyboard, by address. */
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { dump, ids } from "./dumps.mjs";
import { fixture, soon } from "./fixture.mjs";
import { exampleFile, realDump } from "./support.mjs";

const it = fixture();
const { path: h100 } = exampleFile("h100-nvswitch"),
    { path: faults } = exampleFile("h100-with-faults");
/* Healthy and degraded: the pairs A4/A5 and A2/A1 of the real dumps if they exist, else our own. */
const pairs = [
    [
        realDump("real/timez-nccl_topo_dump_normal.xml"),
        realDump("real/timez-nccl_topo_dump.xml"),
        /NVLinks to GPU 1.*12.*1/s,
    ],
    [
        realDump("real/gb300-2tray-0405-healthy-fused.xml"),
        realDump("real/gb300-2tray-fault-rank5-count0-fused.xml"),
        /NVLinks to NVSwitches.*18 to 1.*0 to 1/s,
    ],
].filter(([a, b]) => a && b);
const lessNic = dump.replace(/<pci busid="0000:1d[\s\S]*?<\/pci>/, "");
const idOf = () => it.page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("id"));
const keep = async (file) => {
    const response = await fetch(
        `${it.server.url}/v1/topologies?name=${encodeURIComponent(file.split("/").pop())}`,
        { method: "POST", body: readFileSync(file) },
    );
    return (await response.json()).id;
};
const choose = async (id) => {
    // not while the list is still on its way
    await it.page.locator(`#second option[value="${id}"]`).waitFor({ state: "attached" });
    await it.choose("#second", id);
};
const compared = () => it.page.locator("#pair-summary").waitFor();

for (const [i, [a, b, words]] of pairs.entries())
    test(`a healthy and a degraded machine: pair ${i + 1}`, async () => {
        const second = await keep(b);
        await it.open(a);
        await it.page.keyboard.press("v");
        await choose(second);
        await compared();
        await soon.match(() => it.page.url(), /view=compare/);
        await soon.match(() => it.page.locator("#hardware tbody").textContent(), words);
        await soon.equal(() => it.page.locator("#hardware tbody tr").count(), 1);
        await soon.ok(
            async () => (await it.page.locator("#canvas .changed").count()) > 0,
            "what differs is marked",
        );
        await it.page.getByRole("tab", { name: /^Channels \d+/ }).click();
        await soon.match(
            () => it.page.locator("#pair-rows").textContent(),
            /the number of channels.*(24|32).*2/s,
        );
    });

test("the second machine's drawing marks its findings, which lead to that machine", async () => {
    const second = await keep(faults);
    await it.open(h100, `view=compare&with=${second}&beside=side`);
    const mark = it.page.locator('#canvas-b [data-badge="NIC/0-5e000"]');
    const link = it.page.locator('#canvas-b [data-badge="NIC/0-5e000--PCI/0-5a000"]');
    await link.waitFor();
    await soon.equal(() => mark.count(), 1, "the device and its link");
    await it.page
        .locator('#canvas-b [id="GPU/0-5c000--PCI/0-5a000"] path.reach')
        .click({ force: true });
    await it.until(() =>
        /GPU 3 → PCIe 5a:00.0/.test(document.querySelector("#panel h2")?.textContent),
    ); // of the first machine, by role
    await link.press("Enter");
    await it.until((id) => location.hash.includes(`id=${id}`), second);
    await soon.match(() => it.page.url(), /finding=slow-link/);
});

test("what only one of them has is crossed, on its own picture; a click lights both", async () => {
    const second = await keep(it.write("less.xml", lessNic));
    await it.open(it.write("three.xml", dump), `view=compare&with=${second}`);
    const { page } = it;
    await compared();
    await soon.match(
        () => page.locator("#hardware tbody").textContent(),
        /NIC mlx5_0.*is missing.*there.*missing/s,
    );
    await soon.ok(
        () => page.locator(`#canvas g.node.only[id="${ids.net}"]`).count(),
        "the port is there alone",
    );
    const place = await it.device(ids.gpu0).boundingBox();
    await it.key("pair:hardware.0").click();
    await soon.match(() => page.url(), /row=hardware\.0/);
    await soon.equal(() => page.locator("#hardware tr.on").count(), 1);
    await soon.deepEqual(
        () => it.device(ids.gpu0).boundingBox(),
        place,
        "devices keep their place",
    );
    await it.key("Picture:side").click();
    await page.locator("#canvas-b svg").waitFor();
    await soon.equal(
        () => page.locator("#canvas-b .node.only").count(),
        0,
        "the other has nothing of its own",
    );
    await page.locator(`#canvas-b g.node[id="${ids.gpu1}"]`).click();
    await soon.ok(
        () => page.locator(`#canvas g.node.picked[id="${ids.gpu1}"]`).count(),
        "the device of the same role is chosen here",
    );
    await soon.ok(() => page.locator(`#canvas-b g.node.picked[id="${ids.gpu1}"]`).count());
    await it.key("swap-pair").click();
    await it.until(() => /is new/.test(document.querySelector("#hardware")?.textContent));
    await it.settled();
    await soon.ok(
        () => page.locator(`#canvas-b g.node.only[id="${ids.net}"]`).count(),
        "now it is the second that has it",
    );
});

test("other bus ids and another order are the same machine", async () => {
    const renamed = dump
        .replaceAll("0000:1b", "0000:7b")
        .replaceAll("0000:1c", "0000:7c")
        .replace("mlx5_0", "mlx5_4");
    const second = await keep(it.write("renamed.xml", renamed));
    await it.open(it.write("three.xml", dump), `view=compare&with=${second}&row=numbering`);
    await compared();
    await soon.match(
        () => it.page.locator("#pair-summary").textContent(),
        /The same machine, whose devices have other names/,
    );
    await soon.match(
        () => it.page.locator("#numbering tbody").textContent(),
        /name of the NIC.*mlx5_0.*mlx5_4/s,
    );
    await it.page.getByRole("tab", { name: "Hardware 0" }).click();
    await soon.equal(
        () => it.page.locator("#pair-rows").textContent(),
        "Every device has its equal.",
    );
});

test("a second file is chosen or dropped; one that is not a dump is said so", async () => {
    await it.open(h100, "view=compare");
    const { page } = it;
    await page.locator("#no-second").waitFor();
    await page.locator("#second-file").setInputFiles(it.write("broken.xml", "<system"));
    await page.locator("#drawer .problem").waitFor();
    await soon.match(() => page.locator("#drawer .problem").textContent(), /broken\.xml/);
    await page.locator("#second-file").setInputFiles(faults);
    await compared();
    await soon.ok(async () => (await page.locator("#hardware tbody tr").count()) > 0);
    const before = await idOf();
    await page.evaluate(
        (text) => {
            const carried = new DataTransfer();
            carried.items.add(new File([text], "dropped.xml"));
            document.body.dispatchEvent(
                new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true }),
            );
        },
        readFileSync(h100, "utf8").replace('link_width="16"', 'link_width="8"'),
    );
    await it.until(
        () =>
            /PCIe lanes/.test(document.querySelector("#hardware")?.textContent) &&
            document.querySelectorAll("#hardware tbody tr").length === 1,
    );
    await soon.equal(() => idOf(), before, "the first stays");
});

test("by keyboard: v, the list, a row, the tabs", async () => {
    const second = await keep(faults);
    await it.open(h100);
    const { page } = it;
    await page.keyboard.press("v");
    await choose(second);
    await compared();
    await it.key("pair:hardware.0").focus();
    await page.keyboard.press("Enter");
    await soon.equal(() => page.locator("#hardware tr.on").count(), 1);
    await soon.equal(
        () => page.evaluate(() => document.activeElement.dataset.key),
        "pair:hardware.0",
    );
    await it.key("row:hardware").focus();
    await page.keyboard.press("ArrowRight");
    await soon.match(() => page.evaluate(() => document.activeElement.textContent), /^Names/);
});

test("a set of the library is compared with what most of it is like", async () => {
    const text = readFileSync(h100, "utf8"),
        all = [];
    for (let i = 0; i < 4; i++)
        all.push(
            await keep(
                it.write(
                    `host-${i}.xml`,
                    i === 2
                        ? text.replace('link_width="16"', 'link_width="4"')
                        : `${text}<!-- ${i} -->`,
                ),
            ),
        );
    const { page } = it;
    await page.goto(`${it.server.url}/#place=library&q=host-`);
    await page.locator("#library tbody tr").nth(3).waitFor();
    await soon.ok(() => it.key("compare-two").isDisabled());
    for (const id of all) await it.key(`pick:${id}`).check();
    await it.key("compare-many").click();
    await page.locator("#majority-summary").waitFor();
    await soon.match(() => page.url(), /place=set&set=/);
    await soon.match(
        () => page.locator('[data-finding="L90"]').textContent(),
        /not built like most/,
    );
    await soon.match(
        () => page.locator("#deviations tbody").textContent(),
        /PCIe lanes.*16 \(3\).*differs from most.*host-2\.xml: 4/s,
    );
    await soon.equal(() => page.locator("#members tbody tr").count(), 2); // three differ in a comment alone
    await soon.match(() => page.locator("#members tbody").textContent(), /and 2 like it/);
    await soon.match(() => page.locator(`[data-member="${all[2]}"]`).textContent(), /in paths/);
    await it.axe("the majority");
    await page.locator(`#deviations [data-key="beside:${all[2]}"]`).click();
    await page.locator("#hardware").waitFor();
    await soon.match(() => page.url(), /view=compare/);
});

test("two chosen in the library stand side by side; a set too small says so", async () => {
    const [a, b] = [await keep(h100), await keep(faults)],
        { page } = it;
    await page.goto(`${it.server.url}/#place=library`);
    await it.key(`pick:${a}`).check();
    await it.key(`pick:${b}`).check();
    await it.key("compare-two").click();
    await page.locator("#pair-summary").waitFor();
    await page.goto("about:blank");
    await page.goto(`${it.server.url}/#place=set&set=label:no=such`);
    await page.locator(".problem").waitFor();
    await soon.match(() => page.locator(".problem").textContent(), /at least 3/);
});

test("axe finds nothing on the comparison, light and dark; a phone shows it whole", async () => {
    const second = await keep(faults);
    for (const scene of ["", "&row=hardware.0&beside=side", "&row=paths.0"]) {
        await it.open(h100, `view=compare&with=${second}${scene}`);
        await compared();
        await it.axeInBoth(scene);
    }
    await it.another({ width: 390, height: 844 });
    await it.open(h100, `view=compare&with=${second}&beside=side`);
    await compared();
    await soon.ok(() => it.wideAsWindow());
    await it.page.goto(`${it.server.url}/#place=library`);
    await it.page.locator("#library").waitFor();
    await soon.ok(() => it.wideAsWindow());
});

test("a machine type as the second side, chosen in the view", async () => {
    await it.open(h100, "view=compare");
    await it.page.locator("#second-type option[value=dgx-h100]").waitFor({ state: "attached" });
    await it.choose("#second-type", "dgx-h100");
    await compared();
    await soon.match(() => it.page.locator("#pair-summary").textContent(), /dgx-h100/);
    await soon.match(() => it.page.url(), /with=[0-9a-f]{32}/);
    await it.axe("a machine type beside a dump");
});
