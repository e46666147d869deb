/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/expect/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cluster/again.h"
#include "engine/cluster/cluster.h"
#include "engine/expect/loads.h"
#include "engine/release/release_names.h"

enum {
    ELEMENT = 4,       /* bytes of a float, nccl-tests' default */
    ALIGNED = 16,      /* bytes to which it rounds the part of a rank */
    MOST_DEVICES = 512 /* limit on those listed above a table */
};

enum orr_code orr_expect_sizes_read(const char *text, struct orr_expect_sizes *ret_sizes, struct orr_error *err)
{
    const uint64_t most = UINT64_C(1) << 40;
    struct orr_expect_sizes sizes = {.factor = 2};
    const char *end;
    sizes.first = sizes.last = orr_size_parse(text, &end);
    if (*end == ':')
        sizes.last = orr_size_parse(end + 1, &end);
    if (*end == ':') {
        uint64_t factor = orr_size_parse(end + 1, &end);
        sizes.factor = factor >= 2 && factor <= 1024 ? (uint32_t)factor : 0;
    }
    if (!*end && sizes.first && sizes.last >= sizes.first && sizes.last <= most && sizes.factor) {
        *ret_sizes = sizes;
        return ORR_OK;
    }
    return orr_fail(err, ORR_SETTING,
                    "sizes must be MIN:MAX:FACTOR up to 1T with a factor from 2 to 1024, such as 8:8G:2, or one size, "
                    "not \"%.40s\"",
                    text);
}

/* Whether every rank has a part of the buffer, so that nccl-tests rounds the size to a multiple of the ranks. */
static bool is_parted(const struct orr_test_program *program)
{
    return program->bus == ORR_TEST_FACTOR_OTHERS || program->size == ORR_TEST_FACTOR_OTHERS;
}

static void round_size(const struct orr_expect_table *table, uint64_t size, struct orr_expect_row *row)
{
    uint64_t ranks = is_parted(&orr_test_programs[table->test]) ? table->analysis->communicator.rank_count : 0;
    row->count = ranks ? size / ELEMENT / ranks / (ALIGNED / ELEMENT) * (ALIGNED / ELEMENT) : size / ELEMENT;
    row->size = row->count * ELEMENT * (ranks ? ranks : 1);
}

enum orr_code orr_expect_table_make(const struct orr_analysis *analysis, enum orr_test test,
                                    const struct orr_expect_sizes *sizes, struct orr_expect_table *ret_table,
                                    struct orr_error *err)
{
    struct orr_expectation *expectation;
    struct orr_expect_table *table = ret_table;
    ORR_TRY(orr_expectation_new(analysis, test, &expectation, err));
    *table = (struct orr_expect_table){.analysis = analysis, .test = test, .sizes = *sizes};
    orr_expect_limit(expectation, &table->limit);
    table->crossings = orr_expect_crossings(expectation);
    double sum = 0;
    for (uint64_t size = sizes->first; size <= sizes->last && table->count < ORR_MOST_EXPECT_ROWS;
         size *= sizes->factor) {
        struct orr_expect_row *row = &table->rows[table->count], *before = table->count ? row - 1 : NULL;
        round_size(table, size, row);
        if (!orr_expect(expectation, row->size, &row->expected))
            continue;
        row->switches = before && (before->expected.algorithm != row->expected.algorithm ||
                                   before->expected.protocol != row->expected.protocol);
        sum += row->expected.bus_bw;
        table->count++;
    }
    table->average = table->count ? sum / table->count : 0;
    orr_expectation_free(expectation);
    return ORR_OK;
}

