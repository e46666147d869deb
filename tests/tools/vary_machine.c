/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/tools/vary_machine.h"

#include <stdio.h>
#include <string.h>

/* Gives an attribute another value, everywhere or at some elements. */
static void change(struct chance *c, char *text, const char *name, const char *value, uint32_t percent, size_t size)
{
    char key[64], *at = text;
    snprintf(key, sizeof key, " %s=\"", name);
    while ((at = strstr(at, key))) {
        at += strlen(key);
        char *end = strchr(at, '"');
        size_t length = strlen(value);
        if (!end || strlen(text) + length >= size)
            return;
        if (!chance_percent(c, percent))
            continue;
        memmove(at + length, end, strlen(end) + 1);
        memcpy(at, value, length);
    }
}

void vary_machine(struct chance *c, char *text, size_t size)
{
    enum { VALUES = 16 };
    static const struct {
        const char *name, *values[VALUES];
    } attributes[] = {
        {"sm", {"60", "61", "70", "75", "80", "86", "87", "89", "90", "90", "100", "100", "103", "120"}},
        {"count", {"1", "2", "3", "4", "5", "6", "8", "9", "10", "12", "16", "18", "24", "30"}},
        {"link_speed", {"5.0 GT/s PCIe", "8.0 GT/s PCIe", "16.0 GT/s PCIe", "32.0 GT/s PCIe", "64.0 GT/s PCIe"}},
        {"link_width", {"1", "2", "4", "8", "16", "32"}},
        {"speed", {"10000", "25000", "86000", "100000", "200000", "300000", "400000", "600000", "688000", "800000"}},
        {"bw", {"44712", "100000", "5000"}},
        {"guid", {"0x1", "0x2", "5e1f", "7"}},
        {"maxconn", {"131072", "1", "2", "0"}},
        {"class", {"0x030200", "0x020000", "0x060400", "0x068000", "0x120000"}},
        {"gdr", {"0", "1"}},
        {"rail", {"0", "1"}},
        {"latency", {"0", "2.5", "10"}},
        {"modelid", {"79", "85", "106", "143", "207", "49"}},
        {"vendor", {"GenuineIntel", "AuthenticAMD", "CentaurHauls"}},
        {"arch", {"x86_64", "arm64", "ppc64"}},
    };
    for (uint32_t n = chance_below(c, 5); n > 0; n--) {
        uint32_t which = chance_percent(c, 60) ? chance_below(c, 5)
                                               : chance_below(c, (uint32_t)(sizeof attributes / sizeof attributes[0]));
        const char *const *values = attributes[which].values;
        uint32_t count = 0;
        while (count < VALUES && values[count])
            count++;
        change(c, text, attributes[which].name, values[chance_below(c, count)], chance_percent(c, 70) ? 100 : 30, size);
    }
}
