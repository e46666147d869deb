/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/trials/settings_tried.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/sorting.h"
#include "engine/search/memo.h"
#include "engine/trials/variant.h"

/* The settings that people use, with sensible values. Settings that only name devices, log, or set timeouts are left
 * out, because they change no prediction. */
static const struct {
    const char *name, *values[8];
} candidates[] = {
    {"NCCL_ALGO", {"Ring", "Tree", "NVLS"}},
    {"NCCL_PROTO", {"Simple", "LL128", "LL", "^LL128"}},
    {"NCCL_NVLS_ENABLE", {"0"}},
    {"NCCL_P2P_LEVEL", {"NVL", "PIX", "PXB", "PHB", "SYS"}},
    {"NCCL_P2P_DISABLE", {"1"}},
    {"NCCL_SHM_DISABLE", {"1"}},
    {"NCCL_NET_GDR_LEVEL", {"LOC", "PXB", "PHB", "SYS"}},
    {"NCCL_NET_GDR_READ", {"0", "1"}},
    {"NCCL_CROSS_NIC", {"0", "1"}},
    {"NCCL_PXN_DISABLE", {"1"}},
    {"NCCL_P2P_PXN_LEVEL", {"0", "2"}},
    {"NCCL_MIN_NCHANNELS", {"8", "16", "32"}},
    {"NCCL_MAX_NCHANNELS", {"4", "8", "16"}},
    {"NCCL_NCHANNELS_PER_NET_PEER", {"2", "4"}},
    {"NCCL_NTHREADS", {"256", "512"}},
    {"NCCL_NVB_DISABLE", {"1"}},
    {"NCCL_MNNVL_ENABLE", {"0"}},
};
static const double least = 0.02;
enum { PAIRED = 4, MEMO_BYTES = 8 << 20 }; /* this many of the best settings are tried in pairs */

struct trying {
    const struct orr_analysis *analysis;
    struct orr_trials trials;
    struct orr_settings_tried *out;
};

static void judge(const struct orr_outcomes *now, struct orr_tried *row)
{
    double most_gain = least, most_harm = -least;
    for (uint32_t h = 0; h < now->host_count; h++)
        for (int t = 0; t < ORR_OUTCOME_TESTS; t++)
            for (int s = 0; s < ORR_OUTCOME_SIZES; s++) {
                const double before = now->bus_bw[h][t][s], after = row->outcomes.bus_bw[h][t][s];
                /* a job that can no longer run is the greatest harm */
                const double change = before > 0 && after <= 0 ? -1 : orr_outcome_change(before, after);
                const struct orr_tried_effect effect = {now->hosts[h], t, s, before, after};
                row->gains += change > least;
                row->harms += change < -least;
                if (change > most_gain)
                    most_gain = change, row->gain = effect;
                if (change < most_harm)
                    most_harm = change, row->harm = effect;
            }
}

static double gain_of(const struct orr_tried *row)
{
    return row->gain.hosts ? orr_outcome_change(row->gain.before, row->gain.after) : 0;
}

/* Keeps the settings if they change something. */
static enum orr_code try_settings(struct trying *t, const struct orr_settings *settings, const char *text,
                                  struct orr_error *err)
{
    struct orr_tried row = {.outcomes = t->out->now};
    memset(row.outcomes.bus_bw, 0, sizeof row.outcomes.bus_bw);
    snprintf(row.settings, sizeof row.settings, "%s", text);
    ORR_TRY(orr_outcomes_find(&t->trials, t->analysis, NULL, settings, &row.outcomes, err));
    t->out->tried++;
    judge(&t->out->now, &row);
    if ((row.gains || row.harms) && t->out->count < ORR_MOST_TRIED)
        t->out->rows[t->out->count++] = row;
    return ORR_OK;
}

/* Adds "NAME=VALUE" to settings; false if the release does not have it, or the question gives it. */
static bool set_one(struct orr_settings *settings, const char *name, const char *value)
{
    enum orr_setting id;
    return orr_setting_find(name, &id) && orr_setting_in(id, settings->release) && !settings->values[id].given &&
           orr_settings_set(settings, name, value, NULL) == ORR_OK;
}

static enum orr_code try_each(struct trying *t, struct orr_error *err)
{
    char text[ORR_TRIED_TEXT];
    for (size_t c = 0; c < sizeof candidates / sizeof candidates[0]; c++)
        for (int v = 0; candidates[c].values[v]; v++) {
            struct orr_settings settings = t->analysis->query.settings;
            if (!set_one(&settings, candidates[c].name, candidates[c].values[v]))
                continue;
            if (!orr_trials_may_go_on(&t->trials)) {
                t->out->all = false;
                return ORR_OK;
            }
            snprintf(text, sizeof text, "%s=%s", candidates[c].name, candidates[c].values[v]);
            ORR_TRY(try_settings(t, &settings, text, err));
        }
    return ORR_OK;
}

static bool helps(const struct orr_tried *row)
{
    return row->gains && !row->harms;
}

ORR_COMPARATOR(by_use, struct orr_tried, ORR_ORDER(helps(b), helps(a)), ORR_ORDER(b->gains > 0, a->gains > 0),
               ORR_ORDER(gain_of(b), gain_of(a)), strcmp(a->settings, b->settings))

static void sort_rows(struct orr_settings_tried *out)
{
    qsort(out->rows, out->count, sizeof *out->rows, by_use);
    out->helping = 0;
    while (out->helping < out->count && helps(&out->rows[out->helping]))
        out->helping++;
}

