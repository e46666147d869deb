/* What an NCCL release does: one row each (releases.c). Code asks for a figure or a named behaviour of the row, never
 * for a version number. */
#ifndef ORR_RELEASE_RELEASE_H
#define ORR_RELEASE_RELEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/release/path_type.h"

/* 2.27.7 -> 22707. Versions are compared only to look rows of tables up. */
#define ORR_VERSION(major, minor, patch) ((major)*10000u + (minor)*100u + (patch))

struct orr_speed { /* text of link_speed, matched as a prefix in this order -> units of 100 Mb/s a lane */
    const char *prefix;
    int32_t units;
};
struct orr_nvlink_bw { /* GB/s of one NVLink by compute capability: the first row whose sm_min <= sm */
    int32_t sm_min;
    float bw;
};
struct orr_speed_table { /* rates that the search tries, falling; GB/s */
    const float *intra, *inter;
    uint32_t intra_count, inter_count;
};
struct orr_search_rates { /* by the least compute capability: the first row whose sm_min <= sm */
    int32_t sm_min;
    struct orr_speed_table table;
};

enum orr_id_layout { ORR_ID_PLAIN, ORR_ID_ADDED, ORR_ID_MASKED }; /* how system ids join local ids */

struct orr_tuning_model;  /* release/tuning_model.h: the tables and switches of the tuning model */
struct orr_connect_rules; /* release/connect_rules.h: how graphs of several systems are joined */

struct orr_release {
    const char *name;    /* "2.27.7" */
    uint32_t version;    /* ORR_VERSION */
    const char *date;    /* "2025-07" */
    const char *summary; /* what distinguishes it, a sentence */
    bool verified;       /* held against NCCL's own results */

    /* Graph. */
    const uint8_t *path_types; /* enum orr_path_type that it has, in order: the position is the number it logs */
    uint32_t path_type_count;
    enum orr_id_layout id_layout;
    int32_t max_channels;       /* MAXCHANNELS */
    uint32_t max_elements;      /* of a document; a file with that many already fails */
    uint32_t max_children;      /* of one element */
    uint32_t max_nodes;         /* of one type */
    uint32_t max_links;         /* of one node */
    const struct orr_speed *speeds; /* ends with a NULL prefix, whose units are the fallback */
    const struct orr_nvlink_bw *nvlink_bw;
    float qpi_power, qpi_arm, qpi_amd, qpi_zhaoxin, qpi_yongfeng;
    float qpi_intel[5]; /* by model, 0 unused */
    float intel_overhead_up, intel_overhead_down; /* PCI charge on GPU paths of type PHB on Intel: bw * up / down */

    /* Search. */
    const struct orr_search_rates *search_rates;
    int32_t ring_max_channels;

    const struct orr_connect_rules *connect;
    const struct orr_tuning_model *tuning;
};

/* All releases, oldest first; the last is the default. */
const struct orr_release *orr_releases(uint32_t *ret_count);
const struct orr_release *orr_release_default(void);
/* The row of "2.27.7", NULL: not emulated. */
const struct orr_release *orr_release_find(const char *name);

/* The number by which a release calls a path type (in its log and in its search), -1: it has no such type. */
int orr_path_type_number(const struct orr_release *release, enum orr_path_type type);
/* The reverse; ORR_PATH_DIS beyond the last. */
enum orr_path_type orr_path_type_of_number(const struct orr_release *release, int number);

#endif
