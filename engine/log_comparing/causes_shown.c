/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what the lines of a log show about causes: which causes they contradict, and which ones need no prediction. */
#include <stdio.h>
#include <string.h>

#include "engine/log_comparing/trial.h"

#define ORR_SHOWS(name) (1u << ORR_SHOWS_##name)

static unsigned shown_by(const struct orr_log_record *record)
{
    static const unsigned transports[] = {[ORR_TRANSPORT_P2P] = ORR_SHOWS(P2P_USED),
                                          [ORR_TRANSPORT_SHM] = ORR_SHOWS(SHM_USED),
                                          [ORR_TRANSPORT_NET] = ORR_SHOWS(NETWORK_USED)};
    struct orr_log_connection connection;
    struct orr_log_gdr gdr;
    if (orr_log_connection_of(record, &connection))
        return transports[connection.transport] | (connection.gdr ? ORR_SHOWS(GDR_USED) : 0) |
               (connection.proxy >= 0 ? ORR_SHOWS(PROXY_USED) : 0);
    if (orr_log_gdr_of(record, &gdr))
        return gdr.on ? ORR_SHOWS(GDR_USED) : 0;
    return record->kind == ORR_LOG_NVLS_HEAD ? ORR_SHOWS(NVLS_USED) : 0;
}

unsigned orr_log_shown(const struct orr_log *log, uint32_t communicator)
{
    unsigned seen = 0;
    const struct orr_log_own own = orr_log_records_of(log, communicator);
    for (uint32_t i = 0; i < own.count; i++)
        seen |= shown_by(&log->records[own.at[i]]);
    for (uint32_t i = 0; i < log->record_count; i++)
        if (log->records[i].kind == ORR_LOG_NETWORK && log->records[i].word_count)
            seen |= strstr(log->records[i].words[0], "Socket") ? ORR_SHOWS(SOCKETS) : ORR_SHOWS(OTHER_NETWORK);
    if ((seen & ORR_SHOWS(NETWORK_USED)) && !(seen & (ORR_SHOWS(GDR_USED) | ORR_SHOWS(SOCKETS))))
        seen |= ORR_SHOWS(GDR_UNUSED);
    for (uint32_t i = 0; i < log->event_count; i++) /* NCCL only says so if its rules allow P2P */
        if (log->events[i].message && !strcmp(log->events[i].message->id, "p2p-disabled"))
            seen |= ORR_SHOWS(P2P_REFUSED);
    return seen;
}

static uint32_t lines_of_start(const struct orr_log_check *check, uint32_t lines[ORR_LOG_CAUSE_LINES])
{
    const struct orr_log_own own = orr_log_records_of(check->log, check->communicator);
    uint32_t count = 0;
    for (uint32_t i = 0; i < own.count && count < ORR_LOG_CAUSE_LINES; i++)
        if (check->log->records[own.at[i]].kind == ORR_LOG_INIT_START)
            lines[count++] = check->log->records[own.at[i]].line;
    return count;
}

/* The log has other GPUs than the dump. */
static enum orr_code add_other_gpus(struct orr_log_check *check, struct orr_error *err)
{
    struct orr_log_cause cause = {.id = "other-gpus",
                                  .what = check->note,
                                  .left = UINT32_MAX,
                                  .why = "The log is from another machine than the dump.",
                                  .advice = "take a dump on the machine of the job: NCCL_TOPO_DUMP_FILE"};
    if (!check->note[0])
        return ORR_OK;
    cause.line_count = lines_of_start(check, cause.lines);
    return orr_log_keep_cause(check, &cause, err);
}

/* The prediction has more or fewer ranks than the communicator. */
static enum orr_code add_other_ranks(struct orr_log_check *check, struct orr_error *err)
{
    char what[120];
    const int32_t ranks =
        check->communicator == UINT32_MAX ? -1 : check->log->communicators[check->communicator].rank_count;
    if (ranks < 0 || (uint32_t)ranks == check->analysis->ranks)
        return ORR_OK;
    snprintf(what, sizeof what, "the prediction has %u ranks on %u host%s, and the communicator has %d",
             check->analysis->ranks, check->query.hosts, orr_plural(check->query.hosts), ranks);
    struct orr_log_cause cause = {
        .id = "other-ranks",
        .what = what,
        .left = UINT32_MAX,
        .why = "Channels of another number of ranks cannot agree.",
        .advice =
            "leave out --hosts and --gpus, or give as many as the job used; the dump must have all GPUs of a host"};
    cause.line_count = lines_of_start(check, cause.lines);
    return orr_log_keep_cause(check, &cause, err);
}

