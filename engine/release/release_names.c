#include "engine/release/release_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/release/behaviours.h"

enum { PARTS = 3, PART_MOST = 99, LIST_MOST = 180, TOPICS_MOST = 104 };

/* What a difference is called where there is room for a few words only; behaviours without a row are left out. */
static const struct topic {
    const char *behaviour, *text;
} topics[] = {
    {"path_types", "path types"},
    {"nvlink_bw", "NVLink rates"},
    {"qpi_intel", "CPU link rates"},
    {"qpi_amd", "CPU link rates"},
    {"c2c", "C2C"},
    {"has_devs", "GPUs and ranks apart (DEV)"},
    {"admission", "choice of paths"},
    {"p2p_default", "P2P level"},
    {"net_choice", "NIC of a GPU"},
    {"pxn", "PXN"},
    {"NCCL_PXN_C2C", "PXN over C2C"},
    {"gdr_has_modes", "GPU Direct RDMA"},
    {"gdr_level_c2c", "GPU Direct RDMA"},
    {"max_channels", "channels"},
    {"search_rates", "rates searched"},
    {"steps_all", "search budgets"},
    {"tree_pattern", "tree pattern"},
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
    /* Before 2.9 a thousand stood for the major number. */
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
        return 0; /* goes on as no version does */
    if (count == 1)
        return version_of_code(parts[0]);
    for (int i = 0; i < count; i++)
        if (parts[i] > PART_MOST)
            return 0;
    return count ? ORR_VERSION((uint32_t)parts[0], (uint32_t)parts[1], (uint32_t)parts[2]) : 0;
}

/* The release that a version means; where it has no patch level, the newest of that minor release. */
static const struct orr_release *release_meant(uint32_t version, bool exact)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count), *found = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (exact ? releases[i].version == version : releases[i].version / 100 == version / 100)
            found = &releases[i];
    return found;
}

static void write_names(struct orr_text *names)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    for (uint32_t i = 0; i < count; i++)
        orr_text_printf(names, "%s%s", i ? ", " : "", releases[i].name);
}

static const char *topic_of(const struct orr_behaviour_difference *difference)
{
    for (int i = 0; i < TOPIC_COUNT; i++)
        if (!strcmp(topics[i].behaviour, difference->behaviour.name))
            return topics[i].text;
    return NULL;
}

/* "path types, C2C, PXN" of what differs, each once, as long as there is room; empty without memory. */
static void write_topics(const struct orr_release *below, const struct orr_release *above, struct orr_text *text)
{
    const struct orr_behaviour_difference *rows = NULL;
    uint32_t count = 0;
    struct orr_arena *arena = orr_arena_new(0);
    if (!arena || orr_releases_compare(above, below, arena, &rows, &count, NULL) != ORR_OK)
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
    orr_arena_free(arena);
}

static const char *mark(const struct orr_release *release)
{
    return release->verified ? "" : " (not verified)";
}

static void say_nearest(const char *text, uint32_t version, struct orr_error *err)
{
    const struct orr_release *below, *above;
    struct orr_text changed;
    orr_release_neighbours(version, &below, &above);
    if (!below) {
        orr_fail(err, ORR_SETTING, "NCCL release \"%.32s\" is older than %s%s, the oldest that is emulated", text,
                 above->name, mark(above));
        return;
    }
    if (!above) {
        orr_fail(err, ORR_SETTING, "NCCL release \"%.32s\" is newer than %s%s, the newest that is emulated", text,
                 below->name, mark(below));
        return;
    }
    orr_text_init(&changed, TOPICS_MOST + sizeof ", ...");
    write_topics(below, above, &changed);
    orr_fail(err, ORR_SETTING,
             "NCCL release \"%.32s\" is not emulated; the nearest are %s%s and %s%s, between which these changed: %s",
             text, below->name, mark(below), above->name, mark(above), changed.length ? changed.data : "see both");
    orr_text_release(&changed);
}

enum orr_code orr_release_unknown(const char *text, struct orr_error *err)
{
    bool exact;
    uint32_t version = orr_release_version_of(text, &exact);
    const struct orr_release *meant = version ? release_meant(version, exact) : NULL;
    struct orr_text names;
    orr_text_init(&names, LIST_MOST);
    write_names(&names);
    if (!version)
        orr_fail(err, ORR_SETTING, "\"%.32s\" is not the name of a NCCL release that is emulated", text);
    else if (meant)
        orr_fail(err, ORR_SETTING, "\"%.32s\" is not how NCCL release %s is named here", text, meant->name);
    else
        say_nearest(text, version, err);
    orr_error_where(err, "release");
    if (meant)
        orr_error_advice(err, "did you mean %s? emulated are %s", meant->name, names.data ? names.data : "");
    else
        orr_error_advice(err, "choose one of %s; `orrery releases` says how they differ", names.data ? names.data : "");
    orr_text_release(&names);
    return ORR_SETTING;
}

const struct orr_release *orr_release_nearest(uint32_t version, bool *ret_exact)
{
    enum { MINOR = 100 };
    uint32_t count, least = UINT32_MAX;
    const struct orr_release *releases = orr_releases(&count), *found = orr_release_default();
    *ret_exact = false;
    for (uint32_t i = 0; i < count && version; i++) {
        uint32_t own = releases[i].version / MINOR, wanted = version / MINOR;
        uint32_t apart = 2 * (own > wanted ? own - wanted : wanted - own) + !releases[i].verified;
        if (releases[i].version == version || apart < least) {
            least = apart;
            found = &releases[i];
        }
        if (releases[i].version == version)
            break;
    }
    *ret_exact = found->version == version;
    return found;
}

bool orr_release_is(const struct orr_release *release, uint32_t version)
{
    return release->version == version;
}
