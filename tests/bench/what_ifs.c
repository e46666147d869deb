/* SPDX-License-Identifier: Apache-2.0 */
/* How long an analysis takes through liborrery: COUNT plans of FILE, each with another number of hosts. Prints CPU
 * microseconds for each; what_ifs.py compares them with Python's. */
#include <orrery/orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

int main(int count, char **arguments)
{
    enum { LARGEST = 1 << 20, ROUND = 5 };
    static char bytes[LARGEST];
    struct orr_machine *machine;
    const unsigned turns = count > 2 ? (unsigned)atoi(arguments[2]) : 0;
    FILE *file = turns ? fopen(arguments[1], "rb") : NULL;
    if (!file || !orr_machine_load(bytes, fread(bytes, 1, sizeof bytes, file), NULL, NULL, &machine, NULL))
        return 1;
    const double since = cpu_us();
    for (unsigned i = 0; i < turns; i++) {
        char parameters[64];
        struct orr_plan *plan;
        snprintf(parameters, sizeof parameters, "release=2.27.7&hosts=%u", 1 + i % ROUND);
        if (!orr_plan_ask(machine, parameters, NULL, &plan, NULL))
            return 1;
        orr_plan_free(plan);
    }
    printf("%.1f\n", (cpu_us() - since) / turns);
    orr_machine_free(machine);
    return 0;
}
