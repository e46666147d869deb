/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the table of path types. */
#include <stdio.h>
#include <string.h>

#include "engine/report/report.h"

enum { NAME = 32, DEVICES_SHOWN = 128, NAMES_SHOWN = 8 };

/* Devices of one column; several NICs if every GPU has the same type of path to all of them. */
struct column {
    uint32_t first, last; /* devices */
};

/* The devices in the order of the columns: GPUs by rank, then NICs. */
struct devices {
    const struct orr_report *report;
    const struct orr_part *nic_part; /* part whose nodes the NICs are */
    const uint32_t *gpus;            /* [gpu_count]: local ranks that are shown */
    uint32_t gpu_count, net_count;
    struct column *columns; /* [column_count] */
    uint32_t column_count;
    bool brief;
};

static bool is_gpu(const struct devices *devices, uint32_t device)
{
    return device < devices->gpu_count;
}

/* The node of a device in a system, which may be a part of the host. */
static uint32_t node_of(const struct devices *devices, const struct orr_part *part, uint32_t device)
{
    const struct orr_system *system = &part->system;
    if (!is_gpu(devices, device)) {
        const struct orr_system *whole = &devices->nic_part->system;
        return orr_net_of_id(system, orr_system_node(whole, ORR_NET, device - devices->gpu_count)->id);
    }
    return orr_gpu_of_rank(system, (int32_t)devices->gpus[device]);
}

/* The type of the path between two nodes; NET across the systems of a host that NCCL splits. */
static enum orr_path_type type_between(const struct orr_part *part, uint32_t from, uint32_t to)
{
    if (from == ORR_NO_NODE || to == ORR_NO_NODE)
        return ORR_PATH_NET;
    if (!orr_paths_has(&part->paths, from) || !orr_paths_has(&part->paths, to))
        return ORR_PATH_DIS;
    return (enum orr_path_type)orr_path(&part->paths, from, to)->type;
}

static enum orr_path_type type_of(const struct devices *devices, uint32_t from, uint32_t to)
{
    const struct orr_part *part = is_gpu(devices, from)
                                      ? orr_analysis_part(devices->report->networked, (int32_t)devices->gpus[from])
                                      : devices->nic_part;
    if (!is_gpu(devices, from) && is_gpu(devices, to))
        part = orr_analysis_part(devices->report->networked, (int32_t)devices->gpus[to]);
    return type_between(part, node_of(devices, part, from), node_of(devices, part, to));
}

static const char *cell(const struct devices *devices, uint32_t from, uint32_t to, bool *seen)
{
    if (from == to)
        return " X";
    enum orr_path_type type = type_of(devices, from, to);
    seen[type] = true;
    return orr_path_type_name(type);
}

static bool is_alike(const struct devices *devices, uint32_t a, uint32_t b)
{
    bool unused[ORR_PATH_TYPE_COUNT];
    for (uint32_t from = 0; from < devices->gpu_count; from++)
        if (strcmp(cell(devices, from, a, unused), cell(devices, from, b, unused)) != 0)
            return false;
    return true;
}

/* The number in a heading: the rank of a GPU; for a NIC its place, or its number in the table that the machine was read
 * from. */
static uint32_t number_of(const struct devices *devices, uint32_t device)
{
    const struct orr_dump_notes *notes = devices->report->analysis->given->notes;
    if (is_gpu(devices, device))
        return devices->gpus[device];
    if (!notes || strcmp(notes->kind, "nvidia-smi-topo") != 0)
        return device - devices->gpu_count;
    return (uint32_t)orr_system_node(&devices->nic_part->system, ORR_NET, device - devices->gpu_count)->net.dev;
}

/* Makes one column for each device; if brief, equal neighbouring NICs share one. */
static bool choose_columns(struct devices *devices)
{
    const uint32_t count = devices->gpu_count + devices->net_count;
    devices->columns = ORR_NEW(devices->report->arena, struct column, count);
    for (uint32_t device = 0; devices->columns && device < count; device++) {
        struct column *before = devices->column_count ? &devices->columns[devices->column_count - 1] : NULL;
        if (before && devices->brief && device > devices->gpu_count &&
            number_of(devices, device) == number_of(devices, before->last) + 1 &&
            is_alike(devices, before->first, device))
            before->last = device;
        else
            devices->columns[devices->column_count++] = (struct column){device, device};
    }
    return devices->columns != NULL;
}

static void name_of(const struct devices *devices, struct column column, bool is_short, char name[NAME])
{
    const bool gpu = is_gpu(devices, column.first);
    static const char *const kinds[2][2] = {{"NIC", "N"}, {"GPU", "G"}};
    const char *kind = kinds[gpu][is_short];
    const uint32_t first = number_of(devices, column.first);
    if (column.last > column.first)
        snprintf(name, NAME, "%s%u-%u", kind, first, number_of(devices, column.last));
    else
        snprintf(name, NAME, "%s%u", kind, first);
}

