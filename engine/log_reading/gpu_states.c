/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what nvidia-smi says about the state of GPUs: the columns of --query-gpu, and the processes of its table.
 *
 *      index, name, pcie.link.width.current, pcie.link.width.max, clocks_throttle_reasons.hw_slowdown
 *      2, NVIDIA GeForce RTX 3090, 4, 16, Not Active
 *
 *      |    1   N/A  N/A           31877      C   python3                             23894MiB |
 *
 * The command names the columns if the output lacks them (--format=csv,noheader). Messages are made of what is worth
 * one: the narrowest link, a link as slow as that of an idle GPU, GPUs that are throttled or slower than others, and
 * the process with the most memory. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/log_reading/building.h"

enum { FIELD = 80, COLUMNS = sizeof((struct orr_log_query *)NULL)->columns };
enum { CLOCKS = sizeof((struct orr_log_query *)NULL)->clocks / sizeof((struct orr_log_query *)NULL)->clocks[0] };
enum { OTHER, INDEX, WIDTH, WIDTH_MAX, GEN, GEN_MAX, STATE, CLOCK, THROTTLED, MODE };

static const struct {
    const char *name;
    uint8_t column;
} names[] = {{"index", INDEX},
             {"pcie.link.width.current", WIDTH},
             {"pcie.link.width.max", WIDTH_MAX},
             {"pcie.link.gen.current", GEN},
             {"pcie.link.gen.max", GEN_MAX},
             {"pstate", STATE},
             {"clocks.sm", CLOCK},
             {"clocks.gr", CLOCK},
             {"clocks.current.sm", CLOCK},
             {"clocks.current.graphics", CLOCK},
             {".hw_slowdown", THROTTLED},
             {".hw_thermal_slowdown", THROTTLED},
             {".sw_thermal_slowdown", THROTTLED},
             {".hw_power_brake_slowdown", THROTTLED},
             {"compute_mode", MODE}};

/* The next field of a list, without blanks around it; NULL if there are no more. */
static const char *next_field(const char **at, char field[FIELD])
{
    if (!*at)
        return NULL;
    const char *start = *at + strspn(*at, " \t");
    size_t length = strcspn(start, ",");
    *at = start[length] ? start + length + 1 : NULL;
    while (length && isspace((unsigned char)start[length - 1]))
        length--;
    snprintf(field, FIELD, "%.*s", (int)(length < FIELD ? length : FIELD - 1), start);
    return field;
}

/* Whether a list names columns of nvidia-smi, of which one is worth reading. */
static bool take_columns(struct orr_log_query *query, const char *list)
{
    struct orr_log_query read = *query;
    char field[FIELD];
    bool any = false;
    memset(read.columns, OTHER, sizeof read.columns);
    read.count = 0;
    while (next_field(&list, field) && read.count < COLUMNS) {
        const size_t length = strcspn(field, " "); /* a unit may follow: "[MHz]" */
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            const size_t name = strlen(names[i].name);
            if (length >= name && !strncmp(field + length - name, names[i].name, name) &&
                (names[i].name[0] == '.' || length == name))
                read.columns[read.count] = names[i].column;
        }
        any |= read.columns[read.count++] > INDEX;
    }
    if (any)
        *query = read;
    return any;
}

static void take_message(struct orr_log_building *b, const char *text, uint32_t number)
{
    orr_log_take_event(b, text, strlen(text), ORR_FROM_OTHER, ORR_LOG_NOBODY, -1, number);
}

/* A row of the columns. */
static bool take_row(struct orr_log_building *b, const char *line, uint32_t number)
{
    struct orr_log_query *query = &b->query;
    char field[FIELD], index[FIELD] = "?", text[200];
    int width = 0, most = 0, generation = 0, newest = 0, mhz = 0;
    uint32_t count = 0;
    bool throttled = false, exclusive = false, busy = false, idles = false;
    for (const char *at = line; next_field(&at, field); count++) {
        if (count == query->count)
            return false;
        const uint8_t column = query->columns[count];
        if (column == INDEX)
            snprintf(index, sizeof index, "%.8s", field);
        width = column == WIDTH ? atoi(field) : width;
        most = column == WIDTH_MAX ? atoi(field) : most;
        generation = column == GEN ? atoi(field) : generation;
        newest = column == GEN_MAX ? atoi(field) : newest;
        busy |= column == STATE && !field[2] && field[1] < '5'; /* "P0" to "P4": an idle GPU lowers its link */
        idles |= column == STATE && !field[2] && field[1] >= '5' && field[1] <= '9';
        mhz = column == CLOCK ? atoi(field) : mhz;
        throttled |= column == THROTTLED && !strcmp(field, "Active");
        exclusive |= column == MODE && !strcmp(field, "Exclusive_Process");
    }
    if (count != query->count)
        return false;
    const bool idle = idles || (generation == 1 && !busy);
    if (idle && generation > 0 && generation < newest && width >= most && !query->idle_line) {
        query->idle_line = number;
        snprintf(text, sizeof text, "LnkSta: GPU %.8s: Speed PCIe generation %d instead of %d (a GPU, maybe idle)",
                 index, generation, newest);
        take_message(b, text, number);
    }
    query->unlike |= width > 0 && (width >= most || (query->narrow.line && width != query->narrow.width));
    query->links += width > 0;
    if (width > 0 && width < most && (!query->narrow.line || width < query->narrow.width)) {
        query->narrow.width = width;
        query->narrow.most = most;
        query->narrow.generation = busy && generation < newest ? generation : 0;
        query->narrow.line = number;
        snprintf(query->narrow.gpu, sizeof query->narrow.gpu, "%.8s", index);
    }
    const unsigned gpu = index[0] == '?' ? CLOCKS : (unsigned)atoi(index);
    if (gpu < CLOCKS && mhz > query->clocks[gpu].mhz) {
        query->clocks[gpu].mhz = mhz;
        query->clocks[gpu].line = number;
    }
    if (throttled) {
        snprintf(text, sizeof text, "GPU %.8s is throttled: %.150s", index, line);
        take_message(b, text, number);
    }
    if (exclusive)
        take_message(b, "Exclusive_Process", number);
    return true;
}

