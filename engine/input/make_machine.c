/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a whole machine from its type alone: CPUs, switches and places for devices, which the type then fills in like
 * those of a provider's file. Bus ids and the places of devices are made up, and the notes say so. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/base/arena.h"
#include "engine/base/bytes.h"
#include "engine/hardware/hardware.h"
#include "engine/input/readers.h"
#include "engine/machines/machine_types.h"
#include "engine/nics/combine.h"
#include "engine/release/release.h"

enum { BLACKWELL = 100 };

/* The <cpu> elements, one for each NUMA node: as many as the type is known to have, else two, except if each GPU
 * belongs to a CPU of its own (Grace). */
static uint32_t cpus_of(const struct orr_machine_type *type)
{
    if (type->numa)
        return type->numa;
    uint32_t per_cpu = orr_board_model(type->board)->sm >= BLACKWELL ? 2 : 1;
    if (type->board->c2c_links)
        return (type->gpus + per_cpu - 1) / per_cpu;
    return type->gpus < 2 ? 1 : 2;
}

/* Adds switches: those of the board, or else one for each GPU, or one for each NIC if several GPUs share a NIC. A
 * single NIC belongs to the first CPU. */
static uint32_t switches_of(const struct orr_machine_type *type)
{
    if (type->board->switch_gpus && type->gpus > type->board->switch_gpus)
        return type->gpus / type->board->switch_gpus;
    uint32_t shared = type->nets > 1 && type->nets < type->gpus && type->gpus % type->nets == 0 ? type->nets : 0;
    return shared ? shared : type->gpus ? type->gpus : 1;
}

static struct orr_doc_node *add_device(struct orr_doc *doc, struct orr_doc_node *parent, uint32_t bus, uint32_t device,
                                       const char *class)
{
    struct orr_doc_node *pci = orr_doc_add(doc, parent, ORR_ELEMENT_PCI, NULL);
    orr_doc_set(doc, pci, ORR_ATTR_BUSID, "%04x:%02x:00.0", bus, device);
    orr_doc_set(doc, pci, ORR_ATTR_CLASS, "%s", class);
    return pci;
}

static void set_link(struct orr_doc *doc, struct orr_doc_node *pci, const char *speed, int width)
{
    orr_doc_set(doc, pci, ORR_ATTR_LINK_SPEED, "%s", speed);
    orr_doc_set(doc, pci, ORR_ATTR_LINK_WIDTH, "%d", width);
}

static void add_gpu(struct orr_doc *doc, struct orr_doc_node *parent, uint32_t bus, uint32_t device,
                    const struct orr_machine_type *type)
{
    struct orr_doc_node *pci = add_device(doc, parent, bus, device, "0x030200");
    if (!orr_board_model(type->board)->ids[0].device)
        return;
    orr_doc_set(doc, pci, ORR_ATTR_VENDOR, "0x10de");
    orr_doc_set(doc, pci, ORR_ATTR_DEVICE, "0x%04x", orr_board_model(type->board)->ids[0].device);
}

/* A port named mlx5 is InfiniBand, any other is Ethernet. If the GPU is part of the CPU, the NIC is soldered to four
 * lanes, like in a DGX Spark. */
static void add_net(struct orr_doc *doc, struct orr_doc_node *parent, uint32_t bus, uint32_t device,
                    const struct orr_machine_type *type)
{
    const char *class = strncmp(type->net_name, "mlx", 3) ? "0x020000" : "0x020700";
    struct orr_doc_node *pci = add_device(doc, parent, bus, device, class);
    if (orr_gpu_is_integrated(orr_board_model(type->board)->sm))
        set_link(doc, pci, ORR_PCIE_GEN5, 4);
}

static struct orr_doc_node *add_cpu(struct orr_doc *doc, int numa)
{
    struct orr_doc_node *cpu = orr_doc_add(doc, doc->system, ORR_ELEMENT_CPU, NULL);
    orr_doc_set(doc, cpu, ORR_ATTR_NUMAID, "%d", numa);
    orr_doc_set(doc, cpu, ORR_ATTR_AFFINITY, "%s", "");
    return cpu;
}

/* Adds devices in the known places of a type. The bus ids of NICs rise with their numbers, regardless of place. */
static void add_places(struct orr_doc *doc, const struct orr_machine_type *type)
{
    for (uint32_t i = 0; i < type->gpus; i++) {
        const struct orr_numa_place *place = &type->places[i];
        struct orr_doc_node *cpu = add_cpu(doc, place->numa);
        add_gpu(doc, cpu, i + 1, 0x10, type);
        if (place->net >= 0)
            add_net(doc, cpu, 0x100 + (uint32_t)place->net, 0x80, type);
    }
}

static void add_machine(struct orr_doc *doc, const struct orr_machine_type *type)
{
    uint32_t cpus = cpus_of(type), switches = switches_of(type), gpu = 0, net = 0;
    bool alone = type->nets == 1 && type->gpus > 1, switched = orr_machine_type_has_switches(type);
    if (type->places)
        add_places(doc, type);
    for (uint32_t i = 0; i < (type->places ? 0 : cpus); i++) {
        struct orr_doc_node *cpu = add_cpu(doc, (int)i);
        for (uint32_t s = switches * i / cpus; s < switches * (i + 1) / cpus; s++) {
            struct orr_doc_node *parent = switched ? add_device(doc, cpu, s + 1, 0, "0x060400") : cpu;
            if (switched)
                set_link(doc, parent, type->board->link_speed, 16);
            for (; gpu < type->gpus * (s + 1) / switches; gpu++)
                add_gpu(doc, parent, s + 1, 0x10 + gpu, type);
            for (; !alone && net < type->nets * (s + 1) / switches; net++)
                add_net(doc, parent, s + 1, 0x80 + net, type);
        }
        if (alone && !i)
            add_net(doc, cpu, 0, 0x80, type);
    }
}

