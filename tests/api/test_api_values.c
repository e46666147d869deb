/* SPDX-License-Identifier: Apache-2.0 */
/* Basic parts: numbers and texts in JSON, percent-encoding, ETags, Accept, cluster files. */
#include <stdlib.h>

#include "api/documents/cluster_file.h"
#include "api/documents/json.h"
#include "api/http/call.h"
#include "tests/support/orr_test.h"

static void assert_json(json_t *value, const char *expected)
{
    struct orr_json json = {0};
    ORR_LOCAL_TEXT(text, 1000);
    struct orr_error err = {0};
    assert_ok(orr_json_write(&json, value, false, &text, &err), &err);
    assert_string_equal(text.data, expected);
}

TEST(numbers_have_nine_significant_digits)
{
    struct orr_json json = {0};
    assert_json(orr_json_number(&json, 370.8f), "370.799988");
    assert_json(orr_json_number(&json, 0.1f), "0.100000001");
    assert_json(orr_json_number(&json, 48), "48");
    assert_json(orr_json_number(&json, -1), "-1");
    assert_json(orr_json_number(&json, 1.0 / 0.0), "null");
}

TEST(texts_that_are_no_utf8_are_mended)
{
    struct orr_json json = {0};
    assert_json(orr_json_text(&json, "a\xffg\xc3\xa4"), "\"a\xef\xbf\xbdg\xc3\xa4\"");
    assert_json(orr_json_text(&json, "\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    assert_json(orr_json_text(&json, "quote\" back\\"), "\"quote\\\" back\\\\\"");
    assert_json(orr_json_text(&json, NULL), "null");
    assert_false(json.failed);
}

TEST(percent_encoding_is_decoded_or_refused)
{
    ORR_LOCAL_ARENA(arena, 0);
    const char *text;
    assert_int_equal(orr_decode("a%20b+c%2F", 10, true, arena, &text, NULL), ORR_OK);
    assert_string_equal(text, "a b c/");
    assert_int_equal(orr_decode("a+b", 3, false, arena, &text, NULL), ORR_OK);
    assert_string_equal(text, "a+b");
    assert_int_not_equal(orr_decode("%", 1, true, arena, &text, NULL), ORR_OK);
    assert_int_not_equal(orr_decode("%4", 2, true, arena, &text, NULL), ORR_OK);
    assert_int_not_equal(orr_decode("%g0", 3, true, arena, &text, NULL), ORR_OK);
    assert_int_not_equal(orr_decode("%00", 3, true, arena, &text, NULL), ORR_OK);
}

TEST(etag_lists_are_searched)
{
    assert_true(orr_etag_listed("\"a\"", "\"a\"", true));
    assert_true(orr_etag_listed("\"b,\", W/\"a\"", "\"a\"", true));
    assert_true(orr_etag_listed("*", "\"a\"", true));
    assert_false(orr_etag_listed("\"ab\"", "\"a\"", true));
    assert_false(orr_etag_listed("\"b\" , \"", "\"a\"", true));
    assert_false(orr_etag_listed("nonsense", "\"a\"", true));
    assert_false(orr_etag_listed(NULL, "\"a\"", true));
    assert_true(orr_etag_listed("W/\"a\", \"a\"", "\"a\"", false));
    assert_false(orr_etag_listed("W/\"a\", \"b\"", "\"a\"", false));
}

TEST(the_best_accepted_type_is_chosen)
{
    static const char *const types[] = {"image/svg+xml", "image/png", "application/pdf"};
    assert_int_equal(orr_negotiate(NULL, types, 3), 0);
    assert_int_equal(orr_negotiate("*/*", types, 3), 0);
    assert_int_equal(orr_negotiate("image/png", types, 3), 1);
    assert_int_equal(orr_negotiate("image/*;q=0.5, application/pdf", types, 3), 2);
    assert_int_equal(orr_negotiate("image/svg+xml;q=0, */*;q=0.1", types, 3), 1);
    assert_int_equal(orr_negotiate("text/html", types, 3), 3);
}

