/* SPDX-License-Identifier: Apache-2.0 */
/* The machine in the words of the person who asks: "2 nodes of 8x H100 SXM". It counts only if no line of the results
 * names GPUs, and only if all such words of the text agree. "8x H100" alone may be cards: then the verdict says how to
 * name the machine. */
#include <string.h>
#include <strings.h>

#include "engine/nccltests/reading.h"

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

/* Whether a line has one of some words in lower case, whatever the case there. */
static bool has_one(struct orr_span line, const char *const *words)
{
    for (; *words; words++)
        for (size_t i = 0, length = strlen(*words); i + length <= line.length; i++)
            if (!strncasecmp(line.at + i, *words, length))
                return true;
    return false;
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
    return has_one(near, gpus) && !has_one(near, hosts);
}

/* "8x H100", "8 x NVIDIA H100", "8*H100", "8 H100 GPUs" at this digit. */
static const struct said_model *count_at(const char *at, const char *end, uint32_t *ret_count)
{
    static const char maker[] = "NVIDIA ";
    *ret_count = 0;
    while (at < end && *at >= '0' && *at <= '9' && *ret_count < 100)
        *ret_count = 10 * *ret_count + (uint32_t)(*at++ - '0');
    while (at < end && *at == ' ')
        at++;
    const bool times = at < end && *at && strchr("xX*", *at);
    for (at += times; at < end && *at == ' ';)
        at++;
    if ((size_t)(end - at) > sizeof maker && !strncasecmp(at, maker, sizeof maker - 1))
        at += sizeof maker - 1;
    const struct said_model *model = model_at(at, end);
    return model && (times || counts_gpus(at + strlen(model->name), end)) ? model : NULL;
}

void orr_said_take_line(struct orr_results_building *b, struct orr_span line)
{
    enum { GPUS_MOST = 16, LONGEST = 400 };
    static const char *const cards[] = {"pcie", "nvl ", "nvl,", NULL};
    static const char *const boards[] = {"sxm", "hgx", "dgx", "hbm3", "nvlink", "nvswitch", NULL};
    const char *end = line.at + line.length;
    if (line.length > LONGEST || has_one(line, cards))
        return;
    for (const char *at = line.at; at < end; at++) {
        uint32_t count;
        if (*at < '1' || *at > '9' || (at > line.at && (is_word(at[-1]) || at[-1] == '.')))
            continue;
        const struct said_model *model = count_at(at, end, &count);
        if (!model || count > GPUS_MOST)
            continue;
        const double hosts = orr_summary_hosts_in(line);
        const bool unsure = !model->board && !has_one(line, boards);
        if (b->said.model && (b->said.model != model->name || b->said.gpus != count))
            b->said.differ = true;
        b->said.unsure = b->said.model ? b->said.unsure && unsure : unsure;
        b->said.model = model->name;
        b->said.gpus = count;
        b->said.line = b->said.line ? b->said.line : b->line;
        if (hosts >= 1 && hosts == (double)(uint32_t)hosts) {
            b->said.differ |= b->said.hosts && b->said.hosts != (uint32_t)hosts;
            b->said.hosts = (uint32_t)hosts;
        }
    }
}

void orr_said_conclude(const struct orr_results_building *b, struct orr_result_table *table)
{
    const struct orr_said *said = &b->said;
    if (!said->gpus)
        return;
    const uint32_t hosts = table->hosts ? table->hosts : table->ranks ? table->ranks / said->gpus : said->hosts;
    if (said->differ || table->device_count || table->model || !hosts ||
        (table->ranks && table->ranks != hosts * said->gpus) || (said->hosts && said->hosts < hosts))
        return;
    table->said_gpus = said->gpus;
    table->said_line = said->line;
    table->hosts = hosts;
    if (said->unsure)
        table->unsure_model = said->model;
    else
        table->model = said->model;
}
