/* SPDX-License-Identifier: Apache-2.0 */
/* GET /v1/fleet: groups of equal hosts, and the differences of each group from the largest one or from a machine
 * type. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handlers/drift.h"
#include "api/handlers/fleet.h"
#include "engine/base/budget.h"
#include "engine/base/sorting.h"

enum { MOST_NAMES = ORR_MAX_CLUSTER_HOSTS, MOST_COMPARED = 16 }; /* a cluster of them needs all names */

struct group {
    const struct orr_fleet_host *first; /* the host whose name comes first */
    const char **names;                 /* [shown] */
    uint32_t count, room;
    uint32_t shown; /* number of its hosts that changed since the call's event */
    int64_t last;   /* last upload of one of them */
};

struct groups {
    struct orr_arena *arena;
    struct orr_fleet_host *hosts; /* in the order of the store */
    uint32_t host_count;
    struct orr_index by_shape;
    struct group *rows;
    uint32_t count, capacity;
    uint32_t fitting;          /* hosts that have the labels and match the search */
    bool all;                  /* include hosts that did not change */
    struct orr_index changed;  /* of names */
    const char **names;        /* [name_count]: of hosts that changed since the event that the call names */
    uint32_t name_count, room; /* of names */
};

/* Whether a host is among those that changed. */
static bool has_changed(const struct groups *groups, const char *name)
{
    uintptr_t row;
    for (struct orr_probe probe = {0};
         orr_index_next(&groups->changed, orr_hash_key(orr_hash_seeded(), name, strlen(name)), &probe, &row);)
        if (row < groups->name_count && !strcmp(groups->names[row], name))
            return true;
    return false;
}

static enum orr_code add_changed(struct groups *groups, const char *name, struct orr_error *err)
{
    if (has_changed(groups, name))
        return ORR_OK;
    ORR_NEED(
        ORR_RESERVE(groups->arena, groups->names, groups->name_count, groups->room) &&
            orr_index_add(&groups->changed, orr_hash_key(orr_hash_seeded(), name, strlen(name)), groups->name_count),
        err);
    groups->names[groups->name_count] = orr_arena_strndup(groups->arena, name, strlen(name));
    ORR_NEED(groups->names[groups->name_count++], err);
    return ORR_OK;
}

/* Reads who changed, page by page. */
static enum orr_code read_changed(struct orr_call *call, struct groups *groups, struct orr_error *err)
{
    enum { PAGE = 1000 };
    int64_t since = 0;
    uint32_t count = PAGE;
    ORR_TRY(orr_read_since(call, call->params.since ? call->params.since : "0", &since, err));
    groups->all = !since;
    groups->changed.arena = groups->arena;
    while (!groups->all && count == PAGE) {
        struct orr_event *events;
        ORR_TRY(orr_budget_check(err));
        ORR_TRY(orr_store_events(call->app->store, since, NULL, PAGE, &events, &count, err));
        enum orr_code code = ORR_OK;
        for (uint32_t i = 0; i < count; i++) {
            since = events[i].sequence;
            code = code == ORR_OK ? add_changed(groups, events[i].host, err) : code;
            orr_event_release(&events[i]);
        }
        free(events);
        ORR_TRY(code);
    }
    return ORR_OK;
}

static bool fits(const struct orr_call *call, const struct orr_fleet_host *host)
{
    const char *search = call->params.search;
    return orr_fleet_labels_fit(call, host->labels) &&
           (!search || strcasestr(host->name, search) || strcasestr(host->about, search));
}

static enum orr_code add_host(struct groups *groups, const struct orr_fleet_host *host, struct orr_error *err)
{
    const uint64_t hash = orr_hash_key(orr_hash_seeded(), host->shape, strlen(host->shape));
    uintptr_t row;
    bool found = false;
    for (struct orr_probe probe = {0}; !found && orr_index_next(&groups->by_shape, hash, &probe, &row);)
        found = !strcmp(groups->rows[row].first->shape, host->shape);
    if (!found) {
        row = groups->count;
        ORR_NEED(ORR_RESERVE(groups->arena, groups->rows, groups->count, groups->capacity) &&
                     orr_index_add(&groups->by_shape, hash, row),
                 err);
        groups->rows[groups->count++] = (struct group){.first = host};
    }
    struct group *group = &groups->rows[row];
    group->count++;
    if (groups->all || has_changed(groups, host->name)) {
        ORR_NEED(ORR_RESERVE(groups->arena, group->names, group->shown, group->room), err);
        group->names[group->shown++] = host->name;
    }
    if (orr_order_naturally(host->name, group->first->name) < 0)
        group->first = host;
    group->last = host->at > group->last ? host->at : group->last;
    groups->fitting++;
    return ORR_OK;
}

