/* SPDX-License-Identifier: Apache-2.0 */
/* Reads all kinds of input that describe a machine. They are recognised by content, never by file name. kinds.c has a
 * row for each kind: its word, how it is recognised, and the reader that turns it into a dump.
 *
 * A reader makes a struct orr_dump, as if from NCCL's own XML. Its places (line, column) refer to the user's bytes.
 * Its notes (engine/dump/notes.h) say what was recognised, what is assumed and what is missing. NCCL's XML itself goes
 * to orr_dump_read() byte for byte. */
#ifndef ORR_INPUT_INPUT_H
#define ORR_INPUT_INPUT_H

#include "engine/base/text.h"
#include "engine/dump/dump.h"

struct orr_machine_type;
struct orr_release;

struct orr_input_options {
    const struct orr_dump_limits *limits; /* NULL means the default ones */
    /* machine type that supplies missing values (machine_types.h); NULL if there is none */
    const struct orr_machine_type *assumed;
    unsigned assumed_nics; /* row of orr_assumed_nics_word(), for NIC ports that the input does not describe */
    unsigned assumed_cpu;  /* row of orr_assumed_cpu_word(), for CPUs that the input does not describe */
    /* release whose rules turn a gathered archive (`gathered`) into a dump; NULL means the default */
    const struct orr_release *release;
};

/* Word i for the values of NIC ports whose speed is not in the input: "default", "400" (Gb/s), "400-no-gdr" (without
 * GPUDirect RDMA); NULL if there are no more. */
const char *orr_assumed_nics_word(size_t row);

/* Word i for CPUs that the input does not describe: "default", "intel", "amd" ...; NULL if there are no more; and its
 * name for people. */
const char *orr_assumed_cpu_word(size_t row);
const char *orr_assumed_cpu_text(size_t row);

/* The bytes with what a first look at them found; made by orr_input_read() for the rows of the table. */
struct orr_input {
    const char *bytes;
    size_t length;
    struct orr_input_options options;
    char root[32];    /* name of the outermost XML element; "" if there is no XML, not even with text around it */
    size_t start;     /* where the text starts, after a byte order mark and blanks; where the XML starts in text */
    bool text_around; /* the XML is not alone: a fence, a prompt or other text precedes it */
};

struct orr_input_kind;
/* Reads what the row recognised. On success *ret_dump has notes, with the row's name and title. */
typedef enum orr_code orr_input_reader(const struct orr_input *input, const struct orr_input_kind *kind,
                                       struct orr_dump **ret_dump, struct orr_error *err);

struct orr_input_kind {
    const char *name;    /* stable word in documents: "nvidia-smi-topo" */
    const char *title;   /* for people: "output of nvidia-smi topo -m" */
    const char *sign;    /* how it is recognised, for people */
    const char *made_by; /* the command that makes one */
    bool (*recognise)(const struct orr_input *input);
    orr_input_reader *read;
};

/* Row i of the table in the order in which they are tried; NULL if there are no more. */
const struct orr_input_kind *orr_input_kind(size_t i);
/* The row that recognises the bytes, NULL if there is none. */
const struct orr_input_kind *orr_input_recognise(const char *bytes, size_t length);

/* Reads any kind of input. options NULL means default limits, nothing assumed. On success *ret_dump is the caller's
 * (orr_dump_free()) and has notes. Errors are those of orr_dump_read(), with line and column in the user's own bytes;
 * UNRECOGNISED says what the bytes look like and which inputs are possible. */
enum orr_code orr_input_read(const char *bytes, size_t length, const struct orr_input_options *options,
                             struct orr_dump **ret_dump, struct orr_error *err) ORR_NO_DISCARD;

/* The machine that a text with a log or results also contains: a dump, an hwloc export, or a table of nvidia-smi.
 * *ret_dump is NULL if there is none, or it cannot be read. */
enum orr_code orr_input_read_beside(const char *bytes, size_t length, const struct orr_input_options *options,
                                    struct orr_dump **ret_dump, struct orr_error *err) ORR_NO_DISCARD;

/* The same for a dump that another room made, as if it had been read from NCCL's own XML. Takes ownership of the
 * dump. */
enum orr_code orr_input_take(struct orr_dump *dump, const struct orr_input_options *options, struct orr_dump **ret_dump,
                             struct orr_error *err) ORR_NO_DISCARD;

/* Makes a machine from a type alone, without a file: *ret_dump is the caller's, and its notes say what is made up. */
enum orr_code orr_input_machine(const struct orr_machine_type *type, struct orr_dump **ret_dump,
                                struct orr_error *err) ORR_NO_DISCARD;
/* The same; nics: as options.assumed_nics. */
enum orr_code orr_input_machine_with(const struct orr_machine_type *type, unsigned nics, struct orr_dump **ret_dump,
                                     struct orr_error *err) ORR_NO_DISCARD;

#endif
