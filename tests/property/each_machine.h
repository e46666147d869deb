/* SPDX-License-Identifier: Apache-2.0 */
/* The machines that a check by brute force runs over: those of files, and random ones. */
#ifndef ORR_TESTS_EACH_MACHINE_H
#define ORR_TESTS_EACH_MACHINE_H

#include "engine/dump/dump.h"

/* Checks a machine; false if the check does not apply to it. */
typedef bool machine_check(const char *name, const struct orr_dump *dump);

/* The machine of a file; a text that is not a dump is passed over. False: the file cannot be read. */
bool check_machine_of_file(const char *path, machine_check *check);
/* Random machines of 2 to most_gpus ranks without faults of form, seed by seed, until `wanted` were checked. */
void check_random_machines(unsigned long wanted, uint64_t seed, uint32_t most_gpus, machine_check *check);

#endif
