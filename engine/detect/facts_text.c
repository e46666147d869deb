/* SPDX-License-Identifier: Apache-2.0 */
/* Facts as text, which `orrery gather` packs as orrery/facts. Each line is one fact: its name, then its values. A line
 * with an unknown name is skipped, so that older programs can read newer files; a line that begins with # is a
 * comment. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/hex.h"
#include "engine/detect/facts.h"

void orr_bus_id_tidy(const char *from, char to[ORR_FACT_BUS])
{
    size_t colon = strcspn(from, ":"), zeros = strspn(from, "0"), i = 0;
    if (from[colon] && colon > 4) /* "00000000:1b:00.0" */
        from += zeros < colon - 4 ? zeros : colon - 4;
    for (; from[i] && i + 1 < ORR_FACT_BUS; i++)
        to[i] = (char)tolower((unsigned char)from[i]);
    to[i] = 0;
}

const struct orr_gpu_fact *orr_host_facts_gpu(const struct orr_host_facts *facts, const char *bus_id)
{
    for (uint32_t i = 0; i < facts->gpu_count; i++)
        if (!strcmp(facts->gpus[i].bus_id, bus_id))
            return &facts->gpus[i];
    return NULL;
}

const struct orr_verbs_fact *orr_host_facts_device(const struct orr_host_facts *facts, const char *name)
{
    for (uint32_t i = 0; i < facts->device_count; i++)
        if (!strcmp(facts->devices[i].name, name))
            return &facts->devices[i];
    return NULL;
}

/* The line being read, and the GPU that its indented lines are about. */
struct reading {
    struct orr_host_facts *facts;
    struct orr_gpu_fact *gpu;
};

/* The rest of a line, without its control characters. */
static void copy_rest(char *to, size_t size, const char *rest)
{
    size_t i = 0;
    for (; rest[i] && i + 1 < size; i++)
        to[i] = (unsigned char)rest[i] < ' ' ? '?' : rest[i];
    to[i] = 0;
}

static enum orr_known known_of(int value)
{
    return value < 0 ? ORR_UNKNOWN : value ? ORR_YES : ORR_NO;
}

