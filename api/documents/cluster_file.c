/* SPDX-License-Identifier: Apache-2.0 */
#include "api/documents/cluster_file.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "api/documents/cluster_reading.h"
#include "api/questions/questions.h"
#include "engine/base/bytes.h"
#include "engine/nics/combine.h"

enum { MOST_LINES = 4096, MOST_GPUS = 1024, MOST_DOMAIN = 64, MOST_HOST_NAME = 253 };

static uint32_t topology_number(struct orr_cluster_file *file, const char *name, const struct orr_machine_type *machine)
{
    uint32_t i = 0;
    while (i < file->topology_count && (file->machines[i] != machine || strcmp(file->topologies[i], name)))
        i++;
    if (i == file->topology_count) {
        file->topologies[file->topology_count] = name;
        file->machines[file->topology_count++] = machine;
    }
    return i;
}

/* Reads the machine of a host: a topology, or a machine type. */
static enum orr_code read_machine(struct orr_cluster_file *file, json_t *object, struct orr_cluster_file_host *host,
                                  const char *where, struct orr_error *err)
{
    enum { MOST_PATH = 4096, MOST_TYPE = 64 };
    const struct orr_machine_type *type = NULL;
    const char *topology, *machine;
    ORR_TRY(orr_cluster_read_text(file, object, "topology", MOST_PATH, where, &topology, err));
    ORR_TRY(orr_cluster_read_text(file, object, "machine", MOST_TYPE, where, &machine, err));
    if (topology && machine)
        return orr_cluster_wrong(err, where, "a host has a topology or a machine type, not both");
    if (!topology && !machine)
        return orr_cluster_wrong(err, where, "a host needs a topology or a machine type");
    if (machine && !(type = orr_machine_type_find(machine))) {
        (void)orr_machine_type_unknown(machine, err);
        err->code = ORR_INVALID;
        orr_error_where(err, "%s.machine", where);
        return ORR_INVALID;
    }
    host->topology = topology_number(file, type ? type->name : topology, type);
    return ORR_OK;
}

static enum orr_code read_gpus(struct orr_cluster_file *file, json_t *gpus, struct orr_cluster_file_host *host,
                               const char *where, struct orr_error *err)
{
    size_t i;
    json_t *gpu;
    if (!gpus)
        return ORR_OK;
    if (!json_array_size(gpus) || json_array_size(gpus) > MOST_GPUS)
        return orr_cluster_wrong(err, where, "gpus must be an array of 1 to 1024 numbers or bus ids");
    host->gpus = ORR_NEW(file->arena, struct orr_cluster_gpu, json_array_size(gpus));
    ORR_NEED(host->gpus, err);
    json_array_foreach (gpus, i, gpu) {
        struct orr_cluster_gpu *out = &host->gpus[host->gpu_count++];
        json_int_t number = json_integer_value(gpu);
        if (json_is_string(gpu))
            out->bus_id = orr_arena_strndup(file->arena, json_string_value(gpu), json_string_length(gpu));
        if (json_is_string(gpu) && !out->bus_id)
            return orr_fail_nomem(err);
        if (out->bus_id && !isxdigit((unsigned char)out->bus_id[0]))
            return orr_cluster_wrong(err, where, "write a GPU's bus id as in \"0000:1b:00.0\"");
        if (!out->bus_id && (!json_is_integer(gpu) || number < 0 || number >= MOST_GPUS))
            return orr_cluster_wrong(err, where, "name a GPU by its rank in the topology, from 0, or by its bus id");
        out->number = (uint32_t)number;
    }
    return ORR_OK;
}

/* Reads a number of 32 bits, 0 if it is missing; false if it is something else. */
static bool read_word(const json_t *object, const char *key, uint32_t *ret_word)
{
    const json_t *value = json_object_get(object, key);
    json_int_t number = json_integer_value(value);
    *ret_word = (uint32_t)number;
    return !value || (json_is_integer(value) && number >= 0 && number <= UINT32_MAX);
}

