/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of GPUs: what another order of ranks gives, NICs to choose, several jobs, budgets, and what cannot be asked.
 * tests/tools/check_place.c holds the answers against brute force. */
#include "engine/place/place.h"

#include <math.h>
#include <stdlib.h>

#include "engine/base/budget.h"
#include "engine/base/clock.h"
#include "engine/place/bits.h"
#include "engine/release/release.h"
#include "engine/report/answers_text.h"
#include "tests/support/four_gpus.h"

static struct orr_dump *dump;
static struct orr_scores *scores;
static struct orr_arena *arena;
static struct orr_error err;

void after_each(void)
{
    orr_scores_free(scores);
    orr_dump_free(dump);
    orr_arena_free(arena);
    scores = NULL;
    dump = NULL;
    arena = NULL;
}

static void load(const char *file)
{
    enum { MOST = 1 << 20 };
    static char bytes[MOST];
    after_each();
    err = (struct orr_error){0};
    FILE *stream = fopen(file, "rb");
    assert_non_null(stream);
    size_t length = fread(bytes, 1, MOST, stream);
    fclose(stream);
    arena = orr_arena_new(0);
    assert_ok(orr_dump_read(bytes, length, NULL, &dump, &err), &err);
}

static struct orr_score_question question_on(const char *hosts)
{
    struct orr_score_question question = {.test = ORR_TEST_ALL_REDUCE, .size = UINT64_C(1) << 30};
    orr_settings_init(&question.settings, orr_release_find("2.27.7"));
    assert_ok(orr_place_hosts_read(hosts, &question, &err), &err);
    return question;
}

static void ask(const struct orr_score_question *question)
{
    orr_scores_free(scores);
    scores = NULL;
    assert_ok(orr_scores_new(dump, question, &scores, &err), &err);
}

static orr_bits all_gpus(void)
{
    return orr_first_subset(orr_scores_about(scores)->gpu_count);
}

static const struct orr_placing *place(struct orr_place_request request)
{
    struct orr_placing *placing;
    request.free = request.free ? request.free : all_gpus();
    request.top = request.top ? request.top : 5;
    assert_ok(orr_place(scores, &request, arena, &placing, &err), &err);
    return placing;
}

static double score_of(orr_bits gpus)
{
    struct orr_score score;
    assert_ok(orr_scores_of(scores, gpus, &score, &err), &err);
    return score.busbw;
}

TEST(test_orders)
{
    const orr_bits chain = 1 << 0 | 1 << 2 | 1 << 4 | 1 << 5; /* NVLinks 2-0-4-5: no ring without another hop */
    struct orr_score score;
    load("static/examples/v100-cube-mesh.xml");
    struct orr_score_question question = question_on("1");
    ask(&question);
    double by_number = score_of(chain);
    question.orders = true;
    ask(&question);
    assert_ok(orr_scores_of(scores, chain, &score, &err), &err);
    assert_true(score.busbw > by_number * 1.3);
    assert_int_equal(score.count, 4);
    assert_false(score.order[0] < score.order[1] && score.order[1] < score.order[2] && score.order[2] < score.order[3]);
    assert_true(score_of(15) >= 79); /* if the order of the numbers is as good, it stays */
    assert_ok(orr_scores_of(scores, 15, &score, &err), &err);
    for (uint8_t i = 0; i < 4; i++)
        assert_int_equal(score.order[i], i);
}

TEST(test_hosts_and_weights)
{
    load("static/examples/aws-p4d.xml");
    struct orr_score_question question = question_on("1:3,2:1");
    struct orr_score score;
    ask(&question);
    assert_ok(orr_scores_of(scores, 0x0f, &score, &err), &err);
    double expected = 4 / (3 / score.by_hosts[0].busbw + 1 / score.by_hosts[1].busbw);
    assert_true(fabs(score.busbw - expected) < 1e-9 * expected);
    assert_int_equal(score.missing, 0);
    assert_ok(orr_scores_of(scores, 1, &score, &err), &err); /* one GPU: two hosts alone count */
    assert_true(score.by_hosts[0].busbw == 0 && score.busbw == score.by_hosts[1].busbw && score.missing == 0);
    question = question_on("1");
    ask(&question);
    const struct orr_placing *placing = place((struct orr_place_request){.count = 1});
    assert_true(placing->best[0].score.busbw == 0 && placing->best[0].same == 8);
    assert_string_equal(placing->sentence, "Take GPU 0: one GPU on one host exchanges no data, so any GPU will do.");
}

