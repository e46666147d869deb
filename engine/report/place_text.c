/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the sets of GPUs that `orrery place` proposes, with their NICs and the GPUs that stay free. */
#include <ctype.h>
#include <inttypes.h>

#include "engine/place/bits.h"
#include "engine/report/answers_text.h"

enum { TEXT_MOST = 1 << 16 };

static void put_nics(const struct orr_placing *placing, orr_bits nics, struct orr_text *text)
{
    for (const char *comma = ""; nics; nics &= nics - 1, comma = ", ")
        orr_text_printf(text, "%s%s", comma, orr_scores_nic(placing->scores, orr_lowest_bit(nics)));
}

static void write_set(struct orr_page *page, const struct orr_placing *placing, const struct orr_score *score)
{
    ORR_LOCAL_TEXT(text, TEXT_MOST);
    for (uint32_t i = 0; i < score->count; i++)
        orr_text_printf(&text, "%s%u", i ? ", " : "", score->order[i]);
    orr_text_puts(&text, ": ");
    orr_place_write_hosts(&orr_scores_about(placing->scores)->question, score, &text);
    if (score->nics) {
        orr_text_puts(&text, "; NICs ");
        put_nics(placing, score->nics, &text);
    }
    orr_page_line(page, "  ", "%s", orr_text_data(&text));
}

static void write_left(struct orr_page *page, const struct orr_place_choice *choice, const struct orr_placing *placing)
{
    ORR_LOCAL_TEXT(text, TEXT_MOST);
    if (!choice->left)
        return;
    orr_text_puts(&text, "GPUs left: ");
    orr_place_write_gpus(choice->left, &text);
    if (choice->left_next > 0) {
        orr_text_printf(&text, "; another job of %u gets ", placing->request.count);
        orr_place_write_busbw(choice->left_next, &text);
    }
    if (choice->left_busbw > 0) {
        orr_text_puts(&text, "; all of them together ");
        orr_place_write_busbw(choice->left_busbw, &text);
    }
    orr_page_line(page, "    ", "%s", orr_text_data(&text));
}

/* If not all sets were examined: how much better the best set could be. */
static void write_bound(struct orr_page *page, const struct orr_placing *placing)
{
    ORR_LOCAL_TEXT(text, TEXT_MOST);
    if (placing->scored == placing->sets)
        return;
    orr_text_printf(&text, "%" PRIu64 " of %" PRIu64 "%s sets were compared; ", placing->scored, placing->sets,
                    placing->sets == ORR_MOST_CHOICES ? " or more" : "");
    if (placing->bound <= 0) {
        orr_text_puts(&text, "Orrery does not know what the best set gets.");
    } else {
        orr_text_printf(&text, "no %s gets more than ", placing->packed ? "choice" : "set");
        orr_place_write_busbw(placing->bound, &text);
        orr_text_puts(&text, !placing->packed ? "" : placing->request.worst ? " for the slowest job" : " together");
        orr_text_puts(&text, placing->exact ? ", which this one reaches." : ".");
    }
    orr_page_line(page, "", "%s", orr_text_data(&text));
}

static void write_choice(struct orr_page *page, const struct orr_placing *placing,
                         const struct orr_place_choice *choice)
{
    const struct orr_score_question *question = &orr_scores_about(placing->scores)->question;
    write_set(page, placing, &choice->score);
    if (choice->same > 1)
        orr_page_line(page, "    ", "%" PRIu64 " equivalent sets", choice->same);
    for (uint32_t h = 0; h < question->host_counts; h++)
        if (choice->score.by_hosts[h].limit)
            orr_page_line(page, "    ", "%u host%s: limited by %s", question->hosts[h].hosts,
                          orr_plural(question->hosts[h].hosts), choice->score.by_hosts[h].limit);
    write_left(page, choice, placing);
}

void orr_report_placing(struct orr_page *page, const struct orr_placing *placing, bool verbose)
{
    enum { BRIEF = 3 };
    const uint32_t shown = verbose || placing->best_count < BRIEF ? placing->best_count : BRIEF;
    char figures[400];
    const char *assumed;
    orr_page_verdict(page, ORR_STYLE_GOOD, placing->sentence);
    write_bound(page, placing);
    orr_page_blank(page);
    for (uint32_t j = 0; placing->packed && j < placing->request.job_count; j++)
        write_set(page, placing, &placing->packed[j]);
    for (uint32_t i = 0; i < shown; i++)
        write_choice(page, placing, &placing->best[i]);
    if (shown < placing->best_count)
        orr_page_line(page, "  ", "and %u more (--verbose)", placing->best_count - shown);
    orr_page_heading(page, "Predicted by NCCL's own model, not measured. Assumed:");
    for (uint32_t i = 0; (assumed = orr_place_assumed(placing, i, figures)); i++)
        orr_page_printf(page, ORR_STYLE_PLAIN, "  ", "%c%s.", toupper((unsigned char)*assumed), assumed + 1);
}
