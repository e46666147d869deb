/* SPDX-License-Identifier: Apache-2.0 */
/* Questions that people ask in words, whose answer is a fact about NCCL. A row applies only if no line of the text
 * shows an error, because then the question is why the job failed. */
#include <string.h>

#include "engine/symptoms/asked.h"
#include "engine/symptoms/finding.h"

/* Whether the GPUs of the text have NVLink SHARP, by their names. */
static bool has_nvls(const struct orr_log *log)
{
    enum { HOPPER = 90 };
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_gpu_model *model = orr_symptom_model(&log->records[i]);
        if (model)
            return model->sm >= HOPPER;
    }
    return false;
}

/* A specific question comes before a general one, in each table and from one to the next. */
static const struct orr_asked *const tables[] = {orr_asked_host,       orr_asked_p2p,     orr_asked_calls,
                                                 orr_asked_programs,   orr_asked_results, orr_asked_design,
                                                 orr_asked_operations, orr_asked_network, orr_asked_use};

/* The row after this one, the first one after NULL, and NULL after the last; *table tells which table it is in. */
static const struct orr_asked *next_row(const struct orr_asked *row, uint32_t *table)
{
    *table = row ? *table : 0;
    row = row ? row + 1 : tables[0];
    while (!row->id && ++*table < sizeof tables / sizeof tables[0])
        row = tables[*table];
    return row->id ? row : NULL;
}

#define ASKS         "?|why | how | what | which "
#define ASKED_BESIDE "?|ignored|unable|regardless|no effect"
#define HANGS        " hang| hung |stuck|freez|frozen|deadlock|never return| stall"
#define CRASHES      "segfault|segmentation|crash|core dump|illegal memory|assert"
#define FAILURES                                                                                                       \
    "error|fail|exception|traceback|refused|unreachable|ncclinvalid&!no error|without error|any error|than an "        \
    "error|failover"
#define OUT_OF_MEMORY "cuda-memory-application" /* the message */

/* Whether lines of the text show a cause by themselves: then the question is about it. A setting that the text names
 * need not be one. */
static bool is_answered(const struct orr_symptoms *found)
{
    for (uint32_t i = 0; i < found->count; i++)
        if (found->rows[i].weight == ORR_SYMPTOM_CAUSE && strncmp(found->rows[i].id, "setting:", 8) != 0)
            return true;
    return false;
}

static bool has_p2p(const struct orr_log *log)
{
    return orr_symptom_transports(log).p2p > 0;
}

/* Whether lines that programs printed show that an answer is wrong here. */
static bool is_refuted(const struct orr_asked *row, const struct orr_log *log)
{
    static const struct {
        const char *id;
        bool (*shows)(const struct orr_log *log);
    } refuting[] = {{"asked-nvls", has_nvls},
                    {"asked-containers", has_p2p},
                    {"asked-geforce", has_p2p},
                    {"asked-p2p-models", orr_symptom_has_nvlink},
                    {"asked-one-gpu-each", has_p2p}};
    for (size_t i = 0; i < sizeof refuting / sizeof refuting[0]; i++)
        if (!strcmp(row->id, refuting[i].id) && refuting[i].shows(log))
            return true;
    return false;
}

/* Words of problems and of subjects. A line or a title that has one is about that, so a row answers only if its own
 * words have one of them, too: a row that says how large buffers are does not answer why something is slow. */
static const char *const subjects[] = {
    HANGS,
    FAILURES,
    "wrong data|wrong result|corrupt|incorrect re|incorrect da| nan | accuracy|garbage|gibberish",
    " oom| leak|out of memory",
    " compil|cmake|building nccl|undefined symbol| pip |nvcc|visual studio",
    "regress|upgrade |upgrading| we upgraded| i upgraded|bisect|downgrad",
    "slow|poor| low b| low p|too low|so low|is low",
    "dcgm|grafana|prometheus|exporter|dashboard|alert",
    "storage|tokenizer|dataloader|data loader|checkpoint|license| yaml |quantiz| mpi_|nvshmem|tensorflow",
};

/* Whether words that a row wants have a word of the subject. */
static bool is_about(const struct orr_asked *row, const char *subject)
{
    for (const char *wanted = row->words; *wanted; wanted += *wanted != 0) {
        const size_t length = strcspn(wanted, "&+;");
        if (*wanted != '!' && orr_log_has_word(wanted, length, subject))
            return true;
        wanted += length;
    }
    return false;
}

/* Whether a line, or the title, is about a problem or subject that the row does not know. Whoever reports a crash
 * anywhere asks about the crash, and below the title of a report, lines do not ask how something works. */
