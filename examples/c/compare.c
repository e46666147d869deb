/* SPDX-License-Identifier: Apache-2.0 */
/* How does a machine differ from its neighbour? A session keeps both, and the question names them by their ids.
 *
 *     cc compare.c $(pkg-config --cflags --libs orrery) -o compare && ./compare good.xml bad.xml | jq */
#include "read_file.h"

int main(int count, char **arguments)
{
    struct orr_report report = ORR_REPORT_INIT;
    struct orr_session *session = NULL;
    struct orr_document *document = NULL;
    char ids[2][ORR_INPUT_ID_LENGTH], parameters[128];
    const char *name = "compare";
    if (count != 3) {
        fprintf(stderr, "usage: compare FILE_A FILE_B\n");
        return 2;
    }

    bool done = orr_session_new(NULL, &session, &report);
    for (int i = 0; done && i < 2; i++) {
        size_t length;
        char *bytes = read_file(name = arguments[1 + i], &length);
        done = bytes && orr_session_keep(session, bytes, length, arguments[1 + i], NULL, ids[i], &report);
        free(bytes);
    }
    snprintf(parameters, sizeof parameters, "a=%s&b=%s&hosts=2", done ? ids[0] : "", done ? ids[1] : "");
    if (done && (done = orr_ask(session, "compare", parameters, NULL, 0, NULL, &document, &report)))
        puts(orr_document_bytes(document, NULL));
    orr_document_free(document);
    orr_session_free(session);
    return done ? 0 : complain(name, &report);
}
