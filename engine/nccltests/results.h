/* SPDX-License-Identifier: Apache-2.0 */
/* What nccl-tests printed, whatever text is around it: the tables of a text, with what their headers and rows say.
 *
 * A text may be the output of any version of nccl-tests or rccl-tests, with prefixes of launchers, colours, and NCCL's
 * own lines between the rows or in the middle of one. It may also be rows without a header, CSV, a Markdown table, or
 * the JSON file of nccl-tests' option -J. README.md beside this file says how they are read.
 *
 * Everything is in one arena and is immutable once read. */
#ifndef ORR_NCCLTESTS_RESULTS_H
#define ORR_NCCLTESTS_RESULTS_H

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/base/local.h"
#include "engine/log_reading/log.h"
#include "engine/nccltests/programs.h"

/* One measurement of a row: out of place (other buffers for input and output) or in place. */
struct orr_result_way {
    double time;           /* microseconds; < 0 if not printed */
    double alg_bw, bus_bw; /* GB/s; < 0 if not printed */
    int64_t wrong; /* elements with wrong values; -1 if not checked, or the version prints a difference instead */
};

struct orr_result_row {
    uint64_t size;  /* bytes, as the first column has them */
    uint64_t count; /* elements; 0 if not printed, too */
    uint32_t line;  /* 1-based; of JSON the number of the row */
    int32_t root;   /* -1 if there is none, or not printed */
    struct orr_result_way out, in;
};

struct orr_result_device {
    uint32_t rank;
    int32_t group;  /* of ranks that form one communicator; -1 if not printed */
    int32_t device; /* CUDA device */
    const char *host;
    const char *bus_id; /* as printed: "0000:41:00", "0x07" */
    const char *model;  /* "NVIDIA H100 80GB HBM3" */
};

struct orr_result_table {
    /* The program. ORR_TEST_COUNT if several fit, and none is named. certain: a line names it, or no other program
     * prints such rows. possible: bit 1 << test for each that the text does not exclude. */
    enum orr_test test;
    bool test_certain;
    uint32_t tests_possible;
    /* Ranks; 0 if unknown. certain: from the header, NCCL's own lines, the columns size and count, or busbw / algbw if
     * no other number of ranks gives that ratio. least, most: the numbers that busbw / algbw allows; 0 if it says
     * nothing, as with programs whose factor is 1. */
    uint32_t ranks;
    bool ranks_certain;
    uint32_t ranks_least, ranks_most;
    uint32_t hosts;                          /* 0 if unknown */
    uint32_t threads, gpus_per_thread;       /* options -t and -g; 0 if unknown */
    const struct orr_result_device *devices; /* from the lines about ranks; the next table of the text may share them */
    uint32_t device_count;
    const char *model;             /* of the GPUs; NULL if unknown, or if the GPUs differ */
    const char *visible;           /* CUDA_VISIBLE_DEVICES of the command, as numbers; NULL if not given */
    uint32_t said_gpus, said_line; /* GPUs on each host, if a word of the text gives them with the model; else 0 */
    const char *said_type;         /* a cloud's machine type that the text names; NULL if there is none */
    bool one_host_assumed;         /* hosts is 1 because the text names GPUs but no hosts */
    bool said_alone;               /* said_gpus is a full board, which the text does not say */
    uint32_t said_most_mbps, said_most_line;          /* the fastest NIC that a line names */
    uint32_t said_nics, said_nic_mbps, said_nic_line; /* of one host, as the words of the text say; 0 if they do not */
    bool size_supposed;                               /* a sentence gives the bandwidth without the size of messages */
    bool unit_unsure;   /* a sentence gives the bus bandwidth in Gb/s; it is read as GB/s, the unit of nccl-tests */
    bool in_bits;       /* its bandwidths are printed in Gb/s, as its times show */
    bool board_assumed; /* no word says whether the GPUs of the text are on a board or are cards */
    uint32_t alone,
        alone_line;        /* processes of the command in this line, each of which tested alone; 0 if there is none */
    const char *library;   /* the release that gave these results, if the releases of the tables differ; else NULL */
    const char *type, *op; /* "float", "sum"; NULL if not printed */
    int32_t iterations, warmup;        /* -1 if unknown */
    uint64_t min_bytes, max_bytes;     /* options -b and -e; 0 if unknown */
    const struct orr_result_row *rows; /* in the order of the text */
    uint32_t row_count;
    double average;                 /* the line "Avg bus bandwidth", GB/s; < 0 if not there */
    int64_t out_of_bounds;          /* the line "Out of bounds values"; -1 if not there */
    bool complete;                  /* the closing lines are there */
    uint32_t first_line, last_line; /* of its rows */
};

