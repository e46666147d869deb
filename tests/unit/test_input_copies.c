/* SPDX-License-Identifier: Apache-2.0 */
/* Copies made of an input: without names, and for a virtual machine. */
#include "engine/base/budget.h"
#include "engine/input/anonymise.h"
#include "engine/input/input.h"
#include "engine/input/vm_file.h"
#include "tests/support/fixture.h"

static char *anonymised(const char *bytes)
{
    struct orr_error err = {0};
    struct orr_text text;
    ORR_LOCAL_ARENA(arena, 0);
    size_t length;
    orr_text_init(&text, 1 << 20);
    assert_ok(orr_anonymise(bytes, strlen(bytes), arena, &text, NULL, &err), &err);
    return orr_text_take(&text, &length);
}

static void becomes(const char *bytes, const char *wanted)
{
    char *text = anonymised(bytes), *again = anonymised(text);
    assert_string_equal(text, wanted);
    assert_string_equal(again, wanted); /* a copy of a copy is the copy */
    free(text);
    free(again);
}

TEST(names_are_replaced_alike_everywhere)
{
    becomes("node17:4711:4712 [0] NCCL INFO Bootstrap : Using eth0:192.168.7.9<0>\nssh node17.example.com # node17 "
            "node171\n"
            "[1] 2026 login2:99:99 NCCL WARN /home/alice/run.sh of 192.168.7.9:22\n",
            "host-1:4711:4712 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>\nssh host-1 # host-1 node171\n"
            "[1] 2026 host-2:99:99 NCCL WARN /home/user-1/run.sh of 10.0.0.1:22\n");
    becomes("<cpu host_hash=\"0xdeadbeef12345678\"><net guid='0xa088c20300e0f1' speed=\"400000\"/><net guid=\"0x1\"/>\n"
            "NET/0-3 (0/a088c20300e0f1/1/50.0) NET/0-4 (1a/1/50.0) commId 0xdeadbeef12345678",
            "<cpu host_hash=\"0xbb00000001\"><net guid='0xaa00000001' speed=\"400000\"/><net guid=\"0x1\"/>\n"
            "NET/0-3 (0/aa00000001/1/50.0) NET/0-4 (1a/1/50.0) commId 0xbb00000001");
    becomes("<info name=\"HostName\" value=\"gpu-box\"/><info name=\"NVIDIASerial\" value=\"032X1\"/> gpu-box "
            "GPU-d3977428-7a30-086b-2e20-5c1eeed647c6\n"
            "9803:9b03:0016:65ce 98:03:9b:16:65:ce [fe80::9a03:9bff:fe16:65ce]",
            "<info name=\"HostName\" value=\"host-1\"/><info name=\"NVIDIASerial\" value=\"name-1\"/> host-1 "
            "GPU-00000000-0000-0000-0000-000000000001\n"
            "0200:0000:0000:0001 02:00:00:00:00:01 [2001:db8::1]");
}

/* Learning and rewriting end soon after somebody stops them, and what was made so far is not an answer. */
TEST(a_copy_ends_when_the_budget_is_spent)
{
    enum { SIZE = 4 << 20, STEPS = 1 << 20 };
    struct orr_budget budget = {.by = ORR_LIMITED_BY_CALLER};
    struct orr_error err = {0};
    char *words = malloc(SIZE);
    assert_non_null(words);
    for (int i = 0; i < SIZE; i++)
        words[i] = "word "[i % 5];
    orr_budget_begin(&budget);
    orr_budget_stop(&budget, ORR_SPENT_CLIENT);
    ORR_LOCAL_ARENA(arena, 0);
    ORR_LOCAL_TEXT(text, SIZE + 1);
    enum orr_code code = orr_anonymise(words, SIZE, arena, &text, NULL, &err);
    orr_budget_end();
    assert_int_equal(code, ORR_STOPPED);
    assert_true(text.length < STEPS);
    free(words);
}

