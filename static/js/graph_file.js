// SPDX-License-Identifier: Apache-2.0
/* A graph file (NCCL_GRAPH_FILE) and the dump before it, which the service takes as one text. Pure functions. */

/** Whether the first element of a text is <graphs>. */
export const isGraphFile = (text) =>
    /^\s*(?:<\?[^>]*>\s*|<!--[\s\S]*?-->\s*)*<graphs[\s>]/.test(text);

/** The dump without the graph file that follows it. */
export const withoutGraphs = (text) =>
    text.includes("<graphs") ? `${text.slice(0, text.indexOf("<graphs")).trimEnd()}\n` : text;

/** The dump with this graph file in place of the one that follows it. */
export const withGraphs = (text, graphs) =>
    `${withoutGraphs(text).trimEnd()}\n${graphs.slice(graphs.indexOf("<graphs"))}`;

/** "1 graph", "3 graphs". */
export const graphCount = (count) => `${count} ${count === 1 ? "graph" : "graphs"}`;
