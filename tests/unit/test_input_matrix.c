/* SPDX-License-Identifier: Apache-2.0 */
/* nvidia-smi topo -m as people have it: through terminals, launchers, chats and editors. What says the same is read
 * alike. */
#include "engine/base/budget.h"
#include "engine/input/matrix.h"
#include "tests/support/input_fixture.h"

#define LEGEND                                                                                                         \
    "\nLegend:\n\n  X    = Self\n  NV#  = Connection traversing a bonded set of # NVLinks\n\nNIC Legend:\n\n  NIC0: "  \
    "mlx5_7\n"
#define TABLE                                                                                                          \
    "\t\033[4mGPU0\tGPU1\tGPU2\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\033[0m\n"                               \
    "GPU0\t X \tNV4\tSYS\tPIX\t0-31,64-95\t0\t\tN/A\n"                                                                 \
    "GPU1\tNV4\t X \tSYS\tPXB\t0-31,64-95\t0\t\tN/A\n"                                                                 \
    "GPU2\tSYS\tSYS\t X \tSYS\t32-63\t1\t\tN/A\n"                                                                      \
    "NIC0\tPIX\tPXB\tSYS\t X \t\t\t\t\n" LEGEND

enum { ROOM = 16384 };

/* Every occurrence of a word replaced by another. */
static void replace(const char *text, const char *word, const char *by, char *out)
{
    size_t used = 0;
    while (*text) {
        bool here = !strncmp(text, word, strlen(word));
        used += (size_t)snprintf(out + used, ROOM - used, "%.*s", here ? (int)strlen(by) : 1, here ? by : text);
        text += here ? strlen(word) : 1;
    }
    assert_in_range(used, 1, ROOM - 1);
}

/* Each line after a prefix; '%' in it is the last digit of the line's number. */
static void prefix(const char *text, const char *with, char *out)
{
    size_t used = 0, line = 0;
    for (bool first = true; *text; text++) {
        if (first)
            for (const char *at = with; *at; at++)
                out[used++] = *at == '%' ? (char)('0' + line % 10) : *at;
        out[used++] = *text;
        first = *text == '\n';
        line += first;
        assert_in_range(used, 1, ROOM - 200);
    }
    out[used] = 0;
}

static void assert_same_machine(const char *what, const char *text, const char *as)
{
    struct orr_dump *dumps[] = {read_as(as, NULL), read_as(text, NULL)};
    struct orr_text written[2];
    for (int i = 0; i < 2; i++) {
        orr_text_init(&written[i], 1 << 20);
        orr_dump_write(dumps[i], &written[i]);
    }
    if (strcmp(written[0].data, written[1].data) != 0)
        fail_msg("%s is read as another machine:\n%s", what, written[1].data);
    for (int i = 0; i < 2; i++) {
        orr_text_release(&written[i]);
        orr_dump_free(dumps[i]);
    }
}

TEST(what_a_text_went_through_does_not_matter)
{
    static const char *const changes[][2] = {{"\n", "\r\n"},
                                             {"\n", "\r"},
                                             {"\033", ""},
                                             {"\033", "^["},
                                             {"\033[4m", "\033[0;1;4m"},
                                             {"\033[0m", "\033[0m\033[K"},
                                             {"\t", "    "},
                                             {"\t", "\xc2\xa0 "},
                                             {"\n", " \t \n"},
                                             {"\n", "\n\n"},
                                             {"\t", " | "}};
    static const char *const prefixes[] = {
        "node1: ", "[1,0]<stdout>:", "> ", "# ", "0: ", "    ", "2024-05-01T10:00:0%.125Z ", "pod/a-1 worker: "};
    char text[ROOM], again[ROOM];
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        replace(TABLE, changes[i][0], changes[i][1], text);
        assert_same_machine(changes[i][1], text, TABLE);
    }
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        prefix(TABLE, prefixes[i], text);
        assert_same_machine(prefixes[i], text, TABLE);
        replace(text, "\033", "", again); /* as a log keeps it */
        assert_same_machine(prefixes[i], again, TABLE);
    }
    assert_same_machine("a mark of UTF-8", "\xef\xbb\xbf" TABLE, TABLE);
    assert_same_machine("a fence", "```text\n" TABLE "```\n", TABLE);
}

TEST(markdown_is_a_table_too)
{
    assert_same_machine(
        "Markdown",
        "| | GPU0 | GPU1 | CPU Affinity | NUMA Affinity |\n|---|:--:|----|---|---|\n| GPU0 | X | PIX | 0-7 | 0 |\n"
        "| GPU1 | PIX | X | 0-7 | 0 |\n",
        "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\tX\tPIX\t0-7\t0\nGPU1\tPIX\tX\t0-7\t0\n");
}

TEST(rows_may_stand_in_any_order_and_some_may_be_missing)
{
    assert_same_machine("rows in another order",
                        "\tGPU0\tGPU1\tGPU2\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
                        "NIC0\tPIX\tPXB\tSYS\t X \n"
                        "GPU2\tSYS\tSYS\t X \tSYS\t32-63\t1\t\tN/A\n"
                        "GPU0\t X \tNV4\tSYS\tPIX\t0-31,64-95\t0\t\tN/A\n"
                        "GPU1\tNV4\t X \tSYS\tPXB\t0-31,64-95\t0\t\tN/A\n" LEGEND,
                        TABLE);
    assert_same_machine("no rows of NICs",
                        "\tGPU0\tGPU1\tGPU2\tNIC0\tCPU Affinity\tNUMA Affinity\n"
                        "GPU0\t X \tNV4\tSYS\tPIX\t0-31,64-95\t0\n"
                        "GPU1\tNV4\t X \tSYS\tPXB\t0-31,64-95\t0\n"
                        "GPU2\tSYS\tSYS\t X \tSYS\t32-63\t1\n" LEGEND,
                        TABLE);
    struct orr_dump *dump = read_as("\tGPU0\tNIC0\nGPU0\tX\tPIX\nNIC0\tPIX\tX\n", NULL); /* no legend */
    assert_string_equal(attr(dump, ORR_ELEMENT_NET, 0, ORR_ATTR_NAME), "NIC0");
    orr_dump_free(dump);
}

