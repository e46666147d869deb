/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ORR_API_SHAPES_H
#define ORR_API_SHAPES_H

#include "api/store/store.h"
#include "engine/dump/dump.h"

/* The digest of a dump's shape, which is equal only for similar dumps. False if the dump has no shape, or memory ran
 * out. */
bool orr_shape_of(const struct orr_dump *dump, char ret_shape[ORR_DIGEST_LENGTH + 1]);
/* The same for stored bytes. */
bool orr_shape_of_bytes(const char *bytes, size_t length, char ret_shape[ORR_DIGEST_LENGTH + 1]);

#endif
