/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/nccltests/programs.h"

#include <string.h>

#include "engine/release/tuning_model.h"

/* A row: name, what it calls, redop, root, parts, out of place only, factors of size and bus. */
#define ONE    ORR_TEST_FACTOR_ONE
#define OTHERS ORR_TEST_FACTOR_OTHERS
#define TWICE  ORR_TEST_FACTOR_TWICE_OTHERS
const struct orr_test_program orr_test_programs[ORR_TEST_COUNT] = {
    [ORR_TEST_ALL_REDUCE] = {"all_reduce", ORR_ALLREDUCE, true, false, false, false, ONE, TWICE},
    [ORR_TEST_ALL_GATHER] = {"all_gather", ORR_ALLGATHER, false, false, true, false, ONE, OTHERS},
    [ORR_TEST_REDUCE_SCATTER] = {"reduce_scatter", ORR_REDUCESCATTER, true, false, true, false, ONE, OTHERS},
    [ORR_TEST_BROADCAST] = {"broadcast", ORR_BROADCAST, false, true, false, false, ONE, ONE},
    [ORR_TEST_REDUCE] = {"reduce", ORR_REDUCE, true, true, false, false, ONE, ONE},
    [ORR_TEST_ALLTOALL] = {"alltoall", -1, false, false, true, true, ONE, OTHERS},
    [ORR_TEST_ALLTOALLV] = {"alltoallv", -1, false, false, true, true, ONE, OTHERS},
    [ORR_TEST_SENDRECV] = {"sendrecv", -1, true, false, false, true, ONE, ONE},
    [ORR_TEST_GATHER] = {"gather", -1, false, true, true, false, ONE, OTHERS},
    [ORR_TEST_SCATTER] = {"scatter", -1, false, true, true, false, ONE, OTHERS},
    [ORR_TEST_HYPERCUBE] = {"hypercube", -1, false, false, true, false, OTHERS, ONE},
};

/* The letters and digits of a name, in lower case. */
static size_t letters_of(const char *name, size_t length, char *letters, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        c = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
        if ((c < 'a' || c > 'z') && (c < '0' || c > '9'))
            continue;
        if (count == most)
            return 0;
        letters[count++] = c;
    }
    return count;
}

static bool ends_in(const char *text, size_t length, const char *end)
{
    size_t more = strlen(end);
    return length >= more && !memcmp(text + length - more, end, more);
}

enum orr_test orr_test_find(const char *name, size_t length)
{
    enum { NAME_MOST = 32 };
    char wanted[NAME_MOST], letters[NAME_MOST];
    const char *folder = length ? memrchr(name, '/', length) : NULL;
    if (folder) {
        length -= (size_t)(folder + 1 - name);
        name = folder + 1;
    }
    size_t count = letters_of(name, length, wanted, sizeof wanted);
    static const char *const endings[] = {"exe", "mpi", "perf"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (ends_in(wanted, count, endings[i]))
            count -= strlen(endings[i]);
    for (unsigned test = 0; count && test < ORR_TEST_COUNT; test++) {
        const char *row = orr_test_programs[test].name;
        if (letters_of(row, strlen(row), letters, sizeof letters) == count && !memcmp(letters, wanted, count))
            return (enum orr_test)test;
    }
    return ORR_TEST_COUNT;
}

double orr_test_factor(enum orr_test_factor factor, uint32_t ranks)
{
    double others = ranks ? (double)(ranks - 1) / ranks : 0;
    return factor == ONE ? 1 : factor == OTHERS ? others : 2 * others;
}

double orr_test_bus_factor(enum orr_test test, uint32_t ranks)
{
    return orr_test_factor(orr_test_programs[test].bus, ranks);
}

double orr_test_size_factor(enum orr_test test, uint32_t ranks)
{
    return orr_test_factor(orr_test_programs[test].size, ranks);
}
