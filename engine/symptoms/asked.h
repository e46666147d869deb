/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/symptoms: questions in words, and the facts about NCCL that answer them. */
#ifndef ORR_SYMPTOMS_ASKED_H
#define ORR_SYMPTOMS_ASKED_H

struct orr_asked {
    const char *id; /* rows with the same id answer the same subject; only the first of them is said */
    /* Of struct orr_log_said: "a|b&c&!d+e;f" means that one line has a or b, and c, and not d, and any line e; or that
     * one has f. */
    const char *words;
    const char *cause; /* the answer */
    const char *check, *cure;
};

/* asked_rows.c: a specific question comes before a general one; the last row has no id. */
#define ORR_ASKED_LAST "asked-hang" /* said if nothing else is */
extern const struct orr_asked orr_asked_rows[];

#endif
