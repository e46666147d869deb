/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions, documents and limits, from outside and by several threads. */
#include <orrery/orrery.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/machine_xml.h"
#include "tests/support/orr_test.h"

enum { LENGTH = sizeof ORR_TEST_WORKSTATION - 1 };
static const char machine_text[] = ORR_TEST_WORKSTATION;

static struct orr_session *new_session(void)
{
    struct orr_session *session;
    struct orr_report report = ORR_REPORT_INIT;
    assert_true(orr_session_new(NULL, &session, &report));
    return session;
}

TEST(a_word_and_its_route_give_the_same_document)
{
    struct orr_session *session = new_session();
    struct orr_report report = ORR_REPORT_INIT;
    struct orr_document *documents[3];
    static const char *const questions[3] = {"analyze", "POST /v1/analyze", "GET /v1/topologies/%s/analysis"};
    char id[ORR_INPUT_ID_LENGTH], route[128];
    assert_true(orr_session_keep(session, machine_text, LENGTH, "a machine & more", NULL, id, &report));
    for (int i = 0; i < 3; i++) {
        const bool kept = i == 2;
        snprintf(route, sizeof route, "GET /v1/topologies/%s/analysis", id);
        assert_true(orr_ask(session, kept ? route : questions[i], "release=2.27.7&hosts=2", kept ? NULL : machine_text,
                            kept ? 0 : LENGTH, NULL, &documents[i], &report));
        assert_string_equal(orr_document_type(documents[i]), "application/json");
        assert_string_equal(orr_document_bytes(documents[i], NULL), orr_document_bytes(documents[0], NULL));
    }
    size_t length;
    const char *text = orr_document_bytes(documents[0], &length);
    assert_int_equal(strlen(text), length);
    orr_session_free(session);
    assert_non_null(strstr(orr_document_bytes(documents[0], NULL), "\"nccl\":\"2.27.7\"")); /* outlives the session */
    for (int i = 0; i < 3; i++)
        orr_document_free(documents[i]);
}

TEST(streams_arrive_whole)
{
    struct orr_session *session = new_session();
    struct orr_report report = ORR_REPORT_INIT;
    struct orr_document *document;
    size_t length;
    assert_true(orr_ask(session, "channels", "hosts=64", machine_text, LENGTH, NULL, &document, &report));
    const char *text = orr_document_bytes(document, &length);
    assert_true(length > 1000 && text[0] == '{' && text[length - 2] == '}' && text[length - 1] == '\n');
    orr_document_free(document);
    orr_session_free(session);
}

TEST(errors_have_the_type_of_the_problem)
{
    static const struct {
        const char *question, *parameters, *code, *where;
    } rows[] = {
        {"analyze", "relase=2.27.7", "invalid-parameter", "relase"},
        {"analyze", "NCCL_FOO=1", "invalid-setting", "NCCL_FOO"},
        {"analyze", "section=none", "not-found", ""},
        {"nothing", NULL, "not-found", ""},
        {"PUT /v1/analyze", NULL, "method-not-allowed", ""},
        {"explain", NULL, "invalid-parameter", "decision"},
        {"GET ../../etc/passwd", NULL, "not-found", ""},
        {"GET /%zz", NULL, "malformed-target", ""},
        {"", NULL, "not-found", ""},
    };
    struct orr_session *session = new_session();
    struct orr_document *document = (struct orr_document *)(uintptr_t)rows;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct orr_report report = ORR_REPORT_INIT;
        assert_false(
            orr_ask(session, rows[i].question, rows[i].parameters, machine_text, LENGTH, NULL, &document, &report));
        assert_string_equal(report.code, rows[i].code);
        assert_string_equal(report.where, rows[i].where);
        assert_true(report.text[0]);
        assert_false(
            orr_ask(session, rows[i].question, rows[i].parameters, machine_text, LENGTH, NULL, &document, NULL));
    }
    assert_ptr_equal(document, &rows); /* not written on failure */
    orr_session_free(session);
}

TEST(options_are_taken_as_far_as_the_caller_knows_them)
{
    struct orr_session *session;
    struct orr_report report = ORR_REPORT_INIT;
    struct orr_document *document;
    char id[ORR_INPUT_ID_LENGTH];
    struct orr_session_options options = ORR_SESSION_OPTIONS_INIT, unset = {0};
    assert_false(orr_session_new(&unset, &session, &report));
    assert_string_equal(report.code, "unsupported");
    options.program = "/nowhere/orrery";
    options.largest = 100;
    assert_true(orr_session_new(&options, &session, &report));
    assert_false(orr_session_keep(session, machine_text, LENGTH, NULL, NULL, id, &report));
    assert_string_equal(report.code, "limit-exceeded");
    orr_session_free(session);
    options.size = offsetof(struct orr_session_options, largest); /* of an older header */
    assert_true(orr_session_new(&options, &session, &report));
    assert_true(orr_session_keep(session, machine_text, LENGTH, NULL, NULL, id, &report));
    assert_true(orr_ask(session, "render", "format=dot", machine_text, LENGTH, NULL, &document, &report));
    orr_document_free(document);
    assert_false(orr_ask(session, "render", "format=svg", machine_text, LENGTH, NULL, &document, &report));
    assert_string_equal(report.code, "render-failed");
    orr_session_free(session);
}

