/* The NCCL_* settings that change what Orrery computes: one table row each (settings.c), and the values of one request.
 *
 * Values are read as NCCL reads them: an integer is what strtoll(base 0) makes of the text, so "yes" is 0; an empty
 * text is the default. Names that no row has are an error, so that a typing mistake does not pass for a prediction.
 */
#ifndef ORR_RELEASE_SETTINGS_H
#define ORR_RELEASE_SETTINGS_H

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/release/release.h"

/* X(symbol, "NCCL_name") in alphabetical order; the rows with types, defaults and meanings are in settings.c. */
#define ORR_SETTING_MAP(X)                                                                                             \
    X(ALGO, "NCCL_ALGO")                                                                                               \
    X(COLLNET_ENABLE, "NCCL_COLLNET_ENABLE")                                                                           \
    X(COLLNET_NODE_THRESHOLD, "NCCL_COLLNET_NODE_THRESHOLD")                                                           \
    X(CROSS_NIC, "NCCL_CROSS_NIC")                                                                                     \
    X(CUMEM_ENABLE, "NCCL_CUMEM_ENABLE")                                                                               \
    X(IB_HCA, "NCCL_IB_HCA")                                                                                           \
    X(IB_MERGE_NICS, "NCCL_IB_MERGE_NICS")                                                                             \
    X(IGNORE_CPU_AFFINITY, "NCCL_IGNORE_CPU_AFFINITY")                                                                 \
    X(IGNORE_DISABLED_P2P, "NCCL_IGNORE_DISABLED_P2P")                                                                 \
    X(LL128_C2C, "NCCL_LL128_C2C")                                                                                     \
    X(LL128_NTHREADS, "NCCL_LL128_NTHREADS")                                                                           \
    X(MAX_CTAS, "NCCL_MAX_CTAS")                                                                                       \
    X(MAX_NCHANNELS, "NCCL_MAX_NCHANNELS")                                                                             \
    X(MAX_NRINGS, "NCCL_MAX_NRINGS")                                                                                   \
    X(MAX_P2P_NCHANNELS, "NCCL_MAX_P2P_NCHANNELS")                                                                     \
    X(MIN_CTAS, "NCCL_MIN_CTAS")                                                                                       \
    X(MIN_NCHANNELS, "NCCL_MIN_NCHANNELS")                                                                             \
    X(MIN_NRINGS, "NCCL_MIN_NRINGS")                                                                                   \
    X(MIN_P2P_NCHANNELS, "NCCL_MIN_P2P_NCHANNELS")                                                                     \
    X(MNNVL_CLIQUE_ID, "NCCL_MNNVL_CLIQUE_ID")                                                                         \
    X(MNNVL_CROSS_CLIQUE, "NCCL_MNNVL_CROSS_CLIQUE")                                                                   \
    X(MNNVL_ENABLE, "NCCL_MNNVL_ENABLE")                                                                               \
    X(MNNVL_RAIL_PER_HOST, "NCCL_MNNVL_RAIL_PER_HOST")                                                                 \
    X(MNNVL_SCATTER_NETS_ENABLE, "NCCL_MNNVL_SCATTER_NETS_ENABLE")                                                     \
    X(MNNVL_UUID, "NCCL_MNNVL_UUID")                                                                                   \
    X(NCHANNELS_PER_NET_PEER, "NCCL_NCHANNELS_PER_NET_PEER")                                                           \
    X(NET, "NCCL_NET")                                                                                                 \
    X(NET_DISABLE_INTRA, "NCCL_NET_DISABLE_INTRA")                                                                     \
    X(NET_GDR_C2C, "NCCL_NET_GDR_C2C")                                                                                 \
    X(NET_GDR_LEVEL, "NCCL_NET_GDR_LEVEL")                                                                             \
    X(NET_GDR_MLOPART, "NCCL_NET_GDR_MLOPART")                                                                         \
    X(NET_GDR_READ, "NCCL_NET_GDR_READ")                                                                               \
    X(NETDEVS_POLICY, "NCCL_NETDEVS_POLICY")                                                                           \
    X(NET_FORCE_MERGE, "NCCL_NET_FORCE_MERGE")                                                                         \
    X(NET_MERGE_LEVEL, "NCCL_NET_MERGE_LEVEL")                                                                         \
    X(NET_MERGE_POLICY, "NCCL_NET_MERGE_POLICY")                                                                       \
    X(NET_OVERHEAD, "NCCL_NET_OVERHEAD")                                                                               \
    X(NTHREADS, "NCCL_NTHREADS")                                                                                       \
    X(NVB_DISABLE, "NCCL_NVB_DISABLE")                                                                                 \
    X(NVLS_ENABLE, "NCCL_NVLS_ENABLE")                                                                                 \
    X(NVLS_NCHANNELS, "NCCL_NVLS_NCHANNELS")                                                                           \
    X(P2P_DISABLE, "NCCL_P2P_DISABLE")                                                                                 \
    X(P2P_LEVEL, "NCCL_P2P_LEVEL")                                                                                     \
    X(P2P_MAX_PEERS, "NCCL_P2P_MAX_PEERS")                                                                             \
    X(P2P_PER_CHANNEL_NET_BW, "NCCL_P2P_PER_CHANNEL_NET_BW")                                                           \
    X(P2P_PXN_LEVEL, "NCCL_P2P_PXN_LEVEL")                                                                             \
    X(P2P_SCHEDULE_GROUP_SIZE, "NCCL_P2P_SCHEDULE_GROUP_SIZE")                                                         \
    X(P2P_USE_CUDA_MEMCPY, "NCCL_P2P_USE_CUDA_MEMCPY")                                                                 \
    X(PAT_ENABLE, "NCCL_PAT_ENABLE")                                                                                   \
    X(PROTO, "NCCL_PROTO")                                                                                             \
    X(PXN_C2C, "NCCL_PXN_C2C")                                                                                         \
    X(PXN_DISABLE, "NCCL_PXN_DISABLE")                                                                                 \
    X(SHM_DISABLE, "NCCL_SHM_DISABLE")                                                                                 \
    X(SOCKET_IFNAME, "NCCL_SOCKET_IFNAME")                                                                             \
    X(THREAD_THRESHOLDS, "NCCL_THREAD_THRESHOLDS")                                                                     \
    X(TOPO_SPLIT_MLOPART, "NCCL_TOPO_SPLIT_MLOPART")                                                                   \
    X(UNPACK_DOUBLE_NCHANNELS, "NCCL_UNPACK_DOUBLE_NCHANNELS")                                                         \
    X(WORK_ARGS_BYTES, "NCCL_WORK_ARGS_BYTES")

