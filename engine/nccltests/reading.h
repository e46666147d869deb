/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/nccltests: results while they are read. reader.c cuts a text into lines, text.c recognises them,
 * cells.c reads numbers and columns, rows.c makes rows, and tables.c keeps them and concludes what they prove. json.c
 * reads -J. */
#ifndef ORR_NCCLTESTS_READING_H
#define ORR_NCCLTESTS_READING_H

#include "engine/log_reading/lines.h"
#include "engine/machines/machine_types.h"
#include "engine/nccltests/results.h"

/* A number as it is printed. missing: "N/A", "nan" and their like. */
struct orr_number {
    double value;
    uint64_t whole; /* the value, where integer */
    bool integer;   /* digits only, at most 2^64 - 1 */
    bool negative, missing;
    uint8_t decimals; /* digits after the point */
};
/* False: the text is not a number. */
bool orr_number_read(struct orr_span text, struct orr_number *ret_number);

/* What a column holds. */
enum orr_role {
    ORR_ROLE_NONE,
    ORR_ROLE_SIZE,
    ORR_ROLE_COUNT,
    ORR_ROLE_TYPE,
    ORR_ROLE_OP,
    ORR_ROLE_ROOT,
    ORR_ROLE_TIME,
    ORR_ROLE_ALG,
    ORR_ROLE_BUS,
    ORR_ROLE_WRONG,
    ORR_ROLE_ERROR, /* of old versions: the greatest difference, not a count */
    ORR_ROLE_COUNT_OF
};
enum { ORR_COLUMNS_MOST = 32 };
#define ORR_WIDE_BLANKS '\v' /* as a separator: two blanks or more */
struct orr_columns {
    struct orr_column {
        uint8_t role, way; /* of measurements: 1 if in place */
        double scale;      /* to bytes, microseconds, GB/s */
    } columns[ORR_COLUMNS_MOST];
    uint32_t count; /* 0 if there is no header */
    char separator; /* ' ', ',', ';', tab, '|', ORR_WIDE_BLANKS */
    bool own;       /* nccl-tests' header, whose rows have a type */
    bool has_root;
    uint32_t first;  /* of own: the first measured column */
    uint32_t unread; /* number of further columns with bandwidths */
    bool assumed;    /* a column that is named only by GB/s is treated as bus bandwidth */
};

/* cells.c */
/* Cuts a line into at most `most` tokens at blanks and separators. */
uint32_t orr_tokens_cut(const char *line, size_t length, struct orr_span *tokens, uint32_t most);
/* The cells of a line of a table, without the blanks, quotes and stars around them. */
uint32_t orr_cells_cut(char separator, const char *line, size_t length, struct orr_span *cells, uint32_t most);
/* Whether a line names columns. */
bool orr_columns_read(const char *line, size_t length, struct orr_columns *ret_columns);
/* Bytes of an element of a type; 0 if it is not a type of nccl-tests. */
uint32_t orr_type_bytes(struct orr_span word);
bool orr_op_is(struct orr_span word);
/* "8388608", "65K", "1.5 GiB". rounded: it is a rounded power of two. */
bool orr_size_read(struct orr_span cell, double scale, uint64_t *ret_size, bool *ret_rounded);
/* A number at the start of a cell, with the unit after it, if any: *scale is replaced by what the unit is worth in
 * microseconds or GB/s. */
bool orr_measure_read(struct orr_span cell, enum orr_role role, struct orr_number *ret_number, double *scale);
bool orr_span_is(struct orr_span span, const char *word);
/* Finds a word of lower case in a text of any case; NULL if it is not in the text. */
const char *orr_span_find(struct orr_span span, const char *word);
/* Whether the text has one of the words, which end with NULL. */
bool orr_span_has_one(struct orr_span span, const char *const *words);

