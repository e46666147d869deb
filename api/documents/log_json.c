/* SPDX-License-Identifier: Apache-2.0 */
/* A log, the facts read from it, and how a prediction agrees with them, as JSON. */
#include "api/documents/sections.h"
#include "engine/log_comparing/survey.h"
#include "engine/log_machine/compare_log.h"

static json_t *settings_json(struct orr_json *json, const struct orr_log *log)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < log->setting_count; i++) {
        orr_json_add(json, array,
                     ORR_OBJECT(json, ORR_STRING("name", log->settings[i].name),
                                ORR_STRING("value", log->settings[i].value), ORR_INT("line", log->settings[i].line),
                                ORR_BOOL("varies", log->settings[i].varies)));
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
            ORR_SET(json, row, ORR_INT("rank", r), ORR_STRING("host", member->host),
                    ORR_WHEN(member->bus_id, ORR_STRING("bus_id", member->bus_id)));
            orr_json_add(json, members, row);
        }
        orr_json_add(json, array,
                     ORR_OBJECT(json, ORR_INT("ranks", of->rank_count),
                                ORR_WHEN(of->node_count > 0, ORR_INT("nodes", of->node_count)),
                                ORR_INT("hosts", of->host_count), ORR_INT("ranks_seen", of->seen),
                                ORR_INT("line", of->first_line), ORR_VALUE("members", members)));
    }
    return array;
}

static json_t *recovered_json(struct orr_json *json, const struct orr_log *log)
{
    json_t *kinds = orr_json_object(json);
    for (int kind = 0; kind < ORR_LOG_KIND_COUNT; kind++)
        if (log->kinds[kind])
            orr_json_set_int(json, kinds, orr_log_kind_name((enum orr_log_kind)kind), log->kinds[kind]);
    return ORR_OBJECT(json, ORR_STRING("format", log->graph_file ? "graph-file" : "log"),
                      ORR_INT("bytes", (int64_t)log->byte_count), ORR_INT("lines", log->line_count),
                      ORR_INT("nccl_lines", log->nccl_count), ORR_INT("understood", log->record_count + log->left_out),
                      ORR_INT("rejoined", log->rejoined), ORR_INT("run_together", log->split), ORR_INT("cut", log->cut),
                      ORR_INT("not_kept", log->left_out), ORR_STRING("library", log->rccl ? "RCCL" : "NCCL"),
                      ORR_VALUE("releases", orr_json_texts(json, log->releases, log->release_count)),
                      ORR_VALUE("hosts", orr_json_texts(json, log->hosts, log->host_count)),
                      ORR_VALUE("settings", settings_json(json, log)),
                      ORR_VALUE("communicators", communicators_json(json, log)), ORR_VALUE("kinds", kinds));
}

static json_t *fact_json(struct orr_json *json, const struct orr_log_fact *fact)
{
    static const char *const verdicts[] = {"agrees", "differs", "not-predicted"};
    json_t *nodes = orr_json_array(json);
    for (int i = 0; i < 2 && fact->nodes[i][0]; i++)
        orr_json_add(json, nodes, orr_json_text(json, fact->nodes[i]));
    return ORR_OBJECT(json, ORR_STRING("topic", orr_log_topic_name(fact->topic)), ORR_STRING("what", fact->what),
                      ORR_STRING("verdict", verdicts[fact->verdict]), ORR_STRING("logged", fact->logged.text),
                      ORR_STRING("predicted", fact->predicted.text), ORR_INT("line", fact->line),
                      ORR_INT("times", fact->times), ORR_VALUE("nodes", nodes));
}

