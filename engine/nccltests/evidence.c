/* SPDX-License-Identifier: Apache-2.0 */
/* What the digits of rows prove: each printed number is exact to half a unit of its last digit. */
#include <math.h>

#include "engine/nccltests/reading.h"

enum { RANKS_MOST = 1 << 20 };

/* Half a unit of the last digit, and a little for the rounding of the computation. */
static double blur(const struct orr_number *number)
{
    return 0.51 * pow(10, -(double)number->decimals);
}

/* Narrows an interval by another; false if they have nothing in common, and the narrower one is kept. */
static bool narrow(double *least, double *most, double low, double high)
{
    if (!(*most > 0) || (low <= *most && high >= *least)) {
        *least = *most > 0 ? fmax(*least, low) : low;
        *most = *most > 0 ? fmin(*most, high) : high;
        return true;
    }
    if (high - low < *most - *least) {
        *least = low;
        *most = high;
    }
    return false;
}

void orr_evidence_add(struct orr_evidence *e, uint64_t size, const struct orr_number *time,
                      const struct orr_number *alg, const struct orr_number *bus)
{
    bool with_exponent = alg->value > 1e6 || bus->value > 1e6; /* 1.2e+06 is exact to its two digits only */
    double alg_blur = blur(alg), bus_blur = blur(bus);
    if (alg->missing || with_exponent || alg->value <= 10 * alg_blur)
        return;
    if (!bus->missing)
        e->bus_differs |= !narrow(&e->bus_least, &e->bus_most, (bus->value - bus_blur) / (alg->value + alg_blur),
                                  (bus->value + bus_blur) / (alg->value - alg_blur));
    if (!time->missing && time->value > 0 && size) {
        double time_blur = time->value < 1e6 ? blur(time) : time->value * 0.05, bytes = (double)size / 1e3;
        (void)narrow(&e->size_least, &e->size_most, (alg->value - alg_blur) * (time->value - time_blur) / bytes,
                     (alg->value + alg_blur) * (time->value + time_blur) / bytes);
    }
}

void orr_evidence_parts(struct orr_evidence *e, uint64_t size, uint64_t count, uint32_t type_bytes)
{
    if (!size || !count || !type_bytes || count > UINT64_MAX / type_bytes)
        return;
    uint64_t bytes = count * type_bytes, parts = size / bytes;
    if (size % bytes || parts > RANKS_MOST || (e->parts && e->parts != parts))
        e->parts_differ = true;
    e->parts = parts;
}

bool orr_evidence_ranks(const struct orr_evidence *e, enum orr_test test, uint32_t *ret_least, uint32_t *ret_most)
{
    const struct orr_test_program *program = &orr_test_programs[test];
    double unit = program->bus == ORR_TEST_FACTOR_TWICE_OTHERS ? 2 : 1;
    *ret_least = 2;
    *ret_most = RANKS_MOST;
    if (!(e->bus_most > 0))
        return true;
    if (program->bus == ORR_TEST_FACTOR_ONE)
        return e->bus_least <= 1 && e->bus_most >= 1;
    double low = e->bus_least / unit, high = e->bus_most / unit; /* of (n - 1) / n = 1 - 1 / n */
    if (low >= 1 || high <= 0)
        return false;
    double least = ceil(1 / (1 - low) - 1e-9), most = high < 1 ? floor(1 / (1 - high) + 1e-9) : RANKS_MOST;
    if (least > RANKS_MOST || most < 2)
        return false;
    *ret_least = least < 2 ? 2 : (uint32_t)least;
    *ret_most = most > RANKS_MOST ? RANKS_MOST : (uint32_t)most;
    return *ret_least <= *ret_most;
}