TEST(cluster_files_say_where_they_are_wrong)
{
    static const char good[] = "{\"hosts\": [{\"topology\": \"a.xml\", \"count\": 2}, {\"topology\": \"/b.xml\"}]}";
    struct orr_cluster_file cluster;
    struct orr_error err = {0};
    assert_ok(orr_cluster_file_read(good, strlen(good), &cluster, &err), &err);
    assert_int_equal(cluster.host_count, 2);
    assert_string_equal(orr_cluster_path(cluster.arena, "/some/where/c.json", cluster.topologies[0]),
                        "/some/where/a.xml");
    assert_int_equal(cluster.hosts[0].count, 2);
    assert_string_equal(orr_cluster_path(cluster.arena, "/some/where/c.json", cluster.topologies[1]), "/b.xml");
    assert_int_equal(cluster.hosts[1].count, 1);
    orr_cluster_file_release(&cluster);
    static const char of_types[] = "{\"hosts\": [{\"machine\": \"HGX-H100-8\"}, {\"topology\": \"hgx-h100\"}, "
                                   "{\"machine\": \"hgx-h100\", \"count\": 3}]}";
    assert_ok(orr_cluster_file_read(of_types, strlen(of_types), &cluster, &err), &err);
    assert_int_equal(cluster.topology_count, 2); /* a type has one name, and a path may be called the same */
    assert_string_equal(cluster.machines[0]->name, "hgx-h100");
    assert_null(cluster.machines[1]);
    assert_int_equal(cluster.hosts[2].topology, 0);
    orr_cluster_file_release(&cluster);
    static const char *const bad[] = {"",
                                      "{\"hosts\": [{\"machine\": \"hgx-h\"}]}",
                                      "{\"hosts\": [{\"machine\": 4}]}",
                                      "{\"hosts\": [{\"machine\": \"hgx-h100\", \"topology\": \"a\"}]}",
                                      "{",
                                      "[]",
                                      "{\"hosts\": []}",
                                      "{\"hosts\": [{}]}",
                                      "{\"hosts\": [{\"topology\": \"a\", \"gpu\": [0]}]}",
                                      "{\"hosts\": [{\"topology\": \"a\", \"gpus\": []}]}",
                                      "{\"hosts\": [{\"topology\": \"a\", \"gpus\": [-1]}]}",
                                      "{\"hosts\": [{\"topology\": \"a\", \"domain\": \"\"}]}",
                                      "{\"hosts\": [{\"topology\": \"a\"}], \"ranks\": \"random\"}",
                                      "{\"hosts\": [{\"topology\": \"a\"}], \"ranks\": [0.5]}",
                                      "{\"hosts\": [{\"topology\": \"a\"}, {\"topology\": \"a\", \"count\": 0}]}"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        err = (struct orr_error){0};
        assert_int_equal(orr_cluster_file_read(bad[i], strlen(bad[i]), &cluster, &err), ORR_INVALID);
        assert_true(err.text[0]);
    }
}

TEST(a_refusal_says_which_limit_at_what_stage_and_why)
{
    struct orr_error err = {0};
    struct orr_budget budget = {.memory = 1000};
    uint64_t id;
    orr_budget_begin(&budget);
    orr_budget_stage("paths");
    assert_null(orr_budget_task("trying settings"));
    assert_string_equal(orr_budget_task("trying others"), "trying settings");
    assert_false(orr_budget_draw(2000, &id));
    orr_budget_stage("another");
    (void)orr_budget_task(NULL); /* what comes later says nothing of why it ended */
    orr_budget_end();
    (void)orr_budget_verdict(&budget, ORR_OK, &err);
    struct orr_answer *answer = orr_problem_answer(ORR_PROBLEM_NONE, &err, &budget, "id");
    assert_int_equal(answer->status, 422);
    assert_non_null(strstr(answer->body, "at the stage \\\"paths\\\" while trying others\""));
    assert_non_null(
        strstr(answer->body, "\"stage\":\"paths\",\"task\":\"trying others\",\"setting\":\"--analysis-memory\""));
    orr_shared_give(&answer->shared);
}
