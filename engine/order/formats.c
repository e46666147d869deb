/* SPDX-License-Identifier: Apache-2.0 */
/* Writes an order in the formats of launchers. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/order/order.h"

enum { MOST_GPUS = 1024 };

struct writing {
    const struct orr_order *order;
    const struct orr_order_place *places; /* [rank] */
    const char *const *names;             /* [host] */
    const char *const *leaves;            /* [line]; NULL if unknown */
    struct orr_text *text;
};

/* The input of a writer. */
typedef enum orr_code write_format(const struct writing *w, struct orr_error *err);

static uint32_t rank_count(const struct writing *w)
{
    return w->order->present->rank_count;
}

/* The GPUs of one dump. */
struct gpu_places {
    const struct orr_dump *dump;  /* NULL if nothing was read yet */
    uint32_t elements[MOST_GPUS]; /* [GPU by rank] */
    int32_t ranks[MOST_GPUS];     /* ascending */
    uint32_t count;
};

static void read_places(const struct orr_dump *dump, struct gpu_places *places)
{
    if (places->dump == dump)
        return;
    places->dump = dump;
    places->count = 0;
    for (uint32_t e = 0; e < dump->element_count && places->count < MOST_GPUS; e++) {
        if (dump->elements[e].kind != ORR_ELEMENT_GPU || !orr_element_text(dump, e, ORR_ATTR_RANK))
            continue;
        const int32_t rank = orr_element_int(dump, e, ORR_ATTR_RANK, -1);
        uint32_t at = places->count++;
        for (; at > 0 && places->ranks[at - 1] > rank; at--) {
            places->ranks[at] = places->ranks[at - 1];
            places->elements[at] = places->elements[at - 1];
        }
        places->ranks[at] = rank;
        places->elements[at] = e;
    }
}

/* The element of the CPU above a GPU; ORR_NO_ELEMENT if there is none. */
static uint32_t cpu_of(const struct gpu_places *places, uint32_t gpu)
{
    uint32_t element = gpu < places->count ? places->elements[gpu] : ORR_NO_ELEMENT;
    while (element != ORR_NO_ELEMENT && places->dump->elements[element].kind != ORR_ELEMENT_CPU)
        element = places->dump->elements[element].parent;
    return element;
}

/* The GPU of each local rank, on the first host whose GPUs come in another order. */
static enum orr_code write_gpus(const struct orr_order *order, const char *const *names, const char *mark,
                                struct orr_text *text, struct orr_error *err)
{
    const struct orr_cluster *c = order->present;
    struct gpu_places *places = calloc(1, sizeof *places);
    uint32_t i = 0;
    ORR_NEED(places, err);
    while (c->hosts[order->hosts[i]].rank_count != order->gpu_count)
        i++;
    const uint32_t host = order->hosts[i];
    const struct orr_cluster_line *line = &c->lines[c->hosts[host].line];
    read_places(line->dump, places);
    orr_text_printf(text, "%sOn %s and hosts like it: CUDA_VISIBLE_DEVICES=", mark, names[host]);
    for (uint32_t g = 0; g < order->gpu_count; g++) {
        const uint32_t gpu = line->gpus ? line->gpus[order->gpus[g]] : order->gpus[g];
        const int32_t dev = gpu < places->count
                                ? orr_element_int(places->dump, places->elements[gpu], ORR_ATTR_DEV, (int32_t)gpu)
                                : (int32_t)gpu;
        orr_text_printf(text, "%s%d", g ? "," : "", dev);
    }
    orr_text_puts(text, "\n");
    free(places);
    return ORR_OK;
}

enum orr_code orr_order_notes(const struct orr_order *order, const char *const *names, const char *mark,
                              struct orr_text *text, struct orr_error *err)
{
    if (order->axes_change) {
        orr_text_printf(text, "%sOrder of the axes: ", mark);
        for (int d = 0; d < ORR_DIMENSION_COUNT; d++)
            orr_text_printf(text, "%s%s", d ? "-" : "", orr_dimension_name(order->axes[d]));
        orr_text_puts(text, "\n");
    }
    return order->gpus ? write_gpus(order, names, mark, text, err) : ORR_OK;
}

/* Writes the sentences and other changes as comments. */
static enum orr_code write_head(const struct writing *w, struct orr_error *err)
{
    orr_text_printf(w->text, "# %s\n# %s\n", w->order->sentence, w->order->proof);
    return orr_order_notes(w->order, w->names, "# ", w->text, err);
}

static enum orr_code write_slurm(const struct writing *w, struct orr_error *err)
{
    ORR_TRY(write_head(w, err));
    orr_text_puts(w->text, "# SLURM_HOSTFILE=THIS_FILE srun --distribution=arbitrary ...\n");
    for (uint32_t r = 0; r < rank_count(w); r++)
        orr_text_printf(w->text, "%s\n", w->names[w->places[r].host]);
    return ORR_OK;
}

