/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/log_comparing/check.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/sorting.h"
#include "engine/base/words.h"
#include "engine/cluster/again.h"
#include "engine/log_comparing/dump_edit.h"
#include "engine/log_comparing/trial.h"
#include "engine/release/release_names.h"

enum { NONE = UINT32_MAX };

const char *orr_log_topic_name(enum orr_log_topic topic)
{
    static const char *const names[] = {ORR_LOG_TOPIC_MAP(ORR_SECOND_OF)};
    return topic < ORR_LOG_TOPIC_COUNT ? names[topic] : "";
}

const char *orr_log_topic_subsystem(enum orr_log_topic topic)
{
    static const char *const names[] = {ORR_LOG_TOPIC_MAP(ORR_THIRD_OF)};
    return topic < ORR_LOG_TOPIC_COUNT ? names[topic] : "";
}

static int by_topic(const void *a, const void *b)
{
    const struct orr_log_fact *x = a, *y = b;
    static const int rank[] = {[ORR_FACT_DIFFERS] = 0, [ORR_FACT_AGREES] = 1, [ORR_FACT_NOT_PREDICTED] = 2};
    ORR_BY(ORR_ORDER(x->topic, y->topic));
    ORR_BY(ORR_ORDER(rank[x->verdict], rank[y->verdict]));
    ORR_BY(ORR_ORDER(x->line, y->line));
    return strcmp(x->what, y->what);
}

static void sum_up(struct orr_log_check *check)
{
    if (check->fact_count)
        qsort(check->facts, check->fact_count, sizeof *check->facts, by_topic);
    check->first = NONE;
    for (uint32_t i = 0; i < check->fact_count; i++) {
        const struct orr_log_fact *fact = &check->facts[i];
        uint32_t *counts[] = {&check->topics[fact->topic].agree, &check->topics[fact->topic].differ,
                              &check->topics[fact->topic].not_predicted};
        ++*counts[fact->verdict];
        check->agree += fact->verdict == ORR_FACT_AGREES;
        check->differ += fact->verdict == ORR_FACT_DIFFERS;
        if (fact->verdict == ORR_FACT_DIFFERS && check->first == NONE)
            check->first = i;
    }
}

/* For a log that does not name its release: the release for which the fewest facts differ, the newest of equals. */
static enum orr_code guess_release(struct orr_log_check *check, const struct orr_dump *dump,
                                   const struct orr_log_question *question, const struct orr_release **ret_release,
                                   struct orr_error *err)
{
    uint32_t count, least = UINT32_MAX;
    const struct orr_release *releases = orr_releases(&count);
    for (uint32_t i = count; i-- > 0;) {
        struct orr_log_facts facts;
        struct orr_analysis *analysis;
        struct orr_error refused = {0};
        ORR_TRY(orr_log_make_query(check, dump, question, &releases[i], err));
        ORR_LOCAL_ARENA(arena, (size_t)1 << 30);
        enum orr_code code = orr_log_try(check, dump, &check->query, arena, &facts, &analysis, &refused);
        if (code == ORR_OK) {
            uint32_t here = orr_log_differences(&facts, ORR_TOPIC_SYSTEM, ORR_LOG_TOPIC_COUNT);
            if (here < least) {
                least = here;
                *ret_release = &releases[i];
            }
            orr_analysis_again_free(analysis);
        }
        if (code == ORR_NOMEM)
            return orr_fail_nomem(err);
    }
    return ORR_OK;
}

static void take_facts(struct orr_log_check *check, const struct orr_log_facts *facts)
{
    memset(check->topics, 0, sizeof check->topics);
    check->agree = check->differ = 0;
    check->facts = facts->rows;
    check->fact_count = facts->count;
    sum_up(check);
}

