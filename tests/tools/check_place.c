/* SPDX-License-Identifier: Apache-2.0 */
/* Compares engine/place with brute force: every set of GPUs analysed by itself, without a memo, as `orrery predict
 * --gpus` does. It tries sets of every size, on one host and on two, for every machine of up to 8 GPUs among the files
 * and COUNT random machines.
 *
 *     check_place [--every N] [--random COUNT] [--seed S] [--release R] FILE...
 *
 * --every N takes every Nth question, a question being a machine, a size and a number of hosts. Compared are the order
 * of the answer, the bandwidth of every set in it, how many sets share it, what stays free, and the bound; and of
 * several jobs the packing of all sets with that of some, and with its bound. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/expect/expect.h"
#include "engine/place/bits.h"
#include "engine/place/placing.h"
#include "engine/release/release.h"
#include "engine/search/memo.h"
#include "tests/property/each_machine.h"

enum { MOST_GPUS_HERE = 8, SETS = 1 << MOST_GPUS_HERE };

static struct {
    unsigned long machines, questions, sets, packings, packed_best, wrong, asked;
} counts;
static unsigned long every = 1;
static const char *release = "2.27.7";
static const uint64_t size = UINT64_C(1) << 30;

static void wrong(const char *name, uint32_t count, uint32_t hosts, const char *what, double got, double expected)
{
    fprintf(stderr, "%s, %u GPUs on %u hosts: %s is %.9g, not %.9g\n", name, count, hosts, what, got, expected);
    counts.wrong++;
}

/* The plain answer for one set; 0 if there is none. */
static double plain(const struct orr_dump *dump, orr_bits gpus, uint32_t hosts)
{
    char list[64];
    size_t length = 0;
    struct orr_query query = {.hosts = hosts, .plan = true};
    ORR_LOCAL(orr_analysis, analysis);
    struct orr_expectation *expectation;
    struct orr_expected expected;
    double busbw = 0;
    orr_settings_init(&query.settings, orr_release_find(release));
    for (uint32_t g = 0; g < MOST_GPUS_HERE; g++)
        if (gpus >> g & 1)
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%u", length ? "," : "", g);
    query.settings.gpus = list;
    counts.sets++;
    if (orr_analyze(dump, &query, NULL, &analysis, NULL) != ORR_OK)
        return 0;
    if (orr_expectation_new(analysis, ORR_TEST_ALL_REDUCE, &expectation, NULL) == ORR_OK) {
        busbw = orr_expect(expectation, size, &expected) ? expected.bus_bw : 0;
        orr_expectation_free(expectation);
    }
    return busbw;
}

static double lazily(const struct orr_dump *dump, double *scores, orr_bits gpus, uint32_t hosts)
{
    if (isnan(scores[gpus]))
        scores[gpus] = plain(dump, gpus, hosts);
    return scores[gpus];
}

/* The best of the sets of that size within `free`; 0 if there is none. */
static double best_within(const struct orr_dump *dump, double *scores, orr_bits free, uint32_t count, uint32_t hosts)
{
    double best = 0;
    for (orr_bits set = 1; set < SETS; set++)
        if (!(set & ~free) && orr_bit_count(set) == count)
            best = fmax(best, lazily(dump, scores, set, hosts));
    return best;
}

static bool comes_first(const struct orr_place_choice *a, const struct orr_place_choice *b)
{
    if (a->score.busbw != b->score.busbw)
        return a->score.busbw > b->score.busbw;
    if (a->left_next != b->left_next)
        return a->left_next > b->left_next;
    return a->left_busbw >= b->left_busbw;
}

