// SPDX-License-Identifier: Apache-2.0
/* The first screen: the machine, findings by severity, fifteen questions with links to their evidence; and the tuning
 * chart. */
import { test } from "node:test";
import { dump, ids } from "./dumps.mjs";
import { fixture, soon } from "./fixture.mjs";
import { exampleFile } from "./support.mjs";

const it = fixture();
const answer = (id) => it.page.locator(`#glance [data-question="${id}"]`);
const three = () => it.write("three.xml", dump);

test("fifteen questions are answered, or say what would answer them", async () => {
    await it.open(exampleFile("h100-with-faults").path, "hosts=2");
    await soon.equal(() => it.page.locator("#glance dd").count(), 15);
    await soon.match(() => answer("machine").textContent(), /8 GPUs, sm 90, NVSwitch, 8 NIC ports/);
    await soon.match(() => answer("nics").textContent(), /1 NIC in no channel: mlx5_5/);
    await soon.match(
        () => answer("degraded").textContent(),
        /mlx5_3 \(0000:5e:00\.0\) has 32 GT\/s x8 \(31\.5 GB\/s\); mlx5_0 \(0000:1b:00\.0\), an equal device, has 32/,
    );
    await soon.match(() => answer("nvls").textContent(), /yes, \d+ channels/);
    await soon.match(() => answer("log").textContent(), /needs a log of the job/);
    await soon.match(
        () => it.page.locator("#passed > summary").textContent(),
        /^✓ \d+ checks passed/,
    );
});

test("which NIC does GPU 3 use? on one host too, in the table and in the GPU's selection", async () => {
    await it.open(exampleFile("h100-nvswitch").path);
    await it.settled();
    for (const id of ["nics", "gdr", "pxn"])
        await soon.match(() => answer(id).textContent(), /on 2 hosts: /, id);
    await soon.match(
        () => it.page.locator("#expected").textContent(),
        /AllReduce at 1 GiB on 2 hosts\s*\d+ GB\/s/,
    );
    await it.unfold("#glance");
    const row = it.page.locator('#gpu-nics tr[data-rank="3"]').first();
    await soon.match(() => row.innerText(), /^3\s+mlx5_3 5e:00\.0\s+PIX 48\s+yes\s+\d more/);
    await soon.equal(() => it.page.locator("#gpu-nics tbody tr").count(), 8);
    await soon.ok(
        () =>
            it.page
                .locator("#gpu-nics")
                .evaluate(
                    (table) =>
                        table.getBoundingClientRect().right <=
                        document.querySelector("#verdict-body").getBoundingClientRect().right,
                ),
        "no column is cut off",
    );
    await it.axe("the NICs of each GPU");
    await it.device("GPU/0-5c000").click();
    await it.page.locator("#own-nics").waitFor();
    await soon.match(
        () => it.page.locator("#own-nics tbody tr").first().innerText(),
        /mlx5_3 5e:00\.0\s+PIX\s+48\s+yes/,
    );
    await soon.match(() => it.page.locator("#panel").innerText(), /NICs on 2 hosts/);
    await soon.match(
        () => it.page.locator("#own-nics tbody tr").nth(1).innerText(),
        /PXN.*through GPU \d/s,
    );
    await it.page.locator("#own-nics button").first().click();
    await it.until(
        () =>
            /hosts=2/.test(location.hash) &&
            /GPU 3 → NET 3/.test(document.querySelector("#panel h2")?.textContent),
    );
});

test("an answer leads to its evidence by mouse: the pair without P2P", async () => {
    await it.open(three());
    await soon.match(
        () => answer("p2p").textContent(),
        /4 of 6 not: the path is longer than the P2P level allows\. SYS against PXB/,
    );
    await it.unfold("#glance");
    await answer("p2p").getByRole("link").click();
    await it.page.locator("#matrix").waitFor();
    await soon.match(() => it.page.url(), /view=matrix.*from=GPU\/0-1b000.*to=GPU\/0-9b000/);
    await soon.match(() => it.page.locator("#panel h2").first().textContent(), /GPU 0 → GPU 2/);
    await soon.ok(async () => (await it.lit()).length > 0);
});

