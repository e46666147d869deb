/* SPDX-License-Identifier: Apache-2.0 */
/* Worker processes that lay DOT out with Graphviz: a small pool, one drawing at a time each, with limits on time and
 * memory. A worker that fails, hangs or dies is replaced; its drawing is an error answer (RENDER), never a dead
 * server. */
#ifndef ORR_DIAGRAM_WORKER_H
#define ORR_DIAGRAM_WORKER_H

#include "engine/base/local.h"
#include "engine/diagram/diagram.h"

struct orr_renderer;

struct orr_renderer_limits {
    unsigned workers;  /* processes kept, started when first needed */
    unsigned seconds;  /* wall-clock time that a drawing may take */
    size_t memory;     /* bytes of address space a worker may use */
    size_t output;     /* largest picture in bytes */
    unsigned drawings; /* a worker is replaced after this many drawings, because Graphviz leaks */
};
extern const struct orr_renderer_limits orr_renderer_default_limits;

/* Makes a pool. A worker is this same program started as `program render-worker` (program NULL means /proc/self/exe),
 * so that it shares no memory with the server. */
enum orr_code orr_renderer_new(const struct orr_renderer_limits *limits, const char *program,
                               struct orr_renderer **ret_renderer, struct orr_error *err) ORR_NO_DISCARD;
/* Ends the workers. */
void orr_renderer_free(struct orr_renderer *renderer);
ORR_FREED_BY(orr_renderer, orr_renderer_free)
/* Lays a DOT text out; callable from many threads. *ret_bytes is the caller's: free(). RENDER, with the reason, if
 * it cannot be done within the limits. */
enum orr_code orr_renderer_draw(struct orr_renderer *renderer, const char *dot, size_t length, enum orr_format format,
                                char **ret_bytes, size_t *ret_length, struct orr_error *err) ORR_NO_DISCARD;

struct orr_renderer_figures {
    unsigned workers;             /* processes kept at most */
    unsigned long running, busy;  /* processes now; of them drawing, or about to */
    unsigned long started, ended; /* processes */
    unsigned long drawn, failed;  /* drawings */
};
void orr_renderer_figures(const struct orr_renderer *renderer, struct orr_renderer_figures *ret_figures);

/* The worker's side: serves drawings on standard input and output until its input ends. Returns an exit status. */
int orr_render_worker_main(void);
/* Before its first drawing, a worker gives up the system calls that drawing does not need, such as those that start
 * programs, open sockets or reach other processes: they fail with EPERM from then on. */
void orr_render_worker_confine(void);

#endif
