// SPDX-License-Identifier: Apache-2.0
/* Results of nccl-tests on the page: recognised anywhere, judged for the machine that is open or that they
 * show, explained, and compared with another. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture, soon } from "./fixture.mjs";
import { resultsOf } from "./results.mjs";
import { exampleFile, ready } from "./support.mjs";

const it = fixture(),
    text = (selector) => it.page.locator(selector).textContent();
const H100 = { type: "dgx-h100", model: "NVIDIA H100 80GB HBM3" };
const verdict = () => it.page.locator("#results-verdict");
const start = async () => {
    await it.page.goto(it.server.url);
    // the machine types, among which those of results are looked for
    await it.page.locator("#open-type option").first().waitFor({ state: "attached" });
};
const paste = (value) =>
    it.page.evaluate((what) => {
        const data = new DataTransfer();
        data.setData("text/plain", what);
        document.body.dispatchEvent(
            new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
        );
    }, value);
const openType = async (type, more = "") =>
    it.visit(`${it.server.url}/#machine=${type}&view=bandwidth${more}`);

it.task(
    "ML engineer",
    "results pasted on the start page open the machine that they show, and the verdict comes " +
        "first",
    async () => {
        await start();
        await paste(await resultsOf(it.server.url, H100));
        await verdict().waitFor();
        await ready(it.page);
        await soon.equal(() => verdict().getAttribute("data-verdict"), "as expected");
        it.answered();
        const said = await text("#results-verdict");
        assert.match(
            said,
            /✓\s+Verdict: as expected.*GB\/s at 8 GiB is what this machine should give/s,
        );
        assert.match(
            said,
            /should give.*all_reduce_perf, 8 ranks; machine: dgx-h100.*\(guessed\)/s,
        );
        await soon.match(() => it.page.url(), /machine=dgx-h100.*view=bandwidth/);
        await soon.match(
            () => text("#results-assumed"),
            /was not given.*The machine is like dgx-h100, guessed from the names of the GPUs/s,
        );
        const words = await it.page
            .locator("#bandwidth-rows tbody tr td:nth-child(6)")
            .allTextContents();
        assert.equal(words.length, 24);
        assert.ok(
            words.every((word) => /^(✓ as expected|▲ high|\? cannot judge)$/.test(word)),
            words.join(),
        );
        assert.deepEqual([words[0], words.at(-1)], ["? cannot judge", "✓ as expected"]);
        await soon.ok(
            async () => (await it.page.locator("#bandwidth-chart > svg .point").count()) > 15,
        );
        await soon.match(
            () => text("#bandwidth-legend"),
            /measured, as expected.*predicted.*normal range/s,
        );
        await it.key("go:verdict").click();
        await it.unfold();
        await soon.match(() => text('[data-question="busbw"]'), /✓|≈/);
        await soon.match(
            () => text('[data-question="busbw"]'),
            /measured: \d+ GB\/s at 8 GiB is what this machine should give/,
        );
        await it.view("Bandwidth");
        await it.settled();
        await soon.match(() => text("#drawer"), /1 KiB to 512 KiB: cannot judge, because /);
        await soon.doesNotMatch(() => text("#drawer"), /\[object|undefined|null|NaN/);
        await it.axe("as expected");
        await it.key("choose-machine").click();
        await soon.equal(
            () => it.page.evaluate(() => document.activeElement.id),
            "results-machine",
        );
        await it.choose("#results-machine", "dgx-h100"); // what was guessed, now as the reader's own word
        await it.until(
            () =>
                document.querySelector("#results-verdict") &&
                !/guessed/.test(document.querySelector("#drawer").textContent),
        );
    },
);

test(
    "low results on an open machine: the word, the sign, what explains it with a way to confirm it; " +
        "hosts and " +
        "program are asked anew",
    async () => {
        await openType("hgx-h100", "&hosts=2");
        await paste(
            await resultsOf(it.server.url, {
                type: "hgx-h100",
                hosts: 2,
                model: H100.model,
                scale: (size) => (size >= 2 ** 20 ? 0.12 : 1),
            }),
        );
        await verdict().waitFor();
        await soon.equal(() => verdict().getAttribute("data-verdict"), "low");
        await it.key("go:verdict").click();
        await it.until(() =>
            /Measured bandwidth is low/s.test(document.getElementById("verdict")?.textContent),
        );
        await it.view("Bandwidth");
        await soon.match(
            () => text("#results-verdict"),
            /▼\s+Verdict: low.*GB\/s at .* is \d+ % of what this machine should give/s,
        );
        await soon.ok(
            async () =>
                (await it.page.locator('#bandwidth-rows tr[data-verdict="low"]').count()) > 4,
        );
        await soon.match(() => text("#results-explanations"), /Confirm:|No configuration/);
        await soon.match(
            () => text("#results-advice"),
            /Neither a trial nor a line of the input shows it, but PCIe ACS/,
        );
        if (await it.page.locator("#results-explanations li").count())
            await soon.equal(
                () => it.page.locator("#bandwidth-chart > svg .explained").count(),
                1,
                "the best explanation is a second curve",
            );
        await it.settled();
        await it.axe("low");
        await it.page.locator("#results-hosts").fill("1");
        await it.page.locator("#results-hosts").press("Enter");
        await it.until(() => !/hosts=2/.test(location.hash));
        await it.settled();
        await it.until(() => document.querySelector("#results-verdict, #drawer .problem"));
        await it.choose("#results-program", "all_gather");
        await it.settled();
        await it.until(() =>
            /all_gather_perf/.test(document.querySelector("#results-verdict")?.textContent),
        );
        await it.key("no-results").click();
        await it.page.locator("#predicted").waitFor();
    },
);

/* A file, as a desktop drops it: first over the page, then on an element of it. */
const dropOn = (selector, name, value) =>
    it.page.evaluate(
        ([where, called, what]) => {
            const dataTransfer = new DataTransfer(),
                node = document.querySelector(where);
            dataTransfer.items.add(new File([what], called, { type: "text/plain" }));
            for (const type of ["dragenter", "dragover", "drop"])
                node.dispatchEvent(
                    new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }),
                );
        },
        [selector, name, value],
    );

