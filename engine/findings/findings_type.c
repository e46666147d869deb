/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about a machine that fits a known type except in one figure: GPUs or NICs are missing, or all NICs are
 * slower. A comparison of its devices with one another does not show that. */
#include "engine/findings/finder.h"

/* The machine as it was given: NCCL may fuse NICs, and a list such as NCCL_IB_HCA excludes some. */
struct given {
    struct orr_hardware_facts hw;
    struct orr_machine machine;
};

static bool read_given(const struct orr_finder *f, struct given *ret_given)
{
    *ret_given = (struct given){f->hw, f->machine};
    if (!f->analysis || f->analysis->given == f->dump)
        return true;
    if (!orr_hardware_read(f->analysis->given, f->arena, &ret_given->hw))
        return false;
    orr_machine_recognise(&ret_given->hw, &ret_given->machine);
    return true;
}

/* A speed that is assumed proves nothing. */
static bool is_nearly(const struct given *given, const struct orr_nearly *nearly, enum orr_differs differs)
{
    return nearly->differs == differs && !orr_dump_assumed(given->hw.dump, ORR_ELEMENT_NET, ORR_ATTR_SPEED);
}

/* "dgx-h100 or hgx-h100", "dgx-a100, hgx-a100 or 3 more types". */
static void write_types(const struct orr_nearly *nearly, struct orr_text *text)
{
    const uint32_t named = nearly->count < ORR_MOST_NEARLY ? nearly->count : ORR_MOST_NEARLY;
    for (uint32_t i = 0; i < named; i++)
        orr_text_printf(text, "%s%s", !i ? "" : i + 1 == nearly->count ? " or " : ", ", nearly->types[i]->name);
    if (nearly->count > named)
        orr_text_printf(text, " or %u more", nearly->count - named);
}

/* The assumption of the comparison with the type, and what it means if other hardware was bought. */
static void write_evidence(const struct orr_nearly *nearly, const char *fits, struct orr_text *text)
{
    orr_text_printf(text, "; %s%s fit %s", nearly->cpu ? "CPU, " : "", fits,
                    nearly->count == 1 ? "this type" : "these types");
    if (nearly->chosen)
        orr_text_puts(text, ", but the maker of the server chooses the NICs");
}

static void point_at_ports(struct orr_finder *f, const struct given *given)
{
    uint32_t *nets = ORR_NEW(f->arena, uint32_t, given->hw.net_count);
    if (!nets || given->hw.dump != f->dump)
        return;
    const uint32_t count = orr_job_ports(&given->hw, given->machine.nearly.types[0], nets);
    for (uint32_t i = 0; i < count; i++)
        orr_point(f, nets[i]);
}

/* Several hosts of one dump have more GPUs than a type: then nothing is said. */
static bool write_fewer_gpus(const struct given *given, const struct orr_nearly *nearly, struct orr_text *text)
{
    if (given->hw.gpu_count >= nearly->types[0]->gpus)
        return false;
    orr_text_printf(text, ", and %u instead of %u GPUs are there", given->hw.gpu_count, nearly->types[0]->gpus);
    return true;
}

static void ports_below_type(struct orr_finder *f)
{
    struct given given;
    ORR_LOCAL_TEXT(text, 512);
    if (!read_given(f, &given) || !is_nearly(&given, &given.machine.nearly, ORR_DIFFERS_PORT_SPEED))
        return;
    const struct orr_nearly *nearly = &given.machine.nearly;
    const uint32_t ports = nearly->types[0]->nets;
    orr_text_puts(&text, "like ");
    write_types(nearly, &text);
    if (ports == 1)
        orr_text_puts(&text, ", but the NIC runs");
    else
        orr_text_printf(&text, ", but all %u NIC ports run", ports);
    orr_text_printf(&text, " at %g instead of %g Gb/s", nearly->here / 1000.0, nearly->there / 1000.0);
    const bool fewer = write_fewer_gpus(&given, nearly, &text);
    write_evidence(nearly,
                   fewer ? "model of the GPUs, and number and names of the NICs"
                         : "GPUs, and number and names of the NICs",
                   &text);
    orr_say(f, "%s", orr_text_data(&text));
    if (nearly->chosen)
        orr_say_remedy(
            f, NULL,
            "If this machine was bought with such slow NICs, it is as it should be. Otherwise check Rate of every port "
            "(`ibstat`): cables, transceivers or switch ports of a slower generation limit all NICs alike.",
            NULL);
    point_at_ports(f, &given);
}

