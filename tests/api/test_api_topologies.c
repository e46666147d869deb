/* SPDX-License-Identifier: Apache-2.0 */
/* Stored topologies by their routes: conditions, lists, labels, histories. */
#include "tests/support/asking.h"

static const struct pair none[] = {{NULL, NULL}};

static void ask_if(const char *method, const char *target, const char *body, const char *header, const char *value)
{
    ask_with(method, target, body, (const struct pair[]){{header, value}, {NULL, NULL}});
}

/* Uploads a variant of the workstation. */
static void upload(unsigned number, const char *query)
{
    char target[512], dump[4096];
    snprintf(target, sizeof target, "/v1/topologies?%s", query);
    snprintf(dump, sizeof dump, "%s<!-- %u -->", ORR_TEST_WORKSTATION, number);
    ask("POST", target, dump);
}

TEST(changes_meet_their_conditions_or_are_refused)
{
    char target[128], first[64], second[64];
    upload(1, "name=one");
    assert_int_equal(response.status, 201);
    snprintf(target, sizeof target, "%s", sent("Location"));
    snprintf(first, sizeof first, "%s", sent("ETag"));
    ask("GET", target, NULL);
    assert_string_equal(sent("ETag"), first); /* uploading gives the tag already */

    ask_if("PATCH", target, "{\"name\":\"x\"}", "If-Match", "\"other\"");
    assert_problem(412, "/problems/precondition-failed");
    ask_if("PATCH", target, "{\"name\":\"x\"}", "If-None-Match", first);
    assert_problem(412, "/problems/precondition-failed");
    char weak[80];
    snprintf(weak, sizeof weak, "W/%s", first);
    ask_if("PATCH", target, "{\"name\":\"x\"}", "If-Match", weak); /* If-Match compares strongly */
    assert_problem(412, "/problems/precondition-failed");
    ask_if("PATCH", target, "{\"name\":\"two\"}", "If-Match", first);
    assert_int_equal(response.status, 200);
    snprintf(second, sizeof second, "%s", sent("ETag"));
    assert_string_not_equal(first, second);
    ask_if("PATCH", target, "{\"name\":\"three\"}", "If-Match", first);
    assert_problem(412, "/problems/precondition-failed");
    ask_if("DELETE", target, NULL, "If-Match", first);
    assert_problem(412, "/problems/precondition-failed");
    ask("GET", target, NULL);
    assert_string_equal(sent("ETag"), second);
    json_t *record = body_json();
    assert_string_equal(text_of(record, "name"), "two");
    json_decref(record);
    ask_if("GET", target, NULL, "If-None-Match", second);
    assert_int_equal(response.status, 304);
    ask_if("GET", target, NULL, "If-Match", first);
    assert_problem(412, "/problems/precondition-failed");
    ask_if("GET", target, NULL, "If-Match", second);
    assert_int_equal(response.status, 200);

    /* The tag of the compressed form means the same state. */
    char zipped[80];
    snprintf(zipped, sizeof zipped, "%.*s-gzip\"", (int)strlen(second) - 1, second);
    ask_if("PATCH", target, "{\"name\":\"two\"}", "If-Match", zipped);
    assert_int_equal(response.status, 200);
    ask_if("DELETE", target, NULL, "If-Match", "\"nothing\", *");
    assert_int_equal(response.status, 204);
    ask_if("DELETE", target, NULL, "If-Match", "*");
    assert_problem(404, "/problems/not-found");
    ask_if("PATCH", target, "{\"name\":\"x\"}", "If-Match", "*");
    assert_problem(404, "/problems/not-found");
}

static json_t *items_of(const char *target)
{
    ask("GET", target, NULL);
    assert_int_equal(response.status, 200);
    json_t *page = body_json(), *items = json_incref(json_object_get(page, "items"));
    json_decref(page);
    return items;
}

static size_t count_of(const char *target)
{
    json_t *items = items_of(target);
    size_t count = json_array_size(items);
    json_decref(items);
    return count;
}

