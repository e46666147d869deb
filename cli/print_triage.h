/* Inside cli: a triage as text on standard output. */
#ifndef ORR_CLI_PRINT_TRIAGE_H
#define ORR_CLI_PRINT_TRIAGE_H

#include "engine/triage/triage.h"

void orr_print_triage(const struct orr_log *log, const struct orr_triage *triage);

#endif
