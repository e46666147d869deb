/* The completion for bash: a function with one case for each option that takes a value. What a value may be is known by
 * the name that --help gives it: VIEW has the views, R the releases, FILE any file. */
#include <string.h>

#include "api/analysis_json.h"
#include "cli/describe.h"

static const char *release(size_t i)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    return i < count ? releases[i].name : NULL;
}
static const char *view(size_t i)
{
    return i < ORR_VIEW_COUNT ? orr_view_name((enum orr_view)i) : NULL;
}
static const char *format(size_t i)
{
    return i < ORR_FORMAT_COUNT ? orr_format_name((enum orr_format)i) : NULL;
}
static const char *theme(size_t i)
{
    static const char *const names[] = {"light", "dark"};
    return i < ORR_THEME_COUNT ? names[i] : NULL;
}
static const char *setting(size_t i)
{
    struct orr_setting_info info;
    if (i >= ORR_SETTING_COUNT)
        return NULL;
    orr_setting_info((enum orr_setting)i, &info);
    return info.name;
}

static const struct {
    const char *value;           /* in --help */
    const char *(*word)(size_t); /* the words; NULL: files */
    const char *behind;          /* each of them; with "=" no blank follows */
} values[] = {
    {"R", release, ""},     {"NAME=VALUE", setting, "="}, {"VIEW", view, ""},
    {"FORMAT", format, ""}, {"THEME", theme, ""},         {"NAME", orr_section_name, ""},
    {"FILE", NULL, ""},     {"PATH", NULL, ""},           {"DIR", NULL, ""},
};
enum { VALUE_COUNT = sizeof values / sizeof values[0] };

/* The row of a value, or of the first of several that are parted by bars (PATH|URL); VALUE_COUNT: none. */
static size_t find_value(const char *value)
{
    size_t at = VALUE_COUNT;
    for (size_t length; *value && at == VALUE_COUNT; value += length + (value[length] == '|')) {
        length = strcspn(value, "|");
        for (at = 0;
             at < VALUE_COUNT && (strlen(values[at].value) != length || strncmp(values[at].value, value, length));)
            at++;
    }
    return at;
}

static void words(const char *(*word)(size_t), const char *behind, FILE *out)
{
    const char *each;
    for (size_t i = 0; (each = word(i)); i++)
        fprintf(out, "%s%s%s", i ? " " : "", each, behind);
}

/* Lower-case words parted by bars are the choices themselves. */
static bool is_choice(const char *value)
{
    return strchr(value, '|') && strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789|-") == strlen(value);
}

/* What completes the value of an option: an assignment to `words`, or `files=yes`. */
static void value_case(const struct orr_command *command, const struct orr_option_row *row, FILE *out)
{
    const char *value = row->value;
    bool known = is_choice(value);
    size_t at = find_value(value);
    if (!known && at == VALUE_COUNT) { /* a number, an address: nothing to offer, but no option either */
        fprintf(out, "    \"%s --%s\") return ;;\n", command->name, row->name);
        return;
    }
    fprintf(out, "    \"%s --%s\") value=yes ", command->name, row->name);
    if (known) {
        fputs("words='", out);
        for (const char *c = value; *c; c++)
            fputc(*c == '|' ? ' ' : *c, out);
        fputs("'", out);
    } else if (!values[at].word) {
        fputs("files=yes", out);
    } else {
        fputs("words='", out);
        words(values[at].word, values[at].behind, out);
        fputs("'", out);
        if (*values[at].behind)
            fputs(" open=yes", out);
    }
    fputs(" ;;\n", out);
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
        for (size_t i = 0; orr_option_row(commands[c].bit, i, &row); i++)
            if (row.value)
                value_case(&commands[c], &row, out);
    fputs("    esac\n    case \"$command\" in\n", out);
    for (size_t c = 0; c < count; c++) {
        fprintf(out, "    %s) options='", commands[c].name);
        for (size_t i = 0; orr_option_row(commands[c].bit, i, &row); i++)
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
