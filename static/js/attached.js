// SPDX-License-Identifier: Apache-2.0
/* A log or results in the address, so that a link includes them: their name and text, compressed, in letters that an
 * address may have. The part of an address after # never reaches a server. */

const MOST = 64 * 1024; // letters; programs that pass links on cut longer addresses

const bytesOf = async (stream) => new Uint8Array(await new Response(stream).arrayBuffer());

/** The letters for a text and its name.
 * @param {Blob} blob
 * @param {string} name */
export async function packed(blob, name) {
    const whole = new Blob([`${name.replaceAll("\n", " ")}\n`, blob]),
        bytes = await bytesOf(whole.stream().pipeThrough(new CompressionStream("gzip")));
    let letters = "";
    for (const byte of bytes) letters += String.fromCharCode(byte);
    return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** {blob, name} of such letters, null if they are damaged, as in a link that was cut.
 * @param {string} letters */
export async function unpacked(letters) {
    try {
        const bytes = Uint8Array.from(
                atob(letters.replaceAll("-", "+").replaceAll("_", "/")),
                (letter) => letter.charCodeAt(0),
            ),
            stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")),
            text = await bytesOf(stream),
            end = text.indexOf(10);
        return {
            name: new TextDecoder().decode(text.slice(0, end)),
            blob: new Blob([text.slice(end + 1)]),
        };
    } catch {
        return null;
    }
}

/** "3.4 KB", and whether an address may be as long.
 * @param {string} letters */
export const sizeOf = (letters) => ({
    text: `${Number((letters.length / 1000).toPrecision(2))} KB`,
    fits: letters.length <= MOST,
});

const KINDS = ["log", "results"];

/** Keeps the page and the address in step. */
export class Attached {
    store;
    shown;
    open;
    damaged;

    #opened = { log: "", results: "" }; // letters that were opened, or made from what is in view

    /** shown(kind): {blob, name} of the file in use, blob null: none. open(kind, blob, name); damaged(kind). */
    constructor(store, { shown, open, damaged }) {
        Object.assign(this, { store, shown, open, damaged });
    }

    /** [[kind, {text, fits}, whether the address holds it]] of all that is shown. */
    async sizes() {
        const rows = [];
        for (const kind of KINDS) {
            const { blob, name } = this.shown(kind);
            if (blob)
                rows.push([kind, sizeOf(await packed(blob, name)), this.store.state[kind] !== ""]);
        }
        return rows;
    }

    /** Puts what is shown into the address, or removes it. */
    async toggle(kind) {
        const { blob, name } = this.shown(kind),
            has = this.store.state[kind] !== "";
        if (!blob) return;
        this.#opened[kind] = has ? "" : await packed(blob, name);
        this.store.replace({ [kind]: this.#opened[kind] });
    }

    /** Opens what the address contains, once its machine is open; another log replaces an attached one. */
    async restore() {
        for (const kind of KINDS) {
            const letters = this.store.state[kind];
            if (letters === this.#opened[kind]) continue;
            this.#opened[kind] = letters;
            const found = letters ? await unpacked(letters) : null;
            if (found) await this.open(kind, found.blob, found.name);
            else if (letters) this.damaged(kind);
        }
    }
}
