/* SPDX-License-Identifier: Apache-2.0 */
/* A log, what was recovered of it and how a prediction agrees with it, as JSON. */
#include "api/documents/sections.h"
#include "engine/log_comparing/survey.h"
#include "engine/log_machine/compare_log.h"

static json_t *settings_json(struct orr_json *json, const struct orr_log *log)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < log->setting_count; i++) {
        orr_json_add(json, array,
                     ORR_OBJECT(json, TEXT("name", log->settings[i].name), TEXT("value", log->settings[i].value),
                                INT("line", log->settings[i].line), BOOL("varies", log->settings[i].varies)));
    }
    return array;
}

static json_t *communicators_json(struct orr_json *json, const struct orr_log *log)
{
    enum { MEMBERS_SHOWN = 1024 };
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < log->communicator_count; i++) {
        const struct orr_log_communicator *of = &log->communicators[i];
        json_t *members = orr_json_array(json);
        for (int32_t r = 0; r < of->rank_count && r < MEMBERS_SHOWN; r++) {
            const struct orr_log_member *member = &of->members[r];
            json_t *row = member->host ? orr_json_object(json) : NULL;
            if (!member->host)
                continue;
            ORR_SET(json, row, INT("rank", r), TEXT("host", member->host),
                    WHEN(member->bus_id, TEXT("bus_id", member->bus_id)));
            orr_json_add(json, members, row);
        }
        orr_json_add(json, array,
                     ORR_OBJECT(json, INT("ranks", of->rank_count),
                                WHEN(of->node_count > 0, INT("nodes", of->node_count)), INT("hosts", of->host_count),
                                INT("ranks_seen", of->seen), INT("line", of->first_line), VALUE("members", members)));
    }
    return array;
}

static json_t *recovered_json(struct orr_json *json, const struct orr_log *log)
{
    json_t *kinds = orr_json_object(json);
    for (int kind = 0; kind < ORR_LOG_KIND_COUNT; kind++)
        if (log->kinds[kind])
            orr_json_set_int(json, kinds, orr_log_kind_name((enum orr_log_kind)kind), log->kinds[kind]);
    return ORR_OBJECT(json, TEXT("format", log->graph_file ? "graph-file" : "log"),
                      INT("bytes", (int64_t)log->byte_count), INT("lines", log->line_count),
                      INT("nccl_lines", log->nccl_count), INT("understood", log->record_count + log->left_out),
                      INT("rejoined", log->rejoined), INT("run_together", log->split), INT("cut", log->cut),
                      INT("not_kept", log->left_out), TEXT("library", log->rccl ? "RCCL" : "NCCL"),
                      VALUE("releases", orr_json_texts(json, log->releases, log->release_count)),
                      VALUE("hosts", orr_json_texts(json, log->hosts, log->host_count)),
                      VALUE("settings", settings_json(json, log)),
                      VALUE("communicators", communicators_json(json, log)), VALUE("kinds", kinds));
}

static json_t *fact_json(struct orr_json *json, const struct orr_log_fact *fact)
{
    static const char *const verdicts[] = {"agrees", "differs", "not-predicted"};
    json_t *nodes = orr_json_array(json);
    for (int i = 0; i < 2 && fact->nodes[i][0]; i++)
        orr_json_add(json, nodes, orr_json_text(json, fact->nodes[i]));
    return ORR_OBJECT(json, TEXT("topic", orr_log_topic_name(fact->topic)), TEXT("what", fact->what),
                      TEXT("verdict", verdicts[fact->verdict]), TEXT("logged", fact->logged.text),
                      TEXT("predicted", fact->predicted.text), INT("line", fact->line), INT("times", fact->times),
                      VALUE("nodes", nodes));
}

static json_t *topics_json(struct orr_json *json, const struct orr_log_check *check)
{
    json_t *array = orr_json_array(json);
    for (int t = 0; t < ORR_LOG_TOPIC_COUNT; t++) {
        bool found = check->topics[t].agree || check->topics[t].differ || check->topics[t].not_predicted;
        orr_json_add(json, array,
                     ORR_OBJECT(json, TEXT("topic", orr_log_topic_name((enum orr_log_topic)t)),
                                TEXT("verdict", check->topics[t].differ ? "differs"
                                                : found                 ? "agrees"
                                                                        : "not-told"),
                                INT("agree", check->topics[t].agree), INT("differ", check->topics[t].differ),
                                INT("not_predicted", check->topics[t].not_predicted),
                                WHEN(!found, TEXT("ask_for", orr_log_topic_subsystem((enum orr_log_topic)t)))));
    }
    return array;
}

static json_t *causes_json(struct orr_json *json, const struct orr_log_check *check)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < check->cause_count; i++) {
        const struct orr_log_cause *cause = &check->causes[i];
        json_t *lines = orr_json_array(json);
        for (uint32_t l = 0; l < cause->line_count; l++)
            orr_json_add(json, lines, orr_json_int(json, cause->lines[l]));
        orr_json_add(json, array,
                     ORR_OBJECT(json, TEXT("id", cause->id), TEXT("what", cause->what), TEXT("why", cause->why),
                                TEXT("advice", cause->advice), BOOL("tested", cause->tested),
                                WHEN(cause->tested, INT("differences_left", cause->left)), VALUE("lines", lines)));
    }
    return array;
}

static json_t *given_json(struct orr_json *json, const struct orr_log_check *check)
{
    json_t *object = orr_json_object(json);
    for (int s = 0; s < ORR_SETTING_COUNT; s++) {
        struct orr_setting_info info;
        if (!check->query.settings.values[s].given)
            continue;
        orr_setting_info((enum orr_setting)s, &info);
        orr_json_set_text(json, object, info.name, orr_setting_text(&check->query.settings, (enum orr_setting)s));
    }
    return object;
}

