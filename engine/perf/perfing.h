/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/perf: declarations that its files share. */
#ifndef ORR_PERF_PERFING_H
#define ORR_PERF_PERFING_H

#include "engine/log_machine/compare_log.h"
#include "engine/perf/perf.h"
#include "engine/trials/trials.h"

/* The machine of one table, and the objects that own its parts. */
struct orr_perf_machine {
    const struct orr_analysis *analysis; /* NULL if there is none */
    struct orr_analysis *own;            /* the same analysis, if it was made for this table */
    struct orr_dump *dump;               /* its dump, if nobody gave one */
    struct orr_log_compared compared;    /* the log's own comparison, which then owns the analysis */
    const struct orr_machine_type *type; /* type that was guessed or implied; NULL if the machine has another source */
    struct orr_machine_type said;        /* a copy of it with the NICs that the text says */
    bool nics_said;                      /* their speed is not assumed then */
    const char *why;                     /* why there is no machine, a clause */
};

/* Allowance of the explanations of all tables together (60 million search steps take about three seconds), and
 * allowance of rare causes in each table. */
enum { ORR_PERF_TRIALS = 200, ORR_PERF_STEPS = 60000000, ORR_PERF_OTHER_TRIALS = 32, ORR_PERF_OTHER_STEPS = 5000000 };

struct orr_perf_work {
    struct orr_trials *trials; /* the shared allowance of explanations */
    const char *release_note;  /* how the release was chosen; "" if the user named it */
    const struct orr_results *results;
    const struct orr_perf_question *question;
    const struct orr_perf_check *check; /* result, with the settings and symptoms of the text */
    struct orr_arena *arena;
};

/* which_machine.c: finds the machine of a table and analyses it; its assumptions go into table->assumed. *ret_machine
 * is the caller's, also after an error: orr_perf_machine_release(). */
enum orr_code orr_perf_machine_find(const struct orr_perf_work *work, struct orr_perf_table *table,
                                    struct orr_perf_machine *ret_machine, struct orr_error *err) ORR_NO_DISCARD;
/* Whether the machine was guessed by the names of PCIe cards, which only some servers join by NVLink bridges. */
bool orr_perf_bridges_assumed(const struct orr_perf_machine *machine, const struct orr_perf_table *table);
void orr_perf_machine_release(struct orr_perf_machine *machine);
/* Adds a sentence, which must live as long as the table; "" and sentences beyond ORR_PERF_ASSUMED are dropped. */
void orr_perf_assume(struct orr_perf_table *table, const char *sentence);

/* rows.c: predicts and judges each row, then the table. */
struct orr_band orr_perf_band(const struct orr_analysis *analysis, const struct orr_expected *expected, uint64_t size);
void orr_perf_judge_rows(const struct orr_expectation *expectation, const char *undecidable,
                         struct orr_perf_table *table);
/* The verdict of rows, and the row that shows it best; UINT32_MAX if none can be judged. */
enum orr_perf_verdict orr_perf_verdict_of(const struct orr_perf_row *rows, uint32_t count, uint32_t *ret_main);

/* depends.c: if the limit is assumed, the verdict becomes a question, with each value that would decide it. */
enum orr_code orr_perf_depend(const struct orr_perf_work *work, const struct orr_perf_machine *machine,
                              struct orr_perf_table *table, struct orr_error *err) ORR_NO_DISCARD;

/* shapes.c: adds the deviations of the curve to table->shapes. */
void orr_perf_find_shapes(const struct orr_perf_work *work, struct orr_perf_table *table);
/* causes.c: tries configurations and keeps those that fit. */
enum orr_code orr_perf_explain(const struct orr_perf_work *work, struct orr_perf_table *table,
                               struct orr_error *err) ORR_NO_DISCARD;
/* leads.c: reads the settings of the text into the check, and adds those that the user did not give to the question. */
enum orr_code orr_perf_read_settings(const struct orr_results *results, struct orr_perf_question *question,
                                     struct orr_arena *arena, struct orr_perf_check *check,
                                     struct orr_error *err) ORR_NO_DISCARD;
