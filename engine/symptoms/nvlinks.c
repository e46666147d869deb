/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about which GPUs NVLink joins: jobs across groups that it joins, ranks that it joins to GPUs of others, links
 * that are missing or not in use, and boards without an NVSwitch. */
#include "engine/log_reading/nvlinks.h"

#include <stdio.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/log_reading/statements.h"
#include "engine/symptoms/finding.h"

enum { NONE = UINT32_MAX };

/* The GPUs of a host in groups that NVLink joins. */
struct groups {
    struct orr_log_nvlinks links;
    uint32_t of[ORR_NVLINK_GPUS]; /* the first GPU of each one's group */
    uint32_t count, largest;      /* groups; GPUs of the largest */
};

static bool find_groups(const struct orr_log *log, struct groups *ret_groups)
{
    struct groups *g = ret_groups;
    if (!orr_log_nvlinks_of(log, &g->links))
        return false;
    for (uint32_t i = 0; i < g->links.gpus; i++)
        g->of[i] = i;
    for (uint32_t i = 0; i < g->links.gpus; i++)
        for (uint32_t k = 0; k < i; k++) {
            const uint32_t from = g->of[i], to = g->of[k];
            for (uint32_t j = 0; j < g->links.gpus && g->links.between[i][k] > 0; j++)
                g->of[j] = g->of[j] == from ? to : g->of[j];
        }
    g->count = g->largest = 0;
    for (uint32_t i = 0; i < g->links.gpus; i++) {
        uint32_t size = 0;
        for (uint32_t k = 0; k < g->links.gpus; k++)
            size += g->of[k] == i;
        g->count += size > 0;
        g->largest = size > g->largest ? size : g->largest;
    }
    return true;
}

/* The GPUs of a group: "0, 1 and 2"; joined by commas if plain. */
static const char *list(struct orr_symptom_finder *f, const struct groups *g, uint32_t group, bool plain)
{
    const char *text = "";
    uint32_t left = 0;
    for (uint32_t i = 0; i < g->links.gpus; i++)
        left += g->of[i] == group;
    for (uint32_t i = 0; i < g->links.gpus; i++)
        if (g->of[i] == group)
            text = orr_symptom_text(f, "%s%s%u", text, !*text ? "" : plain ? "," : --left > 1 ? ", " : " and ", i);
    return text;
}

/* "GPUs 0 and 2, GPUs 1 and 3"; plain: "0,2,1,3". Single GPUs come last, and only if plain. */
static const char *all_groups(struct orr_symptom_finder *f, const struct groups *g, bool plain)
{
    const char *text = "";
    for (uint32_t round = 0; round < (plain ? 2u : 1u); round++)
        for (uint32_t i = 0; i < g->links.gpus; i++) {
            bool single = true;
            for (uint32_t k = 0; k < g->links.gpus; k++)
                single &= k == i || g->of[k] != i;
            if (g->of[i] == i && single == (round > 0))
                text = orr_symptom_text(f, "%s%s%s%s", text,
                                        !*text  ? ""
                                        : plain ? ","
                                                : "; ",
                                        plain ? "" : "GPUs ", list(f, g, i, plain));
        }
    return text;
}

/* How the matrix says that PCIe joins GPUs of two groups: " (SYS)". */
static const char *between(struct orr_symptom_finder *f, const struct groups *g)
{
    for (uint32_t i = 0; i < g->links.gpus; i++)
        for (uint32_t k = 0; k < g->links.gpus; k++)
            if (g->of[i] != g->of[k] && g->links.cells[i][k])
                return orr_symptom_text(f, " (%s)", g->links.cells[i][k]);
    return "";
}

/* The number of the GPU of a rank, as nvidia-smi numbers it; NONE if it is not in the matrix. */
static uint32_t gpu_of(const struct orr_log *log, const struct groups *g, const struct orr_log_communicator *of,
                       int32_t rank)
{
    const uint32_t session = of->members[rank].session;
    const int32_t gpu = session == NONE                        ? -1
                        : log->sessions[session].nvml_dev >= 0 ? log->sessions[session].nvml_dev
                                                               : log->sessions[session].cuda_dev;
    return gpu >= 0 && (uint32_t)gpu < g->links.gpus ? (uint32_t)gpu : NONE;
}

