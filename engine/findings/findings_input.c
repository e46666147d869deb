/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about the file itself. */
#include "engine/analysis/failing.h"
#include "engine/findings/finder.h"

static void nccl_refuses(struct orr_finder *f)
{
    if (!f->dump->refusal.line || (f->analysis && f->analysis->built.host_count > 1))
        return; /* several-hosts says that no file of several hosts can be NCCL_TOPO_FILE */
    orr_say(f, "%s", f->dump->refusal.text);
    orr_point(f, ORR_NO_ELEMENT);
    f->at->places[0].line = f->dump->refusal.line;
    f->at->places[0].column = f->dump->refusal.column;
}

static bool fails(const struct orr_finder *f, struct orr_failure *ret_failure)
{
    return f->analysis && orr_analysis_fails(f->analysis, ret_failure);
}

static void nccl_fails(struct orr_finder *f)
{
    struct orr_failure failure;
    if (!fails(f, &failure) || failure.lacks_nets)
        return;
    orr_say(f, "%s", failure.text);
    if (failure.host_rank >= 0)
        orr_point_rank(f, failure.host_rank);
}

static void nccl_needs_nic(struct orr_finder *f)
{
    struct orr_failure failure;
    if (fails(f, &failure) && failure.lacks_nets)
        orr_say(f, "%s", failure.text);
}

static void rccl_file(struct orr_finder *f)
{
    if (f->rccl)
        orr_say(f, "the file has %s", f->rccl);
}

static void assumed_input(struct orr_finder *f)
{
    const struct orr_dump_notes *notes = f->dump->notes;
    if (notes && notes->assumed_count)
        orr_say(f, "%s: %u assumption%s, the first is that %s", notes->title, notes->assumed_count,
                orr_plural(notes->assumed_count), notes->assumed[0].what);
}

static void ignored_elements(struct orr_finder *f)
{
    if (!f->dump->ignored_count)
        return;
    orr_say(f, "%u element%s, the first is <%s>", f->dump->ignored_count, orr_plural(f->dump->ignored_count),
            f->dump->ignored_name);
    orr_point(f, ORR_NO_ELEMENT);
    f->at->places[0].line = f->dump->ignored_line;
}

static void cpu_incomplete(struct orr_finder *f)
{
    static const enum orr_attr needed[] = {ORR_ATTR_ARCH, ORR_ATTR_VENDOR, ORR_ATTR_FAMILYID, ORR_ATTR_MODELID};
    const char *first = NULL;
    for (uint32_t i = 0; i < f->hw.cpu_count; i++) {
        uint32_t cpu = f->hw.cpus[i];
        bool x86 = !strcmp(orr_attr_of(f, cpu, ORR_ATTR_ARCH), "x86_64"), missing = false;
        for (size_t a = 0; a < sizeof needed / sizeof needed[0] && (!a || x86); a++)
            if (!orr_element_text(f->dump, cpu, needed[a])) {
                first = first ? first : orr_attr_name(needed[a]);
                missing = true;
            }
        if (missing && f->dump->elements[cpu].first_child != ORR_NO_ELEMENT)
            orr_point(f, cpu);
    }
    if (f->at->place_count)
        orr_say(f, "the first attribute that is missing is %s", first);
}

static void unknown_attributes(struct orr_finder *f)
{
    const char *first = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->dump->element_count; i++) {
        const struct orr_element *element = &f->dump->elements[i];
        bool odd = false;
        for (uint32_t a = 0; a < element->attribute_count; a++)
            if (f->dump->attributes[element->first_attribute + a].id == ORR_ATTR_OTHER) {
                first = first ? first : f->dump->attributes[element->first_attribute + a].name;
                odd = true;
                count++;
            }
        if (odd)
            orr_point(f, i);
    }
    if (count)
        orr_say(f, "%u attribute%s, the first is %.60s", count, orr_plural(count), first);
}

static void many_elements(struct orr_finder *f)
{
    const struct orr_release *release = f->analysis->query.settings.release;
    if (f->analysis->built.host_count > 1)
        return; /* for such a domain NCCL has room for each host */
    if (f->dump->element_count >= release->max_elements)
        orr_say(f, "%u elements; NCCL %s accepts %u", f->dump->element_count, release->name, release->max_elements - 1);
}

