// SPDX-License-Identifier: Apache-2.0
/* What a diagnosis says in words: the verdict, what each finding costs, causes with their consequences, and what a
 * figure assumes. Pure functions. */
import { waysAt } from "./chart.js";
import { bandwidth, hostsText, plural, typeOf, words } from "./model.js";

/** A text as the start of a sentence: a word gets a capital, a name such as gdr="0" or mlx5_0 does not. */
export const capital = (text) =>
    text.replace(/^[a-z]+(?=[\s,.:;]|$)/, (word) => word[0].toUpperCase() + word.slice(1));

/** Less is better only of times. */
const isLoss = (cost) => (cost.unit === "us" ? cost.now > cost.repaired : cost.now < cost.repaired);
/** The repair of this finding improves a figure. */
export const costs = (finding) => Boolean(finding.cost) && isLoss(finding.cost);

/** "Costs 56 of 455 GB/s (AllReduce at 1 GiB on 2 hosts)": of what the machine has with everything repaired. "" if
 * nothing is known about a cost, not even why. bar: of costBar(); the figure of its part is said here too, for what
 * follows from a cause and costs the same as well. */
export function costText(finding, bar = null, cause = finding) {
    const { cost, no_cost: why } = finding;
    if (!cost) return why ? `Cost unknown: ${why}` : "";
    if (!isLoss(cost)) return "Costs nothing here";
    const { now, repaired, unit } = cost,
        whole = bandwidth(cost.all_repaired ?? repaired),
        what = cost.for.replace(/^(bus bandwidth|time) of /, ""),
        same = cause.cost?.now === now && cause.cost.repaired === repaired && bar?.for === cost.for,
        part = same && bar.parts.find((one) => one.finding === cause.id),
        loss = part ? part.text : difference(now, repaired);
    if (unit === "us") return `Adds ${loss} µs to ${whole} µs (${what})`;
    return what.startsWith(unit)
        ? `Costs ${loss} of ${whole} ${what}`
        : `Costs ${loss} of ${whole} ${unit} (${what})`;
}

/* No more digits than the values themselves show. */
function difference(now, repaired) {
    const loss = Math.abs(repaired - now);
    return bandwidth(Math.max(now, repaired) >= 100 && loss >= 1 ? Math.round(loss) : loss);
}

const valueText = (value, { unit, for: what }) =>
    `${value} ${unit === "us" ? "µs" : unit} (${what.replace(/^(bus bandwidth|time) of /, "")})`;

/** What is lost of the bandwidth that is shown, as the end of a sentence: "; repaired 455 GB/s", "; on 2 hosts …", or
 * "". */
export function lossText(doc) {
    const cost = doc.summary?.verdict?.cost;
    if (cost?.unit !== "GB/s" || !isLoss(cost)) return "";
    return isOfShown(doc, cost)
        ? `; with everything repaired ${bandwidth(cost.repaired)} GB/s`
        : `; because of faults ${valueText(`${bandwidth(cost.now)} instead of ${bandwidth(cost.repaired)}`, cost)}`;
}

const isOfShown = (doc, cost) => cost.hosts === hostsOf(doc);

const SEVERITIES = ["error", "warning", "info"];
/** The gravest severity of these findings. */
export const worst = (rows) => SEVERITIES.find((name) => rows.some((row) => row.severity === name));

/** Findings as groups of a cause and what follows from it, in the service's order: [{cause, consequences, severity}];
 * severity: the gravest of them. follows_from names the nearest row before with that id. */
export function causes(findings) {
    const groups = [],
        groupOf = new Map();
    for (const row of findings) {
        const group = groupOf.get(row.follows_from) ?? { cause: row, consequences: [] };
        if (group.cause === row) groups.push(group);
        else group.consequences.push(row);
        groupOf.set(row.id, group);
    }
    return groups.map((group) => ({
        ...group,
        severity: worst([group.cause, ...group.consequences]),
    }));
}

/** Devices with findings other than notes, for marks on the drawing: [{node, severity, findings: [the rows about
 * it]}]. */
export function flawedDevices(findings) {
    const rows = new Map();
    for (const finding of findings.filter(({ severity }) => severity !== "info"))
        for (const { node } of finding.places)
            if (node)
                rows.set(node, [
                    ...(rows.get(node) ?? []).filter((one) => one !== finding),
                    finding,
                ]);
    return [...rows].map(([node, list]) => ({ node, severity: worst(list), findings: list }));
}

