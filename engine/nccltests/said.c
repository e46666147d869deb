/* SPDX-License-Identifier: Apache-2.0 */
/* The machine as the person who asks describes it: "2 nodes of 8x H100 SXM". The description counts only if no line of
 * the results names GPUs, and only if all descriptions in the text agree. "8x H100" alone may mean cards: then the
 * verdict says how to name the machine. */
#include <string.h>
#include <strings.h>

#include "engine/hardware/gpu_models.h"
#include "engine/hardware/nic_words.h"
#include "engine/nccltests/reading.h"

static bool is_word(char c)
{
    return orr_is_digit(c) || orr_is_letter(c) || c == '_' || c == '-';
}

/* The model that begins here, if its GPUs sit on boards with NVSwitches or are hosts of their own; NULL if there is
 * none. "-80GB" may follow. Before the third NVLink a full board may have no NVSwitch. */
static const struct orr_gpu_model *model_at(const char *at, const char *end)
{
    const struct orr_gpu_model *model;
    if (end - at < 3 || !orr_is_letter(at[0]) || !(orr_is_digit(at[1]) || orr_is_digit(at[2])))
        return NULL; /* most words: a name is a letter or two, then a number */
    for (size_t i = 0; (model = orr_gpu_model(i)); i++) {
        const char *name = orr_gpu_model_said(model);
        const size_t length = strlen(name);
        if (model->nvlink < 3 || (model->form != ORR_GPU_SXM && model->form != ORR_GPU_SUPERCHIP) ||
            (size_t)(end - at) < length || strncasecmp(at, name, length) != 0)
            continue;
        const char *next = at + length;
        const bool memory = end - next > 1 && next[0] == '-' && next[1] >= '1' && next[1] <= '9';
        next += next < end && *next == 's'; /* "8 B200s" */
        if (next == end || !is_word(*next) || memory)
            return model;
    }
    return NULL;
}

/* Which of these words follows a model: "8 H100 GPUs", "4 GH200 each", "2 HGX H100 servers". */
enum follows { FOLLOWS_NEITHER, FOLLOWS_GPUS, FOLLOWS_HOSTS };
static enum follows follows_model(const char *at, const char *end)
{
    enum { NEAR = 14 };
    static const char *const gpus[] = {"gpu", " each", NULL}, *const hosts[] = {"node", "host", "serv", "mach", NULL};
    size_t length = (size_t)(end - at) < NEAR ? (size_t)(end - at) : NEAR;
    for (size_t i = 0; i < length; i++)
        if (at[i] && strchr(",.;:()|", at[i]))
            length = i;
    const struct orr_span near = {at, length};
    return orr_span_has_one(near, hosts)  ? FOLLOWS_HOSTS
           : orr_span_has_one(near, gpus) ? FOLLOWS_GPUS
                                          : FOLLOWS_NEITHER;
}

/* The full board. */
enum { BOARD = 8 };

/* A number at this place, at most 999; *at then points to what follows it and blanks. */
static uint32_t number_at(const char **at, const char *end)
{
    uint32_t number = 0;
    while (*at < end && orr_is_digit(**at) && number < 100)
        number = 10 * number + (uint32_t)(*(*at)++ - '0');
    while (*at < end && **at == ' ')
        ++*at;
    return number;
}