/* figures.c: what people write in tables and sentences of their own. */
#define ORR_SUMMARY_LARGE ((uint64_t)8 << 30) /* bytes: the size that a figure without one stands for */
/* What a unit is worth in GB/s, and its length; 0 if there is none at this place, or anywhere in a text. */
#define ORR_UNIT_BITS 0.125 /* of Gb/s */
double orr_unit_at(const char *at, const char *end, size_t *ret_length);
double orr_unit_in(struct orr_span text);
/* The first number at or after *at that no letter touches; *at then points to what follows. False: there is none. */
bool orr_number_next(const char **at, const char *end, double *ret_value);
/* The program that a word of the text names; ORR_TEST_COUNT if none does. */
enum orr_test orr_test_in(struct orr_span text);
/* The message size in the name of a test, in bytes: "all_reduce_perf, 16 ranks, 1 GiB"; 0 if there is none, or several.
 * It is a power of two up to 8 GiB, which distinguishes it from a GPU's memory ("H100 80GB"). */
uint64_t orr_size_in(struct orr_span text);

/* Whether the word after a number means hosts: "2 nodes", "2-node", "2 HGX H100 servers". */
bool orr_counts_hosts(const char *at, const char *end);
/* The number of hosts that a text names first; 0 if there is none. */
double orr_summary_hosts_in(struct orr_span text);

/* A row as its parts come. */
enum { ORR_NUMBERS_MOST = 24 };
struct orr_raw_row {
    bool open, torn; /* torn: other output was printed into the middle of it */
    uint32_t line;
    uint64_t size, count;
    uint32_t type_bytes;
    char type[16], op[16];
    struct orr_number numbers[ORR_NUMBERS_MOST]; /* root, if any, and the measurements */
    uint32_t number_count;
    bool overfull;
};

/* The command line before a table; see command.c; 0 if an option is missing. */
struct orr_command {
    uint32_t processes, hosts, per_host, gpus, threads, line;
    uint64_t least; /* the smallest size, bytes; 0 if not named */
    bool host_file, slurm;
    char visible[48]; /* CUDA_VISIBLE_DEVICES, as numbers: "0,1,4,6"; "" if not given */
    bool program;     /* the words of the launcher are read */
    bool open;        /* it goes on in the next line */
    unsigned expects; /* the option whose value is the next word, plus one */
};

/* What the rows of a table prove. */
struct orr_evidence {
    bool reduces, reduces_not, rooted, rooted_not, in_checked, in_unchecked;
    bool parts_differ, bus_differs;
    bool contradicted;            /* no program prints such rows */
    uint64_t parts;               /* size / (count * bytes of an element); 0 if no row says it */
    double bus_least, bus_most;   /* busbw / algbw as the printed digits allow it; most 0 if no row says it */
    double size_least, size_most; /* algbw * time / size, the same */
    enum orr_test mentioned;      /* which a command line or a sentence before the table names */
    struct orr_command command;   /* before the table */
    uint32_t ranks_a_device;
};

/* The run that a header began. */
struct orr_run {
    bool fresh; /* it has neither devices nor rows yet */
    enum orr_test named;
    uint32_t threads, gpus;
    int32_t iterations, warmup;
    uint64_t min_bytes, max_bytes;
    struct orr_result_device *devices;
    uint32_t device_count;
    unsigned device_capacity;
    uint32_t ranks_a_device; /* of JSON, which has the first rank of each process only */
};