/* Two hosts that use different networks. */
static enum orr_code add_other_networks(struct orr_log_check *check, struct orr_error *err)
{
    const struct orr_log *log = check->log;
    const struct orr_log_record *first = NULL;
    char what[280];
    const struct orr_log_own own = orr_log_records_of(log, check->communicator);
    for (uint32_t i = 0; i < own.count; i++) {
        const struct orr_log_record *record = &log->records[own.at[i]];
        uint32_t writer = log->sessions[record->session].writer;
        if (record->kind != ORR_LOG_NETWORK || writer == UINT32_MAX)
            continue;
        if (!first)
            first = record;
        if (!strcmp(first->words[0], record->words[0]))
            continue;
        snprintf(what, sizeof what, "host %.60s uses the network %.24s, and host %.60s the network %.24s",
                 log->writers[log->sessions[first->session].writer].host, first->words[0], log->writers[writer].host,
                 record->words[0]);
        return orr_log_keep_cause(
            check,
            &(struct orr_log_cause){
                .id = "networks-differ",
                .what = what,
                .left = UINT32_MAX,
                .lines = {first->line, record->line},
                .line_count = 2,
                .why = "Ranks of one communicator must use one network: a plugin or a driver is missing on some hosts.",
                .advice = "make the network plugin and the drivers the same on all hosts; look at NET/ lines of the "
                          "hosts that differ"},
            err);
    }
    return ORR_OK;
}

/* The first line with the printed name of a release; 0 if there is none. */
static uint32_t line_of_release(const struct orr_log *log, const char *release)
{
    for (uint32_t i = 0; i < log->record_count; i++)
        if (log->records[i].kind == ORR_LOG_VERSION && !strncmp(log->records[i].words[0], release, strlen(release)))
            return log->records[i].line;
    return 0;
}

static uint32_t line_of_setting(const struct orr_log *log, const char *name)
{
    for (uint32_t i = 0; i < log->setting_count; i++)
        if (!strcmp(log->settings[i].name, name))
            return log->settings[i].line;
    return 0;
}

/* Hosts that run different releases. */
static enum orr_code add_other_releases(struct orr_log_check *check, struct orr_error *err)
{
    const struct orr_log *log = check->log;
    char what[160];
    if (log->release_count < 2 || log->communicator_count != 1)
        return ORR_OK;
    snprintf(what, sizeof what, "the log names NCCL %.60s and NCCL %.60s", log->releases[0], log->releases[1]);
    return orr_log_keep_cause(check,
                              &(struct orr_log_cause){.id = "releases-differ",
                                                      .what = what,
                                                      .left = UINT32_MAX,
                                                      .lines = {line_of_release(log, log->releases[0]),
                                                                line_of_release(log, log->releases[1])},
                                                      .line_count = 2,
                                                      .why = "Ranks of one communicator run different releases.",
                                                      .advice = "install one release on all hosts"},
                              err);
}

/* The first link of a session's printed tree that another session's tree does not have; NULL if there is none. */
static const struct orr_log_link *link_missing(const struct orr_log_links *links, uint32_t session, uint32_t other)
{
    for (uint32_t i = 0; i < links->count; i++) {
        const struct orr_log_link *link = &links->rows[i];
        bool found = link->session != session || link->tree > 0;
        for (uint32_t k = 0; k < links->count && !found; k++) {
            const struct orr_log_link *there = &links->rows[k];
            found = there->session == other && !there->tree && !strcmp(there->to, link->to) &&
                    !strcmp(there->from, link->from) && !strcmp(there->type, link->type) && there->bw == link->bw;
        }
        if (!found)
            return link;
    }
    return NULL;
}

/* A host whose printed tree is not that of the first host. */
static enum orr_code add_other_hosts(struct orr_log_check *check, struct orr_error *err)
{
    enum { LINKS_MOST = 4000, TREES_MOST = 64 };
    const struct orr_log *log = check->log;
    struct orr_log_links links;
    uint32_t first = UINT32_MAX, trees = 0;
    ORR_TRY(orr_log_links_of(log, check->arena, &links, err));
    for (uint32_t s = 0; s < log->session_count && links.count <= LINKS_MOST && trees < TREES_MOST; s++) {
        if (!links.complete[s] || log->sessions[s].communicator != check->communicator ||
            log->sessions[s].writer == UINT32_MAX)
            continue;
        trees++;
        first = first == UINT32_MAX ? s : first;
        const char *hosts[] = {log->writers[log->sessions[first].writer].host,
                               log->writers[log->sessions[s].writer].host};
        const struct orr_log_link *link = strcmp(hosts[0], hosts[1]) != 0 ? link_missing(&links, s, first) : NULL;
        if (!link)
            continue;
        char what[320];
        snprintf(what, sizeof what,
                 "host %.60s has another topology than host %.60s: line %u shows %.24s, which is not in the tree of "
                 "host %.60s",
                 hosts[1], hosts[0], link->line, link->to, hosts[0]);
        return orr_log_keep_cause(
            check,
            &(struct orr_log_cause){
                .id = "hosts-differ",
                .what = what,
                .left = UINT32_MAX,
                .lines = {link->line},
                .line_count = 1,
                .why = "All hosts are predicted as the first one is.",
                .advice = "take a dump on each host (NCCL_TOPO_DUMP_FILE), and analyse both in one cluster file"},
            err);
    }
    return ORR_OK;
}

