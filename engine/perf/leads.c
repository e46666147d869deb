/* SPDX-License-Identifier: Apache-2.0 */
/* Finds lines of the same text that may explain low results: settings of the command line, each with its cost by a
 * trial without it, and symptoms (engine/symptoms). */
#include <stdio.h>
#include <string.h>

#include "engine/analysis/pasted.h"
#include "engine/base/budget.h"
#include "engine/cluster/again.h"
#include "engine/perf/perfing.h"

enum orr_code orr_perf_read_settings(const struct orr_results *results, struct orr_perf_question *question,
                                     struct orr_arena *arena, struct orr_perf_check *check, struct orr_error *err)
{
    const struct orr_log *log = results->log;
    check->settings = ORR_NEW(arena, struct orr_perf_setting, log ? (size_t)log->setting_count + 1 : 1);
    ORR_NEED(check->settings, err);
    for (uint32_t i = 0; log && i < log->setting_count; i++) {
        const struct orr_log_setting *read = &log->settings[i];
        struct orr_perf_setting *setting = &check->settings[check->setting_count];
        *setting = (struct orr_perf_setting){.name = read->name, .value = read->value, .line = read->line};
        check->setting_count++;
        setting->applied =
            !read->varies && orr_pasted_take(question->dump, read->name, read->value, &question->settings);
    }
    if (log)
        ORR_TRY(orr_symptoms_find(log, arena, &check->symptoms, err));
    return orr_budget_check(err);
}

/* Bus bandwidth of the main row with another value of a setting, "" means without it; 0 if it cannot be computed. */
static enum orr_code with_setting(const struct orr_perf_table *table, const char *name, const char *value,
                                  double *ret_bus_bw, struct orr_error *err)
{
    struct orr_query query = table->analysis->query;
    ORR_LOCAL_AGAIN(analysis);
    struct orr_expectation *expectation = NULL;
    struct orr_expected expected;
    struct orr_error refused = {0};
    *ret_bus_bw = 0;
    if (orr_settings_set(&query.settings, name, value, &refused) != ORR_OK)
        return ORR_OK;
    enum orr_code code = orr_analyze_again(table->analysis, &query, &analysis, &refused);
    if (code == ORR_OK)
        code = orr_expectation_new(analysis, table->test, &expectation, &refused);
    if (code == ORR_OK && orr_expect(expectation, table->rows[table->main].size, &expected))
        *ret_bus_bw = expected.bus_bw;
    orr_expectation_free(expectation);
    return code == ORR_NOMEM ? orr_fail_nomem(err) : orr_budget_check(err);
}

/* Computes the cost of each applied setting on this machine. */
static enum orr_code cost_settings(const struct orr_perf_work *work, struct orr_perf_table *table,
                                   struct orr_error *err)
{
    enum { TRIED_MOST = 8 };
    static const double SHOWS = 1.02, REACHED = 0.9; /* if results are this high even without the setting, it costs
                                                      * nothing */
    const struct orr_perf_check *check = work->check;
    uint32_t tried = 0;
    for (uint32_t i = 0; i < check->setting_count && tried < TRIED_MOST; i++) {
        const struct orr_perf_setting *setting = &check->settings[i];
        const double with = table->rows[table->main].expected.bus_bw;
        double better = 0;
        char size[24];
        if (!setting->applied)
            continue;
        tried++;
        ORR_TRY(with_setting(table, setting->name, "", &better, err));
        if (with <= 0 || better < SHOWS * with || table->rows[table->main].bus_bw > REACHED * better)
            continue;
        orr_size_text(table->rows[table->main].size, size);
        orr_perf_lead(table, orr_arena_text(work->arena,
                                            "%s=%s (line %u) costs bandwidth: without it, %.3g instead of %.3g GB/s "
                                            "are predicted at %s. Remove it.",
                                            setting->name, setting->value, setting->line, better, with, size));
    }
    return ORR_OK;
}

/* "A=1 (line 6) and B=NVL (line 7)": slow settings, by their effect, all in one sentence. */
static void say_settings(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    const struct orr_symptoms *symptoms = &work->check->symptoms;
    const char *causes = "";
    uint32_t count = 0;
    for (uint32_t i = 0; i < symptoms->count; i++) {
        const struct orr_symptom *symptom = &symptoms->rows[i];
        const bool depends = strstr(symptom->id, "NCCL_ALGO") || strstr(symptom->id, "NCCL_PROTO");
        if (symptom->weight != ORR_SYMPTOM_SETTING || (!table->analysis && depends))
            continue; /* the cost of an algorithm depends on the machine */
        causes = orr_arena_text(work->arena, "%s%s%s", causes, count ? " " : "", symptom->cause);
        count++;
    }
    if (count)
        orr_perf_lead(table, orr_arena_text(work->arena, "Run first without %s: %s",
                                            count > 1 ? "these settings" : "this setting", causes));
}

