/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the algorithms that NCCL chose with the predicted ones. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/sorting.h"
#include "engine/log_comparing/survey.h"
#include "engine/triage/building.h"

enum { NONE = UINT32_MAX, UNKNOWN = -1 };

/* Whether words are equal, ignoring case and '_': "NVLS_TREE", "NVLSTree". */
static bool same_word(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += *a == '_';
        b += *b == '_';
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
        if (!*a)
            return true;
    }
}

/* Reads an algorithm or a protocol that NCCL prints, by name or by number, which is the same in all releases. */
static int read_number(const char *text, int count)
{
    int value = isdigit((unsigned char)text[0]) && !text[1] ? text[0] - '0' : UNKNOWN;
    return value < count ? value : UNKNOWN;
}

static int algorithm_of(const char *text, const struct orr_release *release)
{
    for (int a = 0; a < ORR_ALGORITHM_COUNT; a++)
        if (same_word(text, orr_algorithm_name(release, (enum orr_algorithm)a)))
            return a;
    return read_number(text, ORR_ALGORITHM_COUNT);
}

static int protocol_of(const char *text)
{
    for (int p = 0; p < ORR_PROTOCOL_COUNT; p++)
        if (same_word(text, orr_protocol_name((enum orr_protocol)p)))
            return p;
    return read_number(text, ORR_PROTOCOL_COUNT);
}

static int function_of(const char *text)
{
    for (int f = 0; f < ORR_FUNCTION_COUNT; f++)
        if (same_word(text, orr_function_name((size_t)f)))
            return f;
    return UNKNOWN;
}

/* A choice in the log, and the prediction for it. */
struct compared {
    const struct orr_log_choice *choice;
    int function, algorithm, protocol; /* UNKNOWN if it is another one */
    bool predicted;
    struct orr_choice prediction;
    int32_t channels; /* predicted for a call that starts alone; -1 if unknown */
};

/* Whether the prediction applies to a communicator: it is the compared one, or an equal one. */
static bool concerns(const struct orr_log_check *check, uint32_t communicator)
{
    const struct orr_log_survey *survey = check->survey;
    uint32_t like = NONE, own = NONE;
    if (communicator == NONE || communicator == check->communicator)
        return communicator != NONE;
    for (uint32_t i = 0; survey && i < survey->row_count; i++) {
        like = survey->rows[i].communicator == communicator ? survey->rows[i].like : like;
        own = survey->rows[i].communicator == check->communicator ? survey->rows[i].like : own;
    }
    return like != NONE && like == own;
}

static bool predict(const struct orr_log_check *check, const struct orr_tuning *tuning,
                    const struct orr_settings *settings, struct compared *row)
{
    const struct orr_log_choice *choice = row->choice;
    const struct orr_communicator *communicator = &check->analysis->communicator;
    if (row->function == UNKNOWN || row->algorithm == UNKNOWN || row->protocol == UNKNOWN ||
        !concerns(check, choice->communicator))
        return false;
    /* From 2.24 on, lines name the part of one rank for operations that gather or scatter. */
    bool gathers = row->function == ORR_ALLGATHER || row->function == ORR_REDUCESCATTER;
    uint64_t bytes = choice->bytes * (choice->first_channel >= 0 && gathers ? communicator->rank_count : 1);
    const enum orr_function function = (enum orr_function)row->function;
    if (!orr_tuning_choose(tuning, communicator, settings, function, bytes, &row->prediction))
        return false;
    row->channels = orr_tuning_channels_started(communicator, settings, function, bytes, &row->prediction);
    return true;
}

static bool agrees(const struct compared *row)
{
    return row->predicted && (int)row->prediction.algorithm == row->algorithm &&
           (int)row->prediction.protocol == row->protocol;
}

ORR_COMPARATOR(by_size, struct compared, strcmp(a->choice->function, b->choice->function),
               ORR_ORDER(a->choice->communicator, b->choice->communicator),
               ORR_ORDER(a->choice->bytes, b->choice->bytes), ORR_ORDER(a->choice->line, b->choice->line))

/* Whether two neighbours in the order of sizes belong into one row of the summary. */
static bool alike(const struct compared *a, const struct compared *b)
{
    return a->choice->communicator == b->choice->communicator && !strcmp(a->choice->function, b->choice->function) &&
           !strcasecmp(a->choice->algorithm, b->choice->algorithm) &&
           !strcasecmp(a->choice->protocol, b->choice->protocol) && a->predicted == b->predicted &&
           (!a->predicted ||
            (a->prediction.algorithm == b->prediction.algorithm && a->prediction.protocol == b->prediction.protocol));
}

static const char *pair_text(struct orr_triaging *t, int algorithm, int protocol)
{
    return orr_triage_text(
        t, "%s %s", orr_algorithm_name(t->check->analysis->query.settings.release, (enum orr_algorithm)algorithm),
        orr_protocol_name((enum orr_protocol)protocol));
}

