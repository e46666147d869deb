/* SPDX-License-Identifier: Apache-2.0 */
/* Program, ranks, hosts and release of each table: from its header, NCCL's own lines, and what its rows prove. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/sorting.h"
#include "engine/base/text.h"
#include "engine/nccltests/reading.h"

/* What NCCL's own lines say about the whole text. */
struct log_says {
    uint32_t ranks, hosts; /* 0 if they say nothing, or several communicators differ */
    enum orr_test test;    /* ORR_TEST_COUNT if they name no function, or several */
};

/* Tables of one run have the same lines about ranks. */
static bool takes_over(const struct orr_results_building *b, uint32_t i)
{
    const struct orr_result_table *before = i ? &b->tables[i - 1] : NULL;
    struct orr_result_table *table = &b->tables[i];
    if (!before || !table->device_count || before->devices != table->devices ||
        before->device_count != table->device_count ||
        b->evidence[i - 1].ranks_a_device != b->evidence[i].ranks_a_device)
        return false;
    table->ranks = before->ranks;
    table->ranks_certain = before->ranks_certain;
    table->hosts = before->hosts;
    table->model = before->model;
    return true;
}

static enum orr_test same_test(enum orr_test so_far, const char *function, bool *several)
{
    enum orr_test test = orr_test_find(function, strlen(function));
    *several |= test != ORR_TEST_COUNT && so_far != ORR_TEST_COUNT && test != so_far;
    return test == ORR_TEST_COUNT ? so_far : test;
}

static struct log_says ask_log(const struct orr_log *log)
{
    struct log_says says = {.test = ORR_TEST_COUNT};
    bool several = false;
    if (!log)
        return says;
    for (uint32_t i = 0; i < log->choice_count; i++)
        says.test = same_test(says.test, log->choices[i].function, &several);
    for (uint32_t i = 0; i < log->call_count; i++)
        says.test = same_test(says.test, log->calls[i].function, &several);
    if (several)
        says.test = ORR_TEST_COUNT;
    for (uint32_t i = 0; i < log->communicator_count; i++) {
        const struct orr_log_communicator *comm = &log->communicators[i];
        if (comm->rank_count <= 0)
            continue;
        if (says.ranks && says.ranks != (uint32_t)comm->rank_count)
            return (struct log_says){.test = says.test};
        says.ranks = (uint32_t)comm->rank_count;
        if (comm->node_count > 0)
            says.hosts = (uint32_t)comm->node_count;
        else if (comm->seen == says.ranks)
            says.hosts = comm->host_count;
    }
    return says;
}

static uint32_t distinct(const char **names, uint32_t count)
{
    uint32_t found = count > 0;
    qsort(names, count, sizeof *names, orr_by_text);
    for (uint32_t i = 1; i < count; i++)
        found += strcmp(names[i], names[i - 1]) != 0;
    return found;
}

/* Ranks, hosts and the model of the GPUs, from the lines about the ranks of the first communicator. */
static void count_devices(struct orr_results_building *b, struct orr_result_table *table,
                          const struct orr_evidence *evidence)
{
    enum { SORTING = 16 }; /* steps of a device */
    uint32_t count = 0, last = 0;
    const struct orr_result_device *devices = table->devices;
    if (!table->device_count || orr_budget_spent(table->device_count * SORTING))
        return;
    const char **hosts = ORR_NEW(b->results->arena, const char *, table->device_count);
    if (!hosts)
        return;
    bool same_group = true, as_ranks = true; /* the numbers of the devices are those of the ranks */
    table->model = devices[0].model;
    for (uint32_t i = 0; i < table->device_count; i++) {
        if (devices[i].group != devices[0].group) {
            same_group = false;
            continue;
        }
        hosts[count++] = devices[i].host;
        last = devices[i].rank > last ? devices[i].rank : last;
        as_ranks &= (int64_t)devices[i].device == devices[i].rank;
        if (table->model && strcmp(table->model, devices[i].model) != 0)
            table->model = NULL;
    }
    /* Ranks are numbered over all groups. */
    table->ranks = same_group ? last + 1 : count;
    if (evidence->ranks_a_device > 1 && same_group)
        table->ranks = last + evidence->ranks_a_device;
    else if (evidence->ranks_a_device > 1)
        table->ranks = count * evidence->ranks_a_device;
    table->ranks_certain = evidence->ranks_a_device ? table->ranks % count == 0 : table->ranks == count;
    const uint32_t found = distinct(hosts, count);
    if (table->ranks_certain || (found == 1 && last && as_ranks)) /* or only some of the lines were pasted */
        table->hosts = found;
}