/* A job that uses one GPU of each host uses only the NICs of that GPU. */
static void say_unused(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    const struct orr_analysis *analysis = table->analysis;
    uint32_t gpus = 0, nics = 0;
    for (uint32_t e = 0; e < analysis->given->element_count; e++) {
        gpus += analysis->given->elements[e].kind == ORR_ELEMENT_GPU;
        nics += analysis->given->elements[e].kind == ORR_ELEMENT_NET;
    }
    if (analysis->communicator.node_count < 2 || analysis->built.host_count > 1 || analysis->local_ranks * 2 > gpus ||
        !table->limit_known)
        return;
    if (table->limit.what == ORR_BOUND_PCIE && nics > analysis->local_ranks)
        orr_perf_lead(
            table, orr_arena_text(
                       work->arena,
                       "%u of %u GPUs of each host took part, and the PCIe link%s of %s limit%s how much of the host's "
                       "%u NICs the job can use. Use all GPUs to use all NICs: start one process for each.",
                       analysis->local_ranks, gpus, orr_plural(analysis->local_ranks),
                       analysis->local_ranks > 1 ? "these" : "this GPU", analysis->local_ranks > 1 ? "" : "s", nics));
    if (table->limit.what != ORR_BOUND_NICS || table->limit.count * 2 > nics)
        return;
    orr_perf_lead(table, orr_arena_text(work->arena,
                                        "%u of %u GPUs of each host took part, and they use %u of its %u NICs. Use all "
                                        "GPUs to use all NICs: start one process for each.",
                                        analysis->local_ranks, gpus, table->limit.count, nics));
}

/* Send and Recv, of which Alltoall consists too: a pair of GPUs on two hosts uses few channels, which may be too few
 * for a fast NIC (nccl#1272, nccl-tests#321). The bandwidth model has no limit per channel. */
static void say_peers(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    enum { ENOUGH = 4 };
    const struct orr_analysis *analysis = table->analysis;
    const int32_t channels = analysis->communicator.p2p_channels_per_peer;
    if (analysis->communicator.node_count < 2 || !orr_perf_is_of_pairs(table) ||
        orr_setting_text(&analysis->query.settings, ORR_SET_NCHANNELS_PER_NET_PEER))
        return;
    if (channels > 0 && channels < ENOUGH)
        orr_perf_lead(table,
                      orr_arena_text(work->arena,
                                     "Run once with NCCL_NCHANNELS_PER_NET_PEER=4: NCCL %s uses %d channel%s between "
                                     "two GPUs of different hosts here, which may not fill a fast NIC.",
                                     analysis->query.settings.release->name, channels, orr_plural((uint64_t)channels)));
    else if (!work->results->library && !work->question->release_given)
        orr_perf_lead(
            table, "If the job runs a release before 2.29, run once with NCCL_NCHANNELS_PER_NET_PEER=4: such releases "
                   "use 2 channels or fewer between two GPUs of different hosts, which may not fill a fast NIC.");
}

/* Compares the results with the NICs' rate. On two hosts a tree sends less over the network than a ring, so results at
 * the ring's rate show that the NICs are full and the job used the ring. Results at the rate of one of several NICs
 * show that the others are idle. */
static enum orr_code say_nics(const struct orr_perf_work *work, struct orr_perf_table *table, bool *ret_said,
                              struct orr_error *err)
{
    static const double REACHED = 0.9, BEYOND = 1.1, NEAR = 0.05;
    const struct orr_perf_row *row = &table->rows[table->main];
    const bool tree = strstr(row->expected.algorithm_name, "Tree");
    double ring = row->expected.bus_bw;
    *ret_said = false;
    if (table->analysis->communicator.node_count < 2 || !table->limit_known || table->limit.what != ORR_BOUND_NICS ||
        orr_setting_text(&table->analysis->query.settings, ORR_SET_ALGO))
        return ORR_OK;
    if (strcmp(row->expected.algorithm_name, "Ring") != 0)
        ORR_TRY(with_setting(table, "NCCL_ALGO", "Ring", &ring, err));
    if (ring <= 0)
        return ORR_OK;
    const double one = table->limit.count > 1 ? ring / table->limit.count : 0;
    if (tree && table->analysis->communicator.node_count == 2 && row->bus_bw > REACHED * ring &&
        row->bus_bw < BEYOND * ring && row->expected.bus_bw > BEYOND * ring) {
        orr_perf_lead(
            table,
            orr_arena_text(work->arena,
                           "The NICs are full: the ring algorithm gets %.3g GB/s here. On 2 hosts %s gets more (%.3g), "
                           "because it sends less over the network; from 3 hosts on it does not. See which algorithm "
                           "the job used: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=TUNING, or NCCL_ALGO.",
                           ring, row->expected.algorithm_name, row->expected.bus_bw));
        *ret_said = true;
    } else if (row->bus_bw > (1 - NEAR) * one && row->bus_bw < (1 + NEAR) * one) {
        orr_perf_lead(table,
                      orr_arena_text(work->arena,
                                     "This is the rate of one NIC (%.3g GB/s), and each host has %u. If the line "
                                     "\"NET/IB : Using\" of NCCL_DEBUG=INFO does not list all, check NCCL_IB_HCA, and "
                                     "`ibstat` for ports that are down.",
                                     one, table->limit.count));
        *ret_said = true;
    }
    return ORR_OK;
}

