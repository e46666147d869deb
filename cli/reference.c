/* SPDX-License-Identifier: Apache-2.0 */
/* Writes docs/reference/commands.md and settings.md: the commands with their options, and NCCL's settings, as Markdown.
 * The tables have plain text, but |, <, _ and * are special in Markdown. */
#include <string.h>

#include "cli/describe.h"

static void text(FILE *out, const char *from, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (from[i] == '\n') {
            fputc(' ', out);
            continue;
        }
        if (strchr("|<>_*[]\\", from[i]))
            fputc('\\', out);
        fputc(from[i], out);
    }
}

static void line(FILE *out, const char *from)
{
    text(out, from, strlen(from));
}

/* Paragraphs; lines that start with two blanks are a block of code. */
static void prose(FILE *out, const char *from)
{
    bool example = false;
    while (*from) {
        const size_t length = strcspn(from, "\n");
        const bool indented = !strncmp(from, "  ", 2);
        if (length && indented != example) {
            fputs(indented ? "\n" : "", out);
            example = indented;
        }
        if (indented)
            fprintf(out, "  %.*s\n", (int)length, from);
        else if (length) {
            text(out, from, length);
            fputc('\n', out);
        } else
            fputc('\n', out);
        from += length + (from[length] == '\n');
    }
    fputc('\n', out);
}

static void options(const struct orr_command *command, FILE *out)
{
    struct orr_option_row row;
    const char *group = NULL;
    bool open = false;
    for (size_t i = 0; orr_option_row(command, i, &row); i++) {
        if (row.group && (!group || strcmp(group, row.group))) {
            fprintf(out, "%s%s:\n\n", open ? "\n" : "", row.group);
            group = row.group;
            open = false;
        }
        if (!open)
            fputs("| option | meaning |\n|---|---|\n", out);
        open = true;
        fprintf(out, "| `--%s%s", row.name, row.value ? " " : "");
        for (const char *c = row.value ? row.value : ""; *c; c++)
            fprintf(out, *c == '|' ? "\\|" : "%c", *c);
        fputs("` | ", out);
        line(out, row.help);
        if (row.variable[0])
            fprintf(out, "; environment: `%s`", row.variable);
        fputs(" |\n", out);
    }
    if (open)
        fputc('\n', out);
}

void orr_reference_commands(const struct orr_command *commands, size_t count, FILE *out)
{
    fputs("# Commands\n\nWritten by `orrery reference commands` from the tables that `--help` prints. `orrery FILE` is "
          "short for `orrery show FILE`.\n\n| command | what it does |\n|---|---|\n",
          out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "| [%s](#orrery-%s) | ", commands[i].name, commands[i].name);
        line(out, commands[i].summary);
        fputs(" |\n", out);
    }
    fprintf(out, "\nExit status: %s.\n\n", ORR_EXIT_TEXT);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "## orrery %s\n\n    orrery %s [options]%s%s\n\n", commands[i].name, commands[i].name,
                *commands[i].arguments ? " " : "", commands[i].arguments);
        prose(out, commands[i].help);
        options(&commands[i], out);
    }
}

void orr_reference_settings(FILE *out)
{
    const struct orr_release *release = orr_release_default();
    fprintf(
        out,
        "# NCCL's settings\n\nWritten by `orrery reference settings`. Commands take a setting as `--set NAME=VALUE`, "
        "the service as a parameter of the query. Values and defaults are those of NCCL %s; `orrery settings --release "
        "R` has those of another release.\n\n| setting | meaning | values | default |\n|---|---|---|---|\n",
        release->name);
    for (int i = 0; i < ORR_SETTING_COUNT; i++) {
        if (!orr_setting_in((enum orr_setting)i, release))
            continue;
        const struct orr_setting_info *info = orr_setting_info((enum orr_setting)i);
        const struct orr_setting_words words = orr_setting_words((enum orr_setting)i, release);
        fprintf(out, "| `%s` | ", info->name);
        line(out, info->meaning);
        fputs(" | ", out);
        line(out, words.values);
        fputs(" | ", out);
        line(out, words.standard);
        fputs(" |\n", out);
    }
}
