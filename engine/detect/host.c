/* SPDX-License-Identifier: Apache-2.0 */
/* The <cpu> elements: NUMA nodes, with the processor's description of itself. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/detect/detecting.h"

static void set_hash(struct orr_detector *d, struct orr_doc_node *cpu)
{
    uint64_t hash = d->rules.hash == ORR_HASH_WIDE ? d->facts.hash_wide : d->facts.hash_bytewise;
    if (d->rules.hash == ORR_HASH_NONE)
        return;
    if (!d->facts.hashed)
        orr_note(d, ORR_NOTE_NO_HOST, "the copy has neither host name nor boot id, so host_hash is 0");
    orr_doc_set_once(d->tree, cpu, ORR_ATTR_HOST_HASH, hash ? "0x%" PRIx64 : "%" PRIx64, hash);
}

struct orr_doc_node *orr_host_cpu(struct orr_detector *d, const char *numa)
{
    struct orr_doc_node *cpu = orr_doc_child_with(d->tree->system, ORR_ELEMENT_CPU, ORR_ATTR_NUMAID, numa);
    if (cpu)
        return cpu;
    cpu = orr_doc_add(d->tree, d->tree->system, ORR_ELEMENT_CPU, NULL);
    set_hash(d, cpu);
    orr_doc_set(d->tree, cpu, ORR_ATTR_NUMAID, "%s", numa);
    if ((!numa[0] || !strcmp(numa, "-1")) && orr_root_find(d->root, "/sys/bus/pci/devices", NULL) == ORR_ROOT_FOLDER)
        orr_note(d, ORR_NOTE_NO_NUMA,
                 "the kernel does not know the NUMA node of some devices: they are attached to a CPU \"%s\"", numa);
    return cpu;
}

static void set_affinity(struct orr_detector *d, struct orr_doc_node *cpu)
{
    enum { LONGEST = 253 }; /* that NCCL reads back */
    char path[96], mask[ORR_SYS_VALUE];
    const char *numa = orr_doc_get(cpu, ORR_ATTR_NUMAID);
    if (orr_doc_get(cpu, ORR_ATTR_AFFINITY) || !numa)
        return;
    snprintf(path, sizeof path, "/sys/devices/system/node/node%.6s", numa);
    orr_sys_value(d, path, "cpumap", mask);
    if (strlen(mask) > LONGEST)
        orr_note(d, ORR_NOTE_LONG_AFFINITY,
                 "the CPU mask of NUMA node %.6s is longer than NCCL reads: affinity has its first %zu characters, for "
                 "the highest CPUs",
                 numa, strlen(mask));
    orr_surroundings_cpu(d, numa, mask);
    if (mask[0] || d->rules.affinity_always)
        orr_doc_set(d->tree, cpu, ORR_ATTR_AFFINITY, "%s", mask);
    if (!mask[0] && strcmp(numa, "-1"))
        orr_note(d, ORR_NOTE_NO_AFFINITY, "%s/cpumap cannot be read: the CPU has no affinity", path);
}

void orr_host_complete(struct orr_detector *d, struct orr_doc_node *cpu)
{
    const struct orr_host_facts *facts = &d->facts;
    set_affinity(d, cpu);
    if (!facts->arch[0])
        orr_note(d, ORR_NOTE_NO_PROCESSOR, "the processor is not known, so Orrery writes x86_64 without a vendor");
    const char *arch = facts->arch[0] ? facts->arch : "x86_64";
    orr_doc_set_once(d->tree, cpu, ORR_ATTR_ARCH, "%s", arch);
    if (strcmp(arch, "x86_64")) /* from this machine, even if a topology file says otherwise */
        return;
    orr_doc_set_once(d->tree, cpu, ORR_ATTR_VENDOR, "%s", facts->cpu_vendor);
    if (facts->cpu_vendor[0]) {
        orr_doc_set_once(d->tree, cpu, ORR_ATTR_FAMILYID, "%d", facts->cpu_family);
        orr_doc_set_once(d->tree, cpu, ORR_ATTR_MODELID, "%d", facts->cpu_model);
    }
}
