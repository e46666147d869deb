/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that nccl-tests should print, as JSON. */
#include "api/documents/json.h"
#include "api/documents/sections.h"
#include "engine/cluster/again.h"
#include "engine/cluster/cluster.h"
#include "engine/expect/shares.h"
#include "engine/expect/table.h"
#include "engine/release/release_names.h"

static json_t *row_json(struct orr_json *json, const struct orr_expect_row *row)
{
    const struct orr_expected *expected = &row->expected;
    return ORR_OBJECT(json, ORR_INT("size", (int64_t)row->size), ORR_NUMBER("time", expected->time),
                      ORR_NUMBER("algbw", expected->alg_bw), ORR_NUMBER("busbw", expected->bus_bw),
                      ORR_STRING("algorithm", expected->algorithm_name),
                      ORR_STRING("protocol", expected->protocol_name), ORR_INT("channels", expected->channels));
}

static json_t *way_json(struct orr_json *json, const struct orr_expected *expected)
{
    return orr_json_format(json, "%s/%s", expected->algorithm_name, expected->protocol_name);
}

static json_t *crossovers_json(struct orr_json *json, const struct orr_expect_table *table)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < table->count; i++) {
        const struct orr_expect_row *row = &table->rows[i];
        if (!row->switches)
            continue;
        orr_json_add(json, array,
                     ORR_OBJECT(json, ORR_INT("size", (int64_t)row->size),
                                ORR_VALUE("from", way_json(json, &row[-1].expected)),
                                ORR_VALUE("to", way_json(json, &row->expected))));
    }
    return array;
}

json_t *orr_assumed_json(struct orr_json *json, const struct orr_dump *dump, const struct orr_settings *settings,
                         bool release_given)
{
    json_t *array = orr_json_array(json);
    char caveat[ORR_CAVEAT_SIZE];
    const struct orr_dump_notes *notes = dump->notes;
    for (uint32_t i = 0; notes && i < notes->assumed_count; i++)
        orr_json_add(json, array, orr_json_text(json, notes->assumed[i].what));
    if (!release_given)
        orr_json_add(json, array,
                     orr_json_format(json, "NCCL %s, as the question names no release", settings->release->name));
    if (!orr_settings_verified(settings))
        orr_json_add(json, array, orr_json_text(json, orr_settings_caveat(settings, caveat)));
    return array;
}

/* What the reader of the input assumed, and what the model assumes. */
static json_t *assumed_json(struct orr_json *json, const struct orr_expect_table *table, bool release_given)
{
    json_t *array = orr_assumed_json(json, table->analysis->given, &table->analysis->query.settings, release_given);
    if (orr_joins_by_kind(table->analysis)) {
        ORR_LOCAL_TEXT(joined, 256);
        orr_joined_clause(table->analysis->cluster, &joined);
        orr_json_add(json, array, orr_json_text(json, orr_text_data(&joined)));
    }
    if (table->joined)
        orr_json_add(
            json, array,
            orr_json_format(json,
                            "only the network joins the hosts; the input does not show whether NVLink joins them, "
                            "as in a rack (up to %.4g GB/s, domain %u)",
                            table->joined_best, table->joined));
    for (unsigned c = 0; c < ORR_CROSS_COUNT; c++) {
        const struct orr_share *share = &orr_shares[c];
        if (!(table->crossings >> c & 1))
            continue;
        if (share->results)
            orr_json_add(json, array,
                         orr_json_format(
                             json, "%s reaches %.0f %% of the bandwidth of its links, as in %u published results: %s",
                             share->what, 100 * share->share, share->results, share->source));
        else
            orr_json_add(
                json, array,
                orr_json_format(
                    json,
                    "%s reaches %.0f %% of the bandwidth of its links; no published result of Send and Recv shows it",
                    share->what, 100 * share->share));
    }
    return array;
}

json_t *orr_predict_json(struct orr_json *json, const struct orr_expect_table *table, const char *name,
                         bool release_given)
{
    json_t *rows = orr_json_array(json);
    const struct orr_analysis *analysis = table->analysis;
    const uint32_t hosts = analysis->cluster ? analysis->cluster->host_count : analysis->query.hosts;
    for (uint32_t i = 0; i < table->count; i++)
        orr_json_add(json, rows, row_json(json, &table->rows[i]));
    return ORR_OBJECT(json, ORR_STRING("topology", name), ORR_STRING("collective", orr_test_programs[table->test].name),
                      ORR_STRING("release", analysis->query.settings.release->name), ORR_INT("hosts", hosts),
                      ORR_INT("ranks", analysis->communicator.rank_count), ORR_STRING("limit", table->limit.text),
                      ORR_STRING("limited_by", orr_bottleneck_name(table->limit.what)),
                      ORR_NUMBER("average", table->average), ORR_VALUE("rows", rows),
                      ORR_VALUE("crossovers", crossovers_json(json, table)),
                      ORR_VALUE("assumed", assumed_json(json, table, release_given)));
}
