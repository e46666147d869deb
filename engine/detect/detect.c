/* SPDX-License-Identifier: Apache-2.0 */
/* Detection in order: facts, GPUs, NICs, and then either one document for all ranks, or one for each rank, fused. */
#include "engine/detect/detect.h"

#include <stdlib.h>
#include <string.h>

#include "engine/detect/detecting.h"

enum { MEMORY = 256 << 20, XML_BYTES = 16 << 20 };

static enum orr_code read_facts(struct orr_detector *d, const char *host_id, struct orr_error *err)
{
    char *text = malloc(ORR_FACTS_BYTES);
    ORR_NEED(text, err);
    enum orr_code code = ORR_OK;
    ssize_t length = orr_root_read(d->root, ORR_FACTS_PATH, text, ORR_FACTS_BYTES);
    orr_host_facts_of_copy(&d->facts, d->root, host_id);
    if (length > 0) /* answers of the machine itself take precedence over the copied files */
        code = orr_host_facts_read(&d->facts, text, (size_t)length, err);
    if (code == ORR_OK && host_id && *host_id) /* NCCL_HOSTID takes precedence over the host's name */
        orr_host_facts_hash(&d->facts, "", "", host_id);
    free(text);
    return code;
}

enum orr_code orr_detector_open(struct orr_detector *d, const struct orr_detect_options *options, struct orr_root *root,
                                struct orr_error *err)
{
    struct orr_arena *arena = d->arena;
    *d = (struct orr_detector){.options = options, .root = root, .arena = arena};
    d->release = options->release ? options->release : orr_release_default();
    orr_detect_rules_of(d->release, &d->rules);
    bool live = !options->root && !root;
    if (!root)
        ORR_TRY(orr_root_open(options->root ? options->root : "/", &d->root, err));
    ORR_TRY(orr_detect_settings_load(d, err));
    const char *host_id = orr_detect_setting_of(d, "NCCL_HOSTID");
    if (live) {
        orr_host_facts_ask(&d->facts, options->nvml, host_id, d->root);
        return ORR_OK;
    }
    ORR_TRY(read_facts(d, host_id, err));
    if (options->nvml && strcmp(options->nvml, "none")) { /* replaces the copy's facts about GPUs */
        d->facts.gpu_count = 0;
        d->facts.nvml = false;
        d->facts.nvml_problem[0] = 0;
        orr_host_facts_ask_nvml(&d->facts, options->nvml, d->root);
    } else if (!options->nvml && !root && !d->facts.nvml) {
        orr_host_facts_ask_nvml_beside(&d->facts, d->root);
        if (d->facts.nvml)
            orr_note(d, ORR_NOTE_NVML_BESIDE,
                     "the copy has no answers from NVML, so Orrery asked the library that the environment names, whose "
                     "GPUs are those of the copy");
    }
    return ORR_OK;
}

void orr_detector_close(struct orr_detector *d)
{
    orr_root_free(d->root);
    d->root = NULL;
}

/* Builds one document of the ranks from `from` to before `to`; it becomes d->tree. */
static void build(struct orr_detector *d, struct orr_doc *tree, uint32_t from, uint32_t to)
{
    d->tree = tree;
    orr_doc_init(tree, d->arena);
    orr_base_file_load(d);
    for (uint32_t rank = from; rank < to; rank++)
        orr_gpu_add(d, rank);
    orr_nics_add(d, from);
    if (d->options->running && orr_nic_merge_of(d->release) >= ORR_MERGE_VIRTUAL_ONCE && d->by_verbs)
        orr_nics_merge(d, from);
    if (d->rules.trim != ORR_TRIM_NONE)
        orr_detect_trim(tree, d->rules.trim);
}

static void check_size(struct orr_detector *d, const struct orr_doc *tree)
{
    unsigned count = 0;
    for (const struct orr_doc_node *node = tree->system; node; node = orr_doc_next(node, tree->system))
        count++;
    if (count >= d->release->max_elements)
        orr_note(d, ORR_NOTE_TOO_LARGE, "the document has %u elements, but NCCL %s accepts fewer than %u", count,
                 d->release->name, d->release->max_elements);
}

/* Text from a hostile copy of /sys is always written as plain text, and its nesting is limited like a file's. */
static enum orr_code clean(struct orr_detector *d, const struct orr_doc *tree, struct orr_error *err)
{
    const uint32_t deepest = orr_dump_default_limits.depth;
    for (const struct orr_doc_node *node = tree->system; node; node = orr_doc_next(node, tree->system)) {
        uint32_t depth = 0;
        for (const struct orr_doc_node *at = node; at && depth <= deepest; at = at->parent)
            depth++;
        if (depth > deepest)
            return orr_fail(err, ORR_LIMIT, "elements nested deeper than %u", deepest);
        for (uint32_t i = 0; i < node->attribute_count; i++) {
            const char *value = node->attributes[i].value;
            size_t length = strlen(value), plain = 0;
            while (value[plain] >= ' ' && value[plain] < 0x7f)
                plain++;
            char *copy = plain < length ? orr_arena_strndup(d->arena, value, length) : NULL;
            for (size_t k = plain; copy && k < length; k++)
                copy[k] = copy[k] >= ' ' && copy[k] < 0x7f ? copy[k] : '?';
            node->attributes[i].value = copy ? copy : value;
        }
    }
    return ORR_OK;
}

