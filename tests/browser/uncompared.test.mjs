// SPDX-License-Identifier: Apache-2.0
/* A release that was not compared with NCCL's own results: the page says so. The program is orrery with another
 * release table (tests/support/uncompared.c). */
import { test } from "node:test";
import { fixture, soon } from "./fixture.mjs";
import { built, exampleFile, startProgram } from "./support.mjs";

const it = fixture(() => startProgram(built("tests/orrery_uncompared")));
const note = () => it.page.locator("#verdict .unverified, .unverified");

test("the page says that a release was not compared, and only of that one", async () => {
    await it.open(exampleFile("h100-nvswitch").path);
    await soon.match(() => it.page.locator("#verdict h2").first().innerText(), /Healthy/);
    await soon.equal(() => note().count(), 0, "2.30.4, the default here, was compared");
    await it.ask();
    await it.choose("#release", "2.30.7");
    await soon.match(
        () => note().first().innerText(),
        /not compared\s+What Orrery knows of NCCL 2\.30\.7 has not been compared with NCCL's own results\./,
    );
    await it.choose("#release", "2.30.4");
    await soon.equal(() => note().count(), 0);
});
