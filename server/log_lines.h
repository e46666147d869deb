/* Where the log's lines go: standard error. While the service runs, lines about requests wait up to ten milliseconds,
 * so that one write takes many of them; it would otherwise cost a quarter of a cached answer. */
#ifndef ORR_SERVER_LOG_LINES_H
#define ORR_SERVER_LOG_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* From here on lines may wait. Without a thread for that, each line is written at once, as before. */
void orr_log_lines_gather(void);
/* Writes what waits. Afterwards each line is written at once. */
void orr_log_lines_end(void);

/* Takes the length bytes of a line, its end included; at_once: together with all lines before it. Any thread may call.
 * Lines of one thread keep their order; those of two threads that wait together are in the order of the threads, not of
 * time. Blocks while standard error does not take what was written before and 64 KiB more of this thread wait. */
void orr_log_lines_add(const char *text, size_t length, bool at_once);

#endif
