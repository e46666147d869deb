/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the NICs of a job among those of a dump. A dump has the NIC numbers of the job that wrote it. Another job may
 * use fewer NICs or number them differently, and its log has its own numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/log_comparing/trial.h"
#include "engine/topology/pci.h"

enum { NICS_MOST = ORR_LOG_NICS, NOT_LISTED = -1 };

/* Whether a session belongs to the communicator or, with of_host, to the host of its lowest rank that wrote: a process
 * lists its NICs only once, before its first communicator. */
static bool concerns(const struct orr_log_check *check, uint32_t session, bool of_host)
{
    const struct orr_log *log = check->log;
    const struct orr_log_session *of = &log->sessions[session];
    if (!of_host || check->communicator == UINT32_MAX || of->writer == UINT32_MAX)
        return of->communicator == check->communicator;
    const struct orr_log_communicator *communicator = &log->communicators[check->communicator];
    int32_t rank = 0;
    while (rank < communicator->rank_count - 1 && !communicator->members[rank].host)
        rank++;
    const char *host = communicator->members[rank].host;
    return host && !strcmp(host, log->writers[of->writer].host);
}

/* Reads the list of the network in use; 0 if there is none. */
static uint32_t find_list(const struct orr_log_check *check, bool of_host, struct orr_log_nic *nics, uint32_t *ret_line)
{
    const struct orr_log *log = check->log;
    const char *network = NULL;
    for (uint32_t i = 0; i < log->record_count && !network; i++)
        if (log->records[i].kind == ORR_LOG_NETWORK && concerns(check, log->records[i].session, of_host))
            network = log->records[i].words[0];
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        if (record->kind != ORR_LOG_NIC_LIST || record->word_count < 2 || !concerns(check, record->session, of_host) ||
            (network && strncmp(network, record->words[0], strlen(network)) != 0))
            continue;
        *ret_line = record->line;
        uint32_t count = orr_log_read_nics(record->words[1], nics);
        if (count)
            return count;
    }
    return 0;
}

static uint32_t list_of_log(const struct orr_log_check *check, struct orr_log_nic *nics, uint32_t *ret_line)
{
    const uint32_t count = find_list(check, false, nics, ret_line);
    return count ? count : find_list(check, true, nics, ret_line);
}

/* Marks the NIC numbers that connections name. Returns how many. */
static uint32_t used_in_log(const struct orr_log_check *check, bool used[NICS_MOST])
{
    uint32_t count = 0;
    const struct orr_log_own own = orr_log_records_of(check->log, check->communicator);
    for (uint32_t i = 0; i < own.count; i++) {
        struct orr_log_connection connection;
        if (!orr_log_connection_of(&check->log->records[own.at[i]], &connection) || connection.nic < 0 ||
            connection.nic >= NICS_MOST || used[connection.nic])
            continue;
        used[connection.nic] = true;
        count++;
    }
    return count;
}

/* The NICs of a dump by number. */
static uint32_t nics_of(const struct orr_dump *dump, uint32_t *elements)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < dump->element_count; e++) {
        if (dump->elements[e].kind != ORR_ELEMENT_NET || !orr_element_text(dump, e, ORR_ATTR_DEV))
            continue;
        if (count == NICS_MOST)
            return 0;
        int32_t dev = orr_element_int(dump, e, ORR_ATTR_DEV, 0);
        uint32_t at = count++;
        for (; at > 0 && orr_element_int(dump, elements[at - 1], ORR_ATTR_DEV, 0) > dev; at--)
            elements[at] = elements[at - 1];
        elements[at] = e;
    }
    return count;
}

static int32_t *new_devs(struct orr_arena *arena, const struct orr_dump *dump)
{
    int32_t *devs = ORR_NEW(arena, int32_t, dump->element_count);
    for (uint32_t e = 0; devs && e < dump->element_count; e++)
        devs[e] = NOT_LISTED;
    return devs;
}

