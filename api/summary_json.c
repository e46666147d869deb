/* What machine a dump describes: counts, and a sentence made of them. */
#include <stdlib.h>
#include <string.h>

#include "api/sections.h"

enum { MOST_KINDS = 8 };

/* Distinct values with how often each occurs, in order of appearance. */
struct tally {
    int64_t values[MOST_KINDS];
    uint32_t counts[MOST_KINDS];
    int kinds;
};

struct machine {
    uint32_t gpus, ranked, cpus, nics, nets, switches, nvlinks, c2cs, hosts;
    bool nvswitch;
    struct tally sm, speed; /* of GPUs with a rank, or of all where none has; Mb/s of NETs */
    const char *arch, *vendor;
};

static void count(struct tally *tally, int64_t value)
{
    for (int i = 0; i < tally->kinds; i++)
        if (tally->values[i] == value) {
            tally->counts[i]++;
            return;
        }
    if (tally->kinds == MOST_KINDS)
        return;
    tally->values[tally->kinds] = value;
    tally->counts[tally->kinds++] = 1;
}

static bool holds(const struct orr_dump *dump, uint32_t element, enum orr_element_kind kind)
{
    for (uint32_t i = dump->elements[element].first_child; i != ORR_NO_ELEMENT; i = dump->elements[i].next_sibling)
        if (dump->elements[i].kind == kind)
            return true;
    return false;
}

static void look_at(const struct orr_dump *dump, uint32_t element, struct machine *machine)
{
    const char *text;
    switch (dump->elements[element].kind) {
    case ORR_ELEMENT_GPU:
        machine->gpus++;
        machine->ranked += orr_element_text(dump, element, ORR_ATTR_RANK) != NULL;
        if (orr_element_text(dump, element, ORR_ATTR_SM))
            count(&machine->sm, orr_element_int(dump, element, ORR_ATTR_SM, 0));
        break;
    case ORR_ELEMENT_NVLINK:
        machine->nvlinks++;
        text = orr_element_text(dump, element, ORR_ATTR_TCLASS);
        machine->nvswitch |= text && !strncmp(text, "0x068", 5);
        break;
    case ORR_ELEMENT_C2C:
        machine->c2cs++;
        break;
    case ORR_ELEMENT_CPU:
        machine->cpus++;
        if (!machine->arch)
            machine->arch = orr_element_text(dump, element, ORR_ATTR_ARCH);
        if (!machine->vendor)
            machine->vendor = orr_element_text(dump, element, ORR_ATTR_VENDOR);
        break;
    case ORR_ELEMENT_NIC:
        machine->nics++;
        break;
    case ORR_ELEMENT_NET:
        machine->nets++;
        count(&machine->speed, orr_element_int(dump, element, ORR_ATTR_SPEED, 0));
        break;
    case ORR_ELEMENT_PCI:
        machine->switches += holds(dump, element, ORR_ELEMENT_PCI);
        break;
    default:
        break;
    }
}

/* Distinct hosts, as far as the first few hundred: a file of thousands is no machine. */
static uint32_t count_hosts(const struct orr_dump *dump)
{
    enum { MOST_HOSTS = 256 };
    const char *hashes[MOST_HOSTS];
    uint32_t known = 0;
    for (uint32_t i = 0; i < dump->element_count && known < MOST_HOSTS; i++) {
        const char *hash =
            dump->elements[i].kind == ORR_ELEMENT_CPU ? orr_element_text(dump, i, ORR_ATTR_HOST_HASH) : NULL;
        uint32_t k = 0;
        while (hash && k < known && strcmp(hashes[k], hash))
            k++;
        if (hash && k == known)
            hashes[known++] = hash;
    }
    return known ? known : 1;
}

