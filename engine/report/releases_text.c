/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "engine/release/behaviours.h"
#include "engine/release/faults.h"
#include "engine/release/frameworks.h"
#include "engine/release/release_names.h"
#include "engine/report/answers_text.h"
#include "engine/topology/system.h"

enum { LABEL = 18, WIDTH = 112, LINE_MOST = 4096 };

/* The sentences with figures. {NAME} is replaced by the value of that behaviour, {node_types} by the release's node
 * types. */
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

/* The length up to the next blank at which a line may break: "sm 90: 20.6," stays together. */
static size_t piece(const char *text)
{
    size_t length = strcspn(text, " ");
    while (text[length] && length >= 2 && (text[length - 1] == ':' || !strncmp(text + length - 2, "sm", 2)))
        length += 1 + strcspn(text + length + 1, " ");
    return length;
}

/* Writes text after a label, in lines of WIDTH at most. */
static void write_wrapped(struct orr_text *out, const char *label, int label_width, const char *text)
{
    int indent = 4 + label_width;
    orr_text_printf(out, "    %-*s", label_width, label);
    for (size_t column = (size_t)indent; *text;) {
        size_t word = piece(text);
        if (column + word > WIDTH && column > (size_t)indent) {
            orr_text_printf(out, "\n%*s", indent, "");
            column = (size_t)indent;
        }
        size_t with_blanks = word + strspn(text + word, " ");
        orr_text_printf(out, "%.*s", (int)with_blanks, text);
        column += with_blanks;
        text += with_blanks;
    }
    orr_text_printf(out, "\n");
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

static enum orr_code write_line(struct orr_text *out, const struct line *line, const struct orr_release *release,
                                struct orr_arena *arena, struct orr_error *err)
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
        write_wrapped(out, line->label, LABEL, orr_text_data(&text));
    return code;
}

/* Writes how many behaviours differ from the previous release and, if in_full, which. */
static enum orr_code write_differences(struct orr_text *out, const struct orr_release *here,
                                       const struct orr_release *before, bool in_full, struct orr_arena *arena,
                                       struct orr_error *err)
{
    const struct orr_behaviour_difference *rows;
    uint32_t count;
    ORR_TRY(orr_releases_compare(here, before, arena, &rows, &count, err));
    if (!in_full) {
        orr_text_printf(out, "    %u behaviours differ from %s: `orrery releases --release %s` lists them\n", count,
                        before->name, here->name);
        return ORR_OK;
    }
    orr_text_printf(out, "\n    %u behaviours differ from %s:\n", count, before->name);
    for (uint32_t i = 0; i < count; i++) {
        orr_text_printf(out, "\n    %s: %s\n", rows[i].behaviour.name, rows[i].behaviour.sentence);
        write_wrapped(out, before->name, LABEL, rows[i].before);
        write_wrapped(out, here->name, LABEL, rows[i].here);
    }
    return ORR_OK;
}

/* Known faults of which the first release is known, too; if not in_full, how many. */
static void write_faults(struct orr_text *out, const struct orr_release *release, bool in_full)
{
    const struct orr_fault *fault;
    char fixed[ORR_VERSION_SIZE];
    uint32_t count = 0;
    for (uint32_t i = 0; (fault = orr_fault_at(i)); i++)
        count += orr_release_has_fault(release, fault);
    if (!in_full && count)
        orr_text_printf(out, "    %u known fault%s: `orrery releases --release %s` lists them\n", count,
                        orr_plural(count), release->name);
    for (uint32_t i = 0, first = 1; in_full && (fault = orr_fault_at(i)); i++) {
        if (!orr_release_has_fault(release, fault))
            continue;
        orr_text_printf(out, "%s", first ? "\n    Known faults, and the release that mends each:\n" : "");
        first = 0;
        write_wrapped(out, fault->fixed ? orr_version_format(fault->fixed, fixed) : "not mended", LABEL, fault->what);
    }
}

/* Tags that are accepted by name and behave as this release does. */
static void write_aliases(struct orr_text *out, const struct orr_release *release)
{
    uint32_t count, written = 0;
    const struct orr_release_alias *aliases = orr_release_aliases(&count);
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(aliases[i].row, release->name))
            orr_text_printf(out, "%s%s", written++ ? ", " : "    ", aliases[i].name);
    if (written)
        orr_text_printf(out, " behave%s as this release\n", written == 1 ? "s" : "");
}

/* Wheels of frameworks that bring this release, or a tag that behaves as it does. */
static void write_frameworks(struct orr_text *out, const struct orr_release *release)
{
    uint32_t count;
    const struct orr_framework *frameworks = orr_frameworks(&count);
    for (uint32_t i = 0; i < count; i++)
        if (orr_framework_brings(&frameworks[i], release))
            orr_text_printf(out, "    %s %s for %s brings NCCL %s\n", frameworks[i].name, frameworks[i].version,
                            frameworks[i].build, frameworks[i].nccl);
}

static enum orr_code write_release(struct orr_text *out, const struct orr_release *release,
                                   const struct orr_release *before, bool in_full, struct orr_arena *arena,
                                   struct orr_error *err)
{
    orr_text_printf(out, "%s%s%s%s%s\n", release->name, release->date ? "  " : "", release->date ? release->date : "",
                    release == orr_release_default() ? "  the default" : "",
                    release->compared ? "" : "  not compared with NCCL's own results");
    write_aliases(out, release);
    write_frameworks(out, release);
    write_wrapped(out, "", 0, release->summary);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        ORR_TRY(write_line(out, &lines[i], release, arena, err));
    write_faults(out, release, in_full);
    if (before)
        ORR_TRY(write_differences(out, release, before, in_full, arena, err));
    return ORR_OK;
}

enum orr_code orr_report_releases(const struct orr_release *only, struct orr_arena *arena, struct orr_text *out,
                                  struct orr_error *err)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    for (uint32_t i = count; i-- > 0;) {
        if (only && only != &releases[i])
            continue;
        if (!only && (i + 1 == count || !orr_release_same_minor(&releases[i], &releases[i + 1])))
            orr_text_printf(out, "NCCL %.*s\n\n", (int)(strrchr(releases[i].name, '.') - releases[i].name),
                            releases[i].name);
        ORR_TRY(write_release(out, &releases[i], i ? &releases[i - 1] : NULL, only != NULL, arena, err));
        if (!only && i)
            orr_text_printf(out, "\n");
    }
    return ORR_OK;
}
