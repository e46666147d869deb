/* SPDX-License-Identifier: Apache-2.0 */
/* What the examples share: a file as bytes, and an error on standard error. */
#ifndef READ_FILE_H
#define READ_FILE_H

#include <orrery/orrery.h>
#include <stdio.h>
#include <stdlib.h>

/* The caller frees the bytes; NULL if the file cannot be read. */
static inline char *read_file(const char *path, size_t *ret_length)
{
    enum { LARGEST = 16 << 20 };
    FILE *file = fopen(path, "rb");
    char *bytes = file ? malloc(LARGEST) : NULL;
    *ret_length = bytes ? fread(bytes, 1, LARGEST, file) : 0;
    if (file)
        fclose(file);
    else
        perror(path);
    return bytes;
}

/* Place, code, text and advice of a report; gives the exit status. Without a code, the file could not be read. */
static inline int complain(const char *name, const struct orr_report *report)
{
    if (!report->code)
        return 1;
    fprintf(stderr, "%s:%u:%u: %s: %s%s%s\n", name, report->line, report->column, report->code, report->text,
            report->advice[0] ? "; " : "", report->advice);
    return 1;
}

#endif
