/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/release/path_type.h"

#include "engine/base/words.h"

static const char *const names[ORR_PATH_TYPE_COUNT] = {ORR_PATH_MAP(ORR_NAME_OF)};

static const char *const meanings[ORR_PATH_TYPE_COUNT] = {ORR_PATH_MAP(ORR_SECOND_OF)};

const char *orr_path_type_name(enum orr_path_type type)
{
    return (unsigned)type < ORR_PATH_TYPE_COUNT ? names[type] : "?";
}

const char *orr_path_type_meaning(enum orr_path_type type)
{
    return (unsigned)type < ORR_PATH_TYPE_COUNT ? meanings[type] : "?";
}
