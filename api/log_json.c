/* A log, what was recovered of it and how a prediction agrees with it, as JSON. */
#include "api/sections.h"
#include "engine/input/compare_log.h"
#include "engine/log/survey.h"

static json_t *texts(struct orr_json *json, const char *const *list, uint32_t count)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < count; i++)
        orr_json_add(json, array, orr_json_text(json, list[i]));
    return array;
}

static void set_bool(struct orr_json *json, json_t *object, const char *key, bool value)
{
    orr_json_set(json, object, key, orr_json_bool(json, value));
}

static json_t *settings_json(struct orr_json *json, const struct orr_log *log)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < log->setting_count; i++) {
        json_t *object = orr_json_object(json);
        orr_json_set_text(json, object, "name", log->settings[i].name);
        orr_json_set_text(json, object, "value", log->settings[i].value);
        orr_json_set_int(json, object, "line", log->settings[i].line);
        set_bool(json, object, "varies", log->settings[i].varies);
        orr_json_add(json, array, object);
    }
    return array;
}

static json_t *communicators_json(struct orr_json *json, const struct orr_log *log)
{
    enum { MEMBERS_SHOWN = 1024 };
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < log->communicator_count; i++) {
        const struct orr_log_communicator *of = &log->communicators[i];
        json_t *object = orr_json_object(json), *members = orr_json_array(json);
        orr_json_set_int(json, object, "ranks", of->rank_count);
        if (of->node_count > 0)
            orr_json_set_int(json, object, "nodes", of->node_count);
        orr_json_set_int(json, object, "hosts", of->host_count);
        orr_json_set_int(json, object, "ranks_seen", of->seen);
        orr_json_set_int(json, object, "line", of->first_line);
        for (int32_t r = 0; r < of->rank_count && r < MEMBERS_SHOWN; r++) {
            const struct orr_log_member *member = &of->members[r];
            json_t *row = member->host ? orr_json_object(json) : NULL;
            if (!member->host)
                continue;
            orr_json_set_int(json, row, "rank", r);
            orr_json_set_text(json, row, "host", member->host);
            if (member->bus_id)
                orr_json_set_text(json, row, "bus_id", member->bus_id);
            orr_json_add(json, members, row);
        }
        orr_json_set(json, object, "members", members);
        orr_json_add(json, array, object);
    }
    return array;
}

static json_t *recovered_json(struct orr_json *json, const struct orr_log *log)
{
    json_t *object = orr_json_object(json), *kinds = orr_json_object(json);
    for (int kind = 0; kind < ORR_LOG_KIND_COUNT; kind++)
        if (log->kinds[kind])
            orr_json_set_int(json, kinds, orr_log_kind_name((enum orr_log_kind)kind), log->kinds[kind]);
    orr_json_set_text(json, object, "format", log->graph_file ? "graph-file" : "log");
    orr_json_set_int(json, object, "bytes", (int64_t)log->byte_count);
    orr_json_set_int(json, object, "lines", log->line_count);
    orr_json_set_int(json, object, "nccl_lines", log->nccl_count);
    orr_json_set_int(json, object, "understood", log->record_count + log->left_out);
    orr_json_set_int(json, object, "rejoined", log->rejoined);
    orr_json_set_int(json, object, "run_together", log->split);
    orr_json_set_int(json, object, "cut", log->cut);
    orr_json_set_int(json, object, "not_kept", log->left_out);
    orr_json_set_text(json, object, "library", log->rccl ? "RCCL" : "NCCL");
    orr_json_set(json, object, "releases", texts(json, log->releases, log->release_count));
    orr_json_set(json, object, "hosts", texts(json, log->hosts, log->host_count));
    orr_json_set(json, object, "settings", settings_json(json, log));
    orr_json_set(json, object, "communicators", communicators_json(json, log));
    orr_json_set(json, object, "kinds", kinds);
    return object;
}

static json_t *fact_json(struct orr_json *json, const struct orr_log_fact *fact)
{
    static const char *const verdicts[] = {"agrees", "differs", "not-predicted"};
    json_t *object = orr_json_object(json), *nodes = orr_json_array(json);
    orr_json_set_text(json, object, "topic", orr_log_topic_name(fact->topic));
    orr_json_set_text(json, object, "what", fact->what);
    orr_json_set_text(json, object, "verdict", verdicts[fact->verdict]);
    orr_json_set_text(json, object, "logged", fact->logged);
    orr_json_set_text(json, object, "predicted", fact->predicted);
    orr_json_set_int(json, object, "line", fact->line);
    orr_json_set_int(json, object, "times", fact->times);
    for (int i = 0; i < 2 && fact->nodes[i][0]; i++)
        orr_json_add(json, nodes, orr_json_text(json, fact->nodes[i]));
    orr_json_set(json, object, "nodes", nodes);
    return object;
}

