/* SPDX-License-Identifier: Apache-2.0 */
/* Detection in a separate process. It loads the driver's libraries, which may hang or crash on a sick GPU; a separate
 * process keeps that out of the service. */
#ifndef ORR_DETECT_DETECT_PROCESS_H
#define ORR_DETECT_DETECT_PROCESS_H

#include <stddef.h>

#include "engine/base/error.h"

/* Runs `program detect --json --release NAME` (program NULL means this one) for at most this many seconds. *ret_bytes
 * is what it printed: free() it. UNSUPPORTED if it took too long, crashed, or failed; the text says how. */
enum orr_code orr_detect_apart(const char *program, const char *release, unsigned seconds, char **ret_bytes,
                               size_t *ret_length, struct orr_error *err) ORR_NO_DISCARD;

#endif
