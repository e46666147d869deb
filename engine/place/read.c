/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the texts of a request. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/words.h"
#include "engine/nics/gpus.h"
#include "engine/place/bits.h"
#include "engine/place/place.h"

ORR_WORD_LIST(orr_pack_word, size_t, [ORR_PACK_TOTAL] = "total", [ORR_PACK_WORST] = "worst")

/* A number of at most six digits at *at, which moves after it; 0 if there is none. */
static uint32_t read_number(const char **at)
{
    enum { MOST_DIGITS = 6 };
    const size_t digits = strspn(*at, "0123456789");
    const uint32_t value = digits && digits <= MOST_DIGITS ? (uint32_t)strtoul(*at, NULL, 10) : 0;
    *at += digits;
    return value;
}

static enum orr_code refuse(struct orr_error *err, const char *name, const char *text, const char *advice)
{
    return orr_fail_with(err, ORR_SETTING, name, advice, "%s cannot be \"%.60s\"", name, text);
}

enum orr_code orr_place_jobs_read(const char *text, struct orr_place_request *request, struct orr_error *err)
{
    const char *at = text;
    request->job_count = 0;
    for (;; at++) {
        const uint32_t gpus = read_number(&at);
        if (!gpus || gpus > ORR_MOST_PLACE_GPUS || (*at && *at != ',') || request->job_count == ORR_MOST_JOBS)
            return refuse(err, "jobs", text,
                          "give the GPUs of each job, separated by commas, such as 4,2,2; 16 jobs at most");
        request->jobs[request->job_count++] = gpus;
        if (!*at)
            return ORR_OK;
    }
}

enum orr_code orr_place_hosts_read(const char *text, struct orr_score_question *question, struct orr_error *err)
{
    static const char advice[] = "give numbers of hosts, with a weight after a colon if they count differently, such "
                                 "as 2 or 1:3,16:1; 8 at most";
    const char *at = text;
    question->host_counts = 0;
    for (;; at++) {
        struct orr_place_hosts entry = {.hosts = read_number(&at), .weight = 1};
        if (*at == ':') {
            at++;
            entry.weight = read_number(&at);
        }
        bool twice = false;
        for (uint32_t h = 0; h < question->host_counts; h++)
            twice |= question->hosts[h].hosts == entry.hosts;
        if (!entry.hosts || entry.hosts > ORR_MAX_PLAN_HOSTS || entry.weight < 1 || twice || (*at && *at != ',') ||
            question->host_counts == ORR_MOST_PLACE_HOSTS)
            return refuse(err, "hosts", text, advice);
        question->hosts[question->host_counts++] = entry;
        if (!*at)
            return ORR_OK;
    }
}

enum orr_code orr_place_gpus_read(const struct orr_scores *scores, const char *what, const char *list,
                                  orr_bits *ret_gpus, struct orr_error *err)
{
    const uint32_t *gpus;
    uint32_t count;
    ORR_LOCAL_ARENA(arena, 0);
    *ret_gpus = 0;
    ORR_TRY(orr_gpus_listed(orr_scores_about(scores)->dump, what, list, arena, &gpus, &count, err));
    for (uint32_t i = 0; i < count; i++)
        *ret_gpus |= orr_bit(gpus[i]);
    return ORR_OK;
}
