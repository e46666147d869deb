/* SPDX-License-Identifier: Apache-2.0 */
/* The table of known faults, and the release that a text names outside NCCL's own lines. */
#include <string.h>

#include "engine/log_reading/log.h"
#include "engine/release/faults.h"
#include "engine/release/release_names.h"
#include "tests/support/orr_test.h"

static bool is_message(const char *id, size_t length)
{
    const struct orr_log_message *row;
    for (uint32_t i = 0; (row = orr_log_message(i)); i++)
        if (strlen(row->id) == length && !memcmp(row->id, id, length))
            return true;
    return false;
}

TEST(rows_are_whole)
{
    const struct orr_fault *row, *other;
    uint32_t count = 0;
    for (; (row = orr_fault_at(count)); count++) {
        for (const char *id = row->shown_by; id && *id; id += strcspn(id, "|"), id += *id == '|')
            if (!is_message(id, strcspn(id, "|")))
                fail_msg("%s: no message %s", row->id, id);
        assert_true(row->shown_by || row->in_text || row->said || row->needs);
        assert_true(row->what[strlen(row->what) - 1] == '.');
        assert_true(row->check ? !strncmp(row->check, "Check: ", 7) : row->fixed > 0);
        assert_true(row->cure || row->fixed);
        assert_true(!row->from || !row->fixed || row->from < row->fixed);
        assert_false(orr_fault_is_in(row, 0));
        assert_true(!row->from || orr_fault_is_in(row, row->from));
        assert_true(!row->fixed || (!orr_fault_is_in(row, row->fixed) && orr_fault_is_in(row, row->fixed - 1)));
        for (uint32_t k = 0; k < count && (other = orr_fault_at(k)); k++)
            assert_string_not_equal(row->id, other->id);
    }
    assert_true(count >= 20);
}

TEST(a_text_names_its_release)
{
    static const struct {
        const char *text;
        uint32_t version;
        bool by_framework, several;
    } cases[] = {
        {"NCCL 2.28.9 hangs with graphs", ORR_VERSION(2, 28, 9), false, false},
        {"we use nccl==2.18.1 here", ORR_VERSION(2, 18, 1), false, false},
        {"[pip3] nvidia-nccl-cu12==2.20.5", ORR_VERSION(2, 20, 5), false, false},
        {"nvidia-nccl-cu12          2.20.5   pypi_0", ORR_VERSION(2, 20, 5), false, false},
        {"ii  libnccl2   2.21.5-1+cuda12.4  amd64", ORR_VERSION(2, 21, 5), false, false},
        {"NCCL_VERSION=2.17.1-1", ORR_VERSION(2, 17, 1), false, false},
        {"torch.cuda.nccl.version() is (2, 21, 5)", ORR_VERSION(2, 21, 5), false, false},
        {"NCCL is v2.22.3", ORR_VERSION(2, 22, 3), false, false},
        {"PyTorch version: 2.3.0+cu121", ORR_VERSION(2, 20, 5), true, false},
        {"torch==2.3.0\nnvidia-nccl-cu12==2.19.3", ORR_VERSION(2, 19, 3), false, false},
        {"updated from NCCL 2.18.1 to NCCL 2.20.3", ORR_VERSION(2, 18, 1), false, true},
        {"PyTorch version: 2.10.0", 0, false, false}, /* whose builds bring two releases */
        {"NCCL with PyTorch nightly 2.9.1 fails", 0, false, false},
        {"the nccl-tests 2.13.11 hang", 0, false, false},
        {"NCCL 10.0.0.1 is the address", 0, false, false},
        {"NCCL uses 192.168.1.2.3", 0, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct orr_error err = {0};
        char text[256];
        ORR_OWNED(orr_log) *log = NULL;
        snprintf(text, sizeof text, "%s\nnccl allreduce hangs\n", cases[i].text);
        assert_ok(orr_log_read(text, strlen(text), NULL, &log, &err), &err);
        if (log->stated.version != cases[i].version || log->stated.by_framework != cases[i].by_framework ||
            log->stated.several != cases[i].several)
            fail_msg("%s: %u%s%s", cases[i].text, log->stated.version, log->stated.by_framework ? ", by PyTorch" : "",
                     log->stated.several ? ", several" : "");
    }
}
