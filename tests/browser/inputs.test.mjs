// SPDX-License-Identifier: Apache-2.0
/* Any description of a machine can be opened; the page says how it was read, what is assumed and what is missing. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { fixture, soon } from "./fixture.mjs";
import { resultsOf } from "./results.mjs";
import { exampleFile, ready } from "./support.mjs";

const it = fixture(),
    root = new URL("../..", import.meta.url).pathname;
const matrix = `$ nvidia-smi topo -m
\t\u001b[4mGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\u001b[0m
GPU0\t X \tNV4\tPIX\t0-15\t0
GPU1\tNV4\t X \tPXB\t0-15\t0
NIC0\tPIX\tPXB\t X

NIC Legend:

  NIC0: mlx5_0
`;
/* As a provider ships it: places of devices, no devices. */
const provider = readFileSync(exampleFile("workstation").path, "utf8")
    .replace(/<gpu [^>]*\/>/g, "")
    .replace(/<nic>[^]*?<\/nic>/g, "");
const panel = () => it.page.locator("#input");

test(
    "a pasted matrix: recognised, assumed, missing with commands; the text as it was is in the dump " +
        "view",
    async () => {
        await it.page.goto(it.server.url);
        await it.page.locator("#paste").fill(matrix);
        await it.page.locator("#read").click();
        await ready(it.page);
        await soon.match(
            () => it.page.locator("#assumes").textContent(),
            /output of nvidia-smi topo -m.*2 GPUs and 1 NIC/,
        );
        await soon.match(() => it.page.locator("#assumed").textContent(), /no bandwidths.*paths/);
        await soon.match(() => it.page.locator("#missing").textContent(), /nvidia-smi -L/);
        await it.view("Dump");
        await it.page.locator("#source .line").first().waitFor();
        await soon.match(() => it.page.locator("#source").textContent(), /nvidia-smi topo -m/);
        await it.axe("a matrix");
    },
);

test("pasting a text anywhere opens it; a single word does nothing; a word in a field stays there", async () => {
    await it.page.goto(it.server.url);
    const paste = (text, where = "body") =>
        it.page.evaluate(
            ([value, place]) => {
                const data = new DataTransfer();
                data.setData("text/plain", value);
                document.querySelector(place).dispatchEvent(
                    new ClipboardEvent("paste", {
                        clipboardData: data,
                        bubbles: true,
                        cancelable: true,
                    }),
                );
            },
            [text, where],
        );
    await paste("word");
    await paste(matrix, "#paste");
    await it.page.waitForTimeout(200);
    await soon.equal(() => it.page.locator("#input").count(), 0);
    await paste(matrix);
    await ready(it.page);
    await soon.match(() => panel().textContent(), /nvidia-smi topo/);
});

test(
    "a provider's file: no GPUs until a machine type is chosen, by keyboard; the choice is in the address " +
        "and can be taken back",
    async () => {
        await it.page.goto(it.server.url);
        await it.page.locator("#file").setInputFiles(it.write("provider.xml", provider));
        await it.page.locator("#panel .problem, .stage .problem").first().waitFor();
        await soon.match(
            () => panel().textContent(),
            /as cloud providers ship them: places for 2 GPUs and 1 NIC/,
        );
        // the lists of releases and machines, with which the panel is drawn again
        await it.page.waitForLoadState("networkidle");
        await it.page.locator("#assume").focus();
        await it.choose("#assume", "g5.48xlarge");
        await ready(it.page);
        await soon.match(() => it.page.url(), /assume=g5\.48xlarge/);
        await soon.match(
            () => it.page.locator("#assumed").textContent(),
            /assumed to be g5\.48xlarge, 8x A10G: 2 GPUs \(sm 86\)/,
        );
        await soon.match(
            () => it.page.locator("#assumed").textContent(),
            /has 8 GPUs, the input has places for 2/,
        );
        await it.axe("a provider's file");
        await it.ask();
        await it.page.getByRole("button", { name: "Assume nothing" }).press("Enter");
        await it.page.locator("#panel .problem, .stage .problem").first().waitFor();
        await soon.doesNotMatch(() => it.page.url(), /assume/);
    },
);

