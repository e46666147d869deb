/* SPDX-License-Identifier: Apache-2.0 */
/* Requests in process: no sockets, every kind of answer. */
#include <zlib.h>

#include "tests/support/asking.h"

TEST(uploading_gives_an_id_made_of_the_content)
{
    char first[128];
    ask("POST", "/v1/topologies?name=a%20b&label=rack=7", ORR_TEST_WORKSTATION);
    assert_int_equal(response.status, 201);
    snprintf(first, sizeof first, "%s", sent("Location"));
    json_t *made = body_json();
    assert_string_equal(text_of(made, "name"), "a b");
    assert_string_equal(text_of(json_object_get(made, "labels"), "rack"), "7");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(made, "machine"), "gpus")), 2);
    json_decref(made);
    ask("POST", "/v1/topologies?name=other", ORR_TEST_WORKSTATION);
    assert_int_equal(response.status, 200);
    assert_string_equal(sent("Location"), first);
}

TEST(analyses_hold_every_key_of_the_contract)
{
    static const char *const keys[] = {"nccl",     "topology",           "hosts",       "ranks",    "local_ranks",
                                       "settings", "system_before_trim", "system",      "paths",    "p2p",
                                       "gdr",      "net_devs",           "graphs",      "channels", "tuning",
                                       "summary",  "findings",           "explanations"};
    ask("GET", stored(ORR_TEST_WORKSTATION, "/analysis?hosts=2&NCCL_CROSS_NIC=1"), NULL);
    assert_int_equal(response.status, 200);
    json_t *document = body_json();
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        assert_non_null(json_object_get(document, keys[i]));
    assert_int_equal(json_integer_value(json_object_get(document, "ranks")), 4);
    assert_string_equal(text_of(json_object_get(document, "settings"), "NCCL_CROSS_NIC"), "1");
    json_t *ring = json_array_get(json_object_get(json_object_get(document, "channels"), "rings"), 0);
    assert_int_equal(json_array_size(ring), 4);
    json_decref(document);
}

/* The choice of a range is the fastest algorithm and protocol at every size within it, and the times fall together with
 * the model's own. */
TEST(predictions_choose_the_fastest_way_at_every_size)
{
    ask("GET", stored(ORR_TEST_WORKSTATION, "/analysis/predictions?hosts=2"), NULL);
    assert_int_equal(response.status, 200);
    json_t *body = body_json(), *sizes = json_object_get(body, "sizes"), *function, *way;
    const char *name;
    assert_int_equal(json_object_size(json_object_get(body, "functions")), 5);
    json_object_foreach (json_object_get(body, "functions"), name, function) {
        json_t *ranges = json_object_get(function, "ranges");
        size_t range = 0, i, w;
        json_t *size;
        assert_true(json_array_size(ranges) > 0);
        assert_true(json_number_value(json_object_get(function, "bus_share")) > 0);
        json_array_foreach (sizes, i, size) {
            while (range + 1 < json_array_size(ranges) &&
                   json_integer_value(json_object_get(json_array_get(ranges, range + 1), "from")) <=
                       json_integer_value(size))
                range++;
            json_t *chosen = json_array_get(ranges, range);
            double least = 1e30, mine = -1;
            json_array_foreach (json_object_get(function, "ways"), w, way) {
                double time = json_number_value(json_array_get(json_object_get(way, "times"), i));
                assert_true(time > 0);
                least = time < least ? time : least;
                if (!strcmp(text_of(way, "algorithm"), text_of(chosen, "algorithm")) &&
                    !strcmp(text_of(way, "protocol"), text_of(chosen, "protocol")))
                    mine = time;
            }
            assert_true(mine > 0 && mine <= least);
        }
    }
    json_decref(body);
}

TEST(sections_are_the_values_of_the_document)
{
    char target[512];
    snprintf(target, sizeof target, "%s", stored(ORR_TEST_WORKSTATION, "/analysis"));
    ask("GET", target, NULL);
    json_t *document = body_json();
    const char *key;
    json_t *value;
    json_object_foreach (document, key, value) {
        char section[600];
        snprintf(section, sizeof section, "%s/%s", target, key);
        ask("GET", section, NULL);
        assert_int_equal(response.status, 200);
        json_t *alone = body_json();
        assert_true(json_equal(alone, value));
        json_decref(alone);
    }
    json_decref(document);
    strcat(target, "/nonsense");
    ask("GET", target, NULL);
    assert_problem(404, "/problems/not-found");
}