static bool read_nvml(struct reading *r, const char *rest)
{
    r->facts->nvml = true;
    copy_rest(r->facts->driver, sizeof r->facts->driver, rest);
    return true;
}
static bool read_no_nvml(struct reading *r, const char *rest)
{
    copy_rest(r->facts->nvml_problem, sizeof r->facts->nvml_problem, rest);
    return true;
}
static bool read_cuda(struct reading *r, const char *rest)
{
    r->facts->cuda = sscanf(rest, "%d", &r->facts->cuda_version) == 1;
    return r->facts->cuda;
}
static bool read_no_cuda(struct reading *r, const char *rest)
{
    copy_rest(r->facts->cuda_problem, sizeof r->facts->cuda_problem, rest);
    return true;
}
static bool read_gpu(struct reading *r, const char *rest)
{
    if (r->facts->gpu_count == ORR_FACT_GPUS || !*rest)
        return false;
    r->gpu = &r->facts->gpus[r->facts->gpu_count++];
    *r->gpu = (struct orr_gpu_fact){.gdr = ORR_UNKNOWN, .dma_buf = ORR_UNKNOWN};
    orr_bus_id_tidy(rest, r->gpu->bus_id);
    return true;
}
static bool read_name(struct reading *r, const char *rest)
{
    copy_rest(r->gpu->name, sizeof r->gpu->name, rest);
    return true;
}
static bool read_capability(struct reading *r, const char *rest)
{
    return sscanf(rest, "%2d.%2d", &r->gpu->major, &r->gpu->minor) == 2 && r->gpu->major >= 0 && r->gpu->minor >= 0;
}
static bool read_ids(struct reading *r, const char *rest)
{
    return sscanf(rest, "%" SCNx32 " %" SCNx32, &r->gpu->device, &r->gpu->subsystem) == 2;
}
static bool read_pcie(struct reading *r, const char *rest)
{
    return sscanf(rest, "%" SCNu32 " %" SCNu32 " %" SCNu32, &r->gpu->generation, &r->gpu->width,
                  &r->gpu->full_generation) == 3;
}
static bool read_nvlink(struct reading *r, const char *rest)
{
    unsigned link;
    char state[8], far[ORR_FACT_BUS] = "";
    int count = sscanf(rest, "%u %7s %23s", &link, state, far);
    if (count < 2 || link >= ORR_FACT_NVLINKS)
        return false;
    struct orr_nvlink_fact *fact = &r->gpu->links[link];
    *fact = (struct orr_nvlink_fact){.p2p = true, .up = !strcmp(state, "up"), .far_known = count > 2};
    if (strcmp(far, "-"))
        memcpy(fact->far, far, sizeof fact->far);
    return fact->up || !strcmp(state, "down");
}
static bool read_c2c(struct reading *r, const char *rest)
{
    return sscanf(rest, "%" SCNu32 " %" SCNu32, &r->gpu->c2c_count, &r->gpu->c2c_bw) == 2;
}
static bool read_gdr(struct reading *r, const char *rest)
{
    int gdr, dma_buf;
    if (sscanf(rest, "%d %d", &gdr, &dma_buf) != 2)
        return false;
    r->gpu->gdr = known_of(gdr);
    r->gpu->dma_buf = known_of(dma_buf);
    return true;
}
static bool read_fabric(struct reading *r, const char *rest)
{
    enum { DIGITS = 32 };
    if (orr_hex_span(rest, DIGITS + 1) != DIGITS || !orr_hex_read(rest, DIGITS / 2, r->gpu->fabric_id))
        return false;
    r->gpu->fabric = sscanf(rest + DIGITS, "%" SCNu32 " %" SCNu32, &r->gpu->clique, &r->gpu->fabric_state) == 2;
    return r->gpu->fabric;
}
static bool read_arch(struct reading *r, const char *rest)
{
    copy_rest(r->facts->arch, sizeof r->facts->arch, rest);
    return true;
}
static bool read_cpu(struct reading *r, const char *rest)
{
    int taken = 0;
    if (sscanf(rest, "%d %d%n", &r->facts->cpu_family, &r->facts->cpu_model, &taken) != 2 || rest[taken] != ' ')
        return false;
    copy_rest(r->facts->cpu_vendor, sizeof r->facts->cpu_vendor, rest + taken + 1); /* blanks are part of the value */
    return true;
}
static bool read_cpus_allowed(struct reading *r, const char *rest)
{
    copy_rest(r->facts->cpus_allowed, sizeof r->facts->cpus_allowed, rest);
    return !rest[strspn(rest, "0123456789abcdef,")];
}
static bool read_host(struct reading *r, const char *rest)
{
    r->facts->hashed = sscanf(rest, "%" SCNx64 " %" SCNx64, &r->facts->hash_wide, &r->facts->hash_bytewise) == 2;
    return r->facts->hashed;
}
static bool read_interfaces(struct reading *r, const char *rest)
{
    (void)rest;
    r->facts->interfaces_known = true;
    return true;
}
static bool read_interface(struct reading *r, const char *rest)
{
    char family[8], state[12];
    struct orr_interface_fact fact = {0};
    if (r->facts->interface_count == ORR_FACT_INTERFACES ||
        sscanf(rest, "%31s %7s %11s", fact.name, family, state) != 3)
        return false;
    fact.inet6 = !strncmp(family, "inet6", 5);
    fact.loopback = !strcmp(family, "inet6lo");
    fact.running = !strcmp(state, "running");
    r->facts->interfaces_known = true;
    r->facts->interfaces[r->facts->interface_count++] = fact;
    return true;
}
static bool read_verbs(struct reading *r, const char *rest)
{
    (void)rest;
    r->facts->verbs_known = true;
    return true;
}
static bool read_verb(struct reading *r, const char *rest)
{
    if (r->facts->verbs_count == ORR_FACT_INTERFACES)
        return false;
    r->facts->verbs_known = true;
    copy_rest(r->facts->verbs[r->facts->verbs_count++], sizeof r->facts->verbs[0], rest);
    return true;
}
static bool read_ibverbs(struct reading *r, const char *rest)
{
    (void)rest;
    r->facts->ibverbs = true;
    return true;
}
static bool read_no_ibverbs(struct reading *r, const char *rest)
{
    copy_rest(r->facts->ibverbs_problem, sizeof r->facts->ibverbs_problem, rest);
    return true;
}
static bool read_ibverbs_device(struct reading *r, const char *rest)
{
    struct orr_verbs_fact fact = {.dma_buf = ORR_UNKNOWN};
    int dma_buf;
    if (r->facts->device_count == ORR_FACT_INTERFACES ||
        sscanf(rest, "%31s %" SCNu32 " %d", fact.name, &fact.max_qp, &dma_buf) != 3)
        return false;
    fact.dma_buf = known_of(dma_buf);
    r->facts->devices[r->facts->device_count++] = fact;
    return true;
}

