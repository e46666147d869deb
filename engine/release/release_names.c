/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/release/release_names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/release/behaviours.h"

enum { PARTS = 3, PART_MOST = 99, TOPICS_MOST = 104 };

/* A difference in a few words; behaviours without a row here are left out. */
static const struct topic {
    const char *behaviour, *text;
} topics[] = {
    {"path_types", "path types"},
    {"nvlink_bw", "NVLink rates"},
    {"speeds", "PCIe link speeds"},
    {"qpi_zhaoxin", "Zhaoxin CPUs"},
    {"keeps_nets", "NICs of a single host"},
    {"qpi_intel", "CPU link rates"},
    {"qpi_amd", "CPU link rates"},
    {"c2c", "C2C"},
    {"has_devs", "GPUs and ranks apart (DEV)"},
    {"admission", "choice of paths"},
    {"p2p_default", "P2P level"},
    {"net_choice", "NIC of a GPU"},
    {"pxn", "PXN"},
    {"NCCL_PXN_C2C", "PXN over C2C"},
    {"gdr_has_modes", "GPUDirect RDMA"},
    {"gdr_level_c2c", "GPUDirect RDMA"},
    {"max_channels", "channels"},
    {"search_rates", "rates searched"},
    {"steps_all", "search budgets"},
    {"tree_pattern", "tree pattern"},
    {"collnet_direct", "CollNetDirect"},
    {"merges_nic_functions", "functions of a NIC"},
    {"nvls_max_channels", "NVLS"},
    {"nvls_least_gpus", "NVLS"},
    {"connect.rails", "rails"},
    {"tuning.algorithm_count", "algorithms"},
    {"tuning.hw_latency", "tuning"},
    {"tuning.tree_max", "tuning"},
};
enum { TOPIC_COUNT = sizeof topics / sizeof topics[0] };

static uint32_t version_of_code(unsigned long code)
{
    /* Before 2.9 a thousand meant the major number. */
    unsigned long unit = code >= 10000 ? 10000 : 1000;
    return code < 1000 || code > 999999
               ? 0
               : ORR_VERSION((uint32_t)(code / unit), (uint32_t)(code % unit / 100), (uint32_t)(code % 100));
}

uint32_t orr_release_version_of(const char *text, bool *ret_exact)
{
    unsigned long parts[PARTS] = {0};
    int count = 0;
    while (isspace((unsigned char)*text))
        text++;
    if (!strncasecmp(text, "nccl", 4))
        for (text += 4; *text == ' ' || *text == '-' || *text == '_';)
            text++;
    if ((text[0] == 'v' || text[0] == 'V') && isdigit((unsigned char)text[1]))
        text++;
    while (count < PARTS && isdigit((unsigned char)*text)) {
        char *end;
        parts[count++] = strtoul(text, &end, 10);
        text = end;
        if (*text != '.' || !isdigit((unsigned char)text[1]))
            break;
        text++;
    }
    *ret_exact = count != 2;
    if (isalnum((unsigned char)*text) || *text == '.')
        return 0; /* no version continues like this */
    if (count == 1)
        return version_of_code(parts[0]);
    for (int i = 0; i < count; i++)
        if (parts[i] > PART_MOST)
            return 0;
    return count ? ORR_VERSION((uint32_t)parts[0], (uint32_t)parts[1], (uint32_t)parts[2]) : 0;
}

/* The release of a version; without a patch level, the newest of that minor release. */
static const struct orr_release *release_meant(uint32_t version, bool exact)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count), *found = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (!exact && releases[i].version / 100 == version / 100)
            found = &releases[i];
    return exact ? orr_release_of(version) : found;
}

static const char *topic_of(const struct orr_behaviour_difference *difference)
{
    for (int i = 0; i < TOPIC_COUNT; i++)
        if (!strcmp(topics[i].behaviour, difference->behaviour.name))
            return topics[i].text;
    return NULL;
}

