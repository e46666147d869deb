/* libxml2 without its complaints on standard error: what it says without a parser at hand (it has no memory for one)
 * would go there. The setting is the thread's, so it is put back for whoever else uses libxml2 there. */
#ifndef ORR_TOPOLOGY_QUIET_H
#define ORR_TOPOLOGY_QUIET_H

#include <libxml/xmlerror.h>

struct orr_quiet {
    xmlGenericErrorFunc said;
    void *context;
};

/* Also makes libxml2 ready, once. */
struct orr_quiet orr_quiet_begin(void);
void orr_quiet_end(struct orr_quiet quiet);

#endif
