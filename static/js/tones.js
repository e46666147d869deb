// SPDX-License-Identifier: Apache-2.0
/* A mark and a word for each tone, which says how good an answer is, so that nothing depends on colour alone. */
export const TONES = {
    good: ["✓", "good"],
    assumed: ["≈", "good if the assumptions hold"],
    limited: ["!", "limited"],
    fault: ["✗", "fault"],
    open: ["?", "not known"],
};
