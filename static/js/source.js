// SPDX-License-Identifier: Apache-2.0
/* Finds devices in a dump by reading its tags, which works without valid XML. Pure functions. */
import { parseId } from "./model.js";

const TAG = /<!--[\s\S]*?-->|<(\/?)([A-Za-z_][\w.-]*)((?:[^>"']|"[^"]*"|'[^']*')*?)(\/?)>/g;
const attribute = (text, name) =>
    new RegExp(`\\b${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`)
        .exec(text)
        ?.slice(1)
        .find((value) => value !== undefined);

const hex = (n) => n.toString(16);

/** "0000:1b:00.0" -> "1b000", as node ids have it; "" if it is not a bus id. */
export function localOf(busid) {
    const match = /^([0-9a-f]+):([0-9a-f]{2}):([0-9a-f]{2})\.([0-9a-f])$/i.exec(busid ?? "");
    return match
        ? match
              .slice(1)
              .join("")
              .toLowerCase()
              .replace(/^0+(?=.)/, "")
        : "";
}

/** Lines of devices: Map of node id to {line, last}, from the element that has the bus id to the one that says what it
 * is. */
export function devicesIn(text) {
    const devices = new Map(),
        open = [],
        hashes = [];
    let line = 1,
        at = 0,
        system = 0;
    const put = (id, first, last) => devices.has(id) || devices.set(id, { line: first, last }),
        idOf = (type, local) => `${type}/${hex(system)}-${local}`;
    for (const match of text.matchAll(TAG)) {
        for (; at < match.index; at++) if (text.charCodeAt(at) === 10) line++;
        const [, closing, name, attributes, alone] = match;
        if (!name) continue;
        if (closing) {
            const element = open.pop();
            if (element?.name === "pci" && element.local && !element.is)
                put(idOf("PCI", element.local), element.line, element.line);
            continue;
        }
        const parent = open.findLast((element) => element.name === "pci"),
            given = (what) => Number(attribute(attributes, what) ?? 0);
        if (name === "cpu") {
            const hash = attribute(attributes, "host_hash") ?? "";
            if (!hashes.includes(hash)) hashes.push(hash);
            system = hashes.indexOf(hash);
            put(idOf("CPU", hex(Math.max(0, given("numaid")))), line, line);
        } else if ((name === "gpu" || name === "nic") && parent?.local) {
            parent.is = name;
            put(idOf(name.toUpperCase(), parent.local), parent.line, line);
        } else if (name === "net") {
            put(idOf("NET", hex(given("dev"))), line, line);
        }
        const element = {
            name,
            line,
            local: name === "pci" ? localOf(attribute(attributes, "busid")) : "",
            is: "",
        };
        if (!alone) open.push(element);
        else if (element.local) put(idOf("PCI", element.local), line, line);
    }
    return devices;
}

/** The place of a node id, or of the only device of that kind and place on any host; null if there is none. */
export function placeOf(devices, id) {
    const { type, local } = parseId(id.replace(/^DEV\//, "GPU/"));
    return (
        devices.get(id) ??
        [...devices].find(
            ([other]) => other.startsWith(`${type}/`) && other.endsWith(`-${local}`),
        )?.[1] ??
        null
    );
}

/** The innermost device that a line belongs to; "" if there is none. */
export const deviceAt = (devices, line) =>
    [...devices]
        .filter(([, place]) => place.line <= line && line <= place.last)
        .sort((a, b) => a[1].last - a[1].line - (b[1].last - b[1].line))[0]?.[0] ?? "";
