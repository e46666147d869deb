/* Settings tried one by one: what is judged, and what else changes, when the machine is analysed with another value.
 *
 * Whoever tries says what is judged by a callback; each value is one further analysis, within an effort that the caller
 * allows. Nothing is guessed: a setting that changes nothing is listed as such.
 */
#ifndef ORR_WHATIF_TRIALS_H
#define ORR_WHATIF_TRIALS_H

#include "engine/whatif/changes.h"

/* A consequence of a setting: one figure of a graph or of the whole, before and after, as text. */
enum { ORR_MOST_CONSEQUENCES = 48, ORR_CONSEQUENCE_TEXT = 32 };
struct orr_consequence {
    const char *name, *text; /* "bw_intra", "bandwidth of a channel inside the host" */
    const char *of;          /* "ring"; NULL: of the communicator or the system */
    char before[ORR_CONSEQUENCE_TEXT], after[ORR_CONSEQUENCE_TEXT];
};

struct orr_what_if {
    const char *name, *value;                   /* NCCL_P2P_LEVEL, "PHB"; value "": its default */
    const char *was;                            /* value in force now, as text */
    bool refused;                               /* that question has no answer: `then` says why */
    bool changes;                               /* what is judged changes */
    const char *then;                           /* the verdict with it */
    const struct orr_consequence *consequences; /* channels and bandwidths, in the order of the analysis document */
    uint32_t consequence_count;
    size_t changed, section_changed[ORR_SECTION_COUNT]; /* facts that change, with what is judged */
};

enum { ORR_MOST_WHAT_IFS = 24 };

/* The verdict in another analysis, as a text that lives as long as the trials' arena. */
typedef enum orr_code orr_judge(void *context, const struct orr_analysis *there, const char **ret_verdict,
                                struct orr_error *err);

struct orr_trials {
    const struct orr_analysis *analysis; /* as things are; borrowed */
    struct orr_arena *arena;             /* of all texts and rows */
    struct orr_search_memo *memo;        /* of the trials' searches, most of which are alike; NULL: none */
    struct orr_effort left;              /* that may still be spent */
    const char *verdict;                 /* as things are */
    struct orr_facts facts;              /* the same; none: not computed yet */
    orr_judge *judge;
    void *context; /* of judge */
    struct orr_what_if rows[ORR_MOST_WHAT_IFS];
    uint32_t count, not_tried; /* not_tried: values beyond the effort allowed */
};

/* Tries one value; "" is the default. Passes over a setting that the release does not have, a value that is in force
 * already and one that was tried before. NOMEM, SPENT. */
enum orr_code orr_try_setting(struct orr_trials *trials, enum orr_setting setting, const char *value,
                              struct orr_error *err) ORR_NO_DISCARD;
/* Tries the default of each setting that was given and bears on something: bits of enum orr_bearing. */
enum orr_code orr_try_defaults(struct orr_trials *trials, unsigned bears, struct orr_error *err) ORR_NO_DISCARD;
/* Puts rows that change the verdict first; otherwise the order of trying stays. */
void orr_trials_order(struct orr_trials *trials);

/* The value of a setting in force, as text in arena: as given, else the default. NULL: out of memory. */
const char *orr_setting_in_force(const struct orr_settings *settings, enum orr_setting setting,
                                 struct orr_arena *arena);

/* consequences.c: the main figures out of all changes, into a row; in arena. False: out of memory. */
bool orr_pick_consequences(const struct orr_changes *changes, struct orr_arena *arena, struct orr_what_if *row);

#endif