/* Whether NVLink joins no two GPUs of a communicator, although it joins each of them to another GPU of the host. */
static bool is_off_bridges(const struct orr_log *log, const struct groups *g, const struct orr_log_communicator *of)
{
    if (!of->members || of->rank_count < 2 || of->rank_count > ORR_NVLINK_GPUS || of->node_count > 1)
        return false;
    for (int32_t rank = 0; rank < of->rank_count; rank++) {
        const uint32_t gpu = gpu_of(log, g, of, rank);
        bool joined = false;
        for (uint32_t i = 0; gpu != NONE && i < g->links.gpus; i++)
            joined |= g->links.between[gpu][i] > 0;
        for (int32_t other = 0; joined && other < rank; other++)
            joined = g->of[gpu_of(log, g, of, other)] != g->of[gpu];
        if (!joined)
            return false;
    }
    return true;
}

/* Ranks that exchange data are on GPUs of different bridges. Programs take the GPUs in their order. */
static bool off_bridges(struct orr_symptom_finder *f, const struct groups *g)
{
    const struct orr_log *log = f->log;
    const struct orr_log_communicator *of = NULL;
    for (uint32_t i = 0; i < log->communicator_count && !of; i++)
        of = is_off_bridges(log, g, &log->communicators[i]) ? &log->communicators[i] : NULL;
    if (!g->links.counts || !of || (uint32_t)of->rank_count > g->largest)
        return false;
    ORR_SYMPTOM(f, "off-bridges", ORR_SYMPTOM_CAUSE, of->first_line, .slows = true,
                .cause = orr_symptom_text(
                    f,
                    "NVLink joins %s (line %u), but %d ranks that exchange data have GPUs %u and %u (line %u), without "
                    "NVLink between them: a program takes the visible GPUs in their order.",
                    all_groups(f, g, false), g->links.line, of->rank_count, gpu_of(log, g, of, 0),
                    gpu_of(log, g, of, 1), of->first_line),
                .check = "Check: afterwards the log says \"via P2P\" for these ranks, and the counters of `nvidia-smi "
                         "nvlink -gt d` rise.",
                .cure = orr_symptom_text(f,
                                         "Order the GPUs so that each group has its own bridge: "
                                         "CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=%s. No setting of NCCL is "
                                         "needed.",
                                         all_groups(f, g, true)),
                .explains = "vllm-no-p2p");
    return true;
}

/* Whether a record is of a communicator that one group has room for. */
static bool is_small(const struct orr_log *log, const struct groups *g, const struct orr_log_record *record)
{
    const uint32_t of = record->session == NONE ? NONE : log->sessions[record->session].communicator;
    return of != NONE && (uint32_t)log->communicators[of].rank_count <= g->largest;
}

/* A connection of two ranks whose GPUs NVLink does not join, in a larger job than a group; NULL if there is none. */
static const struct orr_log_record *crossing(const struct orr_log *log, const struct groups *g,
                                             struct orr_log_connection *ret_connection)
{
    for (uint32_t i = 0; i < log->record_count && !orr_budget_spent(i % 64 == 0); i++)
        if (orr_log_connection_of(&log->records[i], ret_connection) && ret_connection->transport != ORR_TRANSPORT_NET &&
            ret_connection->bus_ids[0] == (uint64_t)ret_connection->from &&
            ret_connection->bus_ids[1] == (uint64_t)ret_connection->to && ret_connection->from >= 0 &&
            ret_connection->to >= 0 && (uint32_t)ret_connection->from < g->links.gpus &&
            (uint32_t)ret_connection->to < g->links.gpus && g->of[ret_connection->from] != g->of[ret_connection->to] &&
            !is_small(log, g, &log->records[i]))
            return &log->records[i];
    return NULL;
}

