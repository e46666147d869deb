/* SPDX-License-Identifier: Apache-2.0 */
/* Is a node fit? Compares the request's dump with a machine type, a stored topology, or the normal host of a fleet. */
#include <stdio.h>
#include <string.h>

#include "api/documents/documents.h"
#include "api/handlers/fleet.h"
#include "api/handlers/handlers.h"
#include "engine/compare/majority.h"
#include "engine/gate/gate.h"

/* The expectation. */
struct normal {
    struct orr_arena *arena; /* its own arena, because the request's is for small things */
    struct orr_dump *dump;   /* owned */
    const struct orr_dump *expected;
    const char *name;
    bool of_type;
    const char *why; /* a clause: why there is none; NULL if there is one */
};

static const char fleet_prefix[] = "fleet:";
enum { LEAST_HOSTS = 3 }; /* of which two agree */

/* Finds the normal host of a fleet and writes the id and name of its topology, or an empty line and a clause that says
 * why there is none. */
static enum orr_code write_normal(struct orr_call *call, const char *query, struct orr_fleet *fleet,
                                  struct orr_text *text, struct orr_error *err)
{
    struct orr_params *asked = ORR_NEW(fleet->arena, struct orr_params, 1);
    struct orr_majority majority;
    const char *plain;
    ORR_NEED(asked, err);
    enum orr_code code = orr_params_read(query, ORR_TOPICS(ORR_TOPIC_SET, ORR_TOPIC_LABELLED, ORR_TOPIC_SEARCH),
                                         call->arena, asked, &call->problem, err);
    if (code != ORR_OK) {
        call->problem = call->problem ? call->problem : ORR_PROBLEM_PARAMETER;
        return code;
    }
    ORR_TRY(orr_decode(query, strlen(query), true, call->arena, &plain, err));
    ORR_TRY(orr_fleet_gather(call, asked, ORR_FLEET_HOSTS, fleet, err));
    uint32_t hosts = 0;
    for (uint32_t i = 0; i < fleet->count; i++)
        hosts += fleet->specimens[i].hosts;
    if (hosts < LEAST_HOSTS) {
        orr_text_printf(text, "\n%s",
                        hosts ? "the fleet has fewer than 3 hosts, too few for a majority"
                              : "no stored topology belongs to the fleet");
        return ORR_OK;
    }
    ORR_TRY(orr_majority_find(fleet->specimens, fleet->count, fleet->arena, &majority, err));
    orr_text_printf(text, "%s\nthe majority of %u host%s with %.300s",
                    fleet->called[orr_majority_normal(&majority)].topology, majority.hosts, orr_plural(majority.hosts),
                    plain);
    return ORR_OK;
}

/* The same from the cache. */
static enum orr_code recall_normal(struct orr_call *call, const char *query, struct orr_answer **ret_text,
                                   struct orr_error *err)
{
    enum { LONGEST = 65536 };
    ORR_LOCAL_TEXT(key, LONGEST);
    ORR_LOCAL_TEXT(text, LONGEST);
    ORR_TRY(orr_fleet_key(call, "fleet", &key, err));
    orr_text_printf(&key, "|%s|%d|%s", call->params.query.settings.release->name, call->params.strict, query);
    orr_params_key(&call->params, ORR_TOPICS(ORR_TOPIC_READING), &key);
    ORR_NEED(!orr_text_failed(&key), err);
    if ((*ret_text = (struct orr_answer *)orr_cache_begin(call->app->cache, key.data)))
        return ORR_OK;
    struct orr_fleet fleet = {.arena = orr_arena_new(0)};
    enum orr_code code = fleet.arena ? write_normal(call, query, &fleet, &text, err) : orr_fail_nomem(err);
    if (code == ORR_OK)
        code = orr_answer_of_text(200, NULL, &text, ret_text, err);
    orr_cache_end(call->app->cache, key.data, code == ORR_OK ? &(*ret_text)->shared : NULL);
    orr_fleet_release(&fleet);
    orr_arena_free(fleet.arena);
    return code;
}

