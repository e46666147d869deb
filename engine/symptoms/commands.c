/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about the commands that start a job: settings that reach one host only, and hosts whose commands do not fit
 * together. */
#include <stdio.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/symptoms/finding.h"

enum { NAME_MOST = 40, VALUE_MOST = 80 };

struct option {
    char name[NAME_MOST], value[VALUE_MOST]; /* as written */
};

/* The next word of a command, without quotes. */
static bool next_word(const char **at, struct orr_span *ret_word)
{
    static const char blanks[] = " \t\"'";
    const char *start = *at + strspn(*at, blanks);
    *ret_word = (struct orr_span){start, strcspn(start, blanks)};
    *at = start + ret_word->length;
    return ret_word->length > 0;
}

/* The value of an option that has one of the names "a|b", written "--a V", "--a=V" or "A=V". */
static bool find_option(const char *command, const char *names, struct option *ret_option)
{
    struct orr_span word;
    while (next_word(&command, &word)) {
        const char *sign = memchr(word.at, '=', word.length), *name = ret_option->name;
        snprintf(ret_option->name, NAME_MOST, "%.*s", (int)(sign ? (size_t)(sign - word.at) : word.length), word.at);
        if (!orr_symptom_is_one(name + strspn(name, "-"), names) || !(sign || name[0] == '-'))
            continue;
        if (!sign && !next_word(&command, &word))
            return false;
        sign = sign ? sign + 1 : word.at;
        snprintf(ret_option->value, VALUE_MOST, "%.*s", (int)(word.at + word.length - sign), sign);
        return ret_option->value[0] != '\0';
    }
    return false;
}

#define CHECK     "Check the command that runs on each host: they differ in its rank only, which counts from 0."
#define NODE_RANK "node-rank|node_rank|machine_rank|rank"
#define NODES     "nnodes|num_machines|world-size|world_size"

/* A value that another one can contradict: no variable, no place to fill in, and not a host's name for itself. */
static bool is_plain(const char *value)
{
    return !strpbrk(value, "$<>{}") && !strstr(value, "localhost") && !strstr(value, "127.0.0.1") &&
           !strstr(value, "0.0.0.0");
}

static bool is_address(const char *value)
{
    return value[strspn(value, "0123456789.:")] == '\0';
}

/* Commands of two hosts of one job: both say that they are the same host, or they do not agree where to meet. */
static void two_hosts(struct orr_symptom_finder *f)
{
    /* Options that all hosts of a job must give alike; the first ones are addresses. */
    enum { ADDRESSES = 2 };
    static const char *const shared[] = {
        "dist-init-addr|nccl-init-addr|nccl-init|master-addr|master_addr|main_process_ip",
        "rdzv-endpoint|rdzv_endpoint|dist-url|dist_url|init-method|init_method",
        "master-port|master_port|main_process_port",
        "rdzv-id|rdzv_id",
        NODES,
        "tp|tp-size|tensor-parallel-size"};
    const struct orr_log_command *of[2] = {NULL, NULL};
    struct option rank[2], option[2], nodes;
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->log->command_count; i++) {
        const struct orr_log_command *command = &f->log->commands[i];
        struct option here;
        if (!find_option(command->text, NODE_RANK, &here) || !is_plain(here.value))
            continue;
        if (count == 2)
            return; /* several jobs, or several attempts */
        rank[count] = here;
        of[count++] = command;
    }
    const bool counted = count == 2 && find_option(of[0]->text, NODES, &nodes);
    if (count < 2 || (counted && !strcmp(nodes.value, "1")))
        return;
    if (!strcmp(rank[0].value, rank[1].value)) {
        if (!counted || !of[0]->heading[0] || !of[1]->heading[0] || !strcmp(of[0]->heading, of[1]->heading))
            return;
        ORR_SYMPTOM(f, "node-rank-twice", ORR_SYMPTOM_CAUSE, of[1]->line,
                    .cause = orr_symptom_text(f,
                                              "Both hosts are started with %s %s (lines %u and %u), so each claims the "
                                              "same ranks, and the job waits for the others.",
                                              rank[0].name, rank[0].value, of[0]->line, of[1]->line),
                    .check = CHECK,
                    .cure = orr_symptom_text(
                        f, "Give the first host %s 0 and the second %s 1, with the address of the first on both.",
                        rank[0].name, rank[0].name));
        return;
    }
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        if (!find_option(of[0]->text, shared[i], &option[0]) || !find_option(of[1]->text, shared[i], &option[1]) ||
            !is_plain(option[0].value) || !is_plain(option[1].value) || !strcmp(option[0].value, option[1].value) ||
            is_address(option[0].value) != is_address(option[1].value))
            continue;
        ORR_SYMPTOM(f, "hosts-disagree", ORR_SYMPTOM_CAUSE, of[1]->line,
                    .cause = orr_symptom_text(f,
                                              "%s is %s on the host with %s %s (line %u) and %s on the one with %s "
                                              "(line %u). All hosts must have the same, or they wait for each other.",
                                              option[0].name, option[0].value, rank[0].name, rank[0].value, of[0]->line,
                                              option[1].value, rank[1].value, of[1]->line),
                    .check = i >= ADDRESSES
                                 ? CHECK
                                 : "Check: it must be an address of the host with rank 0, and `nc -zv ADDRESS PORT` "
                                   "from the other hosts must reach it once that host has started.",
                    .cure = orr_symptom_text(f, "Give all hosts the same %s.", option[0].name));
        return;
    }
}

