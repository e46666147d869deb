/* SPDX-License-Identifier: Apache-2.0 */
/* The machine type that a log implies, if nobody gives a machine and the log does not print its tree. Each line that
 * says something about the machine excludes the types that it does not fit. */
#ifndef ORR_LOG_MACHINE_H
#define ORR_LOG_MACHINE_H

#include "engine/log_reading/log.h"
#include "engine/machines/machine_types.h"

enum { ORR_MACHINE_CLUES = 9, ORR_MACHINE_FITS = 16, ORR_MACHINE_ASSUMED = 4 };

/* A clue of a line about the machine. Texts live in the log's arena. */
struct orr_machine_clue {
    uint32_t line;
    const char *says; /* a clause: "the network plugin names the platform p4d.24xlarge" */
};

struct orr_log_machine {
    const struct orr_machine_type *type;              /* the implied type; NULL if there is none */
    struct orr_machine_clue clues[ORR_MACHINE_CLUES]; /* the lines that say something about the machine */
    uint32_t clue_count;
    const struct orr_machine_type
        *fits[ORR_MACHINE_FITS];     /* types that fit all of them; those with `type` are described alike */
    bool telling;                    /* the lines say enough about the machine to look for types */
    uint32_t fit_count, fits_in_all; /* number of listed types, and of all */
    const char *open;                /* lines that would decide between them; "" if one is implied or none fits */
    const char *assumed[ORR_MACHINE_ASSUMED]; /* if one is implied: why, and the uncertain facts; sentences without a
                                               * full stop */
    uint32_t assumed_count;
};

/* A type is implied if the types that fit are described alike and one of the lines belongs to the provider's own
 * machines. Such a line has the provider's platform, topology file, plugin, NIC names or bus ids. A GPU model and
 * numbers alone do not imply a type, because machines outside the table have them, too. NOMEM only. */
enum orr_code orr_log_machine_find(const struct orr_log *log, struct orr_log_machine *ret_machine,
                                   struct orr_error *err) ORR_NO_DISCARD;

#endif
