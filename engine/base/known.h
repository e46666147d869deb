/* SPDX-License-Identifier: Apache-2.0 */
/* A fact that may be unknown. */
#ifndef ORR_BASE_KNOWN_H
#define ORR_BASE_KNOWN_H

enum orr_known { ORR_UNKNOWN = -1, ORR_NO = 0, ORR_YES = 1 };

#endif