enum { ORR_RELEASE_MOST = 16 }; /* bytes of "2.24.3" */
/* A figure without a size, as people sum results up; see summary.c. */
struct orr_summary {
    enum orr_test test;
    uint32_t hosts; /* 0 if not said */
    uint32_t ranks; /* of one host; 0 if not said */
    uint64_t size;  /* of messages, bytes; 0 if not said */
    double value;   /* GB/s */
    bool algorithm; /* it is algorithm bandwidth */
    bool unit_unsure;
    bool by_command;    /* the next command gave it: "like below: ..." */
    bool ranks_certain; /* they are those of a command */
    uint32_t line;
    char release[ORR_RELEASE_MOST]; /* "" if not said */
};
enum { ORR_SUMMARY_MOST = 64, ORR_SUMMARY_COLUMNS = 16 };
enum { ORR_SUMMARY_OTHER, ORR_SUMMARY_HOSTS, ORR_SUMMARY_TEST, ORR_SUMMARY_VALUE };
struct orr_summary_columns {
    struct orr_summary_column {
        uint8_t role;
        enum orr_test test; /* of a column of figures; ORR_TEST_COUNT if its name has none */
        double scale;       /* of its unit, to GB/s; 0 if it names none */
        bool algorithm;
    } columns[ORR_SUMMARY_COLUMNS];
    uint32_t count; /* 0 if there is no header */
    char separator;
};

/* The machine as the person who asks describes it; see said.c and said_release.c. */
struct orr_said {
    const char *model; /* a constant; NULL if there is none */
    uint32_t gpus, hosts, line;
    bool differ;       /* the text names several */
    bool unsure;       /* and no word says whether they are on a board or are cards */
    const char *alone; /* a model without a number; a constant; NULL if there is none */
    uint32_t alone_line;
    bool alone_differ;                   /* the text names several */
    const struct orr_machine_type *type; /* of a cloud; NULL if there is none */
    uint32_t type_hosts, type_line;
    bool types_differ;
    bool several;                   /* hosts, by its words */
    bool cards;                     /* words say that the GPUs are cards, or have bridges */
    char release[ORR_RELEASE_MOST]; /* of NCCL, the last one: "2.24.3"; "" if there is none */
    uint32_t release_line;
    bool releases_differ;
    double other_hosts; /* in lines without GPUs; 0 if none says it */
    bool others_differ;
    uint32_t most_mbps, most_line;     /* the fastest NIC that a line names */
    uint32_t nics, nic_mbps, nic_line; /* of one host; 0 if not said */
    bool nics_differ;
};

struct orr_results_building {
    struct orr_results *results;
    struct orr_results_limits limits;
    struct orr_run run;
    struct orr_columns columns;
    struct orr_raw_row row;
    struct orr_result_table *tables; /* [limits.tables] */
    struct orr_evidence *evidence;   /* the same */
    struct orr_result_row *rows;     /* of the open table */
    unsigned row_capacity, note_capacity;
    bool open;               /* the last table takes rows */
    bool any_order;          /* its sizes may decrease */
    bool in_excess;          /* the rows belong to a table beyond the limit */
    uint64_t last_size;      /* of the row before */
    enum orr_test mentioned; /* by a command line or a sentence */
    struct orr_command command;
    uint32_t devices_kept, last_numbers;
    struct orr_log_hosts hosts;
    const char **notes;
    const char *other; /* another program that printed the text */
    const char *bad;   /* why the first refused row was refused */
    uint32_t bad_line, line;
    struct orr_summary summary[ORR_SUMMARY_MOST];
    uint32_t summary_count;
    struct orr_summary_columns summary_columns;
    bool asks; /* a sentence mentions the bus bandwidth */
    struct orr_said said;
};

/* said.c: reads a line that is not a row; gives a table the machine that the text names, if nothing else does. */
void orr_said_take_line(struct orr_results_building *b, struct orr_span line);
/* said_release.c: finds the figure after a release that begins the line, 0 if there is none; at the end, finds the
 * release of each table. */
double orr_said_take_release(struct orr_results_building *b, struct orr_span line);
void orr_said_release(struct orr_results_building *b);
void orr_said_conclude(const struct orr_results_building *b, struct orr_result_table *table);
/* plain.c: a line, of at most ORR_PLAIN_MOST bytes, with digits in the place of number words. */
enum { ORR_PLAIN_MOST = 1000 };
struct orr_span orr_plain_words(struct orr_span line, char *buffer);

