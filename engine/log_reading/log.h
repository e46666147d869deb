/* SPDX-License-Identifier: Apache-2.0 */
/* An NCCL debug log after reading: the understood lines, the writer of each, and the communicators to which they
 * belong. README.md beside this file says how lines are found among launchers' prefixes, colours and wraps.
 *
 * Reading never fails because of the content: lines that are not understood are counted. Everything is in one arena and
 * is immutable once read. Bandwidths are GB/s in one direction, as printed.
 */
#ifndef ORR_LOG_LOG_H
#define ORR_LOG_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/base/local.h"
#include "engine/log_messages/messages.h"

/* Kinds of lines; the shapes by release are in kinds.c. X(symbol, name) */
#define ORR_LOG_KIND_MAP(X)                                                                                            \
    X(VERSION, "version")                                                                                              \
    X(DRIVER, "driver")                                                                                                \
    X(SETTING, "setting")                                                                                              \
    X(NETWORK, "network")                                                                                              \
    X(NIC_LIST, "nic_list")                                                                                            \
    X(BOOTSTRAP, "bootstrap")                                                                                          \
    X(NIC_SPEED, "nic_speed")                                                                                          \
    X(PLATFORM, "platform")                                                                                            \
    X(DEVICE, "device")                                                                                                \
    X(TOPO_FILE, "topo_file")                                                                                          \
    X(INIT_START, "init_start")                                                                                        \
    X(COMMUNICATOR, "communicator")                                                                                    \
    X(INIT_COMPLETE, "comm_init_complete")                                                                             \
    X(SYSTEM, "system_tree")                                                                                           \
    X(TREE_CPU, "tree_cpu")                                                                                            \
    X(TREE_LINK, "tree_link")                                                                                          \
    X(TREE_END, "tree_end")                                                                                            \
    X(PATHS, "gpu_paths")                                                                                              \
    X(PATHS_OTHER, "other_paths")                                                                                      \
    X(AFFINITY, "affinity")                                                                                            \
    X(AFFINITY_OF, "affinity_of")                                                                                      \
    X(PATTERN, "pattern")                                                                                              \
    X(GRAPH_CHANNEL, "graph_channel")                                                                                  \
    X(NO_PATH, "no_path")                                                                                              \
    X(TREE_ENDS, "tree_ends")                                                                                          \
    X(RING, "channel_ring")                                                                                            \
    X(RING_NEIGHBOURS, "ring_prevnext")                                                                                \
    X(TREES, "trees")                                                                                                  \
    X(COUNTS, "channels_summary")                                                                                      \
    X(TUNER, "tuner_plugin")                                                                                           \
    X(CHUNK, "p2p_chunk")                                                                                              \
    X(NVLS_HEAD, "nvls_head")                                                                                          \
    X(NVLS_TREES, "nvls_trees")                                                                                        \
    X(NVLS_SUPPORT, "nvls_support")                                                                                    \
    X(NVLS_TUNING, "nvls_tuning")                                                                                      \
    X(MNNVL, "mnnvl")                                                                                                  \
    X(FABRIC, "fabric")                                                                                                \
    X(NVLINK_DOMAIN, "nvlink_domain")                                                                                  \
    X(P2P_TYPE, "p2p_type")                                                                                            \
    X(NO_SYMMETRIC, "no_symmetric_memory")                                                                             \
    X(SYMMETRIC, "symmetric_kernel")                                                                                   \
    X(SYMMETRIC_SPACE, "symmetric_space")                                                                              \
    X(KERNEL_SKIPPED, "symmetric_kernel_skipped")                                                                      \
    X(GIN, "gin_plugin")                                                                                               \
    X(GIN_CONNECTIONS, "gin_connections")                                                                              \
    X(P2P_NOT, "p2p_not_supported")                                                                                    \
    X(CONNECT_P2P, "p2p_via")                                                                                          \
    X(CONNECT_SHM, "shm_via")                                                                                          \
    X(CONNECT_NET, "net_via")                                                                                          \
    X(CONNECT_COLLNET, "collnet_via")                                                                                  \
    X(CONNECTED, "connected")                                                                                          \
    X(GDR_PAIR, "gdr_pair")                                                                                            \
    X(GDR_NIC, "gdr_nic")                                                                                              \
    X(THRESHOLDS, "threads_thresholds")                                                                                \
    X(TUNING_ALGORITHMS, "tuning_algorithms")                                                                          \
    X(TUNING_PROTOCOLS, "tuning_protocols")                                                                            \
    X(TUNING_ROW, "tuning_row")                                                                                        \
    X(WARNING, "warning")                                                                                              \
    X(RCCL, "rccl_version")                                                                                            \
    X(PLUGIN, "plugin")                                                                                                \
    X(OFI, "ofi_plugin")                                                                                               \
    X(OFI_PROVIDER, "ofi_provider")                                                                                    \
    X(PORT, "port_state")                                                                                              \
    X(NVLINK, "nvlink_state")                                                                                          \
    X(GID, "gid")                                                                                                      \
    X(MTU, "mtu")                                                                                                      \
    X(GROUP_RULE, "security_group")                                                                                    \
    X(DRIVER_PART, "driver_part")                                                                                      \
    X(PARTITION, "partition_key")                                                                                      \
    X(COMM_END, "comm_end")                                                                                            \
    X(TEST_START, "test_start")                                                                                        \
    X(TEST_RESULT, "test_result")                                                                                      \
    X(GPU_NAME, "gpu_name")                                                                                            \
    X(RAS_GROUP, "ras_group")                                                                                          \
    X(RAS_RANK, "ras_rank")                                                                                            \
    X(JOB_END, "job_end")                                                                                              \
    X(CHOICE, "choice")                                                                                                \
    X(FRAME, "call_frame")                                                                                             \
    X(CALL, "call")