TEST(what_answers_rest_on_stays)
{
    static const char text[] =
        "<pci busid=\"0000:1b:00.0\" class=\"0x030200\"/> fffffff:ffff:ff 12:34:56 NCCL version 2.21.5+cuda12.4 mlx5_0 "
        "0x0 127.0.0.1 std::vector GPU/0-1b000 10.5 :: 0-31,64-95 1.2.3.4.5";
    becomes(text, text);
    /* a host called like a word of dumps changes no dump */
    becomes("gpu:1:2 NCCL INFO <gpu dev=\"0\"/>", "gpu:1:2 NCCL INFO <gpu dev=\"0\"/>");
}

#define HOST                                                                                                           \
    "<system version=\"1\"><cpu host_hash=\"0x9876543210ab\" numaid=\"0\" " X86_INTEL ">" SWITCH("0000:40:00.0")       \
        GPU("0000:43:00.0", "0", "80", "") NIC("0000:44:00.0", "0", "100000") "</pci>" GPU(                            \
            "0000:50:00.0", "1", "80",                                                                                 \
            "") "<nic><net name=\"docker0\" dev=\"1\" speed=\"10000\" port=\"0\" guid=\"0x9\"/></nic></cpu></system>"

static enum orr_code vm_of(const char *dump, const char *gpus, const char *nics, struct orr_text *text,
                           struct orr_error *err)
{
    ORR_OWNED(orr_dump) *read = read_text(dump);
    const struct orr_vm_options options = {.gpus = gpus, .nics = nics};
    *err = (struct orr_error){0};
    orr_text_init(text, 1 << 20);
    enum orr_code code = orr_vm_file(read, &options, text, err);
    return code;
}

TEST(a_vm_file_keeps_places_and_links_only)
{
    struct orr_error err;
    struct orr_text text;
    assert_ok(vm_of(HOST, "0000:00:05.0,00000000:00:06.0", "0000:00:07.0", &text, &err), &err);
    assert_string_equal(
        text.data,
        "<system version=\"1\">\n"
        "  <cpu numaid=\"0\" arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"85\" affinity=\"ffff\">\n"
        "    <pci busid=\"ffff:ff:01.0\" class=\"0x060400\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\">\n"
        "      <pci busid=\"0000:00:05.0\" class=\"0x030200\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\"/>\n"
        "      <pci busid=\"0000:00:07.0\" class=\"0x020000\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\"/>\n"
        "    </pci>\n"
        "    <pci busid=\"0000:00:06.0\" class=\"0x030200\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\"/>\n"
        "  </cpu>\n"
        "</system>\n");
    orr_text_release(&text);
    assert_ok(vm_of(HOST, "0000:50:00.0=0000:00:05.0", "", &text, &err), &err); /* one GPU of two */
    assert_null(strstr(text.data, "0000:43:00.0"));
    assert_non_null(strstr(text.data, "0000:44:00.0"));
    orr_text_release(&text);
}

TEST(lists_that_do_not_fit_are_refused)
{
    static const struct {
        const char *gpus, *nics, *words;
    } cases[] = {
        {"0000:00:05.0", NULL, "1 bus ids for 2"},
        {"0000:00:05.0,0000:00:06.0,0000:00:07.0", NULL, "one more"},
        {"x,y", NULL, "is not a bus id"},
        {"0000:99:00.0=0000:00:05.0", NULL, "not in the dump"},
        {"0000:00:05.0,0000:00:05.0", NULL, "two devices"},
        {"0000:00:05.0,0000:00:06.0", "0000:00:06.0", "two devices"},
    };
    struct orr_error err;
    struct orr_text text;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_error(vm_of(HOST, cases[i].gpus, cases[i].nics, &text, &err), ORR_SETTING, &err, cases[i].words);
        orr_text_release(&text);
    }
    assert_error(
        vm_of(
            "<system version=\"1\"><cpu numaid=\"0\" host_hash=\"0x1\"/><cpu numaid=\"0\" host_hash=\"0x2\"/></system>",
            NULL, NULL, &text, &err),
        ORR_INVALID, &err, "several hosts");
    orr_text_release(&text);
}