static void nics_below_type(struct orr_finder *f)
{
    struct given given;
    ORR_LOCAL_TEXT(text, 512);
    if (!read_given(f, &given) || !is_nearly(&given, &given.machine.nearly, ORR_DIFFERS_PORTS))
        return;
    const struct orr_nearly *nearly = &given.machine.nearly;
    orr_text_puts(&text, "like ");
    write_types(nearly, &text);
    orr_text_printf(&text, ", but %u instead of %u NIC ports", nearly->here, nearly->there);
    uint32_t slower = 0;
    for (uint32_t i = 0; i < given.hw.net_count; i++)
        slower += orr_has_name_of(nearly->types[0], orr_element_word(given.hw.dump, given.hw.nets[i], ORR_ATTR_NAME));
    if (slower > nearly->here)
        orr_text_printf(&text, " of this speed, and %u slower", slower - nearly->here);
    if (nearly->slower)
        orr_text_printf(&text, ", and these run slower than %g Gb/s", nearly->types[0]->net_mbps / 1000.0);
    write_evidence(nearly, nearly->slower ? "GPUs, and names of the NICs" : "GPUs, and names and speed of the NICs",
                   &text);
    if (nearly->chosen)
        orr_text_puts(&text, "; some PCIe switches with GPUs have a NIC, others have none");
    orr_say(f, "%s", orr_text_data(&text));
}

/* A type that the machine may be although it may also be right as it is: two types differ only in their NICs, or the
 * server's maker chooses them. */
static bool may_be_another(struct orr_finder *f, struct given *given)
{
    return read_given(f, given) && !(f->analysis && f->analysis->cluster) &&
           !(given->hw.dump->notes && !strcmp(given->hw.dump->notes->kind, "machine-type"));
}

static void ports_of_other_type(struct orr_finder *f)
{
    struct given given;
    ORR_LOCAL_TEXT(text, 512);
    if (!may_be_another(f, &given) || !is_nearly(&given, &given.machine.slower, ORR_DIFFERS_PORT_SPEED))
        return;
    const struct orr_nearly *other = &given.machine.slower;
    write_types(other, &text);
    orr_text_printf(&text, " differs only in that its NIC ports run at %g instead of %g Gb/s", other->there / 1000.0,
                    other->here / 1000.0);
    if (given.hw.gpu_count < other->types[0]->gpus)
        orr_text_printf(&text, " and it has %u instead of %u GPUs", other->types[0]->gpus, given.hw.gpu_count);
    orr_say(f, "%s", orr_text_data(&text));
}

static void nics_of_other_type(struct orr_finder *f)
{
    struct given given;
    ORR_LOCAL_TEXT(text, 512);
    if (!may_be_another(f, &given) || !is_nearly(&given, &given.machine.fewer, ORR_DIFFERS_PORTS))
        return;
    const struct orr_nearly *other = &given.machine.fewer;
    write_types(other, &text);
    orr_say(f, "%s differs only in that it has %u instead of %u NIC ports", orr_text_data(&text), other->there,
            other->here);
}

/* In a cluster, half of the GPUs are more likely those that the job uses; hosts are compared with one another
 * instead. */
static void gpu_missing(struct orr_finder *f)
{
    struct given given;
    ORR_LOCAL_TEXT(text, 512);
    if (!read_given(f, &given))
        return;
    const struct orr_machine *machine = &given.machine;
    if (machine->type && machine->gpus_here < machine->gpus) {
        orr_say(f, "%u GPUs are in the dump; machines of this kind, such as %s, have %u", machine->gpus_here,
                machine->type->title, machine->gpus);
        return;
    }
    if (!machine->type && machine->gpus_here < machine->gpus) {
        orr_say(f, "%u GPUs are in the dump of several hosts; if each had as many as most, there would be %u",
                machine->gpus_here, machine->gpus);
        return;
    }
    if (!is_nearly(&given, &machine->nearly, ORR_DIFFERS_GPUS) || (f->analysis && f->analysis->cluster))
        return;
    orr_text_puts(&text, "like ");
    write_types(&machine->nearly, &text);
    orr_text_printf(&text, ", but %u instead of %u GPUs", machine->nearly.here, machine->nearly.there);
    write_evidence(&machine->nearly, "model of the GPUs, and number, names and speed of the NICs", &text);
    orr_say(f, "%s", orr_text_data(&text));
}

/* Where software makes up the speeds, virtual-nics says that nothing is known. */
static bool has_virtual(const struct orr_hardware_facts *hw)
{
    for (uint32_t i = 0; i < hw->net_count; i++)
        if (orr_name_is_virtual(orr_element_word(hw->dump, hw->nets[i], ORR_ATTR_NAME)))
            return true;
    return false;
}

/* The bandwidth of the NICs for each GPU, Gb/s. */
static double gbps_of_gpu(const struct orr_hardware_facts *hw)
{
    double sum = 0;
    for (uint32_t i = 0; i < hw->net_count; i++)
        sum += orr_element_int(hw->dump, hw->nets[i], ORR_ATTR_SPEED, 0) / 1000.0;
    return sum / hw->gpu_count;
}

