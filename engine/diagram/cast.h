/* The ranks of a communicator as tiles: which device of which host each is, and by which path one reaches the next. */
#ifndef ORR_DIAGRAM_CAST_H
#define ORR_DIAGRAM_CAST_H

#include "engine/diagram/labels.h"

struct orr_cast {
    const struct orr_analysis *analysis;
    struct orr_drawing *drawing;
    struct orr_labels *labels;   /* [part] */
    const uint32_t *gpu_of_rank; /* [host rank]: node of its part's system */
};

/* What stands at one end of a hop: a rank, or a NET of the host of a rank. */
struct orr_actor {
    int32_t rank; /* of the communicator */
    int64_t net;  /* id of the NET */
    bool is_net;
    bool again; /* a NET that stands there already, as the ring enters and leaves by it: its id gets "~out" */
    uint32_t tile;
};

struct orr_hop {
    enum orr_path_type type;
    float bw; /* 0: not known */
};

/* Memory ran out: drawing->failed. */
void orr_cast_init(struct orr_cast *cast, const struct orr_analysis *analysis, struct orr_drawing *drawing);
uint32_t orr_cast_host(const struct orr_cast *cast, int32_t rank);
/* Adds the actor's tile: "GPU/0-1b000" on host 0, "host1/GPU/0-1b000" elsewhere. */
void orr_cast_tile(struct orr_cast *cast, struct orr_actor *actor, struct orr_point centre, float w, float h,
                   float font);
/* The way from one actor to the other; type NET between systems. */
struct orr_hop orr_cast_hop(const struct orr_cast *cast, const struct orr_actor *from, const struct orr_actor *to);
/* Adds a wire for a hop, with its label centred at label_at. */
void orr_cast_wire(struct orr_cast *cast, const struct orr_actor *from, const struct orr_actor *to, struct orr_hop hop,
                   bool narrowest, const struct orr_point *points, uint32_t count, struct orr_point label_at);
/* "NVL 371 GB/s", with a mark where it is the narrowest. */
const char *orr_cast_hop_label(const struct orr_cast *cast, struct orr_hop hop, bool narrowest);
/* "path nvl narrowest" */
const char *orr_hop_class(struct orr_drawing *drawing, enum orr_path_type type, bool narrowest);

#endif