TEST(test_choosing_nics)
{
    load("static/examples/aws-p4d.xml");
    struct orr_score_question question = question_on("2");
    struct orr_score all, some;
    ask(&question);
    assert_ok(orr_scores_of(scores, 0x17, &all, &err), &err);
    question.nic_count = 2;
    ask(&question);
    assert_ok(orr_scores_of(scores, 0x17, &some, &err), &err);
    assert_int_equal(orr_bit_count(some.nics), 2);
    assert_true(some.busbw > 0 && some.busbw < all.busbw);
    double best = 0; /* every pair by its names, as --nics lists them */
    for (orr_bits pair = 3; pair; pair = orr_next_subset(pair, orr_scores_about(scores)->port_count)) {
        char list[200];
        uint32_t a = orr_lowest_bit(pair), b = orr_lowest_bit(pair & (pair - 1));
        struct orr_scores *kept = scores;
        snprintf(list, sizeof list, "=%s,%s", orr_scores_nic(scores, a), orr_scores_nic(scores, b));
        struct orr_score_question one = question_on("2");
        one.settings.nics = list;
        scores = NULL;
        ask(&one);
        best = fmax(best, score_of(0x17));
        orr_scores_free(scores);
        scores = kept;
    }
    assert_true(some.busbw == best);
}

/* The best disjoint sets, by trying them. */
static void try_jobs(const struct orr_place_request *request, uint32_t job, orr_bits free, double total, double worst,
                     double best[2])
{
    if (job == request->job_count) {
        best[0] = fmax(best[0], total);
        best[1] = fmax(best[1], worst);
        return;
    }
    for (orr_bits set = 1; set <= free; set++)
        if (!(set & ~free) && orr_bit_count(set) == request->jobs[job]) {
            double busbw = score_of(set);
            try_jobs(request, job + 1, free & ~set, total + busbw, fmin(worst, busbw), best);
        }
}

TEST(test_several_jobs)
{
    static const char *const lists[] = {"4,2,2", "2,2,2", "3,2,1", "5,3", "2,2,4"};
    load("static/examples/v100-cube-mesh.xml");
    struct orr_score_question question = question_on("2");
    ask(&question);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        for (int worst = 0; worst < 2; worst++) {
            struct orr_place_request request = {.worst = worst};
            double best[2] = {0};
            assert_ok(orr_place_jobs_read(lists[i], &request, &err), &err);
            const struct orr_placing *placing = place(request);
            try_jobs(&request, 0, all_gpus(), 0, INFINITY, best);
            double got = worst ? placing->worst : placing->total;
            if (fabs(got - best[worst]) > 1e-9 * best[worst])
                fail_msg("%s by %s: %.9g, not %.9g", lists[i], orr_pack_word((size_t)worst), got, best[worst]);
            orr_bits taken = 0;
            for (uint32_t j = 0; j < request.job_count; j++) {
                assert_int_equal(placing->packed[j].count, request.jobs[j]);
                assert_true((taken & placing->packed[j].gpus) == 0);
                taken |= placing->packed[j].gpus;
            }
        }
}

/* GPUs behind one CPU with two NICs, each third at half the speed; more than can all be compared. */
static void make_many(uint32_t gpus, const char *nvlinks)
{
    ORR_LOCAL_TEXT(xml, 1 << 20);
    after_each();
    err = (struct orr_error){0};
    arena = orr_arena_new(0);
    orr_text_puts(&xml, "<system version=\"1\"><cpu numaid=\"0\" host_hash=\"0x1\" " X86_INTEL ">");
    for (uint32_t g = 0; g < gpus; g++)
        orr_text_printf(&xml,
                        "<pci busid=\"0000:%02x:00.0\" class=\"0x030200\" link_speed=\"%s\" "
                        "link_width=\"16\"><gpu dev=\"%u\" sm=\"80\" rank=\"%u\" gdr=\"1\">%s</gpu></pci>",
                        g + 1, g % 3 ? "16.0 GT/s PCIe" : "8.0 GT/s PCIe", g, g, nvlinks);
    for (uint32_t n = 0; n < 2; n++)
        orr_text_printf(&xml,
                        "<pci busid=\"0000:%02x:00.0\" class=\"0x020000\" link_speed=\"16.0 GT/s PCIe\" "
                        "link_width=\"16\"><nic><net name=\"mlx5_%u\" dev=\"%u\" speed=\"100000\" port=\"1\" "
                        "guid=\"0x%u\" maxconn=\"131072\" gdr=\"1\"/></nic></pci>",
                        0xc0 + n, n, n, n + 7);
    orr_text_puts(&xml, "</cpu></system>");
    assert_false(orr_text_failed(&xml));
    assert_ok(orr_dump_read(xml.data, xml.length, NULL, &dump, &err), &err);
}