static json_t *topics_json(struct orr_json *json, const struct orr_log_check *check)
{
    json_t *array = orr_json_array(json);
    for (int t = 0; t < ORR_LOG_TOPIC_COUNT; t++) {
        bool found = check->topics[t].agree || check->topics[t].differ || check->topics[t].not_predicted;
        orr_json_add(
            json, array,
            ORR_OBJECT(json, ORR_STRING("topic", orr_log_topic_name((enum orr_log_topic)t)),
                       ORR_STRING("verdict", check->topics[t].differ ? "differs"
                                             : found                 ? "agrees"
                                                                     : "not-told"),
                       ORR_INT("agree", check->topics[t].agree), ORR_INT("differ", check->topics[t].differ),
                       ORR_INT("not_predicted", check->topics[t].not_predicted),
                       ORR_WHEN(!found, ORR_STRING("ask_for", orr_log_topic_subsystem((enum orr_log_topic)t)))));
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
                     ORR_OBJECT(json, ORR_STRING("id", cause->id), ORR_STRING("what", cause->what),
                                ORR_STRING("why", cause->why), ORR_STRING("advice", cause->advice),
                                ORR_BOOL("tested", cause->tested),
                                ORR_WHEN(cause->tested, ORR_INT("differences_left", cause->left)),
                                ORR_VALUE("lines", lines)));
    }
    return array;
}

static json_t *given_json(struct orr_json *json, const struct orr_log_check *check)
{
    json_t *object = orr_json_object(json);
    for (int s = 0; s < ORR_SETTING_COUNT; s++)
        if (check->query.settings.values[s].given)
            orr_json_set_text(json, object, orr_setting_name((enum orr_setting)s),
                              orr_setting_text(&check->query.settings, (enum orr_setting)s));
    return object;
}

static json_t *ignored_json(struct orr_json *json, const struct orr_log_check *check)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < check->ignored_count; i++) {
        orr_json_add(json, array,
                     ORR_OBJECT(json, ORR_STRING("name", check->ignored[i].name),
                                ORR_STRING("value", check->ignored[i].value),
                                ORR_STRING("why", check->ignored[i].why)));
    }
    return array;
}

static json_t *check_json(struct orr_json *json, const struct orr_log_check *check)
{
    enum { AGREEING_SHOWN = 2000, DIFFERING_SHOWN = 2000 };
    json_t *facts = orr_json_array(json), *release = orr_json_object(json);
    uint32_t agreeing = 0, differing = 0;
    ORR_SET(json, release, ORR_WHEN(check->release_named, ORR_STRING("logged", check->release_text)),
            ORR_STRING("predicted", check->query.settings.release->name), ORR_BOOL("same", check->release_exact),
            ORR_BOOL("verified",
                     (check->release_exact || !check->release_named) && check->query.settings.release->compared));
    for (uint32_t i = 0; i < check->fact_count; i++) {
        bool differs = check->facts[i].verdict == ORR_FACT_DIFFERS;
        uint32_t *shown = differs ? &differing : &agreeing;
        if ((*shown)++ < (differs ? DIFFERING_SHOWN : AGREEING_SHOWN))
            orr_json_add(json, facts, fact_json(json, &check->facts[i]));
    }
    return ORR_OBJECT(
        json, ORR_VALUE("release", release),
        ORR_WHEN(check->communicator < check->log->communicator_count, ORR_INT("communicator", check->communicator)),
        ORR_INT("hosts", check->query.hosts), ORR_INT("ranks", check->analysis->ranks),
        ORR_VALUE("settings", given_json(json, check)), ORR_VALUE("settings_not_used", ignored_json(json, check)),
        ORR_BOOL("ranks_taken_from_log", check->ranks_renumbered),
        ORR_WHEN(check->note[0], ORR_STRING("note", check->note)),
        ORR_WHEN(check->assumed_count,
                 ORR_VALUE("assumed", orr_json_texts(json, check->assumed, check->assumed_count))),
        ORR_WHEN(check->undecidable, ORR_STRING("choices_undecidable", check->undecidable)),
        ORR_STRING("verdict", check->differ  ? "differs"
                              : check->agree ? "agrees"
                                             : "nothing-to-compare"),
        ORR_INT("agree", check->agree), ORR_INT("differ", check->differ), ORR_VALUE("topics", topics_json(json, check)),
        ORR_VALUE("first_difference",
                  check->first < check->fact_count ? fact_json(json, &check->facts[check->first]) : json_null()),
        ORR_VALUE("causes", causes_json(json, check)), ORR_VALUE("facts", facts),
        ORR_INT("facts_in_all", check->fact_count));
}