/* Whether the numbers differ from the dump's. */
static bool differs(const struct orr_dump *dump, const uint32_t *elements, uint32_t count, const int32_t *devs)
{
    for (uint32_t i = 0; i < count; i++)
        if (devs[elements[i]] != orr_element_int(dump, elements[i], ORR_ATTR_DEV, 0))
            return true;
    return false;
}

/* Names in the order of their numbers: mlx5_3 before mlx5_10. */
static bool is_before(const char *a, const char *b)
{
    size_t x = strlen(a), y = strlen(b);
    return x != y ? x < y : strcmp(a, b) < 0;
}

/* Matches the listed NICs in order of their names with the dump's in order of their numbers: both follow the bus. */
static void by_order(const uint32_t *elements, uint32_t count, const struct orr_log_nic *list, int32_t *devs)
{
    for (uint32_t l = 0; l < count; l++) {
        uint32_t place = 0;
        for (uint32_t other = 0; other < count; other++)
            place += is_before(list[other].name, list[l].name);
        devs[elements[place]] = list[l].dev;
    }
}

/* Matches each listed NIC with the dump's NIC of that name; returns how many were found. */
static uint32_t by_name(const struct orr_dump *dump, const uint32_t *elements, uint32_t count,
                        const struct orr_log_nic *list, uint32_t listed_count, int32_t *devs)
{
    uint32_t found = 0;
    for (uint32_t l = 0; l < listed_count; l++)
        for (uint32_t i = 0; i < count; i++) {
            const char *name = orr_element_text(dump, elements[i], ORR_ATTR_NAME);
            if (name && !strcmp(name, list[l].name) && devs[elements[i]] == NOT_LISTED) {
                devs[elements[i]] = list[l].dev;
                found++;
                break;
            }
        }
    return found;
}

/* Matches each NIC of the printed tree with the dump's NIC at that bus id; returns how many were found. Cards with
 * several ports are left out, because the tree does not tell the ports apart. */
static enum orr_code by_bus_id(struct orr_log_check *check, const struct orr_dump *dump, const uint32_t *elements,
                               uint32_t count, int32_t *devs, uint32_t *ret_found, struct orr_error *err)
{
    struct orr_log_links links;
    *ret_found = 0;
    ORR_TRY(orr_log_links_of(check->log, check->arena, &links, err));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pci = dump->elements[dump->elements[elements[i]].parent].parent;
        const char *bus_id = pci == ORR_NO_ELEMENT ? NULL : orr_element_text(dump, pci, ORR_ATTR_BUSID);
        uint32_t ports = 0;
        int32_t dev = NOT_LISTED;
        for (uint32_t l = 0; bus_id && l < links.count && ports < 2; l++) {
            const struct orr_log_link *link = &links.rows[l];
            const char *from = strchr(link->from, '-'), *to = strchr(link->to, '-');
            if (link->tree || strncmp(link->from, "NIC/", 4) != 0 || strncmp(link->to, "NET/", 4) != 0 || !from ||
                !to || strtoull(from + 1, NULL, 16) != orr_bus_id_parse(bus_id))
                continue;
            unsigned long number = strtoul(to + 1, NULL, 16);
            if (number >= NICS_MOST || (int32_t)number == dev)
                continue;
            dev = (int32_t)number;
            ports++;
        }
        if (ports == 1) {
            devs[elements[i]] = dev;
            ++*ret_found;
        }
    }
    return ORR_OK;
}

static bool has_real_names(const struct orr_dump *dump, bool made_up)
{
    return !made_up && !(dump->notes && dump->notes->machine_type);
}

/* Both sides while they are matched. */
struct nic_match {
    const struct orr_dump *dump;
    uint32_t elements[NICS_MOST], count; /* of the dump */
    struct orr_log_nic list[NICS_MOST];  /* of the log */
    uint32_t listed, line;
    int32_t *devs;
};