/* The NUMA node of a GPU, which is that of its nearest CPU; "" if there is none. */
static const char *numa_of(const struct devices *devices, uint32_t device, char text[ORR_NODE_ID_SIZE])
{
    const struct orr_part *part = orr_analysis_part(devices->report->networked, (int32_t)devices->gpus[device]);
    const struct orr_system *system = &part->system;
    uint32_t gpu = node_of(devices, part, device);
    uint32_t cpu = part->paths.local_cpu ? part->paths.local_cpu[gpu - system->first[ORR_GPU]] : ORR_NO_NODE;
    if (cpu == ORR_NO_NODE)
        return "";
    const char *numa = system->nodes[cpu].element == ORR_NO_ELEMENT
                           ? NULL
                           : orr_element_text(system->dump, system->nodes[cpu].element, ORR_ATTR_NUMAID);
    snprintf(text, ORR_NODE_ID_SIZE, "%.8s", numa ? numa : "");
    return text;
}

/* Replaces the GPU columns of a table that is too wide by a sentence: how many pairs have which type. */
static void leave_out_gpus(struct orr_page *page, struct devices *devices, bool *seen)
{
    uint32_t pairs[ORR_PATH_TYPE_COUNT] = {0}, kinds = 0;
    ORR_LOCAL_TEXT(text, 1024);
    for (uint32_t from = 0; from < devices->gpu_count; from++)
        for (uint32_t to = from + 1; to < devices->gpu_count; to++)
            kinds += !pairs[type_of(devices, from, to)]++;
    for (int type = 0; type < ORR_PATH_TYPE_COUNT; type++) {
        const char *name = orr_path_type_name((enum orr_path_type)type);
        seen[type] = seen[type] || pairs[type];
        if (pairs[type] && kinds == 1)
            orr_text_printf(&text, "The path between every two GPUs is %s", name);
        else if (pairs[type])
            orr_text_printf(&text, text.length ? ", %u %s" : "Paths between GPUs, in pairs: %u %s", pairs[type], name);
    }
    orr_page_printf(page, ORR_STYLE_PLAIN, "  ", "%s.", orr_text_data(&text));
    devices->columns += devices->gpu_count;
    devices->column_count -= devices->gpu_count;
}

static void fill_matrix(const struct devices *devices, bool is_short, struct orr_table *table, bool *seen)
{
    const uint32_t rows = devices->gpu_count + (devices->brief ? 0 : devices->net_count);
    char name[NAME], numa[ORR_NODE_ID_SIZE];
    orr_table_init(table, devices->report->arena, devices->column_count + 2);
    table->gap = " ";
    table->split = devices->columns && is_gpu(devices, devices->columns->first) ? 1 + devices->gpu_count : 0;
    orr_table_add(table, ORR_STYLE_PLAIN, "%s", "");
    for (uint32_t i = 0; i < devices->column_count; i++) {
        name_of(devices, devices->columns[i], is_short, name);
        orr_table_add(table, ORR_STYLE_PLAIN, "%s", name);
    }
    orr_table_add(table, ORR_STYLE_PLAIN, "NUMA");
    for (uint32_t from = 0; from < rows; from++) {
        name_of(devices, (struct column){from, from}, false, name);
        orr_table_add(table, ORR_STYLE_PLAIN, "%s", name);
        for (uint32_t i = 0; i < devices->column_count; i++)
            orr_table_add(table, ORR_STYLE_PLAIN, "%s", cell(devices, from, devices->columns[i].first, seen));
        orr_table_add(table, ORR_STYLE_PLAIN, "%s", is_gpu(devices, from) ? numa_of(devices, from, numa) : "");
    }
}

static void write_legend(struct orr_page *page, const struct devices *devices, const bool *seen)
{
    char name[ORR_NIC_NAME_SIZE];
    ORR_LOCAL_TEXT(text, 16384);
    if (devices->brief) {
        ORR_LOCAL_TEXT(types, 4096);
        for (int type = 0; type < ORR_PATH_TYPE_COUNT; type++)
            if (seen[type])
                orr_text_printf(&types, "%s%s = %s", types.length ? "; " : "",
                                orr_path_type_name((enum orr_path_type)type),
                                orr_path_type_meaning((enum orr_path_type)type));
        orr_page_printf(page, ORR_STYLE_PLAIN, "  ", "%s.", orr_text_data(&types));
    } else {
        orr_page_heading(page, "Legend");
        orr_page_say(page, ORR_STYLE_PLAIN, "  X    = ", "the device itself");
        for (int type = 0; type < ORR_PATH_TYPE_COUNT; type++)
            if (seen[type])
                orr_page_printf(page, ORR_STYLE_PLAIN, "  ", "%-4s = %s", orr_path_type_name((enum orr_path_type)type),
                                orr_path_type_meaning((enum orr_path_type)type));
        orr_page_say(page, ORR_STYLE_PLAIN, "  ",
                     "Rows are where a path starts. These are NCCL's types of paths, not those of nvidia-smi.");
    }
    if (!devices->net_count)
        return;
    if (devices->brief && devices->net_count > NAMES_SHOWN) {
        orr_page_say(page, ORR_STYLE_PLAIN, "  ",
                     "`orrery show --matrix` has the whole table, with the names of the NICs.");
        return;
    }
    for (uint32_t i = 0, last; i < devices->net_count; i = last + 1) {
        char label[NAME], next[ORR_NIC_NAME_SIZE];
        const struct orr_system *system = &devices->nic_part->system;
        orr_report_nic_name(system, system->first[ORR_NET] + i, name);
        snprintf(next, sizeof next, "%s", name);
        for (last = i; last + 1 < devices->net_count; last++) {
            char after[ORR_NIC_NAME_SIZE];
            orr_report_nic_name(system, system->first[ORR_NET] + last + 1, after);
            const uint32_t device = devices->gpu_count + last;
            if (!orr_report_is_next_name(next, after) ||
                number_of(devices, device + 1) != number_of(devices, device) + 1)
                break;
            snprintf(next, sizeof next, "%s", after);
        }
        name_of(devices, (struct column){devices->gpu_count + i, devices->gpu_count + last}, false, label);
        if (strcmp(label, name) != 0)
            orr_text_printf(&text, "%s%s = %s%s%s", text.length ? "; " : "", label, name, last > i ? " to " : "",
                            last > i ? next : "");
    }
    if (text.data)
        orr_page_printf(page, ORR_STYLE_PLAIN, "  ", "%s.", text.data);
}

