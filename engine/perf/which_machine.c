/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the machine of a table: the one that the caller names, that a log in the same text shows, or whose type the
 * GPUs' names imply. */
#include <stdio.h>
#include <string.h>

#include "engine/cluster/cluster.h"
#include "engine/hardware/hardware.h"
#include "engine/input/input.h"
#include "engine/nics/combine.h"
#include "engine/nics/gpus.h"
#include "engine/perf/perfing.h"

void orr_perf_assume(struct orr_perf_table *table, const char *sentence)
{
    if (table->assumed_count < ORR_PERF_ASSUMED && *sentence)
        table->assumed[table->assumed_count++] = sentence;
}

/* The number of GPUs of a dump that have a rank. */
static uint32_t count_gpus(const struct orr_dump *dump)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < dump->element_count; e++)
        count += dump->elements[e].kind == ORR_ELEMENT_GPU && orr_element_int(dump, e, ORR_ATTR_RANK, -1) >= 0;
    return count;
}

/* The devices of the first host, by bus id or by number; NULL if they are not listed, or memory ran out. */
static const char *device_list(const struct orr_perf_work *work, const struct orr_result_table *measured, bool by_bus)
{
    enum { MOST = 2048 };
    char text[MOST] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < measured->device_count; i++) {
        const struct orr_result_device *device = &measured->devices[i];
        if (device->host && measured->devices[0].host && strcmp(device->host, measured->devices[0].host) != 0)
            continue;
        if (by_bus ? !device->bus_id : device->device < 0)
            return NULL;
        int length = by_bus ? snprintf(text + used, MOST - used, "%s%s", used ? "," : "", device->bus_id)
                            : snprintf(text + used, MOST - used, "%s%d", used ? "," : "", device->device);
        if (length < 0 || (size_t)length >= MOST - used)
            return NULL;
        used += (size_t)length;
    }
    return used ? orr_arena_strndup(work->arena, text, used) : NULL;
}

/* The GPUs that the job used, as the value of --gpus, if the machine has more than each host used. */
static const char *choose_gpus(const struct orr_perf_work *work, struct orr_perf_table *table,
                               const struct orr_dump *dump, uint32_t count)
{
    char first[1024] = "";
    size_t used = 0;
    for (int by_bus = 2; by_bus >= 0; by_bus--) {
        const char *list = by_bus == 2 ? table->measured->visible : device_list(work, table->measured, by_bus == 1);
        const uint32_t *gpus;
        uint32_t listed = 0;
        struct orr_error none = {0};
        if (list && orr_gpus_listed(dump, "gpus", list, work->arena, &gpus, &listed, &none) == ORR_OK &&
            listed == count)
            return list;
    }
    for (uint32_t i = 0; i < count && used < sizeof first - 12; i++)
        used += (size_t)snprintf(first + used, sizeof first - used, "%s%u", i ? "," : "", i);
    orr_perf_assume(table,
                    orr_arena_text(work->arena,
                                   "the first %u of %u GPUs of the host took part, as the results do not show which",
                                   count, count_gpus(dump)));
    const char *kept = orr_arena_strndup(work->arena, first, used);
    return kept ? kept : "";
}

/* Whether a dump has several hosts, joined by NVLink. */
static bool holds_hosts(const struct orr_dump *dump)
{
    const char *first = NULL;
    for (uint32_t e = 0; e < dump->element_count; e++) {
        if (dump->elements[e].kind != ORR_ELEMENT_CPU)
            continue;
        const char *hash = orr_element_word(dump, e, ORR_ATTR_HOST_HASH);
        if (first && strcmp(first, hash) != 0)
            return true;
        first = hash;
    }
    return false;
}

/* Whether the columns of a table allow a number of ranks. */
static bool allows(const struct orr_result_table *measured, uint64_t ranks)
{
    return !measured->ranks_most || (ranks >= measured->ranks_least && ranks <= measured->ranks_most);
}