/* Writes the differences, "path types, C2C, PXN", each once, as long as there is room; empty if memory ran out. */
static void write_topics(const struct orr_release *below, const struct orr_release *above, struct orr_text *text)
{
    const struct orr_behaviour_difference *rows = NULL;
    uint32_t count = 0;
    ORR_LOCAL_ARENA(arena, 0);
    if (orr_releases_compare(above, below, arena, &rows, &count, NULL) != ORR_OK)
        count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const char *topic = topic_of(&rows[i]);
        if (!topic || (text->data && strstr(text->data, topic)))
            continue;
        if (text->length + strlen(topic) > TOPICS_MOST) {
            orr_text_puts(text, ", ...");
            break;
        }
        orr_text_printf(text, "%s%s", text->length ? ", " : "", topic);
    }
}

static void say_nearest(const char *text, uint32_t version, struct orr_error *err)
{
    const struct orr_release *below, *above;
    ORR_LOCAL_TEXT(changed, TOPICS_MOST + sizeof ", ...");
    orr_release_neighbours(version, &below, &above);
    if (!below) {
        orr_fail(err, ORR_SETTING, "NCCL release \"%.32s\" is older than %s, the oldest that Orrery knows", text,
                 above->name);
        return;
    }
    if (!above) {
        orr_fail(err, ORR_SETTING, "NCCL release \"%.32s\" is newer than %s, the newest that Orrery knows", text,
                 below->name);
        return;
    }
    write_topics(below, above, &changed);
    orr_fail(err, ORR_SETTING,
             "NCCL release \"%.32s\" is not one that Orrery knows; the nearest are %s and %s, between which these "
             "changed: %s",
             text, below->name, above->name, changed.length ? changed.data : "see both");
}

enum orr_code orr_release_unknown(const char *text, struct orr_error *err)
{
    bool exact;
    uint32_t version = orr_release_version_of(text, &exact), count;
    const struct orr_release *meant = version ? release_meant(version, exact) : NULL;
    const struct orr_release *releases = orr_releases(&count);
    if (!version)
        orr_fail(err, ORR_SETTING, "\"%.32s\" is not an NCCL release that Orrery knows", text);
    else if (meant)
        orr_fail(err, ORR_SETTING, "\"%.32s\" is written %s here", text, meant->name);
    else
        say_nearest(text, version, err);
    orr_error_where(err, "release");
    if (meant)
        orr_error_advice(err, "did you mean %s? `orrery releases` lists all", meant->name);
    else if (version)
        orr_error_advice(err,
                         "choose one of the %u releases from %s to %s (`orrery releases` lists them), or accept the "
                         "nearest: --nearest, nearest=1",
                         count, releases[0].name, releases[count - 1].name);
    else
        orr_error_advice(err, "choose one of the %u releases from %s to %s; `orrery releases` lists them", count,
                         releases[0].name, releases[count - 1].name);
    return ORR_SETTING;
}

/* Tags that behave like another tag in everything that Orrery analyses. */
static const struct orr_release_alias aliases[] = {
    {ORR_VERSION(2, 7, 6), "2.7.6", "2.7.8"},    {ORR_VERSION(2, 12, 7), "2.12.7", "2.12.10"},
    {ORR_VERSION(2, 18, 6), "2.18.6", "2.18.5"}, {ORR_VERSION(2, 19, 4), "2.19.4", "2.19.3"},
    {ORR_VERSION(2, 20, 3), "2.20.3", "2.20.5"}, {ORR_VERSION(2, 26, 3), "2.26.3", "2.26.2"},
    {ORR_VERSION(2, 26, 5), "2.26.5", "2.26.2"}, {ORR_VERSION(2, 26, 6), "2.26.6", "2.26.2"},
    {ORR_VERSION(2, 27, 6), "2.27.6", "2.27.7"}, {ORR_VERSION(2, 29, 3), "2.29.3", "2.29.2"},
};
enum { ALIAS_COUNT = sizeof aliases / sizeof aliases[0] };

const struct orr_release_alias *orr_release_aliases(uint32_t *ret_count)
{
    *ret_count = ALIAS_COUNT;
    return aliases;
}

