/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about NVLink between hosts (MNNVL): hosts of different domains, the state and health of the fabric, and IMEX. */
#include <stdlib.h>
#include <string.h>

#include "engine/symptoms/finding.h"

/* NVML's report about the fabric: "MNNVL busId 0x901000 fabric UUID ... cliqueId 0x7ffe state 3 healthMask 0xaa". */
struct fabric {
    unsigned state, health;
    bool domain; /* it has a cluster's UUID: an HGX board has a fabric, too, but no NVLink between hosts and no IMEX */
    uint32_t line;
};

/* The health mask has a pair of bits for each fault: 1 means that there is a fault, 2 that there is not, 0 not
 * supported. */
static const char *health_text(struct orr_symptom_finder *f, unsigned health)
{
    static const char *const faults[] = {"the bandwidth is degraded", "a route is being recovered",
                                         "a route is unhealthy", "an access time-out is being recovered"};
    enum { COUNT = sizeof faults / sizeof faults[0], CONFIGURATION = 8 };
    const char *text = "";
    for (unsigned i = 0; i < COUNT; i++)
        if ((health >> 2 * i & 3) == 1)
            text = orr_symptom_text(f, "%s%s%s", text, text[0] ? ", and " : "", faults[i]);
    if (health >> CONFIGURATION > 1)
        text = orr_symptom_text(f, "%s%sthe fabric's configuration is wrong (code %u)", text, text[0] ? ", and " : "",
                                health >> CONFIGURATION);
    return text;
}

static bool find_fabric(const struct orr_log *log, struct fabric *ret_fabric)
{
    const struct orr_log_event *event = orr_log_event_of(log, "mnnvl-fabric");
    const char *state = event ? strstr(event->text, " state ") : NULL;
    const char *health = event ? strstr(event->text, " healthMask ") : NULL;
    if (!state || !health)
        return false;
    *ret_fabric = (struct fabric){.state = (unsigned)strtoul(state + strlen(" state "), NULL, 10),
                                  .health = (unsigned)strtoul(health + strlen(" healthMask "), NULL, 16),
                                  .domain = !strstr(event->text, "UUID 0.0 "),
                                  .line = event->line};
    return true;
}

enum { UUID_HIGH = 1, UUID_LOW, CLIQUE };

static bool same_domain(const struct orr_log_record *one, const struct orr_log_record *other)
{
    return !strcmp(one->words[UUID_HIGH], other->words[UUID_HIGH]) &&
           !strcmp(one->words[UUID_LOW], other->words[UUID_LOW]);
}

/* A GPU of no domain has a UUID of zeros. */
static bool domains_differ(const struct orr_log_record *one, const struct orr_log_record *other)
{
    return strcmp(one->words[UUID_LOW], "0") != 0 && strcmp(other->words[UUID_LOW], "0") != 0 &&
           (!same_domain(one, other) || strcmp(one->words[CLIQUE], other->words[CLIQUE]) != 0);
}

/* Hosts of different NVLink domains, or cliques of one, are joined by the network alone. */
static bool nvlink_domains(struct orr_symptom_finder *f)
{
    enum { TRAYS_MOST = 18 };
    const struct orr_log *log = f->log;
    struct orr_symptom_two two;
    if (!orr_symptom_unlike(log, ORR_LOG_FABRIC, "", domains_differ, &two))
        return false;
    const bool cliques = same_domain(two.one, two.other);
    ORR_SYMPTOM(
        f, "nvlink-domains", log->host_count <= TRAYS_MOST ? ORR_SYMPTOM_CAUSE : ORR_SYMPTOM_NOTE, two.other->line,
        .slows = true,
        .cause = orr_symptom_text(
            f,
            "Hosts %.60s and %.60s are in different NVLink %s: %s differ (lines %u and %u). NVLink "
            "ends there, so data between them takes the network, although each reports MNNVL.",
            orr_symptom_host(log, two.one), orr_symptom_host(log, two.other), cliques ? "cliques" : "domains (racks)",
            cliques ? "their clique ids" : "their fabric UUIDs", two.one->line, two.other->line),
        .check = "Check: `nvidia-smi -q | grep -A8 Fabric` prints another ClusterUUID or CliqueId on the two hosts; "
                 "cliqueSize in NCCL's log counts the GPUs that NVLink joins.",
        .cure = "Take hosts of one domain: with Slurm topology/block and --segment, or -w with trays of one rack. IMEX "
                "and NCCL's settings do not change this.");
    return true;
}

