/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of hosts: what is found is as good as the best of all permutations, never worse than the present order, and
 * what is said about it is true. */
#include "engine/order/order.h"

#include "tests/support/four_gpus.h"

enum { MOST_HOSTS = 5 };

static struct orr_dump *dump, *slow, *far;
static struct orr_settings settings;
static struct orr_cluster *cluster;
static struct orr_order *order;
static struct orr_error err;

/* The machine with its first NIC at a quarter of the speed, and one with both at another socket. */
static char *altered(const char *from, const char *to)
{
    char *text = strdup(MACHINE), *at = strstr(text, from);
    memcpy(at, to, strlen(to));
    return text;
}

void before_each(void)
{
    char *text = altered("400000", "100000"), *other = altered("sm=\"90\"", "sm=\"80\"");
    dump = read_text(MACHINE);
    slow = read_text(text);
    far = read_text(other);
    free(text);
    free(other);
    cluster = NULL;
    order = NULL;
    err = (struct orr_error){0};
    orr_settings_init(&settings, orr_release_find("2.27.7"));
}

static void release_answers(void)
{
    orr_order_free(order);
    orr_cluster_free(cluster);
    order = NULL;
    cluster = NULL;
}

void after_each(void)
{
    release_answers();
    orr_dump_free(dump);
    orr_dump_free(slow);
    orr_dump_free(far);
}

static struct orr_cluster *analyse(const struct orr_cluster_line *lines, uint32_t count, enum orr_rank_order ranks)
{
    struct orr_cluster *made = NULL;
    const struct orr_cluster_request request = {
        .lines = lines, .line_count = count, .order = ranks, .settings = settings, .plan = true};
    assert_ok(orr_cluster_analyze(&request, &made, &err), &err);
    return made;
}

static void find(const struct orr_cluster_line *lines, uint32_t count, enum orr_rank_order ranks,
                 struct orr_order_question question)
{
    release_answers();
    cluster = analyse(lines, count, ranks);
    question.present = cluster;
    assert_ok(orr_order_find(&question, &order, &err), &err);
}

/* The figure of an order that comes first: bandwidth, or the loads as what NICs have left. */
static double bandwidth_of(const struct orr_cluster *c, const struct orr_order_question *question)
{
    struct orr_expectation *expectation;
    struct orr_expected expected = {0};
    assert_ok(orr_expectation_new(c->analysis, question->test, &expectation, &err), &err);
    (void)orr_expect(expectation, question->size, &expected);
    orr_expectation_free(expectation);
    return expected.bus_bw;
}

static double worst_of(const struct orr_cluster *c, const struct orr_groups *groups, enum orr_group_kind kind)
{
    double worst = 0;
    for (uint32_t k = 0; k < groups->kind_count; k++)
        for (uint32_t i = 0; groups->kinds[k].kind == kind && i < groups->kinds[k].load_count; i++) {
            const struct orr_group_load *load = &groups->kinds[k].loads[i];
            const struct orr_system *built = &c->kinds[load->kind].analysis->built;
            const double time = load->most / (double)orr_system_node(built, ORR_NET, load->net)->net.bw;
            worst = time > worst ? time : worst;
        }
    return worst;
}

/* Above 0 if the loads of a are less, tensor groups first. */
static double loads_against(const struct orr_cluster *a, const double best[ORR_GROUP_KIND_COUNT], const char *text,
                            double own[ORR_GROUP_KIND_COUNT])
{
    static const enum orr_group_kind kinds[] = {ORR_GROUP_TP,  ORR_GROUP_CP, ORR_GROUP_EP,
                                                ORR_GROUP_EDP, ORR_GROUP_DP, ORR_GROUP_PP};
    struct orr_layout layout;
    ORR_LOCAL(orr_groups, groups);
    double verdict = 0;
    assert_ok(orr_layout_read(text, a->rank_count, &layout, &err), &err);
    assert_ok(orr_groups_analyze(a, &layout, &groups, &err), &err);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        own[k] = worst_of(a, groups, kinds[k]);
        if (!(verdict > 0 || verdict < 0))
            verdict = best[k] - own[k];
    }
    return verdict;
}

struct brute {
    const struct orr_order_question *question;
    double bandwidth, loads[ORR_GROUP_KIND_COUNT];
    uint32_t orders;
};

