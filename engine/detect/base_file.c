/* SPDX-License-Identifier: Apache-2.0 */
/* A topology file that NCCL starts from: its values stay, and missing ones are detected. docs/nccl/detection.md,
 * "Starting from a topology file". */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/detect/detecting.h"

static void replace_hashes(struct orr_detector *d)
{
    for (struct orr_doc_node *cpu = d->tree->system->first; cpu; cpu = cpu->after)
        if (cpu->kind == ORR_ELEMENT_CPU)
            orr_doc_set(d->tree, cpu, ORR_ATTR_HOST_HASH, d->facts.hash_wide ? "0x%" PRIx64 : "%" PRIx64,
                        d->facts.hash_wide);
}

/* When detection reads a copy, the caller's own NCCL_TOPO_FILE may name a file of the machine that Orrery runs on. */
static ssize_t read_beside(const struct orr_detector *d, const char *path, char *bytes, size_t size)
{
    const char *given = d->options->setting ? d->options->setting(d->options->context, "NCCL_TOPO_FILE") : NULL;
    char *real = given && !strcmp(given, path) ? realpath(path, NULL) : NULL;
    struct orr_root *machine = NULL;
    struct orr_error err;
    ssize_t length = -1;
    if (real && orr_root_open("/", &machine, &err) == ORR_OK)
        length = orr_root_read(machine, real, bytes, size);
    if (machine)
        orr_root_free(machine);
    free(real);
    return length;
}

void orr_base_file_load(struct orr_detector *d)
{
    enum { MOST = 4 << 20 };
    const char *named = orr_detect_setting_of(d, "NCCL_TOPO_FILE"), *path = named ? named : ORR_USUAL_TOPO_FILE;
    if (path != named && !d->rules.usual_file)
        return;
    struct orr_error err = {0};
    struct orr_dump *dump = NULL;
    char *bytes = malloc(MOST);
    if (!bytes) {
        orr_arena_starve(d->arena);
        return;
    }
    ssize_t length = orr_root_read(d->root, path, bytes, MOST);
    if (length < 0 && path == named && d->options->root)
        length = read_beside(d, named, bytes, MOST);
    if (length < 0) {
        if (path == named)
            orr_note(d, ORR_NOTE_NO_TOPO_FILE, "NCCL_TOPO_FILE=%.120s cannot be read: NCCL goes on without it", named);
    } else if (orr_dump_read_into(d->arena, bytes, (size_t)length, NULL, &dump, &err) != ORR_OK) {
        if (err.code == ORR_NOMEM)
            orr_arena_starve(d->arena);
        orr_note(d, ORR_NOTE_NO_TOPO_FILE, "%.100s:%u: %.120s; NCCL would refuse to start with that file", path,
                 err.line, err.text);
    } else {
        orr_note(d, ORR_NOTE_TOPO_FILE, "detection starts from the topology file %.120s, whose values are kept", path);
        orr_doc_copy_element(d->tree, d->tree->system, dump, 0);
        for (struct orr_doc_node *node = d->tree->system; node; node = orr_doc_next(node, d->tree->system)) {
            orr_doc_drop(d->tree, node, ORR_ATTR_KEEP);
            node->line = node->column = 0; /* these are places in another file than the user's */
        }
        if (d->rules.hash == ORR_HASH_WIDE)
            replace_hashes(d);
    }
    free(bytes);
}