static void numa_unknown(struct orr_finder *f)
{
    for (uint32_t i = 0; i < f->hw.cpu_count; i++)
        if (orr_element_int(f->dump, f->hw.cpus[i], ORR_ATTR_NUMAID, 0) < 0)
            orr_point(f, f->hw.cpus[i]);
    if (f->at->place_count)
        orr_say(f, "numaid=\"-1\" on %u of %u cpu elements", f->at->place_count + f->at->more_places, f->hw.cpu_count);
}

static void several_hosts(struct orr_finder *f)
{
    const bool joined_here = (f->analysis && f->analysis->cluster) || (f->dump->notes && f->dump->notes->machine_type);
    if (joined_here) /* a cluster's description or a rack's type asked for it */
        return;
    for (uint32_t i = 1; i < f->hw.cpu_count; i++)
        if (strcmp(orr_host_of(f, f->hw.cpus[i]), orr_host_of(f, f->hw.cpus[0])) != 0) {
            orr_say(f, "host_hash %.40s and %.40s", orr_host_of(f, f->hw.cpus[0]), orr_host_of(f, f->hw.cpus[i]));
            orr_point(f, f->hw.cpus[i]);
            return;
        }
}

/* A cause that other lines of the input show, such as ACSCtl of lspci. */
static void text_shows(struct orr_finder *f)
{
    const struct orr_dump_notes *notes = f->dump->notes;
    for (uint32_t i = 0; notes && i < notes->symptom_count; i++) {
        const struct orr_pasted_symptom *symptom = &notes->symptoms[i];
        const bool finding_of_its_own = !strcmp(symptom->id, "p2p-not-offered");
        if (symptom->is_setting || finding_of_its_own)
            continue;
        orr_say(f, "%.*s", (int)(strlen(symptom->cause) - 1), symptom->cause); /* without its full stop */
        orr_say_remedy(f, NULL, symptom->cure, symptom->check);
        return;
    }
}

/* Whether a finding of its own is about a setting: setting-hinders and p2p-level-forced. */
static bool has_own_finding(const struct orr_pasted_symptom *symptom, const struct orr_settings *settings)
{
    const int64_t level = orr_setting_int(settings, ORR_SET_P2P_LEVEL);
    return strstr(symptom->id, "NCCL_P2P_DISABLE") || strstr(symptom->id, "NCCL_SHM_DISABLE") ||
           (strstr(symptom->id, "NCCL_P2P_LEVEL") && (level == ORR_PATH_LOC || level >= ORR_PATH_PHB));
}

/* Settings in the input that make transfers slower: the repair leaves them out, which gives their cost. */
static void text_sets(struct orr_finder *f)
{
    const struct orr_dump_notes *notes = f->dump->notes;
    const struct orr_settings *settings = &f->analysis->query.settings;
    const char *causes = "";
    for (uint32_t i = 0; notes && i < notes->symptom_count && causes; i++) {
        const struct orr_pasted_symptom *symptom = &notes->symptoms[i];
        if (symptom->is_setting && !has_own_finding(symptom, settings))
            causes = orr_arena_printf(f->arena, "%s%s%.*s", causes, *causes ? "; " : "",
                                      (int)(strlen(symptom->cause) - 1), symptom->cause);
    }
    if (causes && *causes)
        orr_say(f, "%s", causes);
}

