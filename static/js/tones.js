// SPDX-License-Identifier: Apache-2.0
/* How good an answer is: a mark and a word for each tone, so that no colour says it alone. */
export const TONES = {
    good: ["✓", "good"],
    assumed: ["≈", "good if the assumptions hold"],
    limited: ["!", "limited"],
    fault: ["✗", "fault"],
    open: ["?", "not known"],
};
