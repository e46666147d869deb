/* SPDX-License-Identifier: Apache-2.0 */
/* A dump under construction: a tree of elements that can be added, moved and removed, and whose attributes can be set.
 * A copy of a dump shares its attributes until they change, and keeps the places of its elements and its assumptions.
 * Memory comes from one arena. Once it runs out, or there are too many elements, functions continue with a spare
 * element: check orr_arena_starved() and too_many once, at the end. */
#ifndef ORR_DUMP_EDIT_H
#define ORR_DUMP_EDIT_H

#include "engine/base/arena.h"
#include "engine/dump/dump.h"

struct orr_doc_node {
    enum orr_element_kind kind;
    uint32_t attribute_count;
    unsigned attribute_capacity; /* 0 if the attributes are shared */
    struct orr_attribute *attributes;
    uint32_t line, column; /* place in the user's bytes, 0 if none */
    struct orr_doc_node *parent, *first, *last, *before, *after;
    /* Marks for the code that edits the document. */
    uint32_t gpus; /* number of GPUs below, once orr_doc_count_gpus() was called */
    int32_t seen;  /* the first rank whose document has it, for rules that order elements by rank */
    bool claimed;  /* a rank or a plugin uses it, so trimming keeps it */
    bool linked;   /* its links to peers have been looked for */
};

struct orr_doc {
    struct orr_arena *arena;
    struct orr_doc_node *system;
    uint32_t count, limit;        /* elements added so far, and their maximum (0 means no limit) */
    bool too_many;                /* the limit was reached */
    enum orr_value_origin origin; /* origin of the values that are set from now on */
    struct orr_doc_node spare;
};

/* An empty <system version="1">. */
void orr_doc_init(struct orr_doc *doc, struct orr_arena *arena);
/* A copy of a dump, which must live as long as the copy. Values that are set in the copy are marked as edited. */
void orr_doc_open(struct orr_doc *doc, const struct orr_dump *dump, struct orr_arena *arena);

/* A new element at the end of parent, or before a sibling (NULL for the end); parent NULL if outside the tree. */
struct orr_doc_node *orr_doc_add(struct orr_doc *doc, struct orr_doc_node *parent, enum orr_element_kind kind,
                                 struct orr_doc_node *before);
/* Makes a node a copy of an element and everything below it; the dump must live as long as the document. */
void orr_doc_copy_element(struct orr_doc *doc, struct orr_doc_node *node, const struct orr_dump *dump,
                          uint32_t element);
/* Makes a node a copy of the element, without its children. */
void orr_doc_share(struct orr_doc_node *node, const struct orr_dump *dump, uint32_t element);
/* Removes a node from the tree, with everything below it. */
void orr_doc_remove(struct orr_doc_node *node);
/* Removes a node, and the elements around it (nic, pci) that become empty. */
void orr_doc_prune(struct orr_doc_node *node);
/* Puts an element into a parent; one that has a parent is moved. */
void orr_doc_move(struct orr_doc_node *node, struct orr_doc_node *parent, struct orr_doc_node *before);

/* Moves the last child of a parent to the place where NCCL puts a device: before the first sibling whose bus id is
 * greater as text. */
void orr_doc_sort_in(struct orr_doc_node *node);

/* The value of an attribute, NULL if the node has none. */
const struct orr_attribute *orr_doc_attribute(const struct orr_doc_node *node, enum orr_attr attr);
const char *orr_doc_get(const struct orr_doc_node *node, enum orr_attr attr);
/* The same, but "" if the node has none. */
const char *orr_doc_word(const struct orr_doc_node *node, enum orr_attr attr);
/* Sets or replaces an attribute; a new one goes last. */
void orr_doc_set(struct orr_doc *doc, struct orr_doc_node *node, enum orr_attr attr, const char *format, ...)
    ORR_PRINTF(4, 5);
/* Sets an attribute unless the node has it. */
void orr_doc_set_once(struct orr_doc *doc, struct orr_doc_node *node, enum orr_attr attr, const char *format, ...)
    ORR_PRINTF(4, 5);
/* The same for an assumed value. */
void orr_doc_suppose(struct orr_doc *doc, struct orr_doc_node *node, enum orr_attr attr, const char *format, ...)
    ORR_PRINTF(4, 5);
/* Gives a node the attributes of another, including those that mean nothing to NCCL. */
void orr_doc_set_all(struct orr_doc *doc, struct orr_doc_node *node, const struct orr_doc_node *from);
void orr_doc_drop(struct orr_doc *doc, struct orr_doc_node *node, enum orr_attr attr);

/* The first child of a kind, and the first with a value of an attribute; NULL if there is none. */
struct orr_doc_node *orr_doc_child(const struct orr_doc_node *parent, enum orr_element_kind kind);
struct orr_doc_node *orr_doc_child_with(const struct orr_doc_node *parent, enum orr_element_kind kind,
                                        enum orr_attr attr, const char *value);
/* The same anywhere below, in document order. */
struct orr_doc_node *orr_doc_find(const struct orr_doc_node *top, enum orr_element_kind kind, enum orr_attr attr,
                                  const char *value);
/* The next element in document order, NULL after the last below top. */
struct orr_doc_node *orr_doc_next(const struct orr_doc_node *node, const struct orr_doc_node *top);
/* Sets `gpus` of every node. */
void orr_doc_count_gpus(struct orr_doc *doc);

/* The dump of a document, in the document's arena and freed with it: its own `arena` is NULL. `from`, which may be
 * NULL, gives it everything that is not in elements: notes, graphs, the byte count. NULL if memory runs out. */
struct orr_dump *orr_doc_to_dump(const struct orr_doc *doc, const struct orr_dump *from);

#endif
