/* What does NCCL do with this machine? Compile it against the installed library:
 *
 *     cc example.c $(pkg-config --cflags --libs orrery) -o example && ./example topo.xml */
#include <orrery/orrery.h>
#include <stdio.h>

int main(int count, char **arguments)
{
    static char bytes[1 << 20];
    struct orr_report report = ORR_REPORT_INIT;
    struct orr_machine *machine = NULL;
    struct orr_question *question = NULL;
    struct orr_plan *plan = NULL;
    struct orr_plan_path path = ORR_PLAN_PATH_INIT;
    struct orr_plan_choice choice = ORR_PLAN_CHOICE_INIT;
    FILE *file = count > 1 ? fopen(arguments[1], "rb") : stdin;
    size_t length = file ? fread(bytes, 1, sizeof bytes, file) : 0;

    bool done = orr_machine_read(bytes, length, &machine, &report) && orr_question_new("2.27.7", &question, &report) &&
                orr_question_hosts(question, 2, &report) && orr_plan_make(machine, question, &plan, &report) &&
                orr_plan_path(plan, "rank:0", "rank:1", &path, &report) &&
                orr_plan_choose(plan, "AllReduce", 1 << 26, &choice, &report);
    if (done)
        printf("%u ranks, %u channels; rank 0 to 1: %s, %.1f GB/s; AllReduce of 64 MiB: %s/%s\n", orr_plan_ranks(plan),
               orr_plan_channels(plan), path.type, path.bw, choice.algorithm, choice.protocol);
    else
        fprintf(stderr, "%u:%u: %s: %s\n", report.line, report.column, report.code, report.text);
    orr_plan_free(plan);
    orr_question_free(question);
    orr_machine_free(machine);
    return done ? 0 : 1;
}
