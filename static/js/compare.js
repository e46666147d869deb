// SPDX-License-Identifier: Apache-2.0
/* Two answers about one machine: the question of the other side, the place of a change, and its description. Pure
 * functions. */
import { linksOf } from "./channels.js";
import { bandwidth, joined, shortName } from "./model.js";

const SETTING = /^(NCCL_[A-Z0-9_]+)=(.*)$/;

/** Splits `against`: {release, settings: {NAME: VALUE, "" for the default}}. */
export function otherSide(against) {
    const side = { release: "", settings: {} };
    for (const text of against) {
        const setting = SETTING.exec(text);
        if (setting) side.settings[setting[1]] = setting[2];
        else side.release = text;
    }
    return side;
}

/** Joins the same again: the release first, then the settings by name. */
export const writeSide = ({ release, settings }) =>
    [
        release,
        ...Object.keys(settings)
            .sort()
            .map((name) => `${name}=${settings[name]}`),
    ].filter(Boolean);

/** The state that asks the other side's question. */
export function stateOfOther(state) {
    const other = otherSide(state.against),
        settings = { ...state.settings };
    for (const [name, value] of Object.entries(other.settings))
        if (value) settings[name] = value;
        else delete settings[name];
    return { ...state, release: other.release || state.release, settings, against: [] };
}

/** The state with both sides exchanged. current: the release of the question if the state names none. */
export function swapped(state, current) {
    const other = otherSide(state.against),
        back = { release: "", settings: {} };
    if (other.release) back.release = state.release || current;
    for (const name of Object.keys(other.settings))
        back.settings[name] = state.settings[name] ?? "";
    return { ...stateOfOther(state), against: writeSide(back) };
}

/** A short name of a side, against the other: what differs between the two questions. */
export function sideName(side, other) {
    const differ = Object.keys({ ...side.settings, ...other.settings }).filter(
        (name) => side.settings[name] !== other.settings[name],
    );
    const settings = differ.map(
        (name) => `${name.replace(/^NCCL_/, "")}=${side.settings[name] ?? "default"}`,
    );
    return (
        joined(", ", [
            side.nccl !== other.nccl && side.nccl,
            settings.length > 1 ? `${settings.length} settings` : settings[0],
        ]) || side.nccl
    );
}

export const SECTIONS = {
    system: "System",
    paths: "Paths",
    p2p: "P2P",
    gdr: "GPUDirect",
    net_devs: "NICs of ranks",
    graphs: "Graphs",
    channels: "Channels",
    tuning: "Tuning",
};

/** "paths.3" -> {section, change}; change null if a section or a reason is meant: {section: "why", id}. */
export function findChange(diff, text) {
    const [section, rest] = [text.split(".")[0], text.slice(text.indexOf(".") + 1)];
    if (section === "why") return { section, change: null, id: rest };
    const changes = diff?.sections?.[section]?.changes;
    return changes
        ? { section, change: (text.includes(".") && changes[rest]) || null, id: "" }
        : { section: "", change: null, id: "" };
}

/** Changes of a section by subject: [{text, rows: [{i, change}]}]. */
export function grouped(section) {
    const groups = new Map();
    section.changes.forEach((change, i) => {
        if (!groups.has(change.text)) groups.set(change.text, []);
        groups.get(change.text).push({ i, change });
    });
    return [...groups].map(([text, rows]) => ({ text, rows }));
}

/** The two devices that a place names, or null: {from, to}. */
export function pairOf(model, where) {
    const gpu = (rank) => model.gpuOfRank.get(rank);
    const pair =
        where.from !== undefined
            ? { from: where.from, to: where.to }
            : where.a !== undefined
              ? { from: gpu(where.a), to: gpu(where.b) }
              : where.rank !== undefined && where.net !== undefined
                ? { from: gpu(where.rank), to: where.net }
                : null;
    return pair?.from && pair.to ? pair : null;
}

