/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/log_reading: the state of a log while it is read. */
#ifndef ORR_LOG_BUILDING_H
#define ORR_LOG_BUILDING_H

#include "engine/base/index.h"
#include "engine/log_reading/lines.h"
#include "engine/log_reading/scan.h"

enum { ORR_LOG_JOINED_MOST = 4096 }; /* most bytes of wrapped lines that are joined */
#define ORR_LOG_NOBODY UINT32_MAX    /* no writer, no record */

/* The last message, kept while a wrapped line may still follow. */
struct orr_log_pending {
    bool open;
    char *text;
    size_t length, raw_length; /* length of the text so far, and of its last line before cleaning */
    enum orr_log_kind kind;
    uint32_t record, writer, line, items;
    unsigned joins;
};

struct orr_log_events;

/* The device of lspci whose lines follow. */
struct orr_log_pci {
    char device[72];           /* "17:00.0 Infiniband controller" */
    bool is_nic;               /* by its PCI class */
    bool is_port, is_upstream; /* a port above devices; the upstream port of a switch */
    bool is_gpu;               /* NVIDIA's, of which no memory region was read yet */
    double speed;              /* GT/s that it is capable of; see width */
    int width;                 /* lanes that it is capable of; 0 if LnkCap was not read */
};

/* The last device of lspci whose link was read, with which one of its class and capability is compared. */
struct orr_log_pci_before {
    struct orr_log_pci of;
    int width; /* lanes that it has */
    uint32_t line;
};

/* What nvidia-smi printed about GPUs; gpu_states.c. */
struct orr_log_query {
    uint8_t columns[32]; /* of --query-gpu, by gpu_states.c */
    uint32_t count;      /* of columns; 0 if none was read */
    struct {
        char gpu[12];
        int width, most; /* lanes, and those that the GPU has */
        int generation;  /* of a busy GPU, if it is less than the GPU's own; 0 otherwise */
        uint32_t line;   /* 0 if there is none */
    } narrow;            /* the narrowest link */
    uint32_t idle_line;  /* of the first GPU whose link may be slow because it is idle; 0 if there is none */
    struct {
        int mhz; /* the most that a row says; 0 if none does */
        uint32_t line;
    } clocks[16];      /* by the number of the GPU */
    uint32_t links;    /* rows with a width */
    bool unlike;       /* one of them is wider than another, or as wide as it can be */
    char process[160]; /* the process with the most memory, a clause */
    long memory;       /* its MiB; 0 if there is none */
    uint32_t process_line;
};

/* The collective that a thread called, until it prints the algorithm that NCCL chose for it. */
struct orr_log_called {
    uint32_t call; /* UINT32_MAX if there is none, or several at once on different communicators */
    bool chosen;   /* the line about the algorithm was read, so a further line belongs to another call */
};

/* The block of Python code that a condition on the rank opened, and the ranks that run it. */
enum orr_log_branch { ORR_BRANCH_NONE, ORR_BRANCH_FIRST, ORR_BRANCH_OTHERS };
struct orr_log_block {
    enum orr_log_branch branch;
    size_t indent; /* of the condition */
    uint32_t line;
    char condition[60];
    size_t length; /* of condition */
};

/* The command that continued lines make up, and the last line that may be the heading of one. */
struct orr_log_joined {
    char text[2048], heading[64];
    size_t length; /* of text; 0 if there is none */
    uint32_t line;
};

