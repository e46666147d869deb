/* The document under construction: elements with attributes in the order in which they were set, as NCCL keeps them
 * while it detects. Memory comes from one arena; once it ran out, functions go on with a spare element and `starved`
 * says so: look once, at the end. */
#ifndef ORR_DETECT_TREE_H
#define ORR_DETECT_TREE_H

#include <stdbool.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"

enum { ORR_TREE_ATTRIBUTES = 16 };

struct orr_tree_node {
    const char *name; /* static, or as long as the tree */
    const char *keys[ORR_TREE_ATTRIBUTES], *values[ORR_TREE_ATTRIBUTES];
    unsigned attribute_count;
    bool claimed; /* by a rank or a plugin: stays when the rest is trimmed */
    struct orr_tree_node *parent, *first, *last, *before, *after;
};

struct orr_tree {
    struct orr_arena *arena;
    struct orr_tree_node *system;
    struct orr_tree_node spare;
    bool starved;
};

/* An empty <system version="1">. */
void orr_tree_init(struct orr_tree *tree, struct orr_arena *arena);

/* A new element at the end of parent, or before a sibling (NULL: the end). */
struct orr_tree_node *orr_tree_add(struct orr_tree *tree, struct orr_tree_node *parent, const char *name,
                                   struct orr_tree_node *before);
void orr_tree_remove(struct orr_tree_node *node);
/* Puts an element that stands nowhere, or that is moved, into a parent. */
void orr_tree_move(struct orr_tree_node *node, struct orr_tree_node *parent, struct orr_tree_node *before);

/* NULL: it has no such attribute. */
const char *orr_tree_get(const struct orr_tree_node *node, const char *key);
/* Sets or replaces; a new one goes last, a 17th is dropped. key is static, or as long as the tree. */
void orr_tree_set(struct orr_tree *tree, struct orr_tree_node *node, const char *key, const char *format, ...)
    ORR_PRINTF(4, 5);
/* The same unless it is there. */
void orr_tree_set_once(struct orr_tree *tree, struct orr_tree_node *node, const char *key, const char *format, ...)
    ORR_PRINTF(4, 5);

bool orr_tree_is(const struct orr_tree_node *node, const char *name);
/* The first child of a name, with that value of an attribute where key is given; NULL: none. */
struct orr_tree_node *orr_tree_child(const struct orr_tree_node *parent, const char *name, const char *key,
                                     const char *value);
/* The same anywhere below, in document order. */
struct orr_tree_node *orr_tree_find(const struct orr_tree_node *top, const char *name, const char *key,
                                    const char *value);
/* The next element in document order, NULL behind the last below top. */
struct orr_tree_node *orr_tree_next(const struct orr_tree_node *node, const struct orr_tree_node *top);
/* Elements in the document. */
unsigned orr_tree_count(const struct orr_tree *tree);

/* Written as NCCL writes it. */
void orr_tree_write(const struct orr_tree *tree, struct orr_text *text);

/* tree_join.c */
/* Drops what nobody claimed: pci, cpu, nic and net without a claimed element below; or, childless, whatever has no
 * child. */
void orr_tree_trim(struct orr_tree *tree, bool childless);
/* Fuses another document of the same arena, whose elements are moved, into the first. */
void orr_tree_fuse(struct orr_tree *into, struct orr_tree *from);

#endif
