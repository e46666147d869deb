/* SPDX-License-Identifier: Apache-2.0 */
#include "api/handlers/fleet.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)ORR_MAX_FILTER_LABELS == (int)ORR_MAX_FILTERS, "requests may name the labels that lists can have");

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

static enum orr_code add_member(struct orr_call *call, struct orr_fleet *fleet, const char *id, const char *name,
                                struct orr_error *err)
{
    struct orr_dump *dump;
    for (uint32_t i = 0; i < fleet->count; i++)
        if (!strcmp(fleet->called[i].topology, id))
            return ORR_OK;
    if (fleet->count == ORR_MAX_SET)
        return orr_fail(err, ORR_LIMIT, "the set has more than %d topologies", (int)ORR_MAX_SET);
    ORR_TRY(orr_fleet_turn_to(call, "topology", id, err));
    ORR_TRY(orr_call_dump(call, NULL, &dump, err));
    struct orr_called *called = &fleet->called[fleet->count];
    fleet->specimens[fleet->count++] = (struct orr_specimen){.dump = dump, .hosts = 1};
    *called = (struct orr_called){orr_arena_strndup(fleet->arena, id, strlen(id)),
                                  orr_arena_strndup(fleet->arena, name, strlen(name))};
    fleet->bytes += dump->byte_count;
    ORR_NEED(called->topology && called->name, err);
    if (fleet->bytes > ORR_SET_BYTES) {
        return orr_fail_with(err, ORR_LIMIT, NULL, "narrow it: a further label, or fewer topologies",
                             "the dumps of the set have more than %d MiB together", ORR_SET_BYTES >> 20);
    }
    return call->params.strict ? orr_dump_check_strict(dump, err) : ORR_OK;
}

/* The stored topologies that have the labels, and match the search. */
static enum orr_code add_listed(struct orr_call *call, const struct orr_params *asked, struct orr_fleet *fleet,
                                struct orr_error *err)
{
    struct orr_listing listing = {.limit = ORR_MAX_SET + 1, .search = asked->search};
    struct orr_record *records;
    uint32_t count;
    for (uint32_t i = 0; i < asked->label_count; i++) {
        const char *name = orr_arena_strndup(fleet->arena, asked->labels[i].name, asked->labels[i].name_length);
        ORR_NEED(name, err);
        listing.labels[listing.label_count++] = (struct orr_store_label){name, asked->labels[i].value};
    }
    ORR_TRY(orr_store_list(call->app->store, &listing, &records, &count, err));
    enum orr_code code = ORR_OK;
    for (uint32_t i = 0; i < count && code == ORR_OK; i++)
        code = add_member(call, fleet, records[i].id, records[i].name, err);
    for (uint32_t i = 0; i < count; i++)
        orr_record_release(&records[i]);
    free(records);
    return code;
}

enum orr_code orr_fleet_gather(struct orr_call *call, const struct orr_params *asked, struct orr_fleet *fleet,
                               struct orr_error *err)
{
    fleet->called = ORR_NEW(fleet->arena, struct orr_called, ORR_MAX_SET);
    fleet->specimens = ORR_NEW(fleet->arena, struct orr_specimen, ORR_MAX_SET);
    ORR_NEED(fleet->called && fleet->specimens, err);
    for (uint32_t i = 0; i < asked->topologies.count; i++) {
        struct orr_record record;
        ORR_TRY(orr_fleet_turn_to(call, "topology", asked->topologies.items[i], err));
        ORR_TRY(orr_store_get(call->app->store, call->id, &record, err));
        enum orr_code code = add_member(call, fleet, asked->topologies.items[i], record.name, err);
        orr_record_release(&record);
        ORR_TRY(code);
    }
    return asked->label_count || asked->search ? add_listed(call, asked, fleet, err) : ORR_OK;
}

enum orr_code orr_fleet_count_hosts(struct orr_call *call, struct orr_fleet *fleet, struct orr_error *err)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < fleet->count; i++) {
        int64_t last, ever;
        ORR_TRY(orr_store_hosts_of(call->app->store, fleet->called[i].topology, &last, &ever, err));
        struct orr_specimen specimen = fleet->specimens[i];
        specimen.hosts = !ever ? 1 : last < UINT16_MAX ? (uint32_t)last : UINT16_MAX;
        if (!specimen.hosts) { /* every host that had it has another one now */
            fleet->specimens[i].hosts = 0;
            continue;
        }
        struct orr_called called = fleet->called[i];
        fleet->specimens[i] = fleet->specimens[kept]; /* so that those to drop are behind the others at last */
        fleet->called[i] = fleet->called[kept];
        fleet->specimens[kept] = specimen;
        fleet->called[kept++] = called;
    }
    for (uint32_t i = kept; i < fleet->count; i++)
        orr_dump_free((struct orr_dump *)(uintptr_t)fleet->specimens[i].dump);
    fleet->count = kept;
    return ORR_OK;
}

void orr_fleet_release(struct orr_fleet *fleet)
{
    for (uint32_t i = 0; i < fleet->count; i++)
        orr_dump_free((struct orr_dump *)(uintptr_t)fleet->specimens[i].dump);
    fleet->count = 0;
}
