// SPDX-License-Identifier: Apache-2.0
/* The first screen begins with the answer: the verdict, its cost and remedy, then the expected figures; evidence on
 * request.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fixture, soon } from "./fixture.mjs";
import { exampleFile, ready } from "./support.mjs";

const it = fixture();
const healthy = exampleFile("h100-nvswitch").path,
    faults = exampleFile("h100-with-faults").path;
/* The PCIe link of GPU 0 has 4 lanes of 16. */
const narrow = () => {
    const text = readFileSync(healthy, "utf8"),
        broken = text.replace(/(device="0x2330"[^>]*link_width=)"16"/, '$1"4"');
    assert.notEqual(broken, text);
    return it.write("gpu-at-x4.xml", broken);
};
const matrix =
    "\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV4\tPIX\t0-15\t0\nGPU1\tNV4\t X " +
    "\tPXB\t0-15\t0\nNIC0\tPIX\tPXB\t X\n\nNIC Legend:\n\n  NIC0: mlx5_0\n";
const text = (selector) => it.page.locator(selector).first().innerText();
const finding = (id) => it.page.locator(`#findings [data-finding="${id}"]`);

test("a healthy machine: the verdict first, by mark and word; notes are folded with their number", async () => {
    await it.open(healthy);
    await soon.match(() => text("#verdict h2"), /^✓\s*Healthy: \d+ GB\/s on 1 host$/);
    await soon.match(
        () => text("#verdict"),
        /Nothing was found that lowers what NCCL \S+ gets from this machine/,
    );
    await soon.doesNotMatch(() => text("#verdict"), /Do:/);
    await soon.match(() => text("#expected"), /AllReduce at 1 GiB\s+\d+ GB\/s bus bandwidth/);
    const notes = it.page.locator("#notes-of-machine"),
        count = Number(
            /^(\d+) notes?$/.exec(await notes.locator("summary").first().innerText())[1],
        );
    await soon.equal(() => it.page.locator("#findings .sev-info:visible").count(), 0, "closed");
    await soon.equal(
        () => it.page.locator("#findings .sev-error, #findings .sev-warning").count(),
        0,
    );
    await notes.locator("summary").first().click();
    await soon.equal(() => it.page.locator("#findings .sev-info:visible").count(), count);
    await soon.match(
        () => text("#notes-of-machine li .small"),
        /^Cost unknown: |^Costs nothing here/,
    );
});

test("card, bar and inspector say the same cost of a fault, whatever is shown repaired", async () => {
    await it.open(faults, "hosts=2");
    for (const repair of ["", "slow-link", "gdr-off"]) {
        if (repair) await it.key(`cost:${repair}`).click();
        await it.page.locator(repair ? "#repaired" : "#verdict:not(:has(#repaired))").waitFor();
        for (const id of ["slow-link", "gdr-off"]) {
            if (id === repair) continue;
            const [, gain] = /\+(\d+)/.exec(await it.key(`cost:${id}`).innerText());
            await soon.match(
                () => finding(id).innerText(),
                new RegExp(`Costs ${gain} of 455 GB/s`),
                `${id} with ${repair || "nothing"} repaired`,
            );
        }
        if (repair) await it.key(`cost:${repair}`).click();
    }
    await it.page.locator("#verdict:not(:has(#repaired))").waitFor();
    await it.unfold("#findings");
    await soon.match(() => finding("slow-slot").innerText(), /Costs 57 of 455 GB\/s/);
    await it.key("light:slow-link").click();
    await it.view("Drawing");
    await soon.match(() => text("#chosen-finding"), /Costs 57 of 455 GB\/s/);
});