/* The number of hosts of the job, and of GPUs on each; false, with the reason in `why`, if the machine does not fit the
 * results. */
static bool count_hosts(const struct orr_perf_work *work, struct orr_perf_table *table, const struct orr_dump *dump,
                        uint32_t *ret_hosts, uint32_t *ret_gpus, const char **why)
{
    const struct orr_result_table *measured = table->measured;
    uint32_t gpus = count_gpus(dump), ranks = measured->ranks;
    uint32_t hosts = work->question->hosts ? work->question->hosts : measured->hosts;
    const uint64_t all = (uint64_t)hosts * gpus;
    if (all > orr_max_ranks) {
        *why = orr_arena_text(work->arena, "%u hosts of %u GPUs are more than %u ranks", hosts, gpus, orr_max_ranks);
        return false;
    }
    if (hosts && !measured->ranks_certain && allows(measured, all))
        ranks = (uint32_t)all;
    if (!ranks && !hosts) {
        orr_perf_assume(table, "all GPUs of one host took part, as the results show no ranks (--hosts says otherwise)");
        hosts = 1;
    }
    if (!ranks)
        ranks = hosts * gpus;
    if (!hosts)
        hosts = ranks <= gpus ? 1 : !gpus || ranks % gpus ? 0 : ranks / gpus;
    else if (!work->question->hosts && ranks > 1 && hosts > 1 && hosts <= ranks && gpus % (ranks / hosts) == 0 &&
             (holds_hosts(dump) ? ranks <= gpus : ranks == gpus && work->question->dump))
        hosts = 1; /* a file of several hosts, joined by NVLink */
    if (!hosts || ranks % hosts || ranks / hosts > gpus) {
        *why = orr_arena_text(work->arena, "the results are of %u rank%s%s, and the machine has %u GPU%s", ranks,
                              orr_plural(ranks), hosts > 1 ? orr_arena_text(work->arena, " on %u hosts", hosts) : "",
                              gpus, orr_plural(gpus));
        return false;
    }
    if (!measured->hosts && !work->question->hosts && hosts > 1)
        orr_perf_assume(table, orr_arena_text(work->arena, "the %u ranks were on %u hosts", ranks, hosts));
    *ret_hosts = hosts;
    *ret_gpus = ranks / hosts;
    return true;
}

/* A tray of a rack such as GB200 NVL72: Arm CPUs, and GPUs whose NVLinks all go to NVSwitches, which are elsewhere in
 * the rack. */
static bool is_tray(const struct orr_dump *dump)
{
    bool arm = false, switched = false;
    for (uint32_t e = 0; e < dump->element_count; e++) {
        enum orr_element_kind kind = dump->elements[e].kind;
        if (kind == ORR_ELEMENT_CPU)
            arm |= !strcmp(orr_element_word(dump, e, ORR_ATTR_ARCH), "arm64");
        if (kind == ORR_ELEMENT_NVLINK && strncmp(orr_element_word(dump, e, ORR_ATTR_TCLASS), "0x0680", 6) != 0)
            return false;
        switched |= kind == ORR_ELEMENT_NVLINK;
    }
    return arm && switched;
}

/* Joins several trays into one system, like NCCL if the rack's NVLinks join them (MNNVL); NULL if they are not joined,
 * or the release has no MNNVL. */