static enum orr_code write_result(struct orr_detector *d, const struct orr_doc *tree, struct orr_detection *result,
                                  struct orr_error *err)
{
    ORR_LOCAL_TEXT(text, XML_BYTES);
    ORR_TRY(clean(d, tree, err));
    for (const struct orr_doc_node *node = tree->system->first; node; node = orr_doc_next(node, tree->system)) {
        result->gpu_count += node->kind == ORR_ELEMENT_GPU;
        result->net_count += node->kind == ORR_ELEMENT_NET;
    }
    result->dump = orr_doc_to_dump(tree, NULL);
    ORR_NEED(result->dump, err);
    orr_dump_write(result->dump, &text);
    ORR_NEED(!text.starved && !orr_arena_starved(d->arena), err);
    if (orr_text_failed(&text))
        return orr_fail(err, ORR_LIMIT, "the document has more than %d bytes", (int)XML_BYTES);
    result->xml = orr_text_copy(&text, d->arena);
    result->notes = ORR_NEW(d->arena, struct orr_note, d->note_count);
    ORR_NEED(result->xml && result->notes, err);
    result->length = text.length;
    result->note_count = d->note_count;
    if (d->note_count)
        memcpy(result->notes, d->notes, d->note_count * sizeof d->notes[0]);
    return ORR_OK;
}

static enum orr_code detect(struct orr_detector *d, struct orr_detection *result, struct orr_error *err)
{
    struct orr_doc *trees = ORR_NEW(d->arena, struct orr_doc, 2);
    ORR_NEED(trees, err);
    if (orr_root_find(d->root, "/sys/bus/pci/devices", NULL) != ORR_ROOT_FOLDER &&
        orr_root_find(d->root, "/sys/class/pci_bus", NULL) != ORR_ROOT_FOLDER)
        orr_note(d, ORR_NOTE_NO_SYS,
                 "/sys shows no PCI devices: neither the places of GPUs and NICs nor their links are known");
    if (d->rules.trim == ORR_TRIM_NONE)
        orr_note(d, ORR_NOTE_OLD_RELEASE,
                 "Orrery knows less about what NCCL %s writes than about newer releases: it finds NICs as 2.8.3 does",
                 d->release->name);
    if (d->rules.peer_links) { /* like NCCL: reading this file makes the switches' driver look for links again */
        char ignored[16];
        orr_root_read(d->root, "/sys/kernel/pci_switch_link/refresh_switch_toplogy", ignored, sizeof ignored);
    }
    d->tree = &trees[0];
    orr_surroundings_look(d);
    orr_gpus_find(d);
    orr_surroundings_check(d);
    orr_nics_find(d);
    uint32_t ranks = d->facts.gpu_count;
    if (!d->rules.fuses_ranks || ranks < 2) {
        build(d, &trees[0], 0, ranks);
    } else {
        build(d, &trees[0], 0, 1);
        for (uint32_t rank = 1; rank < ranks && !orr_arena_starved(d->arena); rank++) {
            build(d, &trees[1], rank, rank + 1);
            orr_detect_fuse(&trees[0], &trees[1]);
        }
    }
    check_size(d, &trees[0]);
    return write_result(d, &trees[0], result, err);
}

/* Frees root, also on failure. */
static enum orr_code detect_in(const struct orr_detect_options *options, struct orr_root *root,
                               struct orr_detection *ret_detection, struct orr_error *err)
{
    ORR_LOCAL_ARENA(arena, MEMORY);
    struct orr_detection result = {0};
    struct orr_detector *d = ORR_NEW(arena, struct orr_detector, 1);
    if (!d) {
        orr_root_free(root);
        return orr_fail_nomem(err);
    }
    d->arena = arena;
    enum orr_code code = orr_detector_open(d, options, root, err);
    if (code == ORR_OK)
        code = detect(d, &result, err);
    orr_detector_close(d);
    ORR_TRY(code);
    result.arena = orr_arena_take(&arena);
    *ret_detection = result;
    return ORR_OK;
}

enum orr_code orr_detect(const struct orr_detect_options *options, struct orr_detection *ret_detection,
                         struct orr_error *err)
{
    return detect_in(options, NULL, ret_detection, err);
}

enum orr_code orr_detect_from_tar(const char *bytes, size_t length, const struct orr_detect_options *options,
                                  struct orr_detection *ret_detection, struct orr_error *err)
{
    struct orr_root *root;
    ORR_TRY(orr_root_of_tar(bytes, length, &root, err));
    return detect_in(options, root, ret_detection, err);
}

void orr_detection_release(struct orr_detection *detection)
{
    orr_arena_free(detection->arena);
    *detection = (struct orr_detection){0};
}
