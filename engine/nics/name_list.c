/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/nics/name_list.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The number after the next ":" of an entry, -1 if there is none. */
static int32_t next_number(const char **at, const char *end)
{
    *at += strcspn(*at, ":,");
    if (*at >= end)
        return -1;
    (*at)++;
    long number = isdigit((unsigned char)**at) ? strtol(*at, NULL, 10) : -1;
    return number <= INT32_MAX ? (int32_t)number : -1;
}

bool orr_list_takes(const char *list, const char *name, int32_t port, struct orr_list_entry *ret_entry)
{
    enum { MOST = 32 };
    bool except = *list == '^', exact = false, found = false, any = false;
    list += except;
    if (*list == '=') {
        exact = true;
        list++;
    }
    if (ret_entry)
        *ret_entry = (struct orr_list_entry){-1, -1};
    for (int count = 0; *list && count < MOST && !found;) {
        size_t length = strcspn(list, ","), word = strcspn(list, ":,");
        if (word) {
            const char *at = list, *end = list + length;
            bool same = !strncmp(list, name, word) && (!exact || !name[word]);
            int32_t wanted = next_number(&at, end), rail = next_number(&at, end), plane = next_number(&at, end);
            found = same && (port < 0 || wanted < 0 || wanted == port);
            if (found && ret_entry && !except)
                *ret_entry = (struct orr_list_entry){rail, plane};
            any = true;
            count++;
        }
        list += length + (list[length] == ',');
    }
    return any ? found != except : !except;
}