struct orr_log_building {
    struct orr_log *log;
    struct orr_log_events *events;
    uint32_t first_event; /* of the first line, which no program names as its own, plus one; 0 if it has none */
    struct orr_log_limits limits;
    struct orr_log_catch *found;
    struct orr_log_pending last;
    struct orr_log_hosts known;
    size_t width;                             /* length of the longest line, at which a terminal may have cut the
                                               * text */
    struct orr_index writers, choices, calls; /* indices of the log's rows */
    uint32_t *session_of;                     /* [writer]: its current session */
    uint32_t *lines_of;                       /* [writer]: number of its lines */
    struct orr_log_called *called;            /* [writer] */
    uint32_t nobody;                          /* the session of lines without a writer, plus one */
    unsigned record_capacity, writer_capacity, session_of_capacity, session_capacity, lines_of_capacity,
        called_capacity, release_capacity, setting_capacity, communicator_capacity, choice_capacity, call_capacity,
        progress_capacity, timed_out_capacity;
    const char *functions[32]; /* names of collectives */
    char listed[64]; /* a variable of a YAML list whose value is in the next line; listed_length is 0 if there is
                      * none */
    size_t listed_length;
    struct orr_log_pci pci;
    struct orr_log_pci_before pci_before;
    struct orr_log_query query;
    struct orr_log_block block;
    struct orr_log_joined joined;
    char hca[40];      /* the NIC that ibv_devinfo or ibstat describes; "" if unknown */
    uint32_t hca_line; /* where its name is; 0 if unknown */
    enum orr_log_usage { ORR_LOG_USAGE_NONE, ORR_LOG_USAGE_BAR1, ORR_LOG_USAGE_MEMORY } usage; /* of nvidia-smi -q */
    enum orr_log_matrix { ORR_LOG_MATRIX_NONE, ORR_LOG_MATRIX_OFF, ORR_LOG_MATRIX_ON } matrix; /* of peer_rates.c */
    double rates[ORR_PEERS_MOST][ORR_PEERS_MOST]; /* without P2P, GB/s; 0: unknown */
    int clock;                                    /* of the last line that has a time, in seconds since midnight */
    uint32_t clock_line;                          /* 0 if no line has one */
    uint32_t ping_size;                           /* of the packets of the ping that runs; 0 if unknown */
    uint32_t limit_asked;                         /* lines in which the answer to `ulimit -l` may follow */
    uint32_t limit_skipped;                       /* those of them that commands before it print */
    struct orr_span before;                       /* text before "NCCL WARN" in the current speech: the file of NCCL */
    bool continues, command;                      /* the line before ended with a backslash; it belonged to a command */
    bool attempts;                                /* lines belong to a list of what somebody tried */
    uint32_t function_count;
    uint32_t unprinted; /* lines so far that are not NCCL's */
};

/* A copy that lives as long as the log; "" if memory ran out. */
static inline const char *orr_log_keep_text(struct orr_log_building *b, const char *at, size_t length)
{
    const char *text = orr_arena_strndup(b->log->arena, at, length);
    return text ? text : "";
}
void orr_log_take_setting(struct orr_log_building *b, const struct orr_log_record *record);

/* sessions.c: the session to which a line of a kind belongs; the record is the next one of the log. */
uint32_t orr_log_session_of(struct orr_log_building *b, uint32_t writer, enum orr_log_kind kind);
/* calls.c: whether a word of a line is this text. */
bool orr_log_word_is(const char *text, const struct orr_log_catch *found, uint32_t word);

/* records.c: fills by_communicator and first_of. False: out of memory. */
bool orr_log_index_records(struct orr_log *log);
/* Groups sessions into communicators. */
enum orr_code orr_log_join_sessions(struct orr_log_building *b, struct orr_error *err) ORR_NO_DISCARD;

/* log.c: reads a line; completes the log when all lines are read. */
void orr_log_take_line(struct orr_log_building *b, const struct orr_log_lines *lines);
void orr_log_gather(struct orr_log_building *b);

/* events.c: false if memory runs out. */
bool orr_log_events_init(struct orr_log_building *b);
/* The first line is a title, as the second one is blank: a person quotes in it what a program printed. */
void orr_log_take_title(struct orr_log_building *b);
/* Tries the table of messages on a text of one line, and tells whether it is an event; from: one of ORR_FROM_... A
 * warning counts also if no row fits. */
bool orr_log_take_event(struct orr_log_building *b, const char *text, size_t length, uint32_t from, uint32_t writer,
                        int32_t dev, uint32_t line);
/* watchdog.c: a line of PyTorch's watchdog, by the row of the table of messages that it has, about a rank. */
void orr_log_take_watchdog(struct orr_log_building *b, const char *id, const char *text, size_t length, int32_t rank,
                           uint32_t line);
/* watchdog.c: a line that is not NCCL's, as a progress bar. */
void orr_log_take_bar(struct orr_log_building *b, const char *line, size_t length, uint32_t number);
/* devices.c: a line of lspci; true if no row of the table of messages needs to be tried on it. */
bool orr_log_take_lspci(struct orr_log_building *b, const char *line, size_t length, uint32_t number);
/* apertures.c: a line about BAR 1 or the memory of a GPU; true if it is one. */
bool orr_log_take_aperture(struct orr_log_building *b, const char *line, uint32_t number);
/* gpu_states.c: a line of nvidia-smi about the state of GPUs; true if it is one. At the end of the text: the messages
 * that all lines make together. */
