/* SPDX-License-Identifier: Apache-2.0 */
/* Reads clues about the machine from a log, and checks which machine types they fit: a row for each kind of line. */
#include "engine/log_machine/log_clues.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/text.h"

enum { NONE = UINT32_MAX, GPUS_MOST = ORR_CLUE_GPUS };

/* Whether a word is among others that blanks separate. */
static bool lists(const char *words, const char *word, size_t length)
{
    for (; *words; words += strspn(words, " ")) {
        size_t here = strcspn(words, " ");
        if (here == length && !strncasecmp(words, word, length))
            return true;
        words += here;
    }
    return false;
}

static bool is_called(const struct orr_machine_type *type, const char *name, size_t length)
{
    return lists(type->name, name, length) || lists(type->also, name, length);
}

static void take_name(struct orr_clue *clue, uint32_t line, const char *before, const char *name, size_t length)
{
    clue->line = line;
    snprintf(clue->name, sizeof clue->name, "%.*s", (int)length, name);
    snprintf(clue->says, sizeof clue->says, "%s%s", before, clue->name);
}

/* ---- the platform that Amazon's plugin names ---- */

static void read_platform(const struct orr_log *log, struct orr_clue *clue)
{
    for (uint32_t i = 0; i < log->record_count && !clue->line; i++)
        if (log->records[i].kind == ORR_LOG_PLATFORM)
            take_name(clue, log->records[i].line, "the network plugin names the platform ", log->records[i].words[0],
                      strlen(log->records[i].words[0]));
    clue->own = true;
}

static bool fits_platform(const struct orr_machine_type *type, const struct orr_clue *clue)
{
    return is_called(type, clue->name, strlen(clue->name));
}

/* ---- the provider's topology file: "ndv4-topo.xml", "p4d-24xl-topo.xml" ---- */

/* The number of characters of a file's name that match the name of a type. */
static size_t type_in(const char *file)
{
    const struct orr_machine_type *type;
    for (size_t length = strlen(file); length > 2; length--)
        for (size_t i = 0; !isalnum((unsigned char)file[length]) && (type = orr_machine_type(i)); i++)
            if (is_called(type, file, length))
                return length;
    return 0;
}

static void read_file(const struct orr_log *log, struct orr_clue *clue)
{
    for (uint32_t i = 0; i < log->record_count && !clue->line; i++) {
        const struct orr_log_record *record = &log->records[i];
        const char *path = record->kind == ORR_LOG_TOPO_FILE ? record->words[0]
                           : record->kind == ORR_LOG_SETTING && !strcmp(record->words[0], "TOPO_FILE")
                               ? record->words[1]
                               : NULL;
        const char *slash = path ? strrchr(path, '/') : NULL, *file = slash ? slash + 1 : path;
        size_t length = file ? type_in(file) : 0;
        if (length)
            take_name(clue, record->line, "the topology file is named after ", file, length);
    }
    clue->own = true;
}

/* Types of one family share a file: that of ndv5 is also that of ndv5-h200. */
static bool fits_file(const struct orr_machine_type *type, const struct orr_clue *clue)
{
    size_t length = strlen(clue->name);
    if (is_called(type, clue->name, length))
        return true;
    for (const char *at = type->also; *at; at += strspn(at, " ")) {
        size_t here = strcspn(at, " ");
        if (here > length && at[length] == '-' && !strncasecmp(at, clue->name, length))
            return true;
        at += here;
    }
    return false;
}

/* ---- the provider of libfabric ---- */

/* Names of NICs as machine types have them. */
static const struct {
    const char *provider, *net_name;
} providers[] = {{"efa", "rdmap#s0"}, {"cxi", "cxi#"}};
enum { PROVIDER_COUNT = sizeof providers / sizeof providers[0] };

static void read_provider(const struct orr_log *log, struct orr_clue *clue)
{
    for (uint32_t i = 0; i < log->record_count && !clue->line; i++) {
        const struct orr_log_record *record = &log->records[i];
        const char *word = record->kind == ORR_LOG_OFI_PROVIDER ? record->words[1] : "";
        for (size_t p = 0; p < PROVIDER_COUNT; p++)
            if (strcspn(word, ", ") == strlen(providers[p].provider) &&
                !strncasecmp(word, providers[p].provider, strlen(providers[p].provider)))
                take_name(clue, record->line, "libfabric uses the provider ", word, strcspn(word, ", "));
    }
    clue->own = !strcasecmp(clue->name, "efa"); /* Amazon's */
}

static bool fits_provider(const struct orr_machine_type *type, const struct orr_clue *clue)
{
    for (size_t p = 0; p < PROVIDER_COUNT; p++)
        if (!strcasecmp(clue->name, providers[p].provider))
            return !strcmp(type->net_name, providers[p].net_name);
    return true;
}

/* ---- names of NICs ---- */

/* Whether a name matches a pattern, in which '#' stands for a number. */
static bool is_name(const char *name, const char *pattern)
{
    size_t head = strcspn(pattern, "#");
    if (strncmp(name, pattern, head) != 0 || !isdigit((unsigned char)name[head]))
        return false;
    name += head + strspn(name + head, "0123456789");
    return !strcmp(name, pattern + head + (pattern[head] == '#'));
}

