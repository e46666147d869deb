/* SPDX-License-Identifier: Apache-2.0 */
/* Changes speeds, counts and ids in the text of a machine. */
#ifndef ORR_TESTS_VARY_MACHINE_H
#define ORR_TESTS_VARY_MACHINE_H

#include "tests/property/machine.h"

/* Gives up to four attributes another value, everywhere or at some elements. `size` is that of the text's buffer; a
 * value that does not fit is left out. */
void vary_machine(struct chance *c, char *text, size_t size);

#endif
