/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the manual page. The tables have plain text, but in roff a backslash, a dot or quote at the start of a line,
 * and a bare hyphen, which may become a dash, are special. */
#include <string.h>

#include "cli/describe.h"
#include "engine/base/version.h"

static void text(FILE *out, const char *from, size_t length)
{
    bool starts = true; /* a line */
    for (size_t i = 0; i < length; i++) {
        char c = from[i];
        if (c == '\n' && starts)
            continue; /* an empty line is a paragraph, which the caller makes */
        if (starts && (c == '.' || c == '\''))
            fputs("\\&", out);
        if (c == '\\')
            fputs("\\e", out);
        else if (c == '-')
            fputs("\\-", out);
        else
            fputc(c, out);
        starts = c == '\n';
    }
}

static void line(FILE *out, const char *from)
{
    text(out, from, strlen(from));
    fputc('\n', out);
}

/* Paragraphs; lines that start with two blanks are kept. */
static void prose(FILE *out, const char *from)
{
    bool example = false, paragraph = false;
    while (*from) {
        size_t length = strcspn(from, "\n");
        bool indented = !strncmp(from, "  ", 2);
        if (length && indented != example)
            fputs(indented ? ".PP\n.nf\n.RS 4\n" : ".RE\n.fi\n", out);
        if (length && !indented && (paragraph || example))
            fputs(".PP\n", out);
        if (length) {
            example = indented;
            paragraph = false;
            text(out, from + (indented ? 2 : 0), length - (indented ? 2 : 0));
            fputc('\n', out);
        } else {
            paragraph = true;
        }
        from += length + (from[length] == '\n');
    }
    if (example)
        fputs(".RE\n.fi\n", out);
}

static void options(const struct orr_command *command, FILE *out)
{
    struct orr_option_row row;
    const char *group = NULL;
    for (size_t i = 0; orr_option_row(command, i, &row); i++) {
        if (row.group && (!group || strcmp(group, row.group))) {
            fputs(group ? ".PP\n" : "", out); /* none directly after a heading */
            text(out, row.group, strlen(row.group));
            fputs(":\n", out);
            group = row.group;
        }
        fputs(".TP\n\\fB\\-\\-", out);
        text(out, row.name, strlen(row.name));
        fputs("\\fR", out);
        if (row.value) {
            fputs(" \\fI", out);
            text(out, row.value, strlen(row.value));
            fputs("\\fR", out);
        }
        fputc('\n', out);
        text(out, row.help, strlen(row.help));
        if (row.variable[0])
            fprintf(out, "; environment: %s", row.variable);
        fputc('\n', out);
    }
}

static void nccl_settings(FILE *out)
{
    const struct orr_release *release = orr_release_default();
    fputs(".SH NCCL SETTINGS\n", out);
    fprintf(out, "Those of NCCL %s that change what is computed, for\n.B \\-\\-set\nand for queries of the service.\n",
            release->name);
    for (int i = 0; i < ORR_SETTING_COUNT; i++) {
        if (!orr_setting_in((enum orr_setting)i, release))
            continue;
        const struct orr_setting_info *info = orr_setting_info((enum orr_setting)i);
        const struct orr_setting_words words = orr_setting_words((enum orr_setting)i, release);
        fprintf(out, ".TP\n.B %s\n", info->name);
        line(out, info->meaning);
        fputs("Values: ", out);
        line(out, words.values);
    }
}

void orr_man_page_of(const struct orr_command *command, const char *date, FILE *out)
{
    fprintf(out, ".\\\" Written by `orrery man`: change the tables of the program instead.\n.TH orrery\\-");
    text(out, command->name, strlen(command->name));
    fprintf(out, " 1 \"%s\" \"Orrery %s\" \"User Commands\"\n.SH NAME\norrery\\-", date, orr_version());
    text(out, command->name, strlen(command->name));
    fputs(" \\- ", out);
    line(out, command->summary);
    fprintf(out, ".SH SYNOPSIS\n.B orrery %s\n.RI [ options \"]%s%s\"\n.SH DESCRIPTION\n", command->name,
            *command->arguments ? " " : "", command->arguments);
    prose(out, command->help);
    fputs(".SH OPTIONS\n", out);
    options(command, out);
    fputs(".SH EXIT STATUS\n", out);
    line(out, ORR_EXIT_TEXT ".");
    fputs(".SH SEE ALSO\n.BR orrery (1)\n", out);
}

void orr_man_page(const struct orr_command *commands, size_t count, const char *date, FILE *out)
{
    fprintf(out, ".\\\" Written by `orrery man`: change the tables of the program instead.\n.TH ORRERY 1 \"%s\"", date);
    fprintf(out,
            " \"Orrery %s\" \"User Commands\"\n.SH NAME\norrery \\- show how NCCL sees a machine\n"
            ".SH SYNOPSIS\n",
            orr_version());
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s.B orrery %s\n.RI [ options \"]%s%s\"\n", i ? ".br\n" : "", commands[i].name,
                *commands[i].arguments ? " " : "", commands[i].arguments);
    fputs(".br\n.B orrery\n.I FILE\n", out);
    fputs(
        ".SH DESCRIPTION\nNCCL writes what it detected as an XML file (NCCL_TOPO_DUMP_FILE). From such a dump Orrery\n"
        "recomputes what a chosen NCCL release decides. That is the graph of the machine, the path between every\n"
        "two devices, P2P and GPUDirect RDMA, channels, rings and trees over several hosts, and the tuning model.\n"
        "It says why, as JSON, as diagrams and on a web page. No GPU is needed.\n.SH COMMANDS\n",
        out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, ".SS orrery %s\n", commands[i].name);
        prose(out, commands[i].help);
        options(&commands[i], out);
    }
    nccl_settings(out);
    fputs(".SH EXIT STATUS\n", out);
    line(out, ORR_EXIT_TEXT ".");
    fputs(".SH ENVIRONMENT\nThese variables apply to text for people.\n.TP\n.B COLUMNS, LINES\nThe size of the page, "
          "instead of the terminal's. Pipes use COLUMNS too.\n.TP\n.B NO_COLOR\nNo colours, unless \\-\\-color asks "
          "for them.\n.TP\n.B PAGER\nThe program that shows text longer than the terminal (default: less); empty means "
          "none.\n",
          out);
    fputs(".SH FILES\n.TP\n.I ~/.local/state/orrery/orrery.db\nThe default database of\n.B orrery serve\n(below "
          "XDG_STATE_HOME if that is set).\n.TP\n.I /var/lib/orrery\nThe database of orrery.service.\n"
          ".SH SEE ALSO\n.BR orrery.service \" (systemd), GET /openapi.yaml of the service.\"\n",
          out);
}
