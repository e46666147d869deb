/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out at every point, and work that is stopped at every point: upload, analysis, drawing and
 * comparison with the Nth allocation failing, or with the budget stopped when it is asked for the Nth time. Each answer
 * is a success or a clean problem, nothing is lost or leaked (LeakSanitizer looks when it ends), and the same requests
 * succeed right afterwards.
 *
 * Allocations (or looks at the budget) with the same calls above them are a place. Each place fails the first time and
 * the last, which is before its loop has done anything and when all but the end is done; with ORR_TEST_ALLOCATIONS=all
 * every one fails that there is (./dev soak).
 *
 * The linker sends our own allocations, and looks at the budget, through the __wrap functions below; libxml2 and SQLite
 * are given them, jansson takes ours (api/documents/json.c).
 */
#include <execinfo.h>
#include <jansson.h>
#include <libxml/xmlmemory.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handlers/app.h"
#include "engine/base/budget.h"
#include "tests/support/machine_xml.h"
#include "tests/support/orr_test.h"

int __wrap_asprintf(char **ret_text, const char *format, ...);
bool __real_orr_budget_look(struct orr_budget *budget);
enum orr_code __real_orr_budget_check(struct orr_error *err);
bool __wrap_orr_budget_look(struct orr_budget *budget);
enum orr_code __wrap_orr_budget_check(struct orr_error *err);

static bool counting;
static enum what { ALLOCATIONS, LOOKS } failure; /* what is counted and fails */
static unsigned long made, failing;              /* the one that fails; 0 if there is none */

enum { CALLS = 64, MOST = 1 << 17 };
static bool noting;             /* the places of the failures, as they come */
static unsigned place_of[MOST]; /* of the Nth: a hash of the calls above it */
static bool to_fail[MOST];

static void note_place(unsigned long n)
{
    void *calls[CALLS];
    int count = backtrace(calls, CALLS);
    unsigned hash = 2166136261u;
    for (int i = 0; i < count; i++)
        hash = (hash ^ (unsigned)((uintptr_t)calls[i] >> 1)) * 16777619u;
    assert_true(n < MOST);
    place_of[n] = hash;
}

static bool fails(enum what what)
{
    if (!counting || what != failure)
        return false;
    made++;
    if (noting) {
        noting = counting = false; /* backtrace() may allocate */
        note_place(made);
        noting = counting = true;
    }
    return made == failing;
}

static bool is_among(unsigned place, unsigned long from, unsigned long to)
{
    for (unsigned long n = from; n <= to; n++)
        if (place_of[n] == place)
            return true;
    return false;
}

/* Marks in to_fail which of first..all shall fail; gives how many. */
static unsigned long choose(unsigned long first, unsigned long all)
{
    const char *which = getenv("ORR_TEST_ALLOCATIONS");
    bool every = which && !strcmp(which, "all");
    unsigned long chosen = 0;
    for (unsigned long n = first; n <= all; n++) {
        to_fail[n] = every || !is_among(place_of[n], first, n - 1) || !is_among(place_of[n], n + 1, all);
        chosen += to_fail[n];
    }
    return chosen;
}

/* The function that replaces another: it fails, or does the same. */
#define WRAP(type, name, parameters, arguments, failed)                                                                \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters                                                                                      \
    {                                                                                                                  \
        return fails(ALLOCATIONS) ? (failed) : __real_##name arguments;                                                \
    }
WRAP(void *, malloc, (size_t size), (size), NULL)
WRAP(void *, calloc, (size_t count, size_t size), (count, size), NULL)
WRAP(void *, realloc, (void *old, size_t size), (old, size), NULL)
WRAP(char *, strdup, (const char *text), (text), NULL)
WRAP(char *, strndup, (const char *text, size_t length), (text, length), NULL)
WRAP(int, vasprintf, (char **ret_text, const char *format, va_list values), (ret_text, format, values), -1)

int __wrap_asprintf(char **ret_text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = __wrap_vasprintf(ret_text, format, arguments);
    va_end(arguments);
    return length;
}

