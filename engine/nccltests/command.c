/* SPDX-License-Identifier: Apache-2.0 */
/* The command line that somebody pasted before the rows: how many processes on how many hosts, and GPUs of each.
 *
 *     mpirun -np 16 -H node1:8,node2:8 -x NCCL_ALGO=Ring ./all_reduce_perf -b 8 -e 8G -n 20 -g 1
 *            launcher's options                             the program's own, where -n counts iterations
 */
#include <string.h>

#include "engine/nccltests/reading.h"

enum { MOST = 1 << 20 };

static bool is_word(struct orr_span word, const char *text)
{
    return word.length == strlen(text) && !memcmp(word.at, text, word.length);
}

static bool has(struct orr_span word, const char *text)
{
    return memmem(word.at, word.length, text, strlen(text)) != NULL;
}

/* A whole number in digits; 0 if the word is something else. */
static uint32_t number_of(struct orr_span word)
{
    uint32_t value = 0;
    for (size_t i = 0; i < word.length; i++) {
        if (word.at[i] < '0' || word.at[i] > '9' || value > MOST)
            return 0;
        value = value * 10 + (uint32_t)(word.at[i] - '0');
    }
    return value <= MOST ? value : 0;
}

/* "node1:8,node2:8" has two hosts. */
static uint32_t count_hosts(struct orr_span list)
{
    uint32_t count = list.length > 0;
    for (size_t i = 0; i < list.length; i++)
        count += list.at[i] == ',';
    return count;
}

/* "1G", "8M" and "1048576" in bytes; 0 if the word is something else. */
static uint64_t size_of(struct orr_span word)
{
    static const char units[] = "kmg";
    const char *unit = word.length ? strchr(units, word.at[word.length - 1] | ' ') : NULL;
    const bool has_unit = unit && *unit;
    const uint64_t number = number_of((struct orr_span){word.at, word.length - has_unit});
    return has_unit ? number << 10 * (unit - units + 1) : number;
}

/* What an option counts. */
enum counts { PROCESSES, HOSTS, HOST_LIST, PER_HOST, HOST_FILE, GPUS, THREADS, LEAST };
static const struct option {
    const char *name;
    enum counts counts;
    bool of_program, of_slurm; /* nccl-tests' own; srun's alone, if it means something else for mpirun */
} options[] = {
    {"-np", PROCESSES, false, false},
    {"--np", PROCESSES, false, false},
    {"-n", PROCESSES, false, false},
    {"--ntasks", PROCESSES, false, false},
    {"-N", HOSTS, false, true},
    {"--nodes", HOSTS, false, false},
    {"-N", PER_HOST, false, false},
    {"--ntasks-per-node", PER_HOST, false, false},
    {"--npernode", PER_HOST, false, false},
    {"-npernode", PER_HOST, false, false},
    {"-ppn", PER_HOST, false, false},
    {"-H", HOST_LIST, false, false},
    {"--host", HOST_LIST, false, false},
    {"-host", HOST_LIST, false, false},
    {"--hosts", HOST_LIST, false, false},
    {"-hosts", HOST_LIST, false, false},
    {"--hostfile", HOST_FILE, false, false},
    {"-hostfile", HOST_FILE, false, false},
    {"--machinefile", HOST_FILE, false, false},
    {"-machinefile", HOST_FILE, false, false},
    {"-f", HOST_FILE, false, false},
    {"-g", GPUS, true, false},
    {"--ngpus", GPUS, true, false},
    {"-t", THREADS, true, false},
    {"--nthreads", THREADS, true, false},
    {"-b", LEAST, true, false},
    {"--minbytes", LEAST, true, false},
};

static void take_value(struct orr_command *command, enum counts counts, struct orr_span value)
{
    uint32_t *const fields[] = {
        [PROCESSES] = &command->processes, [HOSTS] = &command->hosts, [HOST_LIST] = &command->hosts,
        [PER_HOST] = &command->per_host,   [GPUS] = &command->gpus,   [THREADS] = &command->threads};
    if (counts == HOST_FILE)
        command->host_file = true;
    else if (counts == LEAST)
        command->least = size_of(value);
    else
        *fields[counts] = counts == HOST_LIST ? count_hosts(value) : number_of(value);
}

