/* SPDX-License-Identifier: Apache-2.0 */
/* `orrery token NAME`: prints a random token for its owner, and the line for the token file, which has its SHA-256. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/options.h"

int orr_command_token(const struct orr_options *options)
{
    struct orr_error err = {0};
    char token[ORR_TOKEN_SIZE], line[ORR_TOKEN_LINE];
    const char *name = options->file ? options->file : "", *scope = options->scope ? options->scope : "read";
    if (orr_token_make(name, scope, token, line, &err) != ORR_OK) {
        fprintf(stderr, "orrery token: %s\n", err.text);
        return orr_exit_of(err.code);
    }
    printf("%s\n", line);
    if (fflush(stdout)) {
        fprintf(stderr, "orrery token: <standard output>: cannot be written: %s\n", strerror(errno));
        return ORR_EXIT_INPUT;
    }
    fprintf(stderr, "the token of %s, shown this once: %s\n", name, token);
    return ORR_EXIT_OK;
}