static const struct orr_dump *join_trays(const struct orr_perf_work *work, struct orr_perf_table *table,
                                         const struct orr_dump *dump, uint32_t hosts, uint32_t gpus)
{
    enum { RACK = 72 };
    const char *asked = orr_setting_text(&work->question->settings, ORR_SET_MNNVL_ENABLE);
    struct orr_dump *joined = NULL;
    struct orr_error none = {0};
    if (hosts < 2 || (uint64_t)hosts * gpus > RACK || !is_tray(dump) || (asked && !strcmp(asked, "0")))
        return NULL;
    struct orr_dump_piece *pieces = ORR_NEW(work->arena, struct orr_dump_piece, hosts);
    int32_t *ranks = ORR_NEW(work->arena, int32_t, (size_t)hosts * gpus);
    if (!pieces || !ranks)
        return NULL;
    for (uint32_t h = 0; h < hosts; h++) {
        pieces[h] = (struct orr_dump_piece){.dump = dump, .ranks = ranks + (size_t)h * gpus, .count = gpus};
        for (uint32_t g = 0; g < gpus; g++)
            ranks[(size_t)h * gpus + g] = (int32_t)(h * gpus + g);
    }
    if (orr_dump_combine(pieces, hosts, work->question->settings.release, work->arena, &joined, &none) != ORR_OK)
        return NULL;
    joined->notes = dump->notes;
    orr_perf_assume(
        table, orr_arena_text(
                   work->arena,
                   "the %u hosts are trays of one rack, joined by NVLink (NCCL_MNNVL_ENABLE=0 says otherwise)", hosts));
    return joined;
}

/* Analyses a dump for the job of the table. An analysis that fails for the caller's own machine is an error. */
static enum orr_code analyse(const struct orr_perf_work *work, struct orr_perf_table *table,
                             const struct orr_dump *dump, struct orr_perf_machine *machine, struct orr_error *err)
{
    struct orr_query query = {.settings = work->question->settings, .plan = true};
    uint32_t hosts = 0, gpus = 0;
    if (!query.settings.gpus) {
        if (!count_hosts(work, table, dump, &hosts, &gpus, &machine->why))
            return ORR_OK;
        const struct orr_dump *joined = join_trays(work, table, dump, hosts, gpus);
        if (joined)
            dump = joined, hosts = 1;
        else if (gpus < count_gpus(dump))
            query.settings.gpus = choose_gpus(work, table, dump, gpus);
    } else {
        hosts = work->question->hosts ? work->question->hosts : table->measured->hosts ? table->measured->hosts : 1;
    }
    query.hosts = hosts;
    ORR_TRY(orr_analyze(dump, &query, NULL, &machine->own, err));
    const struct orr_result_table *measured = table->measured;
    if (measured->ranks_certain && machine->own->ranks != measured->ranks)
        machine->why = orr_arena_text(work->arena, "the results are of %u ranks, but the chosen GPUs and hosts give %u",
                                      measured->ranks, machine->own->ranks);
    else if (!measured->ranks_certain && !allows(measured, machine->own->ranks))
        machine->why = orr_arena_text(
            work->arena, "the results are of %u to %u ranks by their columns, but the chosen GPUs and hosts give %u",
            measured->ranks_least, measured->ranks_most, machine->own->ranks);
    else
        machine->analysis = machine->own;
    if (machine->analysis && !measured->ranks_certain && work->question->settings.gpus)
        orr_perf_assume(
            table,
            orr_arena_text(
                work->arena,
                "the %u ranks were the chosen GPUs on %u host%s, as the results do not show how many ranks took part",
                machine->own->ranks, hosts, orr_plural(hosts)));
    return ORR_OK;
}

/* The network bandwidth of a type's hosts, GB/s. */
static double network_of(const struct orr_machine_type *type)
{
    return type->nets * (type->net_mbps / 8000.0);
}

/* Whether NCCL's own lines show NVLink SHARP, which requires NVSwitches. */
static bool shows_switches(const struct orr_log *log)
{
    for (uint32_t i = 0; log && i < log->choice_count; i++)
        if (!strncmp(log->choices[i].algorithm, "NVLS", 4))
            return true;
    for (uint32_t i = 0; log && i < log->record_count; i++)
        if (log->records[i].kind == ORR_LOG_NVLS_HEAD)
            return true;
    return false;
}

static bool may_be(const struct orr_machine_type *type, const char *model, bool switches)
{
    return orr_machine_type_has(type, model) && (!switches || type->board->fabric == ORR_FABRIC_SWITCH);
}

