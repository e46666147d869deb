/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/release: the tables that behaviours.h declares, and the readers of fields that are tables themselves.
 */
#ifndef ORR_RELEASE_BEHAVIOUR_ROWS_H
#define ORR_RELEASE_BEHAVIOUR_ROWS_H

#include "engine/release/behaviours.h"

struct orr_behaviour_rows {
    const struct orr_behaviour *rows;
    uint32_t count;
};
extern const struct orr_behaviour_rows orr_behaviours_of_release, orr_behaviours_of_connect, orr_behaviours_of_tuning,
    orr_behaviours_of_device;

/* A setting's default as a row: name and sentence come from settings.c. */
void orr_behaviour_of_setting(enum orr_setting setting, struct orr_behaviour *ret_behaviour);

/* Arrays of figures: `rows` lines of `columns` each, with a label for each line (NULL if it is not used). Lines with
 * only zeroes are left out. */
enum orr_grid_type { ORR_GRID_FLOAT, ORR_GRID_DOUBLE, ORR_GRID_INT };
struct orr_grid {
    enum orr_grid_type type;
    uint32_t rows, columns;
    const char *const *labels;
};

/* Readers. */
orr_behaviour_reader orr_read_grid;
orr_behaviour_reader orr_read_path_types; /* struct orr_release */
orr_behaviour_reader orr_read_speeds;
orr_behaviour_reader orr_read_nvlink_bw;
orr_behaviour_reader orr_read_search_rates;
orr_behaviour_reader orr_read_algorithms; /* struct orr_tuning_model */

/* Short names of enum orr_bearing, for the tables. */
enum {
    IN = ORR_BEARS_INPUT,
    SYS = ORR_BEARS_SYSTEM,
    BW = ORR_BEARS_BANDWIDTH,
    PATHS = ORR_BEARS_PATHS,
    P2P = ORR_BEARS_P2P,
    GDR = ORR_BEARS_GDR,
    NETS = ORR_BEARS_NET_DEVS,
    GRAPHS = ORR_BEARS_GRAPHS,
    CHANNELS = ORR_BEARS_CHANNELS,
    TUNING = ORR_BEARS_TUNING,
    DEVICE = ORR_BEARS_DEVICE
};

/* The file of NCCL's source that a rule is in: docs/nccl/adding-a-release.md says how to read each. */
#define ORR_AT_CE        "ce_coll.cc"
#define ORR_AT_CONNECT   "graph/connect.cc"
#define ORR_AT_DEVR      "dev_runtime.cc"
#define ORR_AT_GIN       "gin/gin_host.cc"
#define ORR_AT_DEVICE    "include/device.h"
#define ORR_AT_INIT      "init.cc"
#define ORR_AT_MNNVL     "mnnvl.cc"
#define ORR_AT_NVLS      "transport/nvls.cc"
#define ORR_AT_PATHS     "graph/paths.cc"
#define ORR_AT_REGISTER  "register/"
#define ORR_AT_RMA       "rma/rma.cc"
#define ORR_AT_SCHEDULER "scheduler/symmetric_sched.cc"
#define ORR_AT_SEARCH    "graph/search.cc"
#define ORR_AT_SYMMETRIC "sym_kernels.cc"
#define ORR_AT_TOPO      "graph/topo.cc"
#define ORR_AT_TRANSPORT "transport.cc"
#define ORR_AT_TUNING    "graph/tuning.cc"
#define ORR_AT_XML       "graph/xml.cc"

#define ORR_COUNT(array) (sizeof(array) / sizeof(array)[0])

/* The first byte of a row's field in a release. */
const void *orr_behaviour_field(const struct orr_behaviour *behaviour, const struct orr_release *release);

/* Starts of rows: ORR_FIELD(orr_release, ORR_OF_RELEASE, "", max_channels), and so on. */
#define ORR_FIELD(struct_, of_, prefix, field)                                                                         \
    .name = prefix #field, .of = (of_), .offset = offsetof(struct struct_, field),                                     \
    .size = sizeof((struct struct_ *)0)->field

#endif