/* The bandwidth falls with the number of hosts and the prediction does not, so the loss is between the hosts. */
static void say_fall(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    static const double LESS = 0.9;
    const struct orr_perf_row *row = &table->rows[table->main];
    const uint32_t hosts = (uint32_t)table->analysis->communicator.node_count;
    const struct orr_perf_table *before = NULL;
    for (uint32_t i = 0; hosts > 2 && i < work->check->table_count && &work->check->tables[i] != table; i++) {
        const struct orr_perf_table *other = &work->check->tables[i];
        const uint32_t nodes = other->analysis ? (uint32_t)other->analysis->communicator.node_count : 0;
        if (nodes > 1 && nodes < hosts && other->test == table->test && other->main != UINT32_MAX)
            before = other;
    }
    if (hosts < 3 || !table->limit_known || table->limit.what != ORR_BOUND_NICS)
        return;
    const struct orr_perf_row *fewer = before ? &before->rows[before->main] : NULL;
    if (fewer && row->bus_bw < LESS * fewer->bus_bw && row->expected.bus_bw > LESS * fewer->bus_bw)
        orr_perf_lead(table,
                      orr_arena_text(work->arena,
                                     "Bandwidth falls with the number of hosts (%u: %.3g, %u: %.3g GB/s) more than the "
                                     "prediction does, so the network between the hosts loses it: congestion, paths "
                                     "that ECMP puts on one link, PFC or ECN, or one slow host.",
                                     (uint32_t)before->analysis->communicator.node_count, fewer->bus_bw, hosts,
                                     row->bus_bw));
    else
        orr_perf_lead(table, orr_arena_text(work->arena,
                                            "With %u hosts, look at the network between them: congestion, paths that "
                                            "ECMP puts on one link, PFC or ECN (RoCE), or one slow host.",
                                            hosts));
    orr_perf_lead(table, "Check: measure every pair of hosts alone. If all pairs are sound, the switches between them "
                         "lose bandwidth; if one host is slow in all its pairs, it is that host.");
}

/* Whether the table is low, or would be with one of the values that the input does not show. */
static bool is_low_somehow(const struct orr_perf_table *table)
{
    for (uint32_t i = 0; i < table->depends.count; i++)
        if (table->depends.rows[i].verdict == ORR_PERF_LOW)
            return true;
    return table->verdict == ORR_PERF_LOW;
}

/* Adds a symptom of the text; one cause is enough here, and the document has all. */
static void say_symptom(const struct orr_symptoms *symptoms, bool causes_only, struct orr_perf_table *table)
{
    for (uint32_t i = 0; i < symptoms->count; i++) {
        const struct orr_symptom *symptom = &symptoms->rows[i];
        if (symptom->weight == ORR_SYMPTOM_SETTING || (causes_only && symptom->weight != ORR_SYMPTOM_CAUSE) ||
            (table->analysis && !strcmp(symptom->id, "asked-vm-slow"))) /* acs.c says it of this machine */
            continue;
        orr_perf_lead(table, symptom->cause);
        orr_perf_lead(table, symptom->check);
        orr_perf_lead(table, symptom->cure);
        return;
    }
}

/* nccl-tests was built without MPI, so no data crossed the network. */
static void say_alone(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    const struct orr_result_table *measured = table->measured;
    if (measured->alone)
        orr_perf_lead(table, orr_arena_text(work->arena,
                                            "The command (line %u) starts %u processes, and each tested alone, with %u "
                                            "GPU%s: nccl-tests was built without MPI, or with an MPI other than the "
                                            "launcher's. Build it with `make clean` and `make MPI=1 MPI_HOME=...`, and "
                                            "start it with mpirun of that MPI, or with `srun --mpi=pmix`.",
                                            measured->alone_line, measured->alone, measured->ranks,
                                            orr_plural(measured->ranks)));
}