static enum orr_code read_fabric(struct orr_cluster_file *file, json_t *object, struct orr_cluster_file_host *host,
                                 const char *where, struct orr_error *err)
{
    static const char *const known[] = {"uuid", "clique", "state", "health", NULL};
    struct orr_fabric *fabric = ORR_NEW(file->arena, struct orr_fabric, 1);
    const char *uuid, *state;
    if (!object)
        return ORR_OK;
    ORR_NEED(fabric, err);
    if (!json_is_object(object))
        return orr_cluster_wrong(err, where,
                                 "fabric must be an object: {\"uuid\": UUID, \"clique\": N, \"state\": \"completed\"}");
    ORR_TRY(orr_cluster_check_keys(object, known, where, err));
    ORR_TRY(orr_cluster_read_text(file, object, "uuid", ORR_UUID_SIZE - 1, where, &uuid, err));
    ORR_TRY(orr_cluster_read_text(file, object, "state", 16, where, &state, err));
    fabric->state = ORR_FABRIC_COMPLETED;
    while (state && strcmp(state, orr_fabric_state_name(fabric->state)) != 0)
        if (fabric->state-- == ORR_FABRIC_NOT_SUPPORTED)
            return orr_cluster_wrong(err, where,
                                     "the fabric's state must be completed, in-progress, not-started or not-supported");
    fabric->has_uuid = uuid && orr_uuid_parse(uuid, fabric->uuid);
    if (uuid && !fabric->has_uuid)
        return orr_cluster_wrong(err, where,
                                 "the fabric's uuid must have 32 hexadecimal digits, with hyphens or without");
    if (!uuid && !host->domain && fabric->state == ORR_FABRIC_COMPLETED)
        return orr_cluster_wrong(
            err, where, "a completed fabric needs a uuid, or its host a domain, whose name then replaces the uuid");
    if (!read_word(object, "clique", &fabric->clique) || !read_word(object, "health", &fabric->health))
        return orr_cluster_wrong(err, where,
                                 "the fabric's clique and health must be whole numbers from 0 to 4294967295");
    host->fabric = fabric;
    return ORR_OK;
}

/* Names must be valid for launchers and their files. */
static bool is_host_name(const char *text)
{
    return text && *text && strlen(text) <= MOST_HOST_NAME && isalnum((unsigned char)*text) &&
           strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") == strlen(text);
}

static enum orr_code read_names(struct orr_cluster_file *file, json_t *names, struct orr_cluster_file_host *host,
                                const char *where, struct orr_error *err)
{
    size_t i;
    json_t *name;
    if (!names)
        return ORR_OK;
    if (!json_is_array(names) || json_array_size(names) != host->count)
        return orr_cluster_wrong(err, where, "names must be an array with one name for each of the `count` hosts");
    ORR_NEED(host->names = ORR_NEW(file->arena, const char *, host->count), err);
    json_array_foreach (names, i, name) {
        if (!is_host_name(json_string_value(name)))
            return orr_cluster_wrong(err, where,
                                     "a host's name may have up to 253 letters, digits, hyphens, underscores and dots");
        ORR_NEED(host->names[i] = orr_arena_strndup(file->arena, json_string_value(name), json_string_length(name)),
                 err);
    }
    return ORR_OK;
}

static enum orr_code read_host(struct orr_cluster_file *file, json_t *object, size_t i, struct orr_error *err)
{
    static const char *const known[] = {"topology", "machine", "count",  "gpus", "domain",
                                        "fabric",   "names",   "switch", "nics", NULL};
    struct orr_cluster_file_host *host = &file->hosts[file->host_count++];
    char where[32];
    snprintf(where, sizeof where, "hosts[%zu]", i);
    if (!json_is_object(object))
        return orr_cluster_wrong(err, where, "each host must be an object");
    ORR_TRY(orr_cluster_check_keys(object, known, where, err));
    ORR_TRY(read_machine(file, object, host, where, err));
    ORR_TRY(orr_cluster_read_text(file, object, "domain", MOST_DOMAIN, where, &host->domain, err));
    ORR_TRY(read_fabric(file, json_object_get(object, "fabric"), host, where, err));
    json_t *count = json_object_get(object, "count");
    json_int_t number = count ? json_integer_value(count) : 1;
    if ((count && !json_is_integer(count)) || number < 1 || number > ORR_MAX_CLUSTER_HOSTS)
        return orr_cluster_wrong(err, where, "count must be a whole number from 1 to 16384");
    host->count = (uint32_t)number;
    ORR_TRY(orr_cluster_read_text(file, object, "switch", MOST_DOMAIN, where, &host->leaf, err));
    ORR_TRY(read_names(file, json_object_get(object, "names"), host, where, err));
    ORR_TRY(orr_cluster_read_nics(file, json_object_get(object, "nics"), host, where, err));
    return read_gpus(file, json_object_get(object, "gpus"), host, where, err);
}

