/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of a communicator as tiles: the device and host of each, and the paths between them. */
#ifndef ORR_DIAGRAM_CAST_H
#define ORR_DIAGRAM_CAST_H

#include "engine/diagram/labels.h"

/* Where a rank is: its GPU in the system that its node is, and its host. */
struct orr_seat {
    uint32_t part; /* of the cast's */
    uint32_t gpu;  /* node of that part's system */
    int32_t local; /* rank in that system */
    uint32_t host; /* counted through all hosts of the communicator */
    uint32_t tray; /* number of the host within a fused system or a dump of several hosts; otherwise the host */
};

struct orr_cast {
    const struct orr_analysis *analysis;
    struct orr_drawing *drawing;
    const struct orr_part **parts; /* all different ones: the parts of every kind of host */
    const uint32_t *kinds;         /* [part]: kind of the cluster, 0 if hosts are equal */
    struct orr_labels *labels;     /* [part], made when they are first asked for */
    uint32_t part_count, host_count;
    struct orr_seat *seats; /* [rank] */
};

/* An end of a hop: a rank, or a NET of the host of a rank. */
struct orr_actor {
    int32_t rank; /* of the communicator */
    int64_t net;  /* id of the NET */
    bool is_net;
    bool again; /* a NET that is already drawn, because the ring enters and leaves through it: its id gets "~out" */
    uint32_t tile;
};

struct orr_hop {
    enum orr_path_type type;
    float bw; /* 0 if unknown */
};

/* Sets drawing->failed if memory ran out. */
void orr_cast_init(struct orr_cast *cast, const struct orr_analysis *analysis, struct orr_drawing *drawing);
static inline uint32_t orr_cast_host(const struct orr_cast *cast, int32_t rank)
{
    return cast->seats[rank].host;
}
static inline const struct orr_part *orr_cast_part(const struct orr_cast *cast, int32_t rank)
{
    return cast->parts[cast->seats[rank].part];
}
/* Hosts, or trays if several hosts are one system. */
uint32_t orr_cast_places(const struct orr_cast *cast);
static inline bool orr_cast_same_place(const struct orr_cast *cast, int32_t a, int32_t b)
{
    return cast->seats[a].host == cast->seats[b].host && cast->seats[a].tray == cast->seats[b].tray;
}
/* "Host 3"; "Tray 3" of a dump that holds several hosts, "Tray 3 of host 1" if there are several of those. */
const char *orr_cast_place_name(const struct orr_cast *cast, int32_t rank);
/* The rail of a NET of the host of a rank, -1 if unknown. */
int32_t orr_cast_rail(const struct orr_cast *cast, int32_t rank, int64_t net);
/* The ring of a channel, made if the communicator is only a plan; NULL if drawing->failed. */
const int32_t *orr_cast_ring(struct orr_cast *cast, int32_t channel);
/* Its tree, in the same way. */
const struct orr_tree *orr_cast_tree(struct orr_cast *cast, int32_t channel);
/* The row of its ring graph that a system's ranks `entry` to `exit` follow in a channel. NCCL may swap channels on
 * every other host, so the row is found by its ends; -1 if there is none. */
int32_t orr_cast_row(const struct orr_cast *cast, int32_t channel, int32_t entry, int32_t exit);
/* Adds the actor's tile: "GPU/0-1b000" on host 0, "host1/GPU/0-1b000" elsewhere. */
void orr_cast_tile(struct orr_cast *cast, struct orr_actor *actor, struct orr_point centre, float w, float h,
                   float font);
/* The path from one actor to the other; type NET between systems. */
struct orr_hop orr_cast_hop(const struct orr_cast *cast, const struct orr_actor *from, const struct orr_actor *to);
/* Adds a wire for a hop, with its label centred at label_at. */
void orr_cast_wire(struct orr_cast *cast, const struct orr_actor *from, const struct orr_actor *to, struct orr_hop hop,
                   bool narrowest, const struct orr_point *points, uint32_t count, struct orr_point label_at);
/* "NVL 371 GB/s", with a mark if it is the narrowest. */
const char *orr_cast_hop_label(const struct orr_cast *cast, struct orr_hop hop, bool narrowest);
/* "path nvl narrowest" */
const char *orr_hop_class(struct orr_drawing *drawing, enum orr_path_type type, bool narrowest);

#endif