/* Fills table->leads and table->advice. The explanations must be known. */
enum orr_code orr_perf_find_leads(const struct orr_perf_work *work, struct orr_perf_table *table,
                                  struct orr_error *err) ORR_NO_DISCARD;
/* meaning.c: adds a lead; "" adds nothing. */
void orr_perf_lead(struct orr_perf_table *table, const char *sentence);
/* sentences.c: why results of nccl-tests that ran in several groups cannot be judged; NULL if they ran in one. */
const char *orr_perf_split(const struct orr_perf_work *work);
/* sentences.c: why no machine is known, and how to name it. */
const char *orr_perf_no_machine(const struct orr_perf_work *work, const struct orr_result_table *measured);
/* Rows of AllReduce on two hosts that a tree makes possible are as expected. */
void orr_perf_admit_trees(struct orr_perf_table *table);
/* Says why a result exceeds the rate of the links, or why NVLink does not limit it. */
void orr_perf_say_meaning(const struct orr_perf_work *work, struct orr_perf_table *table);
/* acs.c: what a line says about PCIe ACS, "" if none does. Without a line, table->advice may have a sentence. */
const char *orr_perf_advise_acs(const struct orr_perf_work *work, struct orr_perf_table *table);
bool orr_perf_uses_gdr(const struct orr_analysis *analysis);
/* Whether the program sends between pairs of ranks. */
bool orr_perf_is_of_pairs(const struct orr_perf_table *table);
/* times.c: whether the times do not grow with the size, so that they are not those of the operation. */
bool orr_perf_is_untimed(const struct orr_perf_table *table);
/* Whether they are those of first operations. */
bool orr_perf_is_cold(const struct orr_perf_table *table);
/* Says what the times, or the number of channels, show alone; false if they show nothing. */
bool orr_perf_say_times(const struct orr_perf_work *work, struct orr_perf_table *table);
bool orr_perf_say_channels(const struct orr_perf_work *work, struct orr_perf_table *table);
/* nics.c: the Mb/s of each NIC by words, ethtool (then *nets is 1) or ibstat; 0 if none says it. table->slow_ports is
 * set if the ports run slower than words say. */
uint32_t orr_perf_nic_speed(const struct orr_perf_work *work, struct orr_perf_table *table, uint32_t *nets,
                            uint32_t *ret_line);
/* Says that sockets carry what their interface can; the rows must be judged. */
bool orr_perf_say_full_interface(const struct orr_perf_work *work, struct orr_perf_table *table);
/* Says that ports run slower than the words say; false if they do not. */
bool orr_perf_say_slow_ports(const struct orr_perf_work *work, struct orr_perf_table *table);
/* NCCL_IB_HCA in the text names fewer NICs than the machine has, and by other names, so no trial can show the cost;
 * without a machine, it names one NIC for the many GPUs of each host. */
void orr_perf_say_named_nics(const struct orr_perf_work *work, struct orr_perf_table *table);
/* beside.c: says what tables show together: units that differ, NVLink SHARP on fewer GPUs. */
void orr_perf_compare_tables(const struct orr_perf_work *work, struct orr_perf_check *check);
/* releases.c: the row of a table at a size that the other has too, as large as possible; NULL if there is none. */
const struct orr_perf_row *orr_perf_common_row(const struct orr_perf_table *table, const struct orr_perf_table *other,
                                               const struct orr_perf_row **ret_other);
/* Says that nccl-tests loads an older library than it was built for. */
void orr_perf_say_library(const struct orr_perf_work *work, struct orr_perf_table *table);
/* Puts a sentence before the other leads. */
void orr_perf_lead_first(struct orr_perf_table *table, const char *sentence);
/* releases.c: says for tables of two releases what each gave and what is computed for each, as their first lead. */
void orr_perf_compare_releases(const struct orr_perf_work *work, struct orr_perf_check *check);
/* sentences.c: the verdict of a table; why: a clause if it cannot be judged. A verdict that rests on an assumed board
 * becomes "cannot judge". */
const char *orr_perf_sentence(const struct orr_perf_work *work, struct orr_perf_table *table, const char *why);

#endif