static const struct word {
    const char *word;
    bool (*read)(struct reading *reading, const char *rest);
    bool of_gpu;
} words[] = {
    {"nvml", read_nvml, false},
    {"no-nvml", read_no_nvml, false},
    {"cuda", read_cuda, false},
    {"no-cuda", read_no_cuda, false},
    {"gpu", read_gpu, false},
    {"name", read_name, true},
    {"capability", read_capability, true},
    {"ids", read_ids, true},
    {"pcie", read_pcie, true},
    {"nvlink", read_nvlink, true},
    {"c2c", read_c2c, true},
    {"gdr", read_gdr, true},
    {"fabric", read_fabric, true},
    {"arch", read_arch, false},
    {"cpu", read_cpu, false},
    {"cpus-allowed", read_cpus_allowed, false},
    {"host", read_host, false},
    {"interfaces", read_interfaces, false},
    {"interface", read_interface, false},
    {"verbs", read_verbs, false},
    {"verb", read_verb, false},
    {"ibverbs", read_ibverbs, false},
    {"no-ibverbs", read_no_ibverbs, false},
    {"ibverbs-device", read_ibverbs_device, false},
};

static enum orr_code read_line(struct reading *reading, char *line, uint32_t number, struct orr_error *err)
{
    char *word = line + strspn(line, " \t");
    size_t length = strcspn(word, " \t");
    char *rest = word + length + strspn(word + length, " \t");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i].word) != length || strncmp(words[i].word, word, length))
            continue;
        if ((words[i].of_gpu && !reading->gpu) || !words[i].read(reading, rest)) {
            orr_fail_at(err, ORR_INVALID, number, 1, "the line \"%.60s\" cannot be understood", word);
            orr_error_where(err, "orrery/facts");
            return ORR_INVALID;
        }
        return ORR_OK;
    }
    return ORR_OK;
}

enum orr_code orr_host_facts_read(struct orr_host_facts *facts, const char *text, size_t length, struct orr_error *err)
{
    struct reading reading = {.facts = facts};
    uint32_t number = 1;
    for (size_t at = 0; at < length; number++) {
        char line[256];
        const char *end = memchr(text + at, '\n', length - at);
        size_t size = end ? (size_t)(end - text) - at : length - at;
        size_t kept = size < sizeof line ? size : sizeof line - 1;
        memcpy(line, text + at, kept);
        line[kept] = 0;
        at += size + 1;
        if (line[0] != '#' && line[0])
            ORR_TRY(read_line(&reading, line, number, err));
    }
    return ORR_OK;
}

