/* SPDX-License-Identifier: Apache-2.0 */
/* A topology dump as it was read: the elements of NCCL's topology XML with their attributes as text, and the place of
 * each in the file. Nothing here depends on an NCCL release: the same dump is interpreted by each release's tables
 * (engine/topology).
 *
 * Elements are indices into one array in document order; element 0 is the first <system>. Elements that NCCL's reader
 * ignores because of their position are left out and counted. Immutable after reading; threads may share it.
 */
#ifndef ORR_DUMP_DUMP_H
#define ORR_DUMP_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/local.h"
#include "engine/base/text.h"
#include "engine/dump/notes.h"

#define ORR_ELEMENT_MAP(X)                                                                                             \
    X(SYSTEM, "system")                                                                                                \
    X(CPU, "cpu")                                                                                                      \
    X(PCI, "pci")                                                                                                      \
    X(GPU, "gpu")                                                                                                      \
    X(NVLINK, "nvlink")                                                                                                \
    X(C2C, "c2c")                                                                                                      \
    X(NIC, "nic")                                                                                                      \
    X(NET, "net")                                                                                                      \
    X(PCILINK, "pcilink")

enum orr_element_kind {
#define X(name, text) ORR_ELEMENT_##name,
    ORR_ELEMENT_MAP(X)
#undef X
        ORR_ELEMENT_COUNT
};

/* Attributes that some release reads; all others are kept as ORR_ATTR_OTHER. */
#define ORR_ATTR_MAP(X)                                                                                                \
    X(VERSION, "version")                                                                                              \
    X(NAME, "name")                                                                                                    \
    X(NUMAID, "numaid")                                                                                                \
    X(HOST_HASH, "host_hash")                                                                                          \
    X(AFFINITY, "affinity")                                                                                            \
    X(ARCH, "arch")                                                                                                    \
    X(VENDOR, "vendor")                                                                                                \
    X(FAMILYID, "familyid")                                                                                            \
    X(MODELID, "modelid")                                                                                              \
    X(BUSID, "busid")                                                                                                  \
    X(CLASS, "class")                                                                                                  \
    X(LINK_WIDTH, "link_width")                                                                                        \
    X(LINK_SPEED, "link_speed")                                                                                        \
    X(DEVICE, "device")                                                                                                \
    X(SUBSYSTEM_VENDOR, "subsystem_vendor")                                                                            \
    X(SUBSYSTEM_DEVICE, "subsystem_device")                                                                            \
    X(RANK, "rank")                                                                                                    \
    X(DEV, "dev")                                                                                                      \
    X(SM, "sm")                                                                                                        \
    X(GDR, "gdr")                                                                                                      \
    X(MLOPART, "mlopart")                                                                                              \
    X(TARGET, "target")                                                                                                \
    X(COUNT_, "count")                                                                                                 \
    X(TCLASS, "tclass")                                                                                                \
    X(BW, "bw")                                                                                                        \
    X(GUID, "guid")                                                                                                    \
    X(SPEED, "speed")                                                                                                  \
    X(PORT, "port")                                                                                                    \
    X(LATENCY, "latency")                                                                                              \
    X(MAXCONN, "maxconn")                                                                                              \
    X(COLL, "coll")                                                                                                    \
    X(NET_, "net")                                                                                                     \
    X(GIN, "gin")                                                                                                      \
    X(RMA, "rma")                                                                                                      \
    X(RAIL, "rail")                                                                                                    \
    X(PLANE, "plane")                                                                                                  \
    X(KEEP, "keep")

enum orr_attr {
#define X(name, text) ORR_ATTR_##name,
    ORR_ATTR_MAP(X)
#undef X
        ORR_ATTR_OTHER
};

_Static_assert(ORR_ATTR_OTHER < 64, "orr_dump keeps assumed attributes as bits");

struct orr_graph_file; /* engine/topology/graph_file.h */

/* Where a value is from: the user's bytes, a reader that had to assume it, or an edit of a dump (edit.h). */
enum orr_value_origin { ORR_VALUE_GIVEN, ORR_VALUE_ASSUMED, ORR_VALUE_EDITED };

struct orr_attribute {
    enum orr_attr id;
    enum orr_value_origin origin;
    const char *name;
    const char *value; /* decoded by libxml2, UTF-8 */
};

#define ORR_NO_ELEMENT UINT32_MAX

struct orr_element {
    enum orr_element_kind kind;
    uint32_t parent, first_child, next_sibling; /* ORR_NO_ELEMENT if there is none */
    uint32_t first_attribute, attribute_count;
    uint32_t line, column; /* place of the start tag, 1-based */
};

/* An error that NCCL's own reader (which is not an XML parser) would report for this file, although Orrery reads it. */
struct orr_refusal {
    uint32_t line, column; /* 1-based; line 0 if nothing is refused */
    char text[160];        /* the rule it breaks */
};

