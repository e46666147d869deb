/* SPDX-License-Identifier: Apache-2.0 */
/* Every setting with extreme values in every release: whatever is given, an analysis comes out or a clear error, and
 * nothing that is undefined happens on the way (the sanitizers say). Each analysis is small, and together they stay
 * within a number of analyses, not a time. */
#include <stdlib.h>
#include <string.h>

#include "engine/cluster/cluster.h"
#include "tests/support/four_gpus.h"
#include "tests/support/orr_test.h"

static const char *const numbers[] = {"-1",
                                      "0",
                                      "1",
                                      "3",
                                      "2147483647",
                                      "-2147483648",
                                      "2147483648",
                                      "4294967295",
                                      "-4294967296",
                                      "9223372036854775807",
                                      "-9223372036854775807",
                                      "-9223372036854775808",
                                      "99999999999999999999",
                                      "0x7fffffffffffffff",
                                      "017777777777",
                                      "1e9",
                                      "-",
                                      " "};
static const char *const texts[] = {"^",
                                    ",",
                                    ",,,:::^^^",
                                    "allreduce:",
                                    ":Ring",
                                    "^^Ring",
                                    "Ring,Ring,Ring",
                                    "MAX:",
                                    "MAX:-1",
                                    "MAX:0",
                                    "MAX:2147483648",
                                    "MAX:99999999999999999999",
                                    "99999999999999999999 -1 9223372036854775807 -9223372036854775808 0 1",
                                    "SYS",
                                    "-99999999999999999999",
                                    "99999999999999999999",
                                    "\xff\xfe",
                                    "%s%n"};
enum { VALUES = sizeof numbers / sizeof numbers[0], MOST_ANALYSES = 6000 };
_Static_assert(sizeof texts / sizeof texts[0] == VALUES, "as many texts as numbers");

static struct orr_dump *dump;
static unsigned analyses, refused;
static const struct orr_release *releases;
static uint32_t release_count;

static const char *value_of(enum orr_setting setting, unsigned value)
{
    const struct orr_setting_info *info = orr_setting_info(setting);
    return info->kind == ORR_SETTING_INT ? numbers[value] : texts[value];
}

static void set_value(struct orr_settings *settings, enum orr_setting setting, unsigned value)
{
    struct orr_error err = {0};
    assert_ok(orr_settings_set(settings, orr_setting_name(setting), value_of(setting, value), &err), &err);
}

static void check(enum orr_code code, const struct orr_error *err)
{
    analyses++;
    if (code == ORR_OK)
        return;
    refused++;
    if (code != ORR_SETTING && code != ORR_UNSUPPORTED && code != ORR_INVALID)
        fail_msg("%s: %s", orr_code_name(code), err->text);
    assert_true(err->text[0]);
}

static void analyse(const struct orr_settings *settings, uint32_t hosts)
{
    static struct orr_query query;
    ORR_LOCAL(orr_analysis, analysis);
    struct orr_error err = {0};
    query = (struct orr_query){.settings = *settings, .hosts = hosts};
    enum orr_code code = orr_analyze(dump, &query, NULL, &analysis, &err);
    check(code, &err);
    if (code != ORR_OK)
        return;
    const struct orr_communicator *c = &analysis->communicator;
    assert_in_range(c->channel_count, 1, ORR_MAX_CHANNELS);
    assert_in_range(c->p2p_channels, 1, ORR_MAX_CHANNELS);
    assert_in_range(c->p2p_channels_per_peer, 1, ORR_MAX_CHANNELS);
}

static void analyse_cluster(const struct orr_settings *settings)
{
    const struct orr_fabric fabric = {.state = ORR_FABRIC_COMPLETED, .has_uuid = true, .uuid = {1, 2}, .clique = 3};
    const struct orr_cluster_line lines[2] = {{.dump = dump, .count = 2, .domain = "a", .fabric = &fabric},
                                              {.dump = dump, .count = 1, .domain = "b"}};
    const struct orr_cluster_request request = {.lines = lines, .line_count = 2, .settings = *settings};
    struct orr_cluster *cluster = NULL;
    struct orr_error err = {0};
    enum orr_code code = orr_cluster_analyze(&request, &cluster, &err);
    check(code, &err);
    if (code == ORR_OK)
        orr_cluster_free(cluster);
}

