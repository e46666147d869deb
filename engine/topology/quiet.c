#include "engine/topology/quiet.h"

#include <pthread.h>

#include <libxml/parser.h>

static void initialise_libxml(void)
{
    xmlInitParser();
}

static void say_nothing(void *context, const char *format, ...)
{
    (void)context;
    (void)format;
}

struct orr_quiet orr_quiet_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialise_libxml);
    struct orr_quiet quiet = {.said = xmlGenericError, .context = xmlGenericErrorContext};
    xmlSetGenericErrorFunc(NULL, say_nothing);
    return quiet;
}

void orr_quiet_end(struct orr_quiet quiet)
{
    xmlSetGenericErrorFunc(quiet.context, quiet.said);
}
