/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the families of rows share. */
#include "engine/symptoms/finding.h"

#include <string.h>
#include <strings.h>

#include "engine/base/budget.h"
#include "engine/base/words.h"
#include "engine/log_reading/statements.h"
#include "engine/release/release_names.h"

ORR_WORD_LIST(orr_symptom_word, enum orr_symptom_weight, ORR_SYMPTOM_WEIGHT_MAP(ORR_SECOND_OF))

const struct orr_log_event *orr_log_event_of(const struct orr_log *log, const char *ids)
{
    const struct orr_log_event *found = NULL;
    while (*ids && !found) {
        const size_t length = strcspn(ids, "|");
        for (uint32_t i = 0; i < log->event_count && !found; i++) {
            const struct orr_log_message *message = log->events[i].message;
            if (message && strlen(message->id) == length && !memcmp(message->id, ids, length))
                found = &log->events[i];
        }
        ids += length + (ids[length] == '|');
    }
    return found;
}

const struct orr_symptom *orr_symptom_explaining(const struct orr_symptoms *symptoms, const char *id)
{
    for (uint32_t i = 0; i < symptoms->count; i++)
        if (symptoms->rows[i].weight <= ORR_SYMPTOM_OPEN && symptoms->rows[i].explains &&
            !strcmp(symptoms->rows[i].explains, id))
            return &symptoms->rows[i];
    return NULL;
}

void orr_symptom_add(struct orr_symptom_finder *f, const struct orr_symptom *symptom)
{
    if (f->found->count < ORR_SYMPTOMS_MOST)
        f->found->rows[f->found->count++] = *symptom;
}

bool orr_symptom_of_line(struct orr_symptom_finder *f, const char *ids, const char *explains)
{
    const struct orr_log_event *event = orr_log_event_of(f->log, ids);
    if (event)
        ORR_SYMPTOM(f, event->message->id, ORR_SYMPTOM_CAUSE, event->line, .cause = event->message->means,
                    .check = event->message->advice, .cure = "", .explains = explains);
    return event != NULL;
}

const char *orr_symptom_setting(const struct orr_log *log, const char *name, uint32_t *ret_line)
{
    for (uint32_t i = 0; i < log->setting_count; i++)
        if (!strcmp(log->settings[i].name, name)) {
            if (ret_line)
                *ret_line = log->settings[i].line;
            return log->settings[i].varies ? NULL : log->settings[i].value;
        }
    return NULL;
}

const struct orr_log_event *orr_symptom_unspecific(const struct orr_log *log)
{
    return orr_log_event_of(log, "cuda-failure|cuda-invalid-argument|cuda-illegal-access|cuda-illegal-application|"
                                 "tests-illegal-access|tests-cuda|segfault|sigsegv-nccl");
}

uint32_t orr_symptom_release(const struct orr_symptom_finder *f, const char **ret_name)
{
    const struct orr_log_stated *stated = &f->log->stated;
    const uint32_t version = orr_log_version(f->log, ret_name);
    char text[ORR_VERSION_SIZE];
    if (version || !stated->version || stated->several || f->log->rccl)
        return version;
    *ret_name = orr_symptom_text(f, stated->by_framework ? "%s (which the PyTorch of line %u brings)" : "%s",
                                 orr_version_format(stated->version, text), stated->line);
    return stated->version;
}

bool orr_symptom_is_one(const char *word, const char *words)
{
    const size_t wanted = strlen(word);
    while (*words) {
        const size_t length = strcspn(words, "|");
        if (length == wanted && !strncasecmp(words, word, length))
            return true;
        words += length + (words[length] == '|');
    }
    return false;
}

struct orr_symptom_transports orr_symptom_transports(const struct orr_log *log)
{
    struct orr_symptom_transports seen = {0};
    struct orr_log_connection connection;
    for (uint32_t i = 0; i < log->record_count && !orr_budget_spent(i % 64 == 0); i++)
        if (orr_log_connection_of(&log->records[i], &connection)) {
            seen.p2p += connection.transport == ORR_TRANSPORT_P2P;
            seen.shm += connection.transport == ORR_TRANSPORT_SHM;
            seen.net += connection.transport == ORR_TRANSPORT_NET;
            seen.gdr += connection.gdr;
        }
    return seen;
}

bool orr_symptom_failed(const struct orr_log *log)
{
    for (uint32_t i = 0; i < log->event_count; i++)
        if (!log->events[i].message || log->events[i].message->weight == ORR_WEIGHT_FATAL)
            return true;
    return false;
}

bool orr_symptom_acs_refuted(const struct orr_log *log)
{
    return orr_log_event_of(log, "acs-off") && !orr_log_event_of(log, "acs-on") &&
           !orr_log_event_of(log, "iommu-translated");
}

const struct orr_gpu_model *orr_symptom_model(const struct orr_log_record *record)
{
    return record->word_count && (record->kind == ORR_LOG_GPU_NAME || record->kind == ORR_LOG_DEVICE)
               ? orr_gpu_model_of_name(record->words[record->word_count - 1])
               : NULL;
}

const struct orr_log_record *orr_symptom_nic_list(const struct orr_log *log, const char *of)
{
    for (uint32_t i = 0; i < log->record_count; i++)
        if (log->records[i].kind == ORR_LOG_NIC_LIST && log->records[i].word_count > 1 &&
            !strncmp(log->records[i].words[0], of, strlen(of)))
            return &log->records[i];
    return NULL;
}

bool orr_symptom_has_nvlink(const struct orr_log *log)
{
    bool on_board = orr_log_event_of(log, "matrix-nvlink") ||
                    orr_symptom_said(log,
                                     " sxm|sxm4|sxm5| hgx| dgx |nvswitch| h100|xh100| h200|xh200| h800| b200|xb200| "
                                     "b300| gb200| gb300| a100|xa100| a800&!pcie|no nvlink|without nvlink|spark",
                                     true);
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_gpu_model *model = orr_symptom_model(&log->records[i]);
        if (model && model->form == ORR_GPU_PCIE && !orr_log_event_of(log, "matrix-nvlink"))
            return false;
        on_board |= model && model->form == ORR_GPU_SXM;
    }
    return on_board;
}

bool orr_symptom_has_one_host(const struct orr_log *log)
{
    const uint32_t largest = orr_log_largest(log);
    const char *host = NULL;
    uint32_t devices = 0;
    if (largest != UINT32_MAX) {
        const struct orr_log_communicator *of = &log->communicators[largest];
        return of->node_count == 1 ||
               (of->node_count < 0 && of->seen == (uint32_t)of->rank_count && of->host_count == 1);
    }
    for (uint32_t i = 0; i < log->record_count; i++) {
        if (log->records[i].kind != ORR_LOG_DEVICE || log->records[i].word_count < 3)
            continue;
        if (host && strcmp(host, log->records[i].words[0]) != 0)
            return false;
        host = log->records[i].words[0];
        devices++;
    }
    return devices > 1;
}

bool orr_symptom_other_error(const struct orr_log *log, const char *ids)
{
    for (uint32_t i = 0; i < log->event_count; i++) {
        const struct orr_log_message *message = log->events[i].message;
        if (!message || (message->weight == ORR_WEIGHT_FATAL && !orr_symptom_is_one(message->id, ids)))
            return true;
    }
    return false;
}

uint32_t orr_symptom_said(const struct orr_log *log, const char *words, bool commands)
{
    for (uint32_t i = 0; i < log->said_count; i++)
        if ((commands || !log->said[i].command) && orr_log_says(log->said, log->said_count, i, words))
            return log->said[i].line;
    return 0;
}
