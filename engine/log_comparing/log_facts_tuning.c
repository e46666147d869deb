/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of the tuning table: latency and bandwidth of every function, algorithm and protocol. */
#include <string.h>
#include <strings.h>

#include "engine/log_comparing/log_facts.h"

/* The algorithms of the table that a session is printing. */
struct table_state {
    const struct orr_log_record *algorithms;
};

static int algorithm_of(const struct orr_log_facts *f, const char *name)
{
    size_t length = strcspn(name, "/ "); /* older tables have "Tree/ LL" */
    for (uint32_t a = 0; a < f->analysis->tuning.algorithm_count; a++) {
        const char *known = orr_algorithm_name(f->analysis->query.settings.release, (enum orr_algorithm)a);
        if (strlen(known) == length && !strncasecmp(known, name, length))
            return (int)a;
    }
    return -1;
}

static int function_of(const char *name)
{
    for (int i = 0; i < ORR_FUNCTION_COUNT; i++)
        if (!strcasecmp(orr_function_name((enum orr_function)i), name))
            return i;
    return -1;
}

static void add_row(struct orr_log_facts *f, const struct orr_log_record *record, const struct orr_log_record *names)
{
    int function = record->word_count ? function_of(record->words[0]) : -1;
    if (function < 0)
        return; /* "Max NThreads" */
    uint32_t pairs = record->value_count / 2;
    bool each = names->word_count && strchr(names->words[0], '/') != NULL; /* a name for every protocol */
    for (uint32_t p = 0; p < pairs; p++) {
        uint32_t name = each ? p : p / ORR_PROTOCOL_COUNT;
        if (name >= names->word_count)
            return;
        int algorithm = algorithm_of(f, names->words[name]);
        uint32_t protocol = p % ORR_PROTOCOL_COUNT;
        double latency = record->values[2 * p], bw = record->values[2 * p + 1];
        if (algorithm < 0)
            continue;
        const struct orr_log_value logged = {.shape = ORR_SHAPE_TUNING, .tuning = {latency, bw}};
        struct orr_log_fact *fact = orr_log_fact_new(
            f, ORR_TOPIC_TUNING, record->line, logged, "%s %s %s", orr_function_name((enum orr_function)function),
            orr_algorithm_name(f->analysis->query.settings.release, (enum orr_algorithm)algorithm),
            orr_protocol_name((enum orr_protocol)protocol));
        if (fact)
            orr_log_fact_compare(f, fact,
                                 (struct orr_log_value){
                                     .shape = ORR_SHAPE_TUNING,
                                     .tuning = {(double)f->analysis->tuning.latency[function][algorithm][protocol],
                                                (double)f->analysis->tuning.bandwidth[function][algorithm][protocol]}});
    }
}

enum orr_code orr_log_facts_of_tuning(struct orr_log_facts *f, struct orr_error *err)
{
    struct table_state *states = ORR_NEW(f->arena, struct table_state, f->log->session_count);
    ORR_NEED(states, err);
    const struct orr_log_own own = orr_log_records_of(f->log, f->communicator);
    for (uint32_t i = 0; i < own.count; i++) {
        const struct orr_log_record *record = &f->log->records[own.at[i]];
        if (record->kind == ORR_LOG_TUNING_ALGORITHMS)
            states[record->session].algorithms = record;
        else if (record->kind == ORR_LOG_TUNING_ROW && states[record->session].algorithms)
            add_row(f, record, states[record->session].algorithms);
    }
    return ORR_OK;
}