bool __wrap_orr_budget_look(struct orr_budget *budget)
{
    if (fails(LOOKS))
        orr_budget_stop(budget, ORR_SPENT_SHUTDOWN);
    const bool spent = __real_orr_budget_look(budget);
    budget->until_look = 0; /* the next step looks, too */
    return spent;
}
enum orr_code __wrap_orr_budget_check(struct orr_error *err)
{
    if (orr_budget_in_force() && fails(LOOKS))
        orr_budget_stop(orr_budget_in_force(), ORR_SPENT_SHUTDOWN);
    return __real_orr_budget_check(err);
}

/* SQLite wants to know sizes: they are stored before the bytes. */
enum { HEAD = 16 };
static void *with_size(char *bytes, int size)
{
    if (!bytes)
        return NULL;
    memcpy(bytes, &size, sizeof size);
    return bytes + HEAD;
}
static void *sqlite_take(int size)
{
    return with_size(__wrap_malloc((size_t)size + HEAD), size);
}
static void sqlite_give(void *bytes)
{
    free((char *)bytes - HEAD);
}
static void *sqlite_change(void *old, int size)
{
    return with_size(__wrap_realloc((char *)old - HEAD, (size_t)size + HEAD), size);
}
static int sqlite_size(void *bytes)
{
    int size;
    memcpy(&size, (char *)bytes - HEAD, sizeof size);
    return size;
}
static int sqlite_round(int size)
{
    return (size + 7) & ~7;
}
static int sqlite_begin(void *data)
{
    (void)data;
    return SQLITE_OK;
}
static void sqlite_end(void *data)
{
    (void)data;
}

static struct orr_app *app;

static const char *no_header(const void *context, const char *name)
{
    (void)context;
    (void)name;
    return NULL;
}

static void ask(const char *method, const char *target, const char *body, struct orr_response *response)
{
    struct orr_budget budget = {0};
    const struct orr_request request = {.method = method,
                                        .target = target,
                                        .budget = &budget,
                                        .header = no_header,
                                        .body = body,
                                        .body_length = body ? strlen(body) : 0,
                                        .id = "test"};
    orr_api_handle(app, &request, response);
}

/* The ids of what was uploaded and of the cluster made of it: the first 32 hex digits after "id". */
static const char id_key[] = "\"id\":\"", id_path[] = "/v1/topologies/ID/", cluster_path[] = "/v1/clusters/CLUSTER/";
static char id[33], cluster[33];

/* Steps that are taken together, each sequence with allocations that fail: a round costs as much as its steps, and
 * there are as many rounds as allocations. */
enum {
    RECORDS = 1,
    ANALYSIS = 2,
    DRAWING = 4,
    DIFF = 8,
    COMPARE = 16,
    EXPLAIN = 32,
    CLUSTERS = 64,
    GROUPS = 128,
    FINDINGS = 256,
    TRIALS = 512,
    CHOICES = 1024,
    RESULTS = 2048,
    FLEET = 4096,
    ALL = 8191
};

