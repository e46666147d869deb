/* SPDX-License-Identifier: Apache-2.0 */
/* The machine and the release in the words of the person who asks: "2 nodes of 8x H100 SXM". It counts only if no line
 * of the results names GPUs, and only if all such words of the text agree. "8x H100" alone may be cards: then the
 * verdict says how to name the machine. */
#include <string.h>
#include <strings.h>

#include "engine/nccltests/reading.h"

static bool is_word(char c)
{
    return orr_is_digit(c) || orr_is_letter(c) || c == '_' || c == '-';
}

/* A model; board: all of them are on boards, with NVLink or NVLink-C2C, and none are cards. */
struct said_model {
    const char *name;
    bool board;
};

/* The model that begins here; NULL if there is none. "-80GB" may follow. */
static const struct said_model *model_at(const char *at, const char *end)
{
    static const struct said_model models[] = {{"A100", false}, {"A800", false}, {"H100", false},
                                               {"H800", false}, {"H200", false}, {"H20", true},
                                               {"B200", true},  {"B300", true},  {"GH200", true}};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        const size_t length = strlen(models[i].name);
        if ((size_t)(end - at) < length || memcmp(at, models[i].name, length) != 0)
            continue;
        const char *next = at + length;
        const bool memory = end - next > 1 && next[0] == '-' && next[1] >= '1' && next[1] <= '9';
        next += next < end && *next == 's'; /* "8 B200s" */
        if (next == end || !is_word(*next) || memory)
            return &models[i];
    }
    return NULL;
}

/* Whether "GPUs" or "each" follows a model, and not "nodes": "8 H100 GPUs", "4 GH200 each". */
static bool counts_gpus(const char *at, const char *end)
{
    enum { NEAR = 14 };
    static const char *const gpus[] = {"gpu", " each", NULL}, *const hosts[] = {"node", "host", "serv", "mach", NULL};
    size_t length = (size_t)(end - at) < NEAR ? (size_t)(end - at) : NEAR;
    for (size_t i = 0; i < length; i++)
        if (at[i] && strchr(",.;:()|", at[i]))
            length = i;
    const struct orr_span near = {at, length};
    return orr_span_has_one(near, gpus) && !orr_span_has_one(near, hosts);
}

/* "8x H100", "8 x NVIDIA H100", "8*H100", "8 H100 GPUs" at this digit, and in a sentence about each host "4 GH200". */
static const struct said_model *count_at(const char *at, struct orr_span line, uint32_t *ret_count)
{
    static const char *const each[] = {"each node",   "per node",   "every node",   "each host", "per host",
                                       "each server", "per server", "each machine", NULL};
    const char *end = line.at + line.length;
    static const char maker[] = "NVIDIA ";
    *ret_count = 0;
    while (at < end && orr_is_digit(*at) && *ret_count < 100)
        *ret_count = 10 * *ret_count + (uint32_t)(*at++ - '0');
    while (at < end && *at == ' ')
        at++;
    const bool times = at < end && *at && strchr("xX*", *at);
    for (at += times; at < end && *at == ' ';)
        at++;
    if ((size_t)(end - at) > sizeof maker && !strncasecmp(at, maker, sizeof maker - 1))
        at += sizeof maker - 1;
    const struct said_model *model = model_at(at, end);
    const char *after = model ? at + strlen(model->name) : end;
    const bool plural = after < end && *after == 's';
    return model && (times || plural || counts_gpus(after, end) || orr_span_has_one(line, each)) ? model : NULL;
}

/* "NCCL 2.24.3", "NCCL-2.22.3", "NCCL version: 2.27.7+cuda12.9": three numbers after NCCL's name. */
static void take_release(struct orr_results_building *b, struct orr_span line)
{
    static const char name[] = "NCCL";
    const char *end = line.at + line.length;
    for (const char *at = line.at; (at = memmem(at, (size_t)(end - at), name, sizeof name - 1));) {
        char text[sizeof b->said.release];
        size_t length = 0;
        unsigned points = 0;
        at += sizeof name - 1;
        const char *word = at;
        while (word < end && strchr(" -:=v", *word) && *word)
            word++;
        if (word > at && end - word > 8 && !strncasecmp(word, "version", 7))
            for (word += 7; word < end && strchr(" :=v", *word) && *word;)
                word++;
        for (; word < end && length + 1 < sizeof text; word++) {
            const bool point = *word == '.' && points < 2 && end - word > 1 && word[1] >= '0' && word[1] <= '9';
            if (!point && (*word < '0' || *word > '9'))
                break;
            points += point;
            text[length++] = *word;
        }
        text[length] = 0;
        if (points != 2 || strncmp(text, "2.", 2) != 0)
            continue;
        b->said.releases_differ |= b->said.release[0] && strcmp(b->said.release, text) != 0;
        b->said.release_line = b->said.release[0] ? b->said.release_line : b->line;
        memcpy(b->said.release, text, sizeof text);
    }
}