/* Whether a program can print such rows on this many ranks; 0 means any. */
static bool fits(const struct orr_evidence *e, enum orr_test test, uint32_t ranks)
{
    const struct orr_test_program *program = &orr_test_programs[test];
    uint32_t least, most;
    if ((e->reduces && !e->reduces_not && !program->reduces) || (e->reduces_not && !e->reduces && program->reduces))
        return false;
    if ((e->rooted && !program->rooted) || (e->rooted_not && !e->rooted && program->rooted))
        return false;
    if ((e->in_checked && program->out_only) || (e->in_unchecked && !e->in_checked && !program->out_only))
        return false;
    if (e->parts && !e->parts_differ) {
        if (program->parts ? ranks && e->parts != ranks : e->parts != 1)
            return false;
        if (program->parts && e->parts == 1 && ranks != 1)
            return false;
        if (program->parts)
            ranks = (uint32_t)e->parts;
    }
    if (ranks == 1)
        return true;
    if (e->size_most > 0 && ranks) {
        double factor = orr_test_size_factor(test, ranks);
        if (factor > e->size_most * 1.02 || (program->size == ORR_TEST_FACTOR_ONE && e->size_most < 0.9))
            return test == ORR_TEST_ALLTOALLV;
    }
    return e->bus_differs || (orr_evidence_ranks(e, test, &least, &most) &&
                              (!ranks || program->bus == ORR_TEST_FACTOR_ONE || (ranks >= least && ranks <= most)));
}

static uint32_t fitting(const struct orr_evidence *e, uint32_t ranks)
{
    uint32_t possible = 0;
    for (unsigned test = 0; test < ORR_TEST_COUNT; test++)
        if (fits(e, (enum orr_test)test, ranks))
            possible |= 1U << test;
    return possible;
}

/* Programs that can print such rows. If none can, because the header belongs to another run or somebody typed the rows,
 * the least certain fact is ignored: first the header's ranks, then the column "count". */
static uint32_t find_possible(struct orr_evidence *e, const struct orr_result_table *table)
{
    enum { ALL = (1 << ORR_TEST_COUNT) - 1 };
    uint32_t possible = fitting(e, table->ranks);
    if (possible)
        return possible;
    if (table->ranks && (possible = fitting(e, 0)))
        return possible;
    e->contradicted = true;
    e->parts = 0;
    possible = fitting(e, table->ranks);
    if (!possible)
        possible = fitting(e, 0);
    return possible ? possible : ALL;
}

static void find_test(struct orr_results_building *b, struct orr_result_table *table, struct orr_evidence *e,
                      const struct log_says *says)
{
    enum { EXCHANGES = 1 << ORR_TEST_ALLTOALL | 1 << ORR_TEST_ALLTOALLV };
    if (table->test_certain) {
        table->tests_possible = 1U << table->test;
        return;
    }
    uint32_t possible = table->tests_possible = find_possible(e, table);
    bool by_log = says->test != ORR_TEST_COUNT && possible >> says->test & 1;
    if (by_log || !(possible & (possible - 1))) {
        table->test = by_log ? says->test : (enum orr_test)__builtin_ctz(possible);
        table->test_certain = !e->contradicted;
        table->tests_possible = 1U << table->test;
    } else if (e->mentioned != ORR_TEST_COUNT && possible >> e->mentioned & 1) {
        table->test = e->mentioned;
        orr_tables_note(b, "The text around the table says that the program is %s_perf",
                        orr_test_programs[table->test].name);
    } else if (possible & 1U << ORR_TEST_ALL_REDUCE) {
        table->test = ORR_TEST_ALL_REDUCE;
        orr_tables_note(b, "No line names the program, so Orrery assumes all_reduce_perf, the most common one");
    } else if (!(possible & ~(uint32_t)EXCHANGES)) {
        table->test = ORR_TEST_ALLTOALL;
    } else {
        orr_tables_note(b, "No line names the program of the table in line %u, and several print such rows",
                        table->first_line);
    }
    if (e->contradicted)
        orr_tables_note(
            b, "The columns of the table in line %u contradict one another: no program of nccl-tests prints such rows",
            table->first_line);
}

