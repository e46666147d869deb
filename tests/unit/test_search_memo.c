/* SPDX-License-Identifier: Apache-2.0 */
/* Searches that are remembered, as the sets of a machine's GPUs and the trials of an explanation share them. */
#include "engine/search/memo.h"

#include "tests/support/fixture.h"
#include "tests/support/golden_text.h"

/* A memo changes nothing but the time: graphs with it are those without it. */
TEST(searches_are_remembered_exactly)
{
    static const char *const files[] = {"static/examples/h100-with-faults.xml", "static/examples/v100-cube-mesh.xml",
                                        "static/examples/gcp-a3.xml"};
    static const char *const sets[] = {"0,1", "2,3", "4,6", "1,0", "0,2,5", "5,6,7", "0,1,4,5", "2,3,6,7", "6,7,2,3"};
    static const char *const releases[] = {"2.12.12", "2.18.1", "2.27.7"};
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++)
        for (size_t r = 0; r < sizeof releases / sizeof releases[0]; r++) {
            struct orr_error err = {0};
            struct orr_dump *dump;
            char *bytes = golden_read(files[f]);
            assert_ok(orr_dump_read(bytes, strlen(bytes), NULL, &dump, &err), &err);
            struct orr_search_memo *memo = orr_search_memo_new(1 << 20);
            assert_non_null(memo);
            for (size_t i = 0; i < 2 * sizeof sets / sizeof sets[0]; i++) {
                struct orr_query query = {.hosts = 1 + (uint32_t)(i & 1), .plan = true};
                struct orr_analysis *with, *without;
                orr_settings_init(&query.settings, orr_release_find(releases[r]));
                query.settings.gpus = sets[i / 2];
                assert_ok(orr_analyze(dump, &query, NULL, &without, &err), &err);
                query.memo = memo;
                assert_ok(orr_analyze(dump, &query, NULL, &with, &err), &err);
                for (int kind = 0; kind < ORR_GRAPH_COUNT; kind++) {
                    const struct orr_graph *a = &with->parts[0].contribution.graphs[kind];
                    const struct orr_graph *b = &without->parts[0].contribution.graphs[kind];
                    assert_int_equal(a->channels, b->channels);
                    assert_true(a->bw_intra == b->bw_intra && a->bw_inter == b->bw_inter && a->hops == b->hops);
                    assert_true(a->type_intra == b->type_intra && a->type_inter == b->type_inter);
                    /* steps may differ: those of an equal set, whose GPUs have other numbers, were remembered */
                    assert_true(a->pattern == b->pattern && a->cross_nic == b->cross_nic);
                    for (int32_t c = 0; c < a->channels; c++) {
                        for (uint32_t g = 0; g < a->row_count; g++)
                            assert_int_equal(a->gpus[(uint32_t)c * a->gpu_count + g],
                                             b->gpus[(uint32_t)c * b->gpu_count + g]);
                        if (a->nets)
                            assert_memory_equal(a->nets[c], b->nets[c], sizeof a->nets[c]);
                    }
                }
                orr_analysis_free(with);
                orr_analysis_free(without);
            }
            orr_search_memo_free(memo);
            orr_dump_free(dump);
            free(bytes);
        }
}
