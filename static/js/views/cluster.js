// SPDX-License-Identifier: Apache-2.0
/* One cluster: the line that decides, its hosts by rack, the chosen host's machine with its faults, and tabs. */
import {
    calledHost,
    clusterBar,
    clusterName,
    faultsOf,
    letter,
    litHosts,
    MOST_TILES,
    nicSentences,
    openKind,
    racks,
    sentence,
} from "../cluster.js";
import { capital } from "../diagnosis.js";
import { dropDown, h, link, listOf, sign } from "../dom.js";
import { bandwidth } from "../model.js";
import { address, CLUSTER_TABS, DEFAULTS, shownTab } from "../state.js";
import { faultsTab } from "./cluster_faults.js";
import { railsTab, ringsTab } from "./cluster_rings.js";
import {
    groupsTab,
    kindsTab,
    orderTab,
    releasesTab,
    scalingTab,
    transfersTab,
} from "./cluster_tabs.js";
import { tabs } from "./frame.js";
import { releaseOptions } from "./settings.js";
import { costSegments } from "./verdict.js";

const TABS = {
    faults: faultsTab,
    scaling: scalingTab,
    releases: releasesTab,
    rings: ringsTab,
    rails: railsTab,
    kinds: kindsTab,
    groups: groupsTab,
    order: orderTab,
    transfers: transfersTab,
};

/** one: of clusters.js. actions: tab(name), host(number), light(key), release(name), and those of the tabs. */
export function clusterView({ one, clusters, releases, state, actions }) {
    const { record, view, doc } = one,
        tab = shownTab(state);
    return [
        h("header", [
            h("h1", clusterName(record)),
            h("p.muted", { id: "cluster-sentence" }, sentence(view, doc)),
            dropDown(
                "cluster-release",
                "NCCL",
                releaseOptions(releases, doc.nccl),
                null,
                actions.release,
            ),
            link(address(DEFAULTS, { place: "clusters" }), "all-clusters", "All clusters"),
        ]),
        verdict(one, state, actions),
        h("div.cluster-hosts", grid(one, state, actions), chosenHost(one, clusters, state)),
        tabs("tab", "cluster-tab", CLUSTER_TABS, tab, actions.tab, "Cluster"),
        h("div", { id: "cluster-tab", role: "tabpanel", tabindex: "-1", "data-tab": tab }, [
            TABS[tab]({ one, clusters, releases, state, actions }),
        ]),
    ];
}

/* Faults that cost this job nothing, and figures that rest on assumed values, have no tick. */
const MARKS = { fault: "✗", free: "!", assumed: "?", good: "✓" };

/* The line that decides, and below it what each repair gains: each gain lights its hosts. */
function verdict({ verdict: said }, state, actions) {
    if (!said)
        return h("section.cluster-verdict", { id: "cluster-verdict", "aria-label": "Verdict" }, [
            h("h2", said === null ? "No verdict" : "Computing…"),
        ]);
    const cost = clusterBar(said),
        standing = cost
            ? "fault"
            : said.faults.length > 0
              ? "free"
              : said.assumed.length > 0
                ? "assumed"
                : "good",
        [first, ...rest] = said.sentence.split(/(?<=\.) (?=[A-Z])/);
    return h(
        "section.cluster-verdict.decides",
        { id: "cluster-verdict", "aria-label": "Verdict", "data-state": standing },
        h("div.says", [
            h("h2", [sign(MARKS[standing]), first.replace(/\.$/, "")]),
            rest.length > 0 && h("p", rest.join(" ")),
            standing === "free" &&
                h("p", [
                    `${said.faults.length} fault${said.faults.length === 1 ? " costs" : "s cost"} ` +
                        "no bandwidth of this job, but may cost other jobs: see Faults.",
                ]),
            cost && [
                costSegments(
                    cost,
                    ({ finding }) => state.finding === finding,
                    ({ device, text }) =>
                        `Repairing ${device} gains ${text} ${cost.unit}: show its hosts`,
                    ({ finding }) => actions.light(finding),
                ),
                h("p.small", [
                    h("b", bandwidth(cost.repaired)),
                    ` ${cost.unit} with everything repaired (${cost.for}).`,
                ]),
            ],
        ]),
    );
}

const STATES = {
    fault: ["✗", "with a fault"],
    odd: ["≠", "unlike most"],
    good: ["", "like most"],
};
/* In words; of hosts without a fault, as far as they have something in common. */
function stateText(name, { hosts, kinds }) {
    const most = Math.max(...kinds.map((kind) => kind.host_count));
    if (name !== "good" || most > hosts / 2) return STATES[name][1];
    return most > 1 ? "of one of several kinds" : "unlike any other";
}

