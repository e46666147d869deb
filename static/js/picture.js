/* Pictures from the service as elements of this page: parsed as XML, stripped of everything that could act, adopted. */

const FORBIDDEN = new Set(["script", "foreignObject", "iframe", "image", "use", "style", "animate", "set",
    "animateTransform", "animateMotion", "audio", "video", "handler", "object", "embed"].map((name) => name.toLowerCase()));
const XLINK = "http://www.w3.org/1999/xlink";

/** The <svg> element of a text; throws where the text is none. */
export function picture(text) {
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    const root = parsed.documentElement;
    if (root.localName !== "svg" || root.querySelector("parsererror"))
        throw new Error("The server's picture is not SVG");
    clean(root);
    return document.adoptNode(root);
}

/** Removes what is not on the list of harmless things, in place. */
export function clean(root) {
    for (const node of [...root.querySelectorAll("*")])
        if (FORBIDDEN.has(node.localName.toLowerCase()) || node.namespaceURI !== "http://www.w3.org/2000/svg")
            node.remove();
    for (const node of [root, ...root.querySelectorAll("*")])
        for (const attribute of [...node.attributes])
            if (forbidden(attribute))
                node.removeAttributeNode(attribute);
}

function forbidden({ name, localName, namespaceURI, value }) {
    if (/^on/i.test(name) || name === "style")
        return true;
    if (localName === "href" && (namespaceURI === XLINK || !namespaceURI))
        return !value.startsWith("#");
    return /url\s*\(\s*['"]?(?!#)/i.test(value);
}

/** What a device or link is called for people: Graphviz puts the tooltip on a link around the shape. */
export function titleOf(group) {
    return group.querySelector("a")?.getAttributeNS(XLINK, "title") || group.querySelector("title")?.textContent || group.id;
}