static void permute(struct brute *brute, struct orr_cluster_line *lines, uint32_t at, uint32_t count)
{
    for (uint32_t i = at; i < count; i++) {
        struct orr_cluster_line swap = lines[at];
        lines[at] = lines[i];
        lines[i] = swap;
        if (at + 1 < count) {
            permute(brute, lines, at + 1, count);
        } else {
            ORR_OWNED(orr_cluster) *one = analyse(lines, count, ORR_ORDER_BLOCK);
            double own[ORR_GROUP_KIND_COUNT];
            brute->orders++;
            if (!brute->question->layout) {
                const double got = bandwidth_of(one, brute->question);
                brute->bandwidth = got > brute->bandwidth ? got : brute->bandwidth;
            } else if (brute->orders == 1 || loads_against(one, brute->loads, brute->question->layout, own) > 0) {
                (void)loads_against(one, brute->loads, brute->question->layout, brute->loads);
            }
        }
        lines[i] = lines[at];
        lines[at] = swap;
    }
}

/* The answer for a cluster of single hosts against all their permutations. */
static void check_against_all(const struct orr_cluster_line *lines, uint32_t count, enum orr_rank_order ranks,
                              struct orr_order_question question)
{
    struct orr_cluster_line copy[MOST_HOSTS];
    struct brute brute = {.question = &question};
    memcpy(copy, lines, count * sizeof *copy);
    permute(&brute, copy, 0, count);
    question.keep_gpus = true;
    find(lines, count, ranks, question);
    assert_true(order->orders > 0 && order->tried == order->orders && order->orders <= brute.orders);
    if (!question.layout) {
        const double now = bandwidth_of(cluster, &question), best = now > brute.bandwidth ? now : brute.bandwidth;
        assert_true(order->now.bus_bw >= now && order->now.bus_bw <= now);
        assert_true(order->best.bus_bw >= best * (1 - 1e-9) && order->best.bus_bw <= best * (1 + 1e-9));
        question.keep_gpus = question.test != ORR_TEST_SENDRECV;
        if (!question.keep_gpus)
            find(lines, count, ranks, question);
        assert_true(order->best.bus_bw >= best * (1 - 1e-9));
        assert_true(order->bound >= order->best.bus_bw && order->bound >= best);
        return;
    }
    for (uint32_t k = 0; k < order->best.load_count && ranks == ORR_ORDER_BLOCK; k++) {
        const struct orr_order_load *load = &order->best.loads[k];
        static const uint32_t at[] = {[ORR_GROUP_TP] = 0,  [ORR_GROUP_CP] = 1, [ORR_GROUP_EP] = 2,
                                      [ORR_GROUP_EDP] = 3, [ORR_GROUP_DP] = 4, [ORR_GROUP_PP] = 5};
        const double time = load->bw > 0 ? load->rings / load->bw : 0, most = brute.loads[at[load->kind]];
        assert_true(time >= most * (1 - 1e-9) && time <= most * (1 + 1e-9));
    }
}

static struct orr_cluster_line host(const struct orr_dump *of, const char *domain)
{
    return (struct orr_cluster_line){.dump = of, .count = 1, .domain = domain};
}

TEST(the_best_of_all_permutations_is_found)
{
    static const struct orr_order_question questions[] = {
        {.test = ORR_TEST_ALL_REDUCE, .size = 4096},  {.test = ORR_TEST_SENDRECV, .size = 1 << 24},
        {.test = ORR_TEST_ALLTOALL, .size = 1 << 20}, {.test = ORR_TEST_ALL_REDUCE, .size = 1 << 30},
        {.test = ORR_TEST_ALLTOALL, .size = 1 << 30}, {.layout = "tp=4,order=tp-dp"},
        {.layout = "tp=2,pp=2,order=pp-tp-dp"},       {.layout = "tp=2,ep=2,order=tp-pp-dp"}};
    static const uint32_t pair[] = {0, 2};
    struct orr_cluster_line clusters[][3] = {{host(dump, NULL), host(slow, NULL), host(far, NULL)},
                                             {host(slow, "a"), host(dump, NULL), host(dump, "a")}};
    for (size_t c = 0; c < sizeof clusters / sizeof clusters[0]; c++)
        for (size_t q = 0; q < sizeof questions / sizeof questions[0]; q++)
            check_against_all(clusters[c], 3, q % 2 ? ORR_ORDER_CYCLIC : ORR_ORDER_BLOCK, questions[q]);
    orr_settings_init(&settings, orr_release_find("2.30.7"));
    struct orr_cluster_line four[] = {host(dump, "a"), host(dump, "b"), host(dump, "a"), host(dump, "b")};
    for (uint32_t l = 0; l < 4; l++) {
        four[l].gpus = pair;
        four[l].gpu_count = 2;
    }
    check_against_all(four, 4, ORR_ORDER_BLOCK, (struct orr_order_question){.layout = "tp=4,order=tp-dp"});
}

