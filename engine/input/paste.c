/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what people paste together with a machine: settings, results, lines of lspci or dmesg. One line says what was
 * found. The analysis uses the settings, and symptoms in the lines become findings. */
#include <string.h>

#include "engine/base/text.h"
#include "engine/input/readers.h"
#include "engine/log_reading/parts.h"
#include "engine/nccltests/results.h"
#include "engine/symptoms/symptoms.h"

enum { PARTS_MOST = 8192 };

static const char *copy(struct orr_draft *draft, const char *text)
{
    return orr_draft_format(draft, "%s", text ? text : "");
}

/* "12 rows of all_reduce_perf"; "" if there are no results. */
static enum orr_code name_results(struct orr_draft *draft, const char *bytes, size_t length, const char **ret_text,
                                  struct orr_error *err)
{
    struct orr_results_limits limits = orr_results_default_limits;
    struct orr_results *results = NULL;
    struct orr_error none = {0};
    uint32_t rows = 0;
    limits.without_log = true;
    *ret_text = "";
    const enum orr_code code = orr_results_read(bytes, length, &limits, &results, &none);
    if (code == ORR_NOMEM || code == ORR_SPENT) {
        *err = none;
        return code;
    }
    if (code != ORR_OK)
        return ORR_OK;
    for (uint32_t i = 0; i < results->table_count; i++)
        rows += results->tables[i].row_count;
    const enum orr_test test = results->tables[0].test;
    *ret_text = orr_draft_format(draft, "%u row%s of %s%s", rows, orr_plural(rows),
                                 test == ORR_TEST_COUNT ? "nccl-tests" : orr_test_programs[test].name,
                                 test == ORR_TEST_COUNT ? "" : "_perf");
    orr_results_free(results);
    return ORR_OK;
}

static void take_settings(struct orr_draft *draft, const struct orr_log *log)
{
    struct orr_pasted_setting *settings = ORR_NEW(draft->doc.arena, struct orr_pasted_setting, log->setting_count);
    if (!settings)
        return;
    for (uint32_t i = 0; i < log->setting_count; i++)
        if (!log->settings[i].varies)
            settings[draft->notes.setting_count++] = (struct orr_pasted_setting){
                copy(draft, log->settings[i].name), copy(draft, log->settings[i].value), log->settings[i].line};
    draft->notes.settings = settings;
}

static enum orr_code take_symptoms(struct orr_draft *draft, const struct orr_log *log, struct orr_error *err)
{
    struct orr_symptoms found;
    ORR_TRY(orr_symptoms_find(log, log->arena, &found, err));
    struct orr_pasted_symptom *symptoms = ORR_NEW(draft->doc.arena, struct orr_pasted_symptom, found.count);
    if (found.count)
        ORR_NEED(symptoms, err);
    for (uint32_t i = 0; i < found.count; i++)
        if (found.rows[i].weight != ORR_SYMPTOM_NOTE)
            symptoms[draft->notes.symptom_count++] =
                (struct orr_pasted_symptom){.id = copy(draft, found.rows[i].id),
                                            .cause = copy(draft, found.rows[i].cause),
                                            .check = copy(draft, found.rows[i].check),
                                            .cure = copy(draft, found.rows[i].cure),
                                            .is_setting = found.rows[i].weight == ORR_SYMPTOM_SETTING};
    draft->notes.symptoms = symptoms;
    return ORR_OK;
}

enum orr_code orr_paste_take(struct orr_draft *draft, const struct orr_input *input, const struct orr_log *log,
                             struct orr_error *err)
{
    const char *results, *recognised = draft->notes.recognised ? draft->notes.recognised : "";
    ORR_LOCAL_TEXT(parts, PARTS_MOST);
    take_settings(draft, log);
    ORR_TRY(take_symptoms(draft, log, err));
    ORR_TRY(name_results(draft, input->bytes, input->length, &results, err));
    orr_text_puts(&parts, recognised);
    orr_log_parts(log, &parts);
    if (*results)
        orr_text_printf(&parts, "%s%s", parts.length ? "; " : "", results);
    draft->notes.recognised = orr_draft_format(draft, "%s", orr_text_data(&parts));
    return ORR_OK;
}

enum orr_code orr_paste_read(struct orr_draft *draft, const struct orr_input *input, struct orr_error *err)
{
    struct orr_log_limits limits = orr_log_default_limits;
    ORR_LOCAL(orr_log, log);
    limits.any_text = true;
    ORR_TRY(orr_log_read(input->bytes, input->length, &limits, &log, err));
    return orr_paste_take(draft, input, log, err);
}