static void check_answer(const char *name, const struct orr_dump *dump, double *scores,
                         const struct orr_placing *placing, uint32_t hosts)
{
    const uint32_t count = placing->request.count, gpus = orr_scores_about(placing->scores)->gpu_count;
    const orr_bits all = (UINT64_C(1) << gpus) - 1;
    uint64_t listed = 0;
    double best = best_within(dump, scores, all, count, hosts);
    if (!placing->exact || placing->scored != orr_choices(gpus, count))
        wrong(name, count, hosts, "the number of sets compared", (double)placing->scored, (double)placing->sets);
    if (!placing->best_count || placing->best[0].score.busbw != best)
        wrong(name, count, hosts, "the best bandwidth", placing->best_count ? placing->best[0].score.busbw : 0, best);
    for (uint32_t i = 0; i < placing->best_count; i++) {
        const struct orr_place_choice *choice = &placing->best[i];
        const orr_bits left = all & ~choice->score.gpus;
        listed += choice->same;
        if (i && !comes_first(&placing->best[i - 1], choice))
            wrong(name, count, hosts, "the order at entry", i, i - 1.0);
        if (choice->score.busbw != lazily(dump, scores, choice->score.gpus, hosts))
            wrong(name, count, hosts, "a set's bandwidth", choice->score.busbw, scores[choice->score.gpus]);
        if (choice->left != left || choice->left_busbw != (left ? lazily(dump, scores, left, hosts) : 0))
            wrong(name, count, hosts, "the bandwidth of what stays free", choice->left_busbw, scores[left]);
        if (choice->left_next != best_within(dump, scores, left, count, hosts))
            wrong(name, count, hosts, "that of a further job", choice->left_next,
                  best_within(dump, scores, left, count, hosts));
    }
    if (placing->best_count < placing->request.top && listed != placing->sets)
        wrong(name, count, hosts, "the sum of same", (double)listed, (double)placing->sets);
}

static void check_bound(const char *name, const struct orr_placing *placing, uint32_t hosts)
{
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_placing copy = *placing;
    struct orr_place_work work = {.placing = &copy, .arena = arena};
    struct orr_error err = {0};
    double bound = 0;
    if (!arena || orr_place_bound(&work, copy.request.count, &bound, &err) != ORR_OK)
        wrong(name, placing->request.count, hosts, err.text, 0, 0);
    else if (bound > 0 && placing->best_count && placing->best[0].score.busbw > bound)
        wrong(name, placing->request.count, hosts, "more than its bound: it", placing->best[0].score.busbw, bound);
}

static void check_question(const char *name, const struct orr_dump *dump, double *scores, struct orr_scores *scorer,
                           uint32_t count, uint32_t hosts)
{
    const uint32_t gpus = orr_scores_about(scorer)->gpu_count;
    const struct orr_place_request request = {.count = count, .free = (UINT64_C(1) << gpus) - 1, .top = ORR_MOST_BEST};
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_placing *placing;
    struct orr_error err = {0};
    counts.questions++;
    if (orr_place(scorer, &request, arena, &placing, &err) != ORR_OK) {
        if (plain(dump, request.free, hosts) > 0) /* else the plain analysis has no answer either */
            wrong(name, count, hosts, err.text, 0, 0);
    } else {
        check_answer(name, dump, scores, placing, hosts);
        check_bound(name, placing, hosts);
    }
}

static uint32_t predicted_jobs(const struct orr_placing *placing)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < placing->request.job_count; j++)
        count += placing->packed[j].busbw > 0;
    return count;
}

