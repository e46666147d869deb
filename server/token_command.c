/* `orrery token NAME`: a random token for its owner, and the line of the token file that knows it by its SHA-256. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "api/answer.h"
#include "server/options.h"
#include "server/tokens.h"

int orr_command_token(const struct orr_options *options)
{
    enum { RANDOM = 32 };
    const char *name = options->file, *scope = options->scope ? options->scope : "read";
    unsigned char random[RANDOM];
    char token[8 + 2 * RANDOM] = "orr_", digest[65];
    if (!name || !*name || strlen(name) >= ORR_TOKEN_NAME ||
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.@") != strlen(name)) {
        fprintf(stderr, "orrery token: give a NAME of at most 63 letters, digits, and any of - _ . @\n");
        return ORR_EXIT_USAGE;
    }
    if (!orr_scopes_parse(scope, strlen(scope))) {
        fprintf(stderr, "orrery token: --scope is read, write, or read,write, not \"%.40s\"\n", scope);
        return ORR_EXIT_USAGE;
    }
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) {
        fprintf(stderr, "orrery token: the system gives no random bytes: %s\n", strerror(errno));
        return ORR_EXIT_INPUT;
    }
    for (int i = 0; i < RANDOM; i++)
        snprintf(token + 4 + 2 * (size_t)i, 3, "%02x", random[i]);
    orr_sha256(token, strlen(token), digest);
    printf("%s %s %s\n", name, scope, digest);
    if (fflush(stdout)) {
        fprintf(stderr, "orrery token: <standard output>: cannot be written: %s\n", strerror(errno));
        return ORR_EXIT_INPUT;
    }
    fprintf(stderr, "the token of %s, shown this once: %s\n", name, token);
    return ORR_EXIT_OK;
}