/* The log has connections over RDMA, none of them with GPUDirect RDMA. */
static bool lacks_gdr(const struct orr_perf_work *work)
{
    const struct orr_log *log = work->results->log;
    return log && orr_log_shown(log, orr_log_largest(log)) >> ORR_SHOWS_GDR_UNUSED & 1;
}

static void say_gdr(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    if (table->analysis->communicator.node_count > 1 && orr_perf_uses_gdr(table->analysis) && lacks_gdr(work))
        orr_perf_lead(
            table,
            "No connection of the log uses GPUDirect RDMA: its lines \"via NET\" do not end in GDRDMA, so data between "
            "GPUs and NICs crosses host memory. `lsmod | grep nvidia_peermem`: load that module, or use a driver and "
            "kernel with DMA-BUF; NCCL_NET_GDR_LEVEL=PHB or SYS allows it for NICs that are not near a GPU.");
}

/* Wrong values, whose bandwidth says nothing; and a protocol that was forced, which NCCL itself takes only on safe
 * paths.
 */
static void say_wrong(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    const struct orr_result_table *measured = table->measured;
    int64_t wrong = measured->out_of_bounds > 0 ? measured->out_of_bounds : 0;
    for (uint32_t i = 0; i < measured->row_count && !wrong; i++)
        wrong = measured->rows[i].out.wrong > 0 ? measured->rows[i].out.wrong : measured->rows[i].in.wrong > 0;
    if (!wrong)
        return;
    orr_perf_lead(table, orr_arena_text(work->arena,
                                        "%lld value%s of these results %s wrong, so their bandwidth says nothing.",
                                        (long long)wrong, orr_plural((uint64_t)wrong), wrong == 1 ? "is" : "are"));
    const struct orr_symptom *cause = orr_symptom_explaining(&work->check->symptoms, "tests-wrong");
    if (cause) {
        orr_perf_lead(table, cause->cause);
        orr_perf_lead(table, cause->check);
        orr_perf_lead(table, cause->cure);
    }
    for (uint32_t i = 0; i < work->check->setting_count; i++) {
        const struct orr_perf_setting *setting = &work->check->settings[i];
        if (!strcmp(setting->name, "NCCL_PROTO") && strstr(setting->value, "LL128") && setting->value[0] != '^')
            orr_perf_lead(
                table,
                orr_arena_text(work->arena,
                               "Unset NCCL_PROTO=%.40s (line %u) first: it forces LL128, which NCCL chooses only where "
                               "stores of 128 bytes arrive whole and in order, and which elsewhere gives wrong data.",
                               setting->value, setting->line));
    }
}

/* Whether lines that programs printed show a cause, which explains more than what anybody says. */
static bool is_shown(const struct orr_symptoms *symptoms)
{
    for (uint32_t i = 0; i < symptoms->count; i++)
        if (symptoms->rows[i].weight == ORR_SYMPTOM_CAUSE && !symptoms->rows[i].by_words)
            return true;
    return false;
}

enum orr_code orr_perf_find_leads(const struct orr_perf_work *work, struct orr_perf_table *table, struct orr_error *err)
{
    say_wrong(work, table);
    say_alone(work, table);
    orr_perf_say_library(work, table);
    const struct orr_symptoms *symptoms = &work->check->symptoms;
    const bool judged = table->analysis && table->main != UINT32_MAX, shown = is_shown(symptoms);
    if (orr_perf_say_times(work, table))
        return ORR_OK;
    if (!judged || (shown && (is_low_somehow(table) || table->verdict == ORR_PERF_CANNOT_JUDGE)))
        say_symptom(symptoms, true, table);
    if (shown && judged && table->lead_count)
        return ORR_OK;
    if (!table->analysis) {
        orr_perf_say_named_nics(work, table);
        say_settings(work, table);
    }
    if (!judged)
        return ORR_OK;
    if (orr_perf_say_slow_ports(work, table) || orr_perf_say_full_interface(work, table))
        return ORR_OK;
    if (is_low_somehow(table) && orr_perf_say_channels(work, table))
        return ORR_OK;
    say_unused(work, table);
    ORR_TRY(cost_settings(work, table, err));
    orr_perf_say_meaning(work, table);
    if (!is_low_somehow(table))
        return ORR_OK;
    say_symptom(symptoms, false, table);
    say_gdr(work, table);
    bool said;
    orr_perf_say_named_nics(work, table);
    say_settings(work, table);
    ORR_TRY(say_nics(work, table, &said, err));
    say_peers(work, table);
    say_fall(work, table);
    if (!said && !lacks_gdr(work))
        orr_perf_lead(table, orr_perf_advise_acs(work, table));
    return ORR_OK;
}
