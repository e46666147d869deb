/* A triage as JSON. */
#include <stdio.h>

#include "api/sections.h"
#include "engine/triage/triage.h"

/* Left out where it is negative: unknown. */
static void set_known(struct orr_json *json, json_t *object, const char *key, int64_t value)
{
    if (value >= 0)
        orr_json_set_int(json, object, key, value);
}

static json_t *texts(struct orr_json *json, const char *const *list, uint32_t count)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < count; i++)
        orr_json_add(json, array, orr_json_text(json, list[i]));
    return array;
}

static json_t *numbers(struct orr_json *json, const int32_t *list, uint32_t count)
{
    enum { SHOWN = 4096 };
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < count && i < SHOWN; i++)
        orr_json_add(json, array, orr_json_int(json, list[i]));
    return array;
}

static json_t *event_json(struct orr_json *json, const struct orr_log_event *event)
{
    const struct orr_log_message *message = event->message;
    json_t *object = orr_json_object(json);
    orr_json_set_text(json, object, "id", message ? message->id : "unknown");
    orr_json_set_text(json, object, "severity", orr_event_severity(event));
    orr_json_set_text(json, object, "ends_job", orr_event_ends(event));
    orr_json_set(json, object, "consequence", orr_json_bool(json, message && message->weight == ORR_WEIGHT_AFTERMATH));
    orr_json_set_text(json, object, "text", event->text);
    orr_json_set_int(json, object, "line", event->line);
    orr_json_set_int(json, object, "last_line", event->last_line);
    orr_json_set_int(json, object, "count", event->count);
    orr_json_set(json, object, "ranks", numbers(json, event->ranks, event->rank_count));
    orr_json_set(json, object, "hosts", texts(json, event->hosts, event->host_count));
    orr_json_set_text(json, object, "means", message ? message->means : NULL);
    orr_json_set_text(json, object, "advice", message && message->advice[0] ? message->advice : NULL);
    return object;
}

static json_t *values_json(struct orr_json *json, const struct orr_ran_value *values, uint32_t count)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < count; i++) {
        json_t *row = orr_json_object(json);
        orr_json_set_text(json, row, "value", values[i].value);
        orr_json_set(json, row, "hosts", texts(json, values[i].hosts, values[i].host_count));
        orr_json_set_int(json, row, "line", values[i].line);
        orr_json_add(json, array, row);
    }
    return array;
}

static json_t *settings_json(struct orr_json *json, const struct orr_ran *ran)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < ran->setting_count; i++) {
        const struct orr_ran_setting *setting = &ran->settings[i];
        json_t *row = orr_json_object(json);
        orr_json_set_text(json, row, "name", setting->name);
        orr_json_set(json, row, "values", values_json(json, setting->values, setting->value_count));
        orr_json_set_text(json, row, "effect", setting->effect);
        orr_json_set_text(json, row, "ignored", setting->ignored);
        orr_json_add(json, array, row);
    }
    return array;
}

static json_t *ran_json(struct orr_json *json, const struct orr_ran *ran)
{
    json_t *object = orr_json_object(json);
    for (int what = 0; what < ORR_RAN_COUNT; what++)
        orr_json_set(json, object, orr_ran_word((enum orr_ran_what)what),
                     values_json(json, ran->values[what], ran->counts[what]));
    orr_json_set(json, object, "settings", settings_json(json, ran));
    orr_json_set_text(json, object, "network_kind", ran->network);
    orr_json_set(json, object, "infiniband_unused", orr_json_bool(json, ran->ib_unused));
    json_t *connections = orr_json_object(json);
    orr_json_set_int(json, connections, "p2p", ran->p2p);
    orr_json_set_int(json, connections, "shm", ran->shm);
    orr_json_set_int(json, connections, "net", ran->net);
    orr_json_set_int(json, connections, "net_gdr", ran->net_gdr);
    orr_json_set_int(json, connections, "net_pxn", ran->net_pxn);
    orr_json_set_int(json, connections, "collnet", ran->collnet);
    orr_json_set(json, object, "connections", connections);
    if (ran->nvls >= 0)
        orr_json_set(json, object, "nvls", orr_json_bool(json, ran->nvls == 1));
    set_known(json, object, "coll_channels", ran->coll_channels);
    set_known(json, object, "nvls_channels", ran->nvls_channels);
    set_known(json, object, "p2p_channels", ran->p2p_channels);
    return object;
}

