// SPDX-License-Identifier: Apache-2.0
/* How the page words what the service says. Advice of the service names options of the command line, because every
 * interface shows the same sentences. On the page it names the control that does the same. */

const CONTROLS = {
    "assume-cpu": "CPUs",
    "assume-nics": "NIC speed",
    assume: "Machine type",
    hosts: "Hosts",
    gpus: "GPUs",
    release: "NCCL",
};
const OPTION = new RegExp(
    `\`?--(${Object.keys(CONTROLS).join("|")})(?![a-z-])(?: [A-Z]+\\b| amd or intel)?\`?(?:, assume=)?`,
    "g",
);

/** A sentence with controls of the page in place of options.
 * @param {string} text */
export const onPage = (text) =>
    text.replace(OPTION, (_, name) => `“${CONTROLS[name]}” under Question`);

/* The title of a problem is the reason phrase of its status. People who read the page need to know what is wrong. */
const HEADINGS = {
    "malformed-xml": "Malformed XML",
    "refused-by-nccl": "NCCL rejects this topology",
    "unrecognised-input": "Orrery does not recognise this input",
    "invalid-topology": "Inconsistent or incomplete topology",
    "no-ranks": "No GPU takes part",
    "limit-exceeded": "The input exceeds a limit",
    "invalid-setting": "Invalid release, host count or setting",
    unsupported: "Not supported",
    "too-complex": "Time or memory limit exceeded",
    "unpacked-too-large": "The archive is too large",
    "body-too-large": "The file is too large",
    "empty-body": "The file is empty",
    "render-failed": "The drawing failed",
    "store-failed": "The database cannot be reached",
    overloaded: "The server is overloaded",
};

/** The heading of a problem that the service answered.
 * @param {{type?: string, title?: string}} problem */
export const headingOf = (problem) => HEADINGS[problem.type?.split("/").pop()] ?? problem.title;
