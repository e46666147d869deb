/* SPDX-License-Identifier: Apache-2.0 */
/* Reads NCCL's variables outside its own lines: command lines, exports, YAML, nccl.conf, `env | grep NCCL`.
 *
 *     mpirun -x NCCL_ALGO=Tree -np 2 ./all_reduce_perf        srun --export=ALL,NCCL_DEBUG=INFO,NCCL_ALGO=Ring
 *     export NCCL_P2P_DISABLE=1                               mpiexec -genv NCCL_IB_DISABLE 1
 *     - name: NCCL_SHM_DISABLE                                os.environ["NCCL_DEBUG"] = "INFO"
 *       value: "1"                                            NCCL_DEBUG: INFO
 *
 * People also write such words in sentences ("you can set NCCL_IGNORE_DISABLED_P2P=1"), which set nothing. So a word is
 * an assignment only if it begins its line, or follows an option or a command that takes assignments. A line that
 * begins with # is a comment. What somebody tried ("NCCL_P2P_DISABLE=1: no change", or a list under "I tried:") is not
 * set in the run that the text shows.
 */
#include <ctype.h>
#include <string.h>

#include "engine/log_reading/building.h"

static const char prefix[] = "NCCL_";
enum { PREFIX = sizeof prefix - 1, VALUE_MOST = 400 };

static bool is_name(char c)
{
    return (c >= 'A' && c <= 'Z') || orr_is_digit(c) || c == '_';
}