TEST(test_more_than_all_can_be_compared)
{
    make_many(20, "");
    struct orr_score_question question = question_on("1");
    ask(&question);
    const struct orr_placing *placing = place((struct orr_place_request){.count = 3, .compared = 7});
    assert_false(placing->exact);
    assert_int_equal(placing->sets, 1140);
    assert_true(placing->scored > 20 && placing->scored < placing->sets);
    assert_true(placing->bound >= placing->best[0].score.busbw && placing->best[0].score.busbw > 0);
    assert_true(placing->best[0].score.busbw > placing->compared->score.busbw); /* GPU 0 has half the bandwidth */
    placing = place((struct orr_place_request){.count = 3, .free = 0xffff});    /* sixteen: all are */
    assert_true(placing->exact && placing->scored == 560);
    make_many(129, "");
    question = question_on("1");
    assert_error(orr_scores_new(dump, &question, &scores, &err), ORR_LIMIT, &err, "128 GPUs");
}

/* A time limit allows this much work as usually takes a quarter of it. Settled: however long that takes here. */
static const struct orr_placing *place_within(uint64_t time_ns, struct orr_place_request request)
{
    struct orr_budget budget = {.time_ns = time_ns, .settled = true};
    orr_budget_begin(&budget);
    const struct orr_placing *placing = place(request);
    orr_budget_end();
    return placing;
}

TEST(test_answers_within_the_budget)
{
    const uint64_t little = UINT64_C(6) * 1000000000, enough = UINT64_C(3600) * 1000000000;
    const struct orr_place_request eight = {.count = 8, .free = 0xffff}, three = {.count = 3, .free = 0xffff};
    make_many(16, "");
    struct orr_score_question question = question_on("1");
    ask(&question);
    const struct orr_placing *first = place_within(little, eight), *again = place_within(little, eight);
    assert_false(first->exact);
    assert_true(first->scored > 0 && first->scored < 12870 && first->bound >= first->best[0].score.busbw);
    assert_int_equal(again->scored, first->scored); /* kept scores do not make the answer another one */
    assert_true(place_within(enough, three)->exact);
    load("static/examples/v100-cube-mesh.xml");
    question = question_on("1,2");
    ask(&question);
    assert_true(place_within(little, (struct orr_place_request){.count = 4})->exact); /* of 8 GPUs, all sets always */
    struct orr_budget budget = (struct orr_budget){0};
    ask(&question);
    orr_budget_begin(&budget);
    orr_budget_stop(&budget, ORR_SPENT_CLIENT);
    struct orr_placing *none;
    struct orr_place_request request = {.count = 4, .free = all_gpus(), .top = 5};
    assert_true(orr_place(scores, &request, arena, &none, &err) != ORR_OK);
    orr_budget_end();
}

/* Disjoint sets of the sizes that were asked for, of which the slowest and the sum are as stated. */
static void assert_packed(const struct orr_placing *placing)
{
    orr_bits taken = 0;
    double total = 0, worst = INFINITY;
    for (uint32_t j = 0; j < placing->request.job_count; j++) {
        const struct orr_score *job = &placing->packed[j];
        assert_int_equal(orr_bit_count(job->gpus), placing->request.jobs[j]);
        assert_true((taken & job->gpus) == 0 && (job->gpus & ~placing->request.free) == 0);
        assert_true(job->busbw == score_of(job->gpus));
        taken |= job->gpus;
        total += job->busbw;
        worst = fmin(worst, job->busbw);
    }
    assert_true(fabs(placing->total - total) <= 1e-9 * total && placing->worst == worst);
    assert_true(placing->scored > 0 && placing->scored <= placing->sets);
    assert_true((placing->request.worst ? placing->worst : placing->total) <= placing->bound * (1 + 1e-9));
}

static const struct orr_placing *pack(const char *jobs, bool worst, uint64_t time_ns)
{
    struct orr_place_request request = {.worst = worst};
    assert_ok(orr_place_jobs_read(jobs, &request, &err), &err);
    return time_ns ? place_within(time_ns, request) : place(request);
}

