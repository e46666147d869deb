/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's releases as the person who asks names them. "NCCL 2.24.3" is a release, and so is a number that begins a line,
 * as the heading of results or in front of a figure: "v2.18.3-1: 380". A table belongs to the last release named before
 * it. If all tables have the same release, the text names one release for all of them. */
#include <string.h>
#include <strings.h>

#include "engine/nccltests/reading.h"

enum { PARTS = 3 };

/* "2.24.3", "v2.18.3-1", "2.22.3+cuda12.5" at this place; *at then points to what follows it. */
static bool release_at(const char **at, const char *end, char text[ORR_RELEASE_MOST])
{
    const char *word = *at;
    size_t length = 0;
    unsigned points = 0;
    word += word < end && *word == 'v';
    for (; word < end && length + 1 < ORR_RELEASE_MOST; word++) {
        const bool point = *word == '.' && end - word > 1 && orr_is_digit(word[1]);
        if (!point && !orr_is_digit(*word))
            break;
        points += point;
        text[length++] = *word;
    }
    text[length] = 0;
    if (points + 1 != PARTS || strncmp(text, "2.", 2) != 0)
        return false;
    while (word < end && (orr_is_digit(*word) || orr_is_letter(*word) || strchr("-+._", *word)) && *word)
        word++;
    *at = word;
    return true;
}

static void keep(struct orr_results_building *b, const char text[ORR_RELEASE_MOST])
{
    struct orr_said *said = &b->said;
    said->releases_differ |= said->release[0] && strcmp(said->release, text) != 0;
    said->release_line = said->release[0] ? said->release_line : b->line;
    memcpy(said->release, text, ORR_RELEASE_MOST);
}

/* Skips "version", "release is" and punctuation after NCCL's name. */
static const char *pass_words(const char *word, const char *end)
{
    static const char *const words[] = {"version", "versions", "release", "is", "cu11", "cu12", "cu13", "library"};
    for (unsigned i = 0; i < PARTS; i++) {
        while (word < end && *word && strchr(" -:=_(`*", *word))
            word++;
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
            const size_t length = strlen(words[k]);
            if ((size_t)(end - word) > length && !strncasecmp(word, words[k], length) && !orr_is_letter(word[length])) {
                word += length;
                break;
            }
        }
    }
    return word;
}

double orr_said_take_release(struct orr_results_building *b, struct orr_span line)
{
    static const char name[] = "NCCL";
    const char *end = line.at + line.length, *at = line.at;
    char text[ORR_RELEASE_MOST];
    while (at < end && *at && strchr(" \t#*->`|(", *at))
        at++;
    const char *rest = at;
    double value;
    if (release_at(&rest, end, text)) {
        while (rest < end && *rest && strchr(" *_`|)", *rest))
            rest++;
        if (rest == end || *rest == ':' || *rest == '|') {
            keep(b, text);
            return rest < end && orr_number_next(&rest, end, &value) ? value : 0;
        }
    }
    for (; end - at > (ptrdiff_t)sizeof name; at++) {
        if (strncasecmp(at, name, sizeof name - 1) != 0)
            continue;
        const char *word = pass_words(at + sizeof name - 1, end);
        if (release_at(&word, end, text))
            keep(b, text);
    }
    return 0;
}

void orr_said_release(struct orr_results_building *b)
{
    struct orr_results *results = b->results;
    const struct orr_said *said = &b->said;
    bool differ = false;
    for (uint32_t i = 0; i < results->table_count; i++)
        differ |=
            b->tables[i].library && b->tables[0].library && strcmp(b->tables[i].library, b->tables[0].library) != 0;
    for (uint32_t i = 0; i < results->table_count && !differ; i++)
        b->tables[i].library = NULL;
    if (differ && !results->library)
        results->library = b->tables[0].library;
    if (results->library || !said->release[0] || said->releases_differ)
        return;
    results->library = orr_tables_keep(b, (struct orr_span){said->release, strlen(said->release)});
    orr_tables_note(b, "the prediction is for NCCL %s, which line %u names", said->release, said->release_line);
}
