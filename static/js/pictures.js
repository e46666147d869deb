// SPDX-License-Identifier: Apache-2.0
/* Small pictures of example machines: drawn by the service once they come into sight, one after the other, and kept by
 * the browser. */
import * as api from "./api.js";
import { h } from "./dom.js";
import * as theme from "./theme.js";

const STORE = "orrery-pictures",
    DAY = 86400e3;

export class Pictures {
    #made = new Map(); // file and colours -> promise of an address
    /** @type {Promise<any>} */
    #last = Promise.resolve();
    #waiting = new Map();
    #sight =
        "IntersectionObserver" in globalThis
            ? new IntersectionObserver(
                  (entries) =>
                      entries
                          .filter((entry) => entry.isIntersecting)
                          .forEach(({ target }) => this.#show(target)),
                  { rootMargin: "100px" },
              )
            : null;

    /** The place of a picture, which fills once it is in sight. */
    of(file) {
        const place = h("span.picture", { "aria-hidden": "true" });
        this.#waiting.set(place, file);
        this.#sight?.observe(place);
        return place;
    }

    async #show(place) {
        const file = this.#waiting.get(place),
            colours = theme.current(),
            key = `${file}?theme=${colours}`;
        this.#sight.unobserve(place);
        this.#waiting.delete(place);
        if (!this.#made.has(key))
            this.#made.set(
                key,
                (this.#last = this.#last.then(() => this.#make(file, colours, key))),
            );
        const url = await this.#made.get(key);
        if (url) place.replaceChildren(h("img", { src: url, alt: "" }));
    }

    async #make(file, colours, key) {
        try {
            const text =
                (await kept(key)) ??
                (await keep(
                    key,
                    small(
                        await api.render(await api.example(file), {
                            format: "svg",
                            theme: colours,
                        }),
                    ),
                ));
            return URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
        } catch {
            this.#made.delete(key);
            return ""; // an example without a picture still opens
        }
    }
}

/** Removes texts, which nobody can read at this size. */
export const small = (svg) =>
    svg.replace(/<text[\s\S]*?<\/text>/g, "").replace(/<title>[\s\S]*?<\/title>/g, "");

const address = (key) => `${location.origin}${location.pathname}pictures/${key}`;

async function kept(key) {
    const found = await globalThis.caches?.open(STORE).then((store) => store.match(address(key)));
    return found && Date.now() - Number(found.headers.get("x-kept")) < DAY ? found.text() : null;
}

async function keep(key, text) {
    await globalThis.caches
        ?.open(STORE)
        .then((store) =>
            store.put(
                address(key),
                new Response(text, { headers: { "x-kept": String(Date.now()) } }),
            ),
        )
        .catch(() => {});
    return text;
}
