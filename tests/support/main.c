/* SPDX-License-Identifier: Apache-2.0 */
/* The main program of every test program: runs what its TEST()s registered, in the order of the source. */
#include "tests/support/orr_test.h"

__attribute__((weak)) void before_all(void);
__attribute__((weak)) void before_each(void);
__attribute__((weak)) void after_each(void);
__attribute__((weak)) void after_all(void);
__attribute__((weak)) int with_arguments(int argc, char **argv);

static struct registered_test *first;

void register_test(struct registered_test *test)
{
    struct registered_test **at = &first;
    while (*at && (*at)->line < test->line)
        at = &(*at)->next;
    test->next = *at;
    *at = test;
}

#define HOOK(name)                                                                                                     \
    static int call_##name(void **state)                                                                               \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        if (name)                                                                                                      \
            name();                                                                                                    \
        return 0;                                                                                                      \
    }
HOOK(before_all)
HOOK(before_each)
HOOK(after_each)
HOOK(after_all)

int main(int argc, char **argv)
{
    enum { MOST = 64 };
    static struct CMUnitTest tests[MOST]; /* static: some programs count or refuse allocations */
    size_t count = 0;
    int status = with_arguments ? with_arguments(argc, argv) : -1;
    if (status >= 0)
        return status;
    for (const struct registered_test *test = first; test; test = test->next) {
        if (test->where && !test->where())
            continue;
        if (count == MOST) {
            fprintf(stderr, "more than %d tests in one program\n", MOST);
            return 1;
        }
        tests[count++] = (struct CMUnitTest){test->name, test->run, call_before_each, call_after_each, NULL};
    }
    return _cmocka_run_group_tests(argv[0], tests, count, call_before_all, call_after_all);
}
