// SPDX-License-Identifier: Apache-2.0
/* Archives of dumps: tar, tar.gz and zip become one file for each host; what one host gathered stays one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync, gzipSync } from "node:zlib";
import { ArchiveError, isArchive, tarGzip, unpacked } from "../../static/js/archive.js";
import { tarOf } from "../support/archives.mjs";

const dump = (n) => `<system version="1"><!-- ${n} --></system>\n`;
const file = (bytes, name) => new File([bytes], name);
const names = (files) => files.map(({ name }) => name);
const refusal = (bytes, name, words) =>
    assert.rejects(
        unpacked(file(bytes, name)),
        (error) => error instanceof ArchiveError && words.test(error.message),
    );

/* A zip of [name, text]; stored or deflated. */
function zipOf(rows, method = 8) {
    const parts = [],
        directory = [];
    let at = 0;
    for (const [name, text] of rows) {
        const body = Buffer.from(text),
            packed = method ? deflateRawSync(body) : body,
            head = Buffer.alloc(30),
            entry = Buffer.alloc(46);
        (head.writeUInt32LE(0x04034b50, 0),
            head.writeUInt16LE(method, 8),
            head.writeUInt32LE(packed.length, 18),
            head.writeUInt32LE(body.length, 22),
            head.writeUInt16LE(name.length, 26));
        (entry.writeUInt32LE(0x02014b50, 0),
            entry.writeUInt16LE(method, 10),
            entry.writeUInt32LE(packed.length, 20),
            entry.writeUInt32LE(body.length, 24),
            entry.writeUInt16LE(name.length, 28),
            entry.writeUInt32LE(at, 42));
        parts.push(head, Buffer.from(name), packed);
        directory.push(entry, Buffer.from(name));
        at += 30 + name.length + packed.length;
    }
    const end = Buffer.alloc(22),
        size = directory.reduce((sum, part) => sum + part.length, 0);
    (end.writeUInt32LE(0x06054b50, 0),
        end.writeUInt16LE(rows.length, 8),
        end.writeUInt16LE(rows.length, 10),
        end.writeUInt32LE(size, 12),
        end.writeUInt32LE(at, 16));
    return Buffer.concat([...parts, ...directory, end]);
}

test("each form gives the files of its hosts, with their bytes", async () => {
    const rows = [
            ["a.xml", dump(1)],
            ["b.xml", dump(2).repeat(400)],
            ["notes/", ""],
            ["__MACOSX/._a.xml", "x"],
            [".DS_Store", "x"],
        ],
        files = rows.filter(([name]) => !name.endsWith("/"));
    for (const bytes of [tarOf(files), gzipSync(tarOf(files)), zipOf(rows), zipOf(rows, 0)]) {
        assert.ok(isArchive(bytes));
        const all = await unpacked(file(bytes, "hosts.archive"));
        assert.deepEqual(names(all), ["a.xml", "b.xml"]);
        assert.deepEqual(await Promise.all(all.map((one) => one.text())), [
            dump(1),
            dump(2).repeat(400),
        ]);
    }
});

test("files of one name in folders of hosts are named by the folder; long names of tar are read", async () => {
    assert.deepEqual(
        names(
            await unpacked(
                file(
                    tarOf([
                        ["./rack/n1/topo.xml", dump(1)],
                        ["./rack/n2/topo.xml", dump(2)],
                    ]),
                    "x.tar",
                ),
            ),
        ),
        ["rack-n1.xml", "rack-n2.xml"],
    );
    const long = `${"d".repeat(120)}.xml`;
    assert.deepEqual(names(await unpacked(file(tarOf([[long, dump(1)]]), "x.tar"))), [long]);
});

test("a file that is not an archive, one alone in gzip, and what orrery gather wrote stay one file", async () => {
    const plain = file(dump(1), "a.xml"),
        gathered = file(
            tarOf([
                ["orrery/facts", "x"],
                ["sys/class/net", "y"],
            ]),
            "host.tar",
        );
    assert.deepEqual(await unpacked(plain), [plain]);
    assert.deepEqual(await unpacked(gathered), [gathered]);
    const [one] = await unpacked(file(gzipSync(dump(3)), "a.xml.gz"));
    assert.deepEqual([one.name, await one.text()], ["a.xml", dump(3)]);
});

test("damaged, empty and too large ones are refused in words", async () => {
    await refusal(gzipSync(tarOf([["a", dump(1)]])).subarray(0, 60), "cut.tar.gz", /damaged/);
    await refusal(tarOf([["a.xml", dump(1)]]).subarray(0, 520), "cut.tar", /ends in the middle/);
    await refusal(zipOf([["a.xml", dump(1)]]).subarray(0, 80), "cut.zip", /incomplete/);
    await refusal(zipOf([["a/", ""]]), "empty.zip", /holds no files/);
    await refusal(
        tarOf(Array.from({ length: 513 }, (_, i) => [`${i}.xml`, "x"])),
        "many.tar",
        /holds 513 files; the page takes up to 512/,
    );
    await refusal(gzipSync(Buffer.alloc(257 << 20)), "bomb.gz", /more than 256 MiB/);
});

test("an archive that the page makes is one that it reads", async () => {
    const long = "n".repeat(150),
        rows = [
            ["a b/../c.xml", dump(1)],
            [long, "x".repeat(512)],
            ["empty", ""],
        ];
    const made = await tarGzip(
        rows.map(([name, text]) => ({ name, bytes: new TextEncoder().encode(text) })),
    );
    const files = await unpacked(file(await made.arrayBuffer(), "dumps.tar.gz"));
    assert.deepEqual(names(files), ["a_b_.._c.xml", long.slice(0, 100), "empty"]);
    assert.deepEqual(
        await Promise.all(files.map((one) => one.text())),
        rows.map(([, text]) => text),
    );
});