static bool match_by_name(struct orr_log_check *check, struct nic_match *m)
{
    uint32_t found = by_name(m->dump, m->elements, m->count, m->list, m->listed, m->devs);
    if (found && found < m->listed)
        orr_log_assume(check, "%u of the %u NICs that line %u lists are not in the dump, and are left out",
                       m->listed - found, m->listed, m->line);
    else if (found && found < m->count)
        orr_log_assume(check, "The job uses the %u of the dump's %u NICs that line %u lists", found, m->count, m->line);
    return found > 0;
}

static bool match_by_order(struct orr_log_check *check, struct nic_match *m)
{
    if (m->listed != m->count)
        return false;
    by_order(m->elements, m->count, m->list, m->devs);
    for (uint32_t i = 0; i < m->count; i++)
        if (m->devs[m->elements[i]] == NOT_LISTED)
            return false; /* two NICs with one name */
    orr_log_assume(check, "The %u NICs that line %u lists are the machine's NICs, in order of their names", m->count,
                   m->line);
    return true;
}

static bool match_by_use(struct orr_log_check *check, struct nic_match *m)
{
    bool used[NICS_MOST] = {false};
    uint32_t i = 0;
    if (used_in_log(check, used) != m->count)
        return false;
    for (int32_t dev = 0; dev < NICS_MOST; dev++)
        if (used[dev])
            m->devs[m->elements[i++]] = dev;
    if (differs(m->dump, m->elements, m->count, m->devs))
        orr_log_assume(check, "The NICs that the log's connections name are the dump's %u NICs in order", m->count);
    return true;
}

enum orr_code orr_log_match_nics(struct orr_log_check *check, const struct orr_dump *dump, bool made_up,
                                 struct orr_log_nics *ret_nics, struct orr_error *err)
{
    struct nic_match *m = ORR_NEW(check->arena, struct nic_match, 1);
    uint32_t found = 0;
    *ret_nics = (struct orr_log_nics){0};
    ORR_NEED(m && (m->devs = new_devs(check->arena, dump)), err);
    m->dump = dump;
    m->count = nics_of(dump, m->elements);
    m->listed = list_of_log(check, m->list, &m->line);
    if (!m->count)
        return ORR_OK;
    bool matched = has_real_names(dump, made_up) && match_by_name(check, m);
    if (!matched && !made_up) {
        ORR_TRY(by_bus_id(check, dump, m->elements, m->count, m->devs, &found, err));
        matched = found == m->count;
        for (uint32_t e = 0; !matched && e < dump->element_count; e++)
            m->devs[e] = NOT_LISTED;
    }
    check->nics_of_log = matched || match_by_order(check, m);
    if ((check->nics_of_log || match_by_use(check, m)) && differs(dump, m->elements, m->count, m->devs))
        ret_nics->devs = m->devs;
    return ORR_OK;
}

/* Whether a path stays below the CPU, directly or through another GPU. */
static bool is_near(const char *type)
{
    static const enum orr_path_type near[] = {ORR_PATH_PIX, ORR_PATH_PXB, ORR_PATH_P2C,
                                              ORR_PATH_PXN, ORR_PATH_C2C, ORR_PATH_LOC};
    bool is = false;
    for (size_t i = 0; i < sizeof near / sizeof near[0]; i++)
        is |= !strcmp(type, orr_path_type_name(near[i]));
    return is;
}

/* Whether a value says that data goes from the GPU to the NIC without the CPU. */
static bool says_direct(const struct orr_log_value *value)
{
    return (value->shape == ORR_SHAPE_PATH && is_near(value->path.type)) ||
           (value->shape == ORR_SHAPE_GDR && value->gdr.on) || (value->shape == ORR_SHAPE_NIC && value->nic.gdr);
}

