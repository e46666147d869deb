// SPDX-License-Identifier: Apache-2.0
/* Inputs of an analysis besides settings: fused NICs and a tuner file; and the list of releases. */
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fixture, soon } from "./fixture.mjs";
import { exampleFile } from "./support.mjs";

const it = fixture();
const log = readFileSync(
    new URL("../data/logs/workstation-2.21.5-1h.log", import.meta.url),
    "utf8",
);
const { path: p5 } = exampleFile("aws-p5");
/* Waits until this many devices of a kind are drawn. */
const drawn = (kind, count) =>
    it.until(
        ([kind, count]) =>
            document.querySelectorAll(`#canvas g.node[id^="${kind}/"]`).length === count,
        [kind, count],
    );

test("NICs are fused as the settings panel says, and the address and a chip tell it", async () => {
    await it.open(p5, "hosts=2&panel=settings");
    const { page } = it;
    await drawn("NET", 32); // auto: NCCL's own XML has the NICs that the job used
    await it.choose("#set-fuse_nics", "always");
    await drawn("NET", 8); // EFA NICs are grouped
    await soon.match(() => page.url(), /fuse_nics=always/);
    await page.getByRole("button", { name: "Fuse NICs as the input requires" }).click();
    await drawn("NET", 32);
    await soon.doesNotMatch(() => page.url(), /fuse_nics/);
});

test("GPUs that take part are chosen in the settings panel", async () => {
    await it.open(p5, "panel=settings");
    const { page } = it;
    await drawn("GPU", 8);
    await page.locator("#set-gpus").fill("0,1");
    await page.locator("#set-gpus").blur();
    await drawn("GPU", 2);
    await soon.match(() => page.url(), /gpus=0%2C1/);
});

test("a tuner file decides what NCCL chooses; an invalid line is refused with its place", async () => {
    await it.open(p5, "hosts=2&release=2.27.7&panel=settings&view=tuning");
    const { page } = it;
    const algorithms = (some) =>
        it.until((some) => {
            const names = new Set(
                [...document.querySelectorAll("#ranges tbody tr td:nth-child(3)")].map(
                    (cell) => cell.textContent,
                ),
            );
            return some === "several" ? names.size > 1 : names.size === 1 && names.has(some);
        }, some);
    await algorithms("several"); // the model chooses by size
    await page
        .locator("#set-tuner-file")
        .setInputFiles(it.write("tuner.csv", "allreduce,0,17179869184,ring,simple,-1,-1,-1\n"));
    await algorithms("Ring");
    await soon.match(() => page.locator(".chips").first().textContent(), /tuner file, 1 line/);
    await page.locator("#set-tuner").fill("allreduce,0");
    await page.locator("#set-tuner").blur();
    await it.until(() =>
        /ine 1 of the tuner file has 2 fields; a row needs 8 to 10/.test(document.body.textContent),
    );
    await page.getByRole("button", { name: "No tuner file" }).click();
    await algorithms("several");
});

/* As when an answer arrives: everything is made anew. */
async function redraw() {
    const field = await it.page.locator("#set-tuner").elementHandle(),
        dark = await it.page.evaluate(() => document.documentElement.dataset.theme === "dark");
    await it.page.emulateMedia({ colorScheme: dark ? "light" : "dark" });
    return () => field.evaluate((one) => !one.isConnected);
}

test("what is written, pressed or refused while the panel is drawn anew is not lost", async () => {
    await it.open(exampleFile("workstation-2gpu").path, "panel=settings");
    const { page } = it,
        tuner = page.locator("#set-tuner"),
        setting = page.locator("#set-NCCL_ALGO");
    await setting.pressSequentially("Rin");
    await soon.ok(await redraw());
    await soon.equal(() => setting.inputValue(), "Rin");
    await soon.doesNotMatch(() => page.url(), /NCCL_ALGO/, "half a value is not asked");
    await page.keyboard.type("g");
    await soon.equal(() => setting.inputValue(), "Ring", "at the same place");
    await soon.ok(await redraw());
    await page.keyboard.press("Enter");
    await soon.match(() => page.url(), /NCCL_ALGO=Ring/);

    const long = "# a comment\n".repeat(700);
    await page.locator("#set-tuner-file").setInputFiles(it.write("long.csv", long));
    const said = () => page.locator("#panel .problem").textContent();
    await soon.match(said, /has 8\d{3} characters; the page takes up to 8000/);
    await soon.ok(await redraw());
    await soon.match(said, /takes up to 8000/);
    await soon.equal(() => tuner.inputValue(), long.trim(), "it can be shortened");

    await page.getByRole("button", { name: "Remove NCCL_ALGO" }).hover();
    await page.mouse.down();
    const drawn = await redraw();
    await page.mouse.up();
    await soon.doesNotMatch(() => page.url(), /NCCL_ALGO/);
    await soon.ok(drawn);
});