/* Findings about links of a device, by the kind of link. */
const PCIE = words(
    "slow-link pcie-below-model link-missing link-unknown idle-gpus throttling-bridge " +
        "slow-slot slot-shared shared-uplink crowded-uplink",
);
const NVLINK = words(
    "nvlink-one-sided nvlink-count nvlinks-below-board nvlink-zero nvlink-targets",
);

/** The links that a finding is about: [[from, to, type]]. For PCIe the link towards the CPU; for NVLink those between
 * the named GPUs, else the weakest of each GPU. */
export function linksOfFinding(model, { id, places }) {
    const nodes = places.map(({ node }) => node).filter((node) => model.nodes.has(node));
    if (PCIE.includes(id)) return nodes.flatMap((node) => uplink(model, node));
    if (!NVLINK.includes(id)) return [];
    const ofNvlink = (node) =>
        [...model.links.values()]
            .flat()
            .filter((link) => link.type === "NVL" && link.from === node);
    const between = nodes.flatMap((node, i) =>
            ofNvlink(node).filter(({ to }) => nodes.indexOf(to) > i),
        ),
        weakest = (rows) => rows.filter((row) => row.bw === Math.min(...rows.map(({ bw }) => bw)));
    return (
        between.length
            ? weakest(between)
            : nodes.flatMap((node) => weakest(ofNvlink(node)).slice(0, 1))
    ).map(({ from, to, type }) => [from, to, type]);
}

/* Steps of PCIe from each device up to its CPU, counted once an analysis. */
const depths = new WeakMap();
function depthsOf(model) {
    if (!depths.has(model)) {
        const depth = new Map(
                [...model.nodes.keys()].filter((id) => typeOf(id) === "CPU").map((id) => [id, 0]),
            ),
            beside = new Map();
        for (const { from, to, type } of [...model.links.values()].flat())
            if (type === "PCI" || type === "NET")
                beside.set(from, [...(beside.get(from) ?? []), to]);
        for (let edge = [...depth.keys()]; edge.length;)
            edge = edge.flatMap((id) =>
                (beside.get(id) ?? []).filter(
                    (to) => !depth.has(to) && depth.set(to, depth.get(id) + 1),
                ),
            );
        depths.set(model, depth);
    }
    return depths.get(model);
}

function uplink(model, node) {
    const depth = depthsOf(model),
        own = depth.get(node);
    return [...model.links.values()]
        .flat()
        .filter(
            ({ from, to, type }) =>
                from === node && (type === "PCI" || type === "NET") && depth.get(to) === own - 1,
        )
        .slice(0, 1)
        .map(({ from, to, type }) => [from, to, type]);
}

/** The same for links, for marks on the drawing: [{link: [from, to, type], severity, findings}]. */
export function flawedLinks(model, findings) {
    const rows = new Map();
    for (const finding of findings.filter(({ severity }) => severity !== "info"))
        for (const link of linksOfFinding(model, finding)) {
            const key = link.slice(0, 2).sort().join(">") + link[2];
            rows.set(key, {
                link,
                findings: [
                    ...(rows.get(key)?.findings ?? []).filter((one) => one !== finding),
                    finding,
                ],
            });
        }
    return [...rows.values()].map((row) => ({ ...row, severity: worst(row.findings) }));
}

/** Groups that need attention, and those that are only notes. */
export function bySeverity(findings) {
    const groups = causes(findings);
    return {
        faults: groups.filter((group) => group.severity !== "info"),
        notes: groups.filter((group) => group.severity === "info"),
    };
}

/* A machine of no known type: only its equal devices were compared. */
const INSIDE = "No fault inside this dump";

/** The headline: {state: "good" | "fault" | "open", mark, title, sentence, advice, measured}; null if nothing was
 * diagnosed. results: of nccl-tests that were opened; low ones are not healthy, whatever the dump shows, and are
 * measured: what they say. */
