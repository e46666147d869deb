/* SPDX-License-Identifier: Apache-2.0 */
/* For engine/log_reading and engine/nccltests: the first layer. It cuts a text into lines without colours, and a line
 * into the speeches of its writers. */
#ifndef ORR_LOG_LINES_H
#define ORR_LOG_LINES_H

#include "engine/base/bytes.h"
#include "engine/log_reading/log.h"

/* Hosts that wrote complete lines: in a torn line, their names show where the next line begins. */
struct orr_log_hosts {
    const char *names[64];
    uint32_t count;
};

/* The text of one writer, after "host:pid:tid [dev] NCCL INFO ". */
struct orr_log_speech {
    struct orr_span host;
    int64_t pid, tid;
    int32_t dev; /* of "[0]" after the header; -1 if not there */
    bool warns;  /* NCCL WARN */
    struct orr_span text;
    struct orr_span before; /* the text before "NCCL WARN": the file of NCCL, with its line */
};

/* Goes through the lines of a text. */
struct orr_log_lines {
    const char *at, *end;
    uint32_t number;   /* number of the last line, 1-based */
    uint32_t most;     /* bytes of a line that are kept */
    char *line;        /* the line without colours and control characters; has room for most + 1 bytes */
    size_t length;     /* of it */
    size_t raw_length; /* of it in the text */
    bool cut;          /* it was longer */
};

/* The next line; false at the end. */
bool orr_log_next_line(struct orr_log_lines *lines);

/* The next speech at or after *at in a line; false if there is none. Moves *at to where the following one may begin. */
bool orr_log_next_speech(const char **at, const char *end, const struct orr_log_hosts *hosts,
                         struct orr_log_speech *ret_speech);

#endif
