/* SPDX-License-Identifier: Apache-2.0 */
/* Facts and changes for people, in documents and in text: values with their units resolved, places with the names of
 * their parts, and a summary. */
#ifndef ORR_WHATIF_SHOWN_H
#define ORR_WHATIF_SHOWN_H

#include "engine/whatif/changes.h"

enum orr_shown_kind { ORR_SHOWN_NONE, ORR_SHOWN_INT, ORR_SHOWN_FLOAT, ORR_SHOWN_TEXT };

struct orr_shown {
    enum orr_shown_kind kind;
    int64_t integer;
    double number;
    char text[ORR_NODE_ID_SIZE]; /* an id of a device, or a name */
};

/* One value, or an arrangement: the first ranks of a ring, the devices of a path. */
enum { ORR_SHOWN_ITEMS = 64 };
struct orr_shown_value {
    bool list;
    uint32_t count; /* 1 if it is not a list */
    struct orr_shown items[ORR_SHOWN_ITEMS];
};

/* The value of one side of a change; side_b: of changes->b. */
void orr_change_value(const struct orr_changes *changes, const struct orr_change *change, bool side_b,
                      struct orr_shown_value *ret_value);

/* The subjects of a fact: "from" GPU/0-1b000, "to" NET/0-0. Returns the number of members. */
enum { ORR_PLACE_MEMBERS = 3 };
struct orr_place_member {
    const char *name;
    struct orr_shown value;
};
uint32_t orr_change_place(const struct orr_changes *changes, const struct orr_fact *fact,
                          struct orr_place_member members[ORR_PLACE_MEMBERS]);

/* The change of bandwidths, if computed, then "3 of 412 facts change: 2 in graphs, 1 in tuning." */
void orr_changes_summary(const struct orr_changes *changes, struct orr_text *text);
/* The end of such a sentence: " 2 in graphs, 1 in tuning." */
void orr_changed_sections(const struct orr_changes *changes, struct orr_text *text);
/* A table of the bandwidths of both; "" if they were not computed. sides: "before > after". */
void orr_changes_outcomes(const struct orr_changes *changes, const char *sides, struct orr_text *text);

#endif