enum orr_setting {
#define X(symbol, name) ORR_SET_##symbol,
    ORR_SETTING_MAP(X)
#undef X
        ORR_SETTING_COUNT
};

enum orr_setting_kind {
    ORR_SETTING_INT,
    ORR_SETTING_LEVEL, /* a path type's name, or the old scale 0..5 */
    ORR_SETTING_TEXT
};

/* "Not set" for an integer whose default NCCL takes from elsewhere (documented in the row's default_text). */
#define ORR_SETTING_UNSET INT64_MIN

struct orr_setting_info {
    enum orr_setting id;
    const char *name;
    enum orr_setting_kind kind;
    uint32_t since, until; /* first and last release that has it (version numbers); until 0: still there */
    int64_t default_value; /* INT: at `since` */
    uint32_t changed;      /* version from which another default holds, 0: none */
    int64_t changed_default;
    const char *default_text; /* for users, where a number says too little; may be NULL */
    const char *values;       /* accepted values, for users */
    const char *outside;      /* what NCCL makes of other values: clamps, wraps, ignores */
    const char *meaning;      /* one sentence */
};

/* Whether NICs are fused before the analysis (engine/nics/used.h). X(symbol, word) */
#define ORR_FUSE_MAP(X)                                                                                                \
    X(AUTO, "auto")     /* NCCL's own XML is taken unchanged; from other inputs NICs are fused, as by ALWAYS */        \
    X(NEVER, "never")   /* as the input lists them */                                                                  \
    X(ALWAYS, "always") /* as the release fuses them when a job runs, and as Amazon's plugin groups EFA NICs */