static enum orr_code write_hostfile(const struct writing *w, struct orr_error *err)
{
    const struct orr_cluster *c = w->order->present;
    if (!w->order->better && !orr_rank_order_by_host(c->order))
        return orr_fail_with(
            err, ORR_INVALID, NULL, "use the format rankfile or slurm",
            "the best order is the present one, which interleaves hosts; a hostfile cannot express that");
    ORR_TRY(write_head(w, err));
    orr_text_puts(w->text, "# mpirun --hostfile THIS_FILE --map-by slot ...\n");
    for (uint32_t i = 0; i < w->order->host_count; i++) {
        const uint32_t host = w->order->hosts[i];
        orr_text_printf(w->text, "%s slots=%u\n", w->names[host], c->hosts[host].rank_count);
    }
    return ORR_OK;
}

enum { MOST_CPUS = 4096 };

/* Reads a mask such as "ff000000,00ffffff", whose last digit has CPUs 0 to 3. False: no CPU is in it. */
static bool read_mask(const char *mask, bool cpus[MOST_CPUS])
{
    uint32_t bit = 0;
    bool any = false;
    memset(cpus, 0, MOST_CPUS * sizeof *cpus);
    for (size_t i = mask ? strlen(mask) : 0; i-- > 0 && bit + 4 <= MOST_CPUS;) {
        if (!isxdigit((unsigned char)mask[i]))
            continue;
        const char digit[2] = {mask[i], 0};
        const unsigned value = (unsigned)strtoul(digit, NULL, 16);
        for (uint32_t b = 0; b < 4; b++, bit++)
            any |= cpus[bit] = value >> b & 1;
    }
    return any;
}

/* The rank's share of the CPUs next to its GPU, which is a part of each run of CPU numbers, because hyperthreads form
 * runs of their own. */
static bool write_cpus(const bool cpus[MOST_CPUS], uint32_t part, uint32_t parts, struct orr_text *text)
{
    bool any = false;
    for (uint32_t from = 0; from < MOST_CPUS; from++) {
        uint32_t to = from;
        while (to < MOST_CPUS && cpus[to])
            to++;
        if (to == from)
            continue;
        const uint32_t low = from + (to - from) * part / parts, high = from + (to - from) * (part + 1) / parts;
        if (low < high)
            orr_text_printf(text, high - low > 1 ? "%s%u-%u" : "%s%u", any ? "," : "", low, high - 1);
        any = any || low < high;
        from = to;
    }
    return any;
}

static enum orr_code write_rankfile(const struct writing *w, struct orr_error *err)
{
    const struct orr_cluster *c = w->order->present;
    ORR_TRY(write_head(w, err));
    bool *cpus = calloc(MOST_CPUS, sizeof *cpus);
    uint32_t *seen = calloc(c->host_count, sizeof *seen);
    struct gpu_places *places = calloc(1, sizeof *places);
    if (!cpus || !seen || !places) {
        free(places);
        free(cpus);
        free(seen);
        return orr_fail_nomem(err);
    }
    orr_text_puts(w->text, "# mpirun --rankfile THIS_FILE --mca rmaps_rank_file_physical 1 ...\n");
    for (uint32_t r = 0; r < rank_count(w); r++) {
        const struct orr_order_place *place = &w->places[r];
        const struct orr_cluster_host *host = &c->hosts[place->host];
        const struct orr_dump *dump = c->lines[host->line].dump;
        read_places(dump, places);
        const uint32_t cpu = cpu_of(places, place->gpu);
        uint32_t parts = 0, part = 0;
        for (uint32_t g = 0; g < host->rank_count; g++) {
            const uint32_t gpu = c->lines[host->line].gpus ? c->lines[host->line].gpus[g] : g;
            const bool shares = cpu_of(places, gpu) == cpu;
            part += shares && gpu < place->gpu;
            parts += shares;
        }
        orr_text_printf(w->text, "rank %u=%s slot=", r, w->names[place->host]);
        if (cpu == ORR_NO_ELEMENT || !parts || !read_mask(orr_element_text(dump, cpu, ORR_ATTR_AFFINITY), cpus) ||
            !write_cpus(cpus, part, parts, w->text))
            orr_text_printf(w->text, "%u", seen[place->host]);
        seen[place->host]++;
        orr_text_puts(w->text, "\n");
    }
    free(places);
    free(cpus);
    free(seen);
    return ORR_OK;
}

static const struct {
    const char *name;
    write_format *write; /* NULL for "json" (written by api) and "text" (engine/report) */
} formats[] = {
    [ORR_ORDER_JSON] = {"json", NULL}, [ORR_ORDER_TEXT] = {"text", NULL}, {"slurm", write_slurm},
    {"hostfile", write_hostfile},      {"rankfile", write_rankfile},
};

const char *orr_order_format_name(size_t i)
{
    return i < sizeof formats / sizeof formats[0] ? formats[i].name : NULL;
}

enum orr_code orr_order_write(const struct orr_order *order, size_t format, const char *const *names,
                              const char *const *leaves, struct orr_text *text, struct orr_error *err)
{
    struct orr_order_place *places = calloc(order->present->rank_count, sizeof *places);
    const struct writing writing = {.order = order, .places = places, .names = names, .leaves = leaves, .text = text};
    ORR_NEED(places, err);
    orr_order_places(order, places);
    enum orr_code code = formats[format].write(&writing, err);
    free(places);
    return code == ORR_OK && orr_text_failed(text) ? orr_fail_nomem(err) : code;
}
