/* SPDX-License-Identifier: Apache-2.0 */
/* Packs everything that detection reads. First it lists the paths, with links resolved, then it writes a tar entry for
 * each in sorted order, without times and owners, so that the same machine gives the same bytes. */
#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"
#include "engine/detect/detecting.h"

struct packing {
    struct orr_detector *d;
    const char **paths;
    unsigned count, capacity;
};

static void put_text(struct packing *p, const char *format, ...) ORR_PRINTF(2, 3);
static void put_text(struct packing *p, const char *format, ...)
{
    char path[ORR_PATH_SIZE];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(path, sizeof path, format, args);
    va_end(args);
    if (length < 0 || length >= (int)sizeof path || orr_arena_starved(p->d->arena))
        return;
    if (!ORR_RESERVE(p->d->arena, p->paths, p->count, p->capacity) ||
        !(p->paths[p->count] = orr_arena_strndup(p->d->arena, path, (size_t)length))) {
        p->count = 0; /* a failed ORR_RESERVE() drops the array */
        return;
    }
    p->count++;
}

/* A PCI function and those above it, with the files that are read from each. */
static void put_function(struct packing *p, const char *path)
{
    static const char *const files[] = {
        "class",          "vendor",         "device",    "subsystem_vendor", "subsystem_device",
        "max_link_speed", "max_link_width", "numa_node", "subsystem",        "physfn",
        "driver"};
    for (const char *end = path; *end;) {
        const char *start = end + 1;
        end = start + strcspn(start, "/");
        if (orr_looks_like_bus_id(start, (size_t)(end - start)))
            for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
                put_text(p, "%.*s/%s", (int)(end - path), path, files[i]);
    }
}

/* A link in a folder, if it leads to a folder. */
static bool put_link(struct packing *p, const char *in, const char *name, char folder[ORR_PATH_SIZE])
{
    char link[ORR_PATH_SIZE];
    snprintf(link, sizeof link, "%s/%.255s", in, name);
    if (orr_root_find(p->d->root, link, folder) != ORR_ROOT_FOLDER)
        return false;
    put_text(p, "%s", link);
    return true;
}

static void put_pci(struct packing *p)
{
    struct orr_root_names names;
    char path[ORR_PATH_SIZE], link[ORR_PATH_SIZE], class[ORR_SYS_VALUE];
    put_text(p, "/sys/bus/pci");
    if (orr_detector_list(p->d, "/sys/bus/pci/devices", &names)) {
        for (uint32_t i = 0; i < names.count; i++) {
            snprintf(link, sizeof link, "/sys/bus/pci/devices/%.60s", names.names[i]);
            orr_sys_value(p->d, link, "class", class);
            /* Network, display, bridges, accelerators: the classes that have a place in the document. */
            bool wanted = !strncmp(class, "0x02", 4) || !strncmp(class, "0x03", 4) || !strncmp(class, "0x06", 4) ||
                          !strncmp(class, "0x12", 4);
            if (!wanted || orr_root_find(p->d->root, link, path) != ORR_ROOT_FOLDER)
                continue;
            put_text(p, "%s", link);
            put_function(p, path);
        }
    }
    if (!orr_detector_list(p->d, "/sys/class/pci_bus", &names))
        return;
    for (uint32_t i = 0; i < names.count; i++)
        if (put_link(p, "/sys/class/pci_bus", names.names[i], path))
            put_text(p, "%s", path);
}

/* The target of a link FOLDER/device: a PCI function, or a device on another bus, of which only the name matters. */
static void put_device(struct packing *p, const char *folder)
{
    char link[ORR_PATH_SIZE + 16], path[ORR_PATH_SIZE];
    snprintf(link, sizeof link, "%s/device", folder);
    if (orr_root_find(p->d->root, link, path) != ORR_ROOT_FOLDER)
        return;
    put_text(p, "%s", link);
    put_function(p, path);
    put_text(p, "%s/subsystem", path);
    put_text(p, "%s/numa_node", path);
    put_text(p, "%s/vendor", path);
    snprintf(link, sizeof link, "%s/subsystem", path);
    if (orr_root_find(p->d->root, link, path) == ORR_ROOT_FOLDER)
        put_text(p, "%s", path);
}