static json_t *survey_row_json(struct orr_json *json, const struct orr_log *log, const struct orr_log_survey_row *row)
{
    json_t *object = ORR_OBJECT(json, ORR_INT("communicator", row->communicator),
                                ORR_INT("ranks", log->communicators[row->communicator].rank_count),
                                ORR_INT("agree", row->agree), ORR_INT("differ", row->differ),
                                ORR_WHEN(row->like != row->communicator, ORR_INT("same_as", row->like)),
                                ORR_WHEN(row->why, ORR_STRING("why_not_compared", row->why)));
    if (row->what) {
        orr_json_set(json, object, "first_difference",
                     ORR_OBJECT(json, ORR_STRING("what", row->what), ORR_STRING("logged", row->logged),
                                ORR_STRING("predicted", row->predicted),
                                ORR_WHEN(row->line, ORR_INT("line", row->line))));
    }
    ORR_SET(json, object, ORR_WHEN(row->cause, ORR_STRING("cause", row->cause)),
            ORR_WHEN(row->cause && row->left != UINT32_MAX, ORR_INT("differences_left", row->left)));
    return object;
}

/* Every communicator of the log, compared. */
static json_t *survey_json(struct orr_json *json, const struct orr_log *log, const struct orr_log_survey *survey)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t i = 0; i < survey->row_count; i++)
        orr_json_add(json, rows, survey_row_json(json, log, &survey->rows[i]));
    return ORR_OBJECT(json, ORR_INT("compared", survey->compared), ORR_INT("differing", survey->differing),
                      ORR_INT("agree", survey->agree), ORR_INT("differ", survey->differ), ORR_VALUE("rows", rows));
}

/* The log's clues about the machine, if nobody gave one and the log does not print it. */
static json_t *machine_json(struct orr_json *json, const struct orr_log_machine *machine)
{
    json_t *lines = orr_json_array(json), *fits = orr_json_array(json);
    for (uint32_t i = 0; i < machine->clue_count; i++) {
        orr_json_add(
            json, lines,
            ORR_OBJECT(json, ORR_INT("line", machine->clues[i].line), ORR_STRING("says", machine->clues[i].says)));
    }
    for (uint32_t i = 0; i < machine->fit_count; i++)
        orr_json_add(json, fits, orr_json_text(json, machine->fits[i]->name));
    return ORR_OBJECT(json, ORR_STRING("type", machine->type ? machine->type->name : NULL), ORR_VALUE("lines", lines),
                      ORR_VALUE("fits", fits), ORR_INT("fits_in_all", machine->fits_in_all),
                      ORR_STRING("would_decide", machine->open));
}

json_t *orr_log_json(struct orr_json *json, const struct orr_log *log, const struct orr_log_compared *compared,
                     const struct orr_triage *triage)
{
    const struct orr_log_check *check = compared->check;
    return ORR_OBJECT(
        json, ORR_VALUE("triage", orr_triage_json(json, log, triage)), ORR_VALUE("log", recovered_json(json, log)),
        ORR_VALUE("check", check ? check_json(json, check) : json_null()),
        ORR_WHEN(check && check->survey, ORR_VALUE("communicators_compared", survey_json(json, log, check->survey))),
        ORR_WHEN(!check, ORR_STRING("why_no_check", compared->why ? compared->why : "")),
        ORR_WHEN(compared->machine.clue_count, ORR_VALUE("implied_machine", machine_json(json, &compared->machine))),
        ORR_VALUE("findings", orr_log_findings_json(json, log, check)));
}
