/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's choice for messages of every size, and the time with each algorithm and protocol, all from the tuning
 * model. */
#include "api/documents/sections.h"

enum { SMALLEST = 3, LARGEST = 34 }; /* 8 bytes to 16 GiB, doubling, like typical runs of nccl-tests */

static bool choose(const struct orr_analysis *analysis, enum orr_function function, uint64_t bytes,
                   struct orr_choice *ret_choice)
{
    return orr_tuning_choose(&analysis->tuning, &analysis->communicator, &analysis->query.settings, function, bytes,
                             ret_choice);
}

static bool alike(const struct orr_choice *a, const struct orr_choice *b)
{
    return a->algorithm == b->algorithm && a->protocol == b->protocol && a->tuner_line == b->tuner_line;
}

/* Times in microseconds at each of the sizes; NULL, with nothing to free, if this pair cannot be used. */
static json_t *times_json(struct orr_json *json, const struct orr_analysis *analysis, enum orr_function function,
                          enum orr_algorithm algorithm, enum orr_protocol protocol)
{
    json_t *times = NULL;
    for (int size = SMALLEST; size <= LARGEST; size++) {
        float time = orr_tuning_time(&analysis->tuning, &analysis->communicator, &analysis->query.settings, function,
                                     algorithm, protocol, (uint64_t)1 << size);
        if (time < 0 && !times)
            return NULL;
        if (!times)
            times = orr_json_array(json);
        orr_json_add(json, times, time < 0 ? json_null() : orr_json_number(json, time));
    }
    return times;
}

static json_t *ways_json(struct orr_json *json, const struct orr_analysis *analysis, enum orr_function function)
{
    json_t *ways = orr_json_array(json);
    for (uint32_t a = 0; a < analysis->tuning.algorithm_count; a++)
        for (int p = 0; p < ORR_PROTOCOL_COUNT; p++) {
            json_t *times = times_json(json, analysis, function, (enum orr_algorithm)a, (enum orr_protocol)p);
            if (!times)
                continue;
            const char *name = orr_algorithm_name(analysis->query.settings.release, (enum orr_algorithm)a);
            orr_json_add(json, ways,
                         ORR_OBJECT(json, ORR_STRING("algorithm", name),
                                    ORR_STRING("protocol", orr_protocol_name((enum orr_protocol)p)),
                                    ORR_VALUE("times", times)));
        }
    return ways;
}

static void add_range(struct orr_json *json, json_t *ranges, const struct orr_analysis *analysis, uint64_t from,
                      const struct orr_choice *choice)
{
    const char *name = orr_algorithm_name(analysis->query.settings.release, choice->algorithm);
    orr_json_add(json, ranges,
                 ORR_OBJECT(json, ORR_INT("from", (int64_t)from),
                            ORR_WHEN(choice->tuner_line, ORR_INT("tuner_line", choice->tuner_line)),
                            ORR_STRING("algorithm", name), ORR_STRING("protocol", orr_protocol_name(choice->protocol)),
                            ORR_INT("channels", choice->channels), ORR_INT("threads", choice->threads)));
}

/* The exact sizes at which the choice changes. Between two powers of two it finds every change that shows at one of the
 * points that halving visits. */
static json_t *ranges_json(struct orr_json *json, const struct orr_analysis *analysis, enum orr_function function)
{
    json_t *ranges = orr_json_array(json);
    struct orr_choice now, end;
    uint64_t at = (uint64_t)1 << SMALLEST;
    if (!choose(analysis, function, at, &now))
        return ranges;
    add_range(json, ranges, analysis, at, &now);
    for (int size = SMALLEST + 1; size <= LARGEST; size++) {
        uint64_t last = (uint64_t)1 << size;
        if (!choose(analysis, function, last, &end))
            continue;
        while (!alike(&now, &end)) {
            struct orr_choice middle, first = end;
            uint64_t low = at, high = last;
            while (high - low > 1) {
                uint64_t half = low + (high - low) / 2;
                if (choose(analysis, function, half, &middle) && alike(&middle, &now)) {
                    low = half;
                } else {
                    high = half;
                    first = middle;
                }
            }
            at = high;
            now = first;
            add_range(json, ranges, analysis, at, &now);
        }
        at = last;
    }
    return ranges;
}

static double bus_share(const struct orr_analysis *analysis, enum orr_function function)
{
    struct orr_choice choice;
    if (!choose(analysis, function, (uint64_t)1 << LARGEST, &choice) || choice.alg_bw <= 0)
        return 1;
    return (double)choice.bus_bw / choice.alg_bw;
}

json_t *orr_predictions_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    json_t *sizes = orr_json_array(json), *functions = orr_json_object(json);
    for (int size = SMALLEST; size <= LARGEST; size++)
        orr_json_add(json, sizes, orr_json_int(json, (int64_t)1 << size));
    for (int f = 0; f < ORR_FUNCTION_COUNT && analysis->ranks > 1; f++) {
        enum orr_function function = (enum orr_function)f;
        json_t *row = ORR_OBJECT(json, ORR_NUMBER("bus_share", bus_share(analysis, function)),
                                 ORR_VALUE("ways", ways_json(json, analysis, function)),
                                 ORR_VALUE("ranges", ranges_json(json, analysis, function)));
        orr_json_set(json, functions, orr_function_name(function), row);
    }
    return ORR_OBJECT(json, ORR_VALUE("sizes", sizes), ORR_VALUE("functions", functions));
}