/* Tries pairs of the best settings with different names; keeps a pair if it gains more than either alone. */
static enum orr_code try_pairs(struct trying *t, struct orr_error *err)
{
    const uint32_t most = t->out->helping < PAIRED ? t->out->helping : PAIRED;
    char singles[PAIRED][ORR_TRIED_TEXT], text[2 * ORR_TRIED_TEXT];
    double gains[PAIRED];
    for (uint32_t i = 0; i < most; i++) {
        snprintf(singles[i], sizeof singles[i], "%.*s", ORR_TRIED_TEXT - 1, t->out->rows[i].settings);
        gains[i] = gain_of(&t->out->rows[i]);
    }
    for (uint32_t i = 0; i < most; i++)
        for (uint32_t k = i + 1; k < most; k++) {
            struct orr_settings settings = t->analysis->query.settings;
            char names[2][ORR_TRIED_TEXT], *values[2];
            const uint32_t count = t->out->count;
            for (int n = 0; n < 2; n++) {
                snprintf(names[n], sizeof names[n], "%.*s", ORR_TRIED_TEXT - 1, singles[n ? k : i]);
                values[n] = strchr(names[n], '=');
                *values[n]++ = 0;
            }
            if (!strcmp(names[0], names[1]) || !orr_trials_may_go_on(&t->trials) ||
                !set_one(&settings, names[0], values[0]) || !set_one(&settings, names[1], values[1]))
                continue;
            snprintf(text, sizeof text, "%.*s %.*s", ORR_TRIED_TEXT - 1, singles[i], ORR_TRIED_TEXT - 1, singles[k]);
            ORR_TRY(try_settings(t, &settings, text, err));
            if (t->out->count > count && gain_of(&t->out->rows[count]) <= fmax(gains[i], gains[k]) + least)
                t->out->count = count;
        }
    return ORR_OK;
}

enum orr_code orr_settings_try(const struct orr_analysis *analysis, const struct orr_outcomes *now,
                               struct orr_settings_tried *ret_tried, struct orr_error *err)
{
    struct trying t = {
        .analysis = analysis, .trials = {.left = {.analyses = 400, .steps = 60000000}}, .out = ret_tried};
    ret_tried->now = *now;
    ret_tried->count = ret_tried->helping = ret_tried->tried = 0;
    ret_tried->all = true;
    orr_budget_stage("settings that help");
    t.trials.memo = orr_search_memo_new(MEMO_BYTES);
    enum orr_code code = orr_outcomes_find(&t.trials, analysis, NULL, NULL, &ret_tried->now, err);
    if (code == ORR_OK)
        code = try_each(&t, err);
    sort_rows(ret_tried);
    if (code == ORR_OK)
        code = try_pairs(&t, err);
    sort_rows(ret_tried);
    orr_search_memo_free(t.trials.memo);
    return code;
}

static void say_effect(const struct orr_settings_tried *tried, const struct orr_tried_effect *effect,
                       struct orr_text *text)
{
    const uint32_t hosts = effect->hosts * tried->now.fused;
    orr_text_printf(text, "%s at %s on %u host%s ", orr_outcome_test_name(effect->test),
                    orr_outcome_size_name(effect->size), hosts, orr_plural(hosts));
    if (effect->after > 0)
        orr_text_printf(text, "gets %.3g instead of %.3g GB/s (%+.0f %%)", effect->after, effect->before,
                        100 * orr_outcome_change(effect->before, effect->after));
    else
        orr_text_puts(text, "no longer works");
}

/* "3 outcomes gain", or nothing for 0. */
static void add_count(struct orr_text *text, uint32_t count, const char *verb)
{
    if (count)
        orr_text_printf(text, "%u outcome%s %s%s", count, orr_plural(count), verb, count == 1 ? "s" : "");
}

void orr_tried_say(const struct orr_settings_tried *tried, uint32_t row, struct orr_text *text)
{
    const struct orr_tried *of = &tried->rows[row];
    orr_text_printf(text, "%s: ", of->settings);
    if (of->gains)
        say_effect(tried, &of->gain, text);
    if (of->gains && of->harms)
        orr_text_puts(text, ", but ");
    if (of->harms)
        say_effect(tried, &of->harm, text);
    if (of->gains + of->harms > (of->gains > 0) + (uint32_t)(of->harms > 0)) {
        orr_text_puts(text, "; ");
        add_count(text, of->gains, "gain");
        orr_text_puts(text, of->gains && of->harms ? " and " : "");
        add_count(text, of->harms, "lose");
    }
    orr_text_puts(text, ".");
}

void orr_settings_tried_write(const struct orr_settings_tried *tried, struct orr_text *text)
{
    enum { MIXED = 6, HARMFUL = 6 };
    uint32_t shown = 0;
    orr_text_printf(text, "%s (%u settings and pairs of them were tried%s).",
                    tried->helping ? "Settings that help here, as predicted"
                                   : "No setting that was tried helps here by more than 2 % without a loss elsewhere",
                    tried->tried, tried->all ? "" : "; the allowance for trials ended before all were");
    orr_outcomes_say_assumed(NULL, &tried->now, text);
    orr_text_puts(text, "\n");
    for (uint32_t i = 0; i < tried->helping; i++) {
        orr_text_puts(text, "  ");
        orr_tried_say(tried, i, text);
        orr_text_puts(text, "\n");
    }
    for (int harm = 0; harm < 2; harm++, shown = 0)
        for (uint32_t i = tried->helping; i < tried->count; i++) {
            if ((tried->rows[i].gains == 0) != harm || shown == (harm ? HARMFUL : MIXED))
                continue;
            if (!shown++)
                orr_text_puts(text, harm ? "\nSettings that only cost bandwidth:\n"
                                         : "\nSettings that help some operations and slow others down:\n");
            orr_text_puts(text, "  ");
            orr_tried_say(tried, i, text);
            orr_text_puts(text, "\n");
        }
}