static enum orr_code read_ranks(struct orr_cluster_file *file, json_t *ranks, struct orr_error *err)
{
    size_t i;
    json_t *host;
    const char *text = json_string_value(ranks);
    if (!ranks)
        return ORR_OK;
    for (unsigned order = 0; text && order < ORR_ORDER_LIST; order++)
        if (!strcmp(text, orr_rank_order_name(order))) {
            file->order = order;
            return ORR_OK;
        }
    if (!json_array_size(ranks) || json_array_size(ranks) > orr_max_ranks)
        return orr_cluster_wrong(err, "ranks",
                                 "ranks must be \"block\", \"cyclic\", \"name\", \"switch\", \"domain\", or an array "
                                 "with the host of every rank");
    file->order = ORR_ORDER_LIST;
    file->host_of_rank = ORR_NEW(file->arena, uint32_t, json_array_size(ranks));
    ORR_NEED(file->host_of_rank, err);
    json_array_foreach (ranks, i, host) {
        json_int_t number = json_integer_value(host);
        if (!json_is_integer(host) || number < 0 || number >= ORR_MAX_CLUSTER_HOSTS) {
            char place[40];
            snprintf(place, sizeof place, "ranks[%zu]", i);
            return orr_cluster_wrong(err, place, "the host of a rank must be a number from 0, counted over all hosts");
        }
        file->host_of_rank[file->listed_ranks++] = (uint32_t)number;
    }
    return ORR_OK;
}

static enum orr_code read_root(struct orr_cluster_file *file, json_t *root, struct orr_error *err)
{
    static const char *const known[] = {"name", "hosts", "ranks", "rails", NULL};
    size_t i;
    json_t *host, *hosts = json_object_get(root, "hosts");
    size_t count = json_array_size(hosts);
    if (!json_is_object(root))
        return orr_cluster_wrong(err, "", "a cluster must be an object");
    ORR_TRY(orr_cluster_check_keys(root, known, "", err));
    ORR_TRY(orr_cluster_read_text(file, root, "name", ORR_MAX_NAME, "name", &file->name, err));
    if (!file->name)
        file->name = "";
    if (!count || count > MOST_LINES)
        return orr_cluster_wrong(err, "hosts", "hosts must be an array of 1 to 4096 kinds of hosts");
    ORR_TRY(orr_cluster_read_rails(file, json_object_get(root, "rails"), err));
    file->hosts = ORR_NEW(file->arena, struct orr_cluster_file_host, count);
    file->topologies = ORR_NEW(file->arena, const char *, count);
    file->machines = ORR_NEW(file->arena, const struct orr_machine_type *, count);
    ORR_NEED(file->hosts && file->topologies && file->machines, err);
    json_array_foreach (hosts, i, host)
        ORR_TRY(read_host(file, host, i, err));
    return read_ranks(file, json_object_get(root, "ranks"), err);
}

enum orr_code orr_cluster_file_read(const char *text, size_t length, struct orr_cluster_file *ret_file,
                                    struct orr_error *err)
{
    const size_t mark = orr_bytes_mark(text, length);
    text += mark;
    length -= mark;
    const size_t blank = orr_bytes_blanks(text, length, 0);
    if (blank == length)
        return orr_cluster_wrong(err, "", "the description of a cluster is empty");
    if (text[blank] == '<')
        return orr_cluster_wrong(
            err, "", "this is XML, perhaps a topology: describe the cluster in JSON, and name the topology in `hosts`");
    json_t *root;
    ORR_TRY(orr_json_parse(text, length, &root, err));
    struct orr_cluster_file file = {.arena = orr_arena_new(0)};
    enum orr_code code = file.arena ? read_root(&file, root, err) : orr_fail_nomem(err);
    json_decref(root);
    if (code != ORR_OK) {
        orr_cluster_file_release(&file);
        return code;
    }
    *ret_file = file;
    return ORR_OK;
}

