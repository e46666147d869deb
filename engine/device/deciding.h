/* SPDX-License-Identifier: Apache-2.0 */
/* Inside device/: shared by the files that decide facts. */
#ifndef ORR_DEVICE_DECIDING_H
#define ORR_DEVICE_DECIDING_H

#include "engine/device/device.h"
#include "engine/release/release.h"

/* Sets a verdict. The texts may contain the compared values; a format without conversions is not copied. */
void orr_device_say(struct orr_device_side *d, struct orr_device_nodes *kind, enum orr_device_fact fact, int32_t value,
                    const char *rule, unsigned assumes, const char *format, ...) ORR_PRINTF(7, 8);
void orr_device_remedy(struct orr_device_side *d, struct orr_device_nodes *kind, enum orr_device_fact fact,
                       const char *format, ...) ORR_PRINTF(4, 5);

static inline int64_t orr_device_setting(const struct orr_device_side *d, enum orr_setting setting)
{
    return orr_setting_int(&d->analysis->query.settings, setting);
}
static inline bool orr_device_cumem(const struct orr_device_side *d)
{
    return orr_device_setting(d, ORR_SET_CUMEM_ENABLE) != 0;
}
static inline bool orr_device_is(const struct orr_device_nodes *kind, enum orr_device_fact fact)
{
    return kind->verdicts[fact].value > 0;
}

/* flags.c: P2P and NVLink between the GPUs of a node, and in the whole communicator. */
void orr_device_flags(struct orr_device_side *d, struct orr_device_nodes *kind);
void orr_device_flags_of_all(struct orr_device_side *d);
/* teams.c: LSA and multimem. */
enum orr_code orr_device_teams(struct orr_device_side *d, struct orr_error *err) ORR_NO_DISCARD;
/* gin.c: the type for one kind of node; then the type for all. */
void orr_device_find_gin(struct orr_device_side *d, struct orr_device_nodes *kind);
void orr_device_gin(struct orr_device_side *d);
/* symmetric.c: symmetric memory, its kernels, RMA, copy engines. */
void orr_device_symmetric(struct orr_device_side *d, struct orr_device_nodes *kind);
/* registration.c */
void orr_device_registration(struct orr_device_side *d, struct orr_device_nodes *kind);

#endif