const struct orr_finding_row orr_findings_input[] = {
    {ORR_FINDING("nccl-refuses-file", "L01", WARNING, NCCL, nccl_refuses),
     .title = "NCCL's own reader would refuse this file",
     .why = "The analysis is valid, but NCCL would fail with this file as NCCL_TOPO_FILE: its own reader supports only "
            "part of XML.",
     .advice = "Correct the named line, or let NCCL write the file (NCCL_TOPO_DUMP_FILE)."},
    {ORR_FINDING("text-shows", NULL, WARNING, NCCL, text_shows), .title = "The text shows a likely cause",
     .why = "Orrery reads what is pasted with a machine: NCCL's log, lspci, dmesg, command lines.",
     .advice = "Check it first."},
    {ORR_FINDING("text-sets", NULL, WARNING, ANALYSIS, text_sets),
     .title = "Settings in the text make transfers slower",
     .why = "They are part of this analysis. Such settings are often copied from a recipe for another machine.",
     .advice = "Remove them from the command line, the environment and nccl.conf unless a measurement on this machine "
               "shows that they help.",
     .commands = {"env | grep NCCL_", "cat /etc/nccl.conf ~/.nccl.conf"}, .references = {"NVIDIA/nccl-tests#319"}},
    {ORR_FINDING("nccl-would-fail", NULL, ERROR, ANALYSIS, nccl_fails), .title = "NCCL would not start on this machine",
     .why = "This release stops with an error or crashes while it initialises, so the analysis shows what it would do "
            "without that defect.",
     .advice = "Use another release: `orrery compare --against` shows what changes. Or change the setting or the link "
               "that the detail names."},
    {ORR_FINDING("nccl-needs-nic", NULL, INFO, ANALYSIS, nccl_needs_nic),
     .title = "The input lists no NIC, and this release of NCCL does not start without one",
     .why = "A job has at least a socket interface, so NCCL itself starts. The analysis shows what it decides without "
            "the NICs that the input lacks.",
     .advice = "Take a dump in a job (NCCL_TOPO_DUMP_FILE), or add the NICs: `--assume-nics` does."},
    {ORR_FINDING("rccl-file", NULL, INFO, DUMP, rccl_file), .title = "This is a file of RCCL, not of NCCL",
     .why = "RCCL is the library for AMD's GPUs. NCCL knows neither these GPUs nor the links between them (xGMI), so "
            "NCCL's rings, trees and bandwidths say nothing about a job with RCCL.",
     .advice = "Use only what Orrery says about PCIe links and NICs. It leaves out all findings about NCCL here.",
     .references = {"ROCm/rccl#1185"}},
    /* Not for files of RCCL: rccl-file says what matters there. */
    {ORR_FINDING("input-assumed", NULL, INFO, NCCL, assumed_input), .title = "Values of this input are assumed",
     .why = "The input lacks values that NCCL reads. Orrery filled them in, so answers that depend on them are only "
            "valid if the machine has these values.",
     .advice =
         "See `input` in the answer: it lists what was assumed, what is missing, and the command that supplies it."},
    {ORR_FINDING("cpu-incomplete", "L02", ERROR, NCCL, cpu_incomplete),
     .title = "A cpu lacks attributes that NCCL requires",
     .why = "NCCL stops with \"Attribute ... of node cpu not found\", unless it can fill them in itself.",
     .advice = "Add arch and, for x86_64, vendor, familyid and modelid, as shown by `lscpu`.", .commands = {"lscpu"},
     .references = {"NVIDIA/nccl#379", "aws/aws-ofi-nccl#785"}},
    {ORR_FINDING("many-elements", "L05", ERROR, ANALYSIS, many_elements),
     .title = "More elements than this release accepts",
     .why = "NCCL fails with \"too many XML nodes\" when it starts.",
     .advice = "Remove bridges without GPUs or NICs below them from the file, or use another release.",
     .references = {"NVIDIA/nccl#2160", "aws/aws-ofi-nccl#1226"}},
    {ORR_FINDING("numa-unknown", "L06", INFO, NCCL, numa_unknown), .title = "The NUMA node of devices is not known",
     .why = "NCCL cannot bind threads to the right cores, and all devices seem to be near one CPU. Virtual machines "
            "and containers often hide the NUMA node.",
     .advice = "In a virtual machine, supply a topology file of the real machine (NCCL_TOPO_FILE).",
     .commands = {"cat /sys/class/pci_bus/*/device/numa_node", "lscpu"},
     .references = {"NVIDIA/nccl#1674", "NVIDIA/nccl#811"}},
    {ORR_FINDING("ignored-elements", "L09", INFO, NCCL, ignored_elements),
     .title = "NCCL ignores some elements because of their place",
     .why = "These elements and everything inside them have no effect.",
     .advice = "If they are meant to have an effect, move them to where NCCL reads them."},
    {ORR_FINDING("unknown-attributes", "L09", INFO, NCCL, unknown_attributes), .title = "NCCL ignores some attributes",
     .why = "No release that Orrery knows reads these attributes, so they have no effect.",
     .advice = "Check for typing errors."},
    {ORR_FINDING("several-hosts", "L10", INFO, DUMP, several_hosts),
     .title = "The dump describes several hosts that NVLink joins",
     .why = "NCCL fuses the hosts of a multi-node NVLink domain into one topology.",
     .advice = "This dump cannot be used as NCCL_TOPO_FILE. Use the dump of a single host instead."},
    {0},
};