static void write_gpu(const struct orr_gpu_fact *gpu, struct orr_text *text)
{
    orr_text_printf(text, "gpu %s\n  name %s\n  capability %d.%d\n  ids %08" PRIx32 " %08" PRIx32 "\n", gpu->bus_id,
                    gpu->name, gpu->major, gpu->minor, gpu->device, gpu->subsystem);
    orr_text_printf(text, "  pcie %" PRIu32 " %" PRIu32 " %" PRIu32 "\n  gdr %d %d\n", gpu->generation, gpu->width,
                    gpu->full_generation, (int)gpu->gdr, (int)gpu->dma_buf);
    for (unsigned i = 0; i < ORR_FACT_NVLINKS; i++) {
        const struct orr_nvlink_fact *link = &gpu->links[i];
        if (!link->p2p)
            continue;
        orr_text_printf(text, "  nvlink %u %s", i, link->up ? "up" : "down");
        if (link->far_known) /* an id with other characters is written as empty */
            orr_text_printf(text, " %s",
                            link->far[0] && !link->far[strspn(link->far, "0123456789abcdefABCDEF:.")] ? link->far
                                                                                                      : "-");
        orr_text_puts(text, "\n");
    }
    if (gpu->c2c_count)
        orr_text_printf(text, "  c2c %" PRIu32 " %" PRIu32 "\n", gpu->c2c_count, gpu->c2c_bw);
    if (gpu->fabric) {
        char id[2 * sizeof gpu->fabric_id + 1];
        orr_hex_write(gpu->fabric_id, sizeof gpu->fabric_id, id);
        orr_text_printf(text, "  fabric %s %" PRIu32 " %" PRIu32 "\n", id, gpu->clique, gpu->fabric_state);
    }
}

void orr_host_facts_write(const struct orr_host_facts *facts, struct orr_text *text)
{
    orr_text_puts(text, "# What orrery asked of the machine beside /sys and /proc; see engine/detect/README.md\n");
    if (facts->nvml)
        orr_text_printf(text, "nvml %s\n", facts->driver);
    if (facts->nvml_problem[0]) /* may follow nvml, if one GPU did not answer */
        orr_text_printf(text, "no-nvml %s\n", facts->nvml_problem);
    if (facts->cuda)
        orr_text_printf(text, "cuda %d\n", facts->cuda_version);
    else if (facts->nvml)
        orr_text_printf(text, "no-cuda %s\n", facts->cuda_problem);
    for (uint32_t i = 0; i < facts->gpu_count; i++)
        write_gpu(&facts->gpus[i], text);
    if (facts->arch[0])
        orr_text_printf(text, "arch %s\n", facts->arch);
    if (facts->cpu_vendor[0])
        orr_text_printf(text, "cpu %d %d %s\n", facts->cpu_family, facts->cpu_model, facts->cpu_vendor);
    if (facts->cpus_allowed[0])
        orr_text_printf(text, "cpus-allowed %s\n", facts->cpus_allowed);
    if (facts->hashed)
        orr_text_printf(text, "host 0x%" PRIx64 " 0x%" PRIx64 "\n", facts->hash_wide, facts->hash_bytewise);
    if (facts->interfaces_known)
        orr_text_puts(text, "interfaces\n");
    for (uint32_t i = 0; i < facts->interface_count; i++) {
        const struct orr_interface_fact *at = &facts->interfaces[i];
        orr_text_printf(text, "interface %s %s %s\n", at->name,
                        !at->inet6     ? "inet"
                        : at->loopback ? "inet6lo"
                                       : "inet6",
                        at->running ? "running" : "idle");
    }
    if (facts->verbs_known)
        orr_text_puts(text, "verbs\n");
    for (uint32_t i = 0; i < facts->verbs_count; i++)
        orr_text_printf(text, "verb %s\n", facts->verbs[i]);
    if (facts->ibverbs)
        orr_text_puts(text, "ibverbs\n");
    else if (facts->ibverbs_problem[0])
        orr_text_printf(text, "no-ibverbs %s\n", facts->ibverbs_problem);
    for (uint32_t i = 0; i < facts->device_count; i++)
        orr_text_printf(text, "ibverbs-device %s %" PRIu32 " %d\n", facts->devices[i].name, facts->devices[i].max_qp,
                        (int)facts->devices[i].dma_buf);
}