/* Changes the notes of the filled-in machine: its own kind and title, and what is made up. */
static enum orr_code name_it(struct orr_dump *dump, const struct orr_machine_type *type, struct orr_error *err)
{
    static const struct orr_missing real = {
        .what = "the machine's own bus ids, PCIe switches and link states",
        .command = "NCCL_TOPO_DUMP_FILE=topo.xml ./all_reduce_perf -b 8 -e 8 -g 8",
    };
    const char *made_up = orr_machine_type_made_up(type);
    const char *sentence = orr_arena_printf(dump->arena, "Assumed about the input: %s.", made_up);
    const struct orr_dump_notes *old = dump->notes;
    struct orr_dump_notes *notes = ORR_NEW(dump->arena, struct orr_dump_notes, 1);
    struct orr_assumed *assumed = ORR_NEW(dump->arena, struct orr_assumed, (size_t)old->assumed_count + 1);
    ORR_NEED(notes && assumed && sentence, err);
    *notes = *old;
    memcpy(assumed, old->assumed, old->assumed_count * sizeof *assumed);
    assumed[old->assumed_count] = (struct orr_assumed){
        .what = made_up, .sentence = sentence, .touches = ORR_TOUCHES_PATHS | ORR_TOUCHES_GDR | ORR_TOUCHES_CHANNELS};
    notes->kind = "machine-type";
    notes->title = "machine type";
    notes->recognised = type->title;
    notes->joined = orr_machine_joined(type) > 1 ? orr_machine_joined(type) : 0;
    notes->assumed = assumed;
    notes->assumed_count = old->assumed_count + 1;
    notes->missing = &real;
    notes->missing_count = 1;
    dump->notes = notes;
    memset(dump->assumed, 0xff, sizeof dump->assumed);
    return ORR_OK;
}

/* A rack: copies of its tray as one system, in which each is a host. The tray's arena owns it all. */
static enum orr_code join_trays(struct orr_dump **dump, uint32_t trays, uint32_t gpus, struct orr_error *err)
{
    struct orr_dump *tray = *dump, *rack;
    struct orr_arena *arena = tray->arena;
    struct orr_dump_piece *pieces = ORR_NEW(arena, struct orr_dump_piece, trays);
    int32_t *ranks = ORR_NEW(arena, int32_t, (size_t)trays * gpus);
    ORR_NEED(pieces && ranks, err);
    for (uint32_t i = 0; i < trays * gpus; i++)
        ranks[i] = (int32_t)i;
    for (uint32_t t = 0; t < trays; t++)
        pieces[t] = (struct orr_dump_piece){.dump = tray, .ranks = ranks + (size_t)t * gpus, .count = gpus};
    ORR_TRY(orr_dump_combine(pieces, trays, orr_release_default(), arena, &rack, err));
    rack->arena = arena;
    rack->notes = tray->notes;
    memcpy(rack->assumed, tray->assumed, sizeof rack->assumed);
    *dump = rack;
    return ORR_OK;
}

enum orr_code orr_input_machine_with(const struct orr_machine_type *type, unsigned nics, struct orr_dump **ret_dump,
                                     struct orr_error *err)
{
    const struct orr_input_options options = {.assumed = type, .assumed_nics = nics};
    struct orr_doc doc;
    ORR_LOCAL_ARENA(arena, 0);
    orr_doc_init(&doc, arena);
    add_machine(&doc, type);
    struct orr_dump *made = orr_doc_to_dump(&doc, NULL);
    ORR_NEED(made, err);
    made->arena = orr_arena_take(&arena);
    ORR_TRY(orr_input_take(made, &options, ret_dump, err));
    enum orr_code code = name_it(*ret_dump, type, err);
    if (code == ORR_OK && orr_machine_trays(type) > 1)
        code = join_trays(ret_dump, orr_machine_trays(type), type->gpus, err);
    if (code != ORR_OK) {
        orr_dump_free(*ret_dump);
        *ret_dump = NULL;
    }
    return code;
}

enum orr_code orr_input_machine(const struct orr_machine_type *type, struct orr_dump **ret_dump, struct orr_error *err)
{
    return orr_input_machine_with(type, 0, ret_dump, err);
}

const char *orr_machine_named(const struct orr_input *input)
{
    static const char sign[] = "machine type:";
    const size_t size = sizeof sign - 1, left = input->length - input->start;
    if (left <= size || strncasecmp(input->bytes + input->start, sign, size) != 0)
        return NULL;
    const size_t name = orr_bytes_blanks(input->bytes, input->length, input->start + size);
    const char *end = memchr(input->bytes + name, '\n', input->length - name);
    const size_t behind = end ? (size_t)(end - input->bytes) : input->length;
    return name < input->length && orr_bytes_blanks(input->bytes, input->length, behind) == input->length
               ? input->bytes + name
               : NULL;
}

enum orr_code orr_read_machine(const struct orr_input *input, const struct orr_input_kind *kind,
                               struct orr_dump **ret_dump, struct orr_error *err)
{
    char name[64];
    const char *at = orr_machine_named(input);
    size_t length = 0, most = (size_t)(input->bytes + input->length - at);
    (void)kind; /* orr_input_machine() notes the same */
    while (length < most && !strchr(" \t\r\n", at[length] ? at[length] : ' '))
        length++;
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), at);
    const struct orr_machine_type *type = orr_machine_type_find(name);
    if (type)
        return orr_input_machine_with(type, input->options.assumed_nics, ret_dump, err);
    const enum orr_code code = orr_machine_type_unknown(name, err);
    orr_error_where(err, "machine type");
    return code;
}
