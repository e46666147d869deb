/* SPDX-License-Identifier: Apache-2.0 */
/* The program `orrery`: everything that needs further libraries is in orrery-service. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/post.h"
#include "cli/service.h"

#define SERVICE "orrery-service"

bool orr_goes_to_service(const struct orr_options *options)
{
    return options->config || options->post || options->server;
}

int orr_go_to_service(char **arguments)
{
    /* Paths of orrery-service: in the build folder, in an installation, and in the installation prefix. */
    static const char *const places[] = {"/" SERVICE, "/../libexec/orrery/" SERVICE};
    char path[PATH_MAX + sizeof "/../libexec/orrery/" SERVICE];
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    size_t folder = 0;
    if (length > 0) {
        path[length] = 0;
        folder = (size_t)(strrchr(path, '/') - path);
    }
    for (size_t i = 0; folder && i < sizeof places / sizeof places[0]; i++) {
        stpcpy(path + folder, places[i]);
        execv(path, arguments);
        if (errno != ENOENT)
            break;
    }
    execv(ORR_LIBEXEC_INSTALLED "/" SERVICE, arguments);
    fprintf(stderr,
            "orrery: cannot start " SERVICE ", which serves, draws and posts: %s\n"
            "install it beside this program, or in " ORR_LIBEXEC_INSTALLED "\n",
            strerror(errno));
    return ORR_EXIT_INPUT;
}

int orr_work_for_service(char **arguments)
{
    return orr_go_to_service(arguments);
}

/* Functions that commands only call in orrery-service; here the program was replaced before. */
int orr_command_serve(const struct orr_options *options)
{
    (void)options;
    abort();
}

int orr_post_dump(const struct orr_options *options, const char *xml, size_t length)
{
    (void)options, (void)xml, (void)length;
    abort();
}

enum orr_code orr_post_question(const struct orr_options *options, const char *path, const char *bytes, size_t length,
                                unsigned seconds, const char *node, struct orr_text *answer, struct orr_error *err)
{
    (void)options, (void)path, (void)bytes, (void)length, (void)seconds, (void)node, (void)answer, (void)err;
    abort();
}
