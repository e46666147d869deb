/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the answers of the commands as text for people, with one function for each. The conclusion comes first, then
 * the evidence; verbose adds counts and details for maintainers. Each appends to its page. */
#ifndef ORR_REPORT_ANSWERS_TEXT_H
#define ORR_REPORT_ANSWERS_TEXT_H

#include "engine/compare/compare.h"
#include "engine/compare/majority.h"
#include "engine/expect/table.h"
#include "engine/explain/explain.h"
#include "engine/order/order.h"
#include "engine/place/place.h"
#include "engine/report/page.h"

/* `orrery explain`: the question, its answer, and the evidence. */
void orr_report_explanation(struct orr_page *page, const struct orr_explanation *explanation, bool verbose);

/* `orrery compare`: the bandwidths before and after, what differs, and what NCCL decides differently. The names are
 * those of the files. */
void orr_report_comparison(struct orr_page *page, const struct orr_comparison *comparison, const char *name_a,
                           const char *name_b, bool verbose);
/* One difference without a full stop: "NIC mlx5_3: PCIe lanes: 16 -> 8". over_time: B is the same machine later. */
void orr_report_unlike(const struct orr_comparison *comparison, const struct orr_unlike *row, bool over_time,
                       struct orr_text *text);
/* `orrery compare --majority`. called and changes have an entry for each specimen; changes[s] is NULL if it equals the
 * majority. */
void orr_report_majority(struct orr_page *page, const struct orr_majority *majority,
                         const struct orr_set_finding *findings, uint32_t finding_count,
                         const struct orr_called *called, const struct orr_changes *const *changes);

/* The table of bandwidths before and after, if they were computed. */
void orr_report_outcomes(struct orr_page *page, const struct orr_changes *changes);
/* Changes section by section, and the rules and settings that cause them. */
void orr_report_changes(struct orr_page *page, const struct orr_changes *changes, bool verbose);
void orr_report_reasons(struct orr_page *page, const struct orr_changes *changes);

/* `orrery place`. */
void orr_report_placing(struct orr_page *page, const struct orr_placing *placing, bool verbose);

/* `orrery order`: names and leaves as orr_order_write() has them. */
enum orr_code orr_report_order(struct orr_page *page, const struct orr_order *order, const char *const *names,
                               const char *const *leaves, struct orr_error *err) ORR_NO_DISCARD;

/* `orrery predict`: nccl-tests' layout if the page is wide enough, otherwise its essential columns. NOMEM is the only
 * failure. */
enum orr_code orr_report_expected(struct orr_page *page, const struct orr_expect_table *table,
                                  struct orr_error *err) ORR_NO_DISCARD;

#endif