TEST(answers_are_cached_but_never_outlive_their_topology)
{
    char target[512];
    snprintf(target, sizeof target, "%s", stored(ORR_TEST_WORKSTATION, "/analysis?NCCL_P2P_LEVEL=PHB"));
    ask("GET", target, NULL);
    const char *first = response.body;
    char tag[64];
    snprintf(tag, sizeof tag, "%s", sent("ETag"));
    struct orr_answer *keep = response.answer;
    response.answer = NULL; /* keeps the first answer alive, so that the same address means the same answer */
    ask("GET", target, NULL);
    assert_ptr_equal(response.body, first);
    assert_string_equal(sent("ETag"), tag);
    struct orr_response kept = {.answer = keep};
    orr_response_release(&kept);

    const char *base = stored(ORR_TEST_WORKSTATION, "");
    ask("DELETE", base, NULL);
    assert_int_equal(response.status, 204);
    ask("GET", target, NULL);
    assert_problem(404, "/problems/not-found");
    /* Analysing the same bytes without keeping them must not bring it back. */
    ask("POST", "/v1/analyze?NCCL_P2P_LEVEL=PHB", ORR_TEST_WORKSTATION);
    assert_int_equal(response.status, 200);
    ask("GET", target, NULL);
    assert_problem(404, "/problems/not-found");
}

TEST(work_that_takes_long_can_be_put_off)
{
    struct orr_request request = {
        .method = "GET", .target = stored(ORR_TEST_WORKSTATION, "/analysis?hosts=3"), .id = "x", .may_defer = true};
    orr_response_release(&response);
    orr_api_handle(app, &request, &response);
    assert_true(response.deferred);
    request.may_defer = false;
    orr_response_release(&response);
    orr_api_handle(app, &request, &response);
    assert_false(response.deferred);
    assert_int_equal(response.status, 200);
    request.may_defer = true; /* from the cache it is no longer long */
    orr_response_release(&response);
    orr_api_handle(app, &request, &response);
    assert_false(response.deferred);
}

TEST(conditional_requests_and_compression)
{
    char target[512], tag[64], list[128];
    snprintf(target, sizeof target, "%s", stored(ORR_TEST_WORKSTATION, "/analysis"));
    ask("GET", target, NULL);
    size_t length = response.length;
    snprintf(tag, sizeof tag, "%s", sent("ETag"));
    snprintf(list, sizeof list, "\"x\", %s", tag);
    ask_with("GET", target, NULL, (const struct pair[]){{"If-None-Match", list}, {NULL, NULL}});
    assert_int_equal(response.status, 304);
    assert_int_equal(response.length, 0);
    ask_with("GET", target, NULL, (const struct pair[]){{"Accept-Encoding", "gzip"}, {NULL, NULL}});
    assert_string_equal(sent("Content-Encoding"), "gzip");
    assert_string_not_equal(sent("ETag"), tag);
    char *plain = malloc(length + 1);
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)response.body,
                       .avail_in = (uInt)response.length,
                       .next_out = (Bytef *)plain,
                       .avail_out = (uInt)length + 1};
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.total_out, length);
    inflateEnd(&stream);
    free(plain);
}

TEST(differences_name_what_where_and_why)
{
    ask("GET", stored(ORR_TEST_WORKSTATION, "/analysis/diff?release=2.27.7&against=NCCL_P2P_LEVEL%3DPIX"), NULL);
    assert_int_equal(response.status, 200);
    assert_true(sent("ETag")[0]);
    json_t *body = body_json(), *p2p = json_object_get(json_object_get(body, "sections"), "p2p");
    assert_int_equal(json_integer_value(json_object_get(p2p, "changed")), 2);
    json_t *change = json_array_get(json_object_get(p2p, "changes"), 0);
    assert_string_equal(text_of(change, "what"), "p2p");
    assert_string_equal(json_string_value(json_array_get(json_object_get(change, "because"), 0)), "NCCL_P2P_LEVEL");
    assert_int_equal(json_array_size(json_object_get(change, "where")), 2);
    assert_non_null(strstr(text_of(change, "rule_b"), "longer"));
    json_t *reason = json_array_get(json_object_get(body, "reasons"), 0);
    assert_string_equal(text_of(reason, "kind"), "setting");
    assert_string_equal(text_of(reason, "b"), "PIX");
    json_decref(body);
    ask("GET", stored(ORR_TEST_WORKSTATION, "/analysis/diff"), NULL);
    assert_problem(400, "/problems/invalid-parameter");
    ask("GET", stored(ORR_TEST_WORKSTATION, "/analysis/diff?against=9.9.9"), NULL);
    assert_problem(400, "/problems/invalid-setting");
    ask("POST", "/v1/diff?release=2.27.7&against=2.27.7", ORR_TEST_WORKSTATION);
    assert_int_equal(response.status, 200);
    body = body_json();
    assert_true(json_is_true(json_object_get(body, "equal")));
    json_decref(body);
}

