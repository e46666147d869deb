/* SPDX-License-Identifier: Apache-2.0 */
/* Symptoms: causes that several lines of a paste show together although no single line says them, for example that
 * every rank sees only one GPU, or that PCIe switches break GPUDirect RDMA. Each is a row with the cause, a way to
 * confirm it, and a cure. A cause that a line of the same text refutes is not named.
 *
 * The text is anything that engine/log_reading read: NCCL's log, command lines, output of lspci, lscpu and others.
 */
#ifndef ORR_SYMPTOMS_H
#define ORR_SYMPTOMS_H

#include "engine/log_reading/log.h"

/* The weight of a symptom. X(symbol, word) */
#define ORR_SYMPTOM_WEIGHT_MAP(X)                                                                                      \
    X(CAUSE, "cause")     /* it explains an error or a slow transport that the text shows */                           \
    X(OPEN, "open")       /* the text shows that something fails and not why: what would tell */                       \
    X(SETTING, "setting") /* a setting makes transfers slower, or once did */                                          \
    X(NOTE, "note")       /* worth knowing if the job is slow */

enum orr_symptom_weight {
#define X(symbol, word) ORR_SYMPTOM_##symbol,
    ORR_SYMPTOM_WEIGHT_MAP(X)
#undef X
};

struct orr_symptom {
    const char *id; /* stable word */
    enum orr_symptom_weight weight;
    const char *cause;    /* one or two sentences, the consequence first */
    const char *check;    /* what confirms or refutes it: a sentence with a command */
    const char *cure;     /* a sentence */
    uint32_t line;        /* of the text; 0 if several */
    bool by_words;        /* it answers a person's words in that line; nothing that a program printed shows it */
    bool slows;           /* it costs speed and stops no job, so it is not the cause if the job failed or hangs */
    bool guess;           /* a run to make if nothing shows the cause; ranks whose calls differ refute it */
    bool forces_p2p;      /* the setting allows P2P over PCIe, which GPUs that NVLink joins do not use */
    const char *explains; /* id of the message that it causes, before which it is reported; NULL if there is none */
};

enum { ORR_SYMPTOMS_MOST = 32 };
struct orr_symptoms {
    struct orr_symptom rows[ORR_SYMPTOMS_MOST]; /* causes first, then settings, then notes */
    uint32_t count;
};

/* Texts are constants, or of arena. */
enum orr_code orr_symptoms_find(const struct orr_log *log, struct orr_arena *arena, struct orr_symptoms *ret_symptoms,
                                struct orr_error *err) ORR_NO_DISCARD;
/* The first cause that explains a message; NULL if none does. */
const struct orr_symptom *orr_symptom_explaining(const struct orr_symptoms *symptoms, const char *id);
/* advice.c: advice without the sentences that the text has answered; "" if nothing is left. A constant, or of the log's
 * arena. */
const char *orr_symptom_advice(const struct orr_log *log, const char *advice);
/* The same for a cause that lines prove: what must be done stays, and only conditions ("If ...") can be answered. */
const char *orr_symptom_remedy(const struct orr_log *log, const char *remedy);
const char *orr_symptom_word(enum orr_symptom_weight weight);
/* The event of the first of the messages "A|B|C" that the text has; NULL if it has none of them. */
const struct orr_log_event *orr_log_event_of(const struct orr_log *log, const char *ids);
/* The first line in a person's words that says the words of orr_log_says(); 0 if none does. commands: a command line is
 * such a line, too. */
uint32_t orr_symptom_said(const struct orr_log *log, const char *words, bool commands);
/* The first line "NET/IB : Using" or "NET/Socket : Using", by the word after "NET/"; NULL if there is none. */
const struct orr_log_record *orr_symptom_nic_list(const struct orr_log *log, const char *of);

#endif
