/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/symptoms: questions in words, and the facts about NCCL that answer them. */
#ifndef ORR_SYMPTOMS_ASKED_H
#define ORR_SYMPTOMS_ASKED_H

#include "engine/symptoms/finding.h"

struct orr_asked {
    const char *id;    /* the subject, which several rows may share */
    const char *words; /* orr_log_says() */
    const char *cause; /* the answer */
    const char *check, *cure;
};

/* asked_NAME.c, asked in this order: rows until one without an id. What a row says is from NCCL's documentation, its
 * source (docs/nccl) or its developers; tests/questions names the public thread of each. */
extern const struct orr_asked orr_asked_host[], orr_asked_p2p[], orr_asked_calls[], orr_asked_programs[],
    orr_asked_results[], orr_asked_design[], orr_asked_operations[], orr_asked_network[], orr_asked_use[];

/* asked_setting.c: answers a question about a setting by the table of settings. */
void orr_symptom_of_setting(struct orr_symptom_finder *f);

#endif
