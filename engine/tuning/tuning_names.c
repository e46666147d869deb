/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions, algorithms and protocols, as NCCL writes them. */
#include "engine/base/words.h"
#include "engine/tuning/tuning.h"

ORR_WORD_LIST(orr_function_name, size_t, "Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce")

const char *orr_algorithm_name(const struct orr_release *release, enum orr_algorithm algorithm)
{
    const char *name = release->tuning->names[algorithm];
    return name ? name : "?";
}

ORR_WORD_LIST(orr_protocol_name, enum orr_protocol, "LL", "LL128", "Simple")
