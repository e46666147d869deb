/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/topology/machine.h"

#include <string.h>

static void count_value(struct orr_tally *tally, int64_t value)
{
    for (int i = 0; i < tally->kinds; i++)
        if (tally->values[i] == value) {
            tally->counts[i]++;
            return;
        }
    if (tally->kinds == ORR_MOST_TALLIED)
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

static void look_at(const struct orr_dump *dump, uint32_t element, struct orr_machine_summary *machine)
{
    const char *text;
    switch (dump->elements[element].kind) {
    case ORR_ELEMENT_GPU:
        machine->gpus++;
        machine->ranked += orr_element_text(dump, element, ORR_ATTR_RANK) != NULL;
        if (orr_element_text(dump, element, ORR_ATTR_SM))
            count_value(&machine->sm, orr_element_int(dump, element, ORR_ATTR_SM, 0));
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
        count_value(&machine->speed, orr_element_int(dump, element, ORR_ATTR_SPEED, 0));
        break;
    case ORR_ELEMENT_PCI:
        machine->switches += holds(dump, element, ORR_ELEMENT_PCI);
        break;
    default:
        break;
    }
}

/* Counts distinct hosts, but only up to a few hundred: a file with thousands does not describe a machine. */
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

static void say_gpus(struct orr_text *text, const struct orr_machine_summary *machine)
{
    if (!machine->gpus) {
        orr_text_puts(text, "no GPU");
        return;
    }
    bool alike = machine->sm.kinds == 1;
    int sm = alike ? (int)machine->sm.values[0] : 0;
    orr_text_printf(text, "%u %s%sGPU%s", machine->gpus, alike ? generation(sm) : "", alike ? " " : "",
                    orr_plural(machine->gpus));
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

void orr_machine_sentence(const struct orr_machine_summary *machine, struct orr_text *text)
{
    if (machine->hosts > 1)
        orr_text_printf(text, "%u hosts in one NVLink domain: ", machine->hosts);
    say_gpus(text, machine);
    orr_text_printf(text, "; %u NUMA domain%s", machine->cpus, orr_plural(machine->cpus));
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
                        orr_plural(machine->speed.counts[i]), (double)machine->speed.values[i] / 1000.0);
}

void orr_machine_summarise(const struct orr_dump *dump, struct orr_machine_summary *ret_machine)
{
    *ret_machine = (struct orr_machine_summary){.hosts = count_hosts(dump)};
    for (uint32_t i = 0; i < dump->element_count; i++)
        look_at(dump, i, ret_machine);
}
