/* Texts that name releases as users write them, and what to say where none of the emulated ones is meant. */
#ifndef ORR_RELEASE_RELEASE_NAMES_H
#define ORR_RELEASE_RELEASE_NAMES_H

#include "engine/base/error.h"
#include "engine/release/release.h"

/* The version that a text means: "2.27.7", "v2.27.7", "2.27.7-1", "2.27.7+cuda12.9", "nccl-2.27.7", "2.27" (patch level
 * 0) or NCCL_VERSION_CODE ("22707", and "2708" as it was before 2.9). 0: none. *ret_exact: a patch level was named. */
uint32_t orr_release_version_of(const char *text, bool *ret_exact);

/* The release to emulate for a version: itself, else the one whose minor number is nearest, of equals one that is
 * verified; the default for 0. */
const struct orr_release *orr_release_nearest(uint32_t version, bool *ret_exact);
/* Whether a row is that of a version. */
bool orr_release_is(const struct orr_release *release, uint32_t version);

/* SETTING, for a text that is not the name of a release: says which release was probably meant, or else the nearest
 * emulated ones below and above and what changed between them. */
enum orr_code orr_release_unknown(const char *text, struct orr_error *err);

#endif