TEST(paths_tell_hops_and_the_narrowest)
{
    static const struct {
        const char *query;
        size_t hops; /* 2.30.7 counts those between a rank and its device, too */
    } cases[] = {{"/path?from=rank:0&to=rank:1&release=2.27.7", 2}, {"/path?from=rank:0&to=rank:1&release=2.30.7", 4}};
    for (size_t i = 0; i < 2; i++) {
        ask("GET", stored(ORR_TEST_WORKSTATION, cases[i].query), NULL);
        assert_int_equal(response.status, 200);
        json_t *path = body_json();
        json_t *hops = json_object_get(path, "hops");
        assert_int_equal(json_array_size(hops), cases[i].hops);
        assert_string_equal(text_of(json_array_get(hops, cases[i].hops - 1), "to"), "GPU/0-41000");
        json_decref(path);
    }
    ask("GET", stored(ORR_TEST_WORKSTATION, "/path?from=rank:0"), NULL);
    assert_problem(400, "/problems/invalid-parameter");
    static const char *const nowhere[] = {
        "/path?from=rank:0&to=rank:9", "/path?hosts=2&from=rank:0&to=0000:81:00.0",
        "/path?hosts=2&from=0000:81:00.0&to=rank:0"}; /* a NIC is not an end of paths */
    for (size_t i = 0; i < 3; i++) {
        ask("GET", stored(ORR_TEST_WORKSTATION, nowhere[i]), NULL);
        assert_problem(404, "/problems/not-found");
    }
}

TEST(findings_name_what_the_reader_noticed)
{
    ask("GET", stored("<?xml version=\"1.0\"?>\n" ORR_TEST_UNRANKED, "/findings"), NULL);
    assert_int_equal(response.status, 200);
    json_t *answer = body_json(), *finding;
    size_t i;
    bool unranked = false;
    json_array_foreach (json_object_get(answer, "findings"), i, finding)
        unranked |= !strcmp(text_of(finding, "id"), "no-ranked-gpu") && !strcmp(text_of(finding, "severity"), "error");
    assert_true(unranked);
    json_decref(answer);
    ask("POST", "/v1/analyze", ORR_TEST_UNRANKED);
    assert_problem(422, "/problems/no-ranks");
}

TEST(strict_refuses_what_nccl_refuses)
{
    static const char prolog[] =
        "<!-- a comment that NCCL reads over -->\n<system\tversion='1'>\n" ORR_TEST_CPU ORR_TEST_GPU(
            "0000:01:00.0", "0", "rank=\"0\"") "</cpu>\n</system>\n";
    ask("POST", "/v1/analyze", prolog);
    assert_int_equal(response.status, 200);
    ask("POST", "/v1/analyze?strict=1", prolog);
    assert_problem(422, "/problems/refused-by-nccl");
}

TEST(errors_of_xml_have_line_and_column)
{
    ask("POST", "/v1/analyze", "<system version=\"1\">\n  <cpu numaid=\"0\">\n  </gpu>\n</system>");
    assert_problem(400, "/problems/malformed-xml");
    json_t *problem = body_json();
    assert_int_equal(json_integer_value(json_object_get(problem, "line")), 3);
    assert_true(json_integer_value(json_object_get(problem, "column")) > 0);
    json_decref(problem);
}

TEST(drawings_as_dot_need_no_worker)
{
    ask("GET", stored(ORR_TEST_WORKSTATION, "/diagram.dot"), NULL);
    assert_int_equal(response.status, 200);
    assert_non_null(strstr(response.body, "GPU/0-1000"));
    ask("GET", stored(ORR_TEST_WORKSTATION, "/diagram.bmp"), NULL);
    assert_problem(404, "/problems/not-found");
    ask("GET", stored(ORR_TEST_WORKSTATION, "/diagram.dot?view=path&from=rank:0"), NULL);
    assert_problem(400, "/problems/invalid-parameter");
    ask_with("POST", "/v1/render", ORR_TEST_WORKSTATION, (const struct pair[]){{"Accept", "audio/ogg"}, {NULL, NULL}});
    assert_problem(406, "/problems/not-acceptable");
}

