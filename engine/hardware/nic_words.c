/* SPDX-License-Identifier: Apache-2.0 */
/* A number of NICs with their speed ("8x400G", "4 200Gb/s HDR ports") is taken wherever it is. A speed alone counts if
 * the line is about NICs and not about a measurement. */
#include "engine/hardware/nic_words.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

struct word {
    const char *at;
    size_t length;
};

static bool starts(struct word word, const char *text)
{
    return word.length >= strlen(text) && !strncasecmp(word.at, text, strlen(text));
}

static bool is(struct word word, const char *text)
{
    return word.length == strlen(text) && starts(word, text);
}

static bool has(const char *line, size_t length, const char *const *words)
{
    for (; *words; words++)
        if (memmem(line, length, *words, strlen(*words)))
            return true;
    return false;
}

/* The next word, without the signs around it; length 0 at the end. */
static struct word next(const char **at, const char *end)
{
    while (*at < end && !isalnum((unsigned char)**at) && **at != '*')
        ++*at;
    struct word word = {*at, 0};
    while (*at < end && (isalnum((unsigned char)**at) || strchr("*/.-", **at ? **at : ' ')))
        ++*at, ++word.length;
    while (word.length && strchr("/.-", word.at[word.length - 1]))
        word.length--;
    return word;
}

