/* SPDX-License-Identifier: Apache-2.0 */
/* The patterns of NCCL's lines. A row says which releases print the line, and which values it has. The order matters
 * only if two rows match one line: then the more specific one comes first. */
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "engine/base/words.h"
#include "engine/log_reading/scan.h"

static const struct kind_row {
    enum orr_log_kind kind;
    const char *releases; /* a note for people who read this table */
    const char *pattern;  /* scan.h */
    enum orr_log_list list;
} rows[] = {
    /* values and words in the order of the pattern */
    {ORR_LOG_CONNECT_NET, "2.8 on", "Channel %d/%d : %d[%x] -> %d[%x] [%w] via NET/%t", 0},
    {ORR_LOG_CONNECT_NET, "to 2.8", "Channel %d : %d[%x] -> %d[%x] [%w] via NET/%t", 0},
    {ORR_LOG_CONNECT_NET, "to 2.5", "Ring %d : %d[%x] -> %d[%x] [%w] via NET/%t", 0},
    {ORR_LOG_CONNECT_P2P, "2.14 on", "Channel %d/%d : %d[%x] -> %d[%x] via P2P/%t", 0},
    {ORR_LOG_CONNECT_P2P, "to 2.13", "Channel %d : %d[%x] -> %d[%x] via P2P/%t", 0},
    {ORR_LOG_CONNECT_P2P, "to 2.5", "Ring %d : %d[%x] -> %d[%x] via P2P/%t", 0},
    {ORR_LOG_CONNECT_SHM, "2.14 on", "Channel %d/%d : %d[%x] -> %d[%x] via SHM%t", 0},
    {ORR_LOG_CONNECT_SHM, "2.14 on", "Channel %d : %d[%x] -> %d[%x] via SHM%t", 0},
    {ORR_LOG_CONNECT_SHM, "to 2.13", "Channel %d : %d[%x] -> %d[%x] via direct shared memory%*", 0},
    {ORR_LOG_CONNECT_SHM, "to 2.5", "Ring %d : %d[%x] -> %d[%x] via direct shared memory%*", 0},
    {ORR_LOG_CONNECT_COLLNET, "all", "CollNet %d/%d : %d [%w] via COLLNET/%t", 0},
    {ORR_LOG_CONNECT_COLLNET, "all", "CollNet %d : %d [%w] via COLLNET/%t", 0},
    {ORR_LOG_RING, "all", "Channel %d/%d : %l", ORR_LIST_INTS},
    {ORR_LOG_RING_NEIGHBOURS, "all", "Ring %d : %d -> %d -> %d", 0},
    {ORR_LOG_TREES, "all", "Trees %l", ORR_LIST_TREES},
    {ORR_LOG_TREE_ENDS, "2.8 on", "Tree %d : %d -> %d -> %d/%d/%d", 0},
    {ORR_LOG_SYSTEM, "2.14 on", "=== System : maxBw %f totalBw %f ===", 0},
    {ORR_LOG_SYSTEM, "2.8 to 2.13", "=== System : maxWidth %f totalWidth %f ===", 0},
    {ORR_LOG_SYSTEM, "2.7", "=== System : maxWidth %f ===", 0},
    {ORR_LOG_SYSTEM, "to 2.5, whose figures mean something else; torn lines", "=== System%*", 0},
    {ORR_LOG_TREE_END, "all", "==========%*", 0},
    {ORR_LOG_TREE_LINK, "all", "%i+ %w[~%f] - %w (%t)%*", 0},
    {ORR_LOG_TREE_LINK, "all", "%i+ %w[~%f] - %w", 0},
    {ORR_LOG_TREE_CPU, "2.7 on", "CPU/%w (%d/%d/%d)", 0},
    {ORR_LOG_TREE_CPU, "to 2.5", "CPU/%w", 0},
    {ORR_LOG_PATHS, "all", "%w :%l", ORR_LIST_PATHS},
    {ORR_LOG_PATTERN, "2.14 on", "Pattern %d, crossNic %d, nChannels %d, bw %f/%f, type %w/%w, sameChannels %d", 0},
    {ORR_LOG_PATTERN, "to 2.13", "Pattern %d, crossNic %d, nChannels %d, speed %f/%f, type %w/%w, sameChannels %d", 0},
    {ORR_LOG_PATTERN, "to 2.5", "Pattern %d, crossNic %d, nChannels %d, speed %f/%f, nvlink %d, type %d,%*", 0},
    {ORR_LOG_GRAPH_CHANNEL, "all", "~%d :%l", ORR_LIST_NODES},
    {ORR_LOG_NO_PATH, "all", "Could not find a path for pattern %d%*", 0},
    {ORR_LOG_COUNTS, "2.21 on",
     "%d coll channels, %d collnet channels, %d nvls channels, %d p2p channels, %d p2p channels per peer", 0},
    {ORR_LOG_COUNTS, "2.17 to 2.20", "%d coll channels, %d nvls channels, %d p2p channels, %d p2p channels per peer",
     0},
    {ORR_LOG_COUNTS, "to 2.16", "%d coll channels, %d p2p channels, %d p2p channels per peer", 0},
    {ORR_LOG_TUNER, "2.19 on", "TUNER/Plugin: Using tuner plugin %t", 0},
    {ORR_LOG_TUNER, "2.19 on", "TUNER/Plugin: Using %t", 0},
    {ORR_LOG_TUNER, "2.22 on", "Successfully loaded external tuner plugin %t", 0},
    {ORR_LOG_CHUNK, "2.16 on", "P2P Chunksize set to %d", 0},
    {ORR_LOG_NVLS_HEAD, "2.17 on", "NVLS Head %d:%l", ORR_LIST_INTS},
    {ORR_LOG_NVLS_TREES, "2.18 on", "NVLS Trees : %t", 0},
    {ORR_LOG_NVLS_SUPPORT, "2.19 to 2.29", "NVLS multicast support is %w on dev %d (NVLS_NCHANNELS %d)", 0},
    {ORR_LOG_NVLS_SUPPORT, "2.19 to 2.29", "NVLS multicast support is %w available on dev %d (NVLS_NCHANNELS %d)", 0},
    {ORR_LOG_NVLS_TUNING, "2.30 on", "NVLS tuning: nChannels %d chunkSize %d treeMaxChunkSize %d", 0},
    {ORR_LOG_NVLS_SUPPORT, "2.17 on", "NVLS multicast support is %w on dev %d%*", 0},
    {ORR_LOG_NVLS_SUPPORT, "2.17 on", "NVLS multicast support is %w available on dev %d%*", 0},
    {ORR_LOG_FABRIC, "2.21 on", "MNNVL busId %x fabric UUID %x.%x cliqueId %x state %d healthMask %x", 0},
    {ORR_LOG_NVLINK_DOMAIN, "2.30 on", "LSA extended to full NVL domain: lsaSize=%d%*", 0},
    {ORR_LOG_P2P_TYPE, "2.24 to 2.26", "Check P2P Type intraNodeP2pSupport %d directMode %d", 0},
    {ORR_LOG_P2P_TYPE, "2.28.7 on", "Check P2P Type isAllDirectP2p %d directMode %d isAllCudaP2p %d", 0},
    {ORR_LOG_P2P_TYPE, "2.27 to 2.28.3", "Check P2P Type isAllDirectP2p %d directMode %d", 0},
    {ORR_LOG_NO_SYMMETRIC, "2.29 on", "Symmetric memory is not supported. cuMemEnable %d, globalGinSupport %d, %*", 0},
    {ORR_LOG_NO_SYMMETRIC, "2.29.2", "Symmetric memory is not supported. cuMemEnable %d, ginSupport %d, %*", 0},
    {ORR_LOG_NO_SYMMETRIC, "all", "Symmetric memory is not supported%*", 0},
    {ORR_LOG_SYMMETRIC, "2.27 on", "%w [Symmetric]: %w Bytes -> Kernel %w nchannels %d nthreads %d%*", 0},
    {ORR_LOG_SYMMETRIC_SPACE, "2.27 on", "Symmetric VA size=%dGB", 0},
    {ORR_LOG_KERNEL_SKIPPED, "2.27 on", "Skipping symmetric kernel %d which requires driver %d%*", 0},
    {ORR_LOG_GIN_CONNECTIONS, "2.29.7",
     "devCommCreate: %d Local NET, creating %d GIN connections with %d contexts each (%d contexts total requested)", 0},
    {ORR_LOG_GIN_CONNECTIONS, "2.30 on",
     "devCommCreate: creating %d contexts: %d GIN connections with %d contexts each (%d contexts total requested)", 0},
    {ORR_LOG_GIN, "2.30.7", "GIN/Plugin: Assigned plugin %w type %d to comm", 0},
    {ORR_LOG_MNNVL, "2.21 on", "MNNVL %d cliqueId %x cliqueSize %d cliqueRank %d%*", 0},
    {ORR_LOG_INIT_START, "2.27 on",
     "%w comm %x rank %d nranks %d cudaDev %d nvmlDev %d busId %x commId %x - Init START", 0},
    {ORR_LOG_INIT_START, "2.30",
     "[Rank %d] %w comm %x rank %d nranks %d cudaDev %d nvmlDev %d busId %x commId %x - Init START", 0},
    {ORR_LOG_INIT_START, "2.18 to 2.26",
     "comm %x rank %d nranks %d cudaDev %d nvmlDev %d busId %x commId %x - Init START", 0},
    {ORR_LOG_INIT_COMPLETE, "2.27 on",
     "%w comm %x rank %d nranks %d cudaDev %d nvmlDev %d busId %x commId %x%t- Init COMPLETE", 0},
    {ORR_LOG_INIT_COMPLETE, "2.18 to 2.26",
     "comm %x rank %d nranks %d cudaDev %d nvmlDev %d busId %x commId %x%t- Init COMPLETE", 0},
    {ORR_LOG_INIT_COMPLETE, "2.16", "comm %x rank %d nranks %d cudaDev %d busId %x commId %x%t- Init COMPLETE", 0},
    {ORR_LOG_INIT_COMPLETE, "to 2.15", "comm %x rank %d nranks %d cudaDev %d nvmlDev %d - Init COMPLETE", 0},
    {ORR_LOG_INIT_COMPLETE, "to 2.15", "comm %x rank %d nranks %d cudaDev %d busId %x - Init COMPLETE", 0},
    {ORR_LOG_INIT_COMPLETE, "to 2.5", "comm %x rank %d nranks %d cudaDev %d nvmlDev %d busId %x - Init COMPLETE", 0},
    {ORR_LOG_COMM_END, "all", "comm %x rank %d nranks %d cudaDev %d busId %x - %w COMPLETE", 0},
    {ORR_LOG_COMMUNICATOR, "2.18 on", "comm %x rank %d nRanks %d nNodes %d localRanks %d localRank %d%*", 0},
    {ORR_LOG_GDR_PAIR, "2.7 on", "GPU Direct RDMA %w for GPU %w / HCA %w (distance %d %w %d), read %d%*", 0},
    {ORR_LOG_GDR_PAIR, "2.7 on", "GPU Direct RDMA %w for GPU %w / HCA %w (distance %d %w %d)%*", 0},
    {ORR_LOG_GDR_PAIR, "to 2.5", "NET/IB : GPU Direct RDMA %w for GPU %w / HCA %w (distance %d %w %d)%*", 0},
    {ORR_LOG_GDR_PAIR, "2.28 on", "GPU Direct RDMA %w for GPU/%w (rank %d) - NET/%w (distance %d %w %d, read %d%*", 0},
    {ORR_LOG_GDR_PAIR, "2.28 on", "GPU Direct RDMA %w for GPU/%w (rank %d) - NET/%w (distance %d %w %d)%*", 0},
    {ORR_LOG_GDR_PAIR, "2.28 on",
     "GPU Direct RDMA %w for GPU/%w (rank %d) - NET/%w (~using PXN via %w distance %d %w %d, read %d%*", 0},
    {ORR_LOG_GDR_NIC, "all", "NET/%t: GPU Direct RDMA %w for HCA %d '%t'%*", 0},
    {ORR_LOG_NIC_LIST, "all", "NET/%t: Using %t", 0},
    {ORR_LOG_BOOTSTRAP, "all", "Bootstrap~: Using %t", 0},
    {ORR_LOG_NIC_SPEED, "2.23 on", "NET/IB: [%d] %w:%w:%d/%w provider=%w speed=%d%*", 0},
    {ORR_LOG_NIC_SPEED, "2.23 on", "NET/IB : Made virtual device [%d] name=%w speed=%d ndevs=1%*", 0},
    {ORR_LOG_NETWORK, "all", "Using network %t", 0},
    {ORR_LOG_SETTING, "all", "NCCL_%w set by environment to %t", 0},
    {ORR_LOG_SETTING, "to 2.16", "NCCL_%w set to %t", 0},
    {ORR_LOG_TOPO_FILE, "all", "Loading topology file %t", 0},
    {ORR_LOG_AFFINITY, "all", "Setting affinity for GPU %d to %t", 0},
    {ORR_LOG_AFFINITY_OF, "2.27 on", "%w: Affinity for GPU %d is %t. (GPU affinity = %t ; CPU affinity = %t).", 0},
    {ORR_LOG_P2P_NOT, "all", "P2P not supported between GPU%d and GPU%d%*", 0},
    {ORR_LOG_P2P_NOT, "all", "P2P is disabled between connected GPUs %d and %d%*", 0},
    {ORR_LOG_CONNECTED, "2.8 on", "Connected %t", 0},
    {ORR_LOG_THRESHOLDS, "all", "threadThresholds %t", 0},
    {ORR_LOG_TUNING_ALGORITHMS, "2.23 on", "~Algorithm |%l", ORR_LIST_CELLS},
    {ORR_LOG_TUNING_ALGORITHMS, "to 2.22", "~Latency/AlgBw |%l", ORR_LIST_CELLS},
    {ORR_LOG_TUNING_PROTOCOLS, "2.23 on", "~Protocol |%l", ORR_LIST_CELLS},
    {ORR_LOG_TUNING_ROW, "all", "~Max %w |%l", ORR_LIST_PAIRS},
    {ORR_LOG_TUNING_ROW, "all", "~%w |%l", ORR_LIST_PAIRS},
    {ORR_LOG_DRIVER, "2.14 on", "cudaDriverVersion %d", 0},
    {ORR_LOG_VERSION, "2.25 on", "NCCL version %t", 0},
    {ORR_LOG_RCCL, "RCCL", "RCCL version : %t", 0},
    {ORR_LOG_RCCL, "RCCL", "RCCL version %t", 0},
    {ORR_LOG_PLUGIN, "2.19 on", "NET/Plugin: Loaded net plugin %t", 0},
    {ORR_LOG_PLUGIN, "NVIDIA's", "P2P plugin %t", 0},
    {ORR_LOG_PLUGIN, "NVIDIA's", "Plugin Path : %t", 0},
    {ORR_LOG_OFI, "Amazon's", "NET/OFI Using aws-ofi-nccl %t", 0},
    {ORR_LOG_OFI, "Amazon's", "NET/OFI Initializing aws-ofi-nccl %t", 0},
    {ORR_LOG_OFI_PROVIDER, "Amazon's", "NET/OFI Selected %w is %w, fabric is %w (found %d nics)", 0},
    {ORR_LOG_OFI_PROVIDER, "Amazon's", "NET/OFI Selected %w is %w (found %d nics)", 0},
    {ORR_LOG_OFI_PROVIDER, "Amazon's", "NET/OFI Selected %w is %w", ORR_LIST_REST},
    {ORR_LOG_OFI_PROVIDER, "Amazon's", "NET/OFI Selected %w provider is %w", ORR_LIST_REST},
    {ORR_LOG_CALL, "all", "%w: opCount %x sendbuff %w recvbuff %w count %w datatype %d op %d root %d comm %x%*", 0},
    {ORR_LOG_PLATFORM, "Amazon's", "NET/OFI Running on %w platform%*", 0},
    {ORR_LOG_CHOICE, "2.24 on", "%w: %w Bytes -> Algo %w proto %w channel{Lo..Hi}={%d..%d}", 0},
    {ORR_LOG_CHOICE, "2.19 to 2.23", "%w: %w Bytes -> Algo %w proto %w time %*", 0},
    {ORR_LOG_CHOICE, "to 2.18", "%w Bytes -> Algo %w proto %w time %*", 0},
    {ORR_LOG_FRAME, "all", "%w:%d -> %d", ORR_LIST_REST},
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

/* Lines of nccl-tests and others, which have no header of NCCL; sought anywhere in a line. */
static const struct outside_row {
    enum orr_log_kind kind;
    const char *begins; /* text that marks the place */
    const char *pattern;
} outside[] = {
    {ORR_LOG_VERSION, "NCCL version ", "NCCL version %t"},
    {ORR_LOG_VERSION, "NCCL version: ", "NCCL version: %t"},
    {ORR_LOG_RCCL, "RCCL version", "RCCL version : %t"},
    {ORR_LOG_RCCL, "RCCL version", "RCCL version %t"},
    {ORR_LOG_TEST_START, "# ", "# size count type%*"},
    {ORR_LOG_TEST_RESULT, "# Avg bus bandwidth", "# Avg bus bandwidth : %f"},
    {ORR_LOG_TEST_RESULT, "# Out of bounds", "# Out of bounds values : %d %w"},
    /* MLPerf, torchrun, Lightning, the Trainer of Transformers, srun -v. */
    {ORR_LOG_JOB_END, "RUNANDTIME_STOP", "RUNANDTIME_STOP%*"},
    {ORR_LOG_JOB_END, "RESULT,", "RESULT,%w,,%d,%*"},
    {ORR_LOG_JOB_END, "\"key\": \"run_stop\"", "\"key\": \"run_stop\",%t"},
    {ORR_LOG_JOB_END, "worker group successfully finished", "worker group successfully finished%*"},
    {ORR_LOG_JOB_END, "`Trainer.fit` stopped: ", "`Trainer.fit` stopped: %*"},
    {ORR_LOG_JOB_END, "{'train_runtime': ", "{'train_runtime': %*"},
    {ORR_LOG_JOB_END, "task exit notification for ", "task exit notification for %d tasks of %t"},
    {ORR_LOG_GPU_NAME, "GPU ", "GPU %d: NVIDIA %t"},  /* nvidia-smi -L */
    {ORR_LOG_GPU_NAME, "GPU ", "GPU %d: Tesla %t"},   /* the same of older drivers */
    {ORR_LOG_NVLINK, "Link ", "Link %d: <inactive>"}, /* nvidia-smi nvlink -s */
    {ORR_LOG_NVLINK, "Link ", "Link %d: %f GB/s"},
    {ORR_LOG_GPU_NAME, "Device: ", "Device: %d, NVIDIA %t, pciBusID: %*"}, /* p2pBandwidthLatencyTest */
    {ORR_LOG_GPU_NAME, "> Peer access from ", "> Peer access from NVIDIA %t(GPU%d) -> %*"}, /* simpleP2P */
    /* The answer of NCCL's RAS. */
    {ORR_LOG_RAS_GROUP, " launched up to operation ", " launched up to operation %d"},
    {ORR_LOG_RAS_RANK, "Rank ", "Rank %d -- GPU %w managed by process %d on node %w"},
    {ORR_LOG_RAS_RANK, "Rank ", "Rank %d has launched up to operation %d -- GPU %w managed by process %d on node %w"},
    /* aws ec2 describe-security-groups */
    {ORR_LOG_GROUP_RULE, "\"IpPermissions", "\"Ip%w:%*"},
    {ORR_LOG_GROUP_RULE, "\"UserIdGroupPairs\": ", "\"UserIdGroupPairs\": %w%*"},
    {ORR_LOG_DEVICE, "# ", "# Rank %d Group %d Pid %d on %w device %d [%w] %t"},
    {ORR_LOG_DEVICE, "# ", "# Rank %d Pid %d on %w device %d [%w] %t"},
};
enum { OUTSIDE_COUNT = sizeof outside / sizeof outside[0] };

/* NCCL's own lines, from whose start a person cut "NCCL INFO". */
static const struct bare_row {
    enum orr_log_kind kind;
    const char *pattern;
} bare[] = {
    {ORR_LOG_CONNECT_NET, "Channel %d/%d : %d[%x] -> %d[%x] [%w] via NET/%t"},
    {ORR_LOG_CONNECT_NET, "Channel %d : %d[%x] -> %d[%x] [%w] via NET/%t"},
    {ORR_LOG_CONNECT_NET, "%d[%x] -> %d[%x] [%w] via NET/%t"},
    {ORR_LOG_NIC_LIST, "NET/%t: Using %t"},
    {ORR_LOG_GDR_NIC, "NET/%t: GPU Direct RDMA %w for HCA %d '%t'%*"},
};
enum { BARE_COUNT = sizeof bare / sizeof bare[0] };

static const char *const names[] = {ORR_LOG_KIND_MAP(ORR_SECOND_OF)};

const char *orr_log_kind_name(enum orr_log_kind kind)
{
    return kind < ORR_LOG_KIND_COUNT ? names[kind] : "";
}

/* The beginning of a line, by which most patterns are ruled out without a scan. */
struct beginning {
    char first, solid; /* its first character, and the first that is not blank */
    char second;       /* the first that is not blank after the first word */
    bool colon;        /* in the first word */
};

static struct beginning look_at(const char *text, size_t length)
{
    struct beginning line = {.first = length ? text[0] : 0};
    size_t at = 0;
    while (at < length && orr_log_is_blank(text[at]))
        at++;
    line.solid = at < length ? text[at] : 0;
    for (; at < length && !orr_log_is_blank(text[at]); at++)
        line.colon |= text[at] == ':';
    while (at < length && orr_log_is_blank(text[at]))
        at++;
    line.second = at < length ? text[at] : 0;
    return line;
}

static bool may_be_number(char c)
{
    return c == '-' || orr_is_digit(c);
}

/* False if the pattern certainly does not match. */
static bool may_match(const char *pattern, const struct beginning *line)
{
    if (pattern[0] != '%' && pattern[0] != '~')
        return pattern[0] == line->first;
    const char solid = pattern[0] == '~' ? line->solid : line->first;
    pattern += pattern[0] == '~';
    if (pattern[0] != '%')
        return pattern[0] == solid;
    if (pattern[1] == 'd')
        return may_be_number(solid);
    if (pattern[1] == 'i')
        return pattern[2] == line->solid;
    if (pattern[1] == 'w' && pattern[2] == ':')
        return line->colon;
    return pattern[1] != 'w' || pattern[2] != ' ' || pattern[3] == '%' || pattern[3] == line->second;
}

/* The rows for a first character, as bits: those that begin with it, and those that begin with a conversion. */
enum { WORD = 64, WORDS = (ROW_COUNT + WORD - 1) / WORD };
static uint64_t rows_of[UCHAR_MAX + 1][WORDS];
static pthread_once_t rows_once = PTHREAD_ONCE_INIT;

static void note_rows(void)
{
    for (int i = 0; i < ROW_COUNT; i++) {
        const char begin = rows[i].pattern[0];
        for (int c = 0; c <= UCHAR_MAX; c++)
            if (begin == '%' || begin == '~' || (unsigned char)begin == c)
                rows_of[c][i / WORD] |= UINT64_C(1) << i % WORD;
    }
}

enum orr_log_kind orr_log_kind_of(const char *text, size_t length, struct orr_log_catch *found)
{
    const struct beginning line = look_at(text, length);
    (void)pthread_once(&rows_once, note_rows);
    for (int word = 0; word < WORDS; word++)
        for (uint64_t left = rows_of[(unsigned char)line.first][word]; left; left &= left - 1) {
            const struct kind_row *row = &rows[word * WORD + __builtin_ctzll(left)];
            if (!may_match(row->pattern, &line) || !orr_log_scan(row->pattern, row->list, text, length, found))
                continue;
            bool of_gpu = row->kind != ORR_LOG_PATHS || !strncmp(found->words[0].at, "GPU", 3);
            return of_gpu ? row->kind : ORR_LOG_PATHS_OTHER;
        }
    return ORR_LOG_KIND_COUNT;
}

/* The text after blanks, signs of a quotation, and a lone "INFO". */
static const char *skip_quotation(const char *text, size_t length)
{
    static const char info[] = "INFO ";
    const char *at = text, *end = text + length;
    while (at < end && strchr(" \t>`*|", *at))
        at++;
    return (size_t)(end - at) >= sizeof info && !memcmp(at, info, sizeof info - 1) ? at + sizeof info - 1 : at;
}

enum orr_log_kind orr_log_kind_outside(const char *text, size_t length, struct orr_log_catch *found)
{
    for (int i = 0; i < OUTSIDE_COUNT; i++) {
        const char *at = memmem(text, length, outside[i].begins, strlen(outside[i].begins));
        if (at && orr_log_scan(outside[i].pattern, ORR_LIST_NONE, at, (size_t)(text + length - at), found))
            return outside[i].kind;
    }
    const char *start = skip_quotation(text, length);
    for (int i = 0; i < BARE_COUNT; i++)
        if (orr_log_scan(bare[i].pattern, ORR_LIST_NONE, start, (size_t)(text + length - start), found))
            return bare[i].kind;
    return ORR_LOG_KIND_COUNT;
}

bool orr_log_kind_wraps(enum orr_log_kind kind)
{
    static const bool wraps[ORR_LOG_KIND_COUNT] = {
        [ORR_LOG_PATHS] = true,    [ORR_LOG_PATHS_OTHER] = true,   [ORR_LOG_RING] = true,
        [ORR_LOG_TREES] = true,    [ORR_LOG_GRAPH_CHANNEL] = true, [ORR_LOG_SETTING] = true,
        [ORR_LOG_NIC_LIST] = true, [ORR_LOG_NVLS_HEAD] = true,
    };
    return kind == ORR_LOG_KIND_COUNT || wraps[kind];
}

bool orr_log_kind_opens(enum orr_log_kind kind)
{
    static const bool opens[ORR_LOG_KIND_COUNT] = {
        [ORR_LOG_NETWORK] = true,  [ORR_LOG_INIT_START] = true, [ORR_LOG_COMMUNICATOR] = true, [ORR_LOG_SYSTEM] = true,
        [ORR_LOG_AFFINITY] = true, [ORR_LOG_RING] = true,       [ORR_LOG_TREES] = true,
    };
    return kind < ORR_LOG_KIND_COUNT && opens[kind];
}
