// SPDX-License-Identifier: Apache-2.0
/* Advice of the service names options of the command line, because every interface shows the same sentences. On the
 * page it names the control that does the same. */

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
