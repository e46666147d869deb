// SPDX-License-Identifier: Apache-2.0
/* A log compared with the prediction: chosen, dropped, pasted; by keyboard, by address; on a phone. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { fixture, soon } from "./fixture.mjs";
import { logOf } from "./logs.mjs";
import { resultsOf } from "./results.mjs";
import { exampleFile, root } from "./support.mjs";

const it = fixture();
const { path: workstation } = exampleFile("workstation");

const lines = (change) => logOf(it.page, it.server.url, change);

const verdict = () => it.page.locator("#log-verdict").textContent();

test("a log that agrees, chosen as a file: what was recovered and every topic", async () => {
    await it.open(workstation);
    const { page } = it,
        text = await lines();
    await it.view("Log");
    await soon.match(() => page.locator("#no-log").textContent(), /NCCL_DEBUG_SUBSYS/);
    await page.locator("#log-file").setInputFiles(it.write("job.log", text));
    await page.locator("#log-verdict").waitFor();
    await soon.match(() => verdict(), /^All \d+ facts of the log agree/);
    await soon.match(
        () => page.locator("#log-recovered").textContent(),
        /2\.27\.7\+cuda12\.4.*node1.*2 ranks, 2 of them here/s,
    );
    await soon.match(() => page.locator('[data-topic="paths"]').textContent(), /agrees/);
    await soon.match(
        () => page.locator('[data-topic="tuning"]').textContent(),
        /not in the log \(TUNING\)/,
    );
    await soon.match(
        () => page.locator("#log-subsystems").textContent(),
        /^NCCL_DEBUG_SUBSYS=[A-Z,]*TUNING[A-Z,]* prints what/,
    );
    await soon.match(() => page.url(), /view=log/);
});

test("a link includes a log and results if asked, with their size; a cut one says so", async () => {
    await it.open(workstation);
    const { page } = it,
        text = await lines();
    await it.view("Log");
    await page.locator("#log-file").setInputFiles(it.write("job.log", text));
    await page.locator("#log-verdict").waitFor();
    await page.locator("#share-button").click();
    const include = it.key("attach:log");
    await include.waitFor();
    assert.match(await include.textContent(), /^Include the log in the link[\d.]+ KB$/);
    assert.equal(await it.key("attach:results").count(), 0, "there are none");
    await include.click();
    await it.until(() => /[#&]log=[A-Za-z0-9_-]{200,}/.test(location.hash));
    const url = page.url();
    await it.another();
    await it.visit(url);
    await it.page.locator("#log-verdict").waitFor();
    assert.match(await verdict(), /^All \d+ facts of the log agree/);
    await it.page.locator("#share-button").click();
    await it.key("attach:log").filter({ hasText: "Leave the log out of the link" }).click();
    await it.until(() => !/[#&]log=/.test(location.hash));
    await it.visit(url.replace(/(log=[A-Za-z0-9_-]{90})[A-Za-z0-9_-]*/, "$1"));
    await it.until(
        () =>
            document.getElementById("status").textContent ===
            "The log of this link cannot be read: it was cut",
    );
    await it.page.locator("#no-log").waitFor();
});