/* Numbers the NICs as the log's connections imply, if then fewer facts differ. */
static enum orr_code try_numbers_of_nics(struct orr_log_check *check, const struct orr_dump *dump,
                                         struct orr_error *err)
{
    struct orr_log_nics nics;
    struct orr_log_facts facts;
    struct orr_analysis *analysis;
    struct orr_dump *edited = NULL;
    struct orr_error refused = {0};
    if (!check->topics[ORR_TOPIC_NET].differ || check->nics_of_log)
        return ORR_OK;
    ORR_TRY(orr_log_renumber_nics(check, dump, check->arena, &nics, err));
    if (!nics.devs)
        return ORR_OK;
    const struct orr_dump_edit edit = {.net_devs = nics.devs};
    ORR_TRY(orr_log_edit_dump(dump, &edit, check->arena, &edited, err));
    enum orr_code code = orr_log_try(check, edited, &check->query, check->arena, &facts, &analysis, &refused);
    if (code != ORR_OK || orr_log_differences(&facts, ORR_TOPIC_SYSTEM, ORR_LOG_TOPIC_COUNT) >= check->differ) {
        if (code == ORR_OK)
            orr_analysis_again_free(analysis);
        return code == ORR_NOMEM ? orr_fail_nomem(err) : ORR_OK;
    }
    orr_analysis_again_free(check->analysis);
    check->analysis = analysis;
    check->renumbered = edited;
    orr_log_assume(check, "The job numbers its NICs as the log's connections imply, not as the dump does");
    take_facts(check, &facts);
    return ORR_OK;
}

static enum orr_code compare(struct orr_log_check *check, const struct orr_dump *dump,
                             const struct orr_log_question *question, struct orr_error *err)
{
    struct orr_log_facts facts;
    bool exact;
    uint32_t version = orr_log_version(check->log, NULL);
    const struct orr_release *release = question->release ? question->release : orr_release_nearest(version, &exact);
    ORR_TRY(orr_log_match_hosts(check, dump, question, release, err));
    dump = check->dump ? check->dump : check->edited ? check->edited : dump;
    bool small =
        check->communicator == NONE || check->log->communicators[check->communicator].rank_count <= ORR_LOG_RANKS_TRIED;
    if (!version && !question->release && small && check->log->record_count <= ORR_LOG_RECORDS_TRIED)
        ORR_TRY(guess_release(check, dump, question, &release, err));
    ORR_TRY(orr_log_make_query(check, dump, question, release, err));
    ORR_TRY(orr_log_try(check, dump, &check->query, check->arena, &facts, &check->analysis, err));
    take_facts(check, &facts);
    ORR_TRY(try_numbers_of_nics(check, dump, err));
    orr_budget_task("finding causes of what differs from the log");
    return check->differ && !question->without_causes
               ? orr_log_find_causes(check, check->renumbered ? check->renumbered : dump, err)
               : ORR_OK;
}

enum orr_code orr_log_compare(const struct orr_log *log, const struct orr_dump *dump,
                              const struct orr_log_question *question, struct orr_log_check **ret_check,
                              struct orr_error *err)
{
    ORR_LOCAL_ARENA(arena, (size_t)1 << 30);
    struct orr_log_check *check = ORR_NEW(arena, struct orr_log_check, 1);
    ORR_NEED(check, err);
    *check = (struct orr_log_check){.log = log, .arena = orr_arena_take(&arena), .release_text = "", .note = ""};
    check->communicator =
        question->communicator < log->communicator_count ? question->communicator : orr_log_largest(log);
    check->machine_implied = question->assumed_count > 0;
    for (uint32_t i = 0; i < question->assumed_count && check->assumed_count < ORR_LOG_ASSUMED; i++)
        check->assumed[check->assumed_count++] = question->assumed[i];
    const char *task = orr_budget_task("comparing with the log");
    enum orr_code code = compare(check, dump, question, err);
    orr_budget_task(task);
    if (code != ORR_OK) {
        orr_log_check_free(check);
        return code;
    }
    *ret_check = check;
    return ORR_OK;
}

void orr_log_check_free(struct orr_log_check *check)
{
    orr_analysis_again_free(check->analysis);
    orr_arena_free(check->arena);
}