TEST(wrong_requests_are_told_apart)
{
    static const struct {
        const char *method, *target, *body;
        unsigned status;
        const char *type;
    } cases[] = {
        {"POST", "/v1/topologies", "", 400, "/problems/empty-body"},
        {"POST", "/v1/topologies", "\x89PNG\r\n", 415, "/problems/unrecognised-input"},
        {"POST", "/v1/topologies?strict=2", ORR_TEST_WORKSTATION, 400, "/problems/invalid-parameter"},
        {"POST", "/v1/topologies?label=x", ORR_TEST_WORKSTATION, 400, "/problems/invalid-parameter"},
        {"POST", "/v1/analyze?hosts=513", ORR_TEST_WORKSTATION, 400, "/problems/invalid-setting"},
        {"POST", "/v1/analyze?NCCL_NO_SUCH=1", ORR_TEST_WORKSTATION, 400, "/problems/invalid-setting"},
        {"POST", "/v1/analyze?release=1.0", ORR_TEST_WORKSTATION, 400, "/problems/invalid-setting"},
        {"POST", "/v1/analyze?release=v2.27.7", ORR_TEST_WORKSTATION, 400, "/problems/invalid-setting"},
        {"GET", "/v1/settings?release=22707", NULL, 400, "/problems/invalid-setting"},
        {"POST", "/v1/analyze?section=none", ORR_TEST_WORKSTATION, 404, "/problems/not-found"},
        {"GET", "/v1/topologies?cursor=1-2", NULL, 400, "/problems/invalid-parameter"},
        {"GET", "/v1/topologies?limit=%4", NULL, 400, "/problems/malformed-target"},
        {"GET", "/v1/topologies/123", NULL, 404, "/problems/not-found"},
        {"GET", "/v1/topologies/00000000000000000000000000000000", NULL, 404, "/problems/not-found"},
        {"GET", "/v1/topologies/00000000000000000000000000000000/source", NULL, 404, "/problems/not-found"},
        {"PATCH", "/v1/topologies/00000000000000000000000000000000", "{\"name\":\"x\"}", 404, "/problems/not-found"},
        {"PATCH", "/v1/topologies/00000000000000000000000000000000", "[]", 400, "/problems/invalid-json"},
        {"PATCH", "/v1/topologies/00000000000000000000000000000000", "{\"labels\":{\"a\":1}}", 400,
         "/problems/invalid-json"},
        {"PUT", "/v1/topologies", "x", 405, "/problems/method-not-allowed"},
        {"DELETE", "/healthz", NULL, 405, "/problems/method-not-allowed"},
        {"GET", "/v1/nothing", NULL, 404, "/problems/not-found"},
        {"GET", "/../etc/passwd", NULL, 404, "/problems/not-found"},
        {"GET", "no-slash", NULL, 404, "/problems/not-found"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ask(cases[i].method, cases[i].target, cases[i].body);
        assert_problem(cases[i].status, cases[i].type);
    }
    ask("PUT", "/v1/topologies", "x");
    assert_string_equal(sent("Allow"), "POST, GET, HEAD, PATCH");
}

TEST(near_names_are_offered)
{
    ask("GET", "/v1/topologies?limt=3", NULL);
    assert_problem(400, "/problems/invalid-parameter");
    assert_non_null(strstr(response.body, "did you mean limit?"));
}

TEST(too_large_a_body_is_a_problem_of_its_own)
{
    const struct orr_request request = {.method = "POST", .target = "/v1/analyze", .id = "test-1"};
    orr_response_release(&response);
    orr_api_refuse(app, &request, ORR_DENIED_BODY, 1 << 20, 0, &response);
    assert_problem(413, "/problems/body-too-large");
}

TEST(readiness_ends_with_draining)
{
    ask("GET", "/readyz", NULL);
    assert_int_equal(response.status, 200);
    orr_app_drain(app);
    ask("GET", "/readyz", NULL);
    assert_int_equal(response.status, 503);
    ask("GET", "/healthz", NULL);
    assert_int_equal(response.status, 200);
}