static json_t *topics_json(struct orr_json *json, const struct orr_log_check *check)
{
    json_t *array = orr_json_array(json);
    for (int t = 0; t < ORR_LOG_TOPIC_COUNT; t++) {
        json_t *object = orr_json_object(json);
        bool found = check->topics[t].agree || check->topics[t].differ || check->topics[t].not_predicted;
        orr_json_set_text(json, object, "topic", orr_log_topic_name((enum orr_log_topic)t));
        orr_json_set_text(json, object, "verdict", check->topics[t].differ ? "differs" : found ? "agrees" : "not-told");
        orr_json_set_int(json, object, "agree", check->topics[t].agree);
        orr_json_set_int(json, object, "differ", check->topics[t].differ);
        orr_json_set_int(json, object, "not_predicted", check->topics[t].not_predicted);
        if (!found)
            orr_json_set_text(json, object, "ask_for", orr_log_topic_subsystem((enum orr_log_topic)t));
        orr_json_add(json, array, object);
    }
    return array;
}

static json_t *causes_json(struct orr_json *json, const struct orr_log_check *check)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < check->cause_count; i++) {
        const struct orr_log_cause *cause = &check->causes[i];
        json_t *object = orr_json_object(json), *lines = orr_json_array(json);
        orr_json_set_text(json, object, "id", cause->id);
        orr_json_set_text(json, object, "what", cause->what);
        orr_json_set_text(json, object, "why", cause->why);
        orr_json_set_text(json, object, "advice", cause->advice);
        set_bool(json, object, "tested", cause->tested);
        if (cause->tested)
            orr_json_set_int(json, object, "differences_left", cause->left);
        for (uint32_t l = 0; l < cause->line_count; l++)
            orr_json_add(json, lines, orr_json_int(json, cause->lines[l]));
        orr_json_set(json, object, "lines", lines);
        orr_json_add(json, array, object);
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
        json_t *object = orr_json_object(json);
        orr_json_set_text(json, object, "name", check->ignored[i].name);
        orr_json_set_text(json, object, "value", check->ignored[i].value);
        orr_json_set_text(json, object, "why", check->ignored[i].why);
        orr_json_add(json, array, object);
    }
    return array;
}

static json_t *check_json(struct orr_json *json, const struct orr_log_check *check)
{
    enum { AGREEING_SHOWN = 2000, DIFFERING_SHOWN = 2000 };
    json_t *object = orr_json_object(json), *facts = orr_json_array(json), *release = orr_json_object(json);
    uint32_t agreeing = 0, differing = 0;
    if (check->release_named)
        orr_json_set_text(json, release, "logged", check->release_text);
    orr_json_set_text(json, release, "predicted", check->query.settings.release->name);
    set_bool(json, release, "same", check->release_exact);
    orr_json_set(json, object, "release", release);
    if (check->communicator < check->log->communicator_count)
        orr_json_set_int(json, object, "communicator", check->communicator);
    orr_json_set_int(json, object, "hosts", check->query.hosts);
    orr_json_set_int(json, object, "ranks", check->analysis->ranks);
    orr_json_set(json, object, "settings", given_json(json, check));
    orr_json_set(json, object, "settings_not_used", ignored_json(json, check));
    set_bool(json, object, "ranks_taken_from_log", check->ranks_renumbered);
    if (check->note[0])
        orr_json_set_text(json, object, "note", check->note);
    if (check->assumed_count)
        orr_json_set(json, object, "assumed", texts(json, check->assumed, check->assumed_count));
    if (check->undecidable)
        orr_json_set_text(json, object, "choices_undecidable", check->undecidable);
    orr_json_set_text(json, object, "verdict",
                      check->differ  ? "differs"
                      : check->agree ? "agrees"
                                     : "nothing-to-compare");
    orr_json_set_int(json, object, "agree", check->agree);
    orr_json_set_int(json, object, "differ", check->differ);
    orr_json_set(json, object, "topics", topics_json(json, check));
    orr_json_set(json, object, "first_difference",
                 check->first < check->fact_count ? fact_json(json, &check->facts[check->first]) : json_null());
    orr_json_set(json, object, "causes", causes_json(json, check));
    for (uint32_t i = 0; i < check->fact_count; i++) {
        bool differs = check->facts[i].verdict == ORR_FACT_DIFFERS;
        uint32_t *shown = differs ? &differing : &agreeing;
        if ((*shown)++ < (differs ? DIFFERING_SHOWN : AGREEING_SHOWN))
            orr_json_add(json, facts, fact_json(json, &check->facts[i]));
    }
    orr_json_set(json, object, "facts", facts);
    orr_json_set_int(json, object, "facts_in_all", check->fact_count);
    return object;
}

