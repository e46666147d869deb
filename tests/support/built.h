/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by tests of systems: a system built from the text of a dump. */
#ifndef ORR_SUPPORT_BUILT_H
#define ORR_SUPPORT_BUILT_H

#include "engine/base/budget.h"
#include "engine/release/settings.h"
#include "engine/topology/system.h"
#include "tests/support/dump_text.h"

struct built {
    struct orr_dump *dump;
    struct orr_arena *arena;
    struct orr_system system;
};

static inline enum orr_code try_build_with(const char *release, const char *split, const char *text, struct built *b,
                                           struct orr_error *err)
{
    struct orr_settings settings;
    *b = (struct built){.dump = read_text(text), .arena = orr_arena_new(0)};
    *err = (struct orr_error){0};
    orr_settings_init(&settings, orr_release_find(release));
    ORR_TRY(orr_settings_set(&settings, "NCCL_TOPO_SPLIT_MLOPART", split, err));
    return orr_system_build(b->dump, &settings, b->arena, &b->system, err);
}

static inline enum orr_code try_build_in(const char *release, const char *text, struct built *b, struct orr_error *err)
{
    return try_build_with(release, "", text, b, err);
}

static inline enum orr_code try_build(const char *text, struct built *b, struct orr_error *err)
{
    return try_build_in("2.27.7", text, b, err);
}

static inline void release_built(struct built *b)
{
    orr_arena_free(b->arena);
    orr_dump_free(b->dump);
}

static inline struct built build(const char *text)
{
    struct built b;
    struct orr_error err;
    assert_ok(try_build(text, &b, &err), &err);
    assert_true(orr_system_check(&b.system, &err));
    return b;
}

/* "PCI/0-4000 PCI 24, ..." of a node's links in order. */
static inline void assert_links(const struct built *b, const char *node, const char *expected)
{
    char text[1024] = "", id[ORR_NODE_ID_SIZE];
    uint32_t n = orr_system_find(&b->system, node);
    assert_int_not_equal(n, ORR_NO_NODE);
    for (uint32_t l = b->system.nodes[n].first_link; l < b->system.nodes[n].first_link + b->system.nodes[n].link_count;
         l++) {
        const struct orr_link *link = &b->system.links[l];
        const struct orr_node *to = &b->system.nodes[link->to];
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s %s %.9g", used ? ", " : "",
                 orr_node_id_format(to->type, to->id, id), orr_link_type_name(link->type), (double)link->bw);
    }
    assert_string_equal(text, expected);
}

#endif