enum orr_code orr_log_shown_causes(struct orr_log_check *check, struct orr_error *err)
{
    ORR_TRY(add_other_gpus(check, err));
    ORR_TRY(add_other_ranks(check, err));
    ORR_TRY(add_other_hosts(check, err));
    ORR_TRY(add_other_networks(check, err));
    ORR_TRY(add_other_releases(check, err));
    check->shown_count = check->cause_count;
    return ORR_OK;
}

enum orr_code orr_log_untested_causes(struct orr_log_check *check, struct orr_error *err)
{
    static const struct {
        const char *setting, *id, *why, *advice;
    } named[] = {
        {"NCCL_TOPO_FILE", "topology-file", "The job read its machine from a file.", "give that file as the topology"},
        {"NCCL_GRAPH_FILE", "graph-file", "The job's graphs were forced by a file.",
         "compare without NCCL_GRAPH_FILE, or look at the file"},
        {"NCCL_TUNER_PLUGIN", "plugin", "A tuner plugin took part.", "compare without it"},
    };
    for (uint32_t i = 0; i < check->ignored_count; i++)
        for (size_t n = 0; n < sizeof named / sizeof named[0]; n++)
            if (!strcmp(check->ignored[i].name, named[n].setting)) {
                char what[160];
                snprintf(what, sizeof what, "%s=%.100s", check->ignored[i].name, check->ignored[i].value);
                ORR_TRY(
                    orr_log_keep_cause(check,
                                       &(struct orr_log_cause){.id = named[n].id,
                                                               .what = what,
                                                               .why = named[n].why,
                                                               .advice = named[n].advice,
                                                               .lines = {line_of_setting(check->log, named[n].setting)},
                                                               .line_count = 1,
                                                               .left = UINT32_MAX},
                                       err));
            }
    if (check->release_named && !check->release_exact) {
        char what[160];
        snprintf(what, sizeof what, "NCCL %.40s is not emulated; %s is", check->release_text,
                 check->query.settings.release->name);
        ORR_TRY(orr_log_keep_cause(check,
                                   &(struct orr_log_cause){.id = "release-not-emulated",
                                                           .what = what,
                                                           .lines = {line_of_release(check->log, check->release_text)},
                                                           .line_count = 1,
                                                           .left = UINT32_MAX,
                                                           .why = "The nearest emulated release was taken.",
                                                           .advice = "compare with the neighbours too: --release"},
                                   err));
    }
    bool explained = check->cause_count && check->causes[0].tested && !check->causes[0].left;
    if (check->machine_implied && !explained)
        ORR_TRY(orr_log_keep_cause(
            check,
            &(struct orr_log_cause){.id = "machine-assumed",
                                    .left = UINT32_MAX,
                                    .what = "the machine is assumed from its type",
                                    .why = "The order of its GPUs and its PCIe switches may differ from the type's.",
                                    .advice = "give the topology of the job with --topology: what NCCL_TOPO_DUMP_FILE "
                                              "wrote, or the provider's file with --assume TYPE"},
            err));
    if (check->log->graph_file && !explained)
        ORR_TRY(orr_log_keep_cause(
            check,
            &(struct orr_log_cause){.id = "edited-graph",
                                    .left = UINT32_MAX,
                                    .what = "no emulated release finds these graphs on this machine",
                                    .why = "Files for NCCL_GRAPH_FILE are often written or edited by hand.",
                                    .advice = "let NCCL write one: NCCL_GRAPH_DUMP_FILE without NCCL_GRAPH_FILE"},
            err));
    if (!check->release_named)
        ORR_TRY(orr_log_keep_cause(check,
                                   &(struct orr_log_cause){.id = "release-not-told",
                                                           .left = UINT32_MAX,
                                                           .what = "the log does not name its release",
                                                           .why = "Orrery used the emulated release that agrees best.",
                                                           .advice = "name the release: --release"},
                                   err));
    return ORR_OK;
}
