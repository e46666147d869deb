/* A topology dump as a document that can be changed, and back. */
#ifndef ORR_NICS_DUMP_DOCUMENT_H
#define ORR_NICS_DUMP_DOCUMENT_H

#include "engine/nics/document.h"
#include "engine/topology/dump.h"

/* Copies an element's attributes (those it has not yet) and all below it into a node; values `keep` are left out. */
void orr_doc_copy_element(struct orr_doc *tree, struct orr_doc_node *node, const struct orr_dump *dump,
                          uint32_t element);
/* The dump of a document, in the document's arena, with the notes and the byte count of the dump it was made from.
 * NULL: out of memory. It is freed with the arena: its own `arena` is NULL. */
struct orr_dump *orr_doc_to_dump(const struct orr_doc *tree, const struct orr_dump *from);

#endif
