/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the commands that start the processes of a job on several hosts, each as one line, with the heading that says
 * for which host it is.
 *
 *      # node 2
 *      torchrun --nnodes 2 --node_rank 1 \
 *          --master_addr 10.0.0.1 train.py                 -> "torchrun --nnodes 2 ... train.py", "# node 2"
 *      $ NCCL_IB_HCA=mlx5_0 mpirun -np 2 -H a,b ./all_reduce_perf
 */
#include <string.h>

#include "engine/log_reading/building.h"

static bool has_one(const char *text, size_t length, const char *const *words)
{
    while (*words && !memmem(text, length, *words, strlen(*words)))
        words++;
    return *words != NULL;
}

/* Whether a text starts processes of a job by a launcher of MPI, or those of one of its hosts. */
static bool starts_job(const char *text, size_t length)
{
    static const char *const words[] = {"mpirun ",   "mpiexec ",     "orterun ", "node-rank",
                                        "node_rank", "machine_rank", "--rank ",  NULL};
    return has_one(text, length, words);
}

static void keep(struct orr_log_building *b)
{
    enum { COMMANDS_MOST = 16 };
    struct orr_log *log = b->log;
    struct orr_log_joined *joined = &b->joined;
    if (log->command_count == COMMANDS_MOST ||
        (!log->commands && !(log->commands = ORR_NEW(log->arena, struct orr_log_command, COMMANDS_MOST))))
        return;
    log->commands[log->command_count++] =
        (struct orr_log_command){.text = orr_log_keep_text(b, joined->text, joined->length),
                                 .heading = orr_log_keep_text(b, joined->heading, strlen(joined->heading)),
                                 .line = joined->line};
    joined->heading[0] = '\0';
}

void orr_log_take_command(struct orr_log_building *b, const char *line, size_t length, uint32_t number)
{
    static const char *const hosts[] = {"node", "Node", "host", "Host", "achine", "erver", "orker", "aster", NULL};
    struct orr_log_joined *joined = &b->joined;
    const bool goes_on = length && line[length - 1] == '\\', first = !joined->length;
    if (first && (length > sizeof joined->text || (!goes_on && !starts_job(line, length)))) {
        if (length < sizeof joined->heading && has_one(line, length, hosts))
            memcpy(joined->heading, line, length + 1);
        return;
    }
    const size_t room = sizeof joined->text - 2 - joined->length, taken = length - goes_on;
    if (first)
        joined->line = number;
    memcpy(joined->text + joined->length, line, taken < room ? taken : room);
    joined->length += taken < room ? taken : room;
    joined->text[joined->length++] = ' ';
    joined->text[joined->length] = '\0';
    if (goes_on && joined->length < sizeof joined->text - 2)
        return;
    const bool comment = joined->text[0] == '#' && joined->text[1] != ' ';
    if (!comment && !b->attempts && starts_job(joined->text, joined->length))
        keep(b);
    joined->length = 0;
}