static void sum_up(struct orr_triaging *t, const struct compared *rows, uint32_t count)
{
    enum { ROWS_MOST = 200 };
    struct orr_triage *triage = t->triage;
    triage->choices = ORR_NEW(t->arena, struct orr_triage_choice, ROWS_MOST);
    if (!triage->choices)
        return;
    for (uint32_t i = 0; i < count; i++) {
        const struct compared *row = &rows[i];
        const bool other = !i || row->choice->bytes != rows[i - 1].choice->bytes || !alike(row, &rows[i - 1]);
        uint32_t *counts = !row->predicted ? &triage->choice_not_compared
                           : agrees(row)   ? &triage->choice_agree
                                           : &triage->choice_differ;
        *counts += other;
        struct orr_triage_choice *last = triage->choice_count ? &triage->choices[triage->choice_count - 1] : NULL;
        if (!i || !alike(row, &rows[i - 1])) {
            if (triage->choice_count == ROWS_MOST)
                continue;
            bool known = t->check && row->algorithm != UNKNOWN && row->protocol != UNKNOWN;
            last = &triage->choices[triage->choice_count++];
            *last = (struct orr_triage_choice){
                .function = row->choice->function[0] ? row->choice->function : "collective",
                .from = row->choice->bytes,
                .logged = known ? pair_text(t, row->algorithm, row->protocol)
                                : orr_triage_text(t, "%s %s", row->choice->algorithm, row->choice->protocol),
                .predicted =
                    row->predicted ? pair_text(t, (int)row->prediction.algorithm, (int)row->prediction.protocol) : NULL,
                .predicted_channels = -1,
                .agrees = agrees(row),
                .line = row->choice->line,
            };
        }
        last->to = row->choice->bytes;
        last->sizes += other;
        last->lines += row->choice->count;
        last->line = row->choice->line < last->line ? row->choice->line : last->line;
        last->channels =
            row->choice->first_channel >= 0 ? row->choice->last_channel - row->choice->first_channel + 1 : -1;
        if (row->predicted)
            last->predicted_channels = row->channels;
    }
}

/* The number of sizes that differ with one more setting; UINT32_MAX if NCCL refuses the setting. */
static uint32_t differ_with(const struct orr_log_check *check, const struct compared *rows, uint32_t count,
                            const char *name, const char *value)
{
    struct orr_settings settings = check->analysis->query.settings;
    struct orr_tuning tuning;
    struct orr_error refused = {0};
    uint32_t differ = 0;
    if (orr_settings_set(&settings, name, value, &refused) != ORR_OK ||
        orr_tune(&check->analysis->communicator, &settings, &tuning, &refused) != ORR_OK)
        return UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        struct compared row = rows[i];
        if (!row.predicted)
            continue;
        row.predicted = predict(check, &tuning, &settings, &row);
        differ += !agrees(&row);
    }
    return differ;
}

/* The reason why choices differ: a tuner plugin that the log names, or a setting with which fewer differ. */
static void explain(struct orr_triaging *t, const struct compared *rows, uint32_t count)
{
    const struct orr_log_check *check = t->check;
    struct orr_triage *triage = t->triage;
    const struct orr_ran *ran = &triage->ran;
    const struct compared *first = NULL;
    for (uint32_t i = 0; i < count && !first; i++)
        first = rows[i].predicted && !agrees(&rows[i]) ? &rows[i] : NULL;
    if (!first)
        return;
    if (ran->counts[ORR_RAN_TUNER]) {
        triage->choice_why = orr_triage_text(t,
                                             "A tuner plugin was loaded (line %u: %s), and it may choose otherwise. "
                                             "Give its file with --tuner to compare with it.",
                                             ran->values[ORR_RAN_TUNER][0].line, ran->values[ORR_RAN_TUNER][0].value);
        return;
    }
    const struct orr_release *release = check->analysis->query.settings.release;
    const struct {
        const char *name, *value;
    } tried[] = {{"NCCL_ALGO", orr_algorithm_name(release, (enum orr_algorithm)first->algorithm)},
                 {"NCCL_PROTO", orr_protocol_name((enum orr_protocol)first->protocol)}};
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++)
        if (differ_with(check, rows, count, tried[i].name, tried[i].value) == 0) {
            triage->choice_why =
                orr_triage_text(t,
                                "With %s=%s every choice of the log agrees with the prediction, but the log does not "
                                "print this setting. Check the job's environment and /etc/nccl.conf.",
                                tried[i].name, tried[i].value);
            return;
        }
    if (!check->release_exact)
        triage->choice_why =
            orr_triage_text(t, "The prediction is for NCCL %s, not for the release of the log.", release->name);
}

enum orr_code orr_triage_choices(struct orr_triaging *t, struct orr_error *err)
{
    const struct orr_log *log = t->log;
    const struct orr_log_check *check = t->check;
    const struct orr_release *release = check ? check->analysis->query.settings.release : NULL;
    struct compared *rows = ORR_NEW(t->arena, struct compared, (size_t)log->choice_count + 1);
    ORR_NEED(rows, err);
    for (uint32_t i = 0; i < log->choice_count; i++) {
        const struct orr_log_choice *choice = &log->choices[i];
        rows[i] = (struct compared){.choice = choice,
                                    .function = function_of(choice->function),
                                    .algorithm = release ? algorithm_of(choice->algorithm, release) : UNKNOWN,
                                    .protocol = protocol_of(choice->protocol)};
        if (check)
            rows[i].predicted = predict(check, &check->analysis->tuning, &check->analysis->query.settings, &rows[i]);
    }
    if (log->choice_count)
        qsort(rows, log->choice_count, sizeof *rows, by_size);
    sum_up(t, rows, log->choice_count);
    if (check && t->triage->choice_differ)
        explain(t, rows, log->choice_count);
    return ORR_OK;
}
