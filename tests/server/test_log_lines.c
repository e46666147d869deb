/* Lines of the log that wait: all of them arrive, whole and in the order in which they were added. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/log_lines.h"
#include "tests/support/orr_test.h"

enum { THREADS = 4, EACH = 2000, FILLER = 100 }; /* several times what may wait */

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

static void *add_many(void *number)
{
    for (int i = 0; i < EACH; i++) {
        char line[FILLER + 40];
        int length = snprintf(line, sizeof line, "%d %d %0*d\n", *(int *)number, i, FILLER, 0);
        orr_log_lines_add(line, (size_t)length, i % 500 == 0);
    }
    return NULL;
}

TEST(lines_of_all_threads_arrive)
{
    pthread_t threads[THREADS];
    int numbers[THREADS], next[THREADS] = {0}, thread, at, arrived = 0;
    take_standard_error();
    FILE *lines = fdopen(dup(instead.reading), "r");
    char line[FILLER + 60], filler[FILLER + 2];
    orr_log_lines_gather();
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, add_many, &numbers[i]), 0);
    }
    for (; arrived < THREADS * EACH && fgets(line, sizeof line, lines); arrived++)
        if (sscanf(line, "%d %d %101s", &thread, &at, filler) != 3 || strlen(filler) != FILLER || thread < 0 ||
            thread >= THREADS || at != next[thread]++)
            break;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    orr_log_lines_end();
    fclose(lines);
    give_standard_error_back();
    assert_int_equal(arrived, THREADS * EACH);
}

/* What waits goes in front of a line that may not wait, and nothing is left at the end. */
TEST(a_line_at_once_takes_the_others_along)
{
    char got[64];
    take_standard_error();
    orr_log_lines_gather();
    orr_log_lines_add("first\n", 6, false);
    orr_log_lines_add("second\n", 7, true);
    size_t length = 0;
    while (length < 13)
        length += (size_t)read(instead.reading, got + length, sizeof got - length);
    orr_log_lines_add("third\n", 6, false);
    orr_log_lines_end();
    length += (size_t)read(instead.reading, got + length, sizeof got - length);
    orr_log_lines_add("fourth\n", 7, false); /* nothing gathers now */
    length += (size_t)read(instead.reading, got + length, sizeof got - length);
    give_standard_error_back();
    assert_int_equal(length, 26);
    assert_memory_equal(got, "first\nsecond\nthird\nfourth\n", 26);
}
