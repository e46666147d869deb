/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the families of rows in turn. */
#include "engine/symptoms/symptoms.h"

#include <stdlib.h>

#include "engine/base/budget.h"
#include "engine/base/sorting.h"
#include "engine/symptoms/finding.h"

static int by_weight(const void *a, const void *b)
{
    const struct orr_symptom *x = a, *y = b;
    ORR_BY(ORR_ORDER(x->weight, y->weight));
    return ORR_ORDER(x, y); /* order of discovery */
}

enum orr_code orr_symptoms_find(const struct orr_log *log, struct orr_arena *arena, struct orr_symptoms *ret_symptoms,
                                struct orr_error *err)
{
    struct orr_symptom_finder f = {.log = log, .arena = arena, .found = ret_symptoms};
    orr_budget_stage("symptoms");
    ret_symptoms->count = 0;
    if (log->rccl)
        return ORR_OK; /* the rows are about NCCL and NVIDIA's GPUs */
    orr_symptoms_of_program(&f);
    orr_symptoms_of_waiting(&f);
    orr_symptoms_of_processes(&f);
    orr_symptoms_of_ranks(&f);
    orr_symptoms_of_fabric(&f);
    orr_symptoms_of_pcie(&f);
    orr_symptoms_of_outliers(&f); /* one slow GPU is not P2P that is slow */
    orr_symptoms_of_cloud(&f);
    orr_symptoms_of_unlike(&f);
    orr_symptoms_of_gpus(&f);
    orr_symptoms_of_nvlinks(&f);
    orr_symptoms_of_nvls(&f);
    orr_symptoms_of_host(&f);
    orr_symptoms_of_faults(&f);
    orr_symptoms_of_releases(&f);
    orr_symptoms_of_p2p(&f);
    orr_symptoms_of_nics(&f);
    orr_symptoms_of_network(&f);
    orr_symptoms_of_gids(&f);
    orr_symptoms_of_ports(&f);
    orr_symptoms_of_commands(&f);
    orr_symptoms_of_job(&f);
    orr_symptoms_of_trace(&f);
    orr_symptoms_of_settings(&f);
    orr_symptoms_of_questions(&f);
    orr_symptoms_of_next_runs(&f);
    for (uint32_t i = 0; i < ret_symptoms->count; i++) {
        struct orr_symptom *row = &ret_symptoms->rows[i];
        row->check = orr_symptom_remedy(log, row->check);
        row->cure = orr_symptom_remedy(log, row->cure);
    }
    if (ret_symptoms->count)
        qsort(ret_symptoms->rows, ret_symptoms->count, sizeof *ret_symptoms->rows, by_weight);
    return orr_arena_starved(arena) ? orr_fail_nomem(err) : orr_budget_check(err);
}