test("a graph file replaces the search until it is taken away; another file is refused", async () => {
    const { path } = exampleFile("workstation-2gpu");
    const graphs = readFileSync(
        new URL("../data/logs/workstation-2.27.7.graph.xml", import.meta.url),
        "utf8",
    ).replaceAll('speedintra="12"', 'speedintra="5"');
    await it.open(path, "release=2.27.7&panel=settings");
    const { page } = it,
        chip = () =>
            it.until(() =>
                /graph file, \d graphs?/.test(document.querySelector(".chips").textContent),
            );
    const before = page.url();
    await page.locator("#set-graphs").setInputFiles(it.write("wrong.xml", "<system/>"));
    await it.until(() =>
        /not a graph file/.test(document.querySelector("#panel .problem")?.textContent),
    );
    await soon.equal(() => page.url(), before);
    await page.locator("#set-graphs").setInputFiles(it.write("graph.xml", graphs));
    await chip();
    await soon.notEqual(() => page.url(), before);
    await soon.match(
        () => page.url(),
        /release=2\.27\.7&panel=settings/,
        "the rest of the question stays",
    );
    await it.key("go:verdict").click();
    await soon.match(
        () => page.locator("#graph-file").textContent(),
        /its graphs replace the search/,
    );
    await page.getByRole("button", { name: "No graph file" }).click();
    await it.until(
        () =>
            !/graph file/.test(document.querySelector(".chips").textContent) &&
            !document.querySelector("#graph-file"),
    );
});

test(
    "a graph file that does not fit the machine is refused with its reason, and can be taken " +
        "away",
    async () => {
        await it.open(exampleFile("workstation-2gpu").path, "panel=settings");
        const { page } = it;
        await page
            .locator("#set-graphs")
            .setInputFiles(it.write("empty.xml", '<graphs version="2">\n</graphs>\n'));
        await it.until(() => document.querySelector("#panel .problem")?.textContent.length > 10);
        await page
            .locator("#set-graphs")
            .setInputFiles(
                it.write(
                    "other.xml",
                    '<graphs version="1"><graph id="0" pattern="4" crossnic="0" nchannels="1" speedintra="5" ' +
                        'speedinter="5" typeintra="PHB" typeinter="PHB" samechannels="1"><channel><gpu ' +
                        'dev="7"/></channel></graph></graphs>',
                ),
            );
        await it.until(() => /raph file does not fit this machine/.test(document.body.textContent));
        await page.getByRole("button", { name: "No graph file" }).click();
        await it.until(() => !/does not fit/.test(document.body.textContent));
    },
);

test("the other side of a comparison is chosen among all releases, by minor release", async () => {
    await it.open(p5, "view=diff&panel=settings");
    await it.until(() => {
        const groups = (id) =>
                [...document.querySelectorAll(`${id} optgroup`)].map((group) => group.label).join(),
            options = (id) => document.querySelectorAll(`${id} option`).length;
        return (
            groups("#against").split(",").length > 20 &&
            groups("#against") === groups("#release") &&
            options("#against") === options("#release") + 1 // and the same release
        );
    });
});

test("the release that a log names is chosen when the log is opened, and the page says so", async () => {
    await it.open(it.write("job.log", log));
    const { page } = it;
    await soon.match(() => page.url(), /release=2\.21\.5/);
    await it.ask();
    await soon.equal(() => page.locator("#release").inputValue(), "2.21.5");
    await it.key("go:verdict").click();
    await soon.match(
        () => page.locator("#logged-release").textContent(),
        /NCCL 2\.21\.5 is chosen, as the log names it/,
    );
    await it.choose("#release", "2.28.9");
    await it.until(() =>
        /names NCCL 2\.21\.5; another release is chosen/.test(
            document.querySelector("#logged-release")?.textContent ?? "",
        ),
    );
});

test(
    "the release that a log chose does not stay for the next file; one that the reader chose " +
        "does",
    async () => {
        const { page } = it,
            workstation = readFileSync(exampleFile("workstation").path, "utf8");
        const drop = (name) =>
            page.evaluate(
                ([content, file]) => {
                    const transfer = new DataTransfer();
                    transfer.items.add(new File([content], file));
                    dispatchEvent(
                        new DragEvent("drop", { dataTransfer: transfer, cancelable: true }),
                    );
                },
                [`${workstation}<!-- ${name} -->`, name],
            ); // a content that is kept already keeps its name
        await it.open(it.write("job.log", log));
        await page.locator("#log-verdict").waitFor();
        await soon.match(() => page.url(), /release=2\.21\.5/);
        await drop("first.xml");
        await it.until(
            () =>
                /first/.test(document.querySelector("header").textContent) &&
                !/release=/.test(location.hash),
        );
        await page.waitForLoadState("networkidle"); // an answer that arrives later draws the list of releases again
        await it.ask();
        await it.choose("#release", "2.18.1");
        await it.until(() => /release=2\.18\.1/.test(location.hash));
        await drop("second.xml");
        await it.until(
            () =>
                /second/.test(document.querySelector("header").textContent) &&
                /release=2\.18\.1/.test(location.hash),
        );
    },
);

test("the levels in effect, where each comes from, and what comes of it", async () => {
    await it.open(exampleFile("h100-with-faults").path, "view=levels&hosts=2&NCCL_P2P_LEVEL=NVL");
    const row = (name) => it.page.locator("#levels tr", { has: it.key(`level:${name}`) });
    await row("NCCL_P2P_LEVEL").waitFor();
    await soon.match(
        () => row("NCCL_P2P_LEVEL").textContent(),
        /^P2P between GPUsNVLNCCL_P2P_LEVEL=NVL56 of 56 pairs use P2P/,
    );
    await soon.match(
        () => row("NCCL_NET_GDR_LEVEL").textContent(),
        /P2Cdefault\d+ of 64 GPU–NIC pairs/,
    );
    await soon.match(
        () => row("NCCL_NET_GDR_READ").textContent(),
        /^GPUDirect RDMA for sending-2 \(automatic\)default/,
    );
    await it.axe("levels");
    await it.key("level:NCCL_CROSS_NIC").click();
    await it.until(() => document.activeElement?.id === "set-NCCL_CROSS_NIC");
});
