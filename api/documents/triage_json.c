/* SPDX-License-Identifier: Apache-2.0 */
/* A triage as JSON. */
#include <stdio.h>

#include "api/documents/sections.h"
#include "engine/triage/triage.h"

/* Left out if negative, because it is unknown. */
static void set_known(struct orr_json *json, json_t *object, const char *key, int64_t value)
{
    if (value >= 0)
        orr_json_set_int(json, object, key, value);
}

static json_t *numbers(struct orr_json *json, const int32_t *list, uint32_t count)
{
    enum { SHOWN = 4096 };
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < count && i < SHOWN; i++)
        orr_json_add(json, array, orr_json_int(json, list[i]));
    return array;
}

static json_t *event_json(struct orr_json *json, const struct orr_log *log, const struct orr_log_event *event)
{
    const struct orr_log_message *message = event->message;
    const char *advice = message ? orr_symptom_advice(log, message->advice) : "";
    return ORR_OBJECT(
        json, ORR_STRING("id", message ? message->id : "unknown"), ORR_STRING("severity", orr_event_severity(event)),
        ORR_STRING("ends_job", orr_event_ends(event)),
        ORR_BOOL("consequence", message && orr_log_follows(message->weight)), ORR_STRING("text", event->text),
        ORR_INT("line", event->line), ORR_INT("last_line", event->last_line), ORR_INT("count", event->count),
        ORR_VALUE("ranks", numbers(json, event->ranks, event->rank_count)),
        ORR_VALUE("hosts", orr_json_texts(json, event->hosts, event->host_count)),
        ORR_STRING("means", message ? message->means : NULL), ORR_STRING("advice", advice[0] ? advice : NULL));
}

static json_t *values_json(struct orr_json *json, const struct orr_ran_value *values, uint32_t count)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < count; i++) {
        orr_json_add(json, array,
                     ORR_OBJECT(json, ORR_STRING("value", values[i].value),
                                ORR_VALUE("hosts", orr_json_texts(json, values[i].hosts, values[i].host_count)),
                                ORR_INT("line", values[i].line)));
    }
    return array;
}

static json_t *settings_json(struct orr_json *json, const struct orr_ran *ran)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < ran->setting_count; i++) {
        const struct orr_ran_setting *setting = &ran->settings[i];
        orr_json_add(json, array,
                     ORR_OBJECT(json, ORR_STRING("name", setting->name),
                                ORR_VALUE("values", values_json(json, setting->values, setting->value_count)),
                                ORR_STRING("effect", setting->effect), ORR_STRING("ignored", setting->ignored)));
    }
    return array;
}

static json_t *ran_json(struct orr_json *json, const struct orr_ran *ran)
{
    json_t *object = orr_json_object(json);
    for (int what = 0; what < ORR_RAN_COUNT; what++)
        orr_json_set(json, object, orr_ran_word((enum orr_ran_what)what),
                     values_json(json, ran->values[what], ran->counts[what]));
    ORR_SET(json, object, ORR_VALUE("settings", settings_json(json, ran)), ORR_STRING("network_kind", ran->network),
            ORR_BOOL("infiniband_unused", ran->ib_unused));
    json_t *connections = ORR_OBJECT(json, ORR_INT("p2p", ran->p2p), ORR_INT("shm", ran->shm), ORR_INT("net", ran->net),
                                     ORR_INT("net_gdr", ran->net_gdr), ORR_INT("net_pxn", ran->net_pxn),
                                     ORR_INT("collnet", ran->collnet));
    ORR_SET(json, object, ORR_VALUE("connections", connections),
            ORR_WHEN(ran->nvls >= 0, ORR_BOOL("nvls", ran->nvls == 1)));
    set_known(json, object, "coll_channels", ran->coll_channels);
    set_known(json, object, "nvls_channels", ran->nvls_channels);
    set_known(json, object, "p2p_channels", ran->p2p_channels);
    return object;
}

