/* The NICs that a job uses. A dump lists every port that NCCL found; a job leaves out what NCCL_IB_HCA excludes, NCCL
 * fuses ports of one card, and Amazon's network plugin shows NCCL groups of EFA NICs. All of this happens after the
 * dump is written, so it is applied here, before a dump is analysed.
 */
#ifndef ORR_NICS_USED_H
#define ORR_NICS_USED_H

#include "engine/base/arena.h"
#include "engine/release/settings.h"
#include "engine/topology/dump.h"

/* Whether NICs are fused before the analysis. X(symbol, word) */
#define ORR_FUSE_MAP(X)                                                                                                \
    X(AUTO, "auto")     /* NCCL's own XML is taken as it stands; from any other input NICs are fused as by ALWAYS */   \
    X(NEVER, "never")   /* as the input lists them */                                                                  \
    X(ALWAYS, "always") /* as the release fuses them when a job runs, and as Amazon's plugin groups EFA NICs */

enum orr_fuse_mode {
#define X(symbol, word) ORR_FUSE_##symbol,
    ORR_FUSE_MAP(X)
#undef X
        ORR_FUSE_COUNT
};

const char *orr_fuse_word(enum orr_fuse_mode mode);
/* False: no such word. */
bool orr_fuse_parse(const char *word, enum orr_fuse_mode *ret_mode);

/* Gives the dump as a job under these settings uses it: the dump itself where nothing differs, else a new one in arena,
 * whose notes (assumed) say what was changed. `dump` must live as long. SETTING: NCCL_IB_HCA leaves no NIC. */
enum orr_code orr_nics_used(const struct orr_dump *dump, const struct orr_settings *settings, enum orr_fuse_mode mode,
                            struct orr_arena *arena, const struct orr_dump **ret_dump,
                            struct orr_error *err) ORR_NO_DISCARD;

#endif