export function headline(doc, results = null) {
    const verdict = doc?.summary?.verdict,
        low = results?.verdict === "low" ? results.sentence : "";
    if (!verdict) return null;
    const { sentence, advice } = verdict;
    if (low && verdict.state !== "degraded")
        return {
            state: "fault",
            mark: "▼",
            title: "Measured bandwidth is low",
            measured: low,
            sentence:
                verdict.state === "healthy"
                    ? "The dump shows no cause: nothing in it lowers what NCCL gets from this machine. " +
                      "Bandwidth lists what would explain these results."
                    : sentence,
            advice,
        };
    if (verdict.state === "healthy")
        return {
            state: "good",
            mark: "✓",
            title: sentence.startsWith(INSIDE) ? INSIDE : "Healthy",
            sentence: capital(sentence.replace(/^(Healthy|No fault inside this dump): /, "")),
            advice,
        };
    if (verdict.state !== "degraded")
        return { state: "open", mark: "?", title: "Cannot tell", sentence, advice };
    const count = causes(doc.findings ?? []).filter(
        ({ cause }) => costs(cause) || cause.severity === "error",
    ).length;
    return {
        state: "fault",
        mark: "✗",
        title: plural(Math.max(1, count), "fault"),
        sentence,
        advice,
        measured: low,
    };
}

/** One line that decides: "2 faults cost 25 % on 2 hosts". head: of headline(). */
export function decidingLine(doc, head) {
    const cost = doc.summary?.verdict?.cost,
        at = hostCount(cost?.hosts ?? hostsOf(doc), doc);
    if (head.state === "fault" && cost && isLoss(cost)) {
        const one = head.title === "1 fault";
        if (cost.unit === "us")
            return `${head.title} add${one ? "s" : ""} ${difference(cost.now, cost.repaired)} µs on ${at}`;
        const lost =
            cost.unit === "GB/s"
                ? `${Math.max(1, Math.round((1 - cost.now / cost.repaired) * 100))} %`
                : `${difference(cost.now, cost.repaired)} of ${bandwidth(cost.repaired)} ${cost.unit}`;
        return `${head.title} cost${one ? "s" : ""} ${lost} on ${at}`;
    }
    if (head.state === "fault") return head.title;
    const large = bigAllReduce(doc),
        reach = large && `${bandwidth(large.bw)} GB/s on ${hostCount(hostsOf(doc), doc)}`;
    if (head.state === "good") return reach ? `${head.title}: ${reach}` : head.title;
    if (!reach || !doc.input?.assumed.length) return head.title;
    return `About ${reach}${doc.input.kind === "machine-type" ? "" : ", if the assumptions hold"}`;
}

const hostsOf = (doc) => doc.cluster?.hosts ?? doc.hosts;
const hostCount = (n, doc) =>
    !doc.cluster && hostsText(doc).includes("domain") ? plural(n, "domain") : plural(n, "host");

/** The bar below that line: what there is now, and what each fault's repair gains, in GB/s: {now, repaired, unit, for,
 * parts: [{finding, device, gain, share, text}], rest, texts: {now, rest}}; shares of the parts and the rest sum to
 * what is lost. null if no bandwidth is lost. */
export function costBar(model) {
    const { doc } = model,
        cost = doc.summary?.verdict?.cost;
    if (cost?.unit !== "GB/s" || !isLoss(cost)) return null;
    const rows = causes(doc.findings ?? [])
        .map(({ cause }) => cause)
        .filter((row) => costs(row) && row.cost.unit === "GB/s" && row.cost.hosts === cost.hosts);
    return barOf(
        cost,
        rows.map((row) => ({
            finding: row.id,
            device: row.places.length === 1 ? placeName(model, row.places[0]) : row.title,
            gain: row.cost.repaired - row.cost.now,
        })),
    );
}

/** The same of a cost and what single repairs gain: [{finding, device, gain}]. */
export function barOf({ now, repaired, unit, for: what }, rows) {
    const lost = repaired - now,
        sum = rows.reduce((all, { gain }) => all + gain, 0),
        parts = rows.map((row) => ({ ...row, share: row.gain * Math.min(1, lost / sum) })),
        // what only several repairs together bring, such as the last of two equal limits
        left = lost - parts.reduce((all, { share }) => all + share, 0),
        rest = left > lost / 100 ? left : 0,
        step = 10 ** Math.min(0, Math.floor(Math.log10(repaired)) - 2), // three digits, as bandwidth() shows
        count = (value) => Math.round(value / step),
        text = (steps) => String(Number((steps * step).toPrecision(6))),
        shares = [...parts.map(({ share }) => share), rest];
    // gains that overlap are more than what is lost: each is rounded by itself
    const steps =
        sum > lost * 1.01
            ? [...rows.map(({ gain }) => count(gain)), count(rest)]
            : rounded(shares, count(repaired) - count(now));
    return {
        now,
        repaired,
        unit,
        for: what,
        parts: parts.map((part, i) => ({
            ...part,
            text: steps[i] ? text(steps[i]) : bandwidth(part.gain),
        })),
        rest,
        texts: { now: text(count(now)), rest: text(steps.at(-1)) },
    };
}