/* Two jobs in one NVLink clique, each with IMEX daemons of its own. */
static void two_imex_domains(struct orr_symptom_finder *f)
{
    const struct orr_log_event *event =
        orr_log_event_of(f->log, "cuda-launch-failure|cuda-state|cuda-not-supported|cuda-failure");
    const uint32_t line = orr_symptom_said(
        f->log, "clique|computedomain|compute domain|imex domain&two |second|another|multiple|several&job|domain",
        false);
    if (!event || !line)
        return;
    ORR_SYMPTOM(
        f, "two-imex-domains", ORR_SYMPTOM_CAUSE, line,
        .cause = orr_symptom_text(f,
                                  "Several jobs share an NVLink clique (line %u). If each ComputeDomain runs IMEX "
                                  "daemons of its own, their access rights to GPU memory on that fabric conflict.",
                                  line),
        .check = "Check: with NCCL_MNNVL_ENABLE=0 both jobs work, or one job alone works.",
        .cure =
            "Give a clique one IMEX domain: the jobs of a clique share a ComputeDomain, or run one after the other.",
        .explains = event->message->id);
}

/* A GPU in an NVLink domain, such as GB200: explains the fabric's state or, if that is in order, suspects IMEX. */
static void fabric_state(struct orr_symptom_finder *f)
{
    enum { NOT_STARTED = 1, IN_PROGRESS = 2, COMPLETED = 3 };
    struct fabric fabric;
    const char *nvls = orr_symptom_setting(f->log, "NCCL_NVLS_ENABLE", NULL);
    const char *mnnvl = orr_symptom_setting(f->log, "NCCL_MNNVL_ENABLE", NULL);
    if (!find_fabric(f->log, &fabric) || fabric.state == 0)
        return;
    const char *faults = health_text(f, fabric.health);
    const bool ready = fabric.state == COMPLETED && !faults[0];
    const bool off = mnnvl && !strcmp(mnnvl, "0");
    if (ready && (!fabric.domain || (f->log->kinds[ORR_LOG_INIT_COMPLETE] && !orr_symptom_failed(f->log))))
        return;
    const char *cause =
        fabric.state != COMPLETED ? orr_symptom_text(f,
                                                     "The NVLink fabric is not ready (line %u: state %u, registration "
                                                     "%s), so NVLS and NVLink between hosts (MNNVL) fail.",
                                                     fabric.line, fabric.state,
                                                     fabric.state == NOT_STARTED   ? "not started"
                                                     : fabric.state == IN_PROGRESS ? "in progress"
                                                                                   : "unknown")
        : faults[0] ? orr_symptom_text(f, "The NVLink fabric is not healthy (line %u, healthMask 0x%x): %s.",
                                       fabric.line, fabric.health, faults)
                    : orr_symptom_text(f,
                                       "The NVLink fabric is registered and reports no fault (line %u: state 3, "
                                       "healthMask 0x%x), so if NVLS or MNNVL fails here, look at IMEX.",
                                       fabric.line, fabric.health);
    const bool suspect = !off && (nvls || orr_log_event_of(f->log, "cuda-nvls"));
    ORR_SYMPTOM(f, ready ? "imex" : "fabric-state", !ready || suspect ? ORR_SYMPTOM_CAUSE : ORR_SYMPTOM_NOTE,
                fabric.line, .cause = cause, .explains = "cuda-nvls",
                .check = ready ? "If `nvidia-imex-ctl -N` does not say READY for all trays, start nvidia-imex on all "
                                 "of them with the same nodes_config.cfg. If the job's container has no "
                                 "/dev/nvidia-caps-imex-channels, give it the channel."
                               : "Check: `nvidia-smi -q | grep -A6 Fabric`, and Fabric Manager and NVLink on the "
                                 "switch trays (`nvidia-imex-ctl -N` for the domain).",
                .cure = "NCCL_NVLS_ENABLE=0 and NCCL_MNNVL_ENABLE=0 let the job run meanwhile, without NVLS and NVLink "
                        "between hosts.");
}

void orr_symptoms_of_fabric(struct orr_symptom_finder *f)
{
    two_imex_domains(f);
    if (!nvlink_domains(f))
        fabric_state(f);
}
