/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with this machine, and what does it cost? A JSON document, within two seconds and 512 MiB.
 *
 *     cc findings.c $(pkg-config --cflags --libs orrery) -o findings && ./findings topo.xml | jq */
#include "read_file.h"

int main(int count, char **arguments)
{
    struct orr_report report = ORR_REPORT_INIT;
    struct orr_session *session = NULL;
    struct orr_limits *limits = NULL;
    struct orr_document *document = NULL;
    size_t length;
    const char *name = count > 1 ? arguments[1] : "topo.xml";
    char *bytes = read_file(name, &length);
    if (!bytes)
        return 1;

    bool done = orr_session_new(NULL, &session, &report) && orr_limits_new(&limits, &report);
    if (done) {
        orr_limits_time(limits, 2000);
        orr_limits_memory(limits, 512u << 20);
        done = orr_ask(session, "analyze", "hosts=2&section=findings", bytes, length, limits, &document, &report);
    }
    if (done)
        puts(orr_document_bytes(document, NULL));
    orr_document_free(document);
    orr_limits_free(limits);
    orr_session_free(session);
    free(bytes);
    return done ? 0 : complain(name, &report);
}
