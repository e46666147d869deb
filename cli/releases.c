/* `orrery settings`, and `orrery releases`: each release with what distinguishes it, for people; --json gives the whole
 * table. */
#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "engine/release/behaviours.h"
#include "engine/release/frameworks.h"
#include "engine/release/release_names.h"

enum { LABEL = 18, WIDTH = 112, LINE_MOST = 4096 };

/* The figures that are shown, {behaviour} replaced by its value; {node_types} is not a behaviour. */
static const struct line {
    const char *label, *text;
} lines[] = {
    {"path types", "{path_types}"},
    {"node types", "{node_types}"},
    {"channels", "{max_channels} at most; {ring_max_channels} in the ring graph, {nvls_max_channels} with NVLS"},
    {"NVLink GB/s", "{nvlink_bw}"},
    {"PCIe x16 GB/s", "{speeds}"},
    {"between CPUs", "Intel {qpi_intel} GB/s; AMD {qpi_amd}; ARM {qpi_arm}; POWER {qpi_power}; Zhaoxin {qpi_zhaoxin}"},
    {"C2C", "{c2c}"},
    {"a path wins if", "{admission}; NVLink through another GPU: {relays_by_gpu}"},
    {"P2P up to", "{p2p_default}"},
    {"GDR up to", "{NCCL_NET_GDR_LEVEL}; over C2C by default: {NCCL_NET_GDR_C2C}; sending needs NVLink at any sm: "
                  "{reads_only_with_nvlink}"},
    {"PXN", "{pxn}; over C2C by default: {NCCL_PXN_C2C}"},
    {"NIC of a GPU", "{net_choice}"},
    {"search budget",
     "{steps_same} for equal channels, {steps_tree} for a tree, {steps_other} otherwise, {steps_all} a graph"},
    {"tree graph", "{tree_pattern}"},
    {"rails swapped", "{connect.rails}"},
    {"p2p to a host", "{connect.net_peer}"},
    {"algorithms", "{tuning.names}"},
    {"LL128", "{tuning.ll128_for}"},
};

/* Up to the blank where a line may break: "sm 90: 20.6," stays together. */
static size_t piece(const char *text)
{
    size_t length = strcspn(text, " ");
    while (text[length] && length >= 2 && (text[length - 1] == ':' || !strncmp(text + length - 2, "sm", 2)))
        length += 1 + strcspn(text + length + 1, " ");
    return length;
}

/* Prints text behind a label, in lines of WIDTH at most. */
static void print_wrapped(const char *label, int label_width, const char *text)
{
    int indent = 4 + label_width;
    printf("    %-*s", label_width, label);
    for (size_t column = (size_t)indent; *text;) {
        size_t word = piece(text);
        if (column + word > WIDTH && column > (size_t)indent) {
            printf("\n%*s", indent, "");
            column = (size_t)indent;
        }
        size_t with_blanks = word + strspn(text + word, " ");
        printf("%.*s", (int)with_blanks, text);
        column += with_blanks;
        text += with_blanks;
    }
    printf("\n");
}

static enum orr_code write_value(const char *name, size_t length, const struct orr_release *release,
                                 struct orr_arena *arena, struct orr_text *text, struct orr_error *err)
{
    for (int type = 0; type < ORR_NODE_TYPE_COUNT && !strncmp(name, "node_types", length); type++)
        if (orr_node_type_in((enum orr_node_type)type, release))
            orr_text_printf(text, "%s%s", type ? " " : "", orr_node_type_name((enum orr_node_type)type));
    for (uint32_t i = 0; i < orr_behaviour_count(); i++) {
        struct orr_behaviour behaviour;
        struct orr_value value;
        orr_behaviour_get(i, &behaviour);
        if (strlen(behaviour.name) != length || strncmp(behaviour.name, name, length) != 0)
            continue;
        ORR_TRY(orr_behaviour_value(&behaviour, release, arena, &value, err));
        orr_value_write(&behaviour, &value, text);
    }
    return ORR_OK;
}

static enum orr_code print_line(const struct line *line, const struct orr_release *release, struct orr_arena *arena,
                                struct orr_error *err)
{
    ORR_LOCAL_TEXT(text, LINE_MOST);
    enum orr_code code = ORR_OK;
    for (const char *at = line->text; *at && code == ORR_OK;) {
        size_t plain = strcspn(at, "{"), name = at[plain] ? strcspn(at + plain + 1, "}") : 0;
        orr_text_add(&text, at, plain);
        at += plain;
        if (!*at)
            break;
        code = write_value(at + 1, name, release, arena, &text, err);
        at += name + 2;
    }
    if (code == ORR_OK && orr_text_failed(&text))
        code = orr_fail_nomem(err);
    if (code == ORR_OK)
        print_wrapped(line->label, LABEL, text.data);
    return code;
}

