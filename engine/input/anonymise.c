/* SPDX-License-Identifier: Apache-2.0 */
/* Two passes. The first learns names by their place: attributes of XML, infos of hwloc, the prefix and the words of
 * NCCL's log lines. The second rewrites the text word by word: learned names anywhere, and addresses and UUIDs, which
 * it recognises by their form. */
#include "engine/input/anonymise.h"

#include <ctype.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/detect/detect.h"
#include "engine/input/input.h"
#include "engine/input/shapes.h"

/* Attributes of dumps, infos of hwloc and words of logs whose values are names. */
static const struct {
    const char *word;
    enum orr_secret kind;
} named[] = {
    {"guid", ORR_SECRET_GUID},
    {"host_hash", ORR_SECRET_HASH},
    {"asic", ORR_SECRET_ASIC},
    {"uuid", ORR_SECRET_WORD},
    {"serial", ORR_SECRET_WORD},
    {"hostname", ORR_SECRET_HOST},
    {"HostName", ORR_SECRET_HOST},
    {"Hostname", ORR_SECRET_HOST},
    {"HOSTNAME", ORR_SECRET_HOST},
    {"NVIDIASerial", ORR_SECRET_WORD},
    {"DMIProductSerial", ORR_SECRET_WORD},
    {"DMIBoardSerial", ORR_SECRET_WORD},
    {"DMIChassisSerial", ORR_SECRET_WORD},
    {"DMIProductUUID", ORR_SECRET_WORD},
    {"DMIBoardAssetTag", ORR_SECRET_WORD},
    {"DMIChassisAssetTag", ORR_SECRET_WORD},
    {"nodename", ORR_SECRET_HOST},
    {"SLURMD_NODENAME", ORR_SECRET_HOST},
    {"hostHash", ORR_SECRET_HASH},
    {"commId", ORR_SECRET_HASH},
    {"commHash", ORR_SECRET_HASH},
    {"USER", ORR_SECRET_USER},
    {"LOGNAME", ORR_SECRET_USER},
};

