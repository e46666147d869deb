/* Two stored dumps compared by role, or a set of them held against what most are like. */
#include <stdlib.h>
#include <string.h>

#include "api/call.h"
#include "api/documents.h"
#include "engine/compare/compare.h"
#include "engine/compare/majority.h"
#include "engine/machines/machine_types.h"

/* Makes a topology the one that the call is about. */
static enum orr_code turn_to(struct orr_call *call, const char *parameter, const char *id, struct orr_error *err)
{
    int64_t seen;
    if (!orr_is_id(id)) {
        call->problem = ORR_PROBLEM_PARAMETER;
        orr_fail(err, ORR_SETTING, "\"%.60s\" is not the id of a topology", id);
        orr_error_where(err, "%s", parameter);
        orr_error_advice(err, "ids have %d hex digits, as POST /v1/topologies gives them", (int)ORR_ID_LENGTH);
        return ORR_SETTING;
    }
    memcpy(call->id, id, ORR_ID_LENGTH + 1);
    enum orr_code code = orr_call_exists(call, true, &seen, err);
    if (code == ORR_NOT_FOUND)
        orr_error_where(err, "%s", parameter);
    return code;
}

/* The analysis of a topology, and what it is called. */
static enum orr_code work_of(struct orr_call *call, const char *parameter, const char *id, struct orr_work **ret_work,
                             struct orr_called *called, struct orr_error *err)
{
    struct orr_record record;
    ORR_TRY(turn_to(call, parameter, id, err));
    if (called) {
        ORR_TRY(orr_store_get(call->app->store, id, &record, err));
        *called = (struct orr_called){id, orr_arena_strndup(call->arena, record.name, strlen(record.name))};
        orr_record_release(&record);
        if (!called->name)
            return orr_fail_nomem(err);
    }
    enum orr_code code = orr_call_work(call, ret_work, err);
    if (code != ORR_OK)
        orr_error_where(err, "%s", parameter);
    return code;
}

/* The analysis of a machine type alone, in place of a second topology. */
static enum orr_code work_of_type(struct orr_call *call, const struct orr_machine_type *type,
                                  struct orr_work **ret_work, struct orr_called *called, struct orr_error *err)
{
    *called = (struct orr_called){type->name, type->title};
    orr_call_content(call, "", 0);
    call->params.machine = type;
    return orr_call_work(call, ret_work, err);
}

static enum orr_code compare_two(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    const struct orr_params *params = &call->params;
    struct orr_work *a = NULL, *b = NULL;
    struct orr_called called[2];
    struct orr_comparison comparison;
    struct orr_json json = {0};
    struct orr_arena *arena = orr_arena_new(0);
    const struct orr_machine_type *type = params->machine;
    call->params.machine = NULL; /* of the second one only */
    enum orr_code code = arena ? work_of(call, "a", params->a, &a, &called[0], err) : orr_fail_nomem(err);
    if (code == ORR_OK)
        code =
            type ? work_of_type(call, type, &b, &called[1], err) : work_of(call, "b", params->b, &b, &called[1], err);
    if (code == ORR_OK)
        code = orr_compare(a->analysis, b->analysis, arena, &comparison, err);
    if (code == ORR_OK)
        code = orr_answer_of_json(200, &json, orr_compare_json(&json, &comparison, &called[0], &called[1]), ret_answer,
                                  err);
    if (a)
        orr_shared_give(&a->shared);
    if (b)
        orr_shared_give(&b->shared);
    orr_arena_free(arena);
    return code;
}

/* A set on its way: its dumps, and the analyses of those that deviate. */
struct set {
    struct orr_arena *arena;
    struct orr_called *called;
    struct orr_specimen *specimens;
    uint32_t count;
    size_t bytes;
};
enum { MOST_DECISIONS = 16 };