static enum orr_code normal_of_fleet(struct orr_call *call, const char *query, struct normal *normal,
                                     struct orr_error *err)
{
    struct orr_answer *text;
    ORR_TRY(recall_normal(call, query, &text, err));
    const char *end = memchr(text->body, '\n', text->length);
    const size_t id = end ? (size_t)(end - text->body) : 0;
    const char *rest = orr_arena_strndup(normal->arena, text->body + id + 1, text->length - id - 1);
    char topology[ORR_ID_LENGTH + 1];
    snprintf(topology, sizeof topology, "%.*s", (int)id, text->body);
    orr_shared_give(&text->shared);
    ORR_NEED(rest, err);
    normal->name = id ? rest : query;
    normal->why = id ? NULL : rest;
    if (!id)
        return ORR_OK;
    ORR_TRY(orr_fleet_turn_to(call, "expect", topology, err));
    ORR_TRY(orr_call_dump(call, NULL, &normal->dump, err));
    normal->expected = normal->dump;
    return ORR_OK;
}

static enum orr_code find_normal(struct orr_call *call, struct normal *normal, struct orr_error *err)
{
    const char *what = call->params.expect;
    const size_t prefix = sizeof fleet_prefix - 1;
    if (what && !strncmp(what, fleet_prefix, prefix))
        return normal_of_fleet(call, what + prefix, normal, err);
    if (what && orr_is_id(what)) {
        ORR_TRY(orr_fleet_turn_to(call, "expect", what, err));
        ORR_TRY(orr_call_dump(call, NULL, &normal->dump, err));
        normal->name = what;
    } else {
        const struct orr_machine_type *type = what ? orr_machine_type_find(what) : NULL;
        call->problem = type ? call->problem : ORR_PROBLEM_PARAMETER;
        if (!type) {
            return orr_fail_with(err, ORR_SETTING, "expect",
                                 "a machine type (GET /v1/machines), the id of a topology, or fleet:label=NAME%3DVALUE",
                                 "expect says what the node should be%s%.60s%s", what ? ", and \"" : "",
                                 what ? what : "", what ? "\" is not known" : "");
        }
        ORR_TRY(orr_input_machine(type, &normal->dump, err));
        normal->name = type->name;
        normal->of_type = true;
    }
    normal->expected = normal->dump;
    return ORR_OK;
}

/* The dump of the request, or the machine type that takes its place. */
static enum orr_code read_node(struct orr_call *call, struct orr_dump **ret_dump, struct orr_error *err)
{
    const struct orr_params *params = &call->params;
    struct orr_dump_limits limits = orr_dump_default_limits;
    struct orr_input_options as = orr_params_input(params);
    as.limits = &limits;
    limits.bytes = call->app->max_body;
    if (params->machine && call->request->body_length) {
        call->problem = ORR_PROBLEM_PARAMETER;
        return orr_fail_with(err, ORR_SETTING, "machine", "assume=TYPE fills in what a body lacks",
                             "machine replaces the body, but the request has a body as well");
    }
    if (params->machine)
        return orr_input_machine_with(params->machine, params->assumed_nics, ret_dump, err);
    if (!call->request->body_length) {
        call->problem = ORR_PROBLEM_BODY_EMPTY;
        return orr_fail_with(err, ORR_UNRECOGNISED, NULL,
                             "orrery detect | curl --data-binary @- sends it; orrery gate --server URL does both",
                             "the request needs the dump of the node as its body");
    }
    ORR_TRY(orr_input_read((const char *)call->request->body, call->request->body_length, &as, ret_dump, err));
    return params->strict ? orr_dump_check_strict(*ret_dump, err) : ORR_OK;
}

enum orr_code orr_handle_gate(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_gate_request request;
    struct orr_gate gate;
    struct orr_json json = {0};
    ORR_LOCAL(orr_dump, node);
    struct normal normal = {.arena = orr_arena_new(0)};
    enum orr_code code = orr_params_gate(&call->params, &request, err);
    if (code != ORR_OK)
        call->problem = ORR_PROBLEM_PARAMETER;
    if (code == ORR_OK)
        code = normal.arena ? read_node(call, &node, err) : orr_fail_nomem(err);
    call->params.machine = NULL; /* of the node only */
    if (code == ORR_OK)
        code = find_normal(call, &normal, err);
    request.node_name = call->params.node ? call->params.node : "this node";
    request.node = node;
    request.expected = normal.expected;
    request.expected_name = normal.name;
    request.of_type = normal.of_type;
    if (code == ORR_OK)
        code = normal.why ? orr_gate_refuse(request.node_name, normal.why, normal.arena, &gate, err)
                          : orr_gate_judge(&request, normal.arena, &gate, err);
    if (code == ORR_OK)
        code = orr_answer_of_json(200, &json, orr_gate_json(&json, &request, &gate), ret_answer, err);
    orr_dump_free(normal.dump);
    orr_arena_free(normal.arena);
    return code;
}
