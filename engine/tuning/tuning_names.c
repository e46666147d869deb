/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions, algorithms and protocols, as NCCL writes them. */
#include "engine/tuning/tuning.h"

const char *orr_function_name(size_t function)
{
    static const char *const names[ORR_FUNCTION_COUNT] = {"Broadcast", "Reduce", "AllGather", "ReduceScatter",
                                                          "AllReduce"};
    return function < ORR_FUNCTION_COUNT ? names[function] : NULL;
}

const char *orr_algorithm_name(const struct orr_release *release, enum orr_algorithm algorithm)
{
    const char *name = release->tuning->names[algorithm];
    return name ? name : "?";
}

const char *orr_protocol_name(enum orr_protocol protocol)
{
    static const char *const names[ORR_PROTOCOL_COUNT] = {"LL", "LL128", "Simple"};
    return names[protocol];
}
