/* SPDX-License-Identifier: Apache-2.0 */
#include "api/handlers/fleet.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/http/cache.h"
#include "engine/base/budget.h"
#include "engine/base/clock.h"

_Static_assert((int)ORR_MAX_FILTER_LABELS == (int)ORR_MAX_FILTERS, "a request may filter by as many labels as a list");

enum orr_code orr_fleet_turn_to(struct orr_call *call, const char *parameter, const char *id, struct orr_error *err)
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

enum orr_code orr_fleet_work(struct orr_call *call, const char *parameter, const char *id, struct orr_work **ret_work,
                             struct orr_error *err)
{
    ORR_TRY(orr_fleet_turn_to(call, parameter, id, err));
    enum orr_code code = orr_call_work(call, ret_work, err);
    if (code != ORR_OK)
        orr_error_where(err, "%s", parameter);
    return code;
}

enum orr_code orr_fleet_work_of_type(struct orr_call *call, const struct orr_machine_type *type,
                                     struct orr_work **ret_work, struct orr_error *err)
{
    orr_call_content(call, "", 0);
    call->params.machine = type;
    return orr_call_work(call, ret_work, err);
}

/* Whether JSON writes a text as it is. */
static bool is_plain(const char *text)
{
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("-_.", *text))
            return false;
    return true;
}

bool orr_fleet_labels_fit(const struct orr_call *call, const char *labels)
{
    for (uint32_t i = 0; i < call->params.label_count; i++) {
        const struct orr_label *label = &call->params.labels[i];
        char name[ORR_MAX_LABEL_NAME + 1], value[ORR_MAX_LABEL_VALUE + 1];
        if (is_plain(label->value) && !strstr(labels, label->value))
            return false; /* so that most hosts' JSON need not be read */
        snprintf(name, sizeof name, "%.*s", (int)label->name_length, label->name);
        orr_json_member(labels, strlen(labels), name, value, sizeof value);
        if (strcmp(value, label->value) != 0)
            return false;
    }
    return true;
}

enum orr_code orr_fleet_key(struct orr_call *call, const char *name, struct orr_text *key, struct orr_error *err)
{
    enum { KEPT_MS = 5000 };
    int64_t newest;
    ORR_TRY(orr_store_newest(call->app->store, &newest, err));
    orr_text_printf(key, "%s|%lld|%lu|%lld", name, (long long)newest, atomic_load(&call->app->changes),
                    (long long)(orr_clock_coarse_ms() / KEPT_MS));
    return ORR_OK;
}

enum orr_code orr_fleet_cached(struct orr_call *call, const char *name,
                               enum orr_code (*answer)(struct orr_call *call, struct orr_answer **ret_answer,
                                                       struct orr_error *err),
                               struct orr_answer **ret_answer, struct orr_error *err)
{
    enum { LONGEST = 65536 };
    ORR_LOCAL_TEXT(key, LONGEST);
    ORR_TRY(orr_fleet_key(call, name, &key, err));
    orr_text_printf(&key, "|%s", call->request->target); /* keys of parameters have no labels */
    ORR_NEED(!orr_text_failed(&key), err);
    if ((*ret_answer = (struct orr_answer *)orr_cache_begin(call->app->cache, key.data)))
        return ORR_OK;
    enum orr_code code = answer(call, ret_answer, err);
    orr_cache_end(call->app->cache, key.data, code == ORR_OK ? &(*ret_answer)->shared : NULL);
    return code;
}

enum orr_code orr_read_since(struct orr_call *call, const char *text, int64_t *ret_since, struct orr_error *err)
{
    enum { MOST_DIGITS = 18 };
    const size_t length = strlen(text);
    if (!length || length > MOST_DIGITS || strspn(text, "0123456789") != length) {
        call->problem = ORR_PROBLEM_PARAMETER;
        return orr_fail_with(err, ORR_SETTING, "since", "use `next` of the previous page, or milliseconds since 1970",
                             "\"%.60s\" is not the sequence number of an event", text);
    }
    *ret_since = strtoll(text, NULL, 10);
    return ORR_OK;
}

static uint64_t hash_of(const char *text)
{
    return orr_hash_key(orr_hash_seeded(), text, strlen(text));
}

/* Remembers an id; *ret_known says whether it was known. */
static enum orr_code take_id(struct orr_fleet *fleet, const char *id, bool *ret_known, struct orr_error *err)
{
    uintptr_t row;
    *ret_known = false;
    for (struct orr_probe probe = {0}; orr_index_next(&fleet->by_id, hash_of(id), &probe, &row);)
        if (!strcmp(fleet->ids[row], id)) {
            *ret_known = true;
            return ORR_OK;
        }
    if (fleet->topologies == ORR_MAX_SET_HOSTS) {
        return orr_fail_with(err, ORR_LIMIT, NULL, "narrow it by a further label or a search",
                             "the set has more than %d topologies", (int)ORR_MAX_SET_HOSTS);
    }
    ORR_NEED(ORR_RESERVE(fleet->arena, fleet->ids, fleet->topologies, fleet->capacity) &&
                 orr_index_add(&fleet->by_id, hash_of(id), fleet->topologies),
             err);
    fleet->ids[fleet->topologies] = orr_arena_strndup(fleet->arena, id, strlen(id));
    ORR_NEED(fleet->ids[fleet->topologies++], err);
    return ORR_OK;
}

