/* SPDX-License-Identifier: Apache-2.0 */
/* The origin of a dump: the recognised format, the values that are assumptions, and the commands that would supply what
 * is missing. The readers of engine/input fill it; every answer about the dump shows it. */
#ifndef ORR_DUMP_NOTES_H
#define ORR_DUMP_NOTES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/known.h"

/* The parts of the analysis document that an assumption affects. */
#define ORR_TOUCH_MAP(X)                                                                                               \
    X(LINKS, "system.links")                                                                                           \
    X(PATHS, "paths")                                                                                                  \
    X(P2P, "p2p")                                                                                                      \
    X(GDR, "gdr")                                                                                                      \
    X(GRAPHS, "graphs")                                                                                                \
    X(CHANNELS, "channels")                                                                                            \
    X(TUNING, "tuning")

enum orr_touch { /* bits */
#define X(name, text) ORR_TOUCHES_##name##_BIT,
                 ORR_TOUCH_MAP(X)
#undef X
                     ORR_TOUCH_COUNT
};
enum {
#define X(name, text) ORR_TOUCHES_##name = 1 << ORR_TOUCHES_##name##_BIT,
    ORR_TOUCH_MAP(X)
#undef X
    /* Parts that depend on bandwidths; parts that depend on positions in the tree. */
    ORR_TOUCHES_BANDWIDTH =
        ORR_TOUCHES_LINKS | ORR_TOUCHES_PATHS | ORR_TOUCHES_GRAPHS | ORR_TOUCHES_CHANNELS | ORR_TOUCHES_TUNING,
    ORR_TOUCHES_ALL = (1 << ORR_TOUCH_COUNT) - 1,
    /* Parts that depend on how NICs are presented; not the links of other devices, nor P2P between GPUs. */
    ORR_TOUCHES_NICS = ORR_TOUCHES_ALL & ~(ORR_TOUCHES_LINKS | ORR_TOUCHES_P2P)
};

struct orr_assumed {
    const char *what;     /* one sentence without a full stop */
    const char *sentence; /* the same for a list that also has assumptions of other origin */
    unsigned touches;     /* ORR_TOUCHES_* bits */
};

struct orr_missing {
    const char *what;    /* one phrase without a full stop */
    const char *command; /* that would supply it, run on the machine or with orrery; "" if no command does */
};

/* A setting that the input text names in addition to the machine. */
struct orr_pasted_setting {
    const char *name, *value;
    uint32_t line;
};
/* A symptom that lines of the text show together (engine/symptoms), in sentences. */
struct orr_pasted_symptom {
    const char *cause, *check, *cure;
    bool is_setting; /* a setting that makes transfers slower */
    const char *id;
};

struct orr_dump_notes {
    const char *kind;           /* word of a row of engine/input's table: "nvidia-smi-topo" */
    const char *title;          /* title of that row */
    const char *recognised;     /* what the input contains, one sentence without a full stop */
    const char *machine_type;   /* machine type that supplied missing values, NULL if the user named none */
    uint32_t joined;            /* hosts of this kind that NVLink joins unless the question says otherwise; 0 if none */
    const char *release;        /* release whose rules read the bytes, NULL if every release reads them alike */
    const char *logged_release; /* release that a log names; NULL if there is no log, or its release is not emulated
                                 * exactly */
    const struct orr_assumed *assumed;
    const struct orr_missing *missing;
    uint32_t assumed_count, missing_count;
    uint32_t assumed_nics;           /* NIC ports of assumed speed */
    bool cpu_assumed;                /* nothing says what the CPUs are, and nobody asked for a kind */
    bool cpu_given;                  /* the user said which kind they are */
    enum orr_known nvlink_hidden;    /* a table without NVLinks may hide them, as `nvidia-smi topo -mp` does */
    bool p2p_alone;                  /* the only table is that of `nvidia-smi topo -p2p` */
    const char *gpu_name;            /* the model of the GPUs as the input names it; NULL if it does not */
    uint32_t p2p_pairs, p2p_refused; /* cells of `nvidia-smi topo -p2p`, and those in which the driver refuses P2P */
    bool nics_given;                 /* the user, or a line of the text, says how fast the NICs are */
    /* Settings and symptoms that the same text names. An analysis uses the settings that the question leaves open. */
    const struct orr_pasted_setting *settings;
    const struct orr_pasted_symptom *symptoms;
    uint32_t setting_count, symptom_count;
};

#endif
