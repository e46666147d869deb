/* SPDX-License-Identifier: Apache-2.0 */
/* A drawing of the machine as SVG, which a process of the program `orrery` makes. Ctrl-C ends the work.
 *
 *     cc draw.c $(pkg-config --cflags --libs orrery) -o draw && ./draw topo.xml > topo.svg */
#include <signal.h>

#include "read_file.h"

static struct orr_limits *limits;

static void interrupt(int signal_number)
{
    (void)signal_number;
    orr_limits_stop(limits);
}

int main(int count, char **arguments)
{
    struct orr_report report = ORR_REPORT_INIT;
    struct orr_session_options options = ORR_SESSION_OPTIONS_INIT;
    struct orr_session *session = NULL;
    struct orr_document *document = NULL;
    size_t length;
    const char *name = count > 1 ? arguments[1] : "topo.xml";
    char *bytes = read_file(name, &length);
    if (!bytes)
        return 1;

    options.program = count > 2 ? arguments[2] : NULL; /* NULL: `orrery` in PATH */
    bool done = orr_limits_new(&limits, &report) && orr_session_new(&options, &session, &report);
    if (done && signal(SIGINT, interrupt) != SIG_ERR)
        done = orr_ask(session, "render", "format=svg&view=system", bytes, length, limits, &document, &report);
    if (done) {
        const char *svg = orr_document_bytes(document, &length);
        done = fwrite(svg, 1, length, stdout) == length;
    }
    orr_document_free(document);
    orr_session_free(session);
    orr_limits_free(limits);
    free(bytes);
    return done ? 0 : complain(name, &report);
}
