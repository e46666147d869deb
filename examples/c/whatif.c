/* SPDX-License-Identifier: Apache-2.0 */
/* Which setting makes AllReduce of 1 GiB faster? One machine, a plan for each try.
 *
 *     cc whatif.c $(pkg-config --cflags --libs orrery) -o whatif && ./whatif topo.xml */
#include "read_file.h"

int main(int count, char **arguments)
{
    static const char *const tries[] = {"hosts=2", "hosts=2&NCCL_CROSS_NIC=1", "hosts=2&NCCL_PXN_DISABLE=1",
                                        "hosts=2&NCCL_NVLS_ENABLE=0", "hosts=2&NCCL_ALGO=Ring"};
    struct orr_report report = ORR_REPORT_INIT;
    struct orr_machine *machine = NULL;
    size_t length;
    const char *name = count > 1 ? arguments[1] : "topo.xml";
    char *bytes = read_file(name, &length);
    if (!bytes)
        return 1;

    bool done = orr_machine_load(bytes, length, NULL, NULL, &machine, &report);
    for (size_t i = 0; done && i < sizeof tries / sizeof tries[0]; i++) {
        struct orr_plan *plan = NULL;
        struct orr_plan_choice choice = ORR_PLAN_CHOICE_INIT;
        done = orr_plan_ask(machine, tries[i], NULL, &plan, &report) &&
               orr_plan_choose(plan, "AllReduce", 1 << 30, &choice, &report);
        if (done)
            printf("%-28s %6.1f GB/s, %s/%s, %u channels\n", tries[i], choice.bus_bw, choice.algorithm, choice.protocol,
                   orr_plan_channels(plan));
        orr_plan_free(plan);
    }
    orr_machine_free(machine);
    free(bytes);
    return done ? 0 : complain(name, &report);
}
