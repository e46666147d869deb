/* SPDX-License-Identifier: Apache-2.0 */
/* The output of `orrery releases`, `settings` and `machines`. Each is appended to `out`.
 */
#ifndef ORR_REPORT_TABLES_TEXT_H
#define ORR_REPORT_TABLES_TEXT_H

#include "engine/base/text.h"

struct orr_release;

/* The releases with their differences, newest first. only: a single release, with all differences from the previous
 * one; NULL means all releases. NOMEM is the only failure. */
enum orr_code orr_report_releases(const struct orr_release *only, struct orr_arena *arena, struct orr_text *out,
                                  struct orr_error *err) ORR_NO_DISCARD;
/* The settings that a release has. */
void orr_report_settings(const struct orr_release *release, struct orr_text *out);
/* The types of machines, by family. */
void orr_report_machine_types(struct orr_text *out);

#endif
