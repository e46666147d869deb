/* SPDX-License-Identifier: Apache-2.0 */
/* Asks liborrery the questions in the lines of standard input; test_four_ways.py compares the answers with those of the
 * command, the service and the bindings.
 *
 *     keep NAME FILE                             prints the id
 *     ask QUESTION<tab>PARAMETERS<tab>FILE       FILE may be empty; prints "type length" and the document
 *
 * An error is printed as "error CODE: TEXT". */
#include <orrery/orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *path, size_t *ret_length)
{
    enum { MOST = 4 << 20 };
    FILE *file = fopen(path, "rb");
    char *bytes = file ? malloc(MOST) : NULL;
    *ret_length = bytes ? fread(bytes, 1, MOST, file) : 0;
    if (file)
        fclose(file);
    return bytes;
}

static void answer(struct orr_session *session, char *line)
{
    struct orr_report report = ORR_REPORT_INIT;
    struct orr_document *document;
    char id[ORR_INPUT_ID_LENGTH], *bytes = NULL;
    size_t length = 0;
    bool keeps = !strncmp(line, "keep ", 5), done;
    char *first = strchr(line, ' ') + 1, *second = strchr(first, keeps ? ' ' : '\t'), *third = NULL;
    *second++ = 0;
    if (!keeps) {
        third = strchr(second, '\t');
        *third++ = 0;
    }
    const char *path = keeps ? second : third;
    if (*path && !(bytes = read_file(path, &length))) {
        printf("error no-file: %s\n", path);
        return;
    }
    done = keeps ? orr_session_keep(session, bytes, length, first, NULL, id, &report)
                 : orr_ask(session, first, second, bytes, length, NULL, &document, &report);
    free(bytes);
    if (!done)
        printf("error %s: %s\n", report.code, report.text);
    else if (keeps)
        printf("%s\n", id);
    if (!done || keeps)
        return;
    const char *text = orr_document_bytes(document, &length);
    printf("%s %zu\n", orr_document_type(document), length);
    fwrite(text, 1, length, stdout);
    orr_document_free(document);
}

int main(int count, char **arguments)
{
    static char line[1 << 16];
    struct orr_report report = ORR_REPORT_INIT;
    struct orr_session_options options = ORR_SESSION_OPTIONS_INIT;
    struct orr_session *session;
    options.program = count > 1 ? arguments[1] : NULL;
    if (!orr_session_new(&options, &session, &report)) {
        fprintf(stderr, "%s\n", report.text);
        return 1;
    }
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        answer(session, line);
        fflush(stdout);
    }
    orr_session_free(session);
    return 0;
}