void orr_said_release(struct orr_results_building *b)
{
    const struct orr_said *said = &b->said;
    if (b->results->library || !said->release[0] || said->releases_differ)
        return;
    b->results->library = orr_tables_keep(b, (struct orr_span){said->release, strlen(said->release)});
    orr_tables_note(b, "NCCL %s is used for the prediction, as line %u names it", said->release, said->release_line);
}

/* The GPUs of each host, of hosts if the same line says how many. */
static void take_machine(struct orr_results_building *b, struct orr_span line, const struct said_model *model,
                         uint32_t count, double hosts)
{
    static const char *const boards[] = {"sxm", "hgx", "dgx", "hbm3", "nvlink", "nvswitch", NULL};
    const bool unsure = !model->board && !orr_span_has_one(line, boards);
    b->said.differ |= b->said.model && (b->said.model != model->name || b->said.gpus != count);
    b->said.unsure = b->said.model ? b->said.unsure && unsure : unsure;
    b->said.model = model->name;
    b->said.gpus = count;
    b->said.line = b->said.line ? b->said.line : b->line;
    if (hosts >= 1 && hosts == (double)(uint32_t)hosts) {
        b->said.differ |= b->said.hosts && b->said.hosts != (uint32_t)hosts;
        b->said.hosts = (uint32_t)hosts;
    }
}

/* "in H100", without a number; and whether the text speaks of several hosts. */
static void take_alone(struct orr_results_building *b, struct orr_span line)
{
    static const char *const several[] = {"nodes", "hosts", "servers", "machines", "cluster", "multi", "inter", NULL};
    struct orr_said *said = &b->said;
    said->several |= orr_span_has_one(line, several);
    for (const char *at = line.at, *end = at + line.length; at < end; at++) {
        const struct said_model *model = at > line.at && is_word(at[-1]) ? NULL : model_at(at, end);
        if (!model)
            continue;
        said->alone_differ |= said->alone && said->alone != model->name;
        said->alone_line = said->alone ? said->alone_line : b->line;
        said->alone = model->name;
    }
}

void orr_said_take_line(struct orr_results_building *b, struct orr_span line)
{
    enum { GPUS_MOST = 16, LONGEST = 400 };
    static const char *const cards[] = {"pcie", "nvl ", "nvl,", NULL};
    const char *end = line.at + line.length;
    if (line.length > LONGEST)
        return;
    take_release(b, line);
    if (orr_span_has_one(line, cards)) {
        b->said.cards = true;
        return;
    }
    take_alone(b, line);
    for (const char *at = line.at; at < end; at++) {
        uint32_t count;
        if (*at < '1' || *at > '9' || (at > line.at && (is_word(at[-1]) || at[-1] == '.')))
            continue;
        const struct said_model *model = count_at(at, line, &count);
        const double hosts = model ? orr_summary_hosts_in(line) : 0;
        if (model && model->name == b->said.model && count == hosts * b->said.gpus && hosts > 1)
            b->said.hosts = b->said.hosts ? b->said.hosts : (uint32_t)hosts; /* "8 nodes (32 GH200)" */
        else if (model && count <= GPUS_MOST)
            take_machine(b, line, model, count, hosts);
    }
}

/* Whether a figure of the table takes NVLink: PCIe carries less than 64 GB/s. */
static bool takes_nvlink(const struct orr_result_table *table)
{
    static const double LEAST = 100; /* GB/s */
    for (uint32_t i = 0; i < table->row_count; i++)
        if (table->rows[i].out.bus_bw >= LEAST || table->rows[i].out.alg_bw >= LEAST ||
            table->rows[i].in.bus_bw >= LEAST || table->rows[i].in.alg_bw >= LEAST)
            return true;
    return false;
}

/* The full board, for a model without a number and a figure that cards do not reach. */
enum { BOARD = 8 };
static void conclude_alone(const struct orr_said *said, struct orr_result_table *table)
{
    if (!said->alone || said->alone_differ || said->several || said->cards || table->device_count || table->model ||
        table->hosts > 1 || (table->ranks && table->ranks != BOARD) || !takes_nvlink(table))
        return;
    table->said_gpus = BOARD;
    table->said_line = said->alone_line;
    table->said_alone = true;
    table->hosts = 1;
    table->model = said->alone;
}

void orr_said_conclude(const struct orr_results_building *b, struct orr_result_table *table)
{
    const struct orr_said *said = &b->said;
    if (!said->gpus) {
        conclude_alone(said, table);
        return;
    }
    const uint32_t hosts = table->hosts   ? table->hosts
                           : table->ranks ? table->ranks / said->gpus
                           : said->hosts  ? said->hosts
                                          : !said->several;
    if (said->differ || table->device_count || table->model || !hosts ||
        (table->ranks && table->ranks != hosts * said->gpus) || (said->hosts && said->hosts < hosts))
        return;
    table->said_gpus = said->gpus;
    table->said_line = said->line;
    table->one_host_assumed = !table->hosts && !table->ranks && !said->hosts;
    table->hosts = hosts;
    if (said->unsure && !(said->gpus == BOARD && !said->cards && takes_nvlink(table)))
        table->unsure_model = said->model;
    else
        table->model = said->model;
}