/* A job takes GPUs of several groups, so its rings cross from one to the other by PCIe. */
static void across_groups(struct orr_symptom_finder *f, const struct groups *g)
{
    struct orr_log_connection connection;
    const struct orr_log_record *record = g->links.counts ? crossing(f->log, g, &connection) : NULL;
    if (!record)
        return;
    ORR_SYMPTOM(
        f, "across-nvlink-groups", ORR_SYMPTOM_CAUSE, g->links.line, .slows = true,
        .cause = orr_symptom_text(
            f,
            "NVLink joins %s, and between these groups there is only PCIe%s (line %u). A ring over GPUs of several "
            "groups, as from rank %d to rank %d in line %u, is as fast as that slowest part, however fast each group "
            "is alone.",
            all_groups(f, g, false), between(f, g), g->links.line, connection.from, connection.to, record->line),
        .check = orr_symptom_text(f,
                                  "Check: all_reduce_perf within a group (CUDA_VISIBLE_DEVICES=%s) reaches NVLink's "
                                  "rate, and over all GPUs that of PCIe.",
                                  list(f, g, g->of[0], true)),
        .cure =
            orr_symptom_text(f,
                             "This is not a defect, and no setting of NCCL changes it: give each tensor parallel group "
                             "the %u GPUs of one NVLink group, and put pipeline or data parallelism between them. "
                             "Only GPUs with NVSwitches (HGX) are one fast group of %u.",
                             g->largest, g->links.gpus));
}

/* Pairs that NVLink joins by fewer links than most pairs of a full mesh. */
static void fewer_links(struct orr_symptom_finder *f, const struct groups *g)
{
    const struct orr_log_nvlinks *links = &g->links;
    double most = 0, least = 0;
    uint32_t pairs = 0, fewer = 0, a = 0, b = 0;
    for (uint32_t i = 0; i < links->gpus; i++)
        for (uint32_t k = 0; k < i; k++, pairs++) {
            const double rate = links->between[i][k];
            if (rate <= 0 || rate != links->between[k][i])
                return;
            most = rate > most ? rate : most;
        }
    for (uint32_t i = 0; i < links->gpus; i++)
        for (uint32_t k = 0; k < i; k++)
            if (links->between[i][k] < most) {
                if (fewer++ && links->between[i][k] != least)
                    return;
                least = links->between[i][k];
                a = k;
                b = i;
            }
    enum { FEW = 4 }; /* of this many pairs, one at most; other boards have unequal links by design */
    if (!fewer || links->gpus < 3 || fewer * FEW > pairs)
        return;
    ORR_SYMPTOM(f, "fewer-nvlinks", ORR_SYMPTOM_CAUSE, links->line, .slows = true,
                .cause = orr_symptom_text(
                    f,
                    "%s and %s have less NVLink between them than all other pairs: %s, not %s. One of their links is "
                    "down, and as rings use all pairs alike, the slowest pair limits every collective.",
                    links->names[a], links->names[b], orr_symptom_text(f, links->counts ? "NV%g" : "%g GB/s", least),
                    orr_symptom_text(f, links->counts ? "NV%g" : "%g", most)),
                .check = "Check: `nvidia-smi nvlink -s` shows a link of both GPUs as inactive, and `dmesg | grep -i "
                         "xid` may show Xid 74; compare `nvidia-smi topo -m` with a good host.",
                .cure = "Reset the GPUs or restart the host. If the link stays down, have the board serviced, or seat "
                        "a bridge again; no setting of NCCL helps.");
}

