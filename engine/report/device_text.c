/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the report's sentence on symmetric kernels: whether they may run, for all numbers of hosts. */
#include "engine/report/report.h"

#include <string.h>

#include "engine/device/device.h"

/* The answer for a number of hosts: "yes, by GIN", "no, because ...", without the full stop. */
static void write_answer(struct orr_device_side *device, struct orr_text *text)
{
    const struct orr_device_verdict *memory = orr_device_verdict(device, ORR_DEVICE_SYMMETRIC);
    const struct orr_device_verdict *kernels = orr_device_verdict(device, ORR_DEVICE_KERNELS);
    const struct orr_device_verdict *why = memory->value ? kernels : memory;
    if (kernels->value)
        orr_text_printf(text, "yes%s%s", device->team_count > 1 ? ", by GIN" : "",
                        orr_device_differs(device, ORR_DEVICE_KERNELS) ? ", but not on all nodes" : "");
    else
        orr_text_printf(text, "no, because %.*s", (int)strlen(why->sentence) - 1,
                        orr_device_inside(device, why->sentence));
}

void orr_report_device(struct orr_page *page, const struct orr_report *report)
{
    const char *answers[ORR_REPORT_JOBS] = {NULL};
    ORR_LOCAL_TEXT(line, 4096);
    for (uint32_t j = 0; j < report->job_count; j++) {
        struct orr_device_side device;
        ORR_LOCAL_TEXT(text, 2048);
        if (orr_device_decide(report->jobs[j].analysis, report->arena, &device, NULL) != ORR_OK ||
            orr_device_verdict(&device, ORR_DEVICE_KERNELS)->value < 0 ||
            report->jobs[j].analysis->communicator.rank_count < 2)
            continue;
        write_answer(&device, &text);
        answers[j] = orr_text_copy(&text, report->arena);
    }
    for (uint32_t j = 0; j < report->job_count; j++) {
        char extent[ORR_REPORT_EXTENT_SIZE], next[ORR_REPORT_EXTENT_SIZE];
        bool both = j + 1 < report->job_count && answers[j] && answers[j + 1] && !strcmp(answers[j], answers[j + 1]);
        if (!answers[j])
            continue;
        orr_text_printf(&line, "%s on %s%s%s %s", line.length ? ";" : "Symmetric kernels with windows:",
                        orr_report_extent(report->jobs[j].analysis, extent), both ? " and on " : "",
                        both ? orr_report_extent(report->jobs[j + 1].analysis, next) : "", answers[j]);
        j += both;
    }
    if (line.length)
        orr_page_printf(page, ORR_STYLE_PLAIN, "  ", "%s.", orr_text_data(&line));
}