bool orr_log_take_gpu_state(struct orr_log_building *b, const char *line, uint32_t number);
void orr_log_end_gpu_states(struct orr_log_building *b);
/* nvlinks.c: a row of `nvidia-smi topo -m`. */
void orr_log_take_nvlinks(struct orr_log_building *b, const char *line, uint32_t number);
/* peer_rates.c: a line of a matrix of p2pBandwidthLatencyTest or nvbandwidth; true if it is one. */
bool orr_log_take_peer_rates(struct orr_log_building *b, const char *line, uint32_t number);
/* devices.c: `ulimit`'s limit of locked memory; true if the line has it. */
void orr_log_take_stated(struct orr_log_building *b, const char *line, uint32_t number); /* stated.c */
bool orr_log_take_limit(struct orr_log_building *b, const char *line, size_t length, uint32_t number);
/* devices.c: the row of lsmod about the GPU driver; true if the line is that row. */
bool orr_log_take_modules(struct orr_log_building *b, const char *line, size_t length, uint32_t number);
/* devices.c: a line of ping. */
void orr_log_take_ping(struct orr_log_building *b, const char *line, uint32_t number);
/* clock.c: the time of a line. */
void orr_log_take_clock(struct orr_log_building *b, const char *line, uint32_t number);
/* words.c: a line that is not NCCL's; printed: some other program wrote it. */
/* Whether a person's sentence or title quotes what is at `at`; first: this is the first line that is not empty. Sets
 * *ret_tried if the sentence is about another attempt. */
bool orr_log_is_quoted(const struct orr_log_building *b, const char *line, size_t length, const char *at, bool first,
                       bool *ret_tried);
void orr_log_take_words(struct orr_log_building *b, const char *text, size_t length, uint32_t number, bool printed);
/* commands.c: a line that no program printed, as a command or a part of one. */
void orr_log_take_command(struct orr_log_building *b, const char *line, size_t length, uint32_t number);
/* program.c: a line that is not NCCL's, as Python code. */
void orr_log_take_program(struct orr_log_building *b, const char *line, size_t length, uint32_t number);
/* devices.c: a row of show_gids -> port, index; device, GID, IPv4 address or "", version, interface or "". */
bool orr_log_scan_gid(const char *line, size_t length, struct orr_log_catch *found);
/* devices.c: the same of a line of `ibv_devinfo -v`. */
bool orr_log_scan_devinfo(struct orr_log_building *b, const char *line, size_t length, struct orr_log_catch *found);
/* port_states.c: a field of a port's state -> field; device, text of the field. */
bool orr_log_scan_port(struct orr_log_building *b, const char *line, size_t length, uint32_t number,
                       struct orr_log_catch *found);
/* port_states.c: the MTU of an interface, as `ip link` and ifconfig print it -> MTU; name, "eth0@if27". */
bool orr_log_scan_mtu(const char *line, size_t length, struct orr_log_catch *found);
/* port_states.c: a partition key of InfiniBand -> the key. */
bool orr_log_scan_partition(const char *line, size_t length, struct orr_log_catch *found);
/* stated.c: a version of the driver (0) or of Fabric Manager (1) -> which; version. */
bool orr_log_scan_driver(const char *line, size_t length, struct orr_log_catch *found);
/* Gives the events their ranks and hosts, when communicators are known. */
void orr_log_place_events(struct orr_log_building *b);

/* assignments.c: NCCL's variables in a line that is not NCCL's own. */
void orr_log_take_assignments(struct orr_log_building *b, const char *line, size_t length, uint32_t number);

/* records.c: turns b->found into a record of a writer, or of ORR_LOG_NOBODY. Returns its index, or ORR_LOG_NOBODY if
 * none was made: calls and choices are kept elsewhere, and the limit may be reached. */
uint32_t orr_log_add_record(struct orr_log_building *b, enum orr_log_kind kind, uint32_t writer, uint32_t line);
void orr_log_fill_record(struct orr_log_building *b, struct orr_log_record *record);

/* choices.c: the choice in b->found; its communicator, when communicators are known. */
void orr_log_take_choice(struct orr_log_building *b, uint32_t writer, uint32_t session, uint32_t line);
void orr_log_place_choices(struct orr_log *log);

/* calls.c: the call in b->found; its rank, when communicators are known. */
void orr_log_take_call(struct orr_log_building *b, uint32_t writer, uint32_t line);
void orr_log_place_calls(struct orr_log *log);

#endif