static void write_devices(const struct orr_communicator *c, const struct orr_expect_table *table, struct orr_text *text)
{
    if (c->rank_count > MOST_DEVICES) {
        orr_text_printf(text, "# %u ranks on %u hosts\n", c->rank_count,
                        table->analysis->cluster ? table->analysis->cluster->host_count : table->analysis->query.hosts);
        return;
    }
    orr_text_puts(text, "# Using devices\n");
    for (int32_t rank = 0; rank < (int32_t)c->rank_count; rank++) {
        const struct orr_member *member = &c->members[c->node_of_rank[rank]];
        const struct orr_part *part = orr_member_part(table->analysis, member);
        uint32_t place = 0;
        while (orr_member_rank(member, member->contribution->ranks[place]) != rank)
            place++;
        uint32_t gpu = orr_gpu_of_rank(&part->system, member->contribution->ranks[place]);
        uint64_t bus = orr_id_local(part->system.nodes[gpu].id);
        orr_text_printf(text, "#  Rank %2d Group  0 Pid      0 on %10s%u device %2d [%04x:%02x:%02x] GPU (sm %d)\n",
                        rank, "host", member->host, part->system.nodes[gpu].gpu.dev, (unsigned)(bus >> 20 & 0xffff),
                        (unsigned)(bus >> 12 & 0xff), (unsigned)(bus >> 4 & 0xff), part->system.nodes[gpu].gpu.sm);
    }
}

/* Writes a time like nccl-tests: the longer the time, the fewer decimals. */
static void write_way(const struct orr_expected *expected, struct orr_text *text)
{
    int decimals = expected->time >= 10000 ? 0 : expected->time >= 100 ? 1 : 2;
    orr_text_printf(text, "  %7.*f  %6.2f  %6.2f    N/A", decimals, expected->time, expected->alg_bw, expected->bus_bw);
}

static bool is_same_choice(const struct orr_expected *a, const struct orr_expected *b)
{
    return a->algorithm == b->algorithm && a->protocol == b->protocol && a->channels == b->channels;
}

double orr_expect_table_best(const struct orr_expect_table *table)
{
    double best = 0;
    for (uint32_t i = 0; i < table->count; i++)
        best = table->rows[i].expected.bus_bw > best ? table->rows[i].expected.bus_bw : best;
    return best;
}

void orr_expect_table_write(const struct orr_expect_table *table, struct orr_text *text)
{
    const struct orr_communicator *c = &table->analysis->communicator;
    const struct orr_test_program *program = &orr_test_programs[table->test];
    const struct orr_settings *settings = &table->analysis->query.settings;
    char caveat[ORR_CAVEAT_SIZE];
    const char *op = program->reduces ? "sum" : "none";
    int root = program->rooted ? 0 : -1;
    orr_text_printf(text, "# Up to %.4g GB/s, limited by %s\n", orr_expect_table_best(table), table->limit.text);
    orr_text_printf(text, "# Predicted by Orrery for NCCL %s, not measured\n", settings->release->name);
    if (orr_joins_by_kind(table->analysis)) {
        orr_text_puts(text, "# Assumed: ");
        orr_joined_clause(table->analysis->cluster, text);
        orr_text_puts(text, "; with domain 1, it does not\n");
    }
    if (table->joined)
        orr_text_printf(text,
                        "# Up to %.4g GB/s if NVLink joins the hosts, as in a rack; the input does not show whether it "
                        "does (--domain %u)\n",
                        table->joined_best, table->joined);
    if (!orr_settings_verified(settings))
        orr_text_printf(text, "# %s\n", orr_settings_caveat(settings, caveat));
    orr_text_printf(text, "# Collective test starting: %s_perf\n", program->name);
    orr_text_printf(text, "# nThread 1 nGpus 1 minBytes %" PRIu64 " maxBytes %" PRIu64 " step: %u(factor)\n#\n",
                    table->sizes.first, table->sizes.last, table->sizes.factor);
    write_devices(c, table, text);
    orr_text_puts(
        text,
        "#\n"
        "#                                                              out-of-place                       in-place\n"
        "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "
        "#wrong\n"
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  "
        "(GB/s)\n");
    for (uint32_t i = 0; i < table->count; i++) {
        const struct orr_expect_row *row = &table->rows[i];
        const struct orr_expected *e = &row->expected;
        if (!i || !is_same_choice(e, &table->rows[i - 1].expected))
            orr_text_printf(text, "# %s, %s, %d channel%s:\n", e->algorithm_name, e->protocol_name, e->channels,
                            orr_plural(e->channels));
        orr_text_printf(text, "%12" PRIu64 "  %12" PRIu64 "  %8s  %6s  %6d", row->size, row->count, "float", op, root);
        write_way(e, text);
        write_way(e, text);
        orr_text_puts(text, "\n");
    }
    orr_text_printf(text, "# Avg bus bandwidth    : %g\n#\n", table->average);
}