static json_t *survey_row_json(struct orr_json *json, const struct orr_log *log, const struct orr_log_survey_row *row)
{
    json_t *object = orr_json_object(json);
    orr_json_set_int(json, object, "communicator", row->communicator);
    orr_json_set_int(json, object, "ranks", log->communicators[row->communicator].rank_count);
    orr_json_set_int(json, object, "agree", row->agree);
    orr_json_set_int(json, object, "differ", row->differ);
    if (row->like != row->communicator)
        orr_json_set_int(json, object, "same_as", row->like);
    if (row->why)
        orr_json_set_text(json, object, "why_not_compared", row->why);
    if (row->what) {
        json_t *first = orr_json_object(json);
        orr_json_set_text(json, first, "what", row->what);
        orr_json_set_text(json, first, "logged", row->logged);
        orr_json_set_text(json, first, "predicted", row->predicted);
        if (row->line)
            orr_json_set_int(json, first, "line", row->line);
        orr_json_set(json, object, "first_difference", first);
    }
    if (row->cause)
        orr_json_set_text(json, object, "cause", row->cause);
    if (row->cause && row->left != UINT32_MAX)
        orr_json_set_int(json, object, "differences_left", row->left);
    return object;
}

/* Every communicator of the log, compared. */
static json_t *survey_json(struct orr_json *json, const struct orr_log *log, const struct orr_log_survey *survey)
{
    json_t *object = orr_json_object(json), *rows = orr_json_array(json);
    orr_json_set_int(json, object, "compared", survey->compared);
    orr_json_set_int(json, object, "differing", survey->differing);
    orr_json_set_int(json, object, "agree", survey->agree);
    orr_json_set_int(json, object, "differ", survey->differ);
    for (uint32_t i = 0; i < survey->row_count; i++)
        orr_json_add(json, rows, survey_row_json(json, log, &survey->rows[i]));
    orr_json_set(json, object, "rows", rows);
    return object;
}

/* What the log's lines say of the machine, where nobody gave one and the log does not print it. */
static json_t *machine_json(struct orr_json *json, const struct orr_log_machine *machine)
{
    json_t *object = orr_json_object(json), *lines = orr_json_array(json), *fits = orr_json_array(json);
    orr_json_set(json, object, "type", machine->type ? orr_json_text(json, machine->type->name) : json_null());
    for (uint32_t i = 0; i < machine->clue_count; i++) {
        json_t *row = orr_json_object(json);
        orr_json_set_int(json, row, "line", machine->clues[i].line);
        orr_json_set_text(json, row, "says", machine->clues[i].says);
        orr_json_add(json, lines, row);
    }
    orr_json_set(json, object, "lines", lines);
    for (uint32_t i = 0; i < machine->fit_count; i++)
        orr_json_add(json, fits, orr_json_text(json, machine->fits[i]->name));
    orr_json_set(json, object, "fits", fits);
    orr_json_set_int(json, object, "fits_in_all", machine->fits_in_all);
    orr_json_set_text(json, object, "would_decide", machine->open);
    return object;
}

json_t *orr_log_json(struct orr_json *json, const struct orr_log *log, const struct orr_log_compared *compared,
                     const struct orr_triage *triage)
{
    const struct orr_log_check *check = compared->check;
    json_t *object = orr_json_object(json);
    orr_json_set(json, object, "triage", orr_triage_json(json, log, triage));
    orr_json_set(json, object, "log", recovered_json(json, log));
    orr_json_set(json, object, "check", check ? check_json(json, check) : json_null());
    if (check && check->survey)
        orr_json_set(json, object, "communicators_compared", survey_json(json, log, check->survey));
    if (!check)
        orr_json_set_text(json, object, "why_no_check", compared->why ? compared->why : "");
    if (compared->machine.clue_count)
        orr_json_set(json, object, "implied_machine", machine_json(json, &compared->machine));
    orr_json_set(json, object, "findings", orr_log_findings_json(json, log, check));
    return object;
}