TEST(lists_are_narrowed_and_paged)
{
    char query[160];
    for (unsigned i = 0; i < 7; i++) {
        snprintf(query, sizeof query, "name=list%%20%u&label=fleet%%3Dblue&label=row%%3D%c", i, i % 2 ? 'b' : 'a');
        upload(100 + i, query);
        assert_int_equal(response.status, 201);
    }
    assert_int_equal(count_of("/v1/topologies?label=fleet%3Dblue"), 7);
    assert_int_equal(count_of("/v1/topologies?label=fleet%3Dblue&label=row%3Da"), 4);
    assert_int_equal(count_of("/v1/topologies?label=fleet%3Dred"), 0);
    assert_int_equal(count_of("/v1/topologies?label=fleet%3Dblue&q=LIST%203"), 1);
    assert_int_equal(count_of("/v1/topologies?label=fleet%3Dblue&q=ada"), 7); /* the GPUs' generation */
    ask("GET", "/v1/topologies?label=fleet", NULL);
    assert_problem(400, "/problems/invalid-parameter");
    ask("GET", "/v1/topologies?label=a%3D1&label=b%3D1&label=c%3D1&label=d%3D1&label=e%3D1", NULL);
    assert_problem(400, "/problems/invalid-parameter");
    ask("GET", "/v1/topologies?q=%ff", NULL);
    assert_problem(400, "/problems/invalid-parameter");
    ask("POST", "/v1/topologies?name=%c3%28", ORR_TEST_WORKSTATION);
    assert_problem(400, "/problems/invalid-parameter");

    /* By the Link header through all pages; what is uploaded in between changes nothing. */
    char target[512] = "/v1/topologies?limit=3&q=list&label=fleet%3Dblue";
    unsigned seen = 0;
    for (unsigned page = 0; target[0]; page++) {
        json_t *items = items_of(target), *item;
        size_t i;
        char next[512];
        snprintf(next, sizeof next, "%s", sent("Link"));
        json_array_foreach (items, i, item) {
            char name[16];
            snprintf(name, sizeof name, "list %u", 6 - seen++);
            assert_string_equal(text_of(item, "name"), name);
        }
        json_decref(items);
        target[0] = 0;
        if (next[0])
            assert_int_equal(sscanf(next, "<%500[^>]>; rel=\"next\"", target), 1);
        snprintf(query, sizeof query, "name=list%%20late&label=fleet%%3Dblue&label=page%%3D%u", page);
        upload(200 + page, query);
    }
    assert_int_equal(seen, 7);
}

TEST(a_hosts_uploads_are_told)
{
    upload(301, "name=boot1&label=host%3Drack7/node%201");
    upload(301, "name=boot2&label=host%3Drack7/node%201");
    assert_int_equal(response.status, 200);
    upload(302, "name=boot3&label=host%3Drack7/node%201&label=job%3D42");
    json_t *items = items_of("/v1/hosts/rack7%2Fnode%201/uploads");
    assert_int_equal(json_array_size(items), 3);
    static const char *const names[] = {"boot3", "boot2", "boot1"};
    for (size_t i = 0; i < 3; i++) {
        json_t *item = json_array_get(items, i);
        assert_string_equal(text_of(item, "name"), names[i]);
        assert_int_equal(json_is_true(json_object_get(item, "changed")), i == 0);
        assert_string_equal(text_of(json_object_get(item, "labels"), "host"), "rack7/node 1");
        ask("GET", text_of(item, "link"), NULL);
        assert_int_equal(response.status, 200);
    }
    json_decref(items);
    ask("GET", "/v1/hosts/rack7%2Fnode%201/uploads?limit=2", NULL);
    json_t *page = body_json();
    char target[256];
    snprintf(target, sizeof target, "/v1/hosts/rack7%%2Fnode%%201/uploads?limit=2&cursor=%s", text_of(page, "next"));
    assert_string_equal(text_of(page, "host"), "rack7/node 1");
    json_decref(page);
    items = items_of(target);
    assert_int_equal(json_array_size(items), 1);
    assert_string_equal(text_of(json_array_get(items, 0), "name"), "boot1");
    json_decref(items);
    ask("GET", "/v1/hosts/nobody/uploads", NULL);
    assert_problem(404, "/problems/not-found");
    ask("GET", "/v1/hosts/%ff/uploads", NULL);
    assert_problem(404, "/problems/not-found");
}