TEST(limits_end_a_call_and_allow_the_next)
{
    struct orr_session *session = new_session();
    struct orr_report report = ORR_REPORT_INIT;
    struct orr_limits *limits;
    struct orr_machine *machine;
    struct orr_plan *plan;
    struct orr_document *document;
    assert_true(orr_limits_new(&limits, &report));
    assert_true(orr_machine_load(machine_text, LENGTH, NULL, limits, &machine, &report));
    orr_limits_memory(limits, 50000);
    assert_false(orr_plan_ask(machine, "hosts=64", limits, &plan, &report));
    assert_string_equal(report.code, "too-complex");
    assert_non_null(strstr(report.advice, "orr_limits_memory() (Python: Limits(memory=...)) raises the limit"));
    assert_false(orr_ask(session, "analyze", "hosts=64", machine_text, LENGTH, limits, &document, &report));
    assert_string_equal(report.code, "too-complex");
    orr_limits_memory(limits, 0);
    assert_true(orr_plan_ask(machine, "hosts=64", limits, &plan, &report));
    orr_limits_stop(limits);
    assert_false(orr_plan_document(plan, NULL, NULL, limits, &document, &report));
    assert_string_equal(report.code, "stopped");
    assert_false(orr_ask(session, "channels", "hosts=4", machine_text, LENGTH, limits, &document, &report));
    assert_string_equal(report.code, "stopped");
    orr_limits_resume(limits);
    assert_true(orr_plan_document(plan, "ranks", NULL, limits, &document, &report));
    assert_string_equal(orr_document_bytes(document, NULL), "128");
    orr_document_free(document);
    orr_plan_free(plan);
    orr_machine_free(machine);
    orr_limits_free(limits);
    orr_session_free(session);
}

static void *stop_soon(void *limits)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    nanosleep(&pause, NULL);
    orr_limits_stop(limits);
    return NULL;
}

/* Asks until a call is ended by the other thread: whichever stage it meets, the code is the same. */
TEST(another_thread_stops_a_call)
{
    struct orr_report report = ORR_REPORT_INIT;
    struct orr_limits *limits;
    struct orr_machine *machine;
    struct orr_plan *plan;
    pthread_t thread;
    assert_true(orr_limits_new(&limits, &report));
    assert_true(orr_machine_load("machine type: hgx-h100\n", 23, NULL, NULL, &machine, &report));
    assert_int_equal(pthread_create(&thread, NULL, stop_soon, limits), 0);
    while (orr_plan_ask(machine, "hosts=32", limits, &plan, &report))
        orr_plan_free(plan);
    assert_string_equal(report.code, "stopped");
    pthread_join(thread, NULL);
    orr_machine_free(machine);
    orr_limits_free(limits);
}

struct shared {
    struct orr_session *session;
    struct orr_machine *machine;
    struct orr_plan *plan;
    atomic_uint wrong;
};

static void *use_all(void *context)
{
    struct shared *shared = context;
    enum { TURNS = 12 };
    for (int i = 0; i < TURNS; i++) {
        struct orr_report report = ORR_REPORT_INIT;
        struct orr_plan_path path = ORR_PLAN_PATH_INIT;
        struct orr_document *document;
        struct orr_plan *own;
        char parameters[64], id[ORR_INPUT_ID_LENGTH];
        snprintf(parameters, sizeof parameters, "hosts=%d", 1 + i % 4);
        bool good = orr_ask(shared->session, i % 2 ? "explain" : "analyze", i % 2 ? "decision=channels" : parameters,
                            machine_text, LENGTH, NULL, &document, &report);
        if (good)
            orr_document_free(document);
        good = good && orr_session_keep(shared->session, machine_text, LENGTH, "same", NULL, id, &report) &&
               orr_plan_path(shared->plan, "rank:0", "rank:1", &path, &report) && path.hops > 0 &&
               orr_plan_ask(shared->machine, parameters, NULL, &own, &report);
        if (good) {
            good = orr_plan_ranks(own) == 2 * (unsigned)(1 + i % 4);
            orr_plan_free(own);
        }
        atomic_fetch_add(&shared->wrong, !good);
    }
    return NULL;
}

TEST(threads_share_session_machine_and_plan)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    struct orr_report report = ORR_REPORT_INIT;
    struct shared shared = {.session = new_session()};
    assert_true(orr_machine_load(machine_text, LENGTH, NULL, NULL, &shared.machine, &report));
    assert_true(orr_plan_ask(shared.machine, NULL, NULL, &shared.plan, &report));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_all, &shared), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&shared.wrong), 0);
    orr_plan_free(shared.plan);
    orr_machine_free(shared.machine);
    orr_session_free(shared.session);
}

TEST(machines_are_read_with_parameters)
{
    struct orr_report report = ORR_REPORT_INIT;
    struct orr_machine *machine, *same;
    struct orr_plan *plan;
    assert_true(orr_machine_load(NULL, 0, "machine=hgx-h100", NULL, &machine, &report));
    assert_true(orr_machine_load("machine type: hgx-h100\n", 23, NULL, NULL, &same, &report));
    assert_string_equal(orr_machine_id(machine), orr_machine_id(same));
    assert_true(orr_plan_ask(machine, "gpus=0,1,2,3&nics=mlx5_0&hosts=2", NULL, &plan, &report));
    assert_int_equal(orr_plan_ranks(plan), 8);
    orr_plan_free(plan);
    assert_false(orr_plan_ask(machine, "gpus=99", NULL, &plan, &report));
    assert_string_equal(report.code, "invalid-setting");
    assert_false(orr_plan_ask(machine, "assume=hgx-h100", NULL, &plan, &report)); /* of the reading, not of a plan */
    assert_string_equal(report.code, "invalid-parameter");
    orr_machine_free(machine);
    orr_machine_free(same);
    assert_false(orr_machine_load(machine_text, LENGTH, "machine=hgx-h100", NULL, &machine, &report));
    assert_string_equal(report.code, "invalid-parameter");
    assert_false(orr_machine_load(NULL, 0, NULL, NULL, &machine, &report));
    assert_string_equal(report.code, "unrecognised-input");
}