/* The dump of a shape that is not in the set yet. */
static enum orr_code add_shape(struct orr_call *call, struct orr_fleet *fleet, const struct orr_set_member *member,
                               struct orr_error *err)
{
    struct orr_dump *dump;
    struct orr_record record;
    const uint32_t i = fleet->count;
    if (i == ORR_MAX_SET) {
        return orr_fail_with(err, ORR_LIMIT, NULL, "narrow it by a further label or a search, or name fewer topologies",
                             "the set has more than %d topologies that differ in more than GUIDs and host hashes",
                             (int)ORR_MAX_SET);
    }
    ORR_TRY(orr_fleet_turn_to(call, "topology", member->id, err));
    ORR_TRY(orr_call_dump(call, NULL, &dump, err));
    fleet->specimens[fleet->count++] = (struct orr_specimen){.dump = dump};
    fleet->bytes += dump->byte_count;
    ORR_TRY(orr_store_get(call->app->store, member->id, &record, err));
    fleet->called[i] = (struct orr_called){fleet->ids[fleet->topologies - 1],
                                           orr_arena_strndup(fleet->arena, record.name, strlen(record.name))};
    orr_record_release(&record);
    fleet->shapes[i] = orr_arena_strndup(fleet->arena, member->shape, strlen(member->shape));
    ORR_NEED(fleet->called[i].name && fleet->shapes[i] && orr_index_add(&fleet->by_shape, hash_of(member->shape), i),
             err);
    if (fleet->bytes > ORR_SET_BYTES) {
        return orr_fail_with(err, ORR_LIMIT, NULL, "narrow it by a further label, or name fewer topologies",
                             "the dumps of the set have more than %d MiB together", ORR_SET_BYTES >> 20);
    }
    return call->params.strict ? orr_dump_check_strict(dump, err) : ORR_OK;
}

static enum orr_code add_member(struct orr_call *call, struct orr_fleet *fleet, enum orr_fleet_counting counting,
                                const struct orr_set_member *member, struct orr_error *err)
{
    const int64_t counted = counting == ORR_FLEET_TOPOLOGIES || member->hosts < 0 ? 1 : member->hosts;
    const uint32_t stands_for = counted < UINT16_MAX ? (uint32_t)counted : UINT16_MAX;
    bool known;
    uintptr_t row = 0;
    ORR_TRY(take_id(fleet, member->id, &known, err));
    if (known || !stands_for)
        return ORR_OK;
    bool found = false;
    for (struct orr_probe probe = {0};
         !found && orr_index_next(&fleet->by_shape, hash_of(member->shape), &probe, &row);)
        found = !strcmp(fleet->shapes[row], member->shape);
    if (!found) {
        row = fleet->count;
        ORR_TRY(add_shape(call, fleet, member, err));
    }
    struct orr_alike *alike = &fleet->alike[row];
    fleet->specimens[row].hosts += stands_for;
    if (!alike->topologies++ || alike->id_count == ORR_FLEET_ALSO)
        return ORR_OK;
    if (!alike->ids)
        ORR_NEED(alike->ids = ORR_NEW(fleet->arena, const char *, ORR_FLEET_ALSO), err);
    ((const char **)(uintptr_t)alike->ids)[alike->id_count++] = fleet->ids[fleet->topologies - 1];
    return ORR_OK;
}

/* The stored topologies that have the labels, and match the search. */
static enum orr_code add_listed(struct orr_call *call, const struct orr_params *asked, enum orr_fleet_counting counting,
                                struct orr_fleet *fleet, struct orr_error *err)
{
    struct orr_listing listing = {.limit = ORR_MAX_SET_HOSTS + 1, .search = asked->search};
    struct orr_set_member *members;
    uint32_t count;
    for (uint32_t i = 0; i < asked->label_count; i++) {
        const char *name = orr_arena_strndup(fleet->arena, asked->labels[i].name, asked->labels[i].name_length);
        ORR_NEED(name, err);
        listing.labels[listing.label_count++] = (struct orr_store_label){name, asked->labels[i].value};
    }
    ORR_TRY(orr_store_members(call->app->store, &listing, &members, &count, err));
    enum orr_code code = ORR_OK;
    for (uint32_t i = 0; i < count && code == ORR_OK; i++)
        code = orr_budget_spent(16) ? orr_budget_check(err) : add_member(call, fleet, counting, &members[i], err);
    free(members);
    return code;
}

enum orr_code orr_fleet_gather(struct orr_call *call, const struct orr_params *asked, enum orr_fleet_counting counting,
                               struct orr_fleet *fleet, struct orr_error *err)
{
    fleet->called = ORR_NEW(fleet->arena, struct orr_called, ORR_MAX_SET);
    fleet->specimens = ORR_NEW(fleet->arena, struct orr_specimen, ORR_MAX_SET);
    fleet->alike = ORR_NEW(fleet->arena, struct orr_alike, ORR_MAX_SET);
    fleet->shapes = ORR_NEW(fleet->arena, const char *, ORR_MAX_SET);
    fleet->by_shape.arena = fleet->by_id.arena = fleet->arena;
    ORR_NEED(fleet->called && fleet->specimens && fleet->alike && fleet->shapes, err);
    for (uint32_t i = 0; i < asked->topologies.count; i++) {
        struct orr_set_member member;
        ORR_TRY(orr_fleet_turn_to(call, "topology", asked->topologies.items[i], err));
        ORR_TRY(orr_store_member(call->app->store, call->id, &member, err));
        ORR_TRY(add_member(call, fleet, counting, &member, err));
    }
    return asked->label_count || asked->search ? add_listed(call, asked, counting, fleet, err) : ORR_OK;
}

void orr_fleet_release(struct orr_fleet *fleet)
{
    for (uint32_t i = 0; i < fleet->count; i++)
        orr_dump_free((struct orr_dump *)(uintptr_t)fleet->specimens[i].dump);
    fleet->count = 0;
}
