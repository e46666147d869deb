/* SPDX-License-Identifier: Apache-2.0 */
/* Reads single files and folders of /sys. */
#include <stdio.h>

#include "engine/base/hex.h"
#include "engine/detect/detecting.h"

bool orr_looks_like_bus_id(const char *text, size_t length)
{
    if (length != ORR_BUS_ID_LENGTH)
        return false;
    for (size_t i = 0; i < ORR_BUS_ID_LENGTH; i++) {
        char wanted = i == 4 || i == 7 ? ':' : i == 10 ? '.' : 0;
        if (wanted ? text[i] != wanted : orr_hex_digit(text[i]) < 0)
            return false;
    }
    return true;
}

void orr_sys_value(const struct orr_detector *d, const char *path, const char *name, char value[ORR_SYS_VALUE])
{
    char file[ORR_PATH_SIZE + 64];
    value[0] = 0;
    if (snprintf(file, sizeof file, "%s/%s", path, name) >= (int)sizeof file)
        return;
    ssize_t got = orr_root_read(d->root, file, value, ORR_SYS_VALUE);
    value[got > 0 ? got - 1 : 0] = 0; /* drops the last byte, whatever it is */
}

bool orr_detector_list(struct orr_detector *d, const char *path, struct orr_root_names *ret_names)
{
    return orr_root_list(d->root, path, d->arena, ret_names);
}
