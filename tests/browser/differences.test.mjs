// SPDX-License-Identifier: Apache-2.0
/* What another release or other settings would change: by mouse, by keyboard, by address. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dump, ids } from "./dumps.mjs";
import { fixture } from "./fixture.mjs";
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
    assert.match(page.url(), /against=2\.7\.8.*view=diff|view=diff.*against=2\.7\.8/);
    assert.match(
        await page.locator("#diff-summary").textContent(),
        /2\.30\.7 → 2\.7\.8: .*\d+ of \d+ facts change/,
    );
    assert.ok((await page.locator("#reasons tbody tr").count()) > 3);
    assert.ok(
        (await page.locator("#canvas .edge.changed").count()) > 0,
        "links that change are marked on the drawing",
    );
    await page.getByRole("tab", { name: /^Paths \d+/ }).click();
    const row = page.locator('.changes tr[data-change^="paths."]').first();
    assert.match(await row.textContent(), /NVB.*SYS/, "the kind of a path before and after");
    await row.getByRole("button").first().click();
    const place = page.locator(".places button").first();
    assert.match(await place.textContent(), /^GPU \d → GPU \d$/);
    assert.ok((await page.locator("#canvas .node.changed").count()) > 1);
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
    assert.equal(
        await page.locator("#reasons tr.on").count(),
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
    assert.match(
        await page.evaluate(() => document.activeElement.textContent),
        /^Paths/,
        "the focus goes along",
    );
    await it.key("change:paths.0").focus();
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("tr.places").count(), 1);
    assert.equal(await page.evaluate(() => document.activeElement.dataset.key), "change:paths.0");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("tr.places").count(), 0);
});

test("the address tells the comparison, the section and the change", async () => {
    await it.open(
        cube,
        "hosts=2&against=2.12.12&against=NCCL_P2P_LEVEL=LOC&view=diff&change=p2p.0",
    );
    assert.equal(await it.page.locator("#against").inputValue(), "2.12.12");
    assert.match(await it.page.locator("#chooser .chip").textContent(), /NCCL_P2P_LEVEL=LOC/);
    assert.match(
        await it.page.locator('tr.on[data-change="p2p.0"]').textContent(),
        /1.*0.*NCCL_P2P_LEVEL/s,
    );
    assert.match(await it.page.locator("tr.places").textContent(), /Before:.*P2P level.*After:/);
});

test("a setting is typed for the other side; both sides can be swapped", async () => {
    await it.open(it.write("three.xml", dump), "view=diff");
    const { page } = it;
    await page.locator("#against-setting").fill("nonsense");
    await it.key("add").click();
    assert.equal(
        await page.locator("#no-comparison").count(),
        1,
        "what is not a setting is not asked",
    );
    await page.locator("#against-setting").fill("NCCL_P2P_LEVEL=SYS");
    await page.keyboard.press("Enter");
    await compared();
    assert.match(
        await page.locator("#diff-summary").textContent(),
        /P2P_LEVEL=default → P2P_LEVEL=SYS/,
    );
    await it.key("swap").click();
    await it.settled();
    await it.ask();
    assert.match(await page.locator(".ask .chip").textContent(), /NCCL_P2P_LEVEL=SYS/);
    await it.until(() =>
        /P2P_LEVEL=SYS → P2P_LEVEL=default/.test(
            document.querySelector("#diff-summary")?.textContent,
        ),
    );
    await it.key("no-against").click();
    await page.locator("#no-comparison").waitFor();
    assert.doesNotMatch(page.url(), /against/);
});

test("the matrix says before, after, or both, and marks what changes", async () => {
    await it.open(
        it.write("three.xml", dump),
        "view=matrix&cell=verdict&against=NCCL_P2P_LEVEL=SYS",
    );
    const { page } = it,
        there = it.cell(ids.gpu0, ids.gpu2);
    await page.locator("#matrix-changes").waitFor();
    assert.match(await page.locator("#matrix-changes").textContent(), /^4 of 12 cells change/);
    const place = await there.boundingBox();
    assert.equal(await there.textContent(), "–");
    assert.equal(await page.locator("#matrix button.changed").count(), 4);
    await it.key("Side:b").click();
    assert.equal(await there.textContent(), "W");
    assert.deepEqual(await there.boundingBox(), place, "nothing moves");
    await it.key("Side:both").focus();
    await page.keyboard.press("Enter");
    assert.equal(await there.textContent(), "–→W");
    assert.match(await there.getAttribute("aria-label"), /– before, W after/);
    assert.match(page.url(), /side=both/);
});

test("a refused release or setting of the other side says what to do", async () => {
    await it.open(it.write("three.xml", dump), "view=diff&against=9.9.9");
    assert.match(
        await it.page.locator("#drawer .problem").textContent(),
        /9\.9\.9.*newest that Orrery knows/,
    );
    await it.choose("#against", "2.27.7");
    await it.page.locator("#diff-summary").waitFor();
    assert.equal(await it.page.locator(".problem").count(), 0);
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
    assert.ok(await it.wideAsWindow());
});