enum orr_log_kind {
#define X(symbol, name) ORR_LOG_##symbol,
    ORR_LOG_KIND_MAP(X)
#undef X
        ORR_LOG_KIND_COUNT
};

/* An understood line. Its row in kinds.c names the values and words, and their order. */
struct orr_log_record {
    enum orr_log_kind kind;
    uint32_t line; /* 1-based; of the first of wrapped lines */
    uint32_t session;
    const double *values;
    const char *const *words;
    uint32_t value_count, word_count;
};

/* One thread that writes: host:pid:tid. */
struct orr_log_writer {
    const char *host;
    int64_t pid, tid;
};

/* The lines of one writer about one communicator, from the first line of its initialisation. */
struct orr_log_session {
    uint32_t writer;       /* UINT32_MAX for lines without a writer */
    uint32_t communicator; /* UINT32_MAX if no line says to which communicator it belongs */
    int32_t rank;          /* -1 if unknown */
    int32_t rank_count;    /* -1 if unknown */
    int32_t node_count;    /* -1 if unknown */
    int32_t cuda_dev;      /* -1 if unknown */
    int32_t nvml_dev;      /* -1 if unknown */
    const char *bus_id;    /* "1b000", lower-case hex; NULL if unknown */
    const char *comm;      /* the communicator's address in the process, hex; NULL if unknown */
    const char *comm_id;   /* "0x...", NULL if unknown */
    bool named, closed;    /* a line named the rank; the initialisation ended */
};

struct orr_log_member {
    uint32_t session; /* UINT32_MAX if that rank wrote no line */
    const char *host; /* NULL if unknown */
    const char *bus_id;
};
struct orr_log_communicator {
    int32_t rank_count, node_count; /* -1 if unknown */
    uint32_t host_count;            /* distinct hosts among the ranks that wrote */
    struct orr_log_member *members; /* [rank], rank_count of them; NULL if that is unknown */
    uint32_t seen;                  /* ranks that wrote */
    uint32_t first_line;
    bool guessed; /* no line shows that its ranks belong together rather than to others of its size */
};

struct orr_log_setting {
    const char *name, *value;
    uint32_t line;
    bool varies; /* another line gives another value */
};

/* Lines of all writers about the same fault: those of one row of the table of messages (messages.h), or of a warning
 * that is not in the table. */
struct orr_log_event {
    const struct orr_log_message *message; /* NULL if not in the table */
    const char *text;                      /* of the first line */
    const char *file;                      /* NCCL's file that warns in it, "proxy.cc:1485"; NULL if it names none */
    uint32_t line, last_line, count;       /* the first and the last line, and how many there are */
    int32_t clock;                         /* the time of day in the first line, in seconds; -1 if it has none */
    bool quoted;              /* only a person's sentences have it; `line` is a program's if there is one */
    bool tried;               /* quoted, of another run than the one whose lines the text has */
    const int32_t *ranks;     /* ranks that wrote it, ascending */
    const char *const *hosts; /* their hosts, in order of appearance */
    uint32_t rank_count, host_count;
};

