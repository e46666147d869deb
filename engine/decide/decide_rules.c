#include "engine/decide/decide.h"

static const char *const texts[ORR_RULE_COUNT] = {
#define X(name, text) [ORR_RULE_##name] = text,
    ORR_RULE_MAP(X) /* NOLINT(bugprone-suspicious-missing-comma): a sentence over two lines */
#undef X
};

const char *orr_rule_text(enum orr_rule rule)
{
    return (unsigned)rule < ORR_RULE_COUNT ? texts[rule] : "";
}
