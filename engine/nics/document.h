/* The document under construction: elements with attributes in the order in which they were set, as NCCL keeps them
 * while it detects. Memory comes from one arena; once it ran out, functions go on with a spare element: ask
 * orr_arena_starved() once, at the end. */
#ifndef ORR_NICS_DOCUMENT_H
#define ORR_NICS_DOCUMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/release/detect_rules.h"

enum { ORR_DOC_ATTRIBUTES = 16 };

struct orr_doc_node {
    const char *name; /* static, or as long as the tree */
    const char *keys[ORR_DOC_ATTRIBUTES], *values[ORR_DOC_ATTRIBUTES];
    unsigned attribute_count;
    bool claimed;          /* by a rank or a plugin: stays when the rest is trimmed */
    bool linked;           /* links to its peers were looked for */
    uint32_t gpus;         /* below it, where orr_doc_count_gpus() was called */
    uint32_t line, column; /* in the user's bytes, 0: it has no place there */
    struct orr_doc_node *parent, *first, *last, *before, *after;
};

struct orr_doc {
    struct orr_arena *arena;
    struct orr_doc_node *system;
    struct orr_doc_node spare;
};

/* An empty <system version="1">. */
void orr_doc_init(struct orr_doc *tree, struct orr_arena *arena);

/* A new element at the end of parent, or before a sibling (NULL: the end). */
struct orr_doc_node *orr_doc_add(struct orr_doc *tree, struct orr_doc_node *parent, const char *name,
                                 struct orr_doc_node *before);
void orr_doc_remove(struct orr_doc_node *node);
/* Puts an element into a parent; one that has a parent is moved. */
void orr_doc_move(struct orr_doc_node *node, struct orr_doc_node *parent, struct orr_doc_node *before);

/* NULL: it has no such attribute. */
const char *orr_doc_get(const struct orr_doc_node *node, const char *key);
/* Sets or replaces; a new one goes last, a 17th is dropped. key is static, or as long as the tree. */
void orr_doc_set(struct orr_doc *tree, struct orr_doc_node *node, const char *key, const char *format, ...)
    ORR_PRINTF(4, 5);
/* The same unless it is there. */
void orr_doc_set_once(struct orr_doc *tree, struct orr_doc_node *node, const char *key, const char *format, ...)
    ORR_PRINTF(4, 5);

bool orr_doc_is(const struct orr_doc_node *node, const char *name);
/* The first child of a name, with that value of an attribute where key is given; NULL: none. */
struct orr_doc_node *orr_doc_child(const struct orr_doc_node *parent, const char *name, const char *key,
                                   const char *value);
/* The same anywhere below, in document order. */
struct orr_doc_node *orr_doc_find(const struct orr_doc_node *top, const char *name, const char *key, const char *value);
/* The next element in document order, NULL behind the last below top. */
struct orr_doc_node *orr_doc_next(const struct orr_doc_node *node, const struct orr_doc_node *top);
/* Sets `gpus` of every node. */
void orr_doc_count_gpus(struct orr_doc *tree);
/* Elements in the document. */
unsigned orr_doc_count(const struct orr_doc *tree);

/* Written as NCCL writes it. */
void orr_doc_write(const struct orr_doc *tree, struct orr_text *text);

/* document_join.c */
/* Drops what nobody claimed, by a rule other than ORR_TRIM_NONE. */
void orr_doc_trim(struct orr_doc *tree, enum orr_trim_rule rule);
/* Drops a node, and what around it (nic, pci) is then empty. */
void orr_doc_prune(struct orr_doc_node *node);
/* Fuses another document of the same arena, whose elements are moved, into the first. */
void orr_doc_fuse(struct orr_doc *into, struct orr_doc *from);

#endif
