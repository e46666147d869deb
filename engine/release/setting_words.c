/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the texts about a setting in one release: its default and its values. In the rows of settings.c, braces mark
 * the words that differ between releases. */
#include <stdio.h>
#include <string.h>

#include "engine/release/behaviours.h"
#include "engine/release/connect_rules.h"
#include "engine/release/tuning_model.h"

/* A text of bounded length; what does not fit is cut. */
struct words {
    char *at;
    size_t room;
};

static void add_part(struct words *words, const char *text, size_t length)
{
    size_t taken = length < words->room - 1 ? length : words->room - 1;
    memcpy(words->at, text, taken);
    words->at += taken;
    words->room -= taken;
    *words->at = 0;
}

static void add_text(struct words *words, const char *text)
{
    add_part(words, text, strlen(text));
}

static void add_number(struct words *words, int64_t number)
{
    char text[24];
    add_part(words, text, (size_t)snprintf(text, sizeof text, "%lld", (long long)number));
}

static void most_channels(struct words *words, const struct orr_release *release)
{
    add_number(words, release->max_channels);
}

static void levels(struct words *words, const struct orr_release *release)
{
    for (uint32_t i = 0; i < release->path_type_count && release->path_types[i] <= ORR_PATH_SYS; i++) {
        add_text(words, i ? ", " : "");
        add_text(words, orr_path_type_name((enum orr_path_type)release->path_types[i]));
    }
}

/* Uses the words of the behaviour. */
static void p2p_level(struct words *words, const struct orr_release *release)
{
    struct orr_behaviour row;
    for (uint32_t i = 0; i < orr_behaviour_count(); i++) {
        orr_behaviour_get(i, &row);
        if (!strcmp(row.name, "p2p_default"))
            add_text(words, row.words[release->p2p_default]);
    }
}

static void gdr_level(struct words *words, const struct orr_release *release)
{
    add_text(words, release->gdr_level_c2c ? "P2C; PXB with NCCL_NET_GDR_C2C=0" : "PXB");
}

static void nvls_channels(struct words *words, const struct orr_release *release)
{
    const struct orr_connect_rules *c = release->connect;
    add_number(words, c->nvls_channels);
    bool hosts_alike = c->nvls_one_node || c->nvls_channels_sm100_hosts == c->nvls_channels_sm100;
    if (hosts_alike && c->nvls_channels_sm100 == c->nvls_channels)
        return;
    add_text(words, "; ");
    add_number(words, c->nvls_channels_sm100);
    if (!hosts_alike) {
        add_text(words, " on one host and ");
        add_number(words, c->nvls_channels_sm100_hosts);
        add_text(words, " on several");
    }
    add_text(words, " from capability 100 on");
}

static void net_peer(struct words *words, const struct orr_release *release)
{
    static const char *const texts[] = {
        [ORR_NET_PEER_ONE] = "1",
        [ORR_NET_PEER_TWO] = "2",
        [ORR_NET_PEER_BY_SIZE] = "by the number of ranks",
        [ORR_NET_PEER_BY_RATE] = "by the bandwidth of the GPU's NICs",
    };
    add_text(words, texts[release->connect->net_peer]);
}

static void algorithms(struct words *words, const struct orr_release *release)
{
    for (uint32_t i = 0; i < release->tuning->algorithm_count; i++) {
        add_text(words, i ? ", " : "");
        add_text(words, release->tuning->names[i]);
    }
}

static void unknown_name(struct words *words, const struct orr_release *release)
{
    add_text(words, release->tuning->lists == ORR_LIST_BY_FUNCTION ? "an unknown name is an error"
                                                                   : "unknown names are ignored");
}

static const struct {
    const char *name; /* between the braces */
    void (*write)(struct words *words, const struct orr_release *release);
} writers[] = {
    {"channels", most_channels}, {"levels", levels},     {"p2p level", p2p_level},   {"gdr level", gdr_level},
    {"nvls", nvls_channels},     {"net peer", net_peer}, {"algorithms", algorithms}, {"unknown name", unknown_name},
};

/* "{, per function: ...}" is for releases whose lists may name functions. */
static void write_braces(struct words *words, const char *name, size_t length, const struct orr_release *release)
{
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++)
        if (strlen(writers[i].name) == length && !memcmp(writers[i].name, name, length))
            writers[i].write(words, release);
    if (*name == ',' && release->tuning->lists == ORR_LIST_BY_FUNCTION)
        add_part(words, name, length);
}

static void expand(char *room, size_t size, const char *text, const struct orr_release *release)
{
    struct words words = {room, size};
    *room = 0;
    while (text && *text) {
        size_t plain = strcspn(text, "{");
        add_part(&words, text, plain);
        text += plain;
        if (!*text)
            break;
        size_t inside = strcspn(text + 1, "}");
        write_braces(&words, text + 1, inside, release);
        text += inside + 2;
    }
}

/* The number, followed by its word from the list of values in brackets: "-2 (automatic)". */
static void name_number(struct orr_setting_words *words, int64_t number)
{
    char named[32];
    snprintf(named, sizeof named, "%lld (", (long long)number);
    const char *at = strstr(words->values, named);
    size_t length = at ? strcspn(at, ")") + 1 : strlen(named) - 2;
    snprintf(words->standard, sizeof words->standard, "%.*s", (int)length, at ? at : named);
}

struct orr_setting_words orr_setting_words(enum orr_setting setting, const struct orr_release *release)
{
    struct orr_setting_words words;
    int64_t number = orr_setting_default(setting, release);
    const struct orr_setting_info *info = orr_setting_info(setting);
    expand(words.standard, sizeof words.standard, info->default_text, release);
    expand(words.values, sizeof words.values, info->values, release);
    expand(words.outside, sizeof words.outside, info->outside, release);
    if (!info->default_text && info->kind == ORR_SETTING_INT && number != ORR_SETTING_UNSET)
        name_number(&words, number);
    return words;
}