static json_t *choices_json(struct orr_json *json, const struct orr_triage *triage)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t i = 0; i < triage->choice_count; i++) {
        const struct orr_triage_choice *choice = &triage->choices[i];
        json_t *row = ORR_OBJECT(
            json, ORR_STRING("collective", choice->function), ORR_INT("from", (int64_t)choice->from),
            ORR_INT("to", (int64_t)choice->to), ORR_INT("sizes", choice->sizes), ORR_INT("lines", choice->lines),
            ORR_STRING("logged", choice->logged), ORR_STRING("predicted", choice->predicted),
            ORR_VALUE("agrees", choice->predicted ? orr_json_bool(json, choice->agrees) : json_null()));
        set_known(json, row, "channels", choice->channels);
        set_known(json, row, "predicted_channels", choice->predicted_channels);
        orr_json_set_int(json, row, "line", choice->line);
        orr_json_add(json, rows, row);
    }
    return ORR_OBJECT(json, ORR_INT("agree", triage->choice_agree), ORR_INT("differ", triage->choice_differ),
                      ORR_INT("not_compared", triage->choice_not_compared), ORR_VALUE("rows", rows),
                      ORR_STRING("why", triage->choice_why));
}

static json_t *last_calls_json(struct orr_json *json, const struct orr_triage *triage)
{
    enum { ROWS_SHOWN = 200 };
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < triage->last_call_count && i < ROWS_SHOWN; i++) {
        const struct orr_triage_call *call = &triage->last_calls[i];
        char number[24];
        snprintf(number, sizeof number, "%llx", (unsigned long long)call->op_count);
        orr_json_add(json, array,
                     ORR_OBJECT(json, ORR_INT("communicator", call->communicator),
                                ORR_STRING("collective", call->function), ORR_STRING("op_count", number),
                                ORR_VALUE("ranks", numbers(json, call->ranks, call->rank_count)),
                                ORR_INT("line", call->line)));
    }
    return array;
}

json_t *orr_symptoms_json(struct orr_json *json, const struct orr_symptoms *symptoms)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < symptoms->count; i++) {
        const struct orr_symptom *symptom = &symptoms->rows[i];
        orr_json_add(json, array,
                     ORR_OBJECT(json, ORR_STRING("id", symptom->id),
                                ORR_STRING("weight", orr_symptom_word(symptom->weight)),
                                ORR_STRING("cause", symptom->cause), ORR_STRING("check", symptom->check),
                                ORR_STRING("cure", symptom->cure),
                                ORR_VALUE("line", symptom->line ? orr_json_int(json, symptom->line) : json_null())));
    }
    return array;
}

json_t *orr_triage_json(struct orr_json *json, const struct orr_log *log, const struct orr_triage *triage)
{
    json_t *events = orr_json_array(json);
    for (uint32_t i = 0; i < log->event_count; i++)
        orr_json_add(json, events, event_json(json, log, &log->events[i]));
    return ORR_OBJECT(
        json, ORR_STRING("verdict", orr_triage_word(triage->verdict)),
        ORR_VALUE("sentences", orr_json_texts(json, triage->sentences, triage->sentence_count)),
        ORR_INT("errors", triage->errors), ORR_INT("warnings", triage->warnings),
        ORR_VALUE("finished", triage->finished ? orr_json_int(json, triage->finished) : json_null()),
        ORR_INT("noise", triage->noise),
        ORR_VALUE("cause", triage->cause < log->event_count ? orr_json_int(json, triage->cause) : json_null()),
        ORR_VALUE("missing_ranks", numbers(json, triage->missing, triage->missing_count)),
        ORR_STRING("missing_why", triage->missing_why), ORR_VALUE("last_collectives", last_calls_json(json, triage)),
        ORR_VALUE("symptoms", orr_symptoms_json(json, &triage->symptoms)), ORR_VALUE("events", events),
        ORR_INT("events_left_out", log->events_left_out), ORR_VALUE("ran", ran_json(json, &triage->ran)),
        ORR_VALUE("choices", choices_json(json, triage)));
}