test(
    "a provider's file without kinds of devices: the problem leads to the machine types, those that fit come " +
        "first, and the source is told",
    async () => {
        const open = provider.replace(/ class="0x0[23][^"]*"/g, "");
        await it.page.goto(it.server.url);
        await it.page.locator("#file").setInputFiles(it.write("open.xml", open));
        await it.page.locator("#choose-type").waitFor();
        await it.page.waitForLoadState("networkidle");
        await it.page.locator("#choose-type").click();
        await soon.equal(() => it.page.evaluate(() => document.activeElement.id), "assume");
        await soon.match(
            () => panel().textContent(),
            /as cloud providers ship them: 3 PCI devices whose kinds NCCL finds/,
        );
        await soon.match(
            () => it.page.locator(".stage .problem, .problem").first().textContent(),
            /no attribute class.*from a machine type/s,
        );
        await it.choose("#assume", "hgx-h100");
        await it.page.locator("#type-source").waitFor();
        await soon.match(
            () => it.page.locator("#type-source").textContent(),
            /facts are from MLPerf.*Not certain: CPU and NICs/,
        );
        await it.choose("#assume", "BM.GPU3.8");
        await it.until(() =>
            /were not looked up/.test(document.getElementById("type-source")?.textContent ?? ""),
        );
        await it.choose("#assume", "");
        await it.page.goto("about:blank");
        await it.page.goto(it.server.url);
        await it.page.locator("#file").setInputFiles(exampleFile("h100-nvswitch").path);
        await ready(it.page);
        await soon.equal(
            () => it.page.locator("#assume").count(),
            0,
            "NCCL's own dump assumes nothing",
        );
    },
);

test("a matrix: the machine types with as many GPUs and NIC ports come first", async () => {
    await it.page.goto(it.server.url);
    await it.page.locator("#paste").fill(matrix);
    await it.page.locator("#read").click();
    await ready(it.page);
    const first = it.page.locator("#assume optgroup").first();
    await soon.match(() => first.getAttribute("label"), /As many GPUs and NIC ports as here/);
    await soon.deepEqual(
        () => first.locator("option").evaluateAll((rows) => rows.map((row) => row.value)),
        ["Standard_NC48ads_A100_v4"],
    );
});

test(
    "an address with a machine type; NCCL's XML of it and a file for a virtual machine can be taken " +
        "away",
    async () => {
        await it.page.goto(it.server.url);
        await it.page.locator("#file").setInputFiles(it.write("provider.xml", provider));
        await it.page.locator("#assume").waitFor();
        await it.visit(`${it.page.url()}&assume=g5.48xlarge`);
        await it.menu("export", "share");
        const take = async (kind) => {
            const [file] = await Promise.all([
                it.page.waitForEvent("download"),
                it.key(`export:${kind}`).click(),
            ]);
            return readFileSync(await file.path(), "utf8");
        };
        await soon.match(() => take("nccl.xml"), /<gpu dev="0" sm="86" rank="0" gdr="1"\/>/);
        await it.page.locator("summary", { hasText: "Bus ids" }).click();
        await it.page.locator("#vm-gpus").fill("0000:00:05.0, 0000:00:06.0");
        const file = await take("vm.xml");
        assert.match(file, /busid="0000:00:05\.0" class="0x030200"/);
        assert.doesNotMatch(file, /<gpu|<nic/);
        await it.page.locator("#vm-gpus").fill("nonsense");
        await it.key("export:vm.xml").click();
        await it.until(() =>
            /is not a bus id/.test(document.getElementById("export-status").textContent),
        );
        await it.axe("the dialog");
    },
);

test("a phone: the panel is as wide as the window", async () => {
    await it.another({ width: 390, height: 844 });
    await it.page.goto(it.server.url);
    await it.page.locator("#paste").fill(matrix);
    await it.page.locator("#read").click();
    await ready(it.page);
    await soon.ok(() => it.wideAsWindow());
    await it.axe("on a phone");
});

test("what is not a machine is refused with what it is", async () => {
    await it.page.goto(it.server.url);
    await it.page.locator("#paste").fill('<graphs version="1">\n</graphs>');
    await it.page.locator("#read").click();
    await it.page.locator(".problem").waitFor();
    await soon.match(
        () => it.page.locator(".problem").textContent(),
        /NCCL graph XML.*not the machine/s,
    );
});

const logFile = new URL("../data/logs/workstation-2.27.7-1h.log", import.meta.url).pathname;

test("a log on the start page opens the machine that it prints, and is compared with it; as text, too", async () => {
    await it.page.goto(it.server.url);
    await it.page.locator("#file").setInputFiles(logFile);
    await it.page.locator("#log-verdict").waitFor();
    await soon.match(
        () => it.page.locator("#log-verdict").textContent(),
        /^All \d+ facts of the log agree/,
    );
    await it.key("go:verdict").click();
    await soon.match(
        () => it.page.locator("#assumes").textContent(),
        /NCCL debug log with its tree.*NCCL 2\.27\.7\S* printed: 2 GPUs/,
    );
    await soon.match(() => it.page.locator("#assumed").textContent(), /compute capability/);
    await it.axe("a log as a machine");
    await it.view("Dump");
    await it.page.locator("#source .line").first().waitFor();
    await soon.match(() => it.page.locator("#source").textContent(), /NCCL INFO/);
    await it.page.goto("about:blank");
    await it.page.goto(it.server.url);
    await it.page.locator("#paste").fill(readFileSync(logFile, "utf8"));
    await it.page.locator("#read").click();
    await it.page.locator("#log-verdict").waitFor();
});