const struct orr_release *orr_release_of(uint32_t version)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    for (uint32_t i = 0; i < count; i++)
        if (releases[i].version == version)
            return &releases[i];
    for (int i = 0; i < ALIAS_COUNT; i++)
        if (aliases[i].version == version)
            return orr_release_find(aliases[i].row);
    return NULL;
}

/* The distance of two versions: by minor release, then by patch level. */
static uint32_t distance(uint32_t a, uint32_t b)
{
    enum { MINOR = 100 };
    uint32_t minor = a / MINOR > b / MINOR ? a / MINOR - b / MINOR : b / MINOR - a / MINOR;
    uint32_t patch = a > b ? a - b : b - a;
    return minor ? minor * MINOR : patch;
}

const struct orr_release *orr_release_nearest(uint32_t version, bool *ret_exact)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count), *found = orr_release_of(version);
    *ret_exact = found != NULL;
    if (found || !version)
        return found ? found : orr_release_default();
    found = &releases[0];
    for (uint32_t i = 1; i < count; i++) {
        uint32_t apart = distance(releases[i].version, version), least = distance(found->version, version);
        /* Among equally near releases, the last one before or the first one after. */
        if (apart < least || (apart == least && releases[i].version < version))
            found = &releases[i];
    }
    return found;
}

enum orr_code orr_release_choose(const char *text, bool nearest, struct orr_release_choice *ret_choice,
                                 struct orr_error *err)
{
    bool exact;
    uint32_t version = orr_release_version_of(text, &exact);
    struct orr_release_choice choice = {.release = orr_release_find(text)};
    for (int i = 0; i < ALIAS_COUNT && !choice.release; i++)
        if (!strcmp(aliases[i].name, text))
            choice = (struct orr_release_choice){orr_release_find(aliases[i].row), aliases[i].version};
    if (!choice.release && nearest && version) {
        const struct orr_release *meant = release_meant(version, exact);
        choice.release = meant ? meant : orr_release_nearest(version, &exact);
        choice.asked = choice.release->version == version ? 0 : version;
    }
    if (!choice.release)
        return orr_release_unknown(text, err);
    *ret_choice = choice;
    return ORR_OK;
}

const struct orr_release_first *orr_release_first_after(uint32_t version, int32_t sm)
{
    /* NVIDIA/nccl#1611, NVIDIA/nccl#1637; release notes of 2.15.1 and 2.27.3 */
    static const struct orr_release_first rows[] = {
        {121, ORR_VERSION(2, 27, 3), "DGX Spark"},
        {120, ORR_VERSION(2, 26, 2), "the generation of RTX 50 and RTX PRO Blackwell"},
        {100, ORR_VERSION(2, 25, 1), "Blackwell"},
        {90, ORR_VERSION(2, 15, 1), "Hopper"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (sm >= rows[i].sm)
            return version < rows[i].version ? &rows[i] : NULL;
    return NULL;
}

uint32_t orr_release_asked(const struct orr_release *release, uint32_t version)
{
    return release->version == version ? 0 : version;
}

bool orr_settings_nearest(const struct orr_settings *settings)
{
    return settings->asked && orr_release_of(settings->asked) != settings->release;
}

bool orr_settings_verified(const struct orr_settings *settings)
{
    return settings->release->compared && !orr_settings_nearest(settings);
}

const char *orr_settings_caveat(const struct orr_settings *settings, char text[ORR_CAVEAT_SIZE])
{
    const char *name = settings->release->name;
    char asked[ORR_VERSION_SIZE];
    *text = '\0';
    if (orr_settings_nearest(settings))
        snprintf(text, ORR_CAVEAT_SIZE, "NCCL %s is assumed to behave like %s, the nearest release that Orrery knows",
                 orr_version_format(settings->asked, asked), name);
    else if (!settings->release->compared)
        snprintf(text, ORR_CAVEAT_SIZE, "What Orrery knows of NCCL %s has not been compared with NCCL's own results",
                 name);
    return text;
}

const char *orr_version_format(uint32_t version, char text[ORR_VERSION_SIZE])
{
    snprintf(text, ORR_VERSION_SIZE, "%u.%u.%u", version / 10000, version / 100 % 100, version % 100);
    return text;
}