static struct step {
    unsigned in;               /* which sequences */
    const char *method, *path; /* ID: that of the topology; CLUSTER: that of the cluster; in the body as well */
    const char *body;
    char *expected; /* the body of the answer when nothing fails; of GETs */
    size_t length;
} steps[] = {
    {ALL, "POST", "/v1/topologies?name=a&label=rack%3D7", ORR_TEST_WORKSTATION, NULL, 0},
    {ANALYSIS, "GET", "/v1/topologies/ID/analysis?release=2.27.7&hosts=2", NULL, NULL, 0},
    {DRAWING, "GET", "/v1/topologies/ID/diagram.dot?release=2.27.7", NULL, NULL, 0},
    {DIFF, "GET", "/v1/topologies/ID/analysis/diff?release=2.27.7&against=NCCL_P2P_LEVEL%3DPIX", NULL, NULL, 0},
    {COMPARE, "GET", "/v1/compare?a=ID&b=ID&release=2.27.7", NULL, NULL, 0},
    {EXPLAIN, "GET", "/v1/topologies/ID/explain?release=2.27.7&hosts=2&decision=path&from=0&to=1", NULL, NULL, 0},
    {FINDINGS, "GET", "/v1/topologies/ID/findings?release=2.27.7", NULL, NULL, 0},
    {TRIALS, "GET", "/v1/topologies/ID/settings?release=2.27.7&hosts=2", NULL, NULL, 0},
    {CHOICES, "GET", "/v1/topologies/ID/place?release=2.27.7&count=1", NULL, NULL, 0},
    {CHOICES, "GET", "/v1/topologies/ID/scaling?release=2.27.7&hosts=1,2", NULL, NULL, 0},
    {RESULTS, "POST", "/v1/check-perf?machine=dgx-h100&release=2.27.7",
     "# nThread 1 nGpus 8 minBytes 1073741824 maxBytes 1073741824\n"
     "  1073741824     268435456     float     sum      -1   6042.1  177.71  310.99      0\n",
     NULL, 0},
    {FLEET, "GET", "/v1/fleet", NULL, NULL, 0},
    {RECORDS, "PATCH", "/v1/topologies/ID", "{\"name\": \"b\", \"labels\": {\"rack\": \"8\", \"host\": \"h\"}}", NULL,
     0},
    {RECORDS, "GET", "/v1/hosts", NULL, NULL, 0},
    {CLUSTERS | GROUPS, "POST", "/v1/clusters",
     "{\"hosts\": [{\"topology\": \"ID\", \"count\": 2, \"domain\": \"a\", \"fabric\": {\"uuid\": "
     "\"8f4c0000000000000000000000000001\", \"clique\": 1}}, {\"topology\": \"ID\", \"gpus\": [1, 0], "
     "\"domain\": \"b\"}],"
     " \"ranks\": \"cyclic\"}",
     NULL, 0},
    {CLUSTERS, "GET", "/v1/clusters/CLUSTER/analysis/cluster?release=2.27.7", NULL, NULL, 0},
    {GROUPS, "GET", "/v1/clusters/CLUSTER/groups?release=2.27.7&layout=tp=*", NULL, NULL, 0},
    {CLUSTERS, "GET", "/v1/clusters/CLUSTER/channels?release=2.27.7", NULL, NULL, 0},
    {CLUSTERS, "GET", "/v1/clusters/CLUSTER/p2p?release=2.27.7&ranks=0", NULL, NULL, 0},
    {CLUSTERS | GROUPS, "DELETE", "/v1/clusters/CLUSTER", NULL, NULL, 0},
    {RECORDS, "GET", "/v1/topologies?q=b&limit=1", NULL, NULL, 0},
    {ALL, "DELETE", "/v1/topologies/ID", NULL, NULL, 0},
};
enum { STEPS = sizeof steps / sizeof steps[0] };

/* A text of a step with the ids in place. */
static void fill_in(const char *text, char *filled, size_t size)
{
    FILE *out = fmemopen(filled, size, "w");
    assert_non_null(out);
    while (*text) {
        bool of_topology = !strncmp(text, "ID", 2), of_cluster = !strncmp(text, "CLUSTER", 7);
        if (of_topology || of_cluster)
            fputs(of_topology ? id : cluster, out);
        else
            fputc(*text, out);
        text += of_topology ? 2 : of_cluster ? 7 : 1;
    }
    fclose(out);
}

static void take_step(const struct step *step, struct orr_response *response)
{
    char target[256], body[1024];
    bool text = step->body && *step->body == '{';
    fill_in(step->path, target, sizeof target);
    if (text)
        fill_in(step->body, body, sizeof body);
    ask(step->method, target, text ? body : step->body, response);
}