test("a dump, a log and results dropped at once, in any order: opened together, with a receipt", async () => {
    const { path } = exampleFile("workstation-2gpu"),
        log = readFileSync(logFile, "utf8"),
        results = await resultsOf(it.server.url, {
            type: "hgx-h100",
            gpus: 2,
        });
    for (const order of [
        [0, 1, 2],
        [2, 1, 0],
    ]) {
        await it.page.goto("about:blank");
        await it.page.goto(it.server.url);
        await it.key("go:library").waitFor();
        await it.page.evaluate(
            ([files, places]) => {
                const dataTransfer = new DataTransfer();
                for (const i of places)
                    dataTransfer.items.add(new File([files[i][1]], files[i][0]));
                dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
            },
            [
                [
                    ["node1.xml", readFileSync(path, "utf8")],
                    ["job.log", log],
                    ["run.txt", results],
                ],
                order,
            ],
        );
        await it.page.locator("#receipt").waitFor();
        await soon.match(
            () => it.page.locator("#receipt").textContent(),
            /^1 dump, 1 result, 1 log: opened together\./,
        );
        await it.settled();
        await it.view("Log");
        await it.page.locator("#log-verdict").waitFor();
        await it.view("Bandwidth");
        await it.page.locator("#results-verdict").waitFor();
        await soon.match(() => it.page.locator("h1").textContent(), /node1/);
    }
});

test("a log without a tree shows its triage and what to do; the start page stays", async () => {
    await it.page.goto(it.server.url);
    await it.page.locator("#paste").fill("node1:1:2 [0] NCCL INFO Channel 00/02 : 0 1\n");
    await it.page.locator("#read").click();
    await it.page.locator("#log-alone").waitFor();
    await soon.match(
        () => it.page.locator("#why-not-compared").textContent(),
        /does not contain the tree.*NCCL_DEBUG_SUBSYS=GRAPH prints it/s,
    );
    await soon.equal(() => it.page.locator("#log-verdict").count(), 0);
    await it.key("forget-log").click();
    await it.until(() => !document.querySelector("#log-alone") && document.querySelector("#paste"));
});

test("a tar of orrery gather opens the machine; the dump view shows the XML that it tells", async () => {
    const folder = it.write("m.tar.gz", "").replace(/m\.tar\.gz$/, "");
    execFileSync(
        "/usr/bin/python3",
        [
            "-c",
            "import fake_machine, sys; fake_machine.MACHINES['tree-a'](sys.argv[1])",
            `${folder}m`,
        ],
        { cwd: new URL("../detect/", import.meta.url).pathname },
    );
    execFileSync(process.env.ORRERY ? resolve(process.env.ORRERY) : join(root, "build/orrery"), [
        "gather",
        "--root",
        `${folder}m`,
        `${folder}m.tar.gz`,
    ]);
    await it.page.goto(it.server.url);
    await it.page.locator("#file").setInputFiles(`${folder}m.tar.gz`);
    await it.page.locator("#input").waitFor({ state: "attached" });
    await soon.match(() => it.page.locator("#assumes").textContent(), /tar of orrery gather/);
    const commands = await it.page.locator("#missing pre").allTextContents();
    assert.ok(
        commands.length > 0 &&
            commands.every((text) => !/ says | shows |^run it|in a container/.test(text)),
        `commands to run as they stand: ${commands.join(" | ")}`,
    );
    await it.view("Dump");
    await it.page.locator("#source .line").first().waitFor();
    await soon.match(() => it.page.locator("#source").textContent(), /<system/);
});

/* Two GPUs below each of two sockets, and one NIC. */
const sockets = `\tGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID
GPU0\t X \tPIX\tSYS\tSYS\tPIX\t0-31\t0\tN/A
GPU1\tPIX\t X \tSYS\tSYS\tPIX\t0-31\t0\tN/A
GPU2\tSYS\tSYS\t X \tPIX\tSYS\t32-63\t1\tN/A
GPU3\tSYS\tSYS\tPIX\t X \tSYS\t32-63\t1\tN/A
NIC0\tPIX\tPIX\tSYS\tSYS\t X \n`;