test("a results file dropped on any view opens Bandwidth with its verdict", async () => {
    const good = await resultsOf(it.server.url, H100),
        low = await resultsOf(it.server.url, {
            ...H100,
            scale: (size) => (size >= 2 ** 20 ? 0.3 : 1),
        });
    const views = ["machine", "matrix", "bandwidth", "compare", "log"].map((view) => [
        `machine=dgx-h100&view=${view}`,
        {
            machine: ["#canvas", "#panel"],
            bandwidth: ["#panel", "#drawer"],
            log: ["#panel", "#drawer"],
        }[view] ?? ["#canvas", "#panel", "#drawer"],
    ]);
    for (const [i, [fragment, places]] of [
        ["", ["body"]],
        ["place=library", ["body"]],
        ["place=clusters", ["body"]],
        ...views,
    ].entries()) {
        await it.page.goto("about:blank");
        await it.page.goto(`${it.server.url}/#${fragment}`);
        await it.page
            .locator(
                {
                    "": "#open-type option",
                    "place=library": "#library, #library-empty",
                    "place=clusters": "#cluster-text",
                }[fragment] ?? "#canvas svg",
            )
            .first()
            .waitFor({ state: "attached" });
        await dropOn(places[i % places.length], "run.log", i % 2 ? low : good);
        await verdict().waitFor();
        await soon.equal(
            () => verdict().getAttribute("data-verdict"),
            i % 2 ? "low" : "as expected",
            fragment,
        );
        await soon.match(() => it.page.url(), /machine=dgx-h100.*view=bandwidth/, fragment);
        await soon.equal(() => it.tab("Bandwidth").getAttribute("aria-selected"), "true", fragment);
        await soon.equal(() => it.page.locator("body.dragging").count(), 0);
    }
});

