/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/words.h"
#include "engine/decide/decide.h"

static const char *const texts[ORR_RULE_COUNT] = {
#define X(name, text) [ORR_RULE_##name] = text,
    ORR_RULE_MAP(X) /* NOLINT(bugprone-suspicious-missing-comma): a sentence over two lines */
#undef X
};

static const char *const names[ORR_RULE_COUNT] = {ORR_RULE_MAP(ORR_NAME_OF)};

const char *orr_rule_name(enum orr_rule rule)
{
    return (unsigned)rule < ORR_RULE_COUNT ? names[rule] : "NONE";
}

const char *orr_rule_text(enum orr_rule rule)
{
    return (unsigned)rule < ORR_RULE_COUNT ? texts[rule] : "";
}