/* Counts pairs of GPUs on different hosts of a fused dump, by type. */
static void write_between_hosts(struct orr_page *page, const struct orr_report *report)
{
    const struct orr_analysis *analysis = report->networked;
    uint64_t pairs[ORR_PATH_TYPE_COUNT] = {0};
    const uint32_t hosts = analysis->built.host_count;
    for (uint32_t p = 0; p < analysis->part_count; p++) {
        const struct orr_part *part = &analysis->parts[p];
        for (uint32_t a = part->system.first[ORR_GPU]; a < part->system.first[ORR_GPU + 1]; a++)
            for (uint32_t b = a + 1; b < part->system.first[ORR_GPU + 1]; b++)
                if (orr_id_system(part->system.nodes[a].id) != orr_id_system(part->system.nodes[b].id))
                    pairs[orr_path(&part->paths, a, b)->type]++;
    }
    orr_page_printf(page, ORR_STYLE_PLAIN, "  ",
                    "The table is about the first of %u hosts in one NVLink domain, with %u GPUs in all.", hosts,
                    analysis->local_ranks);
    for (int type = 0; type < ORR_PATH_TYPE_COUNT; type++)
        if (pairs[type])
            orr_page_printf(page, ORR_STYLE_PLAIN, "  ",
                            "%llu pairs of GPUs on different hosts have a path of type %s (%s).",
                            (unsigned long long)pairs[type], orr_path_type_name((enum orr_path_type)type),
                            orr_path_type_meaning((enum orr_path_type)type));
}

/* Lists at most `most` GPUs, of the first host or of all. */
static bool choose_gpus(const struct orr_report *report, struct devices *devices)
{
    const struct orr_analysis *analysis = report->networked;
    uint32_t *gpus = ORR_NEW(report->arena, uint32_t, analysis->local_ranks);
    for (uint32_t rank = 0; gpus && rank < analysis->local_ranks && devices->gpu_count < DEVICES_SHOWN; rank++) {
        const struct orr_part *part = orr_analysis_part(analysis, (int32_t)rank);
        for (uint32_t n = part->system.first[ORR_GPU]; n < part->system.first[ORR_GPU + 1]; n++)
            if (part->system.nodes[n].gpu.rank == (int32_t)rank &&
                (analysis->built.host_count <= 1 || !orr_id_system(part->system.nodes[n].id)))
                gpus[devices->gpu_count++] = rank;
    }
    devices->gpus = gpus;
    return gpus != NULL;
}

void orr_matrix_write(struct orr_page *page, const struct orr_report *report, bool brief)
{
    struct devices devices = {.report = report, .nic_part = &report->networked->parts[0], .brief = brief};
    const struct orr_system *system = &devices.nic_part->system;
    bool seen[ORR_PATH_TYPE_COUNT] = {0};
    struct orr_table table;
    if (!choose_gpus(report, &devices)) {
        page->text->failed = true;
        return;
    }
    for (uint32_t n = system->first[ORR_NET]; n < system->first[ORR_NET + 1] && devices.net_count < DEVICES_SHOWN; n++)
        devices.net_count += system->host_count <= 1 || !orr_id_system(system->nodes[n].id);
    if (!choose_columns(&devices)) {
        page->text->failed = true;
        return;
    }
    orr_page_heading(page, devices.net_count ? "Paths between GPUs, and from GPUs to NICs" : "Paths between GPUs");
    fill_matrix(&devices, false, &table, seen);
    if (orr_table_width(page, &table) + 2 > page->width)
        fill_matrix(&devices, true, &table, seen);
    if (brief && devices.net_count && devices.gpu_count > 1 && orr_table_width(page, &table) + 2 > page->width) {
        leave_out_gpus(page, &devices, seen);
        fill_matrix(&devices, true, &table, seen);
    }
    orr_table_write(page, &table, "  ");
    write_legend(page, &devices, seen);
    if (report->networked->built.host_count > 1)
        write_between_hosts(page, report);
}