/* Everything works; the answers to GET are as always. */
static void expect_success(void)
{
    for (int i = 0; i < STEPS; i++) {
        struct orr_response response = {0};
        take_step(&steps[i], &response);
        if (response.status < 200 || response.status > 299)
            fail_msg("%s: %u %.*s", steps[i].path, response.status, (int)response.length,
                     response.body ? response.body : "");
        const bool kept = !strcmp(steps[i].method, "POST") && response.status == 201;
        const char *found = kept ? strstr(response.body, id_key) : NULL;
        if (found)
            memcpy(i ? cluster : id, found + strlen(id_key), 32);
        const bool named = strstr(steps[i].path, id_path) || strstr(steps[i].path, cluster_path);
        if (named && response.body && !strcmp(steps[i].method, "GET")) { /* no times in it */
            if (!steps[i].expected) {
                steps[i].expected = malloc(response.length);
                assert_non_null(steps[i].expected);
                memcpy(steps[i].expected, response.body, response.length);
                steps[i].length = response.length;
            }
            assert_int_equal(response.length, steps[i].length);
            assert_memory_equal(response.body, steps[i].expected, response.length);
        }
        orr_response_release(&response);
    }
}

static unsigned long uploaded; /* failures that the upload may have, with which every sequence begins */

/* One round of a sequence in which the Nth one fails, 0 if there is none. Gives how many there were. */
static unsigned long round_with(unsigned sequence, unsigned long n)
{
    made = 0;
    failing = n;
    for (int i = 0; i < STEPS; i++) {
        struct orr_response response = {0};
        if (!(steps[i].in & sequence))
            continue;
        counting = true;
        take_step(&steps[i], &response);
        counting = false;
        if (i == 0 && n == 0)
            uploaded = made;
        bool success = response.status >= 200 && response.status <= 299;
        /* After a failed upload there is nothing to analyse; after the failure itself all goes well. */
        if (!success && response.status != 503 && response.status != 404)
            fail_msg("failure %lu: %s: %u %.*s", n, steps[i].path, response.status, (int)response.length,
                     response.body ? response.body : "");
        if (!success && response.length) {
            json_t *problem = json_loadb(response.body, response.length, 0, NULL);
            assert_non_null(problem);
            assert_int_equal(json_integer_value(json_object_get(problem, "status")), response.status);
            json_decref(problem);
        }
        if (success && steps[i].expected &&
            (response.length != steps[i].length || memcmp(response.body, steps[i].expected, response.length) != 0)) {
            size_t same = 0;
            while (same < response.length && same < steps[i].length && response.body[same] == steps[i].expected[same])
                same++;
            fail_msg("failure %lu: %s is another answer from byte %zu on: %.120s", n, steps[i].path, same,
                     response.body + same);
        }
        orr_response_release(&response);
    }
    struct orr_response response = {0}; /* where the failed one was to delete it */
    take_step(&steps[STEPS - 1], &response);
    orr_response_release(&response);
    return made;
}

static void fail_everywhere(enum what what)
{
    failure = what;
    expect_success();
    for (unsigned sequence = 1; sequence < ALL; sequence *= 2) {
        noting = true;
        unsigned long all = round_with(sequence, 0);
        noting = false;
        assert_true(uploaded > 0 && all > uploaded);
        /* The upload is the same in each sequence: it fails in the first one. */
        unsigned long first = sequence == 1 ? 1 : uploaded, chosen = choose(first, all), done = 0;
        for (unsigned long n = first; n <= all; n++) {
            if (!to_fail[n])
                continue;
            round_with(sequence, n);
            if (++done % 64 == 0)
                expect_success();
        }
        expect_success();
        print_message("%lu of %lu failed, %lu of all in the upload\n", chosen, all, uploaded);
    }
}

TEST(every_allocation_may_fail)
{
    fail_everywhere(ALLOCATIONS);
}

TEST(every_look_at_the_budget_may_end_the_work)
{
    fail_everywhere(LOOKS);
}

void before_all(void)
{
    static const sqlite3_mem_methods methods = {sqlite_take,  sqlite_give,  sqlite_change, sqlite_size,
                                                sqlite_round, sqlite_begin, sqlite_end,    NULL};
    struct orr_error err = {0};
    xmlMemSetup(free, __wrap_malloc, __wrap_realloc, __wrap_strdup);
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods), SQLITE_OK);
    const struct orr_app_options options = {.database = ":memory:", .max_body = 1 << 20};
    assert_ok(orr_app_new(&options, &app, &err), &err);
}

void after_all(void)
{
    orr_app_free(app);
    for (int i = 0; i < STEPS; i++)
        free(steps[i].expected);
}