/* CUDA_VISIBLE_DEVICES=0,1,4,6; other values are ids of GPUs. */
static void take_visible(struct orr_command *command, struct orr_span word)
{
    static const char name[] = "CUDA_VISIBLE_DEVICES=";
    const size_t begin = sizeof name - 1;
    if (word.length <= begin || memcmp(word.at, name, begin) != 0 || word.length - begin >= sizeof command->visible)
        return;
    for (size_t i = begin; i < word.length; i++)
        if (word.at[i] != ',' && (word.at[i] < '0' || word.at[i] > '9'))
            return;
    memcpy(command->visible, word.at + begin, word.length - begin);
    command->visible[word.length - begin] = '\0';
}

static void take_word(struct orr_command *command, struct orr_span word)
{
    if (!command->program)
        take_visible(command, word);
    const char *equals = memchr(word.at, '=', word.length);
    const size_t length = equals ? (size_t)(equals - word.at) : word.length;
    if (command->expects) {
        const struct option *option = &options[command->expects - 1];
        command->expects = 0;
        if (word.at[0] != '-') {
            take_value(command, option->counts, word);
            return;
        }
    }
    if (has(word, "_perf") && word.at[0] != '-') {
        command->program = true;
        return;
    }
    if (!command->program && (is_word(word, "srun") || is_word(word, "mpirun") || is_word(word, "mpiexec")))
        command->slurm = word.at[0] == 's';
    for (size_t i = 0; i < sizeof options / sizeof options[0] && word.at[0] == '-'; i++) {
        const struct option *option = &options[i];
        if (option->of_program != command->program || (option->of_slurm && !command->slurm) ||
            strlen(option->name) != length || memcmp(option->name, word.at, length) != 0)
            continue;
        if (equals)
            take_value(command, option->counts, (struct orr_span){equals + 1, word.length - length - 1});
        else
            command->expects = (unsigned)i + 1;
        return;
    }
}

/* The ranks of a figure that the person says to be of this command, if it starts one process. */
static void count_summary(struct orr_results_building *b)
{
    enum { NEAR = 4 }; /* lines */
    const struct orr_command *command = &b->command;
    struct orr_summary *last = b->summary_count ? &b->summary[b->summary_count - 1] : NULL;
    if (!last || !last->by_command || last->line + NEAR < b->line || !command->program || command->processes ||
        command->hosts || command->per_host)
        return;
    last->by_command = false;
    last->ranks_certain = true;
    last->ranks = (command->gpus ? command->gpus : 1) * (command->threads ? command->threads : 1);
}

void orr_command_take_line(struct orr_results_building *b, struct orr_span line)
{
    struct orr_command *command = &b->command;
    const bool starts = has(line, "mpirun") || has(line, "mpiexec") || has(line, "srun ") || has(line, "_perf");
    const bool continues = line.length && line.at[line.length - 1] == '\\';
    if (!command->open && !starts)
        return;
    if (!command->open) {
        if (has(line, "_perf -"))
            orr_tables_close(b); /* the rows that follow are of another run */
        *command = (struct orr_command){.line = b->line};
    }
    command->open = continues;
    for (size_t i = 0; i < line.length;) {
        while (i < line.length && strchr(" \t\\", line.at[i]))
            i++;
        const size_t start = i;
        while (i < line.length && !strchr(" \t", line.at[i]))
            i++;
        if (i > start)
            take_word(command, (struct orr_span){line.at + start, i - start});
    }
    if (!command->open)
        count_summary(b);
}

uint32_t orr_command_ranks(const struct orr_command *command)
{
    const uint64_t processes = command->processes                    ? command->processes
                               : command->hosts && command->per_host ? (uint64_t)command->hosts * command->per_host
                                                                     : 0;
    const uint64_t ranks = processes * (command->gpus ? command->gpus : 1) * (command->threads ? command->threads : 1);
    return command->program && ranks <= MOST ? (uint32_t)ranks : 0;
}

uint32_t orr_command_hosts(const struct orr_command *command, bool *ret_assumed)
{
    *ret_assumed = false;
    if (command->hosts)
        return command->hosts;
    if (command->processes && command->per_host && command->processes % command->per_host == 0)
        return command->processes / command->per_host;
    *ret_assumed = command->host_file && command->processes == 2;
    return *ret_assumed ? 2 : 0;
}