/* Numbers are in the columns that the header names, whatever is missing. */
TEST(columns_are_known_by_their_names)
{
    struct orr_dump *dump =
        read_as("\tGPU0\tGPU1\tCPU Affinity\tGPU NUMA ID\nGPU0\tX\tSYS\t0-7\t8\nGPU1\tSYS\tX\t8-15\t9\n", NULL);
    assert_string_equal(attr(dump, ORR_ELEMENT_CPU, 0, ORR_ATTR_NUMAID), "0"); /* not that of the GPU's memory */
    assert_string_equal(attr(dump, ORR_ELEMENT_CPU, 1, ORR_ATTR_AFFINITY), "0000ff00");
    orr_dump_free(dump);
    dump = read_as("\tGPU0\tGPU1\tNUMA Affinity\nGPU0\tX\tSYS\t3\nGPU1\tSYS\tX\tN/A\n", NULL);
    assert_string_equal(attr(dump, ORR_ELEMENT_CPU, 0, ORR_ATTR_NUMAID), "3");
    assert_string_equal(attr(dump, ORR_ELEMENT_CPU, 1, ORR_ATTR_NUMAID), "0"); /* none is named: the first free one */
    orr_dump_free(dump);
    /* MIG devices of nvidia-smi -L are not GPUs of the table */
    dump =
        read_as("GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n  MIG 1g.10gb     Device  0: (UUID: MIG-1)\n\tGPU0\tGPU1\n"
                "GPU0\tX\tSYS\nGPU1\tSYS\tX\n",
                NULL);
    assert_int_equal(count_of(dump, ORR_ELEMENT_GPU), 2);
    assert_string_equal(attr(dump, ORR_ELEMENT_GPU, 0, ORR_ATTR_SM), "90");
    orr_dump_free(dump);
}

TEST(of_two_tables_the_first_is_taken)
{
    struct orr_dump *dump =
        read_as(TABLE "\tGPU0\tNIC0\nGPU0\tX\tPIX\nNIC0\tPIX\tX\n\nNIC Legend:\n\n  NIC0: other\n", NULL);
    assert_true(assumes(dump, "more than one table"));
    assert_int_equal(count_of(dump, ORR_ELEMENT_GPU), 3);
    assert_string_equal(attr(dump, ORR_ELEMENT_NET, 0, ORR_ATTR_NAME), "mlx5_7");
    orr_dump_free(dump);
    dump = read_as(TABLE, NULL);
    assert_false(assumes(dump, "more than one table"));
    orr_dump_free(dump);
    /* of launchers that mix hosts, the lines of the first host count */
    char first[ROOM], both[ROOM];
    prefix(TABLE, "node1: ", first);
    replace(first, "\nnode1: GPU1", "\nnode2: GPU1\tX\tX\tX\tX\nnode1: GPU1", both);
    assert_same_machine("two hosts in one text", both, TABLE);
}

TEST(what_was_cut_is_refused)
{
    struct orr_error err;
    assert_error(refuse("\t\033[4mGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\033[0m\n", &err), ORR_UNRECOGNISED, &err,
                 "a row for each GPU");
    assert_error(refuse("\tGPU0\tGPU1\nGPU0\tX\tPIX\nGPU1\tPI", &err), ORR_INVALID, &err, "GPU1 has 1 cells");
    assert_error(refuse("n: \tGPU0\tGPU1\nn: GPU0\tX\tPIX\nn: GPU1\tPIX\n", &err), ORR_INVALID, &err,
                 "GPU1 has 1 cells");
    assert_int_equal(err.line, 3);
    assert_int_equal(err.column, 4); /* in the user's own line */
}

/* Every beginning of a table is refused or read, in bounds: under ASan, with the bytes at the very end of their
 * allocation. */
TEST(every_beginning_is_handled)
{
    char text[ROOM];
    prefix(TABLE, "n1: ", text);
    for (size_t length = 0; length <= strlen(text); length++) {
        struct orr_error err = {0};
        struct orr_dump *dump = NULL;
        char *bytes = malloc(length ? length : 1);
        assert_non_null(bytes);
        memcpy(bytes, text, length);
        if (orr_input_read(bytes, length, NULL, &dump, &err) != ORR_OK)
            assert_true(err.text[0]);
        orr_dump_free(dump);
        free(bytes);
    }
}

/* A table after a megabyte of other words is found, unless nobody waits for it any more. */
TEST(the_look_for_a_table_ends_with_the_budget)
{
    const size_t words = 1 << 20, length = words + strlen(TABLE);
    char *text = malloc(length + 1);
    assert_non_null(text);
    for (size_t i = 0; i < words; i++)
        text[i] = "ab \n"[i % 4];
    snprintf(text + words, strlen(TABLE) + 1, "%s", TABLE);
    struct orr_budget budget = {.by = ORR_LIMITED_BY_CALLER};
    orr_budget_begin(&budget);
    assert_true(orr_matrix_found(text, length));
    orr_budget_stop(&budget, ORR_SPENT_CLIENT);
    assert_false(orr_matrix_found(text, length));
    orr_budget_end();
    assert_true(orr_matrix_found(text, length));
    free(text);
}
