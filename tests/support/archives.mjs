// SPDX-License-Identifier: Apache-2.0
/* A tar of [name, text] for tests, with GNU's long names. */
export function tarOf(rows) {
    const block = (name, size, type) => {
        const head = Buffer.alloc(512);
        head.write(name.slice(0, 100), 0);
        head.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
        head.write(type, 156);
        head.write("ustar\0" + "00", 257);
        return head;
    };
    const padded = (text) => {
        const body = Buffer.from(text);
        return Buffer.concat([body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
    };
    return Buffer.concat([
        ...rows.flatMap(([name, text]) => [
            ...(name.length > 100
                ? [block("././@LongLink", name.length + 1, "L"), padded(`${name}\0`)]
                : []),
            block(name, Buffer.byteLength(text), "0"),
            padded(text),
        ]),
        Buffer.alloc(1024),
    ]);
}
