/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the answers of the commands as text for people, with one function for each. The conclusion comes first, then
 * the evidence; verbose adds counts and details for maintainers. Each appends to its page. */
#ifndef ORR_REPORT_ANSWERS_TEXT_H
#define ORR_REPORT_ANSWERS_TEXT_H

#include "engine/cluster/groups.h"
#include "engine/cluster/transfers.h"
#include "engine/compare/compare.h"
#include "engine/compare/majority.h"
#include "engine/expect/table.h"
#include "engine/explain/explain.h"
#include "engine/order/order.h"
#include "engine/perf/perf.h"
#include "engine/place/place.h"
#include "engine/report/page.h"
#include "engine/triage/triage.h"

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

/* `orrery check-log`: triage of the job, agreement with the prediction, and the input that was read. beside: a machine
 * in the same text, or NULL. why: if check is NULL, the reason why there was no comparison, as a phrase. verbose: also
 * write the number of facts by topic, and how much of the log was understood. */
void orr_report_log(struct orr_page *page, const struct orr_log *log, const struct orr_triage *triage,
                    const struct orr_log_check *check, const struct orr_dump *beside, const char *why, bool verbose);
/* Writes only the triage. */
void orr_report_triage(struct orr_page *page, const struct orr_log *log, const struct orr_triage *triage);

/* `orrery check-perf`: the verdict on each table of results, its explanations, and its rows. verbose: also the form in
 * which the results were read. */
void orr_report_perf(struct orr_page *page, const struct orr_results *results, const struct orr_perf_check *check,
                     const struct orr_dump *beside, bool verbose);

/* `orrery releases`, appended to `out`: the releases with their differences, newest first. only: a single release, with
 * all differences from the previous one; NULL means all releases. NOMEM is the only failure. */
enum orr_code orr_report_releases(const struct orr_release *only, struct orr_arena *arena, struct orr_text *out,
                                  struct orr_error *err) ORR_NO_DISCARD;
/* `orrery settings`: the settings that a release has. */
void orr_report_settings(const struct orr_release *release, struct orr_text *out);
/* `orrery machines`: the types of machines, by family. */
void orr_report_machine_types(struct orr_text *out);

/* The rings and trees; the analysis may be a plan. If there are many, this text and the next two show the first ones
 * and give the number; programs read JSON. NOMEM. */
enum orr_code orr_channels_write(struct orr_page *page, const struct orr_analysis *analysis, struct orr_arena *arena,
                                 struct orr_error *err) ORR_NO_DISCARD;
/* The rounds first..last of one rank. */
void orr_rounds_write(struct orr_page *page, const struct orr_analysis *analysis, struct orr_transfers *transfers,
                      uint32_t rank, uint32_t first, uint32_t last, struct orr_arena *arena);
/* The groups of a layout: their channels, AllReduce and NICs. cluster: the cluster of the groups. */
void orr_groups_write(struct orr_page *page, const struct orr_cluster *cluster, const struct orr_groups *groups,
                      struct orr_arena *arena);

#endif
