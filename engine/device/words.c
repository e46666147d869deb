/* SPDX-License-Identifier: Apache-2.0 */
/* Names and sentences of facts and assumptions, and the function that gives a verdict its sentence. */
#include <stdarg.h>
#include <stdio.h>

#include "engine/base/words.h"
#include "engine/device/deciding.h"

enum { MOST_TEXT = 512 };
enum scope { NODE, ALL };

static const struct {
    const char *name, *question;
    enum scope scope;
} facts[] = {
#define X(symbol, name, scope, question) {name, question, scope},
    ORR_DEVICE_FACT_MAP(X)
#undef X
};

/* Whether the rules have the fact. */
static bool has_fact(const struct orr_device_rules *rules, enum orr_device_fact fact)
{
    switch (fact) {
    case ORR_DEVICE_DIRECT_P2P:
        return rules->direct_p2p != ORR_DIRECT_P2P_NONE;
    case ORR_DEVICE_CUDA_P2P:
        return rules->cuda_p2p;
    case ORR_DEVICE_DIRECT_NVLINK:
        return rules->direct_nvlink != ORR_DIRECT_NVLINK_NONE;
    case ORR_DEVICE_ONE_RANK:
        return rules->counts_lone_ranks;
    case ORR_DEVICE_LSA:
        return rules->lsa != ORR_LSA_NONE;
    case ORR_DEVICE_GIN:
        return rules->gin == ORR_GIN_OF_RANK || rules->gin == ORR_GIN_OF_ALL;
    case ORR_DEVICE_MULTIMEM:
    case ORR_DEVICE_SYMMETRIC:
    case ORR_DEVICE_KERNELS:
        return rules->symmetric != ORR_SYMMETRIC_NONE;
    case ORR_DEVICE_RMA:
        return rules->has_rma;
    case ORR_DEVICE_COPY_ENGINE:
        return rules->copy_engine != ORR_CE_NONE;
    case ORR_DEVICE_IPC_BUFFERS:
        return rules->ipc_registration;
    case ORR_DEVICE_RING_BUFFERS:
        return rules->ring_registration;
    case ORR_DEVICE_PAIR_BUFFERS:
        return rules->pair_registration != ORR_PAIR_REG_NONE;
    default:
        return rules->covered;
    }
}

const struct orr_release *orr_device_fact_since(enum orr_device_fact fact)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    for (uint32_t i = 0; i < count; i++)
        if (has_fact(releases[i].device, fact))
            return &releases[i];
    return NULL;
}

const char *orr_device_fact_name(const struct orr_release *release, enum orr_device_fact fact)
{
    if (fact == ORR_DEVICE_DIRECT_P2P && release->device->direct_p2p == ORR_DIRECT_P2P_CONNECTED)
        return "intraNodeP2pSupport";
    if (fact == ORR_DEVICE_GIN && release->device->gin == ORR_GIN_OF_RANK)
        return "ginSupport";
    return facts[fact].name;
}

const char *orr_device_fact_question(enum orr_device_fact fact)
{
    return facts[fact].question;
}

bool orr_device_fact_shared(enum orr_device_fact fact)
{
    return facts[fact].scope == ALL;
}

char *orr_device_value_text(enum orr_device_fact fact, int32_t value, char text[ORR_DEVICE_VALUE_SIZE])
{
    static const char *const supports[] = {"none", "full", "rail"};
    if (value < 0)
        snprintf(text, ORR_DEVICE_VALUE_SIZE, "not in this release");
    else if (fact == ORR_DEVICE_LSA)
        snprintf(text, ORR_DEVICE_VALUE_SIZE, "%d rank%s", value, value == 1 ? "" : "s");
    else if (fact == ORR_DEVICE_GIN)
        snprintf(text, ORR_DEVICE_VALUE_SIZE, "%s", supports[value]);
    else
        snprintf(text, ORR_DEVICE_VALUE_SIZE, "%s", value ? "yes" : "no");
    return text;
}

const char *orr_gin_type_name(enum orr_gin_type type)
{
    return type == ORR_GIN_TYPE_GDAKI ? "GDAKI" : type == ORR_GIN_TYPE_PROXY ? "proxy" : "none";
}

ORR_WORD_LIST(orr_device_assumption_id, unsigned, ORR_DEVICE_ASSUMPTION_MAP(ORR_SECOND_OF))

void orr_device_say(struct orr_device_side *d, struct orr_device_nodes *kind, enum orr_device_fact fact, int32_t value,
                    const char *rule, unsigned assumes, const char *format, ...)
{
    struct orr_device_verdict *verdict = &kind->verdicts[fact];
    *verdict = (struct orr_device_verdict){.value = value, .rule = rule, .remedy = "", .assumes = assumes};
    va_list args;
    va_start(args, format);
    verdict->sentence = orr_arena_vprintf(d->arena, MOST_TEXT, format, args);
    va_end(args);
    verdict->sentence = verdict->sentence ? verdict->sentence : "";
}

void orr_device_remedy(struct orr_device_side *d, struct orr_device_nodes *kind, enum orr_device_fact fact,
                       const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = orr_arena_vprintf(d->arena, MOST_TEXT, format, args);
    va_end(args);
    kind->verdicts[fact].remedy = text ? text : "";
}

const char *orr_device_inside(struct orr_device_side *d, const char *sentence)
{
    bool plain = sentence[0] >= 'A' && sentence[0] <= 'Z' && sentence[1] >= 'a' && sentence[1] <= 'z';
    const char *text = orr_arena_printf(d->arena, "%c%s", plain ? sentence[0] - 'A' + 'a' : sentence[0], sentence + 1);
    return text ? text : "";
}