test("results in a link are judged again for its machine", async () => {
    const results = await resultsOf(it.server.url, { type: "hgx-h100", hosts: 1 });
    await it.page.goto(`${it.server.url}/#machine=hgx-h100&view=bandwidth`);
    await it.page.locator("#results-file").setInputFiles(it.write("all_reduce.txt", results));
    await it.page.locator("#results-verdict").waitFor();
    const said = await it.page.locator("#results-verdict").textContent();
    await it.page.locator("#share-button").click();
    await it.key("attach:results").click();
    await it.until(() => /[#&]results=[A-Za-z0-9_-]{200,}/.test(location.hash));
    const url = it.page.url();
    await it.another();
    await it.visit(url);
    await it.page.locator("#results-verdict").waitFor();
    assert.equal(await it.page.locator("#results-verdict").textContent(), said);
});

test("pasted, with a difference: it is named, lit on the drawing, and its topic listed", async () => {
    await it.open(workstation);
    const { page } = it,
        text = await lines((whole) => whole.replaceAll("/PHB)", "/SYS)"));
    await page.keyboard.press("g");
    await page.locator("#log-paste").fill(text);
    await it.key("log-read").click();
    await page.locator("#first-difference").waitFor();
    await soon.match(() => verdict(), /\d+ of \d+ facts differ/);
    await soon.match(
        () => page.locator("#first-difference").textContent(),
        /GPU \d → NUMA 0 \(GPU\/0-[0-9a-f]+ -> CPU\/0-0\).*SYS.*PHB/s,
    );
    await it.until(() => document.querySelectorAll("#canvas .edge.lit").length > 0);
    await soon.match(() => page.url(), /from=GPU/);
    await it.key("topic-of:paths").click();
    await soon.match(() => page.url(), /topic=paths/);
    const row = page.locator('#log-facts tr[data-verdict="differs"]').last();
    await row.getByRole("button").click();
    await soon.match(() => page.url(), /from=/);
});

test(
    "a log of another machine: that first, no causes, and the log's own machine is one click " +
        "away",
    async () => {
        const { page } = it;
        await it.open(exampleFile("h100-nvswitch").path, "hosts=4");
        await it.page.locator("body").press("g");
        await page
            .locator("#log-file")
            .setInputFiles(join(root, "tests/data/logs/workstation-2.27.7-1h.log"));
        await page.locator("#other-machine").waitFor();
        const other = await page.locator("#other-machine").textContent();
        assert.match(
            other,
            /^This log is from another machine: 1 host, 2 ranks; shown: 4 hosts, 32 ranks\. /,
        );
        assert.match(other, / None of the log's 2 GPUs is in the dump\./);
        await soon.equal(() => page.locator("#causes").count(), 0);
        await soon.equal(() => page.locator("#first-difference:visible").count(), 0, "folded");
        await it.axe("another machine");
        await it.key("go:verdict").click();
        await soon.match(
            () => page.locator('[data-question="log"]').textContent(),
            /the log that was opened is from another machine/,
        );
        // the prediction is for the log's ranks then, and the service says it too
        await it.hosts(1);
        await it.view("Log");
        await it.until(() =>
            /None of the log's 2 GPUs is in the dump/.test(
                document.querySelector("#other-machine")?.textContent,
            ),
        );
        await it.key("log-own").click();
        await it.until(() =>
            /^All \d+ facts of the log agree/.test(
                document.querySelector("#log-verdict")?.textContent,
            ),
        );
        await it.key("go:verdict").click();
        await soon.match(() => page.locator('[data-question="machine"]').textContent(), /^2 GPUs/);
    },
);

test("a dropped log goes to the machine that is open; forgetting it leaves the machine", async () => {
    await it.open(workstation);
    const { page } = it,
        text = await lines();
    await page.evaluate((content) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([content], "job.log"));
        dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, cancelable: true }));
    }, text);
    await page.locator("#log-verdict").waitFor();
    await it.key("no-log").click();
    await page.locator("#no-log").waitFor();
    await soon.equal(() => page.locator("#canvas svg").count(), 1);
});

test("what is not a log is refused with what to do; by keyboard from tab to tab", async () => {
    await it.open(workstation, "view=log");
    const { page } = it;
    await page.locator("#log-paste").fill("nothing of the kind");
    await it.key("log-read").focus();
    await page.keyboard.press("Enter");
    await soon.match(
        () => page.locator("#drawer .problem").textContent(),
        /does not look like an NCCL log/i,
    );
    await page.locator("#log-paste").fill(await lines());
    await it.key("log-read").focus();
    await page.keyboard.press("Enter");
    await page.locator("#log-verdict").waitFor();
    await it.key("topic:").focus();
    await page.keyboard.press("ArrowRight");
    await soon.match(() => page.url(), /topic=paths/);
    await soon.equal(() => page.evaluate(() => document.activeElement.dataset.key), "topic:paths");
});

test("another question is compared with the same log; the address tells the view", async () => {
    await it.open(workstation, "view=log&topic=paths");
    const { page } = it;
    await soon.equal(() => it.tab("Log").getAttribute("aria-selected"), "true");
    await page.locator("#log-file").setInputFiles(it.write("job.log", await lines()));
    await page.locator("#log-verdict").waitFor();
    await page.evaluate(() => {
        location.hash += "&NCCL_P2P_DISABLE=1";
    });
    await it.until(() =>
        /NCCL_P2P_DISABLE=1/.test(document.querySelector("#log-recovered")?.textContent ?? ""),
    );
});

const CRASH = [
    "node1:10:99 [0] NCCL INFO NCCL_IB_DISABLE set by environment to 1.",
    "node1:10:99 [0] NCCL INFO AllReduce: 1048576 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..3}",
    "node1:11:98 [1] misc/ibvwrap.cc:284 NCCL WARN Call to ibv_modify_qp failed with error Invalid argument",
    "node1:11:98 [1] NCCL WARN something new",
];