struct orr_results {
    const struct orr_result_table *tables; /* at least one, each with a row */
    uint32_t table_count;
    const char *form;          /* "output of nccl-tests", "JSON of nccl-tests (-J)", "CSV", "Markdown table" ... */
    const char *tests_version; /* of nccl-tests: "2.17.1"; NULL if unknown */
    const char *headers;       /* release of NCCL with whose headers nccl-tests was built; NULL if not printed */
    uint32_t headers_line;
    const char *library; /* release of NCCL: "2.27.7"; NULL if unknown. From nccl-tests, or from NCCL's lines */
    bool rccl;           /* AMD's library and programs */
    bool summary;        /* the text has only figures without sizes, which stand for large messages */
    /* NCCL's own lines, or others about something wrong, in the same text; NULL if there is none. Owned. */
    const struct orr_log *log;
    uint32_t line_count;
    uint32_t left_out;        /* rows beyond the limits on rows and tables */
    uint32_t torn;            /* rows that could not be put together, because other output runs into them */
    uint32_t refused;         /* rows with values that cannot be, such as a negative time */
    const char *const *notes; /* what was recognised or assumed; sentences without a stop */
    uint32_t note_count;
    struct orr_arena *arena; /* owns all of it, this structure included */
};

struct orr_results_limits {
    size_t bytes;    /* largest input */
    uint32_t line;   /* bytes of a line that are read */
    uint32_t tables; /* rows of further tables are only counted */
    uint32_t rows;   /* of a table; those beyond are only counted */
    uint32_t devices;
    size_t memory;    /* of the arena */
    bool without_log; /* do not read NCCL's own lines */
};
/* 64 MiB, 64 KiB, 64 tables, 4096 rows, 65,536 devices, 256 MiB. */
extern const struct orr_results_limits orr_results_default_limits;
/* The same for a stream of any length. */
extern const struct orr_results_limits orr_results_stream_limits;

/* Reads a text. limits NULL means the default ones. On success *ret_results is the caller's: orr_results_free(). LIMIT;
 * UNRECOGNISED if it has no row of a table. The time is linear in the bytes, whatever they contain. */
enum orr_code orr_results_read(const char *bytes, size_t length, const struct orr_results_limits *limits,
                               struct orr_results **ret_results, struct orr_error *err) ORR_NO_DISCARD;
void orr_results_free(struct orr_results *results);
ORR_FREED_BY(orr_results, orr_results_free)

/* The same piece by piece, in memory that grows with the rows that are kept, not with the text. After an error only
 * orr_results_reader_free() is left. */
struct orr_results_reader;
enum orr_code orr_results_reader_new(const struct orr_results_limits *limits, struct orr_results_reader **ret_reader,
                                     struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_results_reader_feed(struct orr_results_reader *reader, const char *bytes, size_t length,
                                      struct orr_error *err) ORR_NO_DISCARD;
/* Ends the text and the reader, which is freed: *ret_results is the caller's. */
enum orr_code orr_results_reader_finish(struct orr_results_reader *reader, struct orr_results **ret_results,
                                        struct orr_error *err) ORR_NO_DISCARD;
void orr_results_reader_free(struct orr_results_reader *reader);

#endif
