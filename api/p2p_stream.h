/* The point-to-point schedule of any number of ranks as JSON, made while it is read: one rank's rounds are held. */
#ifndef ORR_API_P2P_STREAM_H
#define ORR_API_P2P_STREAM_H

#include "api/answer.h"
#include "engine/analysis/analysis.h"
#include "engine/base/arena.h"
#include "engine/cluster/groups.h"

/* Ranks times rounds of one answer, whether they are shown or not: 128 ranks of 131072. */
enum { ORR_MAX_P2P_ANSWER = 1 << 24 };

/* What is asked for, as users write it; NULL: not given. */
struct orr_p2p_wish {
    const char *ranks, *rounds; /* "3" or "0-7"; NULL: all */
    const char *layout, *group; /* a layout and "ep:3": the communicator of that group; both or neither */
    bool lines;                 /* a line for each rank and each round, instead of one document */
};

/* The schedule of the communicator, or of a group of the cluster (NULL: groups cannot be asked for), as openapi.yaml
 * describes it. The analysis may be a plan. owner: given back with the stream, NULL: the analysis outlives it; it is
 * given back on failure too. SETTING where the wish cannot be read or names what is not there, LIMIT where it is too
 * much. */
enum orr_code orr_p2p_stream(const struct orr_analysis *analysis, const struct orr_cluster *cluster,
                             const struct orr_p2p_wish *wish, struct orr_shared *owner, struct orr_stream **ret_stream,
                             struct orr_error *err) ORR_NO_DISCARD;

#endif
