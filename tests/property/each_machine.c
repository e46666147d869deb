/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/property/each_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/property/machine.h"

enum { MOST_XML = 1 << 22 };

static bool check_text(const char *name, const char *bytes, size_t length, machine_check *check)
{
    ORR_LOCAL(orr_dump, dump);
    return orr_dump_read(bytes, length, NULL, &dump, NULL) == ORR_OK && check(name, dump);
}

bool check_machine_of_file(const char *path, machine_check *check)
{
    char *bytes = malloc(MOST_XML);
    FILE *file = fopen(path, "rb");
    const bool readable = bytes && file;
    if (readable)
        check_text(path, bytes, fread(bytes, 1, MOST_XML, file), check);
    else
        fprintf(stderr, "%s: cannot be read\n", path);
    if (file)
        fclose(file);
    free(bytes);
    return readable;
}

void check_random_machines(unsigned long wanted, uint64_t seed, uint32_t most_gpus, machine_check *check)
{
    static struct machine machine;
    for (unsigned long found = 0; found < wanted; seed++) {
        struct chance chance = {.state = seed};
        struct orr_text xml;
        char name[48];
        snprintf(name, sizeof name, "random machine %llu", (unsigned long long)seed);
        memset(&machine, 0, sizeof machine);
        machine_plan(&machine, &chance);
        if (machine.sloppy || machine.rank_count > most_gpus || machine.rank_count < 2)
            continue;
        orr_text_init(&xml, MOST_XML);
        machine_write(&machine, &xml);
        found += check_text(name, orr_text_data(&xml), xml.length, check);
        orr_text_release(&xml);
    }
}
