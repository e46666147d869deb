/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/release: builds the rows of the release table. A step has the changes of one release; its row is the
 * previous release's row with these changes. */
#ifndef ORR_RELEASE_RELEASE_STEPS_H
#define ORR_RELEASE_RELEASE_STEPS_H

#include <string.h>

#include "engine/release/connect_rules.h"
#include "engine/release/release.h"
#include "engine/release/tuning_model.h"

struct orr_release_step {
    uint32_t version; /* ORR_VERSION */
    const char *name;
    const char *date;    /* year and month of NVIDIA's release notes ("2023-06"), NULL if there is no source */
    const char *summary; /* what distinguishes the release, a sentence without a full stop */
    void (*change)(struct orr_release *release, struct orr_connect_rules *connect, struct orr_tuning_model *tuning);
    bool compared; /* all its cases in tests/conformance agree; false if there are none yet, and then every answer says
                    * so */
};

/* Oldest first; the very first step starts from zeroes. A list ends with a step without a name. */
extern const struct orr_release_step orr_steps_2_7_to_2_12[], orr_steps_2_14_to_2_17[], orr_steps_2_18_to_2_21[],
    orr_steps_2_22_to_2_26[], orr_steps_2_27_to_2_30[];

#define ORR_LENGTH(array) (sizeof(array) / sizeof(array)[0])

/* Rates in GB/s that the search tries, falling. */
#define ORR_RATES(intra_, inter_)                                                                                      \
    {                                                                                                                  \
        .intra = (intra_), .inter = (inter_), .intra_count = ORR_LENGTH(intra_), .inter_count = ORR_LENGTH(inter_)     \
    }

static inline void orr_set_path_types(struct orr_release *release, const uint8_t *types, uint32_t count)
{
    release->path_types = types;
    release->path_type_count = count;
}

/* Microseconds with LL, LL128 and Simple. */
static inline void orr_set_base(struct orr_tuning_model *tuning, enum orr_algorithm algorithm, float ll, float ll128,
                                float simple)
{
    float *base = tuning->base_latency[algorithm];
    base[ORR_LL] = ll;
    base[ORR_LL128] = ll128;
    base[ORR_SIMPLE] = simple;
}

/* Microseconds of a step over NVLink, PCI and the network. */
static inline void orr_set_steps(struct orr_tuning_model *tuning, enum orr_algorithm algorithm,
                                 enum orr_protocol protocol, float nvlink, float pci, float net)
{
    tuning->hw_latency[ORR_HW_NVLINK][algorithm][protocol] = nvlink;
    tuning->hw_latency[ORR_HW_PCI][algorithm][protocol] = pci;
    tuning->hw_latency[ORR_HW_NET][algorithm][protocol] = net;
}

/* GB/s with one node, two, and more. */
static inline void orr_set_limit(double row[ORR_TUNING_COLUMNS], double one, double two, double more)
{
    row[0] = one;
    row[1] = two;
    row[2] = more;
}

#endif