TEST(test_every_setting_says_what_is_outside)
{
    for (int s = 0; s < ORR_SETTING_COUNT; s++) {
        const struct orr_setting_info *info = orr_setting_info((enum orr_setting)s);
        assert_non_null(info->outside);
        assert_true(strlen(info->outside) > 10);
    }
}

static enum orr_code analyse_with(uint32_t hosts, const char *name, const char *value, struct orr_error *err)
{
    struct orr_query query = {.hosts = hosts};
    struct orr_analysis *analysis;
    *err = (struct orr_error){0};
    orr_settings_init(&query.settings, orr_release_find("2.30.7"));
    ORR_TRY(orr_settings_set(&query.settings, name, value, err));
    ORR_TRY(orr_analyze(dump, &query, NULL, &analysis, err));
    orr_analysis_free(analysis);
    return ORR_OK;
}

/* NCCL divides by these, and reads a table of levels at an index that may be negative. */
TEST(test_what_crashes_is_refused)
{
    struct orr_error err;
    assert_error(analyse_with(2, "NCCL_P2P_SCHEDULE_GROUP_SIZE", "0", &err), ORR_SETTING, &err, "divides");
    assert_error(analyse_with(2, "NCCL_P2P_PER_CHANNEL_NET_BW", "fast", &err), ORR_SETTING, &err, "divides");
    assert_ok(analyse_with(1, "NCCL_P2P_PER_CHANNEL_NET_BW", "0", &err), &err);
    assert_ok(analyse_with(2, "NCCL_P2P_PER_CHANNEL_NET_BW", "-1", &err), &err);
    assert_error(analyse_with(1, "NCCL_P2P_LEVEL", "2147483648", &err), ORR_SETTING, &err, "crashes");
    assert_ok(analyse_with(1, "NCCL_P2P_LEVEL", "2147483647", &err), &err);
    assert_ok(analyse_with(1, "NCCL_NET_GDR_LEVEL", "9223372036854775807", &err), &err);
}

