// SPDX-License-Identifier: Apache-2.0
// What the checker cannot know: an element that a selector finds is of the kind that the selector says.
interface Element extends HTMLOrSVGElement {
    getBBox(): DOMRect;
}
interface HTMLElement {
    value: any;
    open: any;
    hidden: any;
}
interface EventTarget {
    closest(selector: string): Element | null;
}