static json_t *ignored_json(struct orr_json *json, const struct orr_log_check *check)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < check->ignored_count; i++) {
        orr_json_add(json, array,
                     ORR_OBJECT(json, TEXT("name", check->ignored[i].name), TEXT("value", check->ignored[i].value),
                                TEXT("why", check->ignored[i].why)));
    }
    return array;
}

static json_t *check_json(struct orr_json *json, const struct orr_log_check *check)
{
    enum { AGREEING_SHOWN = 2000, DIFFERING_SHOWN = 2000 };
    json_t *facts = orr_json_array(json), *release = orr_json_object(json);
    uint32_t agreeing = 0, differing = 0;
    ORR_SET(json, release, WHEN(check->release_named, TEXT("logged", check->release_text)),
            TEXT("predicted", check->query.settings.release->name), BOOL("same", check->release_exact));
    for (uint32_t i = 0; i < check->fact_count; i++) {
        bool differs = check->facts[i].verdict == ORR_FACT_DIFFERS;
        uint32_t *shown = differs ? &differing : &agreeing;
        if ((*shown)++ < (differs ? DIFFERING_SHOWN : AGREEING_SHOWN))
            orr_json_add(json, facts, fact_json(json, &check->facts[i]));
    }
    return ORR_OBJECT(
        json, VALUE("release", release),
        WHEN(check->communicator < check->log->communicator_count, INT("communicator", check->communicator)),
        INT("hosts", check->query.hosts), INT("ranks", check->analysis->ranks),
        VALUE("settings", given_json(json, check)), VALUE("settings_not_used", ignored_json(json, check)),
        BOOL("ranks_taken_from_log", check->ranks_renumbered), WHEN(check->note[0], TEXT("note", check->note)),
        WHEN(check->assumed_count, VALUE("assumed", orr_json_texts(json, check->assumed, check->assumed_count))),
        WHEN(check->undecidable, TEXT("choices_undecidable", check->undecidable)),
        TEXT("verdict", check->differ  ? "differs"
                        : check->agree ? "agrees"
                                       : "nothing-to-compare"),
        INT("agree", check->agree), INT("differ", check->differ), VALUE("topics", topics_json(json, check)),
        VALUE("first_difference",
              check->first < check->fact_count ? fact_json(json, &check->facts[check->first]) : json_null()),
        VALUE("causes", causes_json(json, check)), VALUE("facts", facts), INT("facts_in_all", check->fact_count));
}

static json_t *survey_row_json(struct orr_json *json, const struct orr_log *log, const struct orr_log_survey_row *row)
{
    json_t *object =
        ORR_OBJECT(json, INT("communicator", row->communicator),
                   INT("ranks", log->communicators[row->communicator].rank_count), INT("agree", row->agree),
                   INT("differ", row->differ), WHEN(row->like != row->communicator, INT("same_as", row->like)),
                   WHEN(row->why, TEXT("why_not_compared", row->why)));
    if (row->what) {
        orr_json_set(json, object, "first_difference",
                     ORR_OBJECT(json, TEXT("what", row->what), TEXT("logged", row->logged),
                                TEXT("predicted", row->predicted), WHEN(row->line, INT("line", row->line))));
    }
    ORR_SET(json, object, WHEN(row->cause, TEXT("cause", row->cause)),
            WHEN(row->cause && row->left != UINT32_MAX, INT("differences_left", row->left)));
    return object;
}

/* Every communicator of the log, compared. */
static json_t *survey_json(struct orr_json *json, const struct orr_log *log, const struct orr_log_survey *survey)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t i = 0; i < survey->row_count; i++)
        orr_json_add(json, rows, survey_row_json(json, log, &survey->rows[i]));
    return ORR_OBJECT(json, INT("compared", survey->compared), INT("differing", survey->differing),
                      INT("agree", survey->agree), INT("differ", survey->differ), VALUE("rows", rows));
}

/* What the log's lines say of the machine, where nobody gave one and the log does not print it. */
static json_t *machine_json(struct orr_json *json, const struct orr_log_machine *machine)
{
    json_t *lines = orr_json_array(json), *fits = orr_json_array(json);
    for (uint32_t i = 0; i < machine->clue_count; i++) {
        orr_json_add(json, lines,
                     ORR_OBJECT(json, INT("line", machine->clues[i].line), TEXT("says", machine->clues[i].says)));
    }
    for (uint32_t i = 0; i < machine->fit_count; i++)
        orr_json_add(json, fits, orr_json_text(json, machine->fits[i]->name));
    return ORR_OBJECT(json, TEXT("type", machine->type ? machine->type->name : NULL), VALUE("lines", lines),
                      VALUE("fits", fits), INT("fits_in_all", machine->fits_in_all),
                      TEXT("would_decide", machine->open));
}

json_t *orr_log_json(struct orr_json *json, const struct orr_log *log, const struct orr_log_compared *compared,
                     const struct orr_triage *triage)
{
    const struct orr_log_check *check = compared->check;
    return ORR_OBJECT(
        json, VALUE("triage", orr_triage_json(json, log, triage)), VALUE("log", recovered_json(json, log)),
        VALUE("check", check ? check_json(json, check) : json_null()),
        WHEN(check && check->survey, VALUE("communicators_compared", survey_json(json, log, check->survey))),
        WHEN(!check, TEXT("why_no_check", compared->why ? compared->why : "")),
        WHEN(compared->machine.clue_count, VALUE("implied_machine", machine_json(json, &compared->machine))),
        VALUE("findings", orr_log_findings_json(json, log, check)));
}