static void nics_below_generation(struct orr_finder *f)
{
    struct given given;
    if (f->analysis->query.hosts < 2 || !read_given(f, &given) || given.machine.nearly.differs == ORR_DIFFERS_PORTS ||
        given.machine.nearly.differs == ORR_DIFFERS_PORT_SPEED ||
        orr_dump_assumed(given.hw.dump, ORR_ELEMENT_NET, ORR_ATTR_SPEED) || has_virtual(&given.hw))
        return;
    const struct orr_machine_type *type = orr_machine_of_faster_nics(&given.hw, &given.machine);
    if (!type)
        return;
    const double gbps = gbps_of_gpu(&given.hw), least = (double)type->nets * type->net_mbps / type->gpus / 1000;
    const bool same_gpu = given.machine.board && !strcmp(given.machine.board->gpu, type->board->gpu);
    orr_say(f, "%u port%s for %u GPU%s, %.3g Gb/s for each; %s%s%s have at least %.3g, as %s does", given.hw.net_count,
            orr_plural(given.hw.net_count), given.hw.gpu_count, orr_plural(given.hw.gpu_count), gbps,
            same_gpu ? "machine types with this GPU (" : "all machine types", same_gpu ? type->board->gpu : "",
            same_gpu ? ")" : "", least, type->name);
    for (uint32_t i = 0; given.hw.dump == f->dump && i < f->hw.net_count; i++)
        orr_point(f, f->hw.nets[i]);
}

const struct orr_finding_row orr_findings_type[] = {
    {ORR_FINDING("gpu-missing", NULL, WARNING, NCCL, gpu_missing), .title = "The machine has fewer GPUs than its type",
     .why = "A GPU that failed is gone from the PCIe bus, and jobs on whole machines cannot start. If the job was "
            "meant to use these GPUs only, this is fine.",
     .advice = "Count the GPUs with `nvidia-smi -L`. If one is missing, look for Xid 79 in the kernel log.",
     .commands = {"nvidia-smi -L", "dmesg | grep -i xid", "lspci -d 10de: | wc -l"}},
    {ORR_FINDING("ports-below-type", NULL, WARNING, NCCL, ports_below_type),
     .title = "All NICs run slower than those of this machine type",
     .why = "Every channel between hosts runs at the speed of its NIC. As all NICs are equally slow, a comparison with "
            "one another does not show it.",
     .advice = "Check Rate of every port (`ibstat`). Cables, transceivers or switch ports of a slower generation, or a "
               "setting of the switches, limit all NICs alike.",
     .commands = {"ibstat | grep -E 'CA |Rate'", "mlxlink -d mlx5_0"}},
    {ORR_FINDING("nics-below-type", NULL, WARNING, NCCL, nics_below_type),
     .title = "Half of the NICs of this machine type, or more, are missing or slow",
     .why = "GPUs share the NICs that are left, so each gets less bandwidth between hosts.",
     .advice = "Count the NICs on the PCIe bus and those with a driver and an active port. In a container, check that "
               "it sees all of them.",
     .commands = {"lspci | grep -i -E 'mellanox|infiniband|ethernet'", "ibdev2netdev", "ls /dev/infiniband"}},
    {ORR_FINDING("nics-of-other-type", NULL, INFO, NCCL, nics_of_other_type),
     .title = "Another machine type differs only in that it has more NICs",
     .why = "If this machine is of that type, NICs are missing. The dump alone does not show which of the two it is.",
     .advice = "Name the machine that this should be: `orrery gate --expect TYPE`.",
     .commands = {"lspci | grep -i -E 'mellanox|infiniband|ethernet'"}},
    {ORR_FINDING("ports-of-other-type", NULL, INFO, NCCL, ports_of_other_type),
     .title = "Another machine type differs only in that its NICs are faster",
     .why = "If this machine is of that type, all ports run too slow. The dump alone does not show which of the two it "
            "is.",
     .advice = "Name the machine that this should be: `orrery gate --expect TYPE`.",
     .commands = {"ibstat | grep -E 'CA |Rate'"}},
    {ORR_FINDING("nics-below-generation", NULL, WARNING, ANALYSIS, nics_below_generation),
     .title = "The NICs are far slower than those of machines with such GPUs",
     .why =
         "A job on several hosts waits for its NICs nearly all the time. Often NCCL sees the management network only.",
     .advice = "Check that the host and the container have the NICs that are meant for jobs, with driver and "
               "/dev/infiniband, and that NCCL_IB_HCA and NCCL_SOCKET_IFNAME do not exclude them. If this machine is "
               "for jobs on one host, that is fine.",
     .commands = {"ibdev2netdev", "ip -br addr", "lspci | grep -i -E 'mellanox|infiniband|ethernet'"},
     .follows_from = {"sockets-only", "port-slow"}},
    {0},
};
