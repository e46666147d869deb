/* SPDX-License-Identifier: Apache-2.0 */
/* docs/nccl/release-table.md is written from the rows of engine/release. ORR_UPDATE_GOLDEN=1 writes the file anew. */
#include "engine/release/behaviours.h"
#include "engine/release/release_names.h"
#include "tests/support/arena_case.h"
#include "tests/support/golden_text.h"

#define DOCUMENT "docs/nccl/release-table.md"

enum { VALUE_MOST = 4096 };

static const char *const opening =
    "# Every behaviour in every release\n"
    "\n"
    "This chapter answers: which value does each rule, limit, figure and default have in each NCCL release?\n"
    "\n"
    "- [releases.md](releases.md) has the main changes in words; this chapter has every value.\n"
    "- \"What each release changed\" lists what differs from the release before, oldest first.\n"
    "- \"Values by release\" lists each behaviour with the releases that share a value.\n"
    "- \"By source file\" lists the behaviours by the file of NCCL's source that they are in; `./dev rules FILE` "
    "prints one.\n"
    "- Bandwidths are in GB/s in one direction. Times are in microseconds (us).\n"
    "- `orrery analyze --against RELEASE DUMP` says what two releases decide differently on one machine, and why.\n"
    "\n"
    "Orrery computes with these values. Each of the releases is checked against results of NCCL's own code.\n"
    "The name of a behaviour is the one that `orrery analyze --against` and the HTTP API use.\n"
    "Most names of settings are also environment variables of NCCL; their value here is the default.\n"
    "\n"
    "One value of one release, as a script reads it:\n"
    "\n"
    "```orrery\n"
    "$ orrery releases --json --release 2.21.5 | ./show.py figure qpi_amd\n"
    "16\n"
    "```\n"
    "\n"
    "This file is generated from the tables in `engine/release`. Do not edit it; run\n"
    "`ORR_UPDATE_GOLDEN=1 ctest --test-dir build-dev -R test_release_table` after a change there.\n";

static const struct group {
    enum orr_behaviour_of of;
    const char *heading;
} groups[] = {
    {ORR_OF_RELEASE, "The machine, paths and the search"},
    {ORR_OF_CONNECT, "Joining hosts: channels, rings, trees and point-to-point transfers"},
    {ORR_OF_TUNING, "The tuning model"},
    {ORR_OF_DEVICE, "What the device side may use"},
    {ORR_OF_SETTINGS, "Settings"},
};
enum { GROUP_COUNT = sizeof groups / sizeof groups[0] };

/* Text in a cell of a table. */
static void write_cell(struct orr_text *text, const char *value)
{
    for (; *value; value++)
        orr_text_printf(text, *value == '|' ? "\\|" : "%c", *value);
}

static void write_value(const struct orr_behaviour *behaviour, const struct orr_release *release, char *ret_value)
{
    struct orr_value value;
    ORR_LOCAL_TEXT(text, VALUE_MOST - 1);
    assert_ok(orr_behaviour_value(behaviour, release, arena, &value, &err), &err);
    orr_value_write(behaviour, &value, &text);
    assert_false(orr_text_failed(&text));
    snprintf(ret_value, VALUE_MOST, "%s", text.data ? text.data : "");
}

/* "2.7.8 to 2.9.9", "2.30.7 on", "2.16.2", "all releases". */
static void write_span(struct orr_text *text, uint32_t first, uint32_t last)
{
    uint32_t count;
    const struct orr_release *all = orr_releases(&count);
    if (first == 0 && last == count - 1)
        orr_text_puts(text, "all releases");
    else if (last == count - 1)
        orr_text_printf(text, "%s on", all[first].name);
    else if (first == last)
        orr_text_puts(text, all[first].name);
    else
        orr_text_printf(text, "%s to %s", all[first].name, all[last].name);
}

static void write_releases(struct orr_text *text)
{
    uint32_t count, alias_count;
    const struct orr_release *all = orr_releases(&count);
    const struct orr_release_alias *aliases = orr_release_aliases(&alias_count);
    orr_text_puts(text,
                  "\n## Releases\n\n| release | behaves alike | appeared | what it changed |\n|---|---|---|---|\n");
    for (uint32_t i = 0; i < count; i++) {
        const char *separator = "";
        uint32_t version = all[i].version;
        if (i) /* the first has nothing to differ from */
            orr_text_printf(text, "| [%s](#%u%u%u) | ", all[i].name, version / 10000, version / 100 % 100,
                            version % 100);
        else
            orr_text_printf(text, "| %s | ", all[i].name);
        for (uint32_t k = 0; k < alias_count; k++)
            if (!strcmp(aliases[k].row, all[i].name)) {
                orr_text_printf(text, "%s%s", separator, aliases[k].name);
                separator = ", ";
            }
        orr_text_printf(text, " | %s | ", all[i].date ? all[i].date : "not known");
        write_cell(text, all[i].summary);
        orr_text_puts(text, " |\n");
    }
}