/* GPUs with links of their own to each other, and a question about what only an NVSwitch has. */
static void without_switch(struct orr_symptom_finder *f, const struct groups *g)
{
    static const char asks[] = "nvls|nvlink sharp|multicast|nvswitch|share|fabric manager&?|why | how | is it |broken";
    enum { GPUS_MOST = 6, LINKS_MOST = 18 };
    const double links = g->links.gpus > 1 ? g->links.between[0][1] : 0;
    const uint32_t line = orr_symptom_said(f->log, asks, false);
    for (uint32_t i = 0; i < g->links.gpus; i++)
        for (uint32_t k = 0; k < g->links.gpus; k++)
            if (i != k && g->links.between[i][k] != links)
                return;
    if (!line || !g->links.counts || g->links.gpus < 3 || g->links.gpus > GPUS_MOST || links <= 0 ||
        links * (g->links.gpus - 1) > LINKS_MOST)
        return;
    ORR_SYMPTOM(f, "no-nvswitch", ORR_SYMPTOM_CAUSE, g->links.line,
                .cause = orr_symptom_text(
                    f,
                    "These GPUs have no NVSwitch: every pair has %g NVLinks of its own (NV%g in all cells, line %u), "
                    "so pairs share nothing and all run at full speed at the same time. NVLink SHARP (NVLS, multicast) "
                    "works in NVSwitches, so 0 NVLS channels are right here.",
                    links, links, g->links.line),
                .check = "Check: `nvidia-smi nvlink -R` names only the other GPUs as remote devices, and `lspci | grep "
                         "-i nvswitch` finds none.",
                .cure = "Nothing is broken, and no setting, driver or Fabric Manager turns NVLS on.");
}

enum { LISTED = 16 };

struct linked {
    int number;
    uint32_t active, inactive, line;
};

/* The links of each GPU in `nvidia-smi nvlink -s`. */
static uint32_t count_links(const struct orr_log *log, struct linked gpus[LISTED])
{
    uint32_t count = 0;
    struct linked *gpu = NULL;
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        if (record->kind == ORR_LOG_GPU_NAME && record->value_count) {
            gpu = NULL;
            for (uint32_t k = 0; k < count; k++)
                if (gpus[k].number == (int)record->values[0])
                    return 0; /* listed again, maybe on another host */
            if (count < LISTED) {
                gpu = &gpus[count++];
                *gpu = (struct linked){.number = (int)record->values[0]};
            }
        } else if (record->kind == ORR_LOG_NVLINK && gpu) {
            const bool active = record->value_count > 1;
            gpu->line = active || gpu->inactive ? gpu->line : record->line;
            gpu->active += active;
            gpu->inactive += !active;
        }
    }
    return count;
}

static void inactive_links(struct orr_symptom_finder *f)
{
    struct linked gpus[LISTED];
    const uint32_t count = count_links(f->log, gpus);
    const struct linked *worst = NULL;
    uint32_t most = 0, worse = 0;
    for (uint32_t i = 0; i < count; i++)
        most = gpus[i].active > most ? gpus[i].active : most;
    for (uint32_t i = 0; i < count; i++) {
        const bool lacks = gpus[i].active < most && gpus[i].inactive;
        worse += lacks;
        if (lacks && (!worst || gpus[i].active < worst->active))
            worst = &gpus[i];
    }
    if (!worst)
        return;
    ORR_SYMPTOM(f, "nvlinks-unequal", ORR_SYMPTOM_CAUSE, worst->line, .slows = true, .explains = "nvlink-inactive",
                .cause = orr_symptom_text(f,
                                          "GPU %d uses %u of its %u NVLinks (line %u), and others use %u%s: rings pass "
                                          "through every GPU, so all of them are as slow as this one.",
                                          worst->number, worst->active, worst->active + worst->inactive, worst->line,
                                          most, worse > 1 ? orr_symptom_text(f, " (%u GPUs lack some)", worse) : ""),
                .check = "Check: `nvidia-smi nvlink -s` and -e (errors), and `dmesg | grep -i -e nvlink -e Xid`; with "
                         "NVSwitches, Fabric Manager's log.",
                .cure = "Reset the GPUs or restart the host. If the links stay down, the board, the bridge or the GPU "
                        "is at fault: take the host out and have it repaired.");
}

void orr_symptoms_of_nvlinks(struct orr_symptom_finder *f)
{
    struct groups g;
    inactive_links(f);
    if (!find_groups(f->log, &g))
        return;
    if (g.count > 1 && g.largest > 1) {
        if (!off_bridges(f, &g))
            across_groups(f, &g);
    } else if (g.count == 1) {
        fewer_links(f, &g);
        without_switch(f, &g);
    }
}