struct scan {
    const char *bytes;
    size_t length, at;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

static size_t word_end(const struct scan *scan, size_t at)
{
    while (at < scan->length && is_word(scan->bytes[at]))
        at++;
    return at;
}

static int find_named(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (strlen(named[i].word) == length && !memcmp(named[i].word, word, length))
            return (int)i;
    return -1;
}

/* The value after a word: ="value", ='value', =value, : value or a blank and a number in hex. */
static bool value_behind(const struct scan *scan, size_t at, size_t *ret_from, size_t *ret_to)
{
    bool sign = false;
    while (at < scan->length && (scan->bytes[at] == ' ' || (!sign && strchr("=:", scan->bytes[at]))))
        sign |= scan->bytes[at++] != ' ';
    if (at >= scan->length)
        return false;
    char quote = scan->bytes[at];
    if (quote == '"' || quote == '\'') {
        size_t end = ++at;
        while (end < scan->length && scan->bytes[end] != quote && scan->bytes[end] != '\n')
            end++;
        *ret_from = at;
        *ret_to = end;
        return sign && end > at;
    }
    *ret_from = at;
    *ret_to = word_end(scan, at);
    return *ret_to > at && (sign || (scan->bytes[at] == '0' && at + 1 < scan->length && scan->bytes[at + 1] == 'x'));
}

/* In hwloc's <info name="HostName" value="node17"/> the word is itself a value, and the name is in the next
 * attribute. */
static size_t skip_to_value(const struct scan *scan, size_t at)
{
    static const char next[] = "\" value=";
    size_t size = sizeof next - 1;
    return at + size < scan->length && !memcmp(scan->bytes + at, next, size) ? at + size - 1 : at;
}

static size_t back_over_digits(const struct scan *scan, size_t at)
{
    while (at > 0 && isdigit((unsigned char)scan->bytes[at - 1]))
        at--;
    return at;
}

/* The host of "node17:4711:4712 [0] NCCL INFO", read backwards from NCCL. */
static bool host_before(const struct scan *scan, size_t at, size_t *ret_from, size_t *ret_to)
{
    const char *b = scan->bytes;
    size_t digits;
    if (at < 2 || b[at - 1] != ' ')
        return false;
    at--;
    if (b[at - 1] == ']') {
        digits = back_over_digits(scan, at - 1);
        if (digits < 2 || b[digits - 1] != '[' || b[digits - 2] != ' ')
            return false;
        at = digits - 2;
    }
    for (int k = 0; k < 2; k++) { /* thread, process */
        digits = back_over_digits(scan, at);
        if (digits == at || digits < 1 || b[digits - 1] != ':')
            return false;
        at = digits - 1;
    }
    *ret_to = at;
    while (at > 0 && is_word(b[at - 1]))
        at--;
    *ret_from = at;
    return *ret_to > at;
}

/* "NET/0-3 (0/a088c20300/1/50.0)" of a printed tree: the guid is the last but two. */
static bool guid_of_net(const struct scan *scan, size_t at, size_t *ret_from, size_t *ret_to)
{
    enum { LONGEST = 96 };
    size_t slashes[4], count = 0, from = at;
    if (at + 2 >= scan->length || scan->bytes[at] != ' ' || scan->bytes[at + 1] != '(')
        return false;
    for (at += 2; at < scan->length && at - from < LONGEST && scan->bytes[at] != ')'; at++)
        if (scan->bytes[at] == '/' && count < sizeof slashes / sizeof slashes[0])
            slashes[count++] = at;
    if (at >= scan->length || scan->bytes[at] != ')' || count < 2 || count > 3)
        return false;
    *ret_from = count == 2 ? from + 2 : slashes[0] + 1;
    *ret_to = count == 2 ? slashes[0] : slashes[1];
    return *ret_to > *ret_from;
}

static bool is_at(const struct scan *scan, size_t at, const char *text)
{
    size_t size = strlen(text);
    return at + size <= scan->length && !memcmp(scan->bytes + at, text, size);
}

static void learn(struct orr_secrets *secrets, enum orr_secret kind, const struct scan *scan, size_t from, size_t to)
{
    orr_secret_learn(secrets, kind, scan->bytes + from, to - from);
}

static void learn_all(struct orr_secrets *secrets, struct scan scan)
{
    size_t from, to;
    for (size_t at = 0; at < scan.length && !orr_budget_spent(1); at++) {
        if (!is_word(scan.bytes[at]) || (at && is_word(scan.bytes[at - 1])))
            continue;
        size_t end = word_end(&scan, at);
        int row = find_named(scan.bytes + at, end - at);
        if (row >= 0 && value_behind(&scan, skip_to_value(&scan, end), &from, &to))
            learn(secrets, named[row].kind, &scan, from, to);
        else if (is_at(&scan, at, "NCCL ") && host_before(&scan, at, &from, &to))
            learn(secrets, ORR_SECRET_HOST, &scan, from, to);
        else if (is_at(&scan, at, "NET/") || (at >= 4 && is_at(&scan, at - 4, "NET/"))) {
            if (guid_of_net(&scan, end, &from, &to))
                learn(secrets, ORR_SECRET_GUID, &scan, from, to);
        } else if (at >= 6 && (is_at(&scan, at - 6, "/home/") || (at >= 7 && is_at(&scan, at - 7, "/users/"))))
            learn(secrets, ORR_SECRET_USER, &scan, at, end);
        at = end - 1;
    }
}

/* The substitute of a word: the learned one, or that of the name at its start if a domain or an ending follows. */
static const char *word_for(const struct orr_secrets *secrets, const char *word, size_t length)
{
    enum { LONGEST = 255 };
    const char *to = length > LONGEST ? NULL : orr_secret_find(secrets, word, length);
    for (size_t end = length > LONGEST ? 0 : length; !to && end > 1; end--)
        if (word[end - 1] == '.')
            to = orr_secret_find(secrets, word, end - 1);
    return to;
}

/* Rewrites the word or address at a place; returns its length in bytes, 0 if nothing there is replaced. */
static size_t rewrite(struct orr_secrets *secrets, const struct scan *scan, struct orr_text *text)
{
    char shape[ORR_SHAPE_SIZE];
    size_t taken = orr_shape_at(scan->bytes, scan->length, scan->at, secrets, shape);
    if (taken) {
        orr_text_puts(text, shape);
        return taken;
    }
    size_t end = word_end(scan, scan->at);
    while (end > scan->at && scan->bytes[end - 1] == '.')
        end--;
    const char *to = end > scan->at ? word_for(secrets, scan->bytes + scan->at, end - scan->at) : NULL;
    if (!to)
        return 0;
    orr_text_puts(text, to);
    return end - scan->at;
}

static void rewrite_all(struct orr_secrets *secrets, struct scan scan, struct orr_text *text)
{
    while (scan.at < scan.length && !orr_text_failed(text) && !orr_arena_starved(secrets->arena) &&
           !orr_budget_spent(1)) {
        char c = scan.bytes[scan.at];
        bool starts = (is_word(c) || c == ':') && !(scan.at && is_word(scan.bytes[scan.at - 1]));
        size_t taken = starts ? rewrite(secrets, &scan, text) : 0;
        if (!taken) {
            taken = is_word(c) ? word_end(&scan, scan.at) - scan.at : 1;
            orr_text_add(text, scan.bytes + scan.at, taken);
        }
        scan.at += taken;
    }
}

/* Names inside a compressed archive cannot be rewritten, so the copy is its content as XML. */
static enum orr_code unpack(const char *bytes, size_t length, struct orr_text *text, struct orr_error *err)
{
    struct orr_dump *dump;
    ORR_TRY(orr_input_read(bytes, length, NULL, &dump, err));
    orr_dump_write(dump, text);
    orr_dump_free(dump);
    return ORR_OK;
}

static enum orr_code copy(struct scan scan, struct orr_arena *arena, struct orr_text *text,
                          struct orr_replacements *ret_replacements, struct orr_error *err)
{
    struct orr_secrets secrets;
    orr_budget_stage("replacing names");
    orr_secrets_init(&secrets, arena);
    learn_all(&secrets, scan);
    rewrite_all(&secrets, scan, text);
    ORR_TRY(orr_budget_check(err));
    if (text->failed && !text->starved)
        return orr_fail(err, ORR_LIMIT, "the copy is larger than %zu bytes", text->limit);
    if (orr_arena_starved(secrets.arena) || text->failed)
        return orr_fail_nomem(err);
    if (ret_replacements)
        *ret_replacements = secrets.made;
    return ORR_OK;
}

enum orr_code orr_anonymise(const char *bytes, size_t length, struct orr_arena *arena, struct orr_text *text,
                            struct orr_replacements *ret_replacements, struct orr_error *err)
{
    ORR_LOCAL_TEXT(unpacked, text->limit);
    if (!orr_is_tar(bytes, length))
        return copy((struct scan){.bytes = bytes, .length = length}, arena, text, ret_replacements, err);
    ORR_TRY(unpack(bytes, length, &unpacked, err));
    ORR_NEED(!orr_text_failed(&unpacked), err);
    return copy((struct scan){.bytes = unpacked.data, .length = unpacked.length}, arena, text, ret_replacements, err);
}