/* The speed of generations of InfiniBand and of cards by their part numbers, Mb/s. */
static uint32_t generation(struct word word)
{
    static const struct {
        const char *name;
        uint32_t mbps;
    } rows[] = {{"HDR100", 100000}, {"NDR200", 200000}, {"HDR200", 200000}, {"NDR400", 400000},
                {"HDR", 200000},    {"NDR", 400000},    {"EDR", 100000},    {"XDR", 800000}};
    static const struct {
        const char *end;
        uint32_t mbps;
    } cards[] = {{"-ECAT", 100000}, {"-CDAT", 100000}, {"-HDAT", 200000}, {"-VDAT", 200000}, {"-NEAT", 400000}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (is(word, rows[i].name))
            return rows[i].mbps;
    for (size_t i = 0; i < sizeof cards / sizeof cards[0] && starts(word, "MCX"); i++)
        if (word.length > 5 && !strncmp(word.at + word.length - 5, cards[i].end, 5))
            return cards[i].mbps;
    return 0;
}

/* "200Gbps", "400G", "100GbE", or "400" with the unit as the next word, which is then read; 0 if it is something
 * else. */
static uint32_t speed(struct word word, const char **at, const char *end)
{
    static const uint32_t rates[] = {10, 25, 40, 50, 100, 200, 400, 800};
    uint32_t rate = 0;
    size_t digits = 0;
    while (digits < word.length && isdigit((unsigned char)word.at[digits]) && digits < 4)
        rate = 10 * rate + (uint32_t)(word.at[digits++] - '0');
    const char *after = *at;
    struct word unit = {word.at + digits, word.length - digits};
    if (digits && !unit.length)
        unit = next(&after, end);
    if (!digits || !unit.length || unit.at[0] != 'G' || (unit.length > 1 && unit.at[1] != 'b' && !is(unit, "GE")))
        return 0; /* bytes, or not a rate */
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
        if (rates[i] == rate) {
            *at = after;
            return 1000 * rate;
        }
    return 0;
}

/* What NICs are called. */
static bool is_nic(struct word word)
{
    static const char *const names[] = {"NIC",       "HCA",     "ConnectX", "CX-", "CX5",  "CX6",  "CX7", "CX8",
                                        "BlueField", "adapter", "BF3",      "EFA", "port", "rNIC", NULL};
    for (const char *const *name = names; *name; name++)
        if (starts(word, *name))
            return true;
    return false;
}

/* Words between a number, a speed and a NIC. *network: one of a network was before, or is this one. */
static bool joins(struct word word, bool *network, bool *nic)
{
    static const char *const networks[] = {"IB",   "InfiniBand", "RoCE",     "RoCEv2", "network",
                                           "RDMA", "Mellanox",   "Ethernet", NULL},
                             *const cards[] = {"card", "cards", "link", "links", "interfaces", NULL},
                             *const fillers[] = {"each", "with", "of", "at", "x", "*", "NVIDIA", NULL};
    for (const char *const *name = networks; *name; name++)
        if (is(word, *name))
            return *network = true;
    for (const char *const *name = cards; *name; name++)
        if (*network && is(word, *name))
            return *nic = true;
    for (const char *const *name = fillers; *name; name++)
        if (is(word, *name))
            return true;
    return false;
}

/* A number of NICs at this word, or "8x400G". False if it counts something else. */
static bool count_at(struct word word, const char *at, const char *end, struct orr_nic_words *ret_words)
{
    enum { MOST = 32, WORDS = 7 };
    static const char *const others[] = {"torage", "anagement", "mgmt", "rontend", "otal", "bond", "ombined", NULL};
    uint32_t count = 0;
    size_t digits = 0;
    bool times = false, nic = false, per_gpu = false, network = false;
    *ret_words = (struct orr_nic_words){0};
    while (digits < word.length && isdigit((unsigned char)word.at[digits]) && digits < 3)
        count = 10 * count + (uint32_t)(word.at[digits++] - '0');
    struct word rest = {word.at + digits, word.length - digits};
    const bool one = is(word, "single") || is(word, "one");
    if (one) /* "a single 100G NIC" */
        count = 1, rest.length = 0;
    if ((!digits && !one) || !count || count > MOST)
        return false;
    if (rest.length && strchr("xX*", rest.at[0])) {
        times = true;
        rest = (struct word){rest.at + 1, rest.length - 1};
        if (rest.length && !(ret_words->mbps = speed(rest, &at, end)) && !generation(rest) && !is_nic(rest))
            return false;
        ret_words->mbps = ret_words->mbps ? ret_words->mbps : generation(rest);
        nic |= is_nic(rest);
    } else if (rest.length) {
        return false;
    }
    const char *from = at;
    for (unsigned i = 0; i < WORDS && at < end; i++) {
        if (strchr(",;:+|.", *at) && *at != ' ') /* another clause */
            break;
        const char *after = at;
        const struct word then = next(&after, end);
        const uint32_t mbps = speed(then, &after, end), named = mbps ? 0 : generation(then);
        if (!i && (is(then, "x") || is(then, "*")))
            times = true;
        else if (is(then, "per") || is(then, "for"))
            per_gpu |= nic && (after = after + strspn(after, " "), end - after > 2 && !strncasecmp(after, "GPU", 3));
        else if (!mbps && !named && !is_nic(then) && !joins(then, &network, &nic))
            break;
        if ((mbps || named) && ret_words->mbps && ret_words->mbps != mbps + named && mbps)
            ret_words->mbps = mbps; /* "NDR 200 Gb/s" */
        else if (mbps || named)
            ret_words->mbps = ret_words->mbps ? ret_words->mbps : mbps + named;
        nic |= is_nic(then);
        at = after;
    }
    const size_t around = (size_t)(end - from) < 48 ? (size_t)(end - from) : 48;
    if (!(ret_words->mbps && (times || nic)) && !nic)
        return false;
    if (has(from, around, others))
        return false;
    ret_words->count = per_gpu ? 0 : count;
    return true;
}

/* A speed alone, in a line about NICs. */
static bool speed_alone(const char *line, size_t length, struct orr_nic_words *ret_words)
{
    static const char *const nics[] = {"NIC",  "nic ",        "nics",      "HCA",       "ConnectX", "CX-",
                                       "CX5",  "CX6",         "CX7",       "cx7",       "nfini",    "IB ",
                                       "RoCE", "HDR",         "NDR",       "EDR",       "XDR",      "nterconnect",
                                       "port", "etwork card", "Slingshot", "BlueField", "rate:",    NULL};
    static const char *const measured[] = {"ib_write", "ib_read", "ib_send", "perftest", "each",  "xpect",
                                           "esult",    "only",    "measur",  " get ",    " got ", "should",
                                           "bond",     "total",   "busbw",   "achiev",   "BW ",   NULL};
    const char *at = line, *end = line + length;
    if (!has(line, length, nics) || has(line, length, measured))
        return false;
    uint32_t named = 0;
    while (at < end) {
        const struct word word = next(&at, end);
        const uint32_t mbps = speed(word, &at, end);
        ret_words->differ |= mbps && ret_words->mbps && mbps != ret_words->mbps;
        ret_words->mbps = mbps ? mbps : ret_words->mbps;
        named = named ? named : generation(word);
    }
    ret_words->mbps = ret_words->mbps ? ret_words->mbps : named;
    return ret_words->mbps != 0;
}

/* Two that say different things differ. */
static void add(struct orr_nic_words *words, const struct orr_nic_words *one)
{
    words->differ |= one->differ || (words->mbps && one->mbps && words->mbps != one->mbps) ||
                     (words->count && one->count && words->count != one->count);
    words->count = words->count ? words->count : one->count;
    words->mbps = words->mbps ? words->mbps : one->mbps;
}

/* What a sentence says; the measurements of another one do not touch it. */
static bool read_sentence(const char *line, size_t length, struct orr_nic_words *ret_words)
{
    static const char *const tests[] = {"ib_write", "ib_read", "ib_send", "perftest", "iperf", NULL};
    static const char *const uses[] = {"only", "use", "using", "via", "through", NULL};
    const char *at = line, *end = line + length;
    static const char *const marks[] = {"NIC",      "nic", "HCA", "CX",   "cx",   "onnectX", "dapter",
                                        "lueField", "BF3", "EFA", "port", "etwo", "DR",      NULL};
    *ret_words = (struct orr_nic_words){0};
    if ((!memchr(line, 'G', length) && !has(line, length, marks)) || has(line, length, tests))
        return false;
    while (at < end) {
        struct orr_nic_words one;
        const struct word word = next(&at, end);
        const size_t before = (size_t)(word.at - line) < 24 ? (size_t)(word.at - line) : 24;
        if (!word.length || !count_at(word, at, end, &one) || (!one.mbps && has(word.at - before, before, uses)))
            continue;
        add(ret_words, &one);
    }
    return ret_words->count || ret_words->mbps || speed_alone(line, length, ret_words);
}

bool orr_nic_words_read(const char *line, size_t length, struct orr_nic_words *ret_words)
{
    *ret_words = (struct orr_nic_words){0};
    for (const char *at = line, *end = line + length; at < end;) {
        const char *stop = memmem(at, (size_t)(end - at), ". ", 2);
        struct orr_nic_words one;
        stop = stop ? stop + 1 : end;
        if (read_sentence(at, (size_t)(stop - at), &one))
            add(ret_words, &one);
        at = stop;
    }
    return ret_words->count || ret_words->mbps;
}