struct orr_dump {
    struct orr_element *elements;
    uint32_t element_count;
    struct orr_attribute *attributes;
    uint32_t attribute_count;
    uint32_t ignored_count; /* elements at positions that NCCL ignores */
    uint32_t ignored_line;  /* of the first one */
    char ignored_name[32];
    struct orr_refusal refusal; /* the first place where NCCL's reader stops */
    size_t byte_count;          /* of the input */
    /* Bits of enum orr_attr: attributes whose value a reader assumed in some element of the kind. */
    uint64_t assumed[ORR_ELEMENT_COUNT];
    /* A graph file in the same input, like the one that NCCL_GRAPH_FILE names: its graphs replace the search. NULL if
     * there is none. */
    const struct orr_graph_file *graphs;
    /* Notes of the reader in engine/input that made the dump, in the same arena; NULL means orr_dump_read() made it. */
    const struct orr_dump_notes *notes;
    struct orr_arena *arena; /* owns all of the above and this structure; NULL means another owner frees them */
};

struct orr_dump_limits {
    size_t bytes;        /* largest input */
    uint32_t depth;      /* deepest nesting of elements */
    uint32_t elements;   /* most elements, known or not */
    uint32_t attributes; /* most attributes on one element */
};
/* 16 MiB, 64 deep, 65536 elements, 64 attributes. */
extern const struct orr_dump_limits orr_dump_default_limits;

/* Reads topology XML. limits NULL means the default ones. On success *ret_dump is the caller's: orr_dump_free().
 * SYNTAX, with line and column, for malformed XML or a DOCTYPE (so there are no entities and no external files).
 * UNRECOGNISED for XML without a <system>, or bytes that are not XML at all; INVALID without a usable version;
 * LIMIT. */
enum orr_code orr_dump_read(const char *bytes, size_t length, const struct orr_dump_limits *limits,
                            struct orr_dump **ret_dump, struct orr_error *err) ORR_NO_DISCARD;
/* The same into an arena, with which the dump is freed; orr_dump_free() does nothing to it. */
enum orr_code orr_dump_read_into(struct orr_arena *arena, const char *bytes, size_t length,
                                 const struct orr_dump_limits *limits, struct orr_dump **ret_dump,
                                 struct orr_error *err) ORR_NO_DISCARD;
void orr_dump_free(struct orr_dump *dump);
/* Writes a dump in the form of NCCL_TOPO_DUMP_FILE, for users: nothing here reads it again (dump_write.c). */
void orr_dump_write(const struct orr_dump *dump, struct orr_text *text);
ORR_FREED_BY(orr_dump, orr_dump_free)

/* Where NCCL's own reader would stop in these bytes (dump_lexis.c); line 0 if it reads all of them. */
struct orr_refusal orr_dump_refusal(const char *bytes, size_t length);
/* REFUSED, with the place, if NCCL's own reader would refuse the file. */
enum orr_code orr_dump_check_strict(const struct orr_dump *dump, struct orr_error *err) ORR_NO_DISCARD;

const char *orr_element_name(enum orr_element_kind kind);
const char *orr_attr_name(enum orr_attr attr);
/* The attribute with a name; ORR_ATTR_OTHER if no release reads it. */
enum orr_attr orr_attr_find(const char *name);
/* For a file with one <cpu> and no <gpu>, as people write for a small virtual machine. */
#define ORR_ONE_CPU_ADVICE                                                                                             \
    "with one CPU a virtual machine needs no topology file: leave NCCL_TOPO_FILE unset. Else dump the topology "       \
    "(NCCL_TOPO_DUMP_FILE), or name the type: --assume, assume= (`orrery machines`)"

/* Whether NCCL reads a child element of this kind directly inside a parent of that kind; elsewhere it ignores it. */
bool orr_element_fits(enum orr_element_kind parent, enum orr_element_kind child);
/* Whether a reader assumed the attribute in some element of the kind. */
static inline bool orr_dump_assumed(const struct orr_dump *dump, enum orr_element_kind kind, enum orr_attr attr)
{
    return dump->assumed[kind] >> attr & 1;
}
/* The value of an attribute, NULL if the element has none. */
const char *orr_element_text(const struct orr_dump *dump, uint32_t element, enum orr_attr attr);
/* The same as a number, as C's strtol(base 0) reads it, cut to 32 bits; fallback if the attribute is absent. */
int32_t orr_element_int(const struct orr_dump *dump, uint32_t element, enum orr_attr attr, int32_t fallback);
/* The same for a required attribute: INVALID, with line, column and element path, if it is missing. */
enum orr_code orr_element_need_int(const struct orr_dump *dump, uint32_t element, enum orr_attr attr,
                                   int32_t *ret_value, struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_element_need_text(const struct orr_dump *dump, uint32_t element, enum orr_attr attr,
                                    const char **ret_value, struct orr_error *err) ORR_NO_DISCARD;
/* Fills err with a report about an element: its place in the file and its path. Returns code. */
enum orr_code orr_fail_element(const struct orr_dump *dump, uint32_t element, struct orr_error *err, enum orr_code code,
                               const char *format, ...) ORR_PRINTF(5, 6);

#endif