void orr_cluster_file_release(struct orr_cluster_file *file)
{
    orr_arena_free(file->arena);
    *file = (struct orr_cluster_file){0};
}

char *orr_cluster_path(struct orr_arena *arena, const char *cluster_file, const char *topology)
{
    const char *slash = topology[0] == '/' ? NULL : strrchr(cluster_file, '/');
    size_t folder = slash ? (size_t)(slash - cluster_file) + 1 : 0, length = strlen(topology);
    char *path = orr_arena_alloc(arena, folder + length + 1, 1);
    if (path)
        snprintf(path, folder + length + 1, "%.*s%s", (int)folder, cluster_file, topology);
    return path;
}

static enum orr_code find_gpus(const struct orr_cluster_file *file, const struct orr_cluster_file_host *host,
                               const struct orr_dump *dump, struct orr_arena *arena, uint32_t **ret_gpus,
                               struct orr_error *err)
{
    uint32_t *gpus = ORR_NEW(arena, uint32_t, host->gpu_count);
    ORR_NEED(gpus, err);
    for (uint32_t i = 0; i < host->gpu_count; i++) {
        int32_t number =
            host->gpus[i].bus_id ? orr_dump_gpu_number(dump, host->gpus[i].bus_id) : (int32_t)host->gpus[i].number;
        if (number < 0) {
            orr_fail(err, ORR_INVALID, "the topology has no GPU with a rank at %.40s", host->gpus[i].bus_id);
            orr_error_where(err, "hosts[%zu].gpus[%u]", (size_t)(host - file->hosts), i);
            return ORR_INVALID;
        }
        gpus[i] = (uint32_t)number;
    }
    *ret_gpus = gpus;
    return ORR_OK;
}

enum orr_code orr_cluster_file_request(const struct orr_cluster_file *file, struct orr_dump *const *dumps,
                                       const struct orr_cluster_names *names, unsigned rank_order,
                                       const struct orr_settings *settings, struct orr_arena *arena,
                                       struct orr_cluster_request *ret_request, struct orr_error *err)
{
    struct orr_cluster_line *lines = ORR_NEW(arena, struct orr_cluster_line, file->host_count);
    const bool named = names && !names->made_up;
    uint32_t first = 0;
    ORR_NEED(lines, err);
    for (uint32_t i = 0; i < file->host_count; first += file->hosts[i++].count) {
        const struct orr_cluster_file_host *host = &file->hosts[i];
        uint32_t *gpus = NULL;
        if (host->gpus)
            ORR_TRY(find_gpus(file, host, dumps[host->topology], arena, &gpus, err));
        ORR_TRY(orr_cluster_check_nics(file, host, dumps[host->topology], err));
        lines[i] = (struct orr_cluster_line){.dump = dumps[host->topology],
                                             .count = host->count,
                                             .gpus = gpus,
                                             .gpu_count = host->gpu_count,
                                             .domain = host->domain,
                                             .fabric = host->fabric,
                                             .names = named ? &names->hosts[first] : NULL,
                                             .leaf = names && names->leaves ? names->leaves[i] : NULL,
                                             .rack = names ? names->domains[i] : NULL,
                                             .nics = host->nics,
                                             .nic_count = host->nic_count,
                                             .isolated = file->isolated};
    }
    *ret_request = (struct orr_cluster_request){.lines = lines,
                                                .line_count = file->host_count,
                                                .order = rank_order ? rank_order - 1 : file->order,
                                                .host_of_rank = rank_order ? NULL : file->host_of_rank,
                                                .listed_ranks = rank_order ? 0 : file->listed_ranks,
                                                .settings = *settings};
    return ORR_OK;
}
