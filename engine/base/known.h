/* SPDX-License-Identifier: Apache-2.0 */
/* A yes or no that may also be unknown. */
#ifndef ORR_BASE_KNOWN_H
#define ORR_BASE_KNOWN_H

enum orr_known { ORR_UNKNOWN = -1, ORR_NO = 0, ORR_YES = 1 };

#endif