TEST(hosts_are_listed_page_by_page)
{
    static const char *const hosts[] = {"fleet-a", "fleet-b", "fleet-c"};
    char query[128], target[640] = "/v1/hosts?limit=1";
    for (unsigned i = 0; i < 3; i++) {
        snprintf(query, sizeof query, "label=host%%3D%s", hosts[i]);
        upload(400 + i, query);
    }
    unsigned seen = 0;
    for (unsigned pages = 0; target[0] && pages < 20; pages++) {
        ask("GET", target, NULL);
        assert_int_equal(response.status, 200);
        json_t *page = body_json(), *item = json_array_get(json_object_get(page, "items"), 0);
        if (!strncmp(text_of(item, "host"), "fleet-", 6)) {
            assert_string_equal(text_of(item, "host"), hosts[seen++]);
            assert_int_equal(json_integer_value(json_object_get(item, "uploads")), 1);
            assert_true(text_of(item, "last")[0]);
        }
        target[0] = 0;
        if (json_is_string(json_object_get(page, "next")))
            snprintf(target, sizeof target, "/v1/hosts?limit=1&cursor=%s", text_of(page, "next"));
        json_decref(page);
    }
    assert_int_equal(seen, 3);
    ask("GET", "/v1/hosts?cursor=xyz", NULL);
    assert_problem(400, "/problems/invalid-parameter");
    ask("GET", "/v1/hosts?cursor=00", NULL);
    assert_problem(400, "/problems/invalid-parameter");
}

TEST(head_is_get_without_a_body)
{
    static const char *const tails[] = {
        "", "/source", "/analysis", "/analysis/graphs", "/findings", "/path?from=rank:0&to=rank:1", "/diagram.dot"};
    static const char *const others[] = {"/v1/topologies", "/v1/hosts", "/v1/releases", "/v1/settings", "/openapi.yaml",
                                         "/healthz",       "/readyz",   "/version",     "/v1/nothing",  "/problems/x"};
    char base[128], target[256], tag[64];
    upload(1, "label=host%3Dhead");
    snprintf(base, sizeof base, "%s", sent("Location"));
    for (size_t i = 0; i < sizeof tails / sizeof tails[0] + sizeof others / sizeof others[0]; i++) {
        size_t tail_count = sizeof tails / sizeof tails[0];
        if (i < tail_count)
            snprintf(target, sizeof target, "%s%s", base, tails[i]);
        else
            snprintf(target, sizeof target, "%s", others[i - tail_count]);
        ask_with("GET", target, NULL, none);
        unsigned status = response.status;
        size_t length = response.length;
        snprintf(tag, sizeof tag, "%s", sent("ETag"));
        ask_with("HEAD", target, NULL, none);
        assert_int_equal(response.status, status);
        assert_string_equal(sent("ETag"), tag);
        assert_int_equal(response.length, length); /* Content-Length; who sends it leaves the body out */
    }
}

/* Another process on the same database sees a change at once, and a deletion within a second even if it has
 * answers cached. */
TEST(two_apps_on_one_database_agree)
{
    struct orr_app *first = app, *second = open_app();
    char target[256], analysis[300];
    struct timespec pause = {.tv_sec = 1, .tv_nsec = 50000000};
    upload(501, "name=shared");
    snprintf(target, sizeof target, "%s", sent("Location"));
    snprintf(analysis, sizeof analysis, "%s/analysis/ranks", target);
    app = second;
    ask("GET", analysis, NULL);
    assert_int_equal(response.status, 200);
    ask("PATCH", target, "{\"name\":\"changed\"}");
    assert_int_equal(response.status, 200);
    app = first;
    ask("GET", target, NULL);
    json_t *record = body_json();
    assert_string_equal(text_of(record, "name"), "changed");
    json_decref(record);
    ask("DELETE", target, NULL);
    assert_int_equal(response.status, 204);
    ask("GET", analysis, NULL);
    assert_problem(404, "/problems/not-found");
    app = second;
    ask("GET", target, NULL);
    assert_problem(404, "/problems/not-found");
    nanosleep(&pause, NULL);
    ask("GET", analysis, NULL);
    assert_problem(404, "/problems/not-found");
    upload(501, "name=again");
    assert_int_equal(response.status, 201);
    app = first;
    ask("GET", analysis, NULL);
    assert_int_equal(response.status, 200);
    orr_app_free(second);
}