static const char *generation(int64_t sm)
{
    static const struct {
        int64_t sm_min;
        const char *name;
    } names[] = {{100, "Blackwell"}, {90, "Hopper"}, {89, "Ada"},   {80, "Ampere"},
                 {75, "Turing"},     {70, "Volta"},  {60, "Pascal"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (sm >= names[i].sm_min)
            return names[i].name;
    return "older";
}

static void say_gpus(struct orr_text *text, const struct machine *machine)
{
    if (!machine->gpus) {
        orr_text_puts(text, "no GPU");
        return;
    }
    bool alike = machine->sm.kinds == 1;
    int sm = alike ? (int)machine->sm.values[0] : 0;
    orr_text_printf(text, "%u %s%sGPU%s", machine->gpus, alike ? generation(sm) : "", alike ? " " : "",
                    machine->gpus == 1 ? "" : "s");
    if (alike)
        orr_text_printf(text, " (capability %d.%d)", sm / 10, sm % 10);
    if (machine->ranked < machine->gpus)
        orr_text_printf(text, ", %u of them with a rank", machine->ranked);
    orr_text_puts(text, machine->nvswitch  ? ", NVLink through switches"
                        : machine->nvlinks ? ", NVLink from GPU to GPU"
                                           : ", no NVLink");
    if (machine->c2cs)
        orr_text_puts(text, ", C2C to the CPU");
}

static void say(struct orr_text *text, const struct machine *machine)
{
    if (machine->hosts > 1)
        orr_text_printf(text, "%u hosts in one NVLink domain: ", machine->hosts);
    say_gpus(text, machine);
    orr_text_printf(text, "; %u NUMA domain%s", machine->cpus, machine->cpus == 1 ? "" : "s");
    if (machine->arch)
        orr_text_printf(text, " (%.16s%s%.16s)", machine->arch, machine->vendor ? ", " : "",
                        machine->vendor ? machine->vendor : "");
    if (!machine->nets) {
        orr_text_puts(text, "; no network device");
        return;
    }
    orr_text_puts(text, "; ");
    for (int i = 0; i < machine->speed.kinds; i++)
        orr_text_printf(text, "%s%u network port%s of %g Gb/s", i ? ", " : "", machine->speed.counts[i],
                        machine->speed.counts[i] == 1 ? "" : "s", (double)machine->speed.values[i] / 1000.0);
}

json_t *orr_machine_json(struct orr_json *json, const struct orr_dump *dump)
{
    struct machine machine = {.hosts = count_hosts(dump)};
    for (uint32_t i = 0; i < dump->element_count; i++)
        look_at(dump, i, &machine);
    struct orr_text text;
    orr_text_init(&text, 1024);
    say(&text, &machine);
    json_t *object = orr_json_object(json), *capabilities = orr_json_array(json), *speeds = orr_json_array(json);
    orr_json_set(json, object, "sentence", orr_json_text_of(json, &text));
    orr_json_set(json, object, "gpus", orr_json_int(json, machine.gpus));
    orr_json_set(json, object, "ranks", orr_json_int(json, machine.ranked));
    orr_json_set(json, object, "hosts", orr_json_int(json, machine.hosts));
    orr_json_set(json, object, "numa_domains", orr_json_int(json, machine.cpus));
    orr_json_set(json, object, "pci_switches", orr_json_int(json, machine.switches));
    orr_json_set(json, object, "nics", orr_json_int(json, machine.nics));
    orr_json_set(json, object, "nets", orr_json_int(json, machine.nets));
    orr_json_set(json, object, "nvlink",
                 orr_json_text(json, machine.nvswitch  ? "switched"
                                     : machine.nvlinks ? "direct"
                                                       : "none"));
    for (int i = 0; i < machine.sm.kinds; i++)
        orr_json_add(json, capabilities, orr_json_int(json, machine.sm.values[i]));
    for (int i = 0; i < machine.speed.kinds; i++)
        orr_json_add(json, speeds, orr_json_number(json, (double)machine.speed.values[i] / 1000.0));
    orr_json_set(json, object, "capabilities", capabilities);
    orr_json_set(json, object, "net_gbps", speeds);
    orr_text_release(&text);
    return object;
}

json_t *orr_summary_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    const struct orr_communicator *communicator = &analysis->communicator;
    const struct orr_graph *ring = &analysis->parts[0].contribution.graphs[ORR_GRAPH_RING];
    json_t *object = orr_json_object(json);
    json_t *types = orr_json_array(json);
    bool seen[ORR_PATH_TYPE_COUNT] = {0};
    const struct orr_part *part = &analysis->parts[0];
    for (uint32_t a = part->system.first[ORR_GPU]; a < part->system.first[ORR_GPU + 1]; a++)
        for (uint32_t b = part->system.first[ORR_GPU]; b < part->system.first[ORR_GPU + 1]; b++)
            if (a != b)
                seen[orr_path(&part->paths, a, b)->type] = true;
    for (int i = 0; i < ORR_PATH_TYPE_COUNT; i++)
        if (seen[i])
            orr_json_add(json, types, orr_json_text(json, orr_path_type_name((enum orr_path_type)i)));
    uint32_t p2p = 0;
    for (size_t i = 0; i < (size_t)analysis->local_ranks * analysis->local_ranks; i++)
        p2p += i / analysis->local_ranks != i % analysis->local_ranks && analysis->p2p[i].decision.verdict;
    orr_json_set(json, object, "machine", orr_machine_json(json, analysis->dump));
    orr_json_set(json, object, "nodes", orr_json_int(json, communicator->node_count));
    orr_json_set(json, object, "systems_per_host", orr_json_int(json, analysis->part_count));
    orr_json_set(json, object, "channels", orr_json_int(json, communicator->channel_count));
    orr_json_set(json, object, "ring_bw", orr_json_number(json, (double)ring->bw_intra * ring->channels));
    orr_json_set(json, object, "gpu_path_types", types);
    orr_json_set(json, object, "p2p_pairs", orr_json_int(json, p2p));
    orr_json_set(json, object, "pairs",
                 orr_json_int(json, (int64_t)analysis->local_ranks * ((int64_t)analysis->local_ranks - 1)));
    orr_json_set(json, object, "nvls", orr_json_bool(json, communicator->nvls));
    orr_json_set(json, object, "collnet", orr_json_bool(json, communicator->collnet));
    return object;
}