/* Open MPI on several hosts, by its own options: MPICH's mpirun passes all of the environment on. */
static bool spans_hosts(const char *command)
{
    struct option hosts;
    return (strstr(command, " -x ") || strstr(command, "mca ") || strstr(command, "--allow-run-as-root") ||
            strstr(command, " -H ")) &&
           (find_option(command, "hostfile|machinefile", &hosts) ||
            (find_option(command, "H|host", &hosts) && strchr(hosts.value, ',')));
}

/* Whether the launcher passes a variable on: "-x NAME" or "-x NAME=value". */
static bool passes(const char *launcher, struct orr_span name)
{
    for (const char *at = strstr(launcher, " -x "); at; at = strstr(at + 1, " -x ")) {
        const char *start = at + 4 + strspn(at + 4, " \"'");
        if (!strncmp(start, name.at, name.length) && strchr(" =\"'", start[name.length]))
            return true;
    }
    return strstr(launcher, "env_list") != NULL;
}

static void add_unpassed(struct orr_symptom_finder *f, const char *launcher, struct orr_span name, const char **names)
{
    enum { MOST = 60 };
    if (name.length && !strncmp(name.at, "NCCL_", 5) && strncmp(name.at, "NCCL_DEBUG", 10) != 0 &&
        !passes(launcher, name) && strlen(*names) < MOST)
        *names = orr_symptom_text(f, "%s%s%.*s", *names, **names ? " and " : "", (int)name.length, name.at);
}

/* Whether a line exports a variable. */
static bool exports(const struct orr_log *log, uint32_t line)
{
    for (uint32_t i = 0; i < log->said_count; i++)
        if (log->said[i].line == line)
            return !strncmp(log->said[i].words, " export nccl_", 13);
    return false;
}

/* Variables that are set for Open MPI's mpirun, which reach the processes of its own host only (NVIDIA/nccl#764), in
 * front of it or by lines above it; these count only if no log shows who has them. Slurm starts the daemons of the
 * other hosts with that environment, and a host may have the setting by itself. */
static void one_host_only(struct orr_symptom_finder *f)
{
    static const char network[] = "socket-refused|socket-abort|socket-connect|socket-timed-out|socket-no-route|socket-"
                                  "closed|ib-modify-qp|ib-retry-exceeded|proxy-operation";
    const struct orr_log *log = f->log;
    for (uint32_t i = 0; i < log->command_count; i++) {
        const struct orr_log_command *command = &log->commands[i];
        const char *at = command->text, *launcher = strstr(at, "mpirun "), *names = "";
        launcher = launcher ? launcher : strstr(at, "mpiexec ");
        struct orr_span word;
        if (!launcher || !spans_hosts(launcher))
            continue;
        for (bool option = false; next_word(&at, &word) && word.at < launcher; option = word.at[0] == '-') {
            const char *sign = option ? NULL : memchr(word.at, '=', word.length);
            add_unpassed(f, launcher, (struct orr_span){word.at, sign ? (size_t)(sign - word.at) : 0}, &names);
        }
        for (uint32_t k = 0; k < log->setting_count && !log->nccl_count; k++)
            if (log->settings[k].line < command->line && exports(log, log->settings[k].line))
                add_unpassed(f, launcher, (struct orr_span){log->settings[k].name, strlen(log->settings[k].name)},
                             &names);
        if (!*names ||
            orr_symptom_said(
                log, "srun |sbatch|salloc|bashrc|nccl conf|etc environment|on both|on each|on every|on all", true))
            continue;
        const struct orr_log_event *failed = orr_log_event_of(log, network);
        ORR_SYMPTOM(
            f, "set-on-one-host", orr_symptom_other_error(log, network) ? ORR_SYMPTOM_NOTE : ORR_SYMPTOM_CAUSE,
            command->line,
            .cause = orr_symptom_text(f,
                                      "Only processes of the host on which mpirun runs get %s (line %u): Open MPI "
                                      "passes a variable on to other hosts only with -x.",
                                      names, command->line),
            .check = "Check: with `-x NCCL_DEBUG=INFO`, ranks of every host must print \"set by environment\" for it.",
            .cure = orr_symptom_text(
                f, "Add -x NAME to mpirun for each (%s), or write them to /etc/nccl.conf on all hosts.", names),
            .explains = failed ? failed->message->id : NULL);
        return;
    }
}

void orr_symptoms_of_commands(struct orr_symptom_finder *f)
{
    two_hosts(f);
    one_host_only(f);
}
