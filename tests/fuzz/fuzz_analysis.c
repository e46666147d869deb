/* SPDX-License-Identifier: Apache-2.0 */
/* XML -> analysis, and everything that reads an analysis. The first eight bytes choose the question, so that they can
 * change without the dump; the rest is the dump. */
#include <jansson.h>
#include <math.h>

#include "api/documents/json.h"
#include "api/questions/questions.h"
#include "engine/orrery.h"
#include "engine/whatif/changes.h"
#include "tests/fuzz/fuzz.h"

enum { AT_RELEASE, AT_HOSTS, AT_LOOK, AT_DETAIL, AT_SETTINGS, QUESTION = 8 };
enum look { LOOK_DOCUMENT, LOOK_SYSTEM, LOOK_RING, LOOK_TREE, LOOK_PATH, LOOK_DIFFERENCE, LOOK_NOWHERE, LOOK_COUNT };

static const char *const values[] = {"",           "0",
                                     "1",          "2",
                                     "-1",         "-2",
                                     "3",          "4",
                                     "8",          "16",
                                     "32",         "64",
                                     "512",        "640",
                                     "131072",     "-1e9",
                                     "2147483648", "-9223372036854775808",
                                     "LOC",        "NVL",
                                     "PIX",        "PXB",
                                     "PHB",        "SYS",
                                     "Ring",       "Tree",
                                     "^Ring,Tree", "allreduce:nvls;broadcast:ring",
                                     "LL,LL128",   "^Simple",
                                     "AUTO",       "MAX:2",
                                     "ALL",        "1,2,3,4,5,6",
                                     "x"};
static const uint32_t host_counts[] = {1, 2, 3, 4, 1, 2, 5, 8};
#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static void ask(const uint8_t *bytes, struct orr_query *query)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    query->hosts = host_counts[bytes[AT_HOSTS] % COUNT_OF(host_counts)];
    orr_settings_init(&query->settings, &releases[bytes[AT_RELEASE] % count]);
    for (int at = AT_SETTINGS; at + 1 < QUESTION; at += 2) {
        const char *name = orr_setting_name((enum orr_setting)(bytes[at] % ORR_SETTING_COUNT));
        const char *value = values[bytes[at + 1] % COUNT_OF(values)];
        enum orr_code code = orr_settings_set(&query->settings, name, value, NULL);
        FUZZ_REQUIRE(code == ORR_OK || code == ORR_SETTING, "%s=%s gives %s", name, value, orr_code_name(code));
    }
}

/* Errors are of the kinds that input can cause, and say what is wrong. */
static void check_error(enum orr_code code, const struct orr_error *err)
{
    FUZZ_REQUIRE(code == err->code && err->text[0], "%s without a report", orr_code_name(code));
    FUZZ_REQUIRE(code != ORR_INTERNAL && code != ORR_NOMEM, "%s: %s (%s)", orr_code_name(code), err->text, err->where);
}

/* Every ring visits every rank once. */
static void check_rings(const struct orr_communicator *communicator)
{
    unsigned char *seen = calloc(communicator->rank_count + 1, 1);
    FUZZ_REQUIRE(seen, "memory");
    for (int32_t channel = 0; channel < communicator->distinct_count; channel++) {
        memset(seen, 0, communicator->rank_count);
        for (uint32_t i = 0; i < communicator->rank_count; i++) {
            int32_t rank = communicator->rings[channel][i];
            FUZZ_REQUIRE(rank >= 0 && (uint32_t)rank < communicator->rank_count && !seen[rank],
                         "channel %d, position %u: rank %d", channel, i, rank);
            seen[rank] = 1;
        }
    }
    free(seen);
}

static void check_analysis(const struct orr_analysis *analysis)
{
    struct orr_error err = {0};
    FUZZ_REQUIRE(orr_system_check(&analysis->built, &err), "%s", err.text);
    for (uint32_t i = 0; i < analysis->part_count; i++)
        FUZZ_REQUIRE(orr_system_check(&analysis->parts[i].system, &err), "part %u: %s", i, err.text);
    check_rings(&analysis->communicator);
    for (int function = 0; function < ORR_FUNCTION_COUNT; function++) {
        struct orr_choice choice;
        if (orr_tuning_choose(&analysis->tuning, &analysis->communicator, &analysis->query.settings,
                              (enum orr_function)function, 1 << 20, &choice))
            FUZZ_REQUIRE(!isnan(choice.time) && choice.time >= 0, "function %d: %g us", function, (double)choice.time);
    }
}

