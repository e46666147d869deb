// SPDX-License-Identifier: Apache-2.0
/* The documentation: the theme of the page, and a search over all pages, which are read when somebody first
 * searches. */
import { start } from "./theme.js";

const RESULTS = 40,
    AROUND = 80;

/** Sections of a page: each heading with the text up to the next one. */
export function sectionsOf(main, title, address) {
    const sections = [{ title, address, heading: "", text: "" }];
    for (const element of main.children) {
        if (/^H[1-6]$/.test(element.tagName))
            sections.push({
                title,
                address: `${address}#${element.id}`,
                heading: element.textContent.trim(),
                text: "",
            });
        else sections.at(-1).text += ` ${element.textContent}`;
    }
    return sections.map((section) => ({
        ...section,
        text: section.text.replace(/\s+/g, " ").trim(),
    }));
}

/** Sections that have all words, those with the words in their heading first; each with an excerpt around the first
 * word. */
export function search(sections, query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    const found = [];
    for (const section of sections) {
        const heading = `${section.title} ${section.heading}`.toLowerCase(),
            text = section.text.toLowerCase();
        if (!words.every((word) => heading.includes(word) || text.includes(word))) continue;
        const at = Math.max(
            0,
            text.indexOf(words.find((word) => text.includes(word)) ?? "") - AROUND / 2,
        );
        const excerpt =
            (at ? "…" : "") +
            section.text.slice(at, at + 2 * AROUND) +
            (at + 2 * AROUND < section.text.length ? "…" : "");
        found.push({
            ...section,
            excerpt,
            score: words.filter((word) => heading.includes(word)).length,
        });
    }
    return found.sort((a, b) => b.score - a.score).slice(0, RESULTS);
}

async function readAll(links) {
    const pages = await Promise.all(
        links.map(async (link) => {
            const answer = await fetch(link.href);
            if (!answer.ok) return [];
            const page = new DOMParser().parseFromString(await answer.text(), "text/html");
            return sectionsOf(page.querySelector("main"), link.textContent, link.href);
        }),
    );
    return pages.flat();
}

function show(list, found, query) {
    list.replaceChildren(
        ...found.map((section) => {
            const row = document.createElement("li"),
                link = document.createElement("a"),
                excerpt = document.createElement("p");
            link.href = section.address;
            link.textContent =
                section.heading && section.heading !== section.title
                    ? `${section.title}: ${section.heading}`
                    : section.title;
            excerpt.textContent = section.excerpt;
            row.append(link, excerpt);
            return row;
        }),
    );
    if (!found.length) {
        const none = document.createElement("li");
        none.textContent = `No section contains “${query}”.`;
        list.append(none);
    }
}

function attach() {
    start(() => {});
    const nav = document.querySelector("nav"),
        input = nav.querySelector("input"),
        pages = nav.querySelector("ul");
    const links = [...pages.querySelectorAll("a")],
        results = document.createElement("ul"),
        status = document.createElement("p");
    results.className = "results";
    results.hidden = true;
    status.className = "unseen";
    status.setAttribute("role", "status");
    pages.before(status, results);
    input.hidden = false;
    let reading;
    input.addEventListener("input", async () => {
        const query = input.value.trim();
        reading ??= readAll(links);
        const sections = await reading;
        if (query !== input.value.trim()) return; // a later key starts its own search
        const found = search(sections, query);
        results.hidden = !query;
        pages.hidden = Boolean(query);
        show(results, found, query);
        status.textContent = query
            ? `${found.length} ${found.length === 1 ? "section" : "sections"} found`
            : "";
    });
    nav.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

if (typeof document !== "undefined") attach();
