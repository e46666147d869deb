/* Likely causes of the differences. What the log itself shows comes first (causes_shown.c). The others have a row each
 * and are tried by predicting again: a row that a line of the log contradicts is not tried, and one that leaves most of
 * the differences is not a cause. What cannot be predicted is named behind, untested. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/log_comparing/dump_edit.h"
#include "engine/log_comparing/trial.h"

/* A prediction that is tried: the question, and the machine. */
struct trial {
    struct orr_query query;
    struct orr_dump_edit edit;
    const struct orr_dump *machine;       /* NULL: the dump with the edit */
    bool edits_gdr, no_gdr[ORR_LOG_NICS]; /* GPUDirect RDMA is off on these NICs */
    char what[96];
    enum orr_log_topic first, last; /* the others keep the differences that they have now */
};

struct cause_row {
    const char *id;
    bool (*apply)(const struct orr_log_check *check, struct trial *trial, const char *argument);
    const char *argument; /* NAME=VALUE of a setting ... */
    const char *why, *advice;
    enum orr_shows refuted_by; /* what a log cannot show where this is the cause */
};

/* A setting that neither the log nor the user gives. */
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
    if (other < releases || other >= releases + count || check->release_exact)
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

/* GPUDirect RDMA off: on the NICs that the log shows without it ("some"), or on all. */
static bool apply_no_gdr(const struct orr_log_check *check, struct trial *trial, const char *argument)
{
    uint32_t nets = orr_system_count(&check->analysis->built, ORR_NET);
    uint32_t count = orr_log_nics_without_gdr(check, trial->no_gdr);
    bool some = !strcmp(argument, "some");
    if (!nets || (some && (!count || count == nets)))
        return false;
    if (some) {
        uint32_t first = 0;
        while (!trial->no_gdr[first])
            first++;
        snprintf(trial->what, sizeof trial->what, "gdr=\"0\" on %u NIC%s, NIC %u%s", count, count == 1 ? "" : "s",
                 first, count == 1 ? "" : " first");
    } else {
        memset(trial->no_gdr, true, sizeof trial->no_gdr);
        snprintf(trial->what, sizeof trial->what, "gdr=\"0\" on every NIC");
    }
    trial->edits_gdr = true;
    return true;
}

/* The system of a job on several hosts, which keeps its NICs. */
static bool apply_kept_nics(const struct orr_log_check *check, struct trial *trial, const char *argument)
{
    (void)argument;
    trial->query.hosts = 2;
    trial->first = ORR_TOPIC_LINKS;
    trial->last = ORR_TOPIC_PATHS;
    snprintf(trial->what, sizeof trial->what, "the job's release leaves the NICs in the system of a single node");
    return check->query.hosts == 1 && check->topics[ORR_TOPIC_PATHS].differ > 0 && !check->release_exact;
}

/* Several hosts, where the log does not name how many there are. */
static bool apply_hosts(const struct orr_log_check *check, struct trial *trial, const char *argument)
{
    trial->query.hosts = (uint32_t)atoi(argument);
    snprintf(trial->what, sizeof trial->what, "%s hosts", argument);
    return check->communicator == UINT32_MAX && check->query.hosts == 1;
}

#define SETTING_ADVICE "look for it in the environment of the job, in nccl.conf and in the launcher's scripts"
/* A setting that was in force: what it did, and what a log cannot show then. */
#define SETTING(text, did, refuted_by)                                                                                 \
    {                                                                                                                  \
        "setting", apply_setting, text, did, SETTING_ADVICE, ORR_SHOWS_##refuted_by                                    \
    }