/* The table's row of a process: GPU, two columns or none for MIG, process, type, name, memory. */
static bool take_process(struct orr_log_building *b, const char *line)
{
    enum { WORDS = 8, LEAST = 5 };
    char copy[200], *words[WORDS], *rest = copy;
    uint32_t count = 0;
    snprintf(copy, sizeof copy, "%s", line);
    if (copy[0] != '|' || !strstr(copy, "MiB |"))
        return false;
    for (char *word; count < WORDS && (word = strtok_r(rest, " |\t", &rest));)
        words[count++] = word;
    const uint32_t pid = count > LEAST && !isdigit((unsigned char)words[1][0]) ? 3 : 1;
    if (count < LEAST || count < pid + 4 || (words[pid + 1][0] != 'C' && words[pid + 1][0] != 'M'))
        return false;
    const long memory = atol(words[count - 1]);
    if (memory > b->query.memory) {
        b->query.memory = memory;
        snprintf(b->query.process, sizeof b->query.process, "process %.12s (%.50s) has %ld MiB of GPU %.4s", words[pid],
                 words[pid + 2], memory, words[0]);
    }
    return true;
}

bool orr_log_take_gpu_state(struct orr_log_building *b, const char *line, uint32_t number)
{
    static const char option[] = "--query-gpu";
    const char *asks = strstr(line, option);
    if (asks) {
        char list[600];
        asks += strlen(option) + 1;
        snprintf(list, sizeof list, "%.*s", (int)strcspn(asks, " \t"), asks);
        take_columns(&b->query, list);
        return false; /* a command */
    }
    if (take_process(b, line)) {
        b->query.process_line = b->query.process_line ? b->query.process_line : number;
        return true;
    }
    return take_columns(&b->query, line) || (b->query.count && take_row(b, line, number));
}

/* A GPU whose clock is far below that of the others. */
static void end_clocks(struct orr_log_building *b)
{
    static const double HELD = 0.7;
    const struct orr_log_query *query = &b->query;
    uint32_t count = 0, held = 0, slow = 0;
    int most = 0;
    char text[80];
    for (uint32_t i = 0; i < CLOCKS; i++)
        most = query->clocks[i].mhz > most ? query->clocks[i].mhz : most;
    for (uint32_t i = CLOCKS; i-- > 0;) {
        const int mhz = query->clocks[i].mhz;
        count += mhz > 0;
        if (mhz <= 0 || mhz >= HELD * most)
            continue;
        slow = !held || mhz <= query->clocks[slow].mhz ? i : slow;
        held++;
    }
    if (!held || 2 * held > count)
        return;
    snprintf(text, sizeof text, "GPU %u runs at %d MHz, and others at %d", slow, query->clocks[slow].mhz, most);
    take_message(b, text, query->clocks[slow].line);
}

void orr_log_end_gpu_states(struct orr_log_building *b)
{
    enum { HALF = 8 }; /* many boards split the 16 lanes of a CPU between two slots */
    char text[200];
    const bool by_design = b->query.links > 1 && !b->query.unlike && b->query.narrow.width >= HALF;
    if (b->query.narrow.line && !by_design) {
        const int length = snprintf(text, sizeof text, "LnkSta: GPU %s: Width x%d (downgraded) of x%d",
                                    b->query.narrow.gpu, b->query.narrow.width, b->query.narrow.most);
        if (b->query.narrow.generation)
            snprintf(text + length, sizeof text - (size_t)length, ", PCIe generation %d only",
                     b->query.narrow.generation);
        take_message(b, text, b->query.narrow.line);
    }
    if (b->query.memory) {
        snprintf(text, sizeof text, "nvidia-smi: %s", b->query.process);
        take_message(b, text, b->query.process_line);
    }
    end_clocks(b);
}
