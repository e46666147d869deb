#include "engine/release/path_type.h"

static const char *const names[ORR_PATH_TYPE_COUNT] = {
#define X(name, meaning) [ORR_PATH_##name] = #name,
    ORR_PATH_MAP(X)
#undef X
};

static const char *const meanings[ORR_PATH_TYPE_COUNT] = {
#define X(name, meaning) [ORR_PATH_##name] = meaning,
    ORR_PATH_MAP(X)
#undef X
};

const char *orr_path_type_name(enum orr_path_type type)
{
    return (unsigned)type < ORR_PATH_TYPE_COUNT ? names[type] : "?";
}

const char *orr_path_type_meaning(enum orr_path_type type)
{
    return (unsigned)type < ORR_PATH_TYPE_COUNT ? meanings[type] : "?";
}