static void write_document(const struct orr_analysis *analysis)
{
    struct orr_error err = {0};
    struct orr_text text;
    json_error_t where;
    orr_text_init(&text, (size_t)64 << 20);
    enum orr_code code = orr_analysis_json(analysis, "fuzz", NULL, false, &text, &err);
    if (code != ORR_OK) {
        FUZZ_REQUIRE(code == ORR_LIMIT, "%s: %s", orr_code_name(code), err.text);
    } else {
        json_t *document = json_loadb(text.data, text.length, 0, &where);
        FUZZ_REQUIRE(document, "no JSON: %s at %d", where.text, where.position);
        json_decref(document);
    }
    orr_text_release(&text);
}

static void draw(const struct orr_analysis *analysis, enum orr_view view, uint8_t detail)
{
    struct orr_error err = {0};
    struct orr_text text;
    const struct orr_system *system = &analysis->parts[0].system;
    char from[ORR_NODE_ID_SIZE], to[ORR_NODE_ID_SIZE];
    orr_system_node_id(system, (detail & 15u) % system->node_count, from);
    orr_system_node_id(system, system->node_count - 1 - (uint32_t)(detail >> 4) % system->node_count, to);
    const struct orr_diagram_request request = {.view = view,
                                                .theme = detail & 1 ? ORR_THEME_DARK : ORR_THEME_LIGHT,
                                                .channel = detail % 7,
                                                .from = from,
                                                .to = to};
    orr_text_init(&text, (size_t)64 << 20);
    enum orr_code code = orr_diagram_dot(analysis, &request, &text, &err);
    if (code != ORR_OK)
        check_error(code, &err);
    else
        FUZZ_REQUIRE(!orr_text_failed(&text) && text.length > 10, "an empty drawing");
    orr_text_release(&text);
}

static void find_changes(const struct orr_analysis *analysis, uint8_t detail)
{
    const struct orr_effort most = {.analyses = 6, .steps = 1 << 20}; /* few, so this many inputs get their turn */
    struct orr_error err = {0};
    struct orr_changes changes;
    struct orr_analysis *other = NULL;
    struct orr_query query = analysis->query;
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    const struct orr_texts against = {{releases[detail % count].name}, 1};
    FUZZ_REQUIRE(orr_against_read(&analysis->query, &against, &query, &err) == ORR_OK, "%s", err.text);
    enum orr_code code = orr_analyze(analysis->dump, &query, NULL, &other, &err);
    if (code != ORR_OK) {
        check_error(code, &err);
        return;
    }
    ORR_LOCAL_ARENA(arena, 0);
    code = arena ? orr_changes_find(analysis, other, most, arena, &changes, &err) : ORR_NOMEM;
    if (code != ORR_OK) {
        check_error(code, &err);
    } else {
        struct orr_json json = {0};
        json_t *document = orr_diff_json(&json, &changes, "fuzz");
        FUZZ_REQUIRE(document && !json.failed, "no document about %zu changes", changes.count);
        json_decref(document);
    }
    orr_analysis_free(other);
}

static void look_at(const struct orr_analysis *analysis, enum look look, uint8_t detail)
{
    switch (look) {
    case LOOK_DOCUMENT:
        write_document(analysis);
        break;
    case LOOK_SYSTEM:
        draw(analysis, ORR_VIEW_SYSTEM, detail);
        break;
    case LOOK_RING:
        draw(analysis, ORR_VIEW_RING, detail);
        break;
    case LOOK_TREE:
        draw(analysis, ORR_VIEW_TREE, detail);
        break;
    case LOOK_PATH:
        draw(analysis, ORR_VIEW_PATH, detail);
        break;
    case LOOK_DIFFERENCE:
        find_changes(analysis, detail);
        break;
    case LOOK_NOWHERE:
    case LOOK_COUNT:
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orr_error err = {0};
    struct orr_dump *dump = NULL;
    struct orr_analysis *analysis = NULL;
    struct orr_query query = {0};
    if (size < QUESTION)
        return -1;
    ask(data, &query);
    enum orr_code code = orr_dump_read((const char *)data + QUESTION, size - QUESTION, NULL, &dump, &err);
    if (code == ORR_OK)
        code = orr_analyze(dump, &query, NULL, &analysis, &err);
    if (code == ORR_OK) {
        check_analysis(analysis);
        look_at(analysis, (enum look)(data[AT_LOOK] % LOOK_COUNT), data[AT_DETAIL]);
        orr_analysis_free(analysis);
    } else {
        check_error(code, &err);
    }
    if (dump)
        orr_dump_free(dump);
    return 0;
}