TEST(hosts_of_one_domain_come_together_for_tensor_groups)
{
    const struct orr_cluster_line lines[] = {host(dump, "a"), host(dump, "b"), host(dump, "a"), host(dump, "b")};
    find(lines, 4, ORR_ORDER_BLOCK, (struct orr_order_question){.layout = "tp=8,dp=2,order=tp-dp"});
    assert_true(order->better && order->by_prediction && order->proven);
    assert_true(order->now.loads[0].kind == ORR_GROUP_TP && order->now.loads[0].rings > 0);
    assert_true(order->best.loads[0].rings <= 0);
    assert_int_equal(order->orders, 3); /* abab, aabb, abba: the domains are equal */
    assert_int_equal(order->hosts[0], 0);
    assert_int_equal(order->hosts[1], 2);
    assert_non_null(strstr(order->sentence, "0 rings of tp groups instead of"));
}

TEST(interchangeable_hosts_have_one_order)
{
    const struct orr_cluster_line line = {.dump = dump, .count = 40};
    find(&line, 1, ORR_ORDER_BLOCK, (struct orr_order_question){.test = ORR_TEST_ALL_REDUCE, .size = 1 << 30});
    assert_true(!order->better && order->proven);
    assert_int_equal(order->orders, 1);
    assert_non_null(strstr(order->sentence, "as good as any"));
}

TEST(leaf_switches_count_where_predictions_are_equal)
{
    static const char *const leaves[] = {"l1", "l2", "l1", "l2", "l1"};
    const struct orr_cluster_line lines[] = {host(dump, NULL), host(dump, NULL), host(dump, NULL), host(dump, NULL),
                                             host(dump, NULL)};
    find(lines, 5, ORR_ORDER_BLOCK,
         (struct orr_order_question){.test = ORR_TEST_ALL_REDUCE, .size = 1 << 30, .leaves = leaves});
    assert_true(order->better && !order->by_prediction);
    assert_int_equal(order->now.leaf_changes, 4);
    assert_int_equal(order->best.leaf_changes, 2);
    assert_int_equal(order->least_leaf_changes, 2);
}

TEST(more_orders_than_tries_are_not_called_proven)
{
    struct orr_cluster_line lines[12];
    static const char *const domains[] = {"a", "b", "c"};
    for (uint32_t i = 0; i < 12; i++)
        lines[i] = host(i % 2 ? slow : dump, domains[i % 3]);
    find(lines, 12, ORR_ORDER_BLOCK, (struct orr_order_question){.layout = "tp=8,pp=2", .tries = 30});
    assert_int_equal(order->orders, 0);
    assert_true(order->tried <= 30 && order->tried > 6 && !order->proven && order->better);
    assert_true(order->best.loads[0].rings < order->now.loads[0].rings);
    assert_non_null(strstr(order->proof, "one of them may be better"));
    assert_true(order->bound <= 0);
    find(lines, 12, ORR_ORDER_BLOCK,
         (struct orr_order_question){.test = ORR_TEST_ALL_REDUCE, .size = 1 << 30, .tries = 10});
    assert_true(!order->proven && order->bound >= order->best.bus_bw && order->best.bus_bw > 0);
    assert_non_null(strstr(order->proof, " None gets more than "));
}

TEST(formats_say_the_same_order)
{
    static const char *const names[] = {"n0", "n1", "n2", "n3"};
    const struct orr_cluster_line lines[] = {host(dump, "a"), host(dump, "b"), host(dump, "a"), host(dump, "b")};
    static const char *const expected[] = {[2] = "n0\nn0\nn0\nn0\nn2\nn2\nn2\nn2\nn1\nn1\nn1\nn1\nn3\nn3\nn3\nn3\n",
                                           [3] = "n0 slots=4\nn2 slots=4\nn1 slots=4\nn3 slots=4\n",
                                           [4] = "rank 4=n2 slot="};
    find(lines, 4, ORR_ORDER_BLOCK, (struct orr_order_question){.layout = "tp=8,order=tp-dp"});
    for (size_t f = ORR_ORDER_TEXT + 1; orr_order_format_name(f); f++) {
        struct orr_text text;
        orr_text_init(&text, 1 << 16);
        assert_ok(orr_order_write(order, f, names, NULL, &text, &err), &err);
        if (expected[f])
            assert_non_null(strstr(text.data, expected[f]));
        orr_text_release(&text);
    }
    /* A hostfile cannot say that ranks go around the hosts. */
    const struct orr_cluster_line equal = {.dump = dump, .count = 2};
    find(&equal, 1, ORR_ORDER_CYCLIC, (struct orr_order_question){.test = ORR_TEST_ALL_REDUCE, .size = 1 << 30});
    struct orr_text text;
    orr_text_init(&text, 1 << 16);
    assert_false(order->better);
    assert_int_equal(orr_order_write(order, 3, names, NULL, &text, &err), ORR_INVALID);
    orr_text_release(&text);
    err = (struct orr_error){0};
}
