/* SPDX-License-Identifier: Apache-2.0 */
/* One error scheme for the whole program.
 *
 * A function that can fail returns enum orr_code and takes a struct orr_error as its last argument, which may be NULL.
 * The first report wins: filling an error that already has a report does nothing, so a later failure never hides its
 * own cause. Outputs named ret_x are not written on failure. Library code never prints.
 */
#ifndef ORR_BASE_ERROR_H
#define ORR_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Codes, each with the stable name that users see as the last part of a problem type. The order has no meaning. */
#define ORR_CODE_MAP(X)                                                                                                \
    X(OK, "ok")                                                                                                        \
    X(NOMEM, "out-of-memory")             /* an allocation failed: the request may be tried again */                   \
    X(SYNTAX, "malformed-xml")            /* the bytes are not well-formed XML */                                      \
    X(REFUSED, "refused-by-nccl")         /* only with --strict: NCCL itself would refuse it */                        \
    X(UNRECOGNISED, "unrecognised-input") /* Orrery understands no such kind of input */                               \
    X(INVALID, "invalid-topology")        /* understood, but contradicts itself or lacks something required */         \
    X(NO_RANKS, "no-ranks")               /* no GPU takes part: nothing to analyse */                                  \
    X(LIMIT, "limit-exceeded")            /* larger than a stated limit */                                             \
    X(SETTING, "invalid-setting")         /* a release, host count or NCCL_* value that cannot be used */              \
    X(NOT_FOUND, "not-found")             /* no such node, topology, section */                                        \
    X(UNSUPPORTED, "unsupported")         /* understood, but outside what Orrery computes; the text says why */        \
    X(SPENT, "too-complex")               /* needs more time or memory than the work may use: budget.h */              \
    X(UNPACKED, "unpacked-too-large")     /* an archive holds more than may be unpacked */                             \
    X(STOPPED, "stopped")                 /* nobody needs the answer any longer, or the process ends */                \
    X(RENDER, "render-failed")            /* the drawing could not be laid out within its limits */                    \
    X(STORE, "store-failed")              /* the database refused or cannot be reached */                              \
    X(IO, "io-failed")                    /* a file or socket could not be read or written */                          \
    X(INTERNAL, "internal")               /* a defect in Orrery itself */

enum orr_code {
#define X(name, text) ORR_##name,
    ORR_CODE_MAP(X)
#undef X
        ORR_CODE_COUNT
};

struct orr_error {
    enum orr_code code;
    uint32_t line;   /* 1-based line of the input, 0 if the error has no place in a text */
    uint32_t column; /* 1-based column, 0 if unknown */
    uint32_t host; /* with clusters: 1-based entry of `hosts` to whose topology the place belongs; 0 if there is none */
    char where[96];   /* element path ("system/cpu[0]/pci[2]"), setting name, file ...; may be empty */
    char text[256];   /* what is wrong, with the offending value; one sentence without a full stop */
    char advice[192]; /* what to do about it; may be empty */
};

#define ORR_NO_DISCARD   __attribute__((warn_unused_result))
#define ORR_PRINTF(f, a) __attribute__((format(printf, f, a)))

/* Fills err unless it already has a report, and returns code. */
enum orr_code orr_fail(struct orr_error *err, enum orr_code code, const char *format, ...) ORR_PRINTF(3, 4);
/* The same with a place in the input text. */
enum orr_code orr_fail_at(struct orr_error *err, enum orr_code code, uint32_t line, uint32_t column, const char *format,
                          ...) ORR_PRINTF(5, 6);
/* Reports a failure with its place and advice; both may be NULL, and neither is a format. Returns the code. */
enum orr_code orr_fail_with(struct orr_error *err, enum orr_code code, const char *where, const char *advice,
                            const char *format, ...) ORR_PRINTF(5, 6);
/* Add the element path or the advice to the report in err, unless it has one already. */
void orr_error_where(struct orr_error *err, const char *format, ...) ORR_PRINTF(2, 3);
void orr_error_advice(struct orr_error *err, const char *format, ...) ORR_PRINTF(2, 3);
/* Adds the entry of a cluster's `hosts`, counted from 0, that a report is about. Later calls change nothing. */
void orr_error_host(struct orr_error *err, uint32_t host);
/* Reports that memory ran out. */
enum orr_code orr_fail_nomem(struct orr_error *err);
/* clang-tidy sees one file at a time: these return the code they are given, never ORR_OK. */
#if defined(__clang_analyzer__) && !defined(ORR_ERROR_SOURCE)
#define orr_fail(err, code, ...)    ((void)orr_fail(err, code, __VA_ARGS__), (code))
#define orr_fail_at(err, code, ...) ((void)orr_fail_at(err, code, __VA_ARGS__), (code))
#define orr_fail_nomem(err)         ((void)orr_fail_nomem(err), ORR_NOMEM)
#endif

/* The stable name of a code: "malformed-xml". */
const char *orr_code_name(enum orr_code code);

/* Returns from the calling function with ORR_NOMEM if "made" is NULL or false, because memory ran out. */
#define ORR_NEED(made, err)                                                                                            \
    do {                                                                                                               \
        if (!(made))                                                                                                   \
            return orr_fail_nomem(err);                                                                                \
    } while (0)

/* Returns from the calling function with the code of a failure. */
#define ORR_TRY(call)                                                                                                  \
    do {                                                                                                               \
        enum orr_code orr_try_code = (call);                                                                           \
        if (orr_try_code != ORR_OK)                                                                                    \
            return orr_try_code;                                                                                       \
    } while (0)

#endif