/** The name of a place, for people. */
export function placeText(model, where) {
    const pair = pairOf(model, where);
    if (pair) return `${shortName(model, pair.from)} → ${shortName(model, pair.to)}`;
    const known = {
        rank: (v) => `GPU ${v}`,
        channel: (v) => `channel ${v}`,
        graph: (v) => v,
        function: (v) => v,
        algorithm: (v) => v,
        protocol: (v) => v,
        bytes: sizeText,
    };
    return (
        Object.entries(where)
            .map(([name, value]) => (known[name] ?? ((v) => `${name} ${v}`))(value))
            .join(" ") || "the whole"
    );
}

/** 8 -> "8 B", 1048576 -> "1 MiB". */
export function sizeText(bytes) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let value = bytes,
        unit = 0;
    for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
    return `${Number(value.toPrecision(4))} ${units[unit]}`;
}

/** A value of a change in few words. */
export function valueText(model, what, value) {
    if (value === null || value === undefined) return "–";
    if (typeof value === "boolean") return value ? "yes" : "no";
    if (Array.isArray(value))
        return value
            .map((one) =>
                typeof one === "string" && one.includes("/") ? shortName(model, one) : String(one),
            )
            .join(" ");
    if (typeof value === "number")
        return what === "link" || /bw|bandwidth|latenc/.test(what)
            ? bandwidth(value)
            : String(value);
    return /^[A-Z]+\/[0-9a-f]+-/.test(value) ? shortName(model, value) : String(value);
}

/** What to mark on the drawing for a change, or for all changes of an answer: {links: [[from, to, type]], devices:
 * [id]}. */
export function marksOf(model, diff, chosen) {
    const links = new Map(),
        devices = new Set();
    const addLinks = (rows) =>
        rows.forEach(([from, to, type]) => links.set(`${from}>${to}>${type}`, [from, to, type]));
    const add = (section, change) =>
        change.where.forEach((where) => {
            const pair = pairOf(model, where);
            if (section === "system" && pair) return addLinks([[pair.from, pair.to, where.type]]);
            if (pair && chosen) addLinks(linksOf(model, pair.from, pair.to));
            for (const id of pair ? [pair.from, pair.to] : [model.gpuOfRank.get(where.rank)])
                if (id) devices.add(id);
        });
    if (chosen?.change) add(chosen.section, chosen.change);
    else
        for (const [section, rows] of Object.entries(diff?.sections ?? {}))
            if (section === "system" || section === chosen?.section)
                rows.changes.forEach((change) => add(section, change));
    return { links: [...links.values()], devices: [...devices] };
}

const COLLECTIVES = {
    all_reduce: "AllReduce",
    all_gather: "AllGather",
    reduce_scatter: "ReduceScatter",
    alltoall: "AlltoAll",
};
const LEAST_CHANGE = 0.005; // share of the value before; nobody can measure less

const moved = ({ change }) => Math.abs(change ?? 0) >= LEAST_CHANGE;

/** The outcomes of a document of one side (busbw) or two, the largest messages first: {hosts: [n], rows: [{name, size,
 * cells: [{before, after, change}, one for each n; null if it cannot be predicted]}]}; change: a share of `before`, 0
 * if nobody can measure it. */
export function outcomeRows(outcomes) {
    const hosts = [...new Set(outcomes.map((row) => row.hosts))].sort((a, b) => a - b),
        sizes = [...new Set(outcomes.map((row) => row.size))].sort((a, b) => b - a);
    const cellOf = (size, collective, n) => {
        const row = outcomes.find(
            (one) => one.size === size && one.collective === collective && one.hosts === n,
        );
        const { before, after, change } = row?.busbw
            ? { before: row.busbw, after: row.busbw, change: 0 }
            : (row ?? {});
        return before && after ? { before, after, change: moved({ change }) ? change : 0 } : null;
    };
    const rows = sizes
        .flatMap((size) =>
            Object.entries(COLLECTIVES).map(([collective, name]) => ({
                name,
                size,
                cells: hosts.map((n) => cellOf(size, collective, n)),
            })),
        )
        .filter(({ cells }) => cells.some(Boolean));
    return { hosts, rows };
}

/** "+12 %", "−3.5 %", "none". */
export function changeText(change) {
    const percent = Math.abs(change * 100),
        digits = percent < 10 ? percent.toFixed(1) : percent.toFixed(0);
    return change ? `${change > 0 ? "+" : "−"}${Number(digits)} %` : "none";
}