/* The first type whose GPUs have the name in the results and which has as many GPUs as each host used, or else the
 * first that has more. Makers' own machines come before those of clouds. Some boards of four GPUs have no NVSwitch. */
static void guess_type(const struct orr_result_table *measured, const struct orr_log *log,
                       struct orr_perf_machine *machine)
{
    bool switches = shows_switches(log);
    const struct orr_machine_type *type, *best = NULL;
    const char *model = measured->model;
    uint32_t gpus = measured->said_gpus                  ? measured->said_gpus
                    : measured->hosts && measured->ranks ? measured->ranks / measured->hosts
                                                         : measured->device_count;
    machine->type = measured->said_type ? orr_machine_type_find(measured->said_type) : NULL;
    if (!model || !gpus || machine->type)
        return;
    for (size_t i = 0; (type = orr_machine_type(i)); i++)
        if (type->gpus >= gpus && may_be(type, model, switches) && (!best || (type->gpus == gpus && best->gpus > gpus)))
            best = type;
    for (size_t i = 0; best && (type = orr_machine_type(i)); i++)
        if (type->gpus == best->gpus && may_be(type, model, switches)) {
            if (network_of(type) > network_of(best))
                best = type;
        }
    machine->type = best;
}

/* The NICs that the text says, in place of those of the type: a clause about them, "" if it says none. Only servers
 * whose maker chooses the NICs may have fewer than GPUs; a cloud's machine has its own. */
static const char *take_said_nics(const struct orr_perf_work *work, struct orr_perf_table *table,
                                  struct orr_perf_machine *machine)
{
    const struct orr_result_table *measured = table->measured;
    const struct orr_machine_type *type = machine->type;
    uint32_t nets = measured->said_nics ? measured->said_nics : type->nets;
    uint32_t line, mbps = orr_perf_nic_speed(work, table, &nets, &line);
    machine->nics_said = mbps || measured->said_type; /* a cloud's NICs are known */
    if (!line || (!mbps && !measured->said_nics))
        return "";
    mbps = mbps ? mbps : type->net_mbps;
    machine->said = *type;
    machine->said.nets = nets;
    machine->said.net_mbps = mbps;
    machine->said.places = nets == type->nets ? type->places : NULL;
    machine->type = &machine->said;
    return orr_arena_text(work->arena, " with %u NIC%s of %g Gb/s (line %u)", nets, orr_plural(nets), mbps / 1000.0,
                          line);
}

static enum orr_code from_type(const struct orr_perf_work *work, struct orr_perf_table *table,
                               struct orr_perf_machine *machine, struct orr_error *err)
{
    struct orr_error own = {0};
    guess_type(table->measured, work->results->log, machine);
    if (!machine->type) {
        machine->why = orr_perf_no_machine(work, table->measured);
        return ORR_OK;
    }
    const char *nics = take_said_nics(work, table, machine);
    ORR_TRY(orr_input_machine(machine->type, &machine->dump, err));
    table->machine_source = "guessed";
    table->machine_name = machine->type->name;
    const struct orr_result_table *measured = table->measured;
    if (measured->said_alone)
        orr_perf_assume(table,
                        orr_arena_text(work->arena,
                                       "the %s of line %u are the %u of a board with NVSwitches, like those of "
                                       "%s: the text does not say their number, but such figures take NVLink",
                                       measured->model, measured->said_line, measured->said_gpus, machine->type->name));
    else
        orr_perf_assume(
            table,
            measured->said_type
                ? orr_arena_text(work->arena, "%u host%s of %s%s, as the text says (line %u)", measured->hosts,
                                 orr_plural(measured->hosts), machine->type->name, nics, measured->said_line)
            : measured->said_gpus
                ? orr_arena_text(work->arena, "%u host%s like %s%s, as the text says %u x %s (line %u)",
                                 measured->hosts, orr_plural(measured->hosts), machine->type->name, nics,
                                 measured->said_gpus, measured->model, measured->said_line)
                : orr_arena_text(work->arena,
                                 "the machine is like %s%s, guessed from the names of the GPUs (%s) and their number",
                                 machine->type->name, nics, measured->model));
    enum orr_code code = analyse(work, table, machine->dump, machine, &own);
    if (code == ORR_NOMEM || code == ORR_SPENT)
        *err = own;
    else if (code != ORR_OK)
        machine->why = orr_arena_text(work->arena, "%s", own.text);
    return code == ORR_NOMEM || code == ORR_SPENT ? code : ORR_OK;
}