uint32_t orr_log_nics_without_gdr(const struct orr_log_check *check, bool nics[ORR_LOG_NICS])
{
    bool kept[ORR_LOG_NICS] = {false};
    uint32_t count = 0;
    memset(nics, 0, ORR_LOG_NICS * sizeof *nics);
    for (uint32_t i = 0; i < check->fact_count; i++) {
        const struct orr_log_fact *fact = &check->facts[i];
        const struct orr_log_value *logged = &fact->logged, *predicted = &fact->predicted;
        if (fact->gpu_nic < 0 ||
            (logged->shape == ORR_SHAPE_NIC && logged->nic.number != predicted->nic.number)) /* a line about another
                                                                                              * NIC */
            continue;
        const bool by_pxn =
            logged->shape == ORR_SHAPE_PATH && !strcmp(logged->path.type, orr_path_type_name(ORR_PATH_PXN));
        kept[fact->gpu_nic] |= says_direct(logged) && !by_pxn;
        nics[fact->gpu_nic] |= says_direct(predicted) && !says_direct(logged);
    }
    for (uint32_t dev = 0; dev < ORR_LOG_NICS; dev++) {
        nics[dev] &= !kept[dev];
        count += nics[dev];
    }
    return count;
}

enum orr_code orr_log_renumber_nics(const struct orr_log_check *check, const struct orr_dump *dump,
                                    struct orr_arena *arena, struct orr_log_nics *ret_nics, struct orr_error *err)
{
    uint32_t elements[NICS_MOST], count = nics_of(dump, elements);
    int32_t to[NICS_MOST], from[NICS_MOST];
    bool moved = false;
    *ret_nics = (struct orr_log_nics){0};
    memset(to, -1, sizeof to);
    memset(from, -1, sizeof from);
    for (uint32_t i = 0; i < check->fact_count; i++) {
        const struct orr_log_fact *fact = &check->facts[i];
        if (fact->logged.shape != ORR_SHAPE_NIC || fact->predicted.shape != ORR_SHAPE_NIC)
            continue;
        const int32_t logged = fact->logged.nic.number, predicted = fact->predicted.nic.number;
        if (logged >= NICS_MOST || predicted < 0 || predicted >= NICS_MOST)
            continue;
        if ((to[predicted] >= 0 && to[predicted] != logged) || (from[logged] >= 0 && from[logged] != predicted))
            return ORR_OK;
        to[predicted] = logged;
        from[logged] = predicted;
        moved |= logged != predicted;
    }
    int32_t *devs = moved ? new_devs(arena, dump) : NULL;
    if (!moved)
        return ORR_OK;
    ORR_NEED(devs, err);
    for (uint32_t i = 0; i < count; i++) {
        int32_t dev = orr_element_int(dump, elements[i], ORR_ATTR_DEV, 0);
        if (dev < 0 || dev >= NICS_MOST)
            return ORR_OK;
        devs[elements[i]] = to[dev] >= 0 ? to[dev] : dev;
        if (to[dev] < 0 && from[dev] >= 0)
            return ORR_OK; /* another NIC now has its number */
    }
    ret_nics->devs = devs;
    return ORR_OK;
}

bool orr_log_adds_collnet(struct orr_log_check *check, const struct orr_dump *dump)
{
    const struct orr_log_own own = orr_log_records_of(check->log, check->communicator);
    bool without = false;
    uint32_t i = 0;
    for (uint32_t e = 0; e < dump->element_count; e++)
        without |= dump->elements[e].kind == ORR_ELEMENT_NET && !orr_element_int(dump, e, ORR_ATTR_COLL, 0);
    while (i < own.count && check->log->records[own.at[i]].kind != ORR_LOG_CONNECT_COLLNET)
        i++;
    if (i == own.count || !without)
        return false;
    orr_log_assume(
        check,
        "Every NIC can reduce in the network (coll=\"1\"), because line %u of the log connects a rank over CollNet",
        check->log->records[own.at[i]].line);
    return true;
}
