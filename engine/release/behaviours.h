/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the fields of a release's row: one row for each field of struct orr_release, of its connect rules, its
 * tuning model and its rules of the device side, and for each setting whose default or presence depends on the release.
 * Lists of figures, differences between releases and errors that name neighbouring releases are all computed from these
 * rows. A unit test checks that no field is left out. */
#ifndef ORR_RELEASE_BEHAVIOURS_H
#define ORR_RELEASE_BEHAVIOURS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/release/release.h"
#include "engine/release/settings.h"

/* Parts of the analysis that a behaviour affects: X(symbol, name). A bit is set if a difference of the behaviour can
 * directly cause a difference in that part, not only through an earlier part. */
#define ORR_BEARING_MAP(X)                                                                                             \
    X(INPUT, "input")         /* which documents are accepted or refused */                                            \
    X(SYSTEM, "system")       /* nodes, links and ids */                                                               \
    X(BANDWIDTH, "bandwidth") /* bandwidths of links and paths */                                                      \
    X(PATHS, "paths")                                                                                                  \
    X(P2P, "p2p")                                                                                                      \
    X(GDR, "gdr")                                                                                                      \
    X(NET_DEVS, "net_devs") /* which NIC a rank uses, and through whom (PXN) */                                        \
    X(GRAPHS, "graphs")     /* what the search finds: channels of one host, their rates, patterns */                   \
    X(CHANNELS, "channels") /* rings, trees and counts of the communicator */                                          \
    X(TUNING, "tuning")                                                                                                \
    X(DEVICE, "device") /* device-side features, in addition to the classic algorithms */

enum orr_bearing_bit {
#define X(symbol, name) ORR_BEARING_BIT_##symbol,
    ORR_BEARING_MAP(X)
#undef X
        ORR_BEARING_COUNT
};
enum orr_bearing { /* bits */
#define X(symbol, name) ORR_BEARS_##symbol = 1 << ORR_BEARING_BIT_##symbol,
                   ORR_BEARING_MAP(X)
#undef X
};
/* "net_devs" of ORR_BEARING_BIT_NET_DEVS. */
const char *orr_bearing_name(enum orr_bearing_bit bit);

enum orr_behaviour_of { ORR_OF_RELEASE, ORR_OF_CONNECT, ORR_OF_TUNING, ORR_OF_DEVICE, ORR_OF_SETTINGS, ORR_OF_COUNT };

enum orr_behaviour_kind {
    ORR_BEHAVIOUR_BOOL,
    ORR_BEHAVIOUR_INT,       /* int32_t, uint32_t below 2^31 */
    ORR_BEHAVIOUR_INT64,     /* int64_t */
    ORR_BEHAVIOUR_FLOAT,     /* float */
    ORR_BEHAVIOUR_DOUBLE,    /* double */
    ORR_BEHAVIOUR_WORD,      /* an enum: words[value] says it */
    ORR_BEHAVIOUR_PATH_TYPE, /* enum orr_path_type */
    ORR_BEHAVIOUR_TABLE,     /* figures under labels: read() fills them */
    ORR_BEHAVIOUR_LIST,      /* names in order: read() fills them */
    ORR_BEHAVIOUR_SETTING    /* the default of a setting, or that the release does not have it */
};

enum { ORR_FIGURES_OF_CELL = 24 };
struct orr_figures { /* one line of a table */
    char label[32];  /* "sm 90", "NVLink Tree" */
    uint32_t count;
    double figures[ORR_FIGURES_OF_CELL];
};

/* The value of a row in one release. */
struct orr_value {
    enum orr_value_kind {
        ORR_VALUE_BOOL,
        ORR_VALUE_NUMBER,
        ORR_VALUE_WORD,
        ORR_VALUE_LIST,
        ORR_VALUE_TABLE,
        ORR_VALUE_NONE /* the release does not know the setting */
    } kind;
    double number;            /* BOOL: 0 or 1 */
    const char *word;         /* static, or in the arena */
    const char *const *names; /* LIST */
    const struct orr_figures *cells;
    uint32_t count; /* of names or cells */
};

struct orr_behaviour;
typedef enum orr_code orr_behaviour_reader(const struct orr_behaviour *behaviour, const struct orr_release *release,
                                           struct orr_arena *arena, struct orr_value *ret_value, struct orr_error *err);

struct orr_behaviour {
    const char *name; /* "nvlink_bw", "connect.rails", "tuning.ring_ll", "NCCL_PXN_C2C": stable */
    enum orr_behaviour_kind kind;
    enum orr_behaviour_of of;
    const char *sentence; /* its meaning, without a full stop */
    const char *unit;     /* "GB/s", "us", "steps"; NULL if there is none */
    const char *source;   /* file of NCCL's source, "graph/paths.cc"; NULL for a setting, which any file may read */
    unsigned bears;       /* enum orr_bearing */
    size_t offset, size;  /* place of the field in its struct; 0, 0 for settings */
    const char *const *words;
    orr_behaviour_reader *read;
    const struct orr_grid *grid; /* shape of an array, for read() */
    enum orr_setting setting;
};

/* The rows: fields in the order of their structs, then settings. */
uint32_t orr_behaviour_count(void);
void orr_behaviour_get(uint32_t index, struct orr_behaviour *ret_behaviour);
/* The value of a release; tables and lists are in arena or static. */
enum orr_code orr_behaviour_value(const struct orr_behaviour *behaviour, const struct orr_release *release,
                                  struct orr_arena *arena, struct orr_value *ret_value,
                                  struct orr_error *err) ORR_NO_DISCARD;
/* Whether a number means no limit. */
static inline bool orr_value_is_none(const struct orr_value *value)
{
    return value->kind == ORR_VALUE_NUMBER && value->number == (double)INT32_MAX;
}
/* The value as text for people: "yes", "16384 steps", "sm 90: 20.6, sm 100: 40.1". */
void orr_value_write(const struct orr_behaviour *behaviour, const struct orr_value *value, struct orr_text *text);

struct orr_behaviour_difference {
    struct orr_behaviour behaviour;
    const char *here, *before; /* values as text; for a table only the lines that differ, with "none" for a missing
                                * line */
};

/* The rows in which two releases differ, in order of the table. Rows and texts are in arena. */
enum orr_code orr_releases_compare(const struct orr_release *here, const struct orr_release *before,
                                   struct orr_arena *arena, const struct orr_behaviour_difference **ret_rows,
                                   uint32_t *ret_count, struct orr_error *err) ORR_NO_DISCARD;

/* The releases next to a version (ORR_VERSION) that is not emulated; NULL if there is none before or after it. */
void orr_release_neighbours(uint32_t version, const struct orr_release **ret_below,
                            const struct orr_release **ret_above);

#endif