static void read_nics(const struct orr_log *log, struct orr_clue *clue)
{
    static const char *const own[] = {"mlx5_ib#", "rdmap#s0"}; /* Azure's and Amazon's */
    static const char unopened[] = "NET/IB : Unable to open device ";
    for (uint32_t i = 0; i < log->record_count && !clue->line; i++) {
        const struct orr_log_record *record = &log->records[i];
        if (record->kind != ORR_LOG_NIC_LIST || strncmp(record->words[0], "IB", 2) != 0)
            continue;
        struct orr_log_nic *nics = ORR_NEW(log->arena, struct orr_log_nic, ORR_LOG_NICS);
        clue->count = nics ? orr_log_read_nics(record->words[1], nics) : 0;
        clue->nics = nics;
        clue->line = clue->count ? record->line : 0;
    }
    for (uint32_t i = 0; i < log->event_count && !clue->line; i++)
        if (!strncmp(log->events[i].text, unopened, sizeof unopened - 1)) {
            clue->line = log->events[i].line;
            struct orr_log_nic *nic = ORR_NEW(log->arena, struct orr_log_nic, 1);
            clue->count = nic != NULL;
            clue->nics = nic;
            if (nic)
                snprintf(nic->name, sizeof nic->name, "%s", log->events[i].text + sizeof unopened - 1);
        }
    clue->line = clue->count ? clue->line : 0;
    if (clue->line)
        snprintf(clue->says, sizeof clue->says, "the NICs have names like %.40s", clue->nics[0].name);
    for (size_t i = 0; clue->line && i < sizeof own / sizeof own[0]; i++)
        clue->own |= is_name(clue->nics[0].name, own[i]);
}

/* A job may use fewer NICs than the machine has. */
static bool fits_nics(const struct orr_machine_type *type, const struct orr_clue *clue)
{
    for (uint32_t i = 0; i < clue->count; i++)
        if (!is_name(clue->nics[i].name, type->net_name))
            return false;
    return clue->count <= type->nets;
}

/* ---- speed of NICs ---- */

static void read_speed(const struct orr_log *log, struct orr_clue *clue)
{
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        double speed = record->kind == ORR_LOG_NIC_SPEED ? record->values[record->value_count - 1] : 0;
        if (speed > clue->count) {
            clue->count = (uint32_t)speed;
            clue->line = record->line;
        }
    }
    snprintf(clue->says, sizeof clue->says, "the fastest NIC has %u Gb/s", clue->count / 1000);
}

static bool fits_speed(const struct orr_machine_type *type, const struct orr_clue *clue)
{
    return type->net_mbps == clue->count;
}

/* ---- bus ids of GPUs in virtual machines, whose hypervisors give the same ones to every machine of a type ---- */

/* From the topology files that the providers publish for these types. */
static const struct {
    const char *types;
    uint64_t bus_ids[8];
} virtual_machines[] = {
    {"p4d.24xlarge p4de.24xlarge", {0x101c0, 0x101d0, 0x201c0, 0x201d0, 0x901c0, 0x901d0, 0xa01c0, 0xa01d0}},
    {"Standard_ND40rs_v2", {0x100000, 0x200000, 0x300000, 0x400000, 0x500000, 0x600000, 0x700000, 0x800000}},
    {"Standard_ND96asr_v4 Standard_ND96amsr_A100_v4",
     {0x100000, 0x200000, 0x300000, 0x400000, 0xb00000, 0xc00000, 0xd00000, 0xe00000}},
    {"Standard_ND96isr_H100_v5", {0x100000, 0x200000, 0x300000, 0x800000, 0x900000, 0xa00000, 0xb00000, 0xc00000}},
};
enum { VIRTUAL_COUNT = sizeof virtual_machines / sizeof virtual_machines[0], VIRTUAL_GPUS = 8 };

/* The number of the log's bus ids that are in a row. */
static uint32_t found_in(size_t row, const struct orr_clue *clue)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < clue->count; i++)
        for (size_t g = 0; g < VIRTUAL_GPUS; g++)
            found += clue->bus_ids[i] == virtual_machines[row].bus_ids[g];
    return found;
}

/* The bus ids of the first host's GPUs, if all of them are those of a virtual machine. */
static void read_bus_ids(const struct orr_log *log, struct orr_clue *clue)
{
    uint32_t largest = orr_log_largest(log);
    const struct orr_log_communicator *of = largest == NONE ? NULL : &log->communicators[largest];
    const char *host = NULL;
    for (int32_t r = 0; of && r < of->rank_count && clue->count < GPUS_MOST; r++) {
        const struct orr_log_member *member = &of->members[r];
        host = host ? host : member->host;
        uint64_t bus_id = member->bus_id ? strtoull(member->bus_id, NULL, 16) : 0;
        bool known = !bus_id || !member->host || strcmp(member->host, host) != 0;
        for (uint32_t i = 0; i < clue->count && !known; i++)
            known = clue->bus_ids[i] == bus_id;
        if (!known)
            clue->bus_ids[clue->count++] = bus_id;
    }
    for (size_t row = 0; row < VIRTUAL_COUNT; row++)
        if (of && clue->count == VIRTUAL_GPUS && found_in(row, clue) == VIRTUAL_GPUS)
            clue->line = of->first_line;
    clue->own = true;
    snprintf(clue->says, sizeof clue->says, "the GPUs have the bus ids of the provider's virtual machines");
}