enum orr_fuse_mode {
#define X(symbol, word) ORR_FUSE_##symbol,
    ORR_FUSE_MAP(X)
#undef X
        ORR_FUSE_COUNT
};
/* A list of words (engine/base/words.h). */
const char *orr_fuse_word(size_t mode);

enum { ORR_SETTING_TEXT_SIZE = 512 };

struct orr_setting_value {
    bool given;                       /* by the request, and not empty */
    int64_t number;                   /* INT: the value in force; LEVEL: an orr_path_type, or -1: not given */
    char text[ORR_SETTING_TEXT_SIZE]; /* as given */
};

struct orr_settings {
    const struct orr_release *release;
    uint32_t asked; /* version of the release that was asked for, where another one's row is taken; else 0 */
    /* What a job has beside its NCCL_* variables: */
    unsigned fuse_nics; /* enum orr_fuse_mode */
    const char *tuner;  /* text of a tuner plugin's file (engine/tuning/tuner.h), borrowed; NULL: none */
    const char *gpus;   /* GPUs that take part: numbers or bus ids (engine/nics/gpus.h), borrowed; NULL: all */
    const char *nics;   /* NICs that take part, as NCCL_IB_HCA writes them, borrowed; NULL: all */
    struct orr_setting_value values[ORR_SETTING_COUNT];
};

/* The row of a setting. */
void orr_setting_info(enum orr_setting setting, struct orr_setting_info *ret_info);
/* The setting of a name; false: there is none. */
bool orr_setting_find(const char *name, enum orr_setting *ret_setting);
/* The default of a setting in a release; ORR_SETTING_UNSET where NCCL decides by itself. */
int64_t orr_setting_default(enum orr_setting setting, const struct orr_release *release);
/* Whether the release has it. */
bool orr_setting_in(enum orr_setting setting, const struct orr_release *release);

/* The same question to another release: what was given is set again. SETTING: see orr_settings_set(). */
enum orr_code orr_settings_for(struct orr_settings *settings, const struct orr_release *release,
                               const struct orr_settings *given, struct orr_error *err) ORR_NO_DISCARD;
/* Copies the borrowed texts into arena: what keeps settings may outlive the question that they came with. */
enum orr_code orr_settings_keep(struct orr_settings *settings, struct orr_arena *arena,
                                struct orr_error *err) ORR_NO_DISCARD;
/* All defaults of a release. */
void orr_settings_init(struct orr_settings *settings, const struct orr_release *release);
/* Sets one value from text. A setting that the release does not have is kept as given and changes nothing, as in NCCL:
 * orr_setting_in() tells. SETTING: unknown name (err says which is near), or too long. */
enum orr_code orr_settings_set(struct orr_settings *settings, const char *name, const char *value,
                               struct orr_error *err) ORR_NO_DISCARD;

/* The value in force; ORR_SETTING_UNSET where nothing was given and NCCL decides by itself. */
static inline int64_t orr_setting_int(const struct orr_settings *settings, enum orr_setting setting)
{
    return settings->values[setting].number;
}
/* The same as NCCL keeps it where it stores a setting in an int: the lowest 32 bits. */
static inline int32_t orr_setting_int32(const struct orr_settings *settings, enum orr_setting setting)
{
    return (int32_t)(uint32_t)(uint64_t)settings->values[setting].number;
}
/* (a + b - 1) / b in ints, which wrap around: NCCL rounds up so, also where the sum is too large. b is not 0. */
static inline int32_t orr_wrapping_div_up(int32_t a, int32_t b)
{
    int64_t quotient = (int64_t)(int32_t)((uint32_t)a + (uint32_t)b - 1u) / b;
    return (int32_t)quotient;
}
/* The text as given, NULL: not given. */
static inline const char *orr_setting_text(const struct orr_settings *settings, enum orr_setting setting)
{
    return settings->values[setting].given ? settings->values[setting].text : NULL;
}

#endif