/* Whole numbers in the proportion of these values that add up to `total`: what is left after rounding down goes to the
 * largest remainders. */
function rounded(values, total) {
    const sum = values.reduce((all, value) => all + value, 0) || 1,
        exact = values.map((value) => (value / sum) * total),
        whole = exact.map(Math.floor),
        left = total - whole.reduce((all, n) => all + n, 0),
        order = exact.map((_, i) => i).sort((a, b) => exact[b] - whole[b] - (exact[a] - whole[a]));
    for (const i of order.slice(0, left)) whole[i]++;
    return whole;
}

/** The name by which people know a place of a finding: a NIC's port, if it has one, or else its bus id. */
export function placeName(model, { node, device }) {
    const names = model?.doc.summary?.net_names ?? {},
        ports = model && typeOf(node ?? "") === "NIC" ? portsOf(model, node) : [];
    return (ports.length === 1 && names[ports[0]]) || device || node || "";
}

/** The ports of a NIC. */
export const portsOf = (model, nic) =>
    [...model.links.values()]
        .flat()
        .filter((link) => link.from === nic && typeOf(link.to) === "NET")
        .map((link) => link.to);

const LARGE = 2 ** 30,
    SMALL = 8;

const bigAllReduce = ({ predictions }) =>
    waysAt(predictions, "AllReduce", LARGE).find((way) => way.chosen);

/** What the chosen algorithm gives, on more hosts too where their analysis is given, and what all repairs together
 * would give: [[name, value]]; none if one rank sends nothing. */
export function expected(doc, network = null) {
    const at = (bytes, { predictions } = doc) =>
            waysAt(predictions, "AllReduce", bytes).find((way) => way.chosen),
        large = at(LARGE),
        small = at(SMALL),
        wide = network && at(LARGE, network),
        cost = doc.summary?.verdict?.cost;
    return [
        large && ["AllReduce at 1 GiB", `${bandwidth(large.bw)} GB/s bus bandwidth, ${large.name}`],
        wide && [
            `AllReduce at 1 GiB on ${network.hosts} hosts`,
            `${bandwidth(wide.bw)} GB/s bus bandwidth, ${wide.name}`,
        ],
        small && ["AllReduce at 8 bytes", `${bandwidth(small.time)} µs, ${small.name}`],
        cost &&
            isLoss(cost) && ["With everything repaired", valueText(bandwidth(cost.repaired), cost)],
    ].filter(Boolean);
}

/** Assumptions about the input on which one of these parts of the document rests, as texts. */
export const assumed = (doc, parts) =>
    (doc.input?.assumed ?? [])
        .filter((row) => row.touches.some((part) => parts.includes(part)))
        .map((row) => row.what);

/** How good a figure of bandwidth or channels is: "good", "limited", "fault", "open"; null if nothing was diagnosed.
 * shown: for the number of hosts that is shown alone. */
export function bandwidthTone(doc, { shown = false } = {}) {
    const verdict = doc.summary?.verdict,
        cost = verdict?.cost;
    if (!verdict) return null;
    if ((doc.findings ?? []).some((row) => row.severity === "error")) return "fault";
    if (cost && isLoss(cost) && ["GB/s", "channels"].includes(cost.unit))
        return shown && !isOfShown(doc, cost) ? null : "fault";
    return { healthy: "good", degraded: "limited" }[verdict.state] ?? "open";
}

/** The gravest of these findings, notes excepted, with what it makes of a line: {tone: "fault" | "limited", title};
 * null if there is none. */
export function flaw(doc, ids) {
    const rows = (doc.findings ?? []).filter(
            (row) => ids.includes(row.id) && row.severity !== "info",
        ),
        grave = rows.find((row) => row.severity === "error" || costs(row));
    return rows.length
        ? { tone: grave ? "fault" : "limited", title: (grave ?? rows[0]).title }
        : null;
}
