// SPDX-License-Identifier: Apache-2.0
/* Every component of the page in both themes, made by the functions that the page uses, so that none is drawn here by
 * hand. What they show is made up. */
import { costBar } from "./diagnosis.js";
import { words } from "./model.js";
import { choices, copyButton, fold, h } from "./dom.js";
import { DEFAULTS } from "./state.js";
import { TONES } from "./tones.js";
import { finding } from "./views/findings.js";
import { tabs } from "./views/frame.js";
import { problemView } from "./views/problem.js";
import { verdictHead } from "./views/verdict.js";

const SIZES = [
    ["s1", "12 px", "labels, small print"],
    ["s2", "13.5 px", "text"],
    ["s3", "16 px", "headings"],
    ["s4", "20 px", "titles, figures"],
    ["s5", "28 px", "the line that decides"],
];
const COLOURS = words("bg raised ink muted hair strong accent bad warn yes no");
const PATHS = ["LOC", "NVL", "NVB", "C2C", "PIX", "PXB", "PXN", "PHB", "SYS", "NET", "DIS"];

const gbps = (now, repaired) => ({
    now,
    repaired,
    unit: "GB/s",
    for: "bus bandwidth of AllReduce at 1 GiB on 2 hosts",
    hosts: 2,
});
const fault = (id, device, title) => ({
    id,
    title,
    severity: "warning",
    detail: "the link is 32 GT/s x8; the seven others are 32 GT/s x16",
    advice: "Reseat the card, and compare LnkSta with LnkCap.",
    commands: ["lspci -vv | grep LnkSta:"],
    why: "The slower link limits every channel that uses it.",
    places: [{ node: `NET/${device}`, device }],
    more_places: 0,
    cost: gbps(342, 399),
    follows_from: null,
});
const doc = {
    topology: "design",
    hosts: 2,
    predictions: null,
    findings: [
        fault("slow-link", "mlx5_3", "A NIC's PCIe link is slower than those of equal NICs"),
        fault("gdr-off", "mlx5_5", "GPUDirect RDMA is off on one port"),
    ],
    summary: { verdict: { state: "degraded", sentence: "", advice: "", cost: gbps(342, 455) } },
};
const model = { doc, nodes: new Map(), links: new Map(), systems: 1, bar: null };
model.bar = costBar(model);
const state = { ...DEFAULTS, settings: {}, repair: "slow-link" };
const nothing = () => {};
const actions = { repair: nothing, light: nothing, placed: nothing, line: nothing, hosts: nothing };
const scaling = {
    hosts: [1, 2, 4, 8],
    lines: [
        { name: "AllReduce", values: [470, 455, 400, 380] },
        { name: "AlltoAll", values: [340, 85, 60, 50] },
    ],
};

function components(theme) {
    const part = (name, ...what) => [h("h2", name), ...what],
        swatch = (name) => {
            const item = h("li", name);
            item.style.setProperty("--swatch", `var(--${name})`);
            return item;
        };
    return h("section", { "data-theme": theme, "aria-label": `${theme} theme` }, [
        h("h1", `Components, ${theme}`),
        part(
            "Type",
            SIZES.map(([name, size, use]) => h(`p.type-${name}`, `${size}: ${use}`)),
        ),
        part("Colours", h("ul.swatches", COLOURS.map(swatch))),
        part("Kinds of paths", h("p.row", [PATHS.map((kind) => h(`span.kind.k-${kind}`, kind))])),
        part("Verdict", verdictHead({ model, scaling, state, known: {}, actions })),
        part(
            "Finding",
            h("ul.findings", [
                h("li", finding(doc.findings[0], { model, source: "", state, actions })),
            ]),
        ),
        part(
            "Marks of answers",
            h("p.row", [
                Object.entries(TONES).map(([tone, [mark, word]]) =>
                    h(`span.tone-${tone}`, h("span.tone", mark), ` ${word}`),
                ),
            ]),
        ),
        part(
            "Tabs",
            tabs(
                `tabs-${theme}`,
                null,
                [
                    ["a", "Drawing"],
                    ["b", "Matrix"],
                    ["c", "Dump"],
                ],
                "a",
                nothing,
                `Tabs, ${theme}`,
            ),
        ),
        part(
            "Buttons",
            h("p.row", [
                h("button", "Button"),
                h("button.primary", "First choice"),
                h("button.danger", "Delete"),
                h("button", { disabled: true }, "Not now"),
                h("button.pill", "NCCL 2.30.7 · 2 hosts"),
                h("button.device", "mlx5_3"),
                h("button.text", "a link in a text"),
                copyButton("text", "Copy"),
                choices(
                    `Choice, ${theme}`,
                    [
                        ["1", "1"],
                        ["2", "2"],
                        ["4", "4"],
                    ],
                    "2",
                    nothing,
                ),
            ]),
        ),
        part(
            "Fields and badges",
            h("p.row", [
                h("input", { "aria-label": `Field, ${theme}`, placeholder: "NCCL_NAME=VALUE" }),
                h("select", { "aria-label": `List, ${theme}` }, h("option", "all_reduce")),
                h("span.badge", "assumed"),
                h("span.chip", [
                    h("span", "NCCL_P2P_LEVEL=SYS"),
                    h("button", { "aria-label": "Remove" }, "×"),
                ]),
            ]),
        ),
        part("Fold", fold(`design-${theme}`, "11 checks passed", h("p", "What is folded."))),
        part(
            "Problem",
            problemView({
                title: "The input cannot be read",
                detail: "line 12 ends within an attribute",
                advice: "Write the dump again",
            }),
        ),
    ]);
}

/* Ids and names of landmarks are those of one page; here everything is there twice. */
function alone(section) {
    for (const one of section.querySelectorAll("[id]")) one.removeAttribute("id");
    for (const one of section.querySelectorAll("section[aria-label]"))
        one.setAttribute(
            "aria-label",
            `${one.getAttribute("aria-label")}, ${section.dataset.theme}`,
        );
    return section;
}

document
    .getElementById("design")
    .append(h("div.themes", alone(components("light")), alone(components("dark"))));
