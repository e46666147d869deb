/* SPDX-License-Identifier: Apache-2.0 */
/* A triage as JSON. */
#include <stdio.h>

#include "api/documents/sections.h"
#include "engine/triage/triage.h"

/* Left out where it is negative: unknown. */
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

static json_t *event_json(struct orr_json *json, const struct orr_log_event *event)
{
    const struct orr_log_message *message = event->message;
    return ORR_OBJECT(json, TEXT("id", message ? message->id : "unknown"), TEXT("severity", orr_event_severity(event)),
                      TEXT("ends_job", orr_event_ends(event)),
                      BOOL("consequence", message && message->weight == ORR_WEIGHT_AFTERMATH),
                      TEXT("text", event->text), INT("line", event->line), INT("last_line", event->last_line),
                      INT("count", event->count), VALUE("ranks", numbers(json, event->ranks, event->rank_count)),
                      VALUE("hosts", orr_json_texts(json, event->hosts, event->host_count)),
                      TEXT("means", message ? message->means : NULL),
                      TEXT("advice", message && message->advice[0] ? message->advice : NULL));
}

static json_t *values_json(struct orr_json *json, const struct orr_ran_value *values, uint32_t count)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < count; i++) {
        orr_json_add(json, array,
                     ORR_OBJECT(json, TEXT("value", values[i].value),
                                VALUE("hosts", orr_json_texts(json, values[i].hosts, values[i].host_count)),
                                INT("line", values[i].line)));
    }
    return array;
}

static json_t *settings_json(struct orr_json *json, const struct orr_ran *ran)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < ran->setting_count; i++) {
        const struct orr_ran_setting *setting = &ran->settings[i];
        orr_json_add(json, array,
                     ORR_OBJECT(json, TEXT("name", setting->name),
                                VALUE("values", values_json(json, setting->values, setting->value_count)),
                                TEXT("effect", setting->effect), TEXT("ignored", setting->ignored)));
    }
    return array;
}

static json_t *ran_json(struct orr_json *json, const struct orr_ran *ran)
{
    json_t *object = orr_json_object(json);
    for (int what = 0; what < ORR_RAN_COUNT; what++)
        orr_json_set(json, object, orr_ran_word((enum orr_ran_what)what),
                     values_json(json, ran->values[what], ran->counts[what]));
    ORR_SET(json, object, VALUE("settings", settings_json(json, ran)), TEXT("network_kind", ran->network),
            BOOL("infiniband_unused", ran->ib_unused));
    json_t *connections =
        ORR_OBJECT(json, INT("p2p", ran->p2p), INT("shm", ran->shm), INT("net", ran->net), INT("net_gdr", ran->net_gdr),
                   INT("net_pxn", ran->net_pxn), INT("collnet", ran->collnet));
    ORR_SET(json, object, VALUE("connections", connections), WHEN(ran->nvls >= 0, BOOL("nvls", ran->nvls == 1)));
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
        json_t *row =
            ORR_OBJECT(json, TEXT("collective", choice->function), INT("from", (int64_t)choice->from),
                       INT("to", (int64_t)choice->to), INT("sizes", choice->sizes), INT("lines", choice->lines),
                       TEXT("logged", choice->logged), TEXT("predicted", choice->predicted),
                       VALUE("agrees", choice->predicted ? orr_json_bool(json, choice->agrees) : json_null()));
        set_known(json, row, "channels", choice->channels);
        set_known(json, row, "predicted_channels", choice->predicted_channels);
        orr_json_set_int(json, row, "line", choice->line);
        orr_json_add(json, rows, row);
    }
    return ORR_OBJECT(json, INT("agree", triage->choice_agree), INT("differ", triage->choice_differ),
                      INT("not_compared", triage->choice_not_compared), VALUE("rows", rows),
                      TEXT("why", triage->choice_why));
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
                     ORR_OBJECT(json, INT("communicator", call->communicator), TEXT("collective", call->function),
                                TEXT("op_count", number), VALUE("ranks", numbers(json, call->ranks, call->rank_count)),
                                INT("line", call->line)));
    }
    return array;
}

json_t *orr_triage_json(struct orr_json *json, const struct orr_log *log, const struct orr_triage *triage)
{
    json_t *events = orr_json_array(json);
    for (uint32_t i = 0; i < log->event_count; i++)
        orr_json_add(json, events, event_json(json, &log->events[i]));
    return ORR_OBJECT(
        json, TEXT("verdict", orr_triage_word(triage->verdict)),
        VALUE("sentences", orr_json_texts(json, triage->sentences, triage->sentence_count)),
        INT("errors", triage->errors), INT("warnings", triage->warnings),
        VALUE("cause", triage->cause < log->event_count ? orr_json_int(json, triage->cause) : json_null()),
        VALUE("missing_ranks", numbers(json, triage->missing, triage->missing_count)),
        TEXT("missing_why", triage->missing_why), VALUE("last_collectives", last_calls_json(json, triage)),
        VALUE("events", events), INT("events_left_out", log->events_left_out),
        VALUE("ran", ran_json(json, &triage->ran)), VALUE("choices", choices_json(json, triage)));
}