static enum orr_code add_member(struct orr_call *call, struct set *set, const char *id, const char *name,
                                struct orr_error *err)
{
    struct orr_dump *dump;
    for (uint32_t i = 0; i < set->count; i++)
        if (!strcmp(set->called[i].topology, id))
            return ORR_OK;
    if (set->count == ORR_MAX_SET)
        return orr_fail(err, ORR_LIMIT, "the set has more than %d topologies", (int)ORR_MAX_SET);
    ORR_TRY(turn_to(call, "topology", id, err));
    ORR_TRY(orr_call_dump(call, NULL, &dump, err));
    struct orr_called *called = &set->called[set->count];
    set->specimens[set->count++] = (struct orr_specimen){.dump = dump, .hosts = 1};
    *called = (struct orr_called){orr_arena_strndup(set->arena, id, strlen(id)),
                                  orr_arena_strndup(set->arena, name, strlen(name))};
    set->bytes += dump->byte_count;
    if (!called->topology || !called->name)
        return orr_fail_nomem(err);
    if (set->bytes > ORR_SET_BYTES) {
        orr_fail(err, ORR_LIMIT, "the dumps of the set have more than %d MiB together", ORR_SET_BYTES >> 20);
        orr_error_advice(err, "narrow it: a further label, or fewer topologies");
        return ORR_LIMIT;
    }
    return call->params.strict ? orr_dump_check_strict(dump, err) : ORR_OK;
}

/* The stored topologies that have the labels, and match the search. */
static enum orr_code add_listed(struct orr_call *call, struct set *set, struct orr_error *err)
{
    const struct orr_params *params = &call->params;
    struct orr_listing listing = {.limit = ORR_MAX_SET + 1, .search = params->search};
    struct orr_record *records;
    uint32_t count;
    for (uint32_t i = 0; i < params->label_count; i++) {
        const char *name = orr_arena_strndup(set->arena, params->labels[i].name, params->labels[i].name_length);
        if (!name)
            return orr_fail_nomem(err);
        listing.labels[listing.label_count++] = (struct orr_store_label){name, params->labels[i].value};
    }
    ORR_TRY(orr_store_list(call->app->store, &listing, &records, &count, err));
    enum orr_code code = ORR_OK;
    for (uint32_t i = 0; i < count && code == ORR_OK; i++)
        code = add_member(call, set, records[i].id, records[i].name, err);
    for (uint32_t i = 0; i < count; i++)
        orr_record_release(&records[i]);
    free(records);
    return code;
}

static enum orr_code gather(struct orr_call *call, struct set *set, struct orr_error *err)
{
    const struct orr_params *params = &call->params;
    set->called = ORR_NEW(set->arena, struct orr_called, ORR_MAX_SET);
    set->specimens = ORR_NEW(set->arena, struct orr_specimen, ORR_MAX_SET);
    if (!set->called || !set->specimens)
        return orr_fail_nomem(err);
    for (uint32_t i = 0; i < params->topologies.count; i++) {
        struct orr_record record;
        ORR_TRY(turn_to(call, "topology", params->topologies.items[i], err));
        ORR_TRY(orr_store_get(call->app->store, call->id, &record, err));
        enum orr_code code = add_member(call, set, params->topologies.items[i], record.name, err);
        orr_record_release(&record);
        ORR_TRY(code);
    }
    if (params->label_count || params->search)
        ORR_TRY(add_listed(call, set, err));
    if (set->count > 2)
        return ORR_OK;
    call->problem = ORR_PROBLEM_PARAMETER;
    orr_fail(err, ORR_SETTING, "a majority needs at least 3 different topologies; these are %u", set->count);
    orr_error_where(err, params->topologies.count ? "topology" : "label");
    orr_error_advice(err, "compare two with a=ID&b=ID; name a set with topology=ID several times, or label=NAME=VALUE");
    return ORR_SETTING;
}

