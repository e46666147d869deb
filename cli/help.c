/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "cli/terminal.h"
#include "engine/base/version.h"
#include "engine/report/markdown.h"

enum { INDENT = 2, NAME_COLUMNS = 24, EXAMPLES = 2 };

/* Writes a name in its column, with its meaning beside it, or below it if the name is too long. */
static void put_entry(struct orr_page *page, const char *name, const char *meaning)
{
    char lead[NAME_COLUMNS + INDENT + 2];
    if (strlen(name) >= NAME_COLUMNS) {
        orr_page_say(page, ORR_STYLE_PLAIN, "  ", name);
        name = "";
    }
    snprintf(lead, sizeof lead, "  %-*s ", NAME_COLUMNS - 1, name);
    orr_page_say(page, ORR_STYLE_PLAIN, lead, meaning);
}

/* Writes the first paragraph or all, and as many examples as fit a screen or all. */
static void put_prose(struct orr_page *page, const char *text, enum orr_help_length whole)
{
    uint32_t examples = 0, paragraphs = 0;
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        ORR_LOCAL_TEXT(line, 1 << 16);
        const bool example = !strncmp(text, "  ", INDENT);
        if (!length)
            continue;
        orr_text_add(&line, text + (example ? INDENT : 0), length - (example ? INDENT : 0));
        char *remark = example ? strstr(line.data, "   (") : NULL; /* for a command there is no room for it on a
                                                                    * screen */
        while (remark && remark > line.data && remark[-1] == ' ')
            remark--;
        if (remark && !whole)
            *remark = '\0';
        if (example && !examples)
            orr_page_heading(page, "Examples:");
        else if (!example && paragraphs && whole)
            orr_page_blank(page);
        if (example && remark && whole)
            orr_page_say(page, ORR_STYLE_PLAIN, "  ", line.data);
        else if (example && (whole || examples < EXAMPLES))
            orr_page_command(page, "  ", orr_text_data(&line));
        else if (!example && (whole || !paragraphs))
            orr_page_say(page, ORR_STYLE_PLAIN, "", orr_text_data(&line));
        examples += example;
        paragraphs += !example;
    }
}

/* The first clause of a meaning, with the default if it fits beside it: "channel of the ring or tree (default: 0)". */
static void put_brief(struct orr_page *page, const char *name, const char *meaning)
{
    static const char *const ends[] = {"; ", ": ", " (", ", such as "};
    const char *standard = strstr(meaning, " (default: ");
    size_t length = strlen(meaning);
    ORR_LOCAL_TEXT(brief, 1024);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const char *end = strstr(meaning, ends[i]);
        length = end && (size_t)(end - meaning) < length ? (size_t)(end - meaning) : length;
    }
    orr_text_add(&brief, meaning, length);
    if (standard && length + strlen(standard) + NAME_COLUMNS + INDENT <= page->width)
        orr_text_puts(&brief, standard);
    put_entry(page, name, orr_text_data(&brief));
}

static void put_option(struct orr_page *page, const struct orr_option_row *row, enum orr_help_length length)
{
    char name[64];
    snprintf(name, sizeof name, "--%s%s%s", row->name, row->value ? " " : "", row->value ? row->value : "");
    (length == ORR_HELP_SCREEN ? put_brief : put_entry)(page, name, row->help);
}

/* The names alone of the options of one heading. */
static void put_names(struct orr_page *page, const struct orr_command *command, const char *group)
{
    struct orr_option_row row;
    char lead[80];
    ORR_LOCAL_TEXT(names, 1 << 14);
    for (size_t i = 0; orr_option_row(command, i, &row); i++)
        if (!strcmp(row.group, group))
            orr_text_printf(&names, "%s--%s", names.length ? ", " : "", row.name);
    snprintf(lead, sizeof lead, strlen(group) < 12 ? "%s: " : "%s:", group);
    if (strlen(group) >= 12) {
        orr_page_say(page, ORR_STYLE_HEADING, "", lead);
        snprintf(lead, sizeof lead, "  ");
    }
    orr_page_say(page, ORR_STYLE_PLAIN, lead, orr_text_data(&names));
}

static void put_options(struct orr_page *page, const struct orr_command *command, enum orr_help_length length)
{
    struct orr_option_row row;
    const char *group = "";
    orr_page_blank(page);
    for (size_t i = 0; orr_option_row(command, i, &row); i++) {
        const bool brief = length == ORR_HELP_SCREEN && row.of >= ORR_GROUP_SHARED,
                   next = strcmp(group, row.group) != 0;
        if (brief && next)
            put_names(page, command, row.group);
        else if (next)
            orr_page_printf(page, ORR_STYLE_HEADING, "", "%s:", row.group);
        group = row.group;
        if (!brief)
            put_option(page, &row, length);
    }
}

