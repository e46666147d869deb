/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the sentences that people read. */
#include <limits.h>
#include <stdio.h>

#include "engine/place/bits.h"
#include "engine/place/placing.h"
#include "engine/trials/suppositions.h"
#include "engine/tuning/tuning.h"

void orr_place_write_gpus(orr_bits bits, struct orr_text *text)
{
    for (const char *comma = ""; bits; bits &= bits - 1, comma = ", ")
        orr_text_printf(text, "%s%u", comma, orr_lowest_bit(bits));
}

void orr_place_write_busbw(double busbw, struct orr_text *text)
{
    orr_text_printf(text, busbw >= 99.95 ? "%.0f GB/s" : "%.1f GB/s", busbw);
}

static const char *operation(const struct orr_score_question *question)
{
    const int32_t function = orr_test_programs[question->test].function;
    return function >= 0 ? orr_function_name((size_t)function) : orr_test_programs[question->test].name;
}

void orr_place_write_hosts(const struct orr_score_question *question, const struct orr_score *score,
                           struct orr_text *text)
{
    bool first = true;
    for (uint32_t h = 0; h < question->host_counts; h++) {
        if (score->by_hosts[h].busbw <= 0)
            continue;
        orr_text_puts(text, first ? "" : " and ");
        orr_place_write_busbw(score->by_hosts[h].busbw, text);
        orr_text_printf(text, " on %u host%s", question->hosts[h].hosts, orr_plural(question->hosts[h].hosts));
        first = false;
    }
    if (first)
        orr_text_puts(text, "no bandwidth can be predicted");
}

static void write_choice(const struct orr_placing *placing, struct orr_text *text)
{
    const struct orr_score_question *question = &orr_scores_about(placing->scores)->question;
    const struct orr_place_request *request = &placing->request;
    const struct orr_place_choice *best = &placing->best[0];
    struct orr_score other = {0};
    orr_bits contrast = request->compared ? request->compared : 0;
    orr_text_printf(text, "Take GPU%s ", orr_plural(request->count));
    orr_place_write_gpus(best->score.gpus, text);
    if (best->score.busbw <= 0) {
        orr_text_puts(text, request->count == 1 ? ": one GPU on one host exchanges no data, so any GPU will do"
                                                : ": no bandwidth can be predicted for any set");
        return;
    }
    orr_text_puts(text, ": ");
    orr_place_write_hosts(question, &best->score, text);
    orr_text_printf(text, " for %s", operation(question));
    if (!contrast)
        contrast = orr_spread_bits(orr_first_subset(request->count), request->free);
    if (contrast == best->score.gpus || orr_scores_of(placing->scores, contrast, &other, NULL) != ORR_OK)
        return;
    orr_text_puts(text, "; ");
    orr_place_write_gpus(contrast, text);
    if (other.busbw == best->score.busbw && other.missing == best->score.missing) {
        orr_text_puts(text, " would get the same");
        return;
    }
    orr_text_puts(text, " would get ");
    if (question->host_counts == 1)
        orr_place_write_busbw(other.busbw, text);
    else
        orr_place_write_hosts(question, &other, text);
}

static void write_packed(const struct orr_placing *placing, struct orr_text *text)
{
    const struct orr_score_question *question = &orr_scores_about(placing->scores)->question;
    for (uint32_t j = 0; j < placing->request.job_count; j++) {
        orr_text_puts(text, !j ? "Give the jobs GPUs " : j + 1 == placing->request.job_count ? " and " : "; ");
        orr_place_write_gpus(placing->packed[j].gpus, text);
    }
    if (placing->total <= 0) {
        orr_text_puts(text, "; no bandwidth can be predicted");
        return;
    }
    orr_text_puts(text, ": ");
    orr_place_write_busbw(placing->total, text);
    orr_text_printf(text, " together for %s, ", operation(question));
    orr_place_write_busbw(placing->worst, text);
    orr_text_puts(text, " for the slowest job");
}

/* The facts that the input does not show, "" if it shows everything that the bandwidths rest on. */
static void write_not_shown(const struct orr_placing *placing, struct orr_text *text)
{
    const struct orr_scored *about = orr_scores_about(placing->scores);
    bool network = false;
    for (uint32_t h = 0; h < about->question.host_counts; h++)
        network |= about->question.hosts[h].hosts > 1;
    (void)orr_supposed_list(about->dump, network ? UINT_MAX : UINT_MAX & ~(1u << ORR_LINKS_NICS), text);
}

void orr_placing_conclude(struct orr_placing *placing)
{
    ORR_LOCAL_TEXT(text, sizeof placing->sentence - 1);
    if (placing->packed)
        write_packed(placing, &text);
    else
        write_choice(placing, &text);
    orr_text_puts(&text, ".");
    ORR_LOCAL_TEXT(missing, 200);
    write_not_shown(placing, &missing);
    if (missing.length)
        orr_text_printf(&text, " " ORR_RESTS_ON, orr_text_data(&missing));
    snprintf(placing->sentence, sizeof placing->sentence, "%s", orr_text_data(&text));
}

const char *orr_place_assumed(const struct orr_placing *placing, uint32_t i, char text[400])
{
    const struct orr_score_question *question = &orr_scores_about(placing->scores)->question;
    const struct orr_score *best = placing->packed ? placing->packed : &placing->best[0].score;
    const struct orr_dump_notes *notes = orr_scores_about(placing->scores)->dump->notes;
    uint32_t joined = 0;
    for (uint32_t h = 0; notes && notes->joined && h < question->host_counts; h++)
        joined = question->hosts[h].hosts > joined ? question->hosts[h].hosts : joined;
    if (i-- == 0)
        return "all hosts are the same, the job takes the same GPUs on each, and nothing else uses their links";
    if (i-- == 0) {
        if (!question->orders)
            return "ranks are in the order of the GPUs' numbers; between GPUs that are not all connected alike another "
                   "order can be faster, which --orders (orders=1) tries for up to 4 GPUs";
        return "every order of ranks was tried for sets of up to 4 GPUs; larger sets use the order of the GPUs' "
               "numbers";
    }
    if (joined > 1 && i-- == 0)
        return "NVLink joins the hosts, as in a rack of such trays";
    if (placing->packed && i-- == 0)
        return "the traffic of the jobs on links that they share is not modelled";
    if (question->host_counts > 1 && i-- == 0)
        return "sets are ranked by the weighted mean time per byte over the host counts";
    if (question->nic_count && question->nic_count < orr_scores_about(placing->scores)->port_count && i-- == 0)
        return "the job gets its NICs through NCCL_IB_HCA";
    for (uint32_t h = 0; h < question->host_counts; h++)
        if (best->by_hosts[h].busbw <= 0 && i-- == 0) {
            snprintf(text, 400, "%u host%s cannot be predicted for the best set, so %s not count",
                     question->hosts[h].hosts, orr_plural(question->hosts[h].hosts),
                     question->hosts[h].hosts == 1 ? "it does" : "they do");
            return text;
        }
    return NULL;
}