const MOST_NAMES = 72; // hosts: there is room for their names

/* A cell a host. The arrow keys go from one to the next. */
function grid(one, state, actions) {
    const groups = racks(one),
        cells = groups.flatMap((group) => group.cells);
    if (cells.length > MOST_TILES)
        return h("p.muted", { id: "tiles" }, [
            `A cell for each of ${one.view.hosts} hosts does not fit here. “Kinds of hosts” lists them by kind.`,
        ]);
    const lit = litHosts(one, state.finding),
        [, chosen] = /^host:(\d+)$/.exec(state.from) ?? [],
        current = cells.findIndex(({ from, to }) => chosen >= from && chosen <= to),
        named = cells.length <= MOST_NAMES;
    const counts = Object.entries(STATES)
        .map(([name, [sign]]) => {
            const n = cells
                .filter((row) => row.state === name)
                .reduce((sum, { from, to }) => sum + to - from + 1, 0);
            if (!n) return null;
            return h("li", h(`span.cell.cell-${name}`, sign), ` ${n} ${stateText(name, one.view)}`);
        })
        .filter(Boolean);
    const button = (row) =>
        h(
            `button.cell.cell-${row.state}`,
            {
                type: "button",
                "data-key": `host:${row.from}`,
                tabindex: row === cells[Math.max(0, current)] ? "0" : "-1",
                "aria-pressed": String(row === cells[current]),
                "data-lit": lit.has(row.from) || null,
                title: `${row.title}: ${stateText(row.state, one.view)}`,
                "aria-label": `${row.title}: ${stateText(row.state, one.view)}`,
                onclick: () => actions.host(row === cells[current] ? null : row.from),
            },
            STATES[row.state][0],
            named && h("span", row.name || `${row.from}`),
        );
    return h("section.racks", { id: "tiles", "aria-label": "Hosts", onkeydown: walk }, [
        groups.map(({ rack, cells: of }) =>
            h("div", [
                rack && h("h3", rack),
                h(
                    `div.cells${named ? ".named" : ""}`,
                    { role: "group", "aria-label": rack || "Hosts" },
                    of.map(button),
                ),
            ]),
        ),
        h("ul.legend", counts),
    ]);
}

/* Left and right go to the next host, up and down to the next row. */
function walk(event) {
    const all = [...event.currentTarget.querySelectorAll("button.cell")],
        at = all.indexOf(event.target),
        place = (node) => node.getBoundingClientRect();
    const to = {
        ArrowLeft: () => all[at - 1],
        ArrowRight: () => all[at + 1],
        Home: () => all[0],
        End: () => all.at(-1),
        ArrowDown: () =>
            all.find(
                (node) =>
                    place(node).top > place(event.target).top &&
                    place(node).left >= place(event.target).left,
            ),
        ArrowUp: () =>
            all.findLast(
                (node) =>
                    place(node).top < place(event.target).top &&
                    place(node).left <= place(event.target).left,
            ),
    }[event.key]?.();
    if (at < 0 || !to) return;
    event.preventDefault();
    event.target.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
}

/* The machine of the chosen host, with its faults. */
function chosenHost(one, clusters, state) {
    const { view, record } = one,
        { chosen } = clusters;
    if (!chosen)
        return h("aside.chosen-host", { "aria-label": "Chosen host" }, [
            h("p.muted", "Choose a host to see its machine and its faults."),
        ]);
    const kind = view.kinds[chosen.kind],
        faults = faultsOf(one, chosen.host),
        nics = nicSentences(record.description, chosen.host, kind.line);
    return h("aside.chosen-host", { id: "chosen-host", "aria-label": "Chosen host" }, [
        h("h2", [
            capital(calledHost(one, chosen.host)),
            " ",
            link(
                openKind(view, record, chosen.kind, state.release),
                "open-host",
                "Open its machine",
            ),
        ]),
        h("p.muted", `Kind ${letter(chosen.kind)}: ${kind.machine.sentence}`),
        faults.length > 0 &&
            listOf("ul", faults, (row) => [row.device && h("b", row.device, ": "), row.what, "."]),
        !faults.length && kind.odd && h("p", "It differs from most hosts; see Faults."),
        nics.length > 0 &&
            listOf(
                "ul.muted",
                { "aria-label": "NICs as the cluster file describes them" },
                nics,
                (text) => text,
            ),
        clusters.host.shown && h("div.host-picture", clusters.host.diagram.root),
    ]);
}
