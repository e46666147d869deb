/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the completions for bash, zsh and fish. The row of an option has its possible values; if there are none, the
 * name of the value in --help shows whether it is a file. The bash completion is a function with one case for each
 * option with a value; the other shells have their own lists of options. */
#include <string.h>

#include "cli/describe.h"

/* "FILE", "URL|PATH": the value is a file or folder. */
static bool is_file(const char *value)
{
    return strstr(value, "FILE") || strstr(value, "PATH") || !strcmp(value, "DIR");
}

/* Lower-case words separated by bars are the choices themselves. */
static bool is_choice(const char *value)
{
    return strchr(value, '|') && strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789|-") == strlen(value);
}

/* Writes the possible words of an option's value, separated by blanks; false if there are none. */
static bool put_words(const struct orr_option_row *row, FILE *out)
{
    bool listed = !row->words && is_choice(row->value), pairs = row->words && !strcmp(row->value, "NAME=VALUE");
    for (size_t i = 0; row->words && row->words(i); i++)
        fprintf(out, "%s%s%s", i ? " " : "", row->words(i), pairs ? "=" : "");
    for (const char *c = row->value; listed && *c; c++)
        fputc(*c == '|' ? ' ' : *c, out);
    return row->words || listed;
}

/* Writes a text in single quotes, which all three shells understand; brackets and colons are special in zsh. */
static void put_quoted(const char *text, const char *escaped, FILE *out)
{
    for (const char *c = text; *c && *c != '\n'; c++) {
        if (*c == '\'')
            fputs("'\\''", out);
        else
            fprintf(out, "%s%c", strchr(escaped, *c) ? "\\" : "", *c);
    }
}

/* Writes what completes an option's value in bash: an assignment to `words`, or `files=yes`. */
static void value_case(const struct orr_command *command, const struct orr_option_row *row, FILE *out)
{
    bool listed = !row->words && is_choice(row->value), pairs = row->words && !strcmp(row->value, "NAME=VALUE");
    fprintf(out, "    \"%s --%s\") ", command->name, row->name);
    if (!row->words && !listed && !is_file(row->value)) { /* a number or an address: offer nothing, not even options */
        fputs("return ;;\n", out);
        return;
    }
    fputs(row->words || listed ? "value=yes words='" : "value=yes files=yes", out);
    put_words(row, out);
    fprintf(out, "%s%s ;;\n", row->words || listed ? "'" : "", pairs ? " open=yes" : "");
}

void orr_bash_completion(const struct orr_command *commands, size_t count, FILE *out)
{
    struct orr_option_row row;
    fputs("# bash completion for orrery. Written by `orrery completion bash` from the tables of --help.\n"
          "_orrery() {\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local command=${COMP_WORDS[1]} words='' options='' value='' files='' open=''\n"
          "    COMPREPLY=()\n"
          "    if [ \"$before\" = = ]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi # --option=value\n"
          "    if [ \"$current\" = = ]; then current=''; fi\n"
          "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
          "        COMPREPLY=($(compgen -W '",
          out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s ", commands[i].name);
    fputs("--help --version' -- \"$current\"))\n        return\n    fi\n    case \"$command $before\" in\n", out);
    for (size_t c = 0; c < count; c++)
        for (size_t i = 0; orr_option_row(&commands[c], i, &row); i++)
            if (row.value)
                value_case(&commands[c], &row, out);
    fputs("    esac\n    case \"$command\" in\n", out);
    for (size_t c = 0; c < count; c++) {
        fprintf(out, "    %s) options='", commands[c].name);
        for (size_t i = 0; orr_option_row(&commands[c], i, &row); i++)
            fprintf(out, "%s--%s", i ? " " : "", row.name);
        fprintf(out, "'%s ;;\n", strstr(commands[c].arguments, "FILE") ? "; [ \"$value\" ] || files=yes" : "");
    }
    fputs("    esac\n"
          "    if [ -z \"$value\" ] && [[ $current == -* ]]; then words=$options files=''; fi\n"
          "    if [ -n \"$words\" ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$current\")); fi\n"
          "    if [ -n \"$files\" ]; then\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        local IFS=$'\\n'\n"
          "        COMPREPLY+=($(compgen -f -- \"$current\"))\n"
          "    fi\n"
          "    if [ -n \"$open\" ]; then compopt -o nospace 2>/dev/null; fi\n"
          "}\n"
          "complete -F _orrery orrery\n",
          out);
}

void orr_zsh_completion(const struct orr_command *commands, size_t count, FILE *out)
{
    struct orr_option_row row;
    fputs("#compdef orrery\n# Written by `orrery completion zsh` from the tables of --help.\n_orrery() {\n"
          "    if (( CURRENT == 2 )); then\n        compadd -- --help --version",
          out);
    for (size_t c = 0; c < count; c++)
        fprintf(out, " %s", commands[c].name);
    fputs(
        "\n        _files\n        return\n    fi\n    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
        "    case $command in\n",
        out);
    for (size_t c = 0; c < count; c++) {
        fprintf(out, "    %s) _arguments", commands[c].name);
        for (size_t i = 0; orr_option_row(&commands[c], i, &row); i++) {
            fprintf(out, " \\\n        '*--%s%s[", row.name, row.value ? "=" : "");
            put_quoted(row.help, "[]:\\", out);
            fputc(']', out);
            if (row.value) {
                fputc(':', out);
                put_quoted(row.value, "[]:\\", out);
                fputs(row.words || is_choice(row.value) ? ":(" : is_file(row.value) ? ":_files" : ": ", out);
                if (put_words(&row, out))
                    fputc(')', out);
            }
            fputc('\'', out);
        }
        fprintf(out, "%s ;;\n", strstr(commands[c].arguments, "FILE") ? " '*:file:_files'" : "");
    }
    fputs("    esac\n}\ncompdef _orrery orrery\n", out);
}

void orr_fish_completion(const struct orr_command *commands, size_t count, FILE *out)
{
    struct orr_option_row row;
    fputs("# Written by `orrery completion fish` from the tables of --help.\n", out);
    for (size_t c = 0; c < count; c++) {
        fprintf(out, "complete -c orrery -n __fish_use_subcommand -a %s\n", commands[c].name);
        if (!strstr(commands[c].arguments, "FILE"))
            fprintf(out, "complete -c orrery -n '__fish_seen_subcommand_from %s' -f\n", commands[c].name);
        for (size_t i = 0; orr_option_row(&commands[c], i, &row); i++) {
            fprintf(out, "complete -c orrery -n '__fish_seen_subcommand_from %s' -l %s -d '", commands[c].name,
                    row.name);
            put_quoted(row.help, "\\", out);
            fputc('\'', out);
            if (row.value && is_file(row.value) && !row.words) {
                fputs(" -rF", out);
            } else if (row.value) {
                fputs(" -xa '", out);
                put_words(&row, out);
                fputc('\'', out);
            }
            fputc('\n', out);
        }
    }
}