/* A rank's progress when a time limit ended, according to PyTorch. */
struct orr_log_progress {
    int32_t rank;
    int32_t work, enqueued; /* the numbers of the work that timed out and of the last work */
    const char *group;      /* the process group, NULL if ranks may mean different groups by the same name */
    uint32_t line;
};

/* A collective that ran into PyTorch's time limit. */
struct orr_log_timed_out {
    int32_t rank, work;
    const char *operation; /* "ALLREDUCE" */
    double elements;       /* that go in; -1 if unknown, as before PyTorch 2.1 */
    double limit;          /* seconds; 0 if unknown */
    uint32_t line;
};

/* The last progress bar of tqdm before a time limit ended: "Map:  9%|#    | 280/2969 [29:55<4:48:08, 155 examples/s]".
 */
struct orr_log_bar {
    const char *what;     /* "Map" */
    const char *left;     /* as printed, "4:48:08" */
    double percent, took; /* took: seconds */
    uint32_t line;        /* 0 if there is none */
};

/* An algorithm that NCCL chose, for all lines that say the same. */
struct orr_log_choice {
    const char *function, *algorithm, *protocol; /* as printed: "AllReduce", or "" if unknown; "RING" or "1" */
    uint64_t bytes;
    int32_t first_channel, last_channel; /* -1 if unknown */
    uint32_t session, communicator;      /* UINT32_MAX if unknown */
    uint32_t call;                       /* the call that it is for; UINT32_MAX if unknown */
    uint32_t line, count;
};

/* The last collective that a thread called on a communicator. */
struct orr_log_call {
    const char *function; /* "AllReduce" */
    const char *comm;     /* see struct orr_log_session */
    uint64_t op_count;    /* NCCL's number of the operation, which should be equal on all ranks of a communicator */
    uint64_t elements;    /* as should this */
    uint32_t line, lines; /* the line; how many such lines there are */
    uint32_t writer, communicator;
    int32_t rank;                    /* -1 if no line names the rank of this communicator */
    int32_t peer;                    /* or root */
    bool transfers;                  /* it also calls Send or Recv, whose numbers differ between ranks */
    bool sent_twice, received_twice; /* one after the other to or from the same peer, under one number */
};

/* A line in a person's words: lower case, one blank around each word. */
struct orr_log_said {
    const char *words;
    uint32_t line;
    bool command; /* of a shell, so not a question */
};
/* Whether the words of a line have all that `words` wants: "a|b&c&!d+e;f" means that the line has a or b, and c, and
 * not d, and any line e; or that the line has f. */
bool orr_log_says(const struct orr_log_said *said, uint32_t count, uint32_t line, const char *words);
/* Whether a text has a word of "a|b", which ends before '&', '+' or ';'. */
bool orr_log_has_word(const char *text, size_t length, const char *words);

/* A command that starts processes of a job on several hosts. */
struct orr_log_command {
    const char *text;    /* its lines, joined by blanks */
    const char *heading; /* a line above it that names a node or host; "" if there is none */
    uint32_t line;
};

/* The release that a text names outside NCCL's own lines. */
struct orr_log_stated {
    uint32_t version; /* 0 if it names none */
    uint32_t line;
    bool by_framework; /* by the PyTorch that brings it along */
    bool several;      /* it also names others */
};

/* A collective in Python code that a condition on the rank keeps from all ranks but the first. */
struct orr_log_guarded {
    uint32_t line, call_line;     /* of the condition and of the call; call_line is 0 if there is none */
    const char *condition, *call; /* as written */
    bool others;                  /* code for the other ranks calls a collective, too */
    uint32_t async_line;          /* of the first collective with async_op=True; 0 if there is none */
    bool waits;                   /* a line waits for such an operation */
};

/* The longest time that passed between two lines before NCCL's first warning, by the times of day in them. */
struct orr_log_pause {
    uint32_t seconds;  /* 0 if unknown */
    uint32_t from, to; /* lines */
};

/* What `ping -M do -s SIZE` shows about the path between two hosts: bytes of packets, and the lines of the results. */
struct orr_log_ping {
    uint32_t lost, passed; /* the size of which none came back, and the largest that did; 0: unknown */
    uint32_t lost_line, passed_line;
};

/* Subjects that a line mentions which is not a message: NCCL and what it uses, a hang, NCCL_P2P_DISABLE=1, a virtual
 * machine, EFA, or a card of the GeForce series. words.c has the words of each. */
