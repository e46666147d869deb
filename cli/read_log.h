/* SPDX-License-Identifier: Apache-2.0 */
/* Inside cli: reading a log, or results of nccl-tests, of any size. */
#ifndef ORR_CLI_READ_LOG_H
#define ORR_CLI_READ_LOG_H

#include "engine/log_reading/log.h"
#include "engine/nccltests/results.h"

/* file: NULL or "-" means standard input. orr_log_free() the result. */
enum orr_code orr_read_log_file(const char *file, struct orr_log **ret_log, struct orr_error *err) ORR_NO_DISCARD;
/* The same; orr_results_free() the result. */
enum orr_code orr_read_results_file(const char *file, struct orr_results **ret_results,
                                    struct orr_error *err) ORR_NO_DISCARD;

#endif