/* What NCCL decides otherwise for one that deviates; one that cannot be analysed is left without. */
static enum orr_code decide(struct orr_call *call, const struct set *set, uint32_t specimen,
                            const struct orr_work *reference, const struct orr_changes **ret_changes,
                            struct orr_error *err)
{
    struct orr_error own = {0};
    struct orr_work *work = NULL;
    struct orr_comparison *comparison = ORR_NEW(set->arena, struct orr_comparison, 1);
    if (!comparison)
        return orr_fail_nomem(err);
    enum orr_code code = work_of(call, "topology", set->called[specimen].topology, &work, NULL, &own);
    if (code == ORR_OK)
        code = orr_compare(reference->analysis, work->analysis, set->arena, comparison, &own);
    if (work)
        orr_shared_give(&work->shared);
    if (code == ORR_OK)
        *ret_changes = &comparison->changes; /* its counts: the analyses may go */
    return code == ORR_NOMEM ? orr_fail_nomem(err) : ORR_OK;
}

static enum orr_code compare_set(struct orr_call *call, struct set *set, struct orr_answer **ret_answer,
                                 struct orr_error *err)
{
    struct orr_majority majority;
    struct orr_set_finding findings[ORR_SET_FINDINGS];
    struct orr_work *reference = NULL;
    struct orr_error own = {0};
    struct orr_json json = {0};
    uint32_t count = 0, decided = 0;
    ORR_TRY(gather(call, set, err));
    ORR_TRY(orr_majority_find(set->specimens, set->count, set->arena, &majority, err));
    ORR_TRY(orr_majority_findings(&majority, set->arena, findings, &count, err));
    const struct orr_changes **changes = ORR_NEW(set->arena, const struct orr_changes *, set->count);
    if (!changes)
        return orr_fail_nomem(err);
    enum orr_code code =
        majority.count ? work_of(call, "topology", set->called[majority.reference].topology, &reference, NULL, &own)
                       : ORR_OK;
    if (code == ORR_NOMEM)
        return orr_fail_nomem(err);
    code = ORR_OK; /* a set of dumps without ranks has hardware to compare all the same */
    for (uint32_t i = 0; i < set->count && code == ORR_OK && reference && decided < MOST_DECISIONS; i++)
        if (i != majority.reference && majority.deviates[i][0] + majority.deviates[i][1]) {
            code = decide(call, set, i, reference, &changes[i], err);
            decided++;
        }
    if (reference)
        orr_shared_give(&reference->shared);
    if (code != ORR_OK)
        return code;
    return orr_answer_of_json(200, &json, orr_majority_json(&json, &majority, findings, count, set->called, changes),
                              ret_answer, err);
}

enum orr_code orr_handle_compare(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    const struct orr_params *params = &call->params;
    bool of_set = params->topologies.count || params->label_count || params->search;
    if (params->a && !params->b != !params->machine && !of_set)
        return compare_two(call, ret_answer, err);
    if (params->a || params->b || params->machine || !of_set) {
        call->problem = ORR_PROBLEM_PARAMETER;
        orr_fail(err, ORR_SETTING,
                 of_set                         ? "a, b and machine are two topologies, not a set"
                 : params->b && params->machine ? "machine takes the place of b, and both are given"
                                                : "a comparison needs both a and b");
        orr_error_where(err, "%s", params->b && params->machine ? "machine" : params->a ? "b" : "a");
        orr_error_advice(
            err,
            "a=ID&b=ID or a=ID&machine=TYPE compares two; topology=ID several times, or label=NAME=VALUE, holds a set "
            "against what most of it are like");
        return ORR_SETTING;
    }
    struct set set = {.arena = orr_arena_new(0)};
    enum orr_code code = set.arena ? compare_set(call, &set, ret_answer, err) : orr_fail_nomem(err);
    for (uint32_t i = 0; i < set.count; i++)
        orr_dump_free((struct orr_dump *)(uintptr_t)set.specimens[i].dump);
    orr_arena_free(set.arena);
    return code;
}
