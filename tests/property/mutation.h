/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes with a few of them changed: what an editor, a broken transfer or an attacker would send. */
#ifndef ORR_PROPERTY_MUTATION_H
#define ORR_PROPERTY_MUTATION_H

#include "engine/base/text.h"
#include "tests/property/chance.h"

/* Appends `bytes` with one to four changes. */
void mutate(struct chance *chance, const char *bytes, size_t length, struct orr_text *ret_text);

#endif
