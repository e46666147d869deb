/* SPDX-License-Identifier: Apache-2.0 */
/* Reads names of releases as users write them, and makes the error if none of the emulated ones is meant. */
#ifndef ORR_RELEASE_RELEASE_NAMES_H
#define ORR_RELEASE_RELEASE_NAMES_H

#include "engine/base/error.h"
#include "engine/release/settings.h"

/* The version that a text means: "2.27.7", "v2.27.7", "2.27.7-1", "2.27.7+cuda12.9", "nccl-2.27.7", "2.27" (patch level
 * 0) or NCCL_VERSION_CODE ("22707", and "2708" as it was before 2.9); 0 if there is none. *ret_exact: a patch level was
 * named. */
uint32_t orr_release_version_of(const char *text, bool *ret_exact);

/* A tag that behaves like another one, which has a row. */
struct orr_release_alias {
    uint32_t version;
    const char *name, *row;
};
const struct orr_release_alias *orr_release_aliases(uint32_t *ret_count);

/* The row of a version: its own, or that of the release with the same behaviour; NULL if there is none. */
const struct orr_release *orr_release_of(uint32_t version);
/* The release to emulate for a version: orr_release_of(), else the nearest by minor release, then by patch level; the
 * default for 0. */
const struct orr_release *orr_release_nearest(uint32_t version, bool *ret_exact);

struct orr_release_choice {
    const struct orr_release *release;
    uint32_t asked; /* the requested version, if it differs from the row's; otherwise 0 */
};
/* The row for the name of a release or of a tag that behaves as one; with `nearest` also for others, however they are
 * written. SETTING: see orr_release_unknown(). */
enum orr_code orr_release_choose(const char *text, bool nearest, struct orr_release_choice *ret_choice,
                                 struct orr_error *err) ORR_NO_DISCARD;

/* The first release for a generation of GPUs. */
struct orr_release_first {
    int32_t sm; /* the least compute capability of the generation */
    uint32_t version;
    const char *generation;
};
/* The first release for GPUs of a compute capability, if a version is older than that; otherwise NULL. */
const struct orr_release_first *orr_release_first_after(uint32_t version, int32_t sm);

/* A version where the row is another's; 0 if it is the row's own, or none. */
uint32_t orr_release_asked(const struct orr_release *release, uint32_t version);
/* Is it the row of another release, which does not behave alike? */
bool orr_settings_nearest(const struct orr_settings *settings);
/* Are the answers those of the requested release, and were its rules compared with NCCL's own results? */
bool orr_settings_verified(const struct orr_settings *settings);

enum { ORR_VERSION_SIZE = 40, ORR_CAVEAT_SIZE = 160 };
/* 21806 -> "2.18.6". */
const char *orr_version_format(uint32_t version, char text[ORR_VERSION_SIZE]);
/* A caveat about the release, as a sentence without a full stop; "" if it is verified. */
const char *orr_settings_caveat(const struct orr_settings *settings, char text[ORR_CAVEAT_SIZE]);

/* SETTING, for a text that is not the name of a release: says which release was probably meant, or else the nearest
 * emulated ones below and above and what changed between them. */
enum orr_code orr_release_unknown(const char *text, struct orr_error *err);

#endif