enum orr_log_mention {
    ORR_MENTION_NCCL,
    ORR_MENTION_HANG,
    ORR_MENTION_P2P_OFF,
    ORR_MENTION_VIRTUAL,
    ORR_MENTION_EFA,
    ORR_MENTION_GEFORCE,
    ORR_MENTION_COUNT
};

/* BAR 1 of the GPUs, through which others reach their memory, in MiB: the smallest and the largest in the text. 0:
 * unknown. */
struct orr_log_aperture {
    double bar1, largest;
    double most;                 /* the largest size that lspci calls supported */
    double memory;               /* the memory of a GPU */
    uint32_t line, largest_line; /* of bar1 and of largest */
};

enum { ORR_PEERS_MOST = 16 }; /* most GPUs of a matrix */

/* What p2pBandwidthLatencyTest or nvbandwidth measures in one direction, in GB/s: the pair with the lowest rate with
 * P2P in relation to that without, and the highest rate of any pair with P2P. */
struct orr_log_peer_rates {
    double on, off, fastest;
    int from, to;
    uint32_t line, fastest_line;    /* 0: none */
    uint32_t gpus;                  /* of the matrix */
    double (*with)[ORR_PEERS_MOST]; /* [from][to]: with P2P; NULL if no matrix has it. 0: unknown */
};

struct orr_log {
    struct orr_log_record *records;
    uint32_t record_count;
    struct orr_log_writer *writers;
    uint32_t writer_count;
    struct orr_log_session *sessions;
    uint32_t session_count;
    struct orr_log_communicator *communicators; /* in order of their first line */
    uint32_t communicator_count;
    uint32_t *by_communicator;        /* [record_count]: records by communicator, those without one last; see
                                       * orr_log_records_of() */
    uint32_t *first_of;               /* [communicator_count + 2]: where those of each begin */
    struct orr_log_setting *settings; /* NCCL_* set by environment, each name once */
    uint32_t setting_count;
    const char **releases; /* as printed, "2.27.7+cuda13.0", each once */
    uint32_t release_count;
    const char **hosts;
    uint32_t host_count;
    struct orr_log_event *events; /* in order of their first line */
    uint32_t event_count;
    uint32_t events_left_out;  /* lines about something wrong beyond the 1024 kinds that are kept */
    struct orr_log_said *said; /* the first lines in a person's words */
    uint32_t said_count;
    const struct orr_log_said *mentions[ORR_MENTION_COUNT]; /* the first line that mentions each; NULL if none does */
    struct orr_log_command *commands;
    uint32_t command_count;
    struct orr_log_guarded guarded;
    struct orr_log_stated stated;
    struct orr_log_progress *progress;
    uint32_t progress_count;
    struct orr_log_timed_out *timed_out;
    uint32_t timed_out_count;
    struct orr_log_bar bar;
    struct orr_log_choice *choices; /* in order of their first line */
    uint32_t choice_count, choices_left_out;
    struct orr_log_call *calls;
    uint32_t call_count;
    bool shortened;      /* a line "..." stands for lines that a person left out */
    bool rccl;           /* the library names itself RCCL */
    uint32_t left_out;   /* lines that were understood but not kept, because there were too many */
    uint32_t line_count; /* of the text */
    uint32_t nccl_count; /* lines that NCCL wrote, understood or not */
    uint32_t rejoined;   /* wrapped lines that were put together */
    uint32_t split;      /* lines into which several writers had written */
    uint32_t cut;        /* lines that were too long and were cut */
    uint32_t test_rows;  /* rows of results of nccl-tests */
    uint64_t test_size;  /* the size of the last of them, in bytes */
    uint64_t test_most;  /* the largest size that nccl-tests is to measure; 0 if unknown */
    struct orr_log_pause pause;
    struct orr_log_ping ping;
    uint32_t lspci_count; /* lines of lspci about links and ACS */
    struct orr_log_aperture aperture;
    struct orr_log_peer_rates peer_rates;
    struct orr_log_nvlinks *nvlinks; /* of a matrix, nvlinks.h; NULL if the text has none */
    uint32_t kinds[ORR_LOG_KIND_COUNT];
    size_t byte_count;
    bool graph_file;         /* the text is an NCCL_GRAPH_DUMP_FILE, not a log */
    struct orr_arena *arena; /* owns all of it, this structure included */
};

