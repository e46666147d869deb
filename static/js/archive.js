// SPDX-License-Identifier: Apache-2.0
/* Archives of dumps: tar, tar.gz and zip, unpacked here, so that each host's file is kept by itself. What `orrery
 * gather` writes is one host, and stays one file. */

export const MOST_FILES = 512;
const MOST_BYTES = 256 << 20,
    BLOCK = 512,
    GATHERED = "orrery/facts";
const text = (bytes) => new TextDecoder().decode(bytes).replace(/\0.*$/s, "");
const starts = (bytes, ...head) => head.every((byte, i) => bytes[i] === byte);
const isTar = (bytes) => bytes.length > 262 && text(bytes.subarray(257, 262)) === "ustar";
const isZip = (bytes) => starts(bytes, 0x50, 0x4b, 3, 4);
const isGzip = (bytes) => starts(bytes, 0x1f, 0x8b);

/** Says why an archive cannot be unpacked. */
export class ArchiveError extends Error {}

/** Whether the first bytes of a file are those of an archive. */
export const isArchive = (bytes) => isTar(bytes) || isZip(bytes) || isGzip(bytes);

/** The files of an archive, each as a File; the file itself if it is not an archive or has one host. Throws
 * ArchiveError. */
export async function unpacked(file) {
    if (!isArchive(new Uint8Array(await file.slice(0, BLOCK).arrayBuffer()))) return [file];
    let bytes = new Uint8Array(await file.arrayBuffer()),
        entries;
    if (isZip(bytes)) {
        entries = await unzip(bytes);
    } else {
        if (isGzip(bytes)) bytes = await inflate(new Blob([bytes]), "gzip");
        if (!isTar(bytes)) return [new File([bytes], file.name.replace(/\.gz$/i, ""))];
        entries = untar(bytes);
    }
    if (entries.some(({ name }) => name.replace(/^\.\//, "") === GATHERED)) return [file];
    const files = entries.filter(({ name }) => !/(^|\/)[._]/.test(name.replace(/^\.\//, "")));
    if (!files.length) throw new ArchiveError(`${file.name} holds no files`);
    if (files.length > MOST_FILES)
        throw new ArchiveError(
            `${file.name} holds ${files.length} files; the page takes up to ${MOST_FILES} at once`,
        );
    return named(files);
}

/* host1/topo.xml and host2/topo.xml are host1 and host2; topo1.xml and topo2.xml keep their names. */
function named(files) {
    const last = files.map(({ name }) => name.split("/").at(-1)),
        same = new Set(last).size < last.length;
    return files.map(
        ({ name, bytes }, i) =>
            new File(
                [bytes],
                same
                    ? name.replace(/^\.\//, "").split("/").slice(0, -1).join("-") +
                          /(\.[a-z]+)?$/i.exec(last[i])[0]
                    : last[i],
            ),
    );
}

/* At most MOST_BYTES. */
async function inflate(blob, format) {
    const reader = blob.stream().pipeThrough(new DecompressionStream(format)).getReader(),
        parts = [];
    let size = 0;
    try {
        for (let step = await reader.read(); !step.done; step = await reader.read()) {
            size += step.value.length;
            if (size > MOST_BYTES) {
                reader.cancel();
                throw new ArchiveError(`the archive unpacks to more than ${MOST_BYTES >> 20} MiB`);
            }
            parts.push(step.value);
        }
    } catch (error) {
        throw error instanceof ArchiveError
            ? error
            : new ArchiveError("the archive is damaged: it cannot be unpacked");
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function untar(bytes) {
    const entries = [];
    let long = "";
    for (let at = 0; at + BLOCK <= bytes.length && bytes[at];) {
        const head = bytes.subarray(at, at + BLOCK),
            size = parseInt(text(head.subarray(124, 136)), 8) || 0,
            type = String.fromCharCode(head[156] || 48),
            prefix = text(head.subarray(345, 500));
        const body = bytes.subarray(at + BLOCK, at + BLOCK + size);
        if (body.length < size) throw new ArchiveError("the archive ends in the middle of a file");
        if (type === "L") long = text(body);
        else if (type === "x")
            long = /\d+ path=(.*)\n/.exec(new TextDecoder().decode(body))?.[1] ?? long;
        else {
            if (type === "0" || type === "7")
                entries.push({
                    name: long || (prefix ? `${prefix}/` : "") + text(head.subarray(0, 100)),
                    bytes: body,
                });
            long = "";
        }
        at += BLOCK * (1 + Math.ceil(size / BLOCK));
    }
    return entries;
}

/* Reads the directory at the end, the only place that has the sizes. */
async function unzip(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
        entries = [];
    let end = bytes.length - 22;
    while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--;
    if (end < 0)
        throw new ArchiveError("the zip file is incomplete: it has no directory at its end");
    const count = view.getUint16(end + 10, true);
    let left = MOST_BYTES;
    for (
        let i = 0, at = view.getUint32(end + 16, true);
        i < count && at + 46 <= bytes.length;
        i++
    ) {
        const method = view.getUint16(at + 10, true),
            packed = view.getUint32(at + 20, true),
            size = view.getUint32(at + 24, true),
            lengths = [28, 30, 32].map((place) => view.getUint16(at + place, true)),
            local = view.getUint32(at + 42, true);
        const name = text(bytes.subarray(at + 46, at + 46 + lengths[0]));
        at += 46 + lengths[0] + lengths[1] + lengths[2];
        if (name.endsWith("/")) continue;
        left -= size;
        if (left < 0)
            throw new ArchiveError(`the archive unpacks to more than ${MOST_BYTES >> 20} MiB`);
        if (local + 30 > bytes.length || ![0, 8].includes(method))
            throw new ArchiveError(`${name}: packed in a way that the page does not know`);
        const start =
                local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true),
            body = bytes.subarray(start, start + packed);
        entries.push({
            name,
            bytes: method === 8 ? await inflate(new Blob([body]), "deflate-raw") : body,
        });
    }
    return entries;
}

/** A tar.gz of files: [{name, bytes}]. Names are cut to the 100 bytes that fit. */
export function tarGzip(files) {
    const encoder = new TextEncoder(),
        parts = files.flatMap(({ name, bytes }) => {
            const head = new Uint8Array(BLOCK),
                put = (at, value) => head.set(encoder.encode(value), at),
                octal = (value, digits) => `${value.toString(8).padStart(digits, "0")}\0`;
            head.set(encoder.encode(name.replace(/[^\w.-]+/g, "_")).subarray(0, 100));
            put(100, octal(0o644, 7) + octal(0, 7) + octal(0, 7) + octal(bytes.length, 11));
            put(136, `${octal(0, 11)}        0`); // the time, and a sum that counts as blanks
            put(257, "ustar\x0000");
            const sum = head.reduce((all, byte) => all + byte, 0);
            put(148, octal(sum, 6));
            return [head, bytes, new Uint8Array(-bytes.length & (BLOCK - 1))];
        });
    return new Response(
        new Blob([...parts, new Uint8Array(2 * BLOCK)])
            .stream()
            .pipeThrough(new CompressionStream("gzip")),
    ).blob();
}