test(
    "a job that failed: the verdict stands first, with what went wrong, on which rank, and what to " +
        "do",
    async () => {
        await it.open(workstation, "view=log");
        const { page } = it;
        await page
            .locator("#log-file")
            .setInputFiles(it.write("job.log", await lines((text) => [text, ...CRASH].join("\n"))));
        await page.locator("#log-outcome").waitFor();
        await soon.match(() => page.locator("#log-outcome").textContent(), /Verdict: failed/);
        const row = await page.locator('#log-events tr[data-event="ib-modify-qp"]').textContent();
        assert.match(
            row,
            /error.*1.*node1.*Call to ibv_modify_qp failed.*could not connect two NICs.*ib_write_bw/s,
        );
        await soon.match(
            () => page.locator('#log-events tr[data-event="unknown"]').textContent(),
            /something new.*does not know this message/s,
        );
        await soon.match(() => page.locator("#log-ran").textContent(), /NCCL 2\.27\.7/);
        await page.locator("#log-settings summary").click();
        await soon.match(() => page.locator("#log-settings").textContent(), /NCCL_IB_DISABLE.*1/s);
        await soon.match(() => page.locator("#log-choices").textContent(), /AllReduce/);
        await soon.ok(() =>
            page.evaluate(
                () =>
                    document
                        .querySelector("#log-triage")
                        .compareDocumentPosition(document.querySelector("#log-verdict")) &
                    Node.DOCUMENT_POSITION_FOLLOWING,
            ),
        );
        await it.settled();
        await it.axe("failed");
    },
);

/* Two ranks of a job; the lines of `more` say something of the machine. */
const bare = (...more) =>
    [
        "NCCL version 2.27.7+cuda12.4",
        ...more,
        ...[0, 1].map(
            (rank) =>
                `n1:${10 + rank}:${20 + rank} [${rank}] NCCL INFO ncclCommInitRank comm 0x5${rank} rank ` +
                `${rank} ` +
                `nranks 2 cudaDev ${rank} nvmlDev ${rank} busId ${rank + 1}0 commId 0xa - Init COMPLETE`,
        ),
    ].join("\n");

test(
    "a log without a tree, before a machine is open: its triage, and the machine types that fit it; one is " +
        "chosen",
    async () => {
        const { page } = it;
        await page.goto(it.server.url);
        await page
            .locator("#file")
            .setInputFiles(
                it.write(
                    "job.log",
                    bare(
                        "#  Rank  0 Group  0 Pid      1 on      n1 device  0 [0x18] NVIDIA H100 80GB HBM3",
                    ),
                ),
            );
        await page.locator("#log-alone").waitFor();
        await soon.match(() => page.locator("#log-outcome").textContent(), /Verdict: cannot tell/);
        await soon.match(
            () => page.locator("#why-not-compared").textContent(),
            /Which one is it.*dgx-h100.*these lines would decide: the names of the NICs/s,
        );
        const fits = page.locator("#log-machine optgroup").first();
        await soon.equal(() => fits.getAttribute("label"), "Fits the log's lines");
        await soon.ok(async () =>
            (
                await fits.locator("option").evaluateAll((rows) => rows.map((row) => row.value))
            ).includes("dgx-h100"),
        );
        await it.axe("a log alone");
        await it.choose("#log-machine", "dgx-h100");
        await page.locator("#log-verdict").waitFor();
        await soon.match(
            () => page.locator("#log-assumed").textContent(),
            /GPUs whose numbers the log prints/,
        );
        await soon.match(() => page.locator("header").textContent(), /dgx-h100/);
        await it.settled();
        await it.choose("#log-machine", "hgx-b200"); // another type for the same log
        await it.until(() => /hgx-b200/.test(document.querySelector("header").textContent));
        await page.locator("#log-verdict").waitFor();
        await soon.match(
            () => page.locator("#log-assumed").textContent(),
            /compute capability 9\.0/,
        );
    },
);

test("a log whose lines imply a machine type opens it, and says which lines", async () => {
    const { page } = it;
    await page.goto(it.server.url);
    await page
        .locator("#file")
        .setInputFiles(
            it.write(
                "job.log",
                bare(
                    "n1:10:20 [0] NCCL INFO NET/OFI Running on p4d.24xlarge platform, topology file /a.xml",
                ),
            ),
        );
    await page.locator("#log-implied").waitFor();
    await soon.match(
        () => page.locator("#log-implied").textContent(),
        /no known type but p4d\.24xlarge fits the log: line 2: the network plugin names the platform p4d\.24xlarge/,
    );
    await soon.match(() => page.locator("header").textContent(), /p4d\.24xlarge/);
    await it.settled();
    await it.axe("implied");
});

test("axe finds nothing, light and dark; a phone shows it whole", async () => {
    await it.open(workstation, "view=log");
    await it.axeInBoth("empty");
    await it.page
        .locator("#log-file")
        .setInputFiles(
            it.write("job.log", await lines((text) => text.replaceAll("/PHB)", "/SYS)"))),
        );
    await it.page.locator("#first-difference").waitFor();
    await it.settled();
    await it.axeInBoth("differs");
    await it.key("topic-of:paths").click();
    await it.axeInBoth("paths");
    await it.another({ width: 390, height: 844 });
    await it.open(workstation, "view=log");
    await it.page.locator("#log-file").setInputFiles(it.write("job.log", await lines()));
    await it.page.locator("#log-verdict").waitFor();
    await soon.ok(() => it.wideAsWindow());
});