for (const [width, height] of [
    [1280, 800],
    [390, 844],
])
    test(`a broken machine: fault, cost and remedy without scrolling at ${width} x ${height}`, async () => {
        await it.another({ width, height });
        await it.open(narrow());
        await soon.match(() => text("#verdict h2"), /^✗\s*1 fault costs \d+ % on 2 hosts$/);
        await soon.match(
            () => text("#verdict"),
            /\d+ now.*\+\d+ \S+.*\d+ GB\/s with everything repaired \(bus bandwidth of AllReduce at 1 GiB/s,
        );
        await soon.ok(async () => {
            const box = await it.page.locator("#verdict").boundingBox(); // null while it is made anew
            return box && box.y + box.height <= height;
        }, "the verdict ends within the window");
        await soon.match(
            () => text('#findings [data-finding="slow-link"]'),
            /Costs \d+ of \d+ GB\/s \(AllReduce at 1 GiB on 2 hosts\).*32 GT\/s x4.*Do: /s,
        );
        await soon.ok(() => it.wideAsWindow());
    });

test(
    "each device with a finding is marked on the drawing, at every width and in Channels; mark and finding " +
        "lead to each other",
    async () => {
        for (const options of [{}, { width: 390, height: 844 }]) {
            await it.another(options);
            await it.open(faults, "hosts=2");
            await soon.deepEqual(
                () =>
                    it.page
                        .locator("#canvas .badge-at")
                        .evaluateAll((marks) => marks.map((mark) => mark.dataset.badge).sort()),
                ["NET/0-5", "NIC/0-5e000", "NIC/0-5e000--PCI/0-5a000"],
            );
            const mark = it.key("badge:NIC/0-5e000"),
                size = async () => (await mark.locator("circle").last().boundingBox()).width;
            await soon.match(
                () => mark.getAttribute("aria-label"),
                /^warning: .*fewer lanes.* and 1 more$/,
            );
            const before = await size();
            assert.ok(before >= 12, `${before} pixels`);
            await it.page.getByRole("button", { name: "Zoom in" }).first().click();
            await soon.ok(
                async () => Math.abs((await size()) - before) < 1.5,
                "as large when near",
            );
            await it.page.getByRole("button", { name: "Show all" }).first().click();
            await it.ask();
            await mark.focus();
            await it.page.keyboard.press("Enter");
            await finding("slow-link").waitFor();
            await soon.equal(
                () =>
                    it.page.evaluate(
                        () => document.activeElement.closest("[data-finding]")?.dataset.finding,
                    ),
                "slow-link",
            );
            await it.key("place:slow-link:NIC/0-5e000").click();
            await it.until(
                () => document.querySelector("#canvas .node.picked")?.id === "NIC/0-5e000",
            );
            await soon.equal(
                () => it.page.locator("#findings").count(),
                1,
                "the finding stays in sight",
            );
        }
        await it.view("Channels");
        await it.settled();
        await soon.equal(
            () => it.key("badge:NIC/0-5e000").evaluate((mark) => getComputedStyle(mark).opacity),
            "1",
        );
        await it.axe("marks");
        // a ring by itself: the port of the NIC on both hosts
        await it.open(faults, "hosts=2&view=channels&layout=alone&channel=10");
        const marks = () =>
            it.page
                .locator("#canvas .badge-at")
                .evaluateAll((all) => all.map((mark) => mark.dataset.badge));
        for (let channel = 11; channel < 26; channel++) {
            // to one that uses it, once the drawing is that of the channel: its marks came with it
            await it.page.keyboard.press("]");
            await soon.match(
                () => it.page.locator("#canvas [id='note:caption']").textContent(),
                new RegExp(`channel ${channel} of 26`),
            );
            if ((await marks()).includes("host1/NET/0-3")) break;
        }
        await soon.ok(
            async () =>
                (await marks()).includes("NET/0-3") && (await marks()).includes("host1/NET/0-3"),
            async () => String(await marks()),
        );
        await it.key("badge:NET/0-3").press("Enter");
        await soon.match(
            () => it.page.locator("#chosen-finding").textContent(),
            /PCIe link has fewer lanes/,
        );
        await it.open(healthy);
        await soon.equal(() => it.page.locator("#canvas .badge-at").count(), 0);
    },
);

test("figures of the verdict, of its finding and at a glance are the same", async () => {
    await it.open(narrow(), "hosts=2");
    await it.unfold();
    const [, now, repaired] = /(\d+) now.*?(\d+) GB\/s with everything/s.exec(
        await text("#verdict"),
    );
    await soon.match(
        () => text("#expected"),
        new RegExp(
            `AllReduce at 1 GiB\\s+${now} GB/s.*With everything repaired\\s+${repaired} GB/s`,
            "s",
        ),
    );
    await soon.match(
        () => text('[data-question="busbw"]'),
        new RegExp(
            `✗\\s+AllReduce ${now} GB/s at 1 GiB.*with everything repaired ${repaired} GB/s`,
            "s",
        ),
    );
    await soon.match(
        () => text('#findings [data-finding="slow-link"]'),
        new RegExp(`Costs ${repaired - now} of ${repaired} GB/s`),
    );
});

test(
    "consequences are folded under their cause; the lines of the dump are made on demand, and stay open over " +
        "another question",
    async () => {
        await it.open(faults, "hosts=2");
        const consequence = finding("slow-link").locator('[data-finding="slow-slot"]');
        await soon.equal(() => consequence.isVisible(), false);
        await soon.equal(() => it.page.locator("#findings .excerpt").count(), 0);
        await finding("slow-link")
            .getByText(/^\d consequences? of this$/)
            .click();
        await soon.ok(() => consequence.isVisible());
        await finding("gdr-off").getByText("Evidence").first().click();
        await finding("gdr-off").locator(".excerpt .here", { hasText: "mlx5_5" }).waitFor();
        await it.hosts(3);
        await it.until(() => /on 3 hosts/.test(document.getElementById("expected")?.textContent));
        await soon.ok(() => consequence.isVisible());
        await finding("gdr-off").locator(".excerpt .here").waitFor();
    },
);

test("marks at a glance: a fault names its finding, what is only a link has none", async () => {
    await it.open(faults, "hosts=2");
    await it.unfold();
    const mark = (id) => it.page.locator(`[data-question="${id}"] .tone`);
    await soon.equal(() => mark("gdr").getAttribute("aria-label"), "fault");
    await soon.match(
        () => text('[data-question="gdr"]'),
        /GPUDirect RDMA is off on some RDMA NICs/,
    );
    await soon.equal(() => mark("p2p").getAttribute("aria-label"), "good");
    for (const id of ["peers", "release", "settings", "log"])
        await soon.deepEqual(
            async () => [
                await mark(id).textContent(),
                await it.page.locator(`[data-question="${id}"] a`).count(),
            ],
            ["", 1],
            id,
        );
});

test(
    "a matrix: what rests on assumptions carries ≈ and says on which; what cannot be known says " +
        "so",
    async () => {
        await it.page.goto(it.server.url);
        await it.page.locator("#paste").fill(matrix);
        await it.page.locator("#read").click();
        await ready(it.page);
        await soon.doesNotMatch(() => text("#verdict h2"), /Healthy/);
        await soon.match(
            () => text("#verdict h2"),
            /About \d+ GB\/s on 1 host, if the assumptions hold/,
        );
        await it.unfold();
        await soon.match(() => text("#expected"), /≈ \d+(\.\d+)? GB\/s bus bandwidth/);
        await soon.match(() => text("#assumes"), /assumed.*100 Gb\/s/s);
        await soon.match(
            () => text('[data-question="degraded"]'),
            /^\?\s+cannot be known from this input/,
        );
        await soon.match(
            () => text('[data-question="credible"]'),
            /^\?\s+cannot be known from this input/,
        );
        await soon.match(
            () => text('[data-question="p2p"]'),
            /≈ rests on \d assumptions.*made up from the distances/s,
        );
    },
);

test("axe finds nothing with everything unfolded, light and dark", async () => {
    for (const theme of ["light", "dark"])
        for (const file of [healthy, faults]) {
            await it.another({ theme });
            await it.open(file, "hosts=2");
            await it.axe(`${theme}, folded`);
            await it.unfold();
            await it.axe(`${theme}, unfolded`);
        }
});