int orr_help_command(const struct orr_command *command, const struct orr_options *options, enum orr_help_length length)
{
    struct orr_text text;
    struct orr_page page;
    orr_terminal_page(options, &text, &page);
    orr_page_printf(&page, ORR_STYLE_HEADING, "", "orrery %s: %s", command->name, command->summary);
    orr_page_printf(&page, ORR_STYLE_PLAIN, "", "usage: orrery %s [options] %s", command->name, command->arguments);
    orr_page_blank(&page);
    put_prose(&page, command->help, length);
    put_options(&page, command, length);
    orr_page_blank(&page);
    if (length == ORR_HELP_SCREEN)
        orr_page_printf(&page, ORR_STYLE_PLAIN, "", "`orrery help %s` explains everything.", command->name);
    else
        orr_page_say(&page, ORR_STYLE_PLAIN, "", "Exit status: " ORR_EXIT_TEXT ".");
    return orr_terminal_print(&text);
}

static void put_overview(struct orr_page *page)
{
    orr_page_printf(page, ORR_STYLE_HEADING, "", "Orrery %s shows how NCCL sees a machine.", orr_version());
    orr_page_blank(page);
    orr_page_say(page, ORR_STYLE_PLAIN, "usage: ", "orrery COMMAND [options]\norrery FILE\norrery help TOPIC");
    orr_page_heading(page, "A first try:");
    put_entry(page, "orrery show topo.xml", "report on a dump, which NCCL writes to NCCL_TOPO_DUMP_FILE");
    put_entry(page, "orrery serve", "web page and API: open http://127.0.0.1:8080");
    orr_page_heading(page, "Commands (`orrery COMMAND --help` fits a screen, `orrery help COMMAND` has all of it):");
    for (size_t i = 0; i < orr_command_count; i++) {
        char lead[NAME_COLUMNS];
        snprintf(lead, sizeof lead, "  %-10s ", orr_commands[i].name);
        orr_page_say(page, ORR_STYLE_PLAIN, lead, orr_commands[i].summary);
    }
    ORR_LOCAL_TEXT(guides, 1 << 14);
    for (size_t i = 0; i < orr_guide_count; i++)
        orr_text_printf(&guides, "%s, ", orr_guides[i].name);
    orr_text_puts(&guides, "options");
    orr_page_heading(page, "Topics of `orrery help`:");
    orr_page_say(page, ORR_STYLE_PLAIN, "  ", orr_text_data(&guides));
    orr_page_blank(page);
    orr_page_say(page, ORR_STYLE_PLAIN, "", "Exit status: " ORR_EXIT_TEXT ".");
}

/* The options that most commands have, with what they mean to `analyze`. */
static void put_shared(struct orr_page *page)
{
    struct orr_option_row row;
    const struct orr_command *command = orr_command_find("analyze");
    orr_page_say(page, ORR_STYLE_HEADING, "", "Options that most commands have");
    for (size_t i = 0; command && orr_option_row(command, i, &row); i++)
        if (row.of == ORR_GROUP_SHARED || row.of == ORR_GROUP_MACHINE)
            put_option(page, &row, ORR_HELP_WHOLE);
    orr_page_blank(page);
    orr_page_say(page, ORR_STYLE_PLAIN, "",
                 "`orrery settings` lists the NCCL settings for --set, `orrery machines` the types for --machine and "
                 "--assume, and `orrery releases` the releases for --release.");
}

int orr_help(const char *topic)
{
    static const struct orr_options none = {0};
    const struct orr_command *command = topic ? orr_command_find(topic) : NULL;
    const struct orr_guide *guide = NULL;
    struct orr_text text;
    struct orr_page page;
    if (command)
        return orr_help_command(command, &none, ORR_HELP_WHOLE);
    for (size_t i = 0; topic && i < orr_guide_count; i++)
        if (!strcmp(orr_guides[i].name, topic))
            guide = &orr_guides[i];
    orr_terminal_page(&none, &text, &page);
    if (guide)
        orr_markdown_write(&page, guide->text);
    else if (topic && !strcmp(topic, "options"))
        put_shared(&page);
    else
        put_overview(&page);
    const int status = orr_terminal_print(&text);
    if (!topic || guide || !strcmp(topic, "options"))
        return status;
    fprintf(stderr, "orrery help: unknown topic \"%s\"\n", topic);
    return ORR_EXIT_USAGE;
}
