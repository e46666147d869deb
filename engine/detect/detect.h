/* SPDX-License-Identifier: Apache-2.0 */
/* Live detection: the topology XML that NCCL would dump on a machine, from the machine itself or from a copy of what it
 * reads there. The rules of detection, and what cannot be known without NCCL, are in engine/detect/README.md.
 *
 * This is the one room of the engine that reads files and loads libraries; all of it goes through root.h and facts.h.
 */
#ifndef ORR_DETECT_DETECT_H
#define ORR_DETECT_DETECT_H

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/dump/dump.h"
#include "engine/release/release.h"

/* How much a note matters. */
enum orr_note_severity { ORR_NOTE_WARNING, ORR_NOTE_INFO };

/* Something that was missing, assumed or odd. */
struct orr_note {
    const char *id; /* stable word: "no-nvml" */
    enum orr_note_severity severity;
    const char *text;    /* what is wrong, with the values found; one sentence without a full stop */
    const char *advice;  /* what to do; "" if there is nothing to do */
    const char *command; /* command that shows or supplies what is missing, to run unchanged; "" if there is none */
};

/* The value of a setting by name, NULL if not given. */
typedef const char *orr_detect_setting(const void *context, const char *name);

struct orr_detect_options {
    const struct orr_release *release; /* NULL means the default one */
    const char *root;                  /* folder with a copied /sys and /proc; NULL means this machine */
    const char *nvml; /* library to load instead of libnvidia-ml.so.1; "none" loads none. With a root, NULL loads only a
                       * library that LD_LIBRARY_PATH or LD_PRELOAD gives. */
    int32_t sm;       /* compute capability of GPUs that no table knows; 0 if not given */
    bool running;     /* merge NICs like a running job; a dump lists them apart */
    /* Show PCIe links as they run: with their present width and, for NICs, their present speed. GPUs show the speed
     * that they can reach, because an idle GPU's link runs slower. If false, links are what the release writes into a
     * dump. */
    bool trained;
    orr_detect_setting *setting; /* NCCL_* names of orr_detect_setting_name(); NULL if none are given */
    const void *context;         /* of setting */
};

struct orr_detection {
    struct orr_dump *dump; /* the same as the XML; freed with the arena */
    char *xml;             /* ends with a zero */
    size_t length;
    struct orr_note *notes;
    uint32_t note_count;
    uint32_t gpu_count, net_count; /* in the XML */
    struct orr_arena *arena;       /* owns all of the above */
};

/* Detects the machine. Anything missing on it becomes a note, never an error. IO if the root cannot be opened; INVALID
 * if its facts, or the topology file that NCCL_TOPO_FILE names, cannot be understood. orr_detection_release() the
 * result. */
enum orr_code orr_detect(const struct orr_detect_options *options, struct orr_detection *ret_detection,
                         struct orr_error *err) ORR_NO_DISCARD;
/* The same from the bytes of a tar that gather wrote, repacked or not; options->root is not used. UNRECOGNISED if the
 * bytes are not a tar. */
enum orr_code orr_detect_from_tar(const char *bytes, size_t length, const struct orr_detect_options *options,
                                  struct orr_detection *ret_detection, struct orr_error *err) ORR_NO_DISCARD;
void orr_detection_release(struct orr_detection *detection);

/* Whether the bytes begin as a tar does, plain or gzip. */
bool orr_is_tar(const char *bytes, size_t length);

/* Packs everything that detection reads on a machine into a gzip-compressed tar, with the same bytes for the same
 * machine. It contains neither the host name nor the boot id, only NCCL's hashes of them. free() the result of
 * orr_text_take(). */
enum orr_code orr_gather(const struct orr_detect_options *options, struct orr_text *ret_tar,
                         struct orr_error *err) ORR_NO_DISCARD;
/* Largest tar that gather makes. */
enum { ORR_GATHER_BYTES = 8 << 20 };

/* Name i of the settings that detection uses, NULL if there are no more. */
const char *orr_detect_setting_name(size_t i);

#endif