static bool passes_over(const char **at, const char *end, const char *word)
{
    const size_t length = strlen(word);
    if ((size_t)(end - *at) <= length || strncasecmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

/* GPUs of a model at a digit; hosts 0 if the words there do not say them. */
struct counted {
    const struct orr_gpu_model *model; /* NULL if it counts something else */
    uint32_t gpus, hosts;
};

/* "8x H100", "8 x NVIDIA H100", "8*H100", "8 H100 GPUs", "2x8 H100", "2xH100:8", "2 DGX H100" at this digit, and in a
 * sentence about each host "4 GH200". */
static struct counted count_at(const char *at, const char *end, bool each)
{
    struct counted counted = {.gpus = number_at(&at, end)};
    bool times = at < end && *at && strchr("xX*", *at);
    at += times;
    while (at < end && *at == ' ')
        at++;
    if (times && at < end && orr_is_digit(*at)) {
        counted.hosts = counted.gpus;
        counted.gpus = number_at(&at, end);
        at += at < end && *at && strchr("xX*", *at);
        while (at < end && *at == ' ')
            at++;
    }
    (void)passes_over(&at, end, "NVIDIA ");
    const bool dgx = passes_over(&at, end, "DGX ") || passes_over(&at, end, "DGX-");
    const bool hgx = passes_over(&at, end, "HGX ") || passes_over(&at, end, "HGX-");
    counted.model = model_at(at, end);
    const char *after = counted.model ? at + strlen(orr_gpu_model_said(counted.model)) : end;
    if (times && !counted.hosts && after + 1 < end && *after == ':' && orr_is_digit(after[1])) { /* "2xH100:8" */
        after++;
        counted.hosts = counted.gpus;
        counted.gpus = number_at(&after, end);
    }
    const enum follows follows = follows_model(after, end);
    const bool plural = after < end && (*after | 0x20) == 's';
    if ((dgx || (hgx && follows == FOLLOWS_HOSTS)) && !counted.hosts) {
        counted.hosts = counted.gpus;
        counted.gpus = BOARD;
    } else if (counted.model && counted.model->form == ORR_GPU_SUPERCHIP && !counted.hosts && counted.gpus > 1 &&
               counted.gpus < 4) {
        counted.hosts = counted.gpus; /* "2 GH200" */
        counted.gpus = 1;
    } else if (!counted.hosts &&
               (follows == FOLLOWS_HOSTS ? !times : !times && !plural && follows != FOLLOWS_GPUS && !each)) {
        counted.model = NULL;
    }
    return counted;
}

/* The GPUs of each host, and the number of hosts if the same line has it. */
static void take_machine(struct orr_results_building *b, struct orr_span line, const struct orr_gpu_model *model,
                         uint32_t count, double hosts)
{
    static const char *const boards[] = {"sxm", "hgx", "dgx", "hbm3", "nvlink", "nvswitch", NULL};
    const bool unsure = orr_gpu_model_has_card(model) && !orr_span_has_one(line, boards);
    const char *name = orr_gpu_model_said(model);
    b->said.differ |= b->said.model && (b->said.model != name || b->said.gpus != count);
    b->said.unsure = b->said.model ? b->said.unsure && unsure : unsure;
    b->said.model = name;
    b->said.gpus = count;
    b->said.line = b->said.line ? b->said.line : b->line;
    if (hosts >= 1 && hosts == (double)(uint32_t)hosts) {
        b->said.differ |= b->said.hosts && b->said.hosts != (uint32_t)hosts;
        b->said.hosts = (uint32_t)hosts;
    }
}

/* "in H100", without a number; and whether the text mentions several hosts. */
static void take_alone(struct orr_results_building *b, struct orr_span line)
{
    static const char *const several[] = {"nodes", "hosts", "servers", "machines", "cluster", "multi", "inter", NULL};
    struct orr_said *said = &b->said;
    said->several |= orr_span_has_one(line, several);
    for (const char *at = line.at, *end = at + line.length; at < end; at++) {
        const struct orr_gpu_model *model = at > line.at && is_word(at[-1]) ? NULL : model_at(at, end);
        if (!model)
            continue;
        const char *name = orr_gpu_model_said(model);
        said->alone_differ |= said->alone && said->alone != name;
        said->alone_line = said->alone ? said->alone_line : b->line;
        said->alone = name;
    }
}

/* "4 x HDR 200Gbps": the NICs of each host. */
static void take_nics(struct orr_results_building *b, struct orr_span line)
{
    struct orr_said *said = &b->said;
    struct orr_nic_words words;
    if (!orr_nic_words_read(line.at, line.length, &words))
        return;
    said->nics_differ |= words.differ || (said->nics && words.count && said->nics != words.count) ||
                         (said->nic_mbps && words.mbps && said->nic_mbps != words.mbps);
    said->nic_line = said->nic_line ? said->nic_line : b->line;
    if (words.mbps > said->most_mbps) {
        said->most_mbps = words.mbps;
        said->most_line = b->line;
    }
    said->nics = said->nics ? said->nics : words.count;
    said->nic_mbps = said->nic_mbps ? said->nic_mbps : words.mbps;
}

/* The machine type of a cloud whose name begins here, "p5.48xlarge" or "ND H100 v5"; NULL if there is none. */
static const struct orr_machine_type *type_at(const char *at, const char *end)
{
    char name[48] = "Standard_"; /* Azure's names are often said without it */
    const size_t before = strlen(name);
    size_t length = before;
    bool spaced = end - at > 3 && (!strncasecmp(at, "ND ", 3) || !strncasecmp(at, "NDm", 3)), marked = spaced;
    for (; at < end && length + 1 < sizeof name && (is_word(*at) || *at == '.' || (spaced && *at == ' ')); at++) {
        spaced = spaced && !(name[length - 1] == '-' && (*at | 0x20) == 'v'); /* "v5" is the last word */
        marked |= !orr_is_digit(*at) && !orr_is_letter(*at);
        name[length++] = *at;
        if (*at == ' ')
            name[length - 1] = '-';
    }
    while (length > before && !orr_is_digit(name[length - 1]) && !orr_is_letter(name[length - 1]))
        length--;
    name[length] = 0;
    const struct orr_machine_type *type = marked ? orr_machine_type_find(name + before) : NULL;
    type = type || !marked ? type : orr_machine_type_find(name);
    return type && strcmp(type->family, "NVIDIA") != 0 ? type : NULL;
}

/* "2 p5.48xlarge", "2 x a3-megagpu-8g": a machine type, and how many of them. */
static void take_type(struct orr_results_building *b, struct orr_span line, double hosts)
{
    struct orr_said *said = &b->said;
    for (const char *at = line.at, *end = line.at + line.length; at < end; at++) {
        if (at > line.at && (is_word(at[-1]) || at[-1] == '.'))
            continue;
        const struct orr_machine_type *type = type_at(at, end);
        if (!type)
            continue;
        const char *count = at;
        while (count > line.at && count[-1] && strchr(" xX*`", count[-1]))
            count--;
        while (count > line.at && orr_is_digit(count[-1]))
            count--;
        const uint32_t number = count > line.at && is_word(count[-1]) ? 0 : number_at(&count, end);
        said->types_differ |= said->type && said->type != type;
        said->type = type;
        said->type_line = said->type_line ? said->type_line : b->line;
        said->type_hosts = number ? number : hosts >= 1 ? (uint32_t)hosts : said->type_hosts;
    }
}

void orr_said_take_line(struct orr_results_building *b, struct orr_span line)
{
    enum { GPUS_MOST = 16 };
    static const char *const each[] = {"each node",   "per node",   "every node",   "each host", "per host",
                                       "each server", "per server", "each machine", "/node",     NULL};
    static const char *const cards[] = {"pcie", "nvl ", "nvl,", NULL};
    const char *end = line.at + line.length;
    take_nics(b, line);
    if (orr_span_has_one(line, cards)) {
        b->said.cards = true;
        return;
    }
    take_alone(b, line);
    const double hosts = orr_summary_hosts_in(line);
    take_type(b, line, hosts);
    const bool about_each = orr_span_has_one(line, each);
    bool counts = false;
    for (const char *at = line.at; at < end; at++) {
        if (*at < '1' || *at > '9' || (at > line.at && (is_word(at[-1]) || at[-1] == '.')))
            continue;
        const struct counted counted = count_at(at, end, about_each);
        const struct orr_gpu_model *model = counted.model;
        counts |= model != NULL;
        if (model && orr_gpu_model_said(model) == b->said.model && counted.gpus == hosts * b->said.gpus && hosts > 1)
            b->said.hosts = b->said.hosts ? b->said.hosts : (uint32_t)hosts; /* "8 nodes (32 GH200)" */
        else if (model && counted.hosts)
            take_machine(b, line, model, counted.gpus, counted.hosts);
        else if (model && hosts > 1 && counted.gpus > BOARD && counted.gpus % (uint32_t)hosts == 0)
            take_machine(b, line, model, counted.gpus / (uint32_t)hosts, hosts); /* "16 H100 on 2 nodes" */
        else if (model && counted.gpus <= GPUS_MOST)
            take_machine(b, line, model, counted.gpus, hosts);
    }
    if (hosts >= 1 && !counts) {
        b->said.others_differ |= b->said.other_hosts > 0 && b->said.other_hosts != hosts;
        b->said.other_hosts = hosts;
    }
}

/* Whether a figure of the table is only possible with NVLink: PCIe carries less than 64 GB/s. */
static bool takes_nvlink(const struct orr_result_table *table)
{
    static const double LEAST = 100; /* GB/s */
    for (uint32_t i = 0; i < table->row_count; i++)
        if (table->rows[i].out.bus_bw >= LEAST || table->rows[i].out.alg_bw >= LEAST ||
            table->rows[i].in.bus_bw >= LEAST || table->rows[i].in.alg_bw >= LEAST)
            return true;
    return false;
}

/* Whether another table of the text is of a full board, of which this one may have a part. */
static bool is_of_board(const struct orr_results_building *b, const struct orr_result_table *table)
{
    bool full = false;
    for (uint32_t i = 0; i < b->results->table_count; i++)
        full |= b->tables[i].ranks == BOARD;
    return full && table->ranks < BOARD;
}

/* The full board, for a model without a number and a figure that cards do not reach. */
static void conclude_alone(const struct orr_results_building *b, const struct orr_said *said,
                           struct orr_result_table *table)
{
    if (!said->alone || said->alone_differ || said->cards || table->device_count || table->model)
        return;
    if (table->hosts > 1 && table->ranks == table->hosts * BOARD && takes_nvlink(table)) { /* "32 H100 nodes" */
        table->said_gpus = BOARD;
        table->said_line = said->alone_line;
        table->model = said->alone;
        return;
    }
    if (said->several || table->hosts > 1 || (table->ranks && table->ranks != BOARD && !is_of_board(b, table)) ||
        !takes_nvlink(table))
        return;
    table->said_gpus = BOARD;
    table->said_line = said->alone_line;
    table->said_alone = true;
    table->hosts = 1;
    table->model = said->alone;
}

void orr_said_conclude(const struct orr_results_building *b, struct orr_result_table *table)
{
    struct orr_said own = b->said, *said = &own;
    if (said->type && !said->types_differ) { /* it says more than words about GPUs */
        own.gpus = said->type->gpus;
        own.hosts = said->type_hosts;
        own.line = said->type_line;
        own.differ = own.unsure = false;
    }
    table->said_most_mbps = said->most_mbps;
    table->said_most_line = said->most_line;
    if (!said->nics_differ) {
        table->said_nics = said->nics;
        table->said_nic_mbps = said->nic_mbps;
        table->said_nic_line = said->nic_line;
    }
    if (!said->gpus) {
        conclude_alone(b, said, table);
        return;
    }
    const uint32_t elsewhere = said->others_differ ? 0 : (uint32_t)said->other_hosts;
    const uint32_t by_words = said->hosts ? said->hosts : elsewhere ? elsewhere : !said->several;
    const uint32_t by_rows = table->ranks ? table->ranks / said->gpus : by_words;
    const uint32_t hosts = table->hosts ? table->hosts : by_rows;
    if (said->differ || table->device_count || table->model || !hosts ||
        (table->ranks && table->ranks != hosts * said->gpus) || (said->hosts && said->hosts < hosts))
        return;
    table->said_gpus = said->gpus;
    table->said_line = said->line;
    table->one_host_assumed = !table->hosts && !table->ranks && !said->hosts && !elsewhere;
    table->hosts = hosts;
    table->said_type = said->type && !said->types_differ ? said->type->name : NULL;
    table->board_assumed = said->unsure && !(said->gpus == BOARD && !said->cards && takes_nvlink(table));
    if (!table->board_assumed || !said->cards)
        table->model = said->model;
}
