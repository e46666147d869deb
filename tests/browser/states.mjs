/* What the page looks like when it is not simply full: each state a name, and how the page gets there. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { dump, machine, malformed } from "./dumps.mjs";
import { openFile, ready } from "./support.mjs";

const file = (name, text) => {
    const path = join(tmpdir(), `${name}.xml`);
    writeFileSync(path, text);
    return path;
};
const seventyTwo = machine({ gpus: 72, nics: 72, cpus: 36, switches: 72, hosts: 18 });
const open = async (page, server, name, text, fragment = "") => {
    await openFile(page, server.url, file(name, text));
    if (!fragment)
        return;
    const url = `${page.url()}&${fragment}`;
    await page.goto("about:blank");
    await page.goto(url);
    await ready(page);
};
const refusal = (status, title, detail, advice) => ({ status, contentType: "application/problem+json", body: JSON.stringify({ type: "/problems/x", title, status, detail, advice, instance: "1" }) });

/** {name: act(page, server)}; what the page complains of in "gone" is the point of it. */
export const STATES = {
    loading: async (page, server) => {
        await page.route("**/analysis*", () => {}); // never answered
        await page.goto(server.url);
        await page.locator("#file").setInputFiles(file("loading", dump));
        await page.locator("#panel").waitFor();
    },
    "one-gpu": (page, server) => open(page, server, "one-gpu", machine({ gpus: 1, nics: 1 })),
    "sixteen-nics": (page, server) => open(page, server, "sixteen-nics", machine({ gpus: 8, nics: 16, switches: 8 }), "hosts=2&view=matrix"),
    "seventy-two": (page, server) => open(page, server, "seventy-two", seventyTwo),
    "seventy-two-matrix": (page, server) => open(page, server, "seventy-two", seventyTwo, "view=matrix&cell=bw"),
    "hosts-512": (page, server) => open(page, server, "hosts-512", machine({ gpus: 8, nics: 8, switches: 8 }), "hosts=512&view=hosts"),
    "hosts-512-tree": (page, server) => open(page, server, "hosts-512", machine({ gpus: 8, nics: 8, switches: 8 }), "hosts=512&view=hosts&graph=tree"),
    refused: async (page, server) => {
        await page.goto(server.url);
        await page.locator("#file").setInputFiles(file("refused", malformed));
        await page.locator(".problem").first().waitFor();
    },
    "refused-setting": (page, server) => open(page, server, "refused-setting", dump, "panel=settings&NCCL_P2P_LEVLE=SYS"),
    gone: async (page, server) => {
        await open(page, server, "gone", dump);
        await page.route("**/v1/**", (route) => route.abort("connectionrefused"));
        await page.locator("#hosts").fill("3");
        await page.locator("#hosts").press("Enter");
        await page.locator(".problem").first().waitFor();
        await page.waitForTimeout(200);
        page.complaints = page.complaints.filter((text) => !/ERR_CONNECTION_REFUSED/.test(text));
    },
    token: async (page, server) => {
        await page.route("**/v1/**", (route) => route.fulfill({ ...refusal(401, "A token is needed", "no token was sent", "send one"), headers: { "WWW-Authenticate": "Bearer" } }));
        await page.goto(server.url);
        await page.locator("#token").waitFor();
    },
    search: async (page, server) => {
        await open(page, server, "search", machine({ gpus: 8, nics: 8, switches: 4 }));
        await page.keyboard.press("/");
        await page.locator("#search").fill("mlx5_1");
        await page.waitForTimeout(150);
    },
    export: async (page, server) => {
        await open(page, server, "export", dump);
        await page.keyboard.press("e");
        await page.locator("#export").waitFor();
    },
    keys: async (page, server) => {
        await page.goto(server.url);
        await page.keyboard.press("?");
        await page.locator("dialog[open]").waitFor();
    },
};