/* The numbers of ranks that busbw / algbw allows. */
static void find_range(struct orr_result_table *table, const struct orr_evidence *e)
{
    table->ranks_least = table->ranks_most = 0;
    if (!(e->bus_most > 0) || e->bus_differs)
        return;
    for (unsigned test = 0; test < ORR_TEST_COUNT; test++) {
        uint32_t least, most;
        if (table->test != ORR_TEST_COUNT ? test != table->test : !(table->tests_possible >> test & 1))
            continue;
        if (orr_test_programs[test].bus == ORR_TEST_FACTOR_ONE ||
            !orr_evidence_ranks(e, (enum orr_test)test, &least, &most)) {
            table->ranks_least = table->ranks_most = 0;
            return;
        }
        table->ranks_least = table->ranks_least && table->ranks_least < least ? table->ranks_least : least;
        table->ranks_most = table->ranks_most > most ? table->ranks_most : most;
    }
}

static bool all_in_parts(uint32_t possible)
{
    for (unsigned test = 0; test < ORR_TEST_COUNT; test++)
        if (possible >> test & 1 && !orr_test_programs[test].parts)
            return false;
    return true;
}

/* The command line, if nothing else says how many ranks and hosts there were. */
static void ask_command(struct orr_results_building *b, struct orr_result_table *table,
                        const struct orr_command *command)
{
    bool assumed;
    const uint32_t ranks = orr_command_ranks(command), hosts = orr_command_hosts(command, &assumed);
    const bool fits = ranks && (table->ranks_certain ? ranks == table->ranks
                                                     : !table->ranks_least ||
                                                           (ranks >= table->ranks_least && ranks <= table->ranks_most));
    if (command->visible[0])
        table->visible = orr_tables_keep(b, (struct orr_span){command->visible, strlen(command->visible)});
    if (!fits)
        return;
    table->ranks = ranks;
    table->ranks_certain = true;
    if (table->hosts || !hosts || ranks % hosts)
        return;
    table->hosts = hosts;
    if (assumed)
        orr_tables_note(b, "The 2 processes of the command line are assumed to be on 2 hosts, because it names a file "
                           "of hosts (--hosts says otherwise)");
}

/* Whether no row has a bus bandwidth, as with a single rank. */
static bool is_without_bus(const struct orr_result_table *table)
{
    for (uint32_t i = 0; i < table->row_count; i++)
        if (table->rows[i].out.bus_bw > 0 || table->rows[i].in.bus_bw > 0)
            return false;
    return table->row_count > 0;
}

/* Without MPI=1, nccl-tests is built for one process, and mpirun starts that test several times. The header and the
 * columns then have the ranks of one process, and not those of the command. */
static void find_alone(struct orr_result_table *table, const struct orr_command *command)
{
    struct orr_command tasks = *command;
    if (!tasks.processes && !tasks.hosts)
        tasks.hosts = tasks.per_host > 0; /* one at least */
    const uint32_t ranks = orr_command_ranks(&tasks), least = table->ranks_least, most = table->ranks_most;
    const uint32_t processes = tasks.processes ? tasks.processes : tasks.hosts * tasks.per_host;
    const bool proven = table->ranks == 1
                            ? is_without_bus(table)
                            : least && table->ranks >= least && table->ranks <= most && (ranks < least || ranks > most);
    if (!proven || !table->device_count || processes < 2 || (uint64_t)table->ranks * processes != ranks)
        return;
    table->alone = processes;
    table->alone_line = command->line;
}

