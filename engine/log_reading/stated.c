/* SPDX-License-Identifier: Apache-2.0 */
/* The release of NCCL that a text names outside NCCL's own lines: "NCCL 2.28.9", "nvidia-nccl-cu12==2.20.5", "libnccl2
 * 2.21.5-1+cuda12.4", "nccl.version() (2, 21, 5)", or the version of PyTorch: "torch==2.3.0". A text that
 * names several ("after the update from 2.18.1 to 2.20.3") does not say which one ran. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/log_reading/building.h"
#include "engine/release/frameworks.h"
#include "engine/release/release_names.h"

enum { GAP_MOST = 24 }; /* bytes between a name and its version */

/* Whether a word may be between a name and its version. */
static bool may_follow(const char *word, size_t length)
{
    static const char *const words[] = {"version", "versions", "ver",     "v",   "release", "is",  "cu11",
                                        "cu12",    "cu13",     "library", "lib", "runtime", "tag", "was"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == length && !strncasecmp(word, words[i], length))
            return true;
    return false;
}

/* Reads "2.21.5" or "2, 21, 5". */
static bool read_version(const char *at, int ret_numbers[3])
{
    int length = 0;
    if (sscanf(at, "%2d.%3d.%3d%n", &ret_numbers[0], &ret_numbers[1], &ret_numbers[2], &length) == 3 ||
        sscanf(at, "%2d, %3d, %3d%n", &ret_numbers[0], &ret_numbers[1], &ret_numbers[2], &length) == 3)
        return at[length] != '.' || !orr_is_digit(at[length + 1]); /* an address is longer */
    return false;
}

/* The version after a name; false if something else follows. */
static bool version_after(const char *at, int ret_numbers[3])
{
    const char *end = at + strnlen(at, GAP_MOST);
    if (*at == '2' && at[1] && strchr(" \t=:/-", at[1])) /* libnccl2 */
        at++;
    while (at < end) {
        if (orr_is_digit(*at))
            return read_version(at, ret_numbers);
        size_t length = 0;
        while (orr_is_letter(at[length]) || (length && orr_is_digit(at[length])))
            length++;
        if (length > 1 && (at[0] == 'v' || at[0] == 'V') && orr_is_digit(at[1]))
            length = 1;
        if (length ? !may_follow(at, length) : !strchr(" \t:=-\"'`(),_>*|", *at))
            return false;
        at += length ? length : 1;
    }
    return false;
}

/* The release that PyTorch's builds of a version contain; 0 if they differ, or the table does not have it. */
static uint32_t brought_by(const int numbers[3])
{
    uint32_t count, version = 0;
    bool exact;
    char patch[40], minor[40];
    const struct orr_framework *frameworks = orr_frameworks(&count);
    snprintf(patch, sizeof patch, "%d.%d.%d", numbers[0], numbers[1], numbers[2]);
    snprintf(minor, sizeof minor, "%d.%d", numbers[0], numbers[1]);
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(frameworks[i].version, patch) != 0 && strcmp(frameworks[i].version, minor) != 0)
            continue;
        const uint32_t brings = orr_release_version_of(frameworks[i].nccl, &exact);
        if (version && brings != version)
            return 0;
        version = brings;
    }
    return version;
}

static void keep(struct orr_log_stated *stated, uint32_t version, bool by_framework, uint32_t number)
{
    if (!version || (stated->version && by_framework && !stated->by_framework))
        return;
    if (!stated->version || (stated->by_framework && !by_framework))
        *stated = (struct orr_log_stated){.version = version, .line = number, .by_framework = by_framework};
    else
        stated->several |= stated->version != version;
}

void orr_log_take_stated(struct orr_log_building *b, const char *line, uint32_t number)
{
    static const struct {
        const char *name;
        bool framework;
    } names[] = {{"nccl", false}, {"NCCL", false}, {"torch", true}, {"PyTorch", true}};
    char text[40];
    int numbers[3];
    bool exact;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (const char *at = line; (at = strstr(at, names[i].name));) {
            const char *after = at + strlen(names[i].name);
            if (i < 2 && !strncmp(after, ".version()", strlen(".version()")))
                after += strlen(".version()");
            at = after;
            if (!version_after(after, numbers) || (!names[i].framework && numbers[0] != 2))
                continue;
            snprintf(text, sizeof text, "%d.%d.%d", numbers[0], numbers[1], numbers[2]);
            keep(&b->log->stated, names[i].framework ? brought_by(numbers) : orr_release_version_of(text, &exact),
                 names[i].framework, number);
        }
}

/* The version in "ii  nvidia-fabricmanager-550  550.90.07-1  amd64", "Driver Version: 550.127.05" and the like, after a
 * name: three numbers, the first of three digits. */
static bool driver_version(const char *at, const char *end, struct orr_span *ret_version)
{
    enum { BRANCH = 3 };
    for (; at < end; at++) {
        const size_t length = orr_is_digit(*at) ? strspn(at, "0123456789.") : 0;
        if (length > BRANCH && at[BRANCH] == '.' && memchr(at + BRANCH + 1, '.', length - BRANCH - 1)) {
            *ret_version = (struct orr_span){at, length};
            return true;
        }
        at += length ? length - 1 : 0;
    }
    return false;
}

bool orr_log_scan_driver(const char *line, size_t length, struct orr_log_catch *found)
{
    static const struct {
        const char *name;
        bool manager;
    } names[] = {{"fabricmanager", true},   {"fabric-manager", true},  {"abric Manager version", true},
                 {"Driver Version", false}, {"Kernel Module ", false}, {"libnvidia-compute", false},
                 {"nvidia-utils", false},   {"nvidia-driver", false},  {"nvidia-dkms", false}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *at = memmem(line, length, names[i].name, strlen(names[i].name));
        struct orr_span version;
        if (!at || !driver_version(at, line + length, &version))
            continue;
        found->value_count = found->word_count = 0;
        return orr_log_keep_value(found, names[i].manager) && orr_log_keep_word(found, version.at, version.length);
    }
    return false;
}
