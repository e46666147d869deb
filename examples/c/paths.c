/* SPDX-License-Identifier: Apache-2.0 */
/* How do the GPUs reach each other, and which algorithm does NCCL choose? Typed getters of a plan.
 *
 *     cc paths.c $(pkg-config --cflags --libs orrery) -o paths && ./paths topo.xml */
#include "read_file.h"

static bool print_path(const struct orr_plan *plan, unsigned a, unsigned b, struct orr_report *report)
{
    struct orr_plan_path path = ORR_PLAN_PATH_INIT;
    struct orr_plan_verdict p2p = ORR_PLAN_VERDICT_INIT;
    char from[24], to[24];
    snprintf(from, sizeof from, "rank:%u", a);
    snprintf(to, sizeof to, "rank:%u", b);
    if (!orr_plan_path(plan, from, to, &path, report) || !orr_plan_p2p(plan, a, b, &p2p, report))
        return false;
    printf("rank %u to %u: %s, %.1f GB/s, P2P %s\n", a, b, path.type, path.bw, p2p.verdict ? "on" : "off");
    return true;
}

int main(int count, char **arguments)
{
    struct orr_report report = ORR_REPORT_INIT;
    struct orr_machine *machine = NULL;
    struct orr_plan *plan = NULL;
    struct orr_plan_choice choice = ORR_PLAN_CHOICE_INIT;
    size_t length;
    const char *name = count > 1 ? arguments[1] : "topo.xml";
    char *bytes = read_file(name, &length);
    if (!bytes)
        return 1;

    bool done = orr_machine_load(bytes, length, NULL, NULL, &machine, &report) &&
                orr_plan_ask(machine, "release=2.27.7&hosts=2", NULL, &plan, &report) &&
                orr_plan_choose(plan, "AllReduce", 64 << 20, &choice, &report);
    if (done)
        printf("%u ranks, %u channels; AllReduce of 64 MiB: %s/%s, %.1f GB/s\n", orr_plan_ranks(plan),
               orr_plan_channels(plan), choice.algorithm, choice.protocol, choice.bus_bw);
    for (unsigned a = 0; done && a < orr_plan_local_ranks(plan); a++)
        for (unsigned b = 0; done && b < orr_plan_local_ranks(plan); b++)
            done = a == b || print_path(plan, a, b, &report);
    orr_plan_free(plan);
    orr_machine_free(machine);
    free(bytes);
    return done ? 0 : complain(name, &report);
}