static int compare_names(const void *a, const void *b)
{
    return orr_order_naturally(*(const char *const *)a, *(const char *const *)b);
}

/* The largest group first. */
ORR_COMPARATOR(compare_groups, struct group, ORR_ORDER(b->count, a->count),
               orr_order_naturally(a->first->name, b->first->name))

static enum orr_code make_groups(struct orr_call *call, struct groups *groups, struct orr_error *err)
{
    groups->by_shape.arena = groups->arena;
    ORR_TRY(orr_store_fleet(call->app->store, ORR_MAX_SET_HOSTS + 1, &groups->hosts, &groups->host_count, err));
    if (groups->host_count > ORR_MAX_SET_HOSTS)
        return orr_fail(err, ORR_LIMIT, "more than %d hosts are stored", (int)ORR_MAX_SET_HOSTS);
    for (uint32_t i = 0; i < groups->host_count; i++) {
        if (orr_budget_spent(16))
            ORR_TRY(orr_budget_check(err));
        if (fits(call, &groups->hosts[i]))
            ORR_TRY(add_host(groups, &groups->hosts[i], err));
    }
    if (groups->count)
        qsort(groups->rows, groups->count, sizeof *groups->rows, compare_groups);
    return ORR_OK;
}

static void release(struct groups *groups)
{
    for (uint32_t i = 0; i < groups->host_count; i++)
        orr_fleet_host_release(&groups->hosts[i]);
    free(groups->hosts);
    orr_arena_free(groups->arena);
}

/* The differences of a group from the reference, and its verdict; members are null and the verdict unknown if one of
 * them has no analysis. */
static enum orr_code differs_json(struct orr_call *call, struct orr_json *json, const struct orr_work *reference,
                                  const struct group *group, json_t **ret_object, enum orr_fleet_verdict *ret_verdict,
                                  struct orr_error *err)
{
    ORR_LOCAL(orr_work, work);
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_comparison comparison;
    struct orr_error own = {0};
    ORR_NEED(arena, err);
    enum orr_code code = reference ? orr_fleet_work(call, "label", group->first->id, &work, &own) : ORR_NOT_FOUND;
    if (code == ORR_OK)
        code = orr_compare(reference->analysis, work->analysis, arena, &comparison, &own);
    call->problem = ORR_PROBLEM_NONE;
    if (code == ORR_NOMEM || code == ORR_SPENT || code == ORR_STORE) {
        *err = own;
        return code;
    }
    *ret_object = orr_drift_json(json, code == ORR_OK ? &comparison : NULL, false);
    *ret_verdict = orr_drift_verdict(code == ORR_OK ? &comparison : NULL);
    return ORR_OK;
}

static json_t *group_json(struct orr_json *json, const struct group *group, bool is_reference,
                          enum orr_fleet_verdict verdict, json_t *differs)
{
    json_t *names = orr_json_array(json);
    qsort(group->names, group->shown, sizeof *group->names, compare_names);
    for (uint32_t i = 0; i < group->shown && i < MOST_NAMES; i++)
        orr_json_add(json, names, orr_json_text(json, group->names[i]));
    return ORR_OBJECT(json, ORR_INT("hosts", group->shown), ORR_STRING("like", group->first->name),
                      ORR_STRING("topology", group->first->id), ORR_STRING("machine", group->first->about),
                      ORR_VALUE("last", orr_time_json(json, group->last)), ORR_VALUE("names", names),
                      ORR_INT("names_left_out", group->shown > MOST_NAMES ? group->shown - MOST_NAMES : 0),
                      ORR_BOOL("reference", is_reference), ORR_STRING("verdict", orr_fleet_verdict_name(verdict)),
                      ORR_VALUE("differs", differs ? differs : json_null()));
}

static json_t *sentence_json(struct orr_json *json, const struct groups *groups)
{
    ORR_LOCAL_TEXT(text, 1024);
    const uint32_t hosts = groups->fitting, most = groups->count ? groups->rows[0].count : 0;
    if (!hosts)
        orr_text_puts(&text, "No host matches.");
    else if (groups->count == 1)
        orr_text_printf(&text, hosts == 1 ? "There is %u host, %s." : "All %u hosts are like %s.", hosts,
                        groups->rows[0].first->name);
    else
        orr_text_printf(&text, "%u of %u hosts are like %s, and %u %s in %u way%s.", most, hosts,
                        groups->rows[0].first->name, hosts - most, hosts - most == 1 ? "differs" : "differ",
                        groups->count - 1, groups->count == 2 ? "" : "s");
    return orr_json_text_of(json, &text);
}

