/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/property/question.h"

#include <string.h>

/* Values for a setting: some that it documents, some that people try. NCCL reads a number from whatever it is given. */
static const char *value_for(struct chance *c, const struct orr_setting_info *info)
{
    static const char *const numbers[] = {"0",  "1",  "1",  "2",  "2",  "3",       "4",   "8",
                                          "16", "32", "64", "-1", "-2", "1000000", "yes", ""};
    static const char *const levels[] = {"LOC", "NVL", "NVB", "C2C", "PIX", "PXB", "P2C", "PXN",
                                         "PHB", "SYS", "0",   "1",   "2",   "3",   "4",   "phb"};
    static const char *const algorithms[] = {"Ring",  "Tree",           "Ring,Tree",    "^NVLS",
                                             "^Ring", "allreduce:tree", "CollNetDirect"};
    static const char *const protocols[] = {"Simple", "LL", "LL128", "^LL128", "LL,Simple", "allreduce:LL"};
    static const char *const policies[] = {"AUTO", "ALL", "MAX:1", "MAX:2", "MAX:64", "max:x"};
    static const char *const thresholds[] = {"1 2 3 4 5 6", "64 64 64 64 64 64", "-2 -2 -2 8 8 8", ""};
    static const char *const bytes[] = {"0", "48", "64", "1056", "4096", "-1"};
    /* For any setting: numbers that wrap in 32 or 64 bits, other notations, words, blanks. */
    static const char *const odd[] = {"-1",
                                      "-7",
                                      "2147483647",
                                      "2147483648",
                                      "4294967296",
                                      "4294967297",
                                      "-4294967296",
                                      "-2147483648",
                                      "9223372036854775807",
                                      "99999999999999999999",
                                      "0x10",
                                      "010",
                                      "+3",
                                      " 7",
                                      "1e3",
                                      "true",
                                      "pix",
                                      "SYS ",
                                      "^",
                                      "-",
                                      "NONE",
                                      "MAX:0",
                                      ",;:",
                                      ""};
    if (chance_percent(c, 22))
        return CHANCE_OF(c, odd);
    switch (info->id) {
    case ORR_SET_ALGO:
        return CHANCE_OF(c, algorithms);
    case ORR_SET_PROTO:
        return CHANCE_OF(c, protocols);
    case ORR_SET_NETDEVS_POLICY:
        return CHANCE_OF(c, policies);
    case ORR_SET_THREAD_THRESHOLDS:
        return CHANCE_OF(c, thresholds);
    case ORR_SET_WORK_ARGS_BYTES:
        return CHANCE_OF(c, bytes);
    default:
        return info->kind == ORR_SETTING_LEVEL ? CHANCE_OF(c, levels) : CHANCE_OF(c, numbers);
    }
}

/* Settings by which the answer changes most, besides any of the table. */
static enum orr_setting any_setting(struct chance *c)
{
    static const enum orr_setting strong[] = {
        ORR_SET_CROSS_NIC,      ORR_SET_P2P_DISABLE,   ORR_SET_P2P_LEVEL,   ORR_SET_SHM_DISABLE,
        ORR_SET_COLLNET_ENABLE, ORR_SET_NVLS_ENABLE,   ORR_SET_PXN_DISABLE, ORR_SET_NVB_DISABLE,
        ORR_SET_NET_GDR_LEVEL,  ORR_SET_NET_GDR_READ,  ORR_SET_PXN_C2C,     ORR_SET_NET_DISABLE_INTRA,
        ORR_SET_MIN_NCHANNELS,  ORR_SET_MAX_NCHANNELS,
    };
    return chance_percent(c, 60) ? CHANCE_OF(c, strong) : (enum orr_setting)chance_below(c, ORR_SETTING_COUNT);
}

void question_make(struct chance *c, struct question *question)
{
    static const uint8_t hosts[] = {1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6};
    memset(question, 0, sizeof *question);
    question->hosts = CHANCE_OF(c, hosts);
    question->count = chance_percent(c, 45) ? 0 : (uint32_t)chance_between(c, 1, MOST_ANSWERS);
    uint32_t i = 0;
    if (question->count && chance_percent(c, 15)) { /* 1 alone means something */
        question->settings[i].name = "NCCL_COLLNET_ENABLE";
        question->settings[i++].value = "1";
    }
    for (; i < question->count; i++) {
        const struct orr_setting_info *info = orr_setting_info(any_setting(c));
        question->settings[i].name = info->name;
        question->settings[i].value = value_for(c, info);
    }
}

enum orr_code question_ask(const struct question *question, const struct orr_release *release, struct orr_query *query,
                           struct orr_error *err)
{
    orr_settings_init(&query->settings, release);
    query->hosts = question->hosts;
    for (uint32_t i = 0; i < question->count; i++)
        ORR_TRY(orr_settings_set(&query->settings, question->settings[i].name, question->settings[i].value, err));
    return ORR_OK;
}
