// SPDX-License-Identifier: Apache-2.0
/* Changes by another release or other settings: by mouse, by keyboard, by address. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dump, ids } from "./dumps.mjs";
import { fixture, soon } from "./fixture.mjs";
import { exampleFile } from "./support.mjs";

const it = fixture();
const { path: cube } = exampleFile("v100-cube-mesh");
const compared = () => it.page.locator("#changes, #diff-summary").first().waitFor();

test("another release is compared with this one: sections, reasons, changes with their places", async () => {
    await it.open(cube, "hosts=2");
    const { page } = it;
    await it.view("What if");
    await page.locator("#no-comparison").waitFor();
    await it.choose("#against", "2.7.8");
    await compared();
    await soon.match(() => page.url(), /against=2\.7\.8.*view=diff|view=diff.*against=2\.7\.8/);
    await soon.match(
        () => page.locator("#diff-summary").textContent(),
        /2\.30\.7 → 2\.7\.8: .*\d+ of \d+ facts change/,
    );
    await soon.ok(async () => (await page.locator("#reasons tbody tr").count()) > 3);
    await soon.ok(
        async () => (await page.locator("#canvas .edge.changed").count()) > 0,
        "links that change are marked on the drawing",
    );
    await soon.doesNotMatch(
        () => page.locator("#reasons").textContent(),
        /tuning\./,
        "words first",
    );
    await it.key("fold:ids").click();
    await soon.match(
        () => page.locator("details:has([data-key='fold:ids'])").textContent(),
        /tuning\./,
    );
    await page.getByRole("tab", { name: /^Paths \d+/ }).click();
    const row = page.locator('.changes tr[data-change^="paths."]').first();
    await soon.match(() => row.textContent(), /NVB.*SYS/, "the kind of a path before and after");
    await row.getByRole("button").first().click();
    const place = page.locator(".places button").first();
    await soon.match(() => place.textContent(), /^GPU \d → GPU \d$/);
    await soon.ok(async () => (await page.locator("#canvas .node.changed").count()) > 1);
    await place.click();
    const told = await page.locator("#before-after").textContent();
    assert.match(told, /Type\s*NVB\s*SYS/);
    assert.match(told, /P2P\s*yes.*no/);
    await page
        .locator('.changes [data-change="paths.0"] td')
        .last()
        .getByRole("button")
        .first()
        .click();
    await soon.equal(
        () => page.locator("#reasons tr.on").count(),
        1,
        "the reason is found in the list of reasons",
    );
});

test("by keyboard: d, a release, a section, a change", async () => {
    await it.open(cube, "hosts=2");
    const { page } = it;
    await page.keyboard.press("d");
    await it.choose("#against", "2.12.12");
    await compared();
    await it.key("change:why").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await soon.match(
        () => page.evaluate(() => document.activeElement.textContent),
        /^Paths/,
        "the focus goes along",
    );
    await it.key("change:paths.0").focus();
    await page.keyboard.press("Enter");
    await soon.equal(() => page.locator("tr.places").count(), 1);
    await soon.equal(
        () => page.evaluate(() => document.activeElement.dataset.key),
        "change:paths.0",
    );
    await page.keyboard.press("Enter");
    await soon.equal(() => page.locator("tr.places").count(), 0);
});

test("the address tells the comparison, the section and the change", async () => {
    await it.open(
        cube,
        "hosts=2&against=2.12.12&against=NCCL_P2P_LEVEL=LOC&view=diff&change=p2p.0",
    );
    await soon.equal(() => it.page.locator("#against").inputValue(), "2.12.12");
    await soon.match(() => it.page.locator("#chooser .chip").textContent(), /NCCL_P2P_LEVEL=LOC/);
    await soon.match(
        () => it.page.locator('tr.on[data-change="p2p.0"]').textContent(),
        /1.*0.*NCCL_P2P_LEVEL/s,
    );
    await soon.match(
        () => it.page.locator("tr.places").textContent(),
        /Before:.*P2P level.*After:/,
    );
});

test("a setting is typed for the other side; both sides can be swapped", async () => {
    await it.open(it.write("three.xml", dump), "view=diff");
    const { page } = it;
    await page.locator("#against-setting").fill("nonsense");
    await it.key("add").click();
    await soon.equal(
        () => page.locator("#no-comparison").count(),
        1,
        "what is not a setting is not asked",
    );
    await page.locator("#against-setting").fill("NCCL_P2P_LEVEL=SYS");
    await page.keyboard.press("Enter");
    await compared();
    await soon.match(
        () => page.locator("#diff-summary").textContent(),
        /P2P_LEVEL=default → P2P_LEVEL=SYS/,
    );
    await it.key("swap").click();
    await it.settled();
    await it.ask();
    await soon.match(() => page.locator(".ask .chip").textContent(), /NCCL_P2P_LEVEL=SYS/);
    await it.until(() =>
        /P2P_LEVEL=SYS → P2P_LEVEL=default/.test(
            document.querySelector("#diff-summary")?.textContent,
        ),
    );
    await it.key("no-against").click();
    await page.locator("#no-comparison").waitFor();
    await soon.doesNotMatch(() => page.url(), /against/);
});

test("the settings that help here are tried once they are asked for; each is one comparison", async () => {
    await it.open(exampleFile("h100-nvswitch").path, "hosts=2&view=diff");
    const { page } = it;
    await page.locator("#no-comparison").waitFor();
    await soon.equal(() => page.locator("#helping").count(), 0, "nothing is tried unasked");
    await it.key("fold:helping").click();
    await soon.match(
        () => page.locator("#helping").textContent(),
        /[1-9]\d* of \d+ settings and pairs of settings helps? without costing anything/,
    );
    const row = page.locator("#helping tbody tr").first();
    await soon.match(() => row.textContent(), /^NCCL_\w+=.*GB\/s \(\+\d+ %\).*helps$/);
    await soon.match(() => page.locator("#helping").textContent(), /only costs/);
    const name = await row.getByRole("button").textContent();
    await row.getByRole("button").click();
    await page.locator("#diff-summary").waitFor();
    await soon.ok(
        () => name.split(" ").every((text) => decodeURIComponent(page.url()).includes(text)),
        "the comparison is in the address",
    );
    await it.key("no-against").click();
    await soon.ok(() => page.locator("#helping tbody tr").first().isVisible(), "and it stays");
});

test("the matrix says before, after, or both, and marks what changes", async () => {
    await it.open(
        it.write("three.xml", dump),
        "view=matrix&cell=verdict&against=NCCL_P2P_LEVEL=SYS",
    );
    const { page } = it,
        there = it.cell(ids.gpu0, ids.gpu2);
    await page.locator("#matrix-changes").waitFor();
    await soon.match(() => page.locator("#matrix-changes").textContent(), /^4 of 12 cells change/);
    const place = await there.boundingBox();
    await soon.equal(() => there.textContent(), "–");
    await soon.equal(() => page.locator("#matrix button.changed").count(), 4);
    await it.key("Side:b").click();
    await soon.equal(() => there.textContent(), "W");
    await soon.deepEqual(() => there.boundingBox(), place, "nothing moves");
    await it.key("Side:both").focus();
    await page.keyboard.press("Enter");
    await soon.equal(() => there.textContent(), "–→W");
    await soon.match(() => there.getAttribute("aria-label"), /– before, W after/);
    await soon.match(() => page.url(), /side=both/);
});

test("a refused release or setting of the other side says what to do", async () => {
    await it.open(it.write("three.xml", dump), "view=diff&against=9.9.9");
    await soon.match(
        () => it.page.locator("#drawer .problem").textContent(),
        /9\.9\.9.*newest that Orrery knows/,
    );
    await it.choose("#against", "2.27.7");
    await it.page.locator("#diff-summary").waitFor();
    await soon.equal(() => it.page.locator(".problem").count(), 0);
});

test("a comparison that takes long says so and can be cancelled", async () => {
    let letGo;
    const held = new Promise((done) => (letGo = done));
    await it.page.route("**/analysis/diff*", async (route) => {
        await held;
        await route.abort().catch(() => {});
    });
    await it.open(it.write("three.xml", dump));
    await it.page.keyboard.press("d");
    await it.choose("#against", "2.27.7");
    await it.page.locator("#comparing").waitFor();
    await it.key("cancel").click();
    await it.page.locator("#no-comparison").waitFor();
    await it.settled();
    letGo();
});

test("axe finds nothing on the comparison, light and dark; a phone shows it whole", async () => {
    for (const scene of ["", "&change=paths.0", "&view=matrix&side=both"]) {
        await it.open(cube, `hosts=2&against=2.7.8&view=diff${scene}`);
        await it.axeInBoth(scene);
    }
    await it.another({ width: 390, height: 844 });
    await it.open(cube, "hosts=2&against=2.7.8&view=diff&change=paths.0");
    await soon.ok(() => it.wideAsWindow());
});