/* A few of those sentences, by what comes out. */
TEST(test_what_is_outside)
{
    static const struct {
        enum orr_setting setting;
        const char *value, *same_as; /* same_as NULL means as if not given */
    } rows[] = {
        {ORR_SET_MAX_NCHANNELS, "2147483647", "64"},
        {ORR_SET_MAX_NCHANNELS, "9223372036854775807", "-1"}, /* all but the low 32 bits are lost */
        {ORR_SET_MAX_NCHANNELS, "-9223372036854775808", "0"},
        {ORR_SET_MAX_NCHANNELS, "-7", "1"},
        {ORR_SET_MAX_NCHANNELS, "-2", NULL},
        {ORR_SET_MIN_NCHANNELS, "4294967303", "7"},
        {ORR_SET_MIN_CTAS, "-1", NULL},
        {ORR_SET_MIN_CTAS, "4294967296", NULL},
        {ORR_SET_MAX_P2P_NCHANNELS, "-2", "1"},
        {ORR_SET_NCHANNELS_PER_NET_PEER, "0", NULL},
        {ORR_SET_NCHANNELS_PER_NET_PEER, "-2", NULL},
        {ORR_SET_WORK_ARGS_BYTES, "31", NULL},
        {ORR_SET_WORK_ARGS_BYTES, "-1", NULL},
        {ORR_SET_WORK_ARGS_BYTES, "47", "48"},
        {ORR_SET_P2P_PER_CHANNEL_NET_BW, "2147483647", "-1"},
        {ORR_SET_P2P_PER_CHANNEL_NET_BW, "4294967310", "14"},
        {ORR_SET_P2P_MAX_PEERS, "9223372036854775807", NULL},
        {ORR_SET_P2P_MAX_PEERS, "64", NULL},
        {ORR_SET_P2P_MAX_PEERS, "0", NULL},
        {ORR_SET_MAX_NCHANNELS, "99999999999999999999", NULL},
        {ORR_SET_NTHREADS, "100", "512"},
        {ORR_SET_LL128_NTHREADS, "32", "160"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct orr_query queries[2];
        struct orr_analysis *answers[2];
        struct orr_error err = {0};
        for (int side = 0; side < 2; side++) {
            const char *value = side ? rows[i].same_as : rows[i].value;
            queries[side] = (struct orr_query){.hosts = 2};
            orr_settings_init(&queries[side].settings, orr_release_find("2.30.7"));
            if (value)
                assert_ok(orr_settings_set(&queries[side].settings, orr_setting_name(rows[i].setting), value, &err),
                          &err);
            assert_ok(orr_analyze(dump, &queries[side], NULL, &answers[side], &err), &err);
        }
        const struct orr_communicator *a = &answers[0]->communicator, *b = &answers[1]->communicator;
        assert_int_equal(a->channel_count, b->channel_count);
        assert_int_equal(a->p2p_channels, b->p2p_channels);
        assert_int_equal(a->p2p_channels_per_peer, b->p2p_channels_per_peer);
        assert_memory_equal(answers[0]->tuning.max_threads, answers[1]->tuning.max_threads,
                            sizeof answers[0]->tuning.max_threads);
        orr_analysis_free(answers[0]);
        orr_analysis_free(answers[1]);
    }
}

/* Each setting filled to the last character, one character more refused, and none changed by what is set beside it. */
TEST(test_room_for_texts)
{
    static struct orr_settings settings, other;
    static char longest[ORR_SETTING_COUNT][ORR_ROOM_FOR_LIST + 1];
    unsigned lists = 0;
    orr_settings_init(&settings, orr_release_default());
    orr_settings_init(&other, orr_release_default());
    for (int s = 0; s < ORR_SETTING_COUNT; s++) {
        struct orr_error err = {0};
        const char *name = orr_setting_name((enum orr_setting)s);
        size_t length = 0;
        while (length < ORR_ROOM_FOR_LIST &&
               orr_settings_set(&settings, name, memset(longest[s], 'A' + s % 26, length + 1), NULL) == ORR_OK)
            length++;
        assert_true(length == ORR_ROOM_FOR_WORD - 1 || length == ORR_ROOM_FOR_LIST - 1);
        assert_int_equal(orr_settings_set(&settings, name, longest[s], &err), ORR_SETTING);
        assert_non_null(strstr(err.text, name));
        longest[s][length] = '\0';
        lists += length == ORR_ROOM_FOR_LIST - 1;
    }
    assert_in_range(lists, 1, ORR_SETTING_COUNT - 1);
    for (int s = 0; s < ORR_SETTING_COUNT; s++) {
        assert_string_equal(orr_setting_text(&settings, (enum orr_setting)s), longest[s]);
        assert_null(orr_setting_text(&other, (enum orr_setting)s));
        assert_false(orr_setting_texts_equal(&settings, &other, (enum orr_setting)s));
        orr_settings_take(&other, (enum orr_setting)s, &settings);
        assert_true(orr_setting_texts_equal(&settings, &other, (enum orr_setting)s));
        assert_int_equal(orr_setting_int(&other, (enum orr_setting)s), orr_setting_int(&settings, (enum orr_setting)s));
    }
}

/* All settings at once, which meets each in the company of the others. */
TEST(test_all_at_once)
{
    for (uint32_t r = 0; r < release_count; r++)
        for (unsigned v = 0; v < VALUES; v++) {
            static struct orr_settings settings;
            orr_settings_init(&settings, &releases[r]);
            for (int s = 0; s < ORR_SETTING_COUNT; s++)
                set_value(&settings, (enum orr_setting)s, v);
            analyse(&settings, 1 + v % 3);
            if (v % 4 == r % 4)
                analyse_cluster(&settings);
        }
}

/* Each setting by itself: of all triples of release, setting and value as many as are allowed for, spread so that every
 * two of the three meet. */
TEST(test_one_by_one)
{
    uint32_t number = 0, stride = release_count * ORR_SETTING_COUNT * VALUES / MOST_ANALYSES + 1;
    while (stride > 1 && (VALUES % stride == 0 || ORR_SETTING_COUNT % stride == 0 || release_count % stride == 0))
        stride++;
    for (uint32_t r = 0; r < release_count; r++)
        for (int s = 0; s < ORR_SETTING_COUNT; s++)
            for (unsigned v = 0; v < VALUES; v++) {
                static struct orr_settings settings;
                if (number++ % stride || !orr_setting_in((enum orr_setting)s, &releases[r]))
                    continue;
                orr_settings_init(&settings, &releases[r]);
                set_value(&settings, (enum orr_setting)s, v);
                analyse(&settings, 2);
            }
    print_message("%u analyses, %u refused\n", analyses, refused);
    assert_true(analyses > refused * 2);
}

void before_all(void)
{
    struct orr_error err = {0};
    releases = orr_releases(&release_count);
    assert_ok(orr_dump_read(MACHINE, strlen(MACHINE), NULL, &dump, &err), &err);
}

void after_all(void)
{
    orr_dump_free(dump);
}