/* command.c: reads a line that is not a row; what a command line says: 0 if there is nothing. assumed: two processes
 * and a file of hosts are treated as two hosts. */
void orr_command_take_line(struct orr_results_building *b, struct orr_span line);
uint32_t orr_command_ranks(const struct orr_command *command);
uint32_t orr_command_hosts(const struct orr_command *command, bool *ret_assumed);

/* rows.c */
/* Reads a line, or the part of it before NCCL's; true if it belongs to a row. torn: NCCL's own follows in the line. */
bool orr_rows_take(struct orr_results_building *b, const char *line, size_t length, bool torn);
/* The row that waits for its end will not get one. */
void orr_rows_end(struct orr_results_building *b);
void orr_rows_refuse(struct orr_results_building *b, const char *why, uint32_t line);
/* A header begins: ends the row that waits, and calls orr_tables_run(). */
void orr_rows_run(struct orr_results_building *b);

/* text.c */
void orr_text_take_line(struct orr_results_building *b, struct orr_log_lines *lines);

/* tables.c: the evidence of the row's table; NULL if the table is beyond the limit, or memory ran out. */
struct orr_evidence *orr_tables_add(struct orr_results_building *b, const struct orr_result_row *row, const char *type,
                                    const char *op);
/* Closes the open table: the next row begins another one. */
void orr_tables_close(struct orr_results_building *b);
/* The table of the last row; NULL if none yet, or it is beyond the limit. */
struct orr_result_table *orr_tables_last(struct orr_results_building *b);
/* An earlier header no longer counts. */
void orr_tables_run(struct orr_results_building *b);
void orr_tables_device(struct orr_results_building *b, const struct orr_result_device *device, struct orr_span host,
                       struct orr_span bus_id, struct orr_span model);
/* A number of NCCL's release as nccl-tests prints it, such as 22707: "2.27.7", or NULL. */
const char *orr_tables_release(struct orr_results_building *b, uint64_t code);
void orr_tables_library(struct orr_results_building *b, uint64_t code);
const char *orr_tables_keep(struct orr_results_building *b, struct orr_span text);
/* Adds a note, unless the same text is there already. */
void orr_tables_note(struct orr_results_building *b, const char *format, ...) ORR_PRINTF(2, 3);
/* evidence.c */
void orr_evidence_add(struct orr_evidence *e, uint64_t size, const struct orr_number *time,
                      const struct orr_number *alg, const struct orr_number *bus);
void orr_evidence_parts(struct orr_evidence *e, uint64_t size, uint64_t count, uint32_t type_bytes);
/* The numbers of ranks, from 2 on, that a program's busbw / algbw allows; false if there is none. */
bool orr_evidence_ranks(const struct orr_evidence *e, enum orr_test test, uint32_t *ret_least, uint32_t *ret_most);
/* conclude.c: what the tables and NCCL's lines say together, once everything is read. */
void orr_results_conclude(struct orr_results_building *b);

/* summary.c: reads a line that no other reader took; makes tables of its figures if the text has no rows. */
void orr_summary_take_line(struct orr_results_building *b, struct orr_span line);
/* A figure after its release: "2.18.3: 380". */
void orr_summary_take_figure(struct orr_results_building *b, struct orr_span line, double value);
/* The average that nccl-tests prints below its rows: a figure for large messages if the smallest size is large. */
void orr_summary_take_average(struct orr_results_building *b, double bus_bw);
void orr_summary_end(struct orr_results_building *b);

/* labelled.c: "1024 MB  34.7 us  algbw 30.9  busbw 58.0 GB/s"; false if the line is not such a row. */
bool orr_labelled_take(struct orr_results_building *b, struct orr_span line);

/* json.c */
struct orr_results_json;
struct orr_results_json *orr_results_json_new(struct orr_results_building *b);
enum orr_code orr_results_json_feed(struct orr_results_json *json, const char *bytes, size_t length,
                                    struct orr_error *err) ORR_NO_DISCARD;

#endif