/* Commands and options that assignments follow. */
static bool takes_assignments(const char *text, size_t length)
{
    static const char *const words[] = {
        "mpirun",     "mpiexec",   "orterun", "srun ",   "sbatch ",  "docker ",      "podman ", "nerdctl ",
        "apptainer ", "enroot ",   "kubectl", "horovod", "torchrun", "singularity ", "python ", "python3 ",
        "accelerate", "deepspeed", "_perf -", "export ", "setenv ",  "declare -x",   "ENV ",    "--export",
        "--env",      " -x ",      " -e ",    "env ",    "environ[",
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (memmem(text, length, words[i], strlen(words[i])))
            return true;
    return false;
}

static bool has_one(const char *text, size_t length, const char *const *words)
{
    for (; *words; words++)
        if (memmem(text, length, *words, strlen(*words)))
            return true;
    return false;
}

/* Whether a line tells what somebody tried, and not what is set; what follows a # is a comment. */
static bool tells(const char *line, size_t length)
{
    static const char *const words[] = {" tried",      "Tried",      "o effect",    "o change",  "o difference",
                                        "not help",    "n't help",   "not work",    "n't work",  "ame result",
                                        "ame problem", "ame issue",  "ame error",   " without ", "nstead of",
                                        "not change",  "n't change", "not improve", "still ",    "not solve",
                                        "not fix",     "n't fix",    " workaround", "makes no",  NULL};
    const char *comment = memmem(line, length, " #", 2);
    return has_one(line, comment ? (size_t)(comment - line) : length, words);
}

/* A line that heads a list of attempts: "What I tried:". */
static bool heads_attempts(const char *line, size_t length)
{
    static const char *const words[] = {"tried", "Tried", "ttempt", "orkaround", "did not help", "didn't help", NULL};
    while (length && (isspace((unsigned char)line[length - 1]) || line[length - 1] == '*'))
        length--;
    return length && (line[length - 1] == ':' || line[0] == '#') && has_one(line, length, words);
}

static bool is_item(const char *line, size_t length)
{
    const char *at = line, *end = line + length;
    while (at < end && isspace((unsigned char)*at))
        at++;
    return at == end || strchr("-*+`", *at) || (end - at > 1 && orr_is_digit(*at) && strchr(".)", at[1]));
}

static const char *skip(const char *at, const char *end, const char *set)
{
    while (at < end && strchr(set, *at))
        at++;
    return at;
}

/* The end of a value: a blank, a quote, a backslash, or a comma before the next assignment. */
static const char *value_end(const char *at, const char *end, char quote)
{
    for (; at < end; at++) {
        if (quote ? *at == quote : strchr(" \t\"'`\\;)}]|&<", *at) != NULL)
            return at;
        if (quote || *at != ',')
            continue;
        const char *name = skip(at + 1, end, " ");
        const char *stop = name;
        while (stop < end && is_name(*stop))
            stop++;
        if (name == end || (stop > name && stop < end && *stop == '='))
            return at;
    }
    return at;
}

/* "NCCL_P2P_LEVEL: which value ...?" */
static bool is_question(const char *value, size_t length)
{
    static const char *const words[] = {"which", "what", "how", "why", "is", "should", "does", "do", "can"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == length && !memcmp(value, words[i], length))
            return true;
    return false;
}

static void take(struct orr_log_building *b, const char *name, size_t name_length, const char *value, size_t length,
                 uint32_t line)
{
    struct orr_log_catch *found = b->found;
    while (length && strchr(":.,", value[length - 1]))
        length--;
    if (!length || value[0] == '$' || length > VALUE_MOST || name_length <= PREFIX || is_question(value, length))
        return;
    found->value_count = found->word_count = 0;
    if (orr_log_keep_word(found, name + PREFIX, name_length - PREFIX) && orr_log_keep_word(found, value, length))
        orr_log_add_record(b, ORR_LOG_SETTING, ORR_LOG_NOBODY, line);
}

/* "name: NCCL_X" of a list of variables, whose value is in the next line. */
static bool take_listed(struct orr_log_building *b, const char *line, const char *end, uint32_t number)
{
    static const char name_key[] = "name:", value_key[] = "value:";
    const char *at = skip(line, end, " \t-{\"'");
    if (b->listed_length && (size_t)(end - at) > sizeof value_key && !memcmp(at, value_key, sizeof value_key - 1)) {
        at = skip(at + sizeof value_key - 1, end, " \t\"'");
        char name[sizeof b->listed];
        memcpy(name, b->listed, sizeof name);
        take(b, name, b->listed_length, at, (size_t)(value_end(at, end, 0) - at), number);
        b->listed_length = 0;
        return true;
    }
    b->listed_length = 0;
    if ((size_t)(end - at) <= sizeof name_key || memcmp(at, name_key, sizeof name_key - 1) != 0)
        return false;
    at = skip(at + sizeof name_key - 1, end, " \t\"'");
    const char *stop = at;
    while (stop < end && is_name(*stop))
        stop++;
    const size_t length = (size_t)(stop - at);
    if (length <= PREFIX || length >= sizeof b->listed || memcmp(at, prefix, PREFIX) != 0)
        return false;
    memcpy(b->listed, at, length);
    b->listed_length = length;
    const char *value = memmem(stop, (size_t)(end - stop), value_key, sizeof value_key - 1);
    return value && take_listed(b, value, end, number); /* {name: NCCL_X, value: "1"} */
}

void orr_log_take_assignments(struct orr_log_building *b, const char *line, size_t length, uint32_t number)
{
    enum { MOST = 256, OPTION = 6 };
    const char *end = line + length, *start = skip(line, end, " \t-*>`$\"'{"), *at = start;
    const bool continued = b->continues;
    unsigned count = 0;
    b->continues = length && line[length - 1] == '\\';
    b->attempts = (b->attempts && is_item(line, length)) || heads_attempts(line, length);
    if (!b->listed_length && !memmem(line, length, prefix, PREFIX)) {
        b->continues &= continued || takes_assignments(line, length);
        b->command = b->continues;
        return;
    }
    if (take_listed(b, line, end, number) || (start < end && *start == '#') || b->attempts || tells(line, length))
        return;
    bool in_command = (continued && b->command) || takes_assignments(line, length);
    b->command = in_command && b->continues;
    while (at < end && count++ < MOST && (at = memmem(at, (size_t)(end - at), prefix, PREFIX))) {
        const char *name = at, *stop = at;
        while (stop < end && is_name(*stop))
            stop++;
        at = stop;
        if (name > line && (is_name(name[-1]) || islower((unsigned char)name[-1])))
            continue;
        if (!in_command && name != start)
            continue;
        in_command |= name == start; /* NCCL_A=1 NCCL_B=2 ./program */
        const char *sign = skip(stop, end, "\"']) \t");
        char quote = 0;
        if (sign < end && (*sign == '=' || *sign == ':')) {
            sign = skip(sign + 1, end, sign > stop || *sign == ':' ? " \t" : "");
            if (sign < end && (*sign == '"' || *sign == '\''))
                quote = *sign++;
        } else if (!(stop < end && (*stop == ' ' || *stop == '\t')) || name - line < OPTION ||
                   !(memmem(name - OPTION, OPTION, "env ", 4) || memmem(name - OPTION, OPTION, "tenv ", 5))) {
            continue; /* "-x NCCL_DEBUG" passes on a value that is set elsewhere */
        }
        const char *shut = value_end(sign, end, quote);
        take(b, name, (size_t)(stop - name), sign, (size_t)(shut - sign), number);
        at = shut > at ? shut : at;
    }
}
