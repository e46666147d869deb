/* Likely causes of the differences: a row each, tried by recomputing the prediction under it. The one that leaves the
 * fewest differences comes first; what cannot be recomputed is named behind, untested. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/log/trial.h"

/* A prediction that is tried: the question, and the machine. */
struct trial {
    struct orr_query query;
    struct orr_dump_edit edit;
    const struct orr_dump *machine; /* NULL: the dump with the edit */
    char what[96];
    enum orr_log_topic first, last; /* the others keep the differences that they have now */
};

struct cause_row {
    const char *id;
    bool (*apply)(const struct orr_log_check *check, struct trial *trial, const char *argument);
    const char *argument; /* NAME=VALUE of a setting ... */
    const char *why, *advice;
};

/* A setting that neither the log nor the user gave. */
static bool apply_setting(const struct orr_log_check *check, struct trial *trial, const char *argument)
{
    char name[64];
    enum orr_setting id;
    const char *equals = strchr(argument, '=');
    snprintf(name, sizeof name, "%.*s", (int)(equals - argument), argument);
    snprintf(trial->what, sizeof trial->what, "%s", argument);
    return orr_setting_find(name, &id) && orr_setting_in(id, check->query.settings.release) &&
           !check->query.settings.values[id].given &&
           orr_settings_set(&trial->query.settings, name, equals + 1, NULL) == ORR_OK;
}

/* As many channels as the log has. */
static bool apply_channels(const struct orr_log_check *check, struct trial *trial, const char *argument)
{
    char setting[64];
    for (uint32_t i = 0; i < check->fact_count; i++) {
        const struct orr_log_fact *fact = &check->facts[i];
        if (fact->topic == ORR_TOPIC_COUNTS && fact->verdict == ORR_FACT_DIFFERS && !strcmp(fact->what, "channels")) {
            bool more = atoi(fact->logged) > atoi(fact->predicted);
            if (more != !strcmp(argument, "NCCL_MIN_NCHANNELS"))
                return false;
            snprintf(setting, sizeof setting, "%s=%.16s", argument, fact->logged);
            return apply_setting(check, trial, setting);
        }
    }
    return false;
}

/* The release next to the one emulated: "-1" older, "1" newer. */
static bool apply_release(const struct orr_log_check *check, struct trial *trial, const char *argument)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    const struct orr_release *own = check->query.settings.release, *other = own + atoi(argument);
    if (other < releases || other >= releases + count)
        return false;
    if (orr_settings_for(&trial->query.settings, other, &check->query.settings, NULL) != ORR_OK)
        return false;
    snprintf(trial->what, sizeof trial->what, "NCCL %s", other->name);
    return true;
}

static bool apply_no_nets(const struct orr_log_check *check, struct trial *trial, const char *argument)
{
    (void)argument;
    snprintf(trial->what, sizeof trial->what, "no NIC of the dump takes part");
    trial->edit.drop_nets = true;
    return orr_system_count(&check->analysis->built, ORR_NET) > 0 && check->query.hosts == 1;
}

static bool apply_no_gdr(const struct orr_log_check *check, struct trial *trial, const char *argument)
{
    (void)argument;
    snprintf(trial->what, sizeof trial->what, "gdr=\"0\" on every NIC");
    trial->edit.no_gdr = true;
    return orr_system_count(&check->analysis->built, ORR_NET) > 0;
}

/* The system as it is where communication leaves the host: NICs stay in it. */
static bool apply_kept_nics(const struct orr_log_check *check, struct trial *trial, const char *argument)
{
    (void)argument;
    trial->query.hosts = 2;
    trial->first = ORR_TOPIC_LINKS;
    trial->last = ORR_TOPIC_PATHS;
    snprintf(trial->what, sizeof trial->what, "the job's release leaves the NICs in the system of a single node");
    return check->query.hosts == 1 && check->topics[ORR_TOPIC_PATHS].differ > 0;
}

/* As many hosts as a log does not tell. */
static bool apply_hosts(const struct orr_log_check *check, struct trial *trial, const char *argument)
{
    trial->query.hosts = (uint32_t)atoi(argument);
    snprintf(trial->what, sizeof trial->what, "%s hosts", argument);
    return check->communicator == UINT32_MAX && check->query.hosts == 1;
}

#define SETTING_ADVICE "look for it in the environment of the job, in nccl.conf and in the launcher's scripts"

