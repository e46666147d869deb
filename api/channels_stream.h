/* Rings and trees of any number of ranks as JSON, made while they are read: one ring or tree is held at a time. */
#ifndef ORR_API_CHANNELS_STREAM_H
#define ORR_API_CHANNELS_STREAM_H

#include "api/answer.h"
#include "engine/analysis/analysis.h"

/* One document {"nccl", "hosts", "ranks", "nodes", "count", "p2p_channels", "p2p_channels_per_peer", "rings", "trees",
 * "nvls": null or {"channels", "tree_channels", "heads", "trees": those of even and of odd channels}}, or lines: a head
 * with the counts; a line for each ring, then each tree, then each tree of NVLS, with how many lines there are and have
 * been; {"end": true}.
 *
 * analysis: a plan will do. owner: given back with the stream, NULL: the analysis outlives it. NULL: no memory, and the
 * owner is given back. */
struct orr_stream *orr_channels_stream(const struct orr_analysis *analysis, bool lines, struct orr_shared *owner);

#endif
