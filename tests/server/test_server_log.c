/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the log from several threads: all of them arrive, whole and in the order in which each thread wrote them. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/log.h"
#include "tests/support/orr_test.h"

enum { THREADS = 4, EACH = 200, FILLER = 3000 }; /* many times what a pipe holds */

/* Standard error, meanwhile a pipe. */
static struct {
    int saved, reading;
} instead;

static void take_standard_error(void)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    instead.saved = dup(STDERR_FILENO);
    instead.reading = ends[0];
    assert_true(dup2(ends[1], STDERR_FILENO) >= 0);
    close(ends[1]);
}

static void give_standard_error_back(void)
{
    dup2(instead.saved, STDERR_FILENO);
    close(instead.saved);
    close(instead.reading);
}

static void *write_many(void *number)
{
    char filler[FILLER + 1];
    memset(filler, 'x', FILLER);
    filler[FILLER] = 0;
    for (unsigned i = 0; i < EACH; i++) {
        struct orr_log_line line;
        orr_log_begin(&line, ORR_LOG_LOGFMT, "info", "test");
        orr_log_number(&line, "thread", *(unsigned *)number);
        orr_log_number(&line, "line", i);
        orr_log_text(&line, "filler", filler);
        orr_log_end(&line);
    }
    return NULL;
}

TEST(lines_of_all_threads_arrive)
{
    pthread_t threads[THREADS];
    unsigned numbers[THREADS], next[THREADS] = {0}, thread, at, arrived = 0;
    take_standard_error();
    FILE *lines = fdopen(dup(instead.reading), "r");
    char line[FILLER + 200], filler[FILLER + 2];
    for (unsigned i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, write_many, &numbers[i]), 0);
    }
    for (; arrived < THREADS * EACH && fgets(line, sizeof line, lines); arrived++)
        if (sscanf(line, "ts=%*s level=info msg=test thread=%u line=%u filler=%3001s", &thread, &at, filler) != 3 ||
            strlen(filler) != FILLER || thread >= THREADS || at != next[thread]++)
            break;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    fclose(lines);
    give_standard_error_back();
    assert_int_equal(arrived, THREADS * EACH);
}

/* Nothing is delayed: a line can be read as soon as the function that logs it has returned. */
TEST(a_line_is_written_when_its_call_returns)
{
    char got[200];
    take_standard_error();
    orr_log(ORR_LOG_LOGFMT, "info", "first", "of", "two lines", NULL);
    ssize_t length = read(instead.reading, got, sizeof got - 1);
    give_standard_error_back();
    assert_true(length > 0);
    got[length] = 0;
    assert_non_null(strstr(got, " level=info msg=first of=\"two lines\"\n"));
}