static void write_changes(struct orr_text *text, const struct orr_release *here, const struct orr_release *before)
{
    const struct orr_behaviour_difference *rows;
    uint32_t count;
    assert_ok(orr_releases_compare(here, before, arena, &rows, &count, &err), &err);
    orr_text_printf(text, "\n### %s\n\n| behaviour | meaning | in %s | from %s on |\n|---|---|---|---|\n", here->name,
                    before->name, here->name);
    for (uint32_t i = 0; i < count; i++) {
        orr_text_printf(text, "| `%s` | ", rows[i].behaviour.name);
        write_cell(text, rows[i].behaviour.sentence);
        orr_text_puts(text, " | ");
        write_cell(text, rows[i].before);
        orr_text_puts(text, " | ");
        write_cell(text, rows[i].here);
        orr_text_puts(text, " |\n");
    }
}

/* One line for each span of releases with the same value. */
static void write_behaviour(struct orr_text *text, const struct orr_behaviour *behaviour)
{
    static char value[VALUE_MOST], next[VALUE_MOST];
    uint32_t count;
    const struct orr_release *all = orr_releases(&count);
    write_value(behaviour, &all[0], value);
    for (uint32_t first = 0, last = 0; first < count; first = ++last) {
        while (last + 1 < count && (write_value(behaviour, &all[last + 1], next), !strcmp(next, value)))
            last++;
        if (first == 0) {
            orr_text_printf(text, "| `%s` | ", behaviour->name);
            write_cell(text, behaviour->sentence);
        } else {
            orr_text_puts(text, "| | ");
        }
        orr_text_puts(text, " | ");
        write_span(text, first, last);
        orr_text_puts(text, " | ");
        write_cell(text, value);
        orr_text_puts(text, " |\n");
        snprintf(value, sizeof value, "%s", next);
    }
}

static void write_values(struct orr_text *text, const struct group *group)
{
    orr_text_printf(text, "\n### %s\n\n| behaviour | meaning | releases | value |\n|---|---|---|---|\n",
                    group->heading);
    for (uint32_t i = 0; i < orr_behaviour_count(); i++) {
        struct orr_behaviour behaviour;
        orr_behaviour_get(i, &behaviour);
        if (behaviour.of == group->of)
            write_behaviour(text, &behaviour);
    }
}

/* In the order in which the rows name the files. */
static void write_sources(struct orr_text *text)
{
    for (uint32_t first = 0; first < orr_behaviour_count(); first++) {
        struct orr_behaviour behaviour, other;
        bool named = false;
        orr_behaviour_get(first, &behaviour);
        for (uint32_t i = 0; i < first && behaviour.source && !named; i++) {
            orr_behaviour_get(i, &other);
            named = other.source && !strcmp(other.source, behaviour.source);
        }
        if (!behaviour.source || named)
            continue;
        orr_text_printf(text, "\n### %s\n\n| behaviour | meaning |\n|---|---|\n", behaviour.source);
        for (uint32_t i = first; i < orr_behaviour_count(); i++) {
            orr_behaviour_get(i, &other);
            if (!other.source || strcmp(other.source, behaviour.source) != 0)
                continue;
            orr_text_printf(text, "| `%s` | ", other.name);
            write_cell(text, other.sentence);
            orr_text_puts(text, " |\n");
        }
    }
}

/* A rule without a file would be missing in "By source file". */
TEST(every_rule_names_a_file)
{
    for (uint32_t i = 0; i < orr_behaviour_count(); i++) {
        struct orr_behaviour behaviour;
        orr_behaviour_get(i, &behaviour);
        if (behaviour.of <= ORR_OF_DEVICE && !behaviour.source)
            fail_msg("%s", behaviour.name);
    }
}

TEST(the_table_is_written_from_the_rows)
{
    uint32_t count;
    const struct orr_release *all = orr_releases(&count);
    ORR_LOCAL_TEXT(text, GOLDEN_MOST_BYTES);
    orr_text_puts(&text, opening);
    write_releases(&text);
    orr_text_puts(&text, "\n## What each release changed\n");
    for (uint32_t i = 1; i < count; i++)
        write_changes(&text, &all[i], &all[i - 1]);
    orr_text_puts(&text, "\n## Values by release\n");
    for (size_t i = 0; i < GROUP_COUNT; i++)
        write_values(&text, &groups[i]);
    orr_text_puts(&text, "\n## By source file\n");
    write_sources(&text);
    assert_false(orr_text_failed(&text));
    assert_golden(DOCUMENT, text.data);
}

TEST(every_kind_of_behaviour_has_a_heading)
{
    assert_int_equal(GROUP_COUNT, ORR_OF_COUNT);
    for (int i = 0; i < GROUP_COUNT; i++)
        assert_int_equal(groups[i].of, i);
}