static bool fits_bus_ids(const struct orr_machine_type *type, const struct orr_clue *clue)
{
    for (size_t row = 0; row < VIRTUAL_COUNT; row++)
        if (found_in(row, clue) == VIRTUAL_GPUS)
            return lists(virtual_machines[row].types, type->name, strlen(type->name));
    return true;
}

/* ---- the model of the GPUs, as nccl-tests prints it ---- */

static void read_model(const struct orr_log *log, struct orr_clue *clue)
{
    const char *name = NULL;
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        if (record->kind != ORR_LOG_DEVICE || record->word_count < 3)
            continue;
        if (name && strcmp(name, record->words[2]) != 0) {
            clue->line = 0; /* no type has several models */
            return;
        }
        name = record->words[2];
        if (!clue->line)
            take_name(clue, record->line, "the GPUs are ", name, strlen(name));
    }
}

static bool fits_model(const struct orr_machine_type *type, const struct orr_clue *clue)
{
    return orr_machine_type_has(type, clue->name);
}

/* ---- how many GPUs a host has at least ---- */

static void count_more(struct orr_clue *clue, double count, uint32_t line)
{
    if (count > clue->count && count <= GPUS_MOST) {
        clue->count = (uint32_t)count;
        clue->line = line;
    }
}

static void read_gpus(const struct orr_log *log, struct orr_clue *clue)
{
    uint32_t largest = orr_log_largest(log);
    const struct orr_log_communicator *of = largest == NONE ? NULL : &log->communicators[largest];
    if (of && of->node_count > 0) {
        const int32_t on_each = of->rank_count / of->node_count;
        count_more(clue, on_each, of->first_line);
    }
    for (uint32_t i = 0; i < log->record_count; i++) { /* devices count from 0 */
        const struct orr_log_record *record = &log->records[i];
        if (record->kind == ORR_LOG_DEVICE)
            count_more(clue, record->values[record->value_count - 1] + 1, record->line);
    }
    for (int32_t r = 0; of && r < of->rank_count; r++)
        if (of->members[r].session != NONE) {
            const struct orr_log_session *session = &log->sessions[of->members[r].session];
            count_more(clue, (session->nvml_dev > session->cuda_dev ? session->nvml_dev : session->cuda_dev) + 1,
                       of->first_line);
        }
    snprintf(clue->says, sizeof clue->says, "a host has at least %u GPU%s", clue->count, orr_plural(clue->count));
}

static bool fits_gpus(const struct orr_machine_type *type, const struct orr_clue *clue)
{
    return type->gpus >= clue->count;
}

/* ---- NVLS, which needs NVSwitches and Hopper or a later GPU ---- */

static void read_nvls(const struct orr_log *log, struct orr_clue *clue)
{
    for (uint32_t i = 0; i < log->record_count && !clue->line; i++)
        if (log->records[i].kind == ORR_LOG_NVLS_SUPPORT && !strcmp(log->records[i].words[0], "available"))
            clue->line = log->records[i].line;
    snprintf(clue->says, sizeof clue->says, "NVLS is available");
}

static bool fits_nvls(const struct orr_machine_type *type, const struct orr_clue *clue)
{
    enum { HOPPER = 90 };
    (void)clue;
    return type->board->fabric == ORR_FABRIC_SWITCH && orr_board_model(type->board)->sm >= HOPPER;
}

/* ---- the table ---- */

static bool differ_in_board(const struct orr_machine_type *a, const struct orr_machine_type *b)
{
    return a->board != b->board;
}

static bool differ_in_nics(const struct orr_machine_type *a, const struct orr_machine_type *b)
{
    return a->nets != b->nets || strcmp(a->net_name, b->net_name) != 0;
}

static bool differ_in_speed(const struct orr_machine_type *a, const struct orr_machine_type *b)
{
    return a->net_mbps != b->net_mbps;
}

const struct orr_clue_row orr_clue_rows[ORR_MACHINE_CLUES] = {
    {read_platform, fits_platform, false, NULL, NULL},
    {read_file, fits_file, false, NULL, NULL},
    {read_bus_ids, fits_bus_ids, false, NULL, NULL},
    {read_provider, fits_provider, false, NULL, NULL},
    {read_nics, fits_nics, false, differ_in_nics, "the names of the NICs (NCCL_DEBUG_SUBSYS=INIT,NET)"},
    {read_speed, fits_speed, false, differ_in_speed,
     "the speed of the NICs (NCCL_DEBUG_SUBSYS=INIT,NET, from 2.23 on)"},
    {read_model, fits_model, false, differ_in_board, "the model of the GPUs (nccl-tests prints it)"},
    {read_gpus, fits_gpus, true, NULL, NULL},
    {read_nvls, fits_nvls, true, NULL, NULL},
};
