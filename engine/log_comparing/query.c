/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the question of a comparison: the release, and the settings that the log names for the communicator. */
#include <string.h>

#include "engine/log_comparing/trial.h"
#include "engine/release/release_names.h"

/* Settings of the log whose effect Orrery does not compute. */
static const struct {
    const char *name, *why;
} not_modelled[] = {
    {"NCCL_TOPO_FILE", "names the file that describes the job's machine, in place of detection"},
    {"NCCL_GRAPH_FILE", "names the file with the job's graphs, which replaces the search"},
    {"NCCL_GRAPH_DUMP_FILE", "writes a file and changes nothing"},
    {"NCCL_TOPO_DUMP_FILE", "writes a file and changes nothing"},
    {"NCCL_NET_PLUGIN", "chooses the network plugin"},
    {"NCCL_IB_DISABLE", "excludes all InfiniBand NICs if it is 1"},
    {"NCCL_TUNER_PLUGIN", "names a tuner plugin, which may change the choice of algorithms"},
    {"NCCL_CUMEM_ENABLE", "is assumed to be on in releases that have it"},
};

static const char *why_ignored(const char *name)
{
    for (size_t i = 0; i < sizeof not_modelled / sizeof not_modelled[0]; i++)
        if (!strcmp(not_modelled[i].name, name))
            return not_modelled[i].why;
    return "does not change what Orrery computes";
}

static enum orr_code ignore(struct orr_log_check *check, const struct orr_log_setting *setting, const char *why,
                            struct orr_error *err)
{
    const char *kept = orr_arena_strndup(check->arena, why, strlen(why));
    ORR_NEED(kept, err);
    check->ignored[check->ignored_count++] =
        (struct orr_log_ignored){.name = setting->name, .value = setting->value, .why = kept};
    return ORR_OK;
}

/* Whether the settings fit the dump's NICs: a list for another machine may leave none. refused: the reason. */
static bool leaves_nics(const struct orr_log_check *check, const struct orr_dump *dump, struct orr_error *refused)
{
    const struct orr_dump *used;
    ORR_LOCAL_ARENA(scratch, 0);
    return orr_nics_used(dump, &check->query.settings, scratch, &used, refused) != ORR_SETTING;
}

/* A setting of the log that the release knows. */
static enum orr_code apply(struct orr_log_check *check, const struct orr_log_setting *setting, enum orr_setting id,
                           const struct orr_dump *dump, struct orr_error *err)
{
    struct orr_error refused = {0};
    bool selects_nics = id == ORR_SET_IB_HCA || id == ORR_SET_SOCKET_IFNAME || id == ORR_SET_NET;
    if (selects_nics && check->nics_of_log)
        return ignore(check, setting, "already selected the NICs that the log lists, and Orrery uses those", err);
    if (orr_settings_set(&check->query.settings, setting->name, setting->value, &refused) != ORR_OK)
        return ignore(check, setting, refused.text, err);
    if (selects_nics && !leaves_nics(check, dump, &refused)) {
        ORR_TRY(orr_settings_set(&check->query.settings, setting->name, "", err));
        return ignore(check, setting, refused.text, err);
    }
    check->applied_count++;
    return ORR_OK;
}

/* Sets a setting to the value in the communicator's lines. It may differ from the log's first value, because a program
 * can change its environment between two communicators. */
static enum orr_code own_value(const struct orr_log_check *check, const struct orr_log_setting *setting,
                               struct orr_log_setting *ret_own, struct orr_error *err)
{
    const struct orr_log_own own = orr_log_records_of(check->log, check->communicator);
    const char *value = NULL;
    size_t length = 0;
    bool varies = false;
    *ret_own = *setting;
    for (uint32_t i = 0; setting->varies && i < own.count; i++) {
        const struct orr_log_record *record = &check->log->records[own.at[i]];
        if (record->kind != ORR_LOG_SETTING || strcmp(record->words[0], setting->name + strlen("NCCL_")) != 0)
            continue;
        const size_t here = orr_log_setting_length(record);
        varies |= value && (here != length || memcmp(value, record->words[1], length) != 0);
        value = record->words[1];
        length = here;
    }
    if (!value || varies)
        return ORR_OK;
    ret_own->varies = false;
    ret_own->value = orr_arena_strndup(check->arena, value, length);
    return ret_own->value ? ORR_OK : orr_fail_nomem(err);
}

/* The release and settings of the prediction: the log's, overridden by the user's. */
enum orr_code orr_log_make_query(struct orr_log_check *check, const struct orr_dump *dump,
                                 const struct orr_log_question *question, const struct orr_release *release,
                                 struct orr_error *err)
{
    const struct orr_log *log = check->log;
    uint32_t version = orr_log_version(log, &check->release_text);
    check->release_named = version != 0;
    check->release_exact = orr_release_of(version) == release;
    check->ignored_count = check->applied_count = 0;
    orr_settings_init(&check->query.settings, release);
    if (question->release)
        check->query.settings.asked = question->given ? question->given->asked : 0;
    else
        check->query.settings.asked = orr_release_asked(release, version);
    check->ignored = ORR_NEW(check->arena, struct orr_log_ignored, (size_t)log->setting_count + 1);
    ORR_NEED(check->ignored, err);
    for (uint32_t i = 0; i < log->setting_count; i++) {
        struct orr_log_setting setting;
        enum orr_setting id;
        ORR_TRY(own_value(check, &log->settings[i], &setting, err));
        if (!orr_setting_find(setting.name, &id))
            ORR_TRY(ignore(check, &setting, why_ignored(setting.name), err));
        else if (setting.varies)
            ORR_TRY(ignore(check, &setting, "has several values in the log; give one of them with --set", err));
        else if (!orr_setting_in(id, release))
            ORR_TRY(ignore(check, &setting, "the emulated release does not have it", err));
        else
            ORR_TRY(apply(check, &setting, id, dump, err));
    }
    check->query.settings.fuse_nics = question->given ? question->given->fuse_nics : ORR_FUSE_AUTO;
    check->query.settings.tuner = question->given ? question->given->tuner : NULL;
    check->query.settings.gpus = question->given ? question->given->gpus : NULL;
    check->query.settings.nics = question->given ? question->given->nics : NULL;
    check->undecidable = log->kinds[ORR_LOG_TUNER] && !check->query.settings.tuner
                             ? "The log says that a tuner plugin was loaded, so which algorithm and protocol NCCL "
                               "chose cannot be predicted; give the plugin's file with --tuner (tuner=)"
                             : NULL;
    for (int s = 0; question->given && s < ORR_SETTING_COUNT; s++)
        if (question->given->values[s].given)
            ORR_TRY(orr_settings_set(&check->query.settings, orr_setting_name((enum orr_setting)s),
                                     orr_setting_text(question->given, (enum orr_setting)s), err));
    return ORR_OK;
}