test(
    "results that show no machine: what they say, and the picker; the machine type that is chosen judges " +
        "them",
    async () => {
        await start();
        await it.page
            .locator("#file")
            .setInputFiles(
                it.write("results.txt", await resultsOf(it.server.url, { type: "dgx-h100" })),
            );
        await it.page.locator("#results-alone").waitFor();
        await soon.match(
            () => text("#results-alone"),
            /cannot judge.*machine not known.*Choose the machine that the results are from/s,
        );
        await it.axe("alone");
        await it.page.locator("#results-alone #type-search").fill("dgx h100");
        await it.page.locator("#results-alone #open-machine").click();
        await it.until(() => document.querySelector("#drawer #results-verdict"));
        await soon.equal(() => verdict().getAttribute("data-verdict"), "as expected");
        await soon.match(() => text("#results-verdict"), /results\.txt/);
    },
);

test("a setting in the text that costs bandwidth is said below the verdict, as the service says it", async () => {
    const results = await resultsOf(it.server.url, { ...H100, scale: () => 0.2 }),
        both = `NCCL_P2P_DISABLE=1\n${results}`,
        answer = await it.page.request.post(`${it.server.url}/v1/check-perf?machine=dgx-h100`, {
            data: both,
        }),
        [first] = (await answer.json()).leads;
    assert.match(
        first,
        /^NCCL_P2P_DISABLE=1 \(line 1\) costs bandwidth: without it, \d+ instead of/,
    );
    await openType("dgx-h100");
    await paste(both);
    await verdict().waitFor();
    await soon.ok(async () => (await text("#results-verdict")).includes(first));
});

test("several tables: each with its verdict, and one after the other to look at", async () => {
    const both = [
        await resultsOf(it.server.url, { ...H100, scale: () => 0.3 }),
        await resultsOf(it.server.url, { ...H100, program: "all_gather" }),
    ].join("\n");
    await openType("dgx-h100");
    await it.page.locator("#results-paste").fill(both);
    await it.key("results-read").click();
    await verdict().waitFor();
    const rows = it.page.locator("#results-tables li");
    await soon.equal(() => rows.count(), 2);
    await soon.match(() => rows.nth(0).textContent(), /▼.*: low/);
    await it.key("results-table:1").click();
    await it.until(
        () =>
            document.querySelector('[data-key="results-table:1"]')?.getAttribute("aria-pressed") ===
            "true",
    );
    await it.key("results-table:0").click();
    await it.until(() => document.querySelector("#results-verdict").dataset.verdict === "low");
    await soon.equal(() => it.key("results-log").count(), 0);
    await paste(`node1:10:11 [0] NCCL INFO Channel 00/02 :    0   1\n${both}`);
    await it.key("results-log").click(); // the log in the same text has a view of its own
    await it.page.locator("#log-triage").waitFor();
    await it.view("Bandwidth");
    await verdict().waitFor();
    await it.settled();
    await it.menu("home");
    await it.page.locator("#examples button").first().click();
    await ready(it.page);
    await it.page.locator("body").press("b");
    await it.page.locator("#predicted").waitFor(); // another machine has no results yet
});

test("what only mentions bandwidth is read as something else; the table is exported", async () => {
    await start();
    await paste("my busbw is bad\nplease help\n");
    await it.page.locator(".problem").waitFor();
    await soon.equal(() => it.page.locator("#results-verdict").count(), 0);
    await it.open(exampleFile("h100-nvswitch").path);
    await paste(await resultsOf(it.server.url, H100));
    await verdict().waitFor();
    await it.settled();
    await it.menu("export", "share");
    const [file] = await Promise.all([
        it.page.waitForEvent("download"),
        it.key("export:csv").click(),
    ]);
    assert.match(file.suggestedFilename(), /-bandwidth\.csv$/);
});

test("a phone and dark colours", async () => {
    for (const options of [{ width: 390, height: 844 }, { theme: "dark" }]) {
        await it.another(options);
        await openType("dgx-h100");
        await paste(
            await resultsOf(it.server.url, {
                ...H100,
                scale: (size) => (size > 2 ** 28 ? 0.4 : 1),
            }),
        );
        await verdict().waitFor();
        await it.settled();
        await soon.ok(() => it.wideAsWindow());
        await it.axe(JSON.stringify(options));
    }
});