/* With more than 16 free GPUs, or too little time for all sets, jobs get a good choice, and a bound on all others. */
TEST(test_several_jobs_of_many_gpus)
{
    struct orr_score_question question = question_on("1");
    ORR_LOCAL_TEXT(text, 1 << 16);
    make_many(20, "");
    ask(&question);
    const double best_of_four = place((struct orr_place_request){.count = 4})->best[0].score.busbw;
    const struct orr_placing *placing = pack("4,4,2", true, 0); /* thirteen GPUs are fast */
    assert_packed(placing);
    assert_true(placing->worst == best_of_four);
    orr_report_placing(&(struct orr_page){.text = &text, .width = 120}, placing, false);
    assert_non_null(strstr(text.data, " sets were compared; no choice gets more than "));
    assert_packed(pack("8,7,5", false, 0)); /* all GPUs are taken */
    placing = pack("2,2", false, 0);        /* all pairs are compared, so the bound is what a pair gets */
    assert_packed(placing);
    assert_true(placing->exact && placing->total >= placing->bound);
    make_many(16, "");
    ask(&question);
    const uint64_t little = UINT64_C(1) * 1000000000;
    placing = pack("8,4", false, little);
    assert_packed(placing);
    assert_true(placing->scored < placing->sets);
    assert_true(pack("8,4", false, little)->total == placing->total);
}

/* An NVLink domain of 72 GPUs, as one dump shows it: more GPUs than a machine word has bits. */
TEST(test_seventy_two_gpus)
{
    const orr_bits upper = orr_first_subset(72) & ~orr_first_subset(60);
    struct orr_score_question question = question_on("1");
    make_many(72, "<nvlink target=\"fffffff:ffff:ff\" count=\"12\" tclass=\"0x068000\"/>");
    ask(&question);
    assert_int_equal(orr_scores_about(scores)->gpu_count, 72);
    const struct orr_placing *placing = place((struct orr_place_request){.count = 4, .free = upper});
    assert_true(placing->exact && placing->scored == 495); /* of twelve free GPUs */
    assert_true((placing->best[0].score.gpus & ~upper) == 0 && placing->best[0].score.order[0] >= 60);
    assert_true(placing->best[0].score.busbw == score_of(orr_first_subset(4)));
    const uint64_t second = 1000000000;
    placing = place_within(second, (struct orr_place_request){.count = 36});
    assert_false(placing->exact);
    assert_true(placing->sets == ORR_MOST_CHOICES && placing->scored > 0);
    assert_true(placing->bound >= placing->best[0].score.busbw && placing->best[0].score.busbw > 0);
    placing = pack("36,18,16,2", true, second);
    assert_packed(placing);
    assert_int_equal(orr_bit_count(placing->packed[0].gpus | placing->packed[1].gpus | placing->packed[2].gpus |
                                   placing->packed[3].gpus),
                     72);
}

static void assert_refused(struct orr_place_request request, const char *where, const char *words)
{
    struct orr_placing *placing;
    err = (struct orr_error){0};
    request.top = 5;
    assert_error(orr_place(scores, &request, arena, &placing, &err), ORR_SETTING, &err, words);
    assert_string_equal(err.where, where);
}

TEST(test_what_cannot_be_asked)
{
    static const char *const hosts[] = {"",   "0", "2,2", "1:0", "1:", "x", "1,", "-1", "16385", "1,2,3,4,5,6,7,8,9",
                                        "2;3"};
    static const char *const jobs[] = {"", "0", "4,", "4,,2", "129", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "4 2"};
    static const char *const lists[] = {"", "0,0", "8", "0,8", "0,", "-1", "gpu", "0000:ff:00.0", "1000000000000"};
    struct orr_score_question question = {0};
    struct orr_place_request request;
    orr_bits gpus;
    err = (struct orr_error){0};
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++, err = (struct orr_error){0})
        assert_error(orr_place_hosts_read(hosts[i], &question, &err), ORR_SETTING, &err, "hosts cannot be");
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++, err = (struct orr_error){0})
        assert_error(orr_place_jobs_read(jobs[i], &request, &err), ORR_SETTING, &err, "jobs cannot be");
    load("static/examples/aws-p4d.xml");
    question = question_on("2");
    ask(&question);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++, err = (struct orr_error){0}) {
        assert_error(orr_place_gpus_read(scores, "free", lists[i], &gpus, &err), ORR_SETTING, &err, "free: ");
        assert_string_equal(err.where, "free");
    }
    assert_refused((struct orr_place_request){.count = 9, .free = 0xff}, "count", "9 GPUs are needed, and 8 free");
    assert_refused((struct orr_place_request){.count = 1}, "count", "1 GPU is needed, and 0 free");
    assert_refused((struct orr_place_request){0}, "free", "no GPU is free");
    assert_refused((struct orr_place_request){.count = 2, .free = 0x0f, .compared = 0x30}, "compare",
                   "GPU 4 of compare is not free");
    assert_refused((struct orr_place_request){.count = 2, .free = 0x0f, .compared = 7}, "compare",
                   "compare names 3 GPUs");
    assert_refused((struct orr_place_request){.jobs = {4, 4, 1}, .job_count = 3, .free = 0xff}, "jobs",
                   "9 GPUs are needed, and 8 free");
}