static void put_port(struct packing *p, const char *folder, const char *port)
{
    static const char *const files[] = {"state", "link_layer", "rate"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        put_text(p, "%s/ports/%s/%s", folder, port, files[i]);
}

static void put_infiniband(struct packing *p)
{
    struct orr_root_names names, ports;
    char folder[ORR_PATH_SIZE], link[ORR_PATH_SIZE];
    if (!orr_detector_list(p->d, "/sys/class/infiniband", &names))
        return;
    for (uint32_t i = 0; i < names.count; i++) {
        if (!put_link(p, "/sys/class/infiniband", names.names[i], folder))
            continue;
        put_text(p, "%s/sys_image_guid", folder);
        put_device(p, folder);
        snprintf(link, sizeof link, "%.900s/ports", folder);
        if (orr_detector_list(p->d, link, &ports))
            for (uint32_t k = 0; k < ports.count; k++)
                put_port(p, folder, ports.names[k]);
    }
}

static void put_interfaces(struct packing *p)
{
    struct orr_root_names names;
    char folder[ORR_PATH_SIZE];
    if (!orr_detector_list(p->d, "/sys/class/net", &names))
        return;
    for (uint32_t i = 0; i < names.count; i++) {
        if (!put_link(p, "/sys/class/net", names.names[i], folder))
            continue;
        put_text(p, "%s/speed", folder);
        put_text(p, "%s/operstate", folder);
        put_device(p, folder);
    }
}

/* Other files: NUMA nodes, links between Broadcom switches, and single files. */
static void put_rest(struct packing *p)
{
    static const char switches[] = "/sys/kernel/pci_switch_link/virtual_switch_links";
    const char *topology = orr_detect_setting_of(p->d, "NCCL_TOPO_FILE"), *path;
    char folder[ORR_PATH_SIZE];
    struct orr_root_names names, peers;
    unsigned bit;
    if (orr_detector_list(p->d, "/sys/devices/system/node", &names))
        for (uint32_t i = 0; i < names.count; i++)
            if (!strncmp(names.names[i], "node", 4))
                put_text(p, "/sys/devices/system/node/%.32s/cpumap", names.names[i]);
    if (orr_detector_list(p->d, switches, &names))
        for (uint32_t i = 0; i < names.count; i++) {
            snprintf(folder, sizeof folder, "%s/%.60s", switches, names.names[i]);
            if (orr_detector_list(p->d, folder, &peers))
                for (uint32_t k = 0; k < peers.count; k++)
                    put_text(p, "%s/%s", folder, peers.names[k]);
        }
    for (size_t i = 0; (path = orr_peer_memory_file(i, &bit)); i++)
        put_text(p, "%s", path);
    for (size_t i = 0; orr_net_plugins[i]; i++)
        put_text(p, "%s", orr_net_plugins[i]);
    put_text(p, "/sys/module/nvidia/version");
    put_text(p, "/sys/firmware/devicetree/base/model");
    put_text(p, "/etc/nv_tegra_release");
    put_text(p, "/proc/sys/kernel/osrelease");
    put_text(p, "%s", ORR_USUAL_TOPO_FILE);
    if (topology && *topology)
        put_text(p, "%s", topology);
}

static bool write_entry(struct archive *archive, const char *path, enum orr_root_kind kind, const char *target,
                        const char *bytes, size_t length)
{
    struct archive_entry *entry = archive_entry_new();
    if (!entry)
        return false;
    archive_entry_set_pathname(entry, path + 1);
    archive_entry_set_filetype(entry, kind == ORR_ROOT_LINK ? AE_IFLNK : kind == ORR_ROOT_FOLDER ? AE_IFDIR : AE_IFREG);
    archive_entry_set_perm(entry, kind == ORR_ROOT_FILE ? 0644 : 0755);
    archive_entry_set_mtime(entry, 0, 0);
    if (kind == ORR_ROOT_LINK)
        archive_entry_set_symlink(entry, target);
    archive_entry_set_size(entry, (la_int64_t)length);
    bool done = archive_write_header(archive, entry) == ARCHIVE_OK &&
                (!length || archive_write_data(archive, bytes, length) == (la_ssize_t)length);
    archive_entry_free(entry);
    return done;
}

/* Packs a path with its present content; a missing path is left out. A library is packed as an empty file, because
 * detection only checks that it exists. */
static bool write_path(const struct packing *p, struct archive *archive, const char *path, char *buffer)
{
    char target[ORR_PATH_SIZE];
    ssize_t length = 0;
    enum orr_root_kind kind = orr_root_look(p->d->root, path, target);
    if (kind == ORR_ROOT_LINK && !strncmp(path, "/sys", 4))
        return write_entry(archive, path, kind, target, NULL, 0);
    if (kind == ORR_ROOT_LINK) { /* outside /sys only the content matters, so a link is replaced by its file */
        kind = orr_root_find(p->d->root, path, NULL);
    }
    if (kind == ORR_ROOT_FOLDER)
        return write_entry(archive, path, kind, NULL, NULL, 0);
    if (kind != ORR_ROOT_FILE)
        return true;
    if (!strstr(path, ".so")) {
        length = orr_root_read(p->d->root, path, buffer, ORR_TAR_FILE_BYTES);
        if (length < 0)
            return true; /* detection cannot read it either */
    }
    return write_entry(archive, path, kind, NULL, buffer, (size_t)length);
}

/* Writes the settings that detection would use here in the form of nccl.conf. */
static void write_settings(struct orr_detector *d, struct orr_text *text)
{
    for (size_t i = 0; orr_detect_setting_name(i); i++) {
        const char *name = orr_detect_setting_name(i), *value = orr_detect_setting_of(d, name);
        bool kept = value && strcmp(name, "NCCL_HOSTID") && strcmp(name, "NCCL_CONF_FILE") && !strchr(value, '\n');
        if (kept)
            orr_text_printf(text, "%s=%s\n", name, value);
    }
}

static bool write_all(const struct packing *p, struct archive *archive, char *buffer)
{
    ORR_LOCAL_TEXT(facts, ORR_FACTS_BYTES - 1);
    ORR_LOCAL_TEXT(settings, ORR_FACTS_BYTES);
    orr_host_facts_write(&p->d->facts, &facts);
    write_settings(p->d, &settings);
    bool done = !orr_text_failed(&facts) && !orr_text_failed(&settings) &&
                write_entry(archive, ORR_FACTS_PATH, ORR_ROOT_FILE, NULL, facts.data, facts.length) &&
                (!settings.length ||
                 write_entry(archive, "/etc/nccl.conf", ORR_ROOT_FILE, NULL, settings.data, settings.length));
    for (unsigned i = 0; done && i < p->count; i++)
        if (!i || strcmp(p->paths[i - 1], p->paths[i]))
            done = write_path(p, archive, p->paths[i], buffer);
    return done;
}

static la_ssize_t take_bytes(struct archive *archive, void *context, const void *bytes, size_t length)
{
    struct orr_text *text = context;
    (void)archive;
    orr_text_add(text, bytes, length);
    return orr_text_failed(text) ? -1 : (la_ssize_t)length;
}

static enum orr_code write_tar(const struct packing *p, struct orr_text *tar, struct orr_error *err)
{
    struct archive *archive = archive_write_new();
    char *buffer = malloc(ORR_TAR_FILE_BYTES);
    bool done = archive && buffer;
    if (done) {
        archive_write_set_format_pax_restricted(archive); /* plain ustar, unless a name is too long for it */
        archive_write_add_filter_gzip(archive);
        archive_write_set_filter_option(archive, "gzip", "timestamp", NULL);
        archive_write_set_bytes_in_last_block(archive, 1);
        done = archive_write_open(archive, tar, NULL, take_bytes, NULL) == ARCHIVE_OK &&
               write_all(p, archive, buffer) && archive_write_close(archive) == ARCHIVE_OK;
    }
    archive_write_free(archive);
    free(buffer);
    if (done)
        return ORR_OK;
    if (orr_text_failed(tar) && !tar->starved)
        return orr_fail(err, ORR_LIMIT, "what detection reads here packs to more than %d bytes", (int)ORR_GATHER_BYTES);
    return orr_fail_nomem(err);
}

enum orr_code orr_gather(const struct orr_detect_options *options, struct orr_text *ret_tar, struct orr_error *err)
{
    enum { MEMORY = 256 << 20 };
    ORR_LOCAL_ARENA(arena, MEMORY);
    struct orr_detector *d = ORR_NEW(arena, struct orr_detector, 1);
    struct packing packing = {.d = d};
    struct orr_text tar = ORR_TEXT(ORR_GATHER_BYTES);
    ORR_NEED(d, err);
    d->arena = arena;
    enum orr_code code = orr_detector_open(d, options, NULL, err);
    if (code == ORR_OK) {
        put_pci(&packing);
        put_infiniband(&packing);
        put_interfaces(&packing);
        put_rest(&packing);
        if (packing.count)
            qsort(packing.paths, packing.count, sizeof packing.paths[0], orr_by_text);
        code = orr_arena_starved(d->arena) ? orr_fail_nomem(err) : write_tar(&packing, &tar, err);
    }
    orr_detector_close(d);
    if (code == ORR_OK)
        *ret_tar = tar;
    else
        orr_text_release(&tar);
    return code;
}

bool orr_is_tar(const char *bytes, size_t length)
{
    enum { MAGIC_AT = 257 };
    return (length > 2 && !memcmp(bytes, "\x1f\x8b", 2)) ||
           (length > MAGIC_AT + 5 && !memcmp(bytes + MAGIC_AT, "ustar", 5));
}