/* How many behaviours differ from the release before; which, where in_full. */
static enum orr_code print_differences(const struct orr_release *here, const struct orr_release *before, bool in_full,
                                       struct orr_arena *arena, struct orr_error *err)
{
    const struct orr_behaviour_difference *rows;
    uint32_t count;
    ORR_TRY(orr_releases_compare(here, before, arena, &rows, &count, err));
    if (!in_full) {
        printf("    %u behaviours differ from %s: `orrery releases --release %s` lists them\n", count, before->name,
               here->name);
        return ORR_OK;
    }
    printf("\n    %u behaviours differ from %s:\n", count, before->name);
    for (uint32_t i = 0; i < count; i++) {
        printf("\n    %s: %s\n", rows[i].behaviour.name, rows[i].behaviour.sentence);
        print_wrapped(before->name, LABEL, rows[i].before);
        print_wrapped(here->name, LABEL, rows[i].here);
    }
    return ORR_OK;
}

/* Tags that are accepted by name and behave as this release does. */
static void print_aliases(const struct orr_release *release)
{
    uint32_t count, printed = 0;
    const struct orr_release_alias *aliases = orr_release_aliases(&count);
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(aliases[i].row, release->name))
            printf("%s%s", printed++ ? ", " : "    ", aliases[i].name);
    if (printed)
        printf(" behave%s as this release\n", printed == 1 ? "s" : "");
}

/* Wheels of frameworks that bring this release, or a tag that behaves as it does. */
static void print_frameworks(const struct orr_release *release)
{
    uint32_t count;
    const struct orr_framework *frameworks = orr_frameworks(&count);
    for (uint32_t i = 0; i < count; i++)
        if (orr_framework_brings(&frameworks[i], release))
            printf("    %s %s for %s brings NCCL %s\n", frameworks[i].name, frameworks[i].version, frameworks[i].build,
                   frameworks[i].nccl);
}

static enum orr_code print_release(const struct orr_release *release, const struct orr_release *before, bool in_full,
                                   struct orr_arena *arena, struct orr_error *err)
{
    printf("%s%s%s%s\n", release->name, release->date ? "  " : "", release->date ? release->date : "",
           release == orr_release_default() ? "  the default" : "");
    print_aliases(release);
    print_frameworks(release);
    print_wrapped("", 0, release->summary);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        ORR_TRY(print_line(&lines[i], release, arena, err));
    if (before)
        ORR_TRY(print_differences(release, before, in_full, arena, err));
    return ORR_OK;
}

static enum orr_code print_releases(const struct orr_release *only, struct orr_arena *arena, struct orr_error *err)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    for (uint32_t i = count; i-- > 0;) {
        if (only && only != &releases[i])
            continue;
        if (!only && (i + 1 == count || !orr_release_same_minor(&releases[i], &releases[i + 1])))
            printf("NCCL %.*s\n\n", (int)(strrchr(releases[i].name, '.') - releases[i].name), releases[i].name);
        ORR_TRY(print_release(&releases[i], i ? &releases[i - 1] : NULL, only != NULL, arena, err));
        if (!only && i)
            printf("\n");
    }
    return ORR_OK;
}

int orr_command_releases(const struct orr_options *options)
{
    struct orr_json json = {0};
    struct orr_error err = {0};
    const struct orr_params *params = &options->params;
    const struct orr_release *only = orr_given(params, ORR_ASK_RELEASE) ? params->query.settings.release : NULL;
    if (options->json)
        return orr_print_json(&json, orr_releases_json(&json, only), true);
    int status = ORR_EXIT_OK;
    ORR_LOCAL_ARENA(arena, 0);
    enum orr_code code = arena ? print_releases(only, arena, &err) : orr_fail_nomem(&err);
    if (code != ORR_OK)
        status = orr_report(NULL, &err);
    return fflush(stdout) ? ORR_EXIT_INPUT : status;
}

int orr_command_settings(const struct orr_options *options)
{
    struct orr_json json = {0};
    const struct orr_release *release = options->params.query.settings.release;
    if (options->json)
        return orr_print_json(&json, orr_settings_json(&json, release), true);
    printf("Settings that change what Orrery computes for NCCL %s:\n\n", release->name);
    for (int i = 0; i < ORR_SETTING_COUNT; i++) {
        struct orr_setting_info info;
        struct orr_setting_words words;
        if (!orr_setting_in((enum orr_setting)i, release))
            continue;
        orr_setting_info((enum orr_setting)i, &info);
        orr_setting_words((enum orr_setting)i, release, &words);
        printf("%s\n    %s\n    values: %s (%s); default: %s\n", info.name, info.meaning, words.values, words.outside,
               words.standard);
    }
    return fflush(stdout) ? ORR_EXIT_INPUT : ORR_EXIT_OK;
}