struct orr_log_limits {
    size_t bytes;     /* largest input */
    uint32_t line;    /* bytes of a line that are read */
    uint32_t records; /* lines that are kept; those beyond are only counted */
    size_t memory;    /* of the arena */
    bool any_text;    /* a text without a line of NCCL's is not an error */
};
/* 64 MiB, 64 KiB, 2 million, 1 GiB. */
extern const struct orr_log_limits orr_log_default_limits;
/* The same for a stream, without a limit of bytes. */
extern const struct orr_log_limits orr_log_stream_limits;

/* Reads a log. limits NULL means the default ones. On success *ret_log is the caller's: orr_log_free(). LIMIT;
 * UNRECOGNISED if it has no line of NCCL's. The time is linear in the bytes, whatever they contain. */
enum orr_code orr_log_read(const char *bytes, size_t length, const struct orr_log_limits *limits,
                           struct orr_log **ret_log, struct orr_error *err) ORR_NO_DISCARD;
void orr_log_free(struct orr_log *log);
ORR_FREED_BY(orr_log, orr_log_free)

/* Reads a log piece by piece. Memory grows with the records that are kept, not with the text. After an error, only
 * orr_log_reader_free() may be called. */
struct orr_log_reader;
enum orr_code orr_log_reader_new(const struct orr_log_limits *limits, struct orr_log_reader **ret_reader,
                                 struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_log_reader_feed(struct orr_log_reader *reader, const char *bytes, size_t length,
                                  struct orr_error *err) ORR_NO_DISCARD;
/* Ends the text and the reader, which is freed: *ret_log is the caller's. */
enum orr_code orr_log_reader_finish(struct orr_log_reader *reader, struct orr_log **ret_log,
                                    struct orr_error *err) ORR_NO_DISCARD;
void orr_log_reader_free(struct orr_log_reader *reader);

/* Whether bytes look like an NCCL log; a cheap test to tell inputs apart. */
bool orr_log_is_one(const char *bytes, size_t length);
/* Frees a log, or a reader. */
enum orr_code orr_log_read_any(const char *bytes, size_t length, struct orr_log **ret_log,
                               struct orr_error *err) ORR_NO_DISCARD;

const char *orr_log_kind_name(enum orr_log_kind kind);
/* The communicator with the most ranks; UINT32_MAX if there is none. */
uint32_t orr_log_largest(const struct orr_log *log);
/* The host of a session; NULL if its lines do not name one. */
static inline const char *orr_log_host_of(const struct orr_log *log, const struct orr_log_session *session)
{
    return session->writer == UINT32_MAX ? NULL : log->writers[session->writer].host;
}
/* The length of the value in a line about a setting, without the full stop at the end of lines about integers. */
size_t orr_log_setting_length(const struct orr_log_record *record);
/* The records of a communicator, in order; UINT32_MAX gives those without one. */
struct orr_log_own {
    const uint32_t *at;
    uint32_t count;
};
struct orr_log_own orr_log_records_of(const struct orr_log *log, uint32_t communicator);
/* Version number of the log's release of NCCL (ORR_VERSION), 0 if unknown, or RCCL. *ret_text may be NULL. */
uint32_t orr_log_version(const struct orr_log *log, const char **ret_text);

/* A NIC of a line "NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [RO]; OOB eth0". */
enum { ORR_LOG_NIC_NAME = 64 };
struct orr_log_nic {
    int32_t dev; /* below ORR_LOG_NICS */
    char name[ORR_LOG_NIC_NAME];
};
/* NICs with higher numbers are not matched: no host has this many. */
enum { ORR_LOG_NICS = 256 };
/* Ranks of a communicator; lines of larger ones are not put together. */
enum { ORR_LOG_RANKS_MOST = 65536 };
/* Reads the list after "Using " of such a line; 0 if it also has NICs that consist of several. */
uint32_t orr_log_read_nics(const char *list, struct orr_log_nic nics[ORR_LOG_NICS]);

struct orr_dump;
/* The dump of the system whose tree the log prints: orr_dump_free(). NULL, with the reason in *ret_why, if there is no
 * complete tree. GPUDirect RDMA is treated as possible unless the log denies it; the GPUs' capability comes from device
 * names or the rates of NVLinks. likely: a capability to prefer if the rates of NVLinks allow it, or 0. */
enum orr_code orr_log_tree_dump(const struct orr_log *log, int32_t likely, struct orr_dump **ret_dump,
                                const char **ret_why, struct orr_error *err) ORR_NO_DISCARD;

#endif