test("by keyboard: the slower device is picked on the drawing, back returns", async () => {
    await it.open(exampleFile("h100-with-faults").path, "hosts=2");
    await it.unfold("#glance");
    const before = it.page.url();
    await it.key("question:degraded").focus();
    await it.page.keyboard.press("Enter");
    await it.until(() => document.querySelector("#canvas .node.picked")?.id === "NIC/0-5e000");
    await it.page.goBack();
    await it.until((url) => location.href === url, before);
    await answer("degraded").waitFor();
});

test("another release and settings are answered by the comparison", async () => {
    await it.open(three());
    await it.until(() =>
        /what 2\.30\.4 would decide/.test(
            document.querySelector('[data-question="release"]')?.textContent,
        ),
    );
    await it.unfold("#glance");
    await answer("release").getByRole("link").click();
    await it.page.locator("#diff-summary").waitFor();
    await soon.match(() => it.page.url(), /against=2\.30\.4/);
});

test("a changed question marks the answers that changed", async () => {
    await it.open(three());
    await it.page.keyboard.press("s");
    await it.page.locator("#set-NCCL_P2P_LEVEL").fill("SYS");
    await it.page.keyboard.press("Enter");
    await it.settled();
    await it.key("go:verdict").click();
    await it.until(() =>
        /yes, all 6.*was: 4 of 6 not/.test(
            document.querySelector('[data-question="p2p"]')?.textContent,
        ),
    );
});

test("the tuning chart: curves, crossover points, a table of what is chosen", async () => {
    await it.open(exampleFile("h100-nvswitch").path, "view=tuning");
    const { page } = it;
    await soon.equal(() => page.locator("#chart .curve").count(), 7);
    await soon.equal(() => page.locator("#chart .envelope").count(), 1);
    await soon.equal(
        () => page.locator("#ranges tbody tr").count(),
        async () => (await page.locator("#chart .cross").count()) + 1,
    );
    await soon.match(() => page.locator("#at-size caption").textContent(), /AllReduce of 1 GiB/);
    await soon.match(() => page.locator("#at-size tr.on").textContent(), /^NVLS Simple chosen/);
    let box;
    await soon.ok(async () => (box = await page.locator("#chart svg").boundingBox()));
    await page.mouse.click(box.x + box.width * 0.2, box.y + box.height / 2);
    await soon.match(() => page.locator("#at-size tr.on").textContent(), /^Ring LL chosen/);
    await soon.match(() => page.url(), /size=\d+/);
    const size = Number(/size=(\d+)/.exec(page.url())[1]);
    await page.locator("#chart").focus();
    await page.keyboard.press("ArrowRight");
    await soon.match(() => page.url(), new RegExp(`size=${size * 2}\\b`));
    await soon.equal(
        () => page.evaluate(() => document.activeElement.id),
        "chart",
        "the focus stays",
    );
    await page.keyboard.press("End");
    await soon.match(
        () => page.locator("#chart").getAttribute("aria-valuetext"),
        /^16 GiB: NVLS Simple/,
    );
});

test("the chart from its address; another side is drawn over it", async () => {
    await it.open(
        exampleFile("h100-nvswitch").path,
        "view=tuning&size=4096&collective=AllGather&against=2.12.12",
    );
    await soon.match(() => it.page.locator("#at-size caption").textContent(), /AllGather of 4 KiB/);
    await soon.equal(() => it.page.locator("#chart .envelope").count(), 2);
    await soon.match(
        () => it.page.locator("#chart .note").textContent(),
        /dashed line is 2\.12\.12/,
    );
});

test("one GPU has nothing to choose and says so", async () => {
    const one = dump.replace(/ rank="[12]"/g, "");
    await it.open(it.write("one.xml", one), "view=tuning");
    await soon.match(() => it.page.locator("#drawer").textContent(), /One rank sends nothing/);
    await it.key("go:verdict").click();
    await soon.equal(() => it.page.locator("#glance dd").count(), 15);
});

test("axe finds nothing on the chart and the first screen, light and dark; a phone shows them whole", async () => {
    await it.open(exampleFile("h100-nvswitch").path, `view=tuning&from=${ids.gpu0}`);
    await it.axeInBoth("the view");
    await it.another({ width: 390, height: 844 });
    await it.open(exampleFile("h100-nvswitch").path, "view=tuning");
    await soon.ok(() => it.wideAsWindow());
});