static const struct cause_row rows[] = {
    {"other-release", apply_release, "1", "The job's NCCL behaves as a newer release than the one emulated.",
     "compare with --release", ORR_SHOWS_NOTHING},
    {"other-release", apply_release, "-1", "The job's NCCL behaves as an older release than the one emulated.",
     "compare with --release", ORR_SHOWS_NOTHING},
    {"hosts", apply_hosts, "2", "The communicator spanned several hosts, and the log does not say how many.",
     "compare with --hosts", ORR_SHOWS_NOTHING},
    {"nics-kept", apply_kept_nics, "", "Releases from 2.29 on keep the NICs of a system that holds all ranks.",
     "compare with a newer release", ORR_SHOWS_NOTHING},
    {"no-nics", apply_no_nets, "", "The job used none of the dump's NICs: another network, or a plugin that failed.",
     "look for `Using network` and `NET/` lines in the log, and at NCCL_IB_HCA, NCCL_NET and the plugin",
     ORR_SHOWS_NETWORK_USED},
    {"gdr-off", apply_no_gdr, "some", "GPUDirect RDMA was not possible with these NICs when the job ran.",
     "compare these NICs with the others: driver, firmware, IOMMU and ACS", ORR_SHOWS_NOTHING},
    {"gdr-off", apply_no_gdr, "", "GPUDirect RDMA was not possible when the job ran.",
     "check nvidia-peermem or DMA-BUF: lsmod | grep peermem", ORR_SHOWS_GDR_USED},
    SETTING("NCCL_P2P_DISABLE=1", "P2P was off.", P2P_USED),
    SETTING("NCCL_P2P_LEVEL=LOC", "P2P was off.", P2P_USED),
    SETTING("NCCL_P2P_LEVEL=NVL", "P2P was allowed over NVLink only.", NOTHING),
    SETTING("NCCL_P2P_LEVEL=PIX", "P2P was allowed over one PCIe bridge only.", NOTHING),
    SETTING("NCCL_P2P_LEVEL=PXB", "P2P was allowed below the CPU only.", NOTHING),
    SETTING("NCCL_P2P_LEVEL=PHB", "P2P was allowed through the CPU.", NOTHING),
    SETTING("NCCL_P2P_LEVEL=SYS", "P2P was allowed at every distance.", NOTHING),
    SETTING("NCCL_NET_GDR_LEVEL=LOC", "GPUDirect RDMA was off.", GDR_USED),
    SETTING("NCCL_NET_GDR_LEVEL=SYS", "GPUDirect RDMA was allowed at every distance.", NOTHING),
    SETTING("NCCL_NET_GDR_READ=0", "Reading GPU memory for sending was off.", NOTHING),
    SETTING("NCCL_NET_GDR_READ=1", "Reading GPU memory for sending was on.", NOTHING),
    SETTING("NCCL_SHM_DISABLE=1", "Shared memory was off.", SHM_USED),
    {"setting", apply_setting, "NCCL_NVLS_ENABLE=0", "NVLS was off, or the driver refused it.",
     "look for `NVLS multicast support` in the log; fabric manager and driver decide it", ORR_SHOWS_NVLS_USED},
    SETTING("NCCL_CROSS_NIC=0", "Rings were kept on one NIC.", NOTHING),
    SETTING("NCCL_CROSS_NIC=1", "Rings were allowed to change NICs.", NOTHING),
    SETTING("NCCL_PXN_DISABLE=1", "PXN was off, or the network plugin does not know it.", PROXY_USED),
    SETTING("NCCL_COLLNET_ENABLE=1", "CollNet was on.", NOTHING),
    SETTING("NCCL_ALGO=Ring", "Only rings were allowed.", NOTHING),
    SETTING("NCCL_ALGO=Tree", "Only trees were allowed.", NOTHING),
    SETTING("NCCL_ALGO=NVLS", "Only NVLS was allowed.", NOTHING),
    SETTING("NCCL_PROTO=LL", "Only the LL protocol was allowed.", NOTHING),
    SETTING("NCCL_PROTO=LL128", "Only the LL128 protocol was allowed.", NOTHING),
    SETTING("NCCL_PROTO=^LL128", "The LL128 protocol was not allowed.", NOTHING),
    SETTING("NCCL_PROTO=Simple", "Only the Simple protocol was allowed.", NOTHING),
    {"setting", apply_channels, "NCCL_MIN_NCHANNELS", "More channels were asked for.", SETTING_ADVICE,
     ORR_SHOWS_NOTHING},
    {"setting", apply_channels, "NCCL_MAX_NCHANNELS", "Fewer channels were allowed.", SETTING_ADVICE,
     ORR_SHOWS_NOTHING},
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

enum orr_code orr_log_keep_cause(struct orr_log_check *check, const struct orr_log_cause *cause, struct orr_error *err)
{
    const char *what = orr_arena_strndup(check->arena, cause->what, strlen(cause->what));
    ORR_NEED(what, err);
    uint32_t at = check->cause_count < ORR_LOG_CAUSES ? check->cause_count++ : ORR_LOG_CAUSES;
    for (; at > check->shown_count && cause->left < check->causes[at - 1].left; at--)
        if (at < ORR_LOG_CAUSES)
            check->causes[at] = check->causes[at - 1];
    if (at < ORR_LOG_CAUSES) {
        check->causes[at] = *cause;
        check->causes[at].what = what;
    }
    return ORR_OK;
}

/* The first lines of facts that differ now and agree in a trial. */
static void find_lines(const struct orr_log_check *check, const struct orr_log_facts *facts,
                       struct orr_log_cause *cause)
{
    enum { LOOKED_AT = 24 };
    uint32_t looked = 0;
    for (uint32_t i = 0; i < check->fact_count && looked < LOOKED_AT && cause->line_count < ORR_LOG_CAUSE_LINES; i++) {
        const struct orr_log_fact *fact = &check->facts[i];
        if (fact->verdict != ORR_FACT_DIFFERS ||
            (cause->line_count && cause->lines[cause->line_count - 1] == fact->line))
            continue;
        looked++;
        for (uint32_t k = 0; k < facts->count; k++) {
            const struct orr_log_fact *other = &facts->rows[k];
            if (other->line == fact->line && other->topic == fact->topic && other->verdict != ORR_FACT_DIFFERS &&
                !strcmp(other->what, fact->what)) {
                cause->lines[cause->line_count++] = fact->line;
                break;
            }
        }
    }
}

/* How many differences a trial leaves, in cause->left (UINT32_MAX: it cannot be computed), and the lines that agree. */
static enum orr_code differences_of(const struct orr_log_check *check, const struct orr_dump *dump,
                                    const struct trial *trial, struct orr_log_cause *cause, struct orr_error *err)
{
    struct orr_dump *edited = NULL;
    struct orr_analysis *analysis;
    struct orr_log_facts facts;
    struct orr_error refused = {0};
    cause->left = UINT32_MAX;
    cause->tested = true;
    if (trial->edit.drop_nets || trial->edit.sm || trial->edits_gdr) {
        struct orr_dump_edit edit = trial->edit;
        edit.no_gdr = trial->edits_gdr ? trial->no_gdr : NULL;
        enum orr_code code = orr_log_edit_dump(trial->machine ? trial->machine : dump, &edit, &edited, &refused);
        if (code == ORR_NOMEM)
            return orr_fail_nomem(err);
        if (code != ORR_OK)
            return ORR_OK;
    }
    ORR_LOCAL_ARENA(arena, (size_t)1 << 30);
    const struct orr_dump *tried = edited ? edited : trial->machine ? trial->machine : dump;
    enum orr_code code = orr_log_try(check, tried, &trial->query, arena, &facts, &analysis, &refused);
    if (code == ORR_OK) {
        cause->left = orr_log_differences(&facts, trial->first, trial->last);
        for (int t = 0; t < ORR_LOG_TOPIC_COUNT; t++)
            cause->left += t < (int)trial->first || t > (int)trial->last ? check->topics[t].differ : 0;
        if (cause->left < check->differ)
            find_lines(check, &facts, cause);
        orr_analysis_free(analysis);
    }
    orr_dump_free(edited);
    return code == ORR_NOMEM ? orr_fail_nomem(err) : ORR_OK;
}

/* Of the first GPU; 0: it has none. */
static int32_t capability_of(const struct orr_dump *dump)
{
    for (uint32_t e = 0; e < dump->element_count; e++)
        if (dump->elements[e].kind == ORR_ELEMENT_GPU)
            return orr_element_int(dump, e, ORR_ATTR_SM, 0);
    return 0;
}

/* Was the machine another one? Where the log holds its tree, the prediction for that tree says so. */
static enum orr_code try_hardware(struct orr_log_check *check, const struct orr_dump *dump, struct orr_error *err)
{
    const char *xml, *why;
    struct orr_dump *machine = NULL;
    struct trial trial = {.query = check->query, .last = ORR_LOG_TOPIC_COUNT};
    struct orr_error refused = {0};
    struct orr_log_cause cause = {
        .id = "hardware",
        .why = "The tree that the log prints is not the dump's, and a prediction for that tree agrees better.",
        .advice = "take a dump in the same state as the job (NCCL_TOPO_DUMP_FILE in the job itself)"};
    if (!check->topics[ORR_TOPIC_SYSTEM].differ && !check->topics[ORR_TOPIC_LINKS].differ)
        return ORR_OK;
    ORR_TRY(orr_log_tree_xml(check->log, capability_of(dump), check->arena, &xml, &why, err));
    if (!xml || orr_dump_read(xml, strlen(xml), NULL, &machine, &refused) != ORR_OK)
        return ORR_OK;
    trial.machine = machine;
    trial.edit.sm = orr_log_capability(check->log) ? 0 : capability_of(dump); /* a tree does not print it */
    enum orr_code code = differences_of(check, dump, &trial, &cause, err);
    if (code == ORR_OK && cause.left && orr_log_nics_without_gdr(check, trial.no_gdr)) { /* a tree does not print it */
        struct orr_log_cause with_gdr = cause;
        with_gdr.line_count = 0;
        trial.edits_gdr = true;
        code = differences_of(check, dump, &trial, &with_gdr, err);
        if (with_gdr.left < cause.left)
            cause = with_gdr;
    }
    orr_dump_free(machine);
    if (code != ORR_OK || cause.left > check->differ / 2)
        return code;
    const struct orr_log_fact *first = &check->facts[check->first];
    char what[256];
    snprintf(what, sizeof what, "another machine, or the same one in another state: %.80s is %.60s in the log",
             first->what, first->logged);
    cause.what = what;
    return orr_log_keep_cause(check, &cause, err);
}

/* Tries every row on top of a trial; the best one is written over *best. */
static enum orr_code try_rows(struct orr_log_check *check, const struct orr_dump *dump, unsigned seen,
                              const struct trial *base, struct trial *best, uint32_t *best_left, struct orr_error *err)
{
    const struct trial start = *base;
    uint32_t before = *best_left;
    for (int i = 0; i < ROW_COUNT && *best_left; i++) {
        struct trial trial = start;
        char what[sizeof trial.what * 2 + 8];
        struct orr_log_cause cause = {.id = rows[i].id, .what = what, .why = rows[i].why, .advice = rows[i].advice};
        if ((seen >> rows[i].refuted_by & 1u) || !rows[i].apply(check, &trial, rows[i].argument) ||
            strstr(start.what, trial.what) == start.what)
            continue;
        ORR_TRY(differences_of(check, dump, &trial, &cause, err));
        ORR_TRY(orr_budget_check(err));
        if (cause.left >= before)
            continue;
        snprintf(what, sizeof what, "%s%s%s", start.what, start.what[0] ? ", and " : "", trial.what);
        if (cause.left <= check->differ / 2)
            ORR_TRY(orr_log_keep_cause(check, &cause, err));
        if (cause.left < *best_left) {
            *best_left = cause.left;
            *best = trial;
        }
    }
    return ORR_OK;
}

enum orr_code orr_log_find_causes(struct orr_log_check *check, const struct orr_dump *dump, struct orr_error *err)
{
    unsigned seen = orr_log_shown(check->log, check->communicator);
    ORR_TRY(orr_log_shown_causes(check, err));
    ORR_TRY(try_hardware(check, dump, err));
    bool explained = check->cause_count > check->shown_count && !check->causes[check->shown_count].left;
    struct trial best = {.query = check->query, .last = ORR_LOG_TOPIC_COUNT};
    uint32_t left = check->differ;
    if (!explained && check->analysis->ranks <= ORR_LOG_RANKS_TRIED &&
        check->log->record_count <= ORR_LOG_RECORDS_TRIED) {
        ORR_TRY(try_rows(check, dump, seen, &best, &best, &left, err));
        if (left && left < check->differ && best.last == ORR_LOG_TOPIC_COUNT) /* two causes at once */
            ORR_TRY(try_rows(check, dump, seen, &best, &best, &left, err));
    }
    return orr_log_untested_causes(check, err);
}