static bool is_elsewhere(const struct orr_asked *row, const struct orr_log *log, uint32_t line)
{
    static const char *const reports[] = {" issue ", " bug ", " rfe ", " feature "}; /* "[Issue]: ..." */
    bool reported = false, problem = is_about(row, CRASHES);
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        const bool about = is_about(row, subjects[i]);
        problem |= about;
        if (!about &&
            (orr_log_says(log->said, 1, 0, subjects[i]) || orr_log_says(log->said, line + 1, line, subjects[i])))
            return true;
    }
    for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++)
        reported |= !strncmp(log->said->words, reports[i], strlen(reports[i]));
    return (reported && line && !problem) || (orr_symptom_said(log, CRASHES, false) && !is_about(row, CRASHES));
}

/* Whether words that a row wants stand near each other in a line, which may be a paragraph of several subjects. Beside
 * a log, whose lines are the question, they must be in the title or in a question itself. */
static bool are_near(const struct orr_asked *row, const struct orr_log *log, uint32_t line)
{
    enum { NEAR = 240, NEAR_LOG = 120, STEPS = 4, LINES_OF_LOG = 6 };
    const bool beside = log->nccl_count >= LINES_OF_LOG && line;
    const char *words = log->said[line].words;
    const size_t length = strlen(words), most = beside ? NEAR_LOG : NEAR, step = most / STEPS;
    char part[NEAR + 1] = "";
    const struct orr_log_said said = {.words = part};
    if ((length <= NEAR && !beside) || strchr(row->words, '+'))
        return true;
    bool near = false;
    for (size_t at = 0; at < length && (!at || at + most < length + step) && !near; at += step) {
        const size_t count = length - at < most ? length - at : most;
        memcpy(part, words + at, count);
        part[count] = '\0';
        near = orr_log_says(&said, 1, 0, row->words) && (!beside || orr_log_says(&said, 1, 0, ASKED_BESIDE));
    }
    return near;
}

/* Whether a row answers a line. memory: it ran out, and only a question about memory can be about that. */
static bool answers(const struct orr_asked *row, const struct orr_log *log, uint32_t line, bool memory)
{
    enum { DEEP = 4 }; /* further down, only a line that asks or reports a hang is the question */
    return !log->said[line].command && (!memory || !strcmp(row->id, "asked-memory")) &&
           orr_log_says(log->said, log->said_count, line, row->words) &&
           !orr_log_says(log->said, log->said_count, line, ORR_SAID_OVER) && !is_refuted(row, log) &&
           !is_elsewhere(row, log, line) && are_near(row, log, line) &&
           (line < DEEP || orr_log_says(log->said, log->said_count, line, ASKS "|" HANGS));
}

/* A text with lines of NCCL in which nobody asks anything reports a fault, and what its words are about may be another
 * one: then the answer is a note. */
static enum orr_symptom_weight weight_of(const struct orr_log *log)
{
    enum { LINES = 3 };
    return log->nccl_count < LINES || orr_symptom_said(log, ASKS "|despite|ignored|unable|regardless|no effect", false)
               ? ORR_SYMPTOM_CAUSE
               : ORR_SYMPTOM_NOTE;
}

/* One answer: a second one would be about something else. */
void orr_symptoms_of_questions(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    bool memory = false, settings = false;
    for (uint32_t i = 0; i < log->event_count; i++) {
        const struct orr_log_message *message = log->events[i].message;
        memory |= message && !strcmp(message->id, OUT_OF_MEMORY);
        if (!message || (message->weight != ORR_WEIGHT_NOTE && strcmp(message->id, OUT_OF_MEMORY) != 0))
            return;
    }
    if (orr_symptom_said(log, ORR_SAID_OF_OTHERS, true) || is_answered(f->found))
        return;
    for (uint32_t i = 0; i < f->found->count; i++)
        settings |= f->found->rows[i].weight != ORR_SYMPTOM_NOTE;
    for (uint32_t i = 0, table; i < log->said_count; i++)
        for (const struct orr_asked *row = NULL; (row = next_row(row, &table));) {
            if (!answers(row, log, i, memory))
                continue;
            const char *check = orr_symptom_advice(log, row->check), *cure = orr_symptom_advice(log, row->cure);
            if (!check[0] || !cure[0])
                continue; /* the answer was tried, and the question remains */
            ORR_SYMPTOM(f, row->id, weight_of(log), log->said[i].line, .cause = row->cause, .check = check,
                        .cure = cure, .by_words = !memory, .explains = memory ? OUT_OF_MEMORY : NULL);
            return;
        }
    if (!settings)
        orr_symptom_of_setting(f);
}