/* The log in the same text: its release, settings, GPUs, NICs and hosts. */
static enum orr_code from_log(const struct orr_perf_work *work, struct orr_perf_table *table,
                              struct orr_perf_machine *machine, struct orr_error *err)
{
    const struct orr_log *log = work->results->log;
    const struct orr_log_question question = {
        .release = work->question->release_given ? work->question->settings.release : NULL,
        .hosts = work->question->hosts,
        .communicator = log ? orr_log_largest(log) : UINT32_MAX,
        .given = &work->question->settings};
    if (!log || !log->communicator_count)
        return ORR_OK;
    ORR_TRY(orr_input_compare_log(log, work->question->dump, NULL, 0, &question, &machine->compared, err));
    const struct orr_log_check *check = machine->compared.check;
    if (!check || (table->measured->ranks && check->analysis->ranks != table->measured->ranks))
        return ORR_OK;
    if (check->analysis->cluster && check->analysis->cluster->kind_count > 1) /* the expectation is for equal hosts */
        return ORR_OK;
    machine->analysis = check->analysis;
    if (!work->question->dump) {
        table->machine_source = "log";
        table->machine_name =
            machine->compared.machine.type ? machine->compared.machine.type->name : "the log's own tree";
    }
    for (uint32_t i = 0; i < check->assumed_count; i++)
        orr_perf_assume(table, check->assumed[i]);
    return ORR_OK;
}

enum orr_code orr_perf_machine_find(const struct orr_perf_work *work, struct orr_perf_table *table,
                                    struct orr_perf_machine *machine, struct orr_error *err)
{
    const struct orr_perf_question *question = work->question;
    *machine = (struct orr_perf_machine){.why = ""};
    if (question->dump) {
        const struct orr_dump_notes *notes = question->dump->notes;
        bool of_type = notes && !strcmp(notes->kind, "machine-type");
        table->machine_source = of_type ? "machine type" : "topology";
        table->machine_name = question->dump_name ? question->dump_name : of_type ? notes->recognised : "the topology";
    }
    ORR_TRY(from_log(work, table, machine, err));
    if (!machine->analysis)
        ORR_TRY(question->dump ? analyse(work, table, question->dump, machine, err)
                               : from_type(work, table, machine, err));
    const struct orr_analysis *analysis = machine->analysis;
    if (!analysis)
        return ORR_OK;
    table->analysis = analysis;
    uint32_t joined = analysis->query.hosts == 1 ? analysis->built.host_count : 1;
    table->machine = orr_arena_text(work->arena, "%s, %u host%s of %u GPU%s%s, NCCL %s", table->machine_name,
                                    analysis->query.hosts * joined, orr_plural(analysis->query.hosts * joined),
                                    analysis->local_ranks / joined, orr_plural(analysis->local_ranks / joined),
                                    joined > 1 ? " joined by NVLink" : "", analysis->query.settings.release->name);
    return ORR_OK;
}

void orr_perf_machine_release(struct orr_perf_machine *machine)
{
    orr_analysis_free(machine->own);
    if (machine->compared.check)
        orr_log_compared_release(&machine->compared);
    orr_dump_free(machine->dump);
    *machine = (struct orr_perf_machine){.why = ""};
}