static const struct cause_row rows[] = {
    {"other-release", apply_release, "1", "The job's NCCL behaves as a newer release than the one emulated.",
     "compare with --release"},
    {"other-release", apply_release, "-1", "The job's NCCL behaves as an older release than the one emulated.",
     "compare with --release"},
    {"hosts", apply_hosts, "2", "The communicator spanned several hosts, which the log does not tell.",
     "compare with --hosts"},
    {"nics-kept", apply_kept_nics, "", "Releases from 2.29 on keep the NICs of a system that holds all ranks.",
     "compare with a newer release"},
    {"no-nics", apply_no_nets, "", "The job used none of the dump's NICs: another network, or a plugin that failed.",
     "look for `Using network` and `NET/` lines in the log, and at NCCL_IB_HCA, NCCL_NET and the plugin"},
    {"gdr-off", apply_no_gdr, "", "GPU Direct RDMA was not possible when the job ran.",
     "check nvidia-peermem or DMA-BUF: lsmod | grep peermem"},
    {"setting", apply_setting, "NCCL_P2P_DISABLE=1", "P2P was off.", SETTING_ADVICE},
    {"setting", apply_setting, "NCCL_P2P_LEVEL=LOC", "P2P was off.", SETTING_ADVICE},
    {"setting", apply_setting, "NCCL_P2P_LEVEL=NVL", "P2P was allowed over NVLink only.", SETTING_ADVICE},
    {"setting", apply_setting, "NCCL_P2P_LEVEL=PIX", "P2P was allowed over one PCIe bridge only.", SETTING_ADVICE},
    {"setting", apply_setting, "NCCL_P2P_LEVEL=PXB", "P2P was allowed below the CPU only.", SETTING_ADVICE},
    {"setting", apply_setting, "NCCL_P2P_LEVEL=PHB", "P2P was allowed through the CPU.", SETTING_ADVICE},
    {"setting", apply_setting, "NCCL_P2P_LEVEL=SYS", "P2P was allowed everywhere.", SETTING_ADVICE},
    {"setting", apply_setting, "NCCL_NET_GDR_LEVEL=LOC", "GPU Direct RDMA was off.", SETTING_ADVICE},
    {"setting", apply_setting, "NCCL_NET_GDR_LEVEL=SYS", "GPU Direct RDMA was allowed everywhere.", SETTING_ADVICE},
    {"setting", apply_setting, "NCCL_NET_GDR_READ=0", "Reading GPU memory for sending was off.", SETTING_ADVICE},
    {"setting", apply_setting, "NCCL_NET_GDR_READ=1", "Reading GPU memory for sending was on.", SETTING_ADVICE},
    {"setting", apply_setting, "NCCL_SHM_DISABLE=1", "Shared memory was off.", SETTING_ADVICE},
    {"setting", apply_setting, "NCCL_NVLS_ENABLE=0", "NVLS was off, or the driver refused it.",
     "look for `NVLS multicast support` in the log; fabric manager and driver decide it"},
    {"setting", apply_setting, "NCCL_CROSS_NIC=0", "Rings were kept on one NIC.", SETTING_ADVICE},
    {"setting", apply_setting, "NCCL_CROSS_NIC=1", "Rings were allowed to change NICs.", SETTING_ADVICE},
    {"setting", apply_setting, "NCCL_PXN_DISABLE=1", "PXN was off, or the network plugin does not know it.",
     SETTING_ADVICE},
    {"setting", apply_setting, "NCCL_COLLNET_ENABLE=1", "CollNet was on.", SETTING_ADVICE},
    {"setting", apply_setting, "NCCL_ALGO=Ring", "Only rings were allowed.", SETTING_ADVICE},
    {"setting", apply_setting, "NCCL_PROTO=Simple", "Only the Simple protocol was allowed.", SETTING_ADVICE},
    {"setting", apply_channels, "NCCL_MIN_NCHANNELS", "More channels were asked for.", SETTING_ADVICE},
    {"setting", apply_channels, "NCCL_MAX_NCHANNELS", "Fewer channels were allowed.", SETTING_ADVICE},
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

/* Keeps a cause where it leaves fewer differences than those kept, best first. */
static enum orr_code keep(struct orr_log_check *check, const struct orr_log_cause *cause, struct orr_error *err)
{
    const char *what = orr_arena_strndup(check->arena, cause->what, strlen(cause->what));
    if (!what)
        return orr_fail_nomem(err);
    uint32_t at = check->cause_count < ORR_LOG_CAUSES ? check->cause_count++ : ORR_LOG_CAUSES;
    for (; at > 0 && cause->left < check->causes[at - 1].left; at--)
        if (at < ORR_LOG_CAUSES)
            check->causes[at] = check->causes[at - 1];
    if (at < ORR_LOG_CAUSES) {
        check->causes[at] = *cause;
        check->causes[at].what = what;
    }
    return ORR_OK;
}

/* Differences that a trial leaves; UINT32_MAX where it cannot be computed. */
static enum orr_code differences_of(const struct orr_log_check *check, const struct orr_dump *dump,
                                    const struct trial *trial, uint32_t *ret_left, struct orr_error *err)
{
    struct orr_dump *edited = NULL;
    struct orr_analysis *analysis;
    struct orr_log_facts facts;
    struct orr_error refused = {0};
    *ret_left = UINT32_MAX;
    if (trial->edit.drop_nets || trial->edit.no_gdr) {
        enum orr_code code = orr_log_edit_dump(dump, &trial->edit, &edited, &refused);
        if (code == ORR_NOMEM)
            return orr_fail_nomem(err);
        if (code != ORR_OK)
            return ORR_OK;
    }
    struct orr_arena *arena = orr_arena_new((size_t)1 << 30);
    enum orr_code code = arena ? orr_log_try(check,
                                             edited           ? edited
                                             : trial->machine ? trial->machine
                                                              : dump,
                                             &trial->query, arena, &facts, &analysis, &refused)
                               : ORR_NOMEM;
    if (code == ORR_OK) {
        *ret_left = orr_log_differences(&facts, trial->first, trial->last);
        for (int t = 0; t < ORR_LOG_TOPIC_COUNT; t++)
            *ret_left += t < (int)trial->first || t > (int)trial->last ? check->topics[t].differ : 0;
        orr_analysis_free(analysis);
    }
    orr_arena_free(arena);
    if (edited)
        orr_dump_free(edited);
    return code == ORR_NOMEM ? orr_fail_nomem(err) : ORR_OK;
}

/* Was the machine another one? Where the log holds its tree, the prediction for that tree says so. */
static enum orr_code try_hardware(struct orr_log_check *check, const struct orr_dump *dump, struct orr_error *err)
{
    const char *xml, *why;
    struct orr_dump *machine = NULL;
    struct trial trial = {.query = check->query, .last = ORR_LOG_TOPIC_COUNT};
    struct orr_error refused = {0};
    uint32_t left;
    if (!check->topics[ORR_TOPIC_SYSTEM].differ && !check->topics[ORR_TOPIC_LINKS].differ)
        return ORR_OK;
    ORR_TRY(orr_log_tree_xml(check->log, check->arena, &xml, &why, err));
    if (!xml || orr_dump_read(xml, strlen(xml), NULL, &machine, &refused) != ORR_OK)
        return ORR_OK;
    trial.machine = machine;
    enum orr_code code = differences_of(check, dump, &trial, &left, err);
    orr_dump_free(machine);
    if (code != ORR_OK || left >= check->differ)
        return code;
    const struct orr_log_fact *first = &check->facts[check->first];
    char what[256];
    snprintf(what, sizeof what, "another machine, or the same one in another state: %.80s is %.60s in the log",
             first->what, first->logged);
    return keep(check,
                &(struct orr_log_cause){
                    .id = "hardware",
                    .what = what,
                    .tested = true,
                    .left = left,
                    .why = "The tree that the log prints is not the dump's, and a prediction for that tree agrees "
                           "better.",
                    .advice = "take a dump in the same state as the job (NCCL_TOPO_DUMP_FILE in the job itself)"},
                err);
}

/* What the log shows but cannot be recomputed. */
static enum orr_code name_untested(struct orr_log_check *check, struct orr_error *err)
{
    static const struct {
        const char *setting, *id, *why, *advice;
    } named[] = {
        {"NCCL_TOPO_FILE", "topology-file", "The job read its machine from a file.", "give that file as the topology"},
        {"NCCL_GRAPH_FILE", "graph-file", "The job's graphs were forced by a file.",
         "compare without NCCL_GRAPH_FILE, or look at the file"},
        {"NCCL_IB_HCA", "filtered-nics", "The job used some of the NICs only.",
         "take the dump in the job itself, so that it holds these"},
        {"NCCL_TUNER_PLUGIN", "plugin", "A tuner plugin took part.", "compare without it"},
    };
    for (uint32_t i = 0; i < check->ignored_count; i++)
        for (size_t n = 0; n < sizeof named / sizeof named[0]; n++)
            if (!strcmp(check->ignored[i].name, named[n].setting)) {
                char what[160];
                snprintf(what, sizeof what, "%s=%.100s", check->ignored[i].name, check->ignored[i].value);
                ORR_TRY(keep(check,
                             &(struct orr_log_cause){.id = named[n].id,
                                                     .what = what,
                                                     .why = named[n].why,
                                                     .advice = named[n].advice,
                                                     .left = UINT32_MAX},
                             err));
            }
    if (check->release_told && !check->release_exact) {
        char what[160];
        snprintf(what, sizeof what, "NCCL %.40s is not emulated; %s is", check->release_text,
                 check->query.settings.release->name);
        ORR_TRY(keep(check,
                     &(struct orr_log_cause){.id = "release-not-emulated",
                                             .what = what,
                                             .left = UINT32_MAX,
                                             .why = "The nearest emulated release was taken.",
                                             .advice = "compare with the neighbours too: --release"},
                     err));
    }
    bool explained = check->cause_count && check->causes[0].tested && !check->causes[0].left;
    if (check->log->graph_file && !explained)
        ORR_TRY(keep(check,
                     &(struct orr_log_cause){.id = "edited-graph",
                                             .left = UINT32_MAX,
                                             .what = "no emulated release finds these graphs on this machine",
                                             .why = "Files for NCCL_GRAPH_FILE are often written or edited by hand.",
                                             .advice = "let NCCL write one: NCCL_GRAPH_DUMP_FILE without "
                                                       "NCCL_GRAPH_FILE"},
                     err));
    if (!check->release_told)
        ORR_TRY(keep(check,
                     &(struct orr_log_cause){.id = "release-not-told",
                                             .left = UINT32_MAX,
                                             .what = "the log does not name its release",
                                             .why = "The emulated release that agrees best was taken.",
                                             .advice = "name the release: --release"},
                     err));
    if (check->note[0])
        ORR_TRY(keep(check,
                     &(struct orr_log_cause){.id = "other-gpus",
                                             .what = check->note,
                                             .left = UINT32_MAX,
                                             .why = "The log's GPUs are not those of the dump.",
                                             .advice = "take a dump on that machine"},
                     err));
    return ORR_OK;
}

/* Tries every row on top of a trial; the best one is written over *best. */
static enum orr_code try_rows(struct orr_log_check *check, const struct orr_dump *dump, const struct trial *base,
                              struct trial *best, uint32_t *best_left, struct orr_error *err)
{
    const struct trial start = *base;
    uint32_t before = *best_left;
    for (int i = 0; i < ROW_COUNT && *best_left; i++) {
        struct trial trial = start;
        char what[sizeof trial.what * 2 + 8];
        uint32_t left;
        if (!rows[i].apply(check, &trial, rows[i].argument) || strstr(start.what, trial.what) == start.what)
            continue;
        ORR_TRY(differences_of(check, dump, &trial, &left, err));
        ORR_TRY(orr_budget_check(err));
        if (left >= before)
            continue;
        snprintf(what, sizeof what, "%s%s%s", start.what, start.what[0] ? ", and " : "", trial.what);
        ORR_TRY(keep(check,
                     &(struct orr_log_cause){.id = rows[i].id,
                                             .what = what,
                                             .why = rows[i].why,
                                             .advice = rows[i].advice,
                                             .tested = true,
                                             .left = left},
                     err));
        if (left < *best_left) {
            *best_left = left;
            *best = trial;
        }
    }
    return ORR_OK;
}

enum orr_code orr_log_find_causes(struct orr_log_check *check, const struct orr_dump *dump, struct orr_error *err)
{
    ORR_TRY(try_hardware(check, dump, err));
    bool explained = check->cause_count && !check->causes[0].left;
    struct trial best = {.query = check->query, .last = ORR_LOG_TOPIC_COUNT};
    uint32_t left = check->differ;
    if (!explained && check->analysis->ranks <= ORR_LOG_RANKS_TRIED &&
        check->log->record_count <= ORR_LOG_RECORDS_TRIED) {
        ORR_TRY(try_rows(check, dump, &best, &best, &left, err));
        if (left && left < check->differ && best.last == ORR_LOG_TOPIC_COUNT) /* two causes at once */
            ORR_TRY(try_rows(check, dump, &best, &best, &left, err));
    }
    return name_untested(check, err);
}