static void find_ranks(struct orr_results_building *b, struct orr_result_table *table, const struct orr_evidence *e,
                       const struct log_says *says)
{
    uint32_t least = table->ranks_least, most = table->ranks_most, header = table->ranks;
    bool parts = e->parts > 1 && !e->parts_differ && all_in_parts(table->tests_possible);
    bool refuted = header && ((parts && e->parts != header) || (least && (header < least || header > most)));
    if (refuted) {
        orr_tables_note(
            b,
            "The header in front of line %u has %u rank%s, but the columns of the table are of another number of ranks",
            table->first_line, header, orr_plural(header));
        table->ranks = table->hosts = 0;
        table->ranks_certain = false;
    }
    if (table->ranks_certain) {
        find_alone(table, &e->command);
        ask_command(b, table, &e->command);
        return;
    }
    if (parts) {
        table->ranks = (uint32_t)e->parts;
        table->ranks_certain = true;
    } else if (says->ranks && (!least || (says->ranks >= least && says->ranks <= most))) {
        table->ranks = says->ranks;
        table->ranks_certain = true;
    } else if (least && least == most) {
        table->ranks = least;
        table->ranks_certain = !e->contradicted && (table->test_certain || table->test == ORR_TEST_COUNT);
    } else if (least) {
        uint32_t power = 1;
        while (power < least)
            power *= 2;
        table->ranks = power <= most ? power : 0;
    }
    if (!table->hosts && says->hosts && says->ranks == table->ranks)
        table->hosts = says->hosts;
    ask_command(b, table, &e->command);
}

static void find_form(struct orr_results_building *b)
{
    struct orr_results *results = b->results;
    if (results->log && results->log->rccl)
        results->rccl = true;
    if (results->rccl)
        results->form = "output of rccl-tests, of AMD's library RCCL";
    if (results->torn)
        orr_tables_note(b, "%u row%s could not be read, because other output runs into %s", results->torn,
                        orr_plural(results->torn), results->torn == 1 ? "it" : "them");
    if (results->refused)
        orr_tables_note(b, "%u row%s not read; the first is in line %u: %s", results->refused,
                        results->refused == 1 ? " was" : "s were", b->bad_line, b->bad);
    if (results->left_out)
        orr_tables_note(b, "%u row%s left out, because %u tables of %u rows are read at most", results->left_out,
                        results->left_out == 1 ? " was" : "s were", b->limits.tables, b->limits.rows);
}

/* The release that NCCL's own lines name, such as "2.27.7+cuda13.0". */
static void find_library(struct orr_results_building *b)
{
    const char *text = NULL;
    if (!b->results->log || !orr_log_version(b->results->log, &text) || !text)
        return;
    struct orr_span release = {text, strcspn(text, "+ ")};
    if (!b->results->library)
        b->results->library = orr_tables_keep(b, release);
    else if (strlen(b->results->library) != release.length ||
             memcmp(b->results->library, release.at, release.length) != 0)
        orr_tables_note(b, "nccl-tests names NCCL %s, but NCCL's own lines are of %.*s", b->results->library,
                        (int)release.length, release.at);
}

void orr_results_conclude(struct orr_results_building *b)
{
    const struct log_says says = ask_log(b->results->log);
    for (uint32_t i = 0; i < b->results->table_count && !orr_arena_starved(b->results->arena); i++)
        if (!takes_over(b, i))
            count_devices(b, &b->tables[i], &b->evidence[i]);
    for (uint32_t i = 0; i < b->results->table_count && !orr_arena_starved(b->results->arena); i++) {
        struct orr_result_table *table = &b->tables[i];
        find_test(b, table, &b->evidence[i], &says);
        find_range(table, &b->evidence[i]);
        find_ranks(b, table, &b->evidence[i], &says);
    }
    for (uint32_t i = 0; i < b->results->table_count; i++)
        orr_said_conclude(b, &b->tables[i]);
    find_library(b);
    orr_said_release(b);
    find_form(b);
}