test("a verdict that hangs on the CPUs asks which they are; the choice is in the address", async () => {
    await it.page.goto(it.server.url);
    await it.page.locator("#paste").fill(sockets);
    await it.page.locator("#read").click();
    await ready(it.page);
    await it.settled();
    const which = it.page.locator("#which-cpu");
    await which.filter({ hasText: /\d GB\/swith Intel CPUs\d+ GB\/swith AMD CPUs/ }).waitFor();
    await soon.equal(() => it.key("cpu:intel").getAttribute("aria-pressed"), "true");
    const line = () => it.page.locator("#verdict h2").textContent();
    const before = await line();
    await it.key("cpu:amd").click();
    await it.until(() => /assume_cpu=amd/.test(location.hash));
    await it.until((text) => document.querySelector("#verdict h2").textContent !== text, before);
    await it.settled();
    await soon.equal(() => it.key("cpu:amd").getAttribute("aria-pressed"), "true");
    await it.page.locator("#assumes summary").first().click();
    await soon.match(() => it.page.locator("#assumed").textContent(), /CPUs are assumed to be AMD/);
    await it.choose("#assume-cpu", "arm");
    await it.until(() => /assume_cpu=arm/.test(location.hash));
    await which.filter({ hasText: "with Arm CPUs" }).waitFor();
    await it.axe("which CPUs");
    await it.ask();
    await soon.match(() => it.page.locator(".chip").first().textContent(), /^Arm CPUs assumed/);
    await it.page.getByRole("button", { name: "Assume the usual CPUs" }).click();
    await it.until(() => !/assume_cpu/.test(location.hash));
    // two GPUs of one socket: no path leads through a CPU
    await it.page.goto("about:blank");
    await it.page.goto(it.server.url);
    await it.page.locator("#paste").fill(
        sockets
            .replace(/^GPU[23].*\n/gm, "")
            .replace(/\tGPU2\tGPU3/, "")
            .replaceAll("\tSYS\tSYS", ""),
    );
    await it.page.locator("#read").click();
    await ready(it.page);
    await which.filter({ hasText: "is the same with Intel CPUs and with AMD CPUs." }).waitFor();
});

test("trays: the page asks whether NVLink joins them, and the address has the answer", async () => {
    const which = it.page.locator("#which-domain"),
        line = () => it.page.locator("#verdict h2").textContent(),
        pressed = (word) => it.key(`domain:${word}`).getAttribute("aria-pressed"),
        pill = () => it.key("question").textContent();
    await it.open(exampleFile("gb300").path, "hosts=36");
    await which
        .filter({ hasText: /\d GB\/sover NICs alone\d+ GB\/swith NVLink between 18/ })
        .waitFor();
    await soon.equal(() => pressed(1), "true");
    const apart = await line();
    await it.key("domain:18").click();
    await it.until(() => /[#&]domain=18/.test(location.hash));
    await soon.notEqual(line, apart);
    await soon.match(line, /on 36 hosts/);
    await soon.match(pill, /36 hosts1 setting/);
    await it.settled();
    await soon.equal(() => pressed(18), "true");
    await soon.match(
        () => it.page.locator("#expected h2").textContent(),
        /36 hosts in 2 NVLink domains, 144 ranks/,
    );
    await it.axe("joined trays");
    await it.ask();
    await soon.equal(() => it.page.locator("#asked-assume-domain").inputValue(), "18");
    await it.choose("#asked-assume-domain", "4");
    await it.until(() => /[#&]domain=4(&|$)/.test(location.hash));
    await soon.match(
        () => it.page.locator("#expected h2").textContent(),
        /36 hosts in 9 NVLink domains/,
    );
    await it.page.getByRole("button", { name: "Join hosts as usual" }).click();
    await it.until(() => !/domain/.test(location.hash));
    await soon.equal(line, apart);
    // a machine type says it by itself, until somebody says otherwise
    await it.visit(`${it.server.url}/#machine=gb200-tray&hosts=4`);
    const together = await line();
    await which.waitFor();
    await soon.equal(() => pressed(18), "true");
    await it.key("domain:1").click();
    await it.until(() => /[#&]domain=1(&|$)/.test(location.hash));
    await soon.notEqual(line, together);
    for (const view of ["Channels", "Hosts", "Transfers", "Choose GPUs", "Bandwidth"]) {
        await it.view(view);
        await it.settled();
    }
    await it.open(exampleFile("h100-nvswitch").path, "hosts=2");
    await soon.equal(() => it.page.locator("#assume-domain, #which-domain").count(), 0);
});
