/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/hardware/pcie.h"

#include <stdlib.h>

static const struct {
    float rate;
    const char *text;
} generations[ORR_PCIE_GENERATIONS] = {
    {2.5f, ORR_PCIE_GEN1}, {5, ORR_PCIE_GEN2},  {8, ORR_PCIE_GEN3},   {16, ORR_PCIE_GEN4},
    {32, ORR_PCIE_GEN5},   {64, ORR_PCIE_GEN6}, {128, ORR_PCIE_GEN7},
};

float orr_pcie_rate(unsigned generation)
{
    return generations[generation - 1].rate;
}

const char *orr_pcie_speed_text(unsigned generation)
{
    return generations[generation - 1].text;
}

float orr_pcie_read_rate(const char *link_speed)
{
    float rate = strtof(link_speed, NULL);
    return rate > 0 && rate < 1000 ? rate : 0;
}

int orr_pcie_generation(float rate)
{
    for (int i = 0; i < ORR_PCIE_GENERATIONS; i++)
        if (rate == generations[i].rate)
            return i + 1;
    return 0;
}

float orr_pcie_gbs(float rate, int32_t width)
{
    float coding = rate > 5 ? 128.0f / 130.0f : 0.8f; /* bits of data for each bit sent */
    return rate * (float)width * coding / 8;
}
