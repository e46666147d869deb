/* SPDX-License-Identifier: Apache-2.0 */
/* Which NCCL release a framework brings along, for users who know only the framework's version. */
#ifndef ORR_RELEASE_FRAMEWORKS_H
#define ORR_RELEASE_FRAMEWORKS_H

#include "engine/release/release.h"

struct orr_framework {
    const char *name;    /* "PyTorch" */
    const char *version; /* "2.10": all of its patch levels; "2.9.0": that one only */
    const char *build;   /* the wheel's CUDA: "CUDA 12", "CUDA 12 or 13" */
    const char *nccl;    /* the tag: "2.29.3", which may be one that behaves as a row does */
};

/* Oldest first. */
const struct orr_framework *orr_frameworks(uint32_t *ret_count);
/* Whether the framework brings the release, or a tag that behaves as it does. */
bool orr_framework_brings(const struct orr_framework *framework, const struct orr_release *release);

#endif