static json_t *choices_json(struct orr_json *json, const struct orr_triage *triage)
{
    json_t *object = orr_json_object(json), *rows = orr_json_array(json);
    orr_json_set_int(json, object, "agree", triage->choice_agree);
    orr_json_set_int(json, object, "differ", triage->choice_differ);
    orr_json_set_int(json, object, "not_compared", triage->choice_not_compared);
    for (uint32_t i = 0; i < triage->choice_count; i++) {
        const struct orr_triage_choice *choice = &triage->choices[i];
        json_t *row = orr_json_object(json);
        orr_json_set_text(json, row, "collective", choice->function);
        orr_json_set_int(json, row, "from", (int64_t)choice->from);
        orr_json_set_int(json, row, "to", (int64_t)choice->to);
        orr_json_set_int(json, row, "sizes", choice->sizes);
        orr_json_set_int(json, row, "lines", choice->lines);
        orr_json_set_text(json, row, "logged", choice->logged);
        orr_json_set_text(json, row, "predicted", choice->predicted);
        orr_json_set(json, row, "agrees", choice->predicted ? orr_json_bool(json, choice->agrees) : json_null());
        set_known(json, row, "channels", choice->channels);
        set_known(json, row, "predicted_channels", choice->predicted_channels);
        orr_json_set_int(json, row, "line", choice->line);
        orr_json_add(json, rows, row);
    }
    orr_json_set(json, object, "rows", rows);
    orr_json_set_text(json, object, "why", triage->choice_why);
    return object;
}

static json_t *last_calls_json(struct orr_json *json, const struct orr_triage *triage)
{
    enum { ROWS_SHOWN = 200 };
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < triage->last_call_count && i < ROWS_SHOWN; i++) {
        const struct orr_triage_call *call = &triage->last_calls[i];
        json_t *row = orr_json_object(json);
        char number[24];
        snprintf(number, sizeof number, "%llx", (unsigned long long)call->op_count);
        orr_json_set_int(json, row, "communicator", call->communicator);
        orr_json_set_text(json, row, "collective", call->function);
        orr_json_set_text(json, row, "op_count", number);
        orr_json_set(json, row, "ranks", numbers(json, call->ranks, call->rank_count));
        orr_json_set_int(json, row, "line", call->line);
        orr_json_add(json, array, row);
    }
    return array;
}

json_t *orr_triage_json(struct orr_json *json, const struct orr_log *log, const struct orr_triage *triage)
{
    json_t *object = orr_json_object(json), *events = orr_json_array(json);
    orr_json_set_text(json, object, "verdict", orr_triage_word(triage->verdict));
    orr_json_set(json, object, "sentences", texts(json, triage->sentences, triage->sentence_count));
    orr_json_set_int(json, object, "errors", triage->errors);
    orr_json_set_int(json, object, "warnings", triage->warnings);
    orr_json_set(json, object, "cause",
                 triage->cause < log->event_count ? orr_json_int(json, triage->cause) : json_null());
    orr_json_set(json, object, "missing_ranks", numbers(json, triage->missing, triage->missing_count));
    orr_json_set_text(json, object, "missing_why", triage->missing_why);
    orr_json_set(json, object, "last_collectives", last_calls_json(json, triage));
    for (uint32_t i = 0; i < log->event_count; i++)
        orr_json_add(json, events, event_json(json, &log->events[i]));
    orr_json_set(json, object, "events", events);
    orr_json_set_int(json, object, "events_left_out", log->events_left_out);
    orr_json_set(json, object, "ran", ran_json(json, &triage->ran));
    orr_json_set(json, object, "choices", choices_json(json, triage));
    return object;
}
