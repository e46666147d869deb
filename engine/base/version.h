/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ORR_BASE_VERSION_H
#define ORR_BASE_VERSION_H

/* The version of Orrery, from the file VERSION, such as "0.9.1". */
const char *orr_version(void);

#endif
