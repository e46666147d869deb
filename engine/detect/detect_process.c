/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/detect/detect_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/base/spawn.h"

enum orr_code orr_detect_apart(const char *program, const char *release, unsigned seconds, char **ret_bytes,
                               size_t *ret_length, struct orr_error *err)
{
    enum { MOST = 32 << 20 };
    ORR_LOCAL_TEXT(text, MOST);
    int ends[2], status = 0;
    pid_t pid;
    if (pipe2(ends, O_CLOEXEC))
        return orr_fail(err, ORR_IO, "the detection process cannot be started: %s", strerror(errno));
    const char *const arguments[] = {"orrery", "detect", "--json", "--release", release, NULL};
    int failure = orr_spawn(program, arguments, ORR_SPAWN_NOTHING, ends[1], &pid);
    close(ends[1]);
    if (failure) {
        close(ends[0]);
        return orr_fail(err, ORR_IO, "the detection process cannot be started: %s", strerror(failure));
    }
    bool in_time = orr_spawn_read(ends[0], orr_clock_ms() + (int64_t)seconds * 1000, &text);
    close(ends[0]);
    if (!in_time)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    enum orr_code code = ORR_OK;
    if (!in_time)
        code = orr_fail(err, ORR_UNSUPPORTED, "detection took longer than %u seconds and was stopped", seconds);
    else if (!WIFEXITED(status) || WEXITSTATUS(status))
        code = orr_fail(err, ORR_UNSUPPORTED, "detection ended with %s %d", WIFEXITED(status) ? "status" : "signal",
                        WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    else if (text.starved || orr_text_failed(&text))
        code = orr_fail_nomem(err);
    if (code == ORR_UNSUPPORTED)
        orr_error_advice(
            err, "run `orrery detect` on that machine: it says more; nvidia-smi shows a GPU that does not answer");
    if (code == ORR_OK && !(*ret_bytes = orr_text_take(&text, ret_length)))
        code = orr_fail_nomem(err);
    return code;
}