/* Several jobs: the packing of all sets, that of some, and the bound, which lie in this order. */
static void check_jobs(const char *name, struct orr_scores *scorer, const char *jobs, bool worst, uint32_t hosts)
{
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_placing all = {.scores = scorer, .request = {.worst = worst}}, some;
    struct orr_place_work of_all = {.placing = &all, .arena = arena}, of_some = {.placing = &some, .arena = arena};
    struct orr_error err = {0};
    all.request.free = orr_first_subset(orr_scores_about(scorer)->gpu_count);
    bool read = arena && orr_place_jobs_read(jobs, &all.request, &err) == ORR_OK;
    some = all;
    counts.questions++;
    if (!read || orr_place_pack(&of_all, &err) != ORR_OK || orr_place_pack_some(&of_some, &err) != ORR_OK) {
        wrong(name, 0, hosts, err.text, 0, 0);
    } else {
        const double best = worst ? all.worst : all.total, found = worst ? some.worst : some.total, part = 1 + 1e-9;
        orr_bits taken = 0;
        counts.packings++;
        counts.packed_best += found * part >= best;
        if (found > best * part)
            wrong(name, all.request.job_count, hosts, "a packing of some sets", found, best);
        if (some.bound > 0 && best > some.bound * part && (!worst || predicted_jobs(&all) >= predicted_jobs(&some)))
            wrong(name, all.request.job_count, hosts, "more than the bound of its jobs: it", best, some.bound);
        for (uint32_t j = 0; j < some.request.job_count; j++) {
            if (some.packed[j].gpus & taken || some.packed[j].count != some.request.jobs[j])
                wrong(name, all.request.job_count, hosts, "the size of a job", some.packed[j].count, j);
            taken |= some.packed[j].gpus;
        }
    }
}

static bool check_machine(const char *name, const struct orr_dump *dump)
{
    uint32_t gpus = 0;
    for (uint32_t e = 0; e < dump->element_count; e++)
        gpus += dump->elements[e].kind == ORR_ELEMENT_GPU && orr_element_text(dump, e, ORR_ATTR_RANK);
    if (!gpus || gpus > MOST_GPUS_HERE)
        return false;
    counts.machines++;
    for (uint32_t hosts = 1; hosts <= 2; hosts++) {
        double scores[SETS];
        struct orr_score_question question = {.test = ORR_TEST_ALL_REDUCE, .size = size, .host_counts = 1};
        struct orr_scores *scorer = NULL;
        question.hosts[0] = (struct orr_place_hosts){.hosts = hosts, .weight = 1};
        orr_settings_init(&question.settings, orr_release_find(release));
        for (orr_bits set = 0; set < SETS; set++)
            scores[set] = NAN;
        if (orr_scores_new(dump, &question, &scorer, NULL) != ORR_OK)
            continue;
        for (uint32_t count = 1; count <= gpus; count++)
            if (counts.asked++ % every == 0)
                check_question(name, dump, scores, scorer, count, hosts);
        static const char *const jobs[] = {"2,2", "4,2,2", "3,2,1", "2,2,2,2"};
        static const uint32_t taken[] = {4, 8, 6, 8};
        for (size_t i = 0; i < 2 * sizeof jobs / sizeof jobs[0]; i++)
            if (taken[i / 2] <= gpus && counts.asked++ % every == 0)
                check_jobs(name, scorer, jobs[i / 2], i & 1, hosts);
        orr_scores_free(scorer);
    }
    return true;
}

int main(int count, char **arguments)
{
    unsigned long random = 0;
    uint64_t seed = 1;
    int i = 1;
    for (; i + 1 < count && !strncmp(arguments[i], "--", 2); i += 2) {
        const char *value = arguments[i + 1];
        if (!strcmp(arguments[i], "--release"))
            release = value;
        else if (!strcmp(arguments[i], "--every"))
            every = strtoul(value, NULL, 10);
        else if (!strcmp(arguments[i], "--random"))
            random = strtoul(value, NULL, 10);
        else if (!strcmp(arguments[i], "--seed"))
            seed = strtoull(value, NULL, 10);
        else
            return 2;
    }
    every = every ? every : 1;
    for (; i < count; i++)
        counts.wrong += !check_machine_of_file(arguments[i], check_machine);
    check_random_machines(random, seed, MOST_GPUS_HERE, check_machine);
    printf("%lu machines, %lu questions, %lu sets analysed by themselves: %lu differences; %lu of %lu packings of some "
           "sets are the best of all\n",
           counts.machines, counts.questions, counts.sets, counts.wrong, counts.packed_best, counts.packings);
    return counts.wrong || !counts.questions;
}