/* Hosts by group and verdict. */
struct tally {
    uint64_t hosts[2][ORR_FLEET_UNKNOWN + 1]; /* [0]: of the reference */
};
_Static_assert(ORR_FLEET_ALIKE == 0 && ORR_FLEET_SLOWER == 1 && ORR_FLEET_FASTER == 2 && ORR_FLEET_UNKNOWN == 3,
               "ORDER: api/metrics/metrics_table.c");

/* Sets the metrics about all hosts. */
static void publish(const struct orr_call *call, const struct groups *groups, const struct tally *tally)
{
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k <= ORR_FLEET_UNKNOWN; k++)
            orr_metric_set(call->app->metrics, ORR_METRIC_HOSTS, i * (ORR_FLEET_UNKNOWN + 1) + k, tally->hosts[i][k]);
    orr_metric_set(call->app->metrics, ORR_METRIC_HOST_GROUPS, 0, groups->count);
}

static enum orr_code list_groups(struct orr_call *call, const struct groups *groups, const struct orr_work *reference,
                                 bool of_type, struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_json json = {0};
    json_t *rows = orr_json_array(&json);
    enum orr_code code = ORR_OK;
    uint32_t listed = 0, compared = 0, seen = 0;
    struct tally tally = {0};
    for (; seen < groups->count && listed < call->params.limit && code == ORR_OK; seen++) {
        const bool is_reference = !of_type && !seen;
        enum orr_fleet_verdict verdict = is_reference ? ORR_FLEET_ALIKE : ORR_FLEET_UNKNOWN;
        json_t *differs = NULL;
        if (!groups->rows[seen].shown)
            continue;
        if (!is_reference && compared++ < MOST_COMPARED)
            code = differs_json(call, &json, reference, &groups->rows[seen], &differs, &verdict, err);
        tally.hosts[!is_reference][verdict] += groups->rows[seen].count;
        if (code == ORR_OK && (!call->params.verdict || call->params.verdict == verdict + 1)) {
            orr_json_add(&json, rows, group_json(&json, &groups->rows[seen], is_reference, verdict, differs));
            listed++;
        } else {
            json_decref(differs);
        }
    }
    if (code != ORR_OK) {
        json_decref(rows);
        return code;
    }
    for (uint32_t i = seen; i < groups->count; i++)
        tally.hosts[1][ORR_FLEET_UNKNOWN] += groups->rows[i].count;
    if (groups->all && !of_type && !call->params.label_count && !call->params.search &&
        (seen == groups->count || compared >= MOST_COMPARED))
        publish(call, groups, &tally);
    json_t *object = ORR_OBJECT(&json, ORR_INT("hosts", groups->fitting), ORR_INT("groups", groups->count),
                                ORR_VALUE("sentence", sentence_json(&json, groups)), ORR_VALUE("items", rows),
                                ORR_INT("left_out", groups->count - seen));
    return orr_answer_of_json(200, &json, object, ret_answer, err);
}

static enum orr_code answer_fleet(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    ORR_LOCAL(orr_work, reference);
    const struct orr_machine_type *type = call->params.machine;
    struct groups groups = {.arena = orr_arena_new(0)};
    struct orr_error own = {0};
    orr_drift_query(&call->params.query);
    call->params.machine = NULL; /* only the reference */
    enum orr_code code = groups.arena ? read_changed(call, &groups, err) : orr_fail_nomem(err);
    if (code == ORR_OK)
        code = make_groups(call, &groups, err);
    if (code == ORR_OK && groups.count > !type)
        code = type ? orr_fleet_work_of_type(call, type, &reference, &own)
                    : orr_fleet_work(call, "label", groups.rows[0].first->id, &reference, &own);
    call->params.machine = NULL;
    call->problem = ORR_PROBLEM_NONE;
    if (own.code == ORR_NOMEM || own.code == ORR_SPENT || own.code == ORR_STORE)
        *err = own;
    else if (own.code != ORR_OK)
        code = ORR_OK; /* list the groups even if one of them has no analysis */
    if (code == ORR_OK)
        code = list_groups(call, &groups, reference, type != NULL, ret_answer, err);
    release(&groups);
    return code;
}

enum orr_code orr_fleet_reference(struct orr_call *call, char ret_id[ORR_ID_LENGTH + 1], struct orr_error *err)
{
    struct groups groups = {.arena = orr_arena_new(0), .all = true};
    enum orr_code code = groups.arena ? make_groups(call, &groups, err) : orr_fail_nomem(err);
    snprintf(ret_id, ORR_ID_LENGTH + 1, "%s", code == ORR_OK && groups.count ? groups.rows[0].first->id : "");
    release(&groups);
    return code;
}

enum orr_code orr_handle_fleet(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    return orr_fleet_cached(call, "groups", answer_fleet, ret_answer, err);
}
