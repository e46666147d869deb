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
    const char *text;    /* what, with the values met; one sentence without a full stop */
    const char *advice;  /* what to do; "": nothing */
    const char *command; /* to run unchanged: it shows or supplies what is missing; "": none does */
};

/* The value of a setting by name, NULL if not given. */
typedef const char *orr_detect_setting(const void *context, const char *name);

struct orr_detect_options {
    const struct orr_release *release; /* NULL means the default one */
    const char *root;                  /* folder with a copied /sys and /proc; NULL means this machine */
    const char *nvml; /* library in place of libnvidia-ml.so.1; "none": not asked. With a root: NULL means none */
    int32_t sm;       /* compute capability of GPUs that no table knows; 0 if not given */
    bool running;     /* as a running job has it, with NICs merged; a dump has them apart */
    /* PCIe links as they run: with their present width, and of NICs their present speed. GPUs have the speed that they
     * can reach, because idle ones run slower. A dump of NCCL has what the release writes. */
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

/* Detects. What is missing on the machine is never an error but a note. IO if the root cannot be opened; INVALID if its
 * facts, or the topology file that NCCL_TOPO_FILE names, cannot be understood. orr_detection_release() the result. */
enum orr_code orr_detect(const struct orr_detect_options *options, struct orr_detection *ret_detection,
                         struct orr_error *err) ORR_NO_DISCARD;
/* The same from the bytes of a tar that gather wrote, repacked or not (root is not read). UNRECOGNISED: the
 * bytes are not a tar. */
enum orr_code orr_detect_from_tar(const char *bytes, size_t length, const struct orr_detect_options *options,
                                  struct orr_detection *ret_detection, struct orr_error *err) ORR_NO_DISCARD;
void orr_detection_release(struct orr_detection *detection);

/* Whether the bytes begin as a tar does, plain or gzip. */
bool orr_is_tar(const char *bytes, size_t length);

/* Packs what detection reads of a machine into a gzip-compressed tar: the same bytes for the same machine. Neither host
 * name nor boot id go in, only the hashes that NCCL makes of them. free() what orr_text_take() gives. */
enum orr_code orr_gather(const struct orr_detect_options *options, struct orr_text *ret_tar,
                         struct orr_error *err) ORR_NO_DISCARD;
/* Largest tar that gather makes. */
enum { ORR_GATHER_BYTES = 8 << 20 };

/* Name i of the settings that detection uses, NULL if there are no more. */
const char *orr_detect_setting_name(size_t i);

#endif
