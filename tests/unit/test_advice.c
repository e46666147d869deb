/* SPDX-License-Identifier: Apache-2.0 */
/* Advice without the sentences that a text has answered. */
#include "engine/symptoms/symptoms.h"
#include "tests/support/orr_test.h"

#define INFO "node1:10:11 [0] NCCL INFO "

/* The advice that a person gets who writes this text. */
static void assert_advice(const char *text, const char *advice, const char *left)
{
    char lines[1024];
    snprintf(lines, sizeof lines, "%s\n" INFO "Bootstrap : Using eth0\n", text);
    struct orr_error err = {0};
    ORR_LOCAL(orr_log, log);
    assert_ok(orr_log_read(lines, strlen(lines), NULL, &log, &err), &err);
    assert_string_equal(orr_symptom_advice(log, advice), left);
}

TEST(advice_that_the_text_has_answered_is_left_out)
{
    static const char acs[] =
        "If `cat /proc/cmdline` shows an IOMMU, boot with iommu=pt. If SrcValid+ is there, turn ACS "
        "off.";
    assert_advice("My job fails, and nothing helps.", acs, acs);
    assert_advice("The IOMMU is off in the BIOS, of course.", acs, "If SrcValid+ is there, turn ACS off.");
    assert_advice("I am not sure if the IOMMU is off in the BIOS.", acs, acs);
    assert_advice("The IOMMU is off and ACS is disabled here.", acs, "");
    assert_advice("The IOMMU is off, I think.\n[    0.4] DMAR: IOMMU enabled", acs, acs);
    static const char run[] =
        "Run once with NCCL_P2P_DISABLE=1: if it works, P2P is at fault. Run with --enforce-eager.";
    assert_advice("It fails with NCCL_P2P_DISABLE=0 as well.", run, run);
    assert_advice("It fails with NCCL_P2P_DISABLE=1 as well.", run, "Run with --enforce-eager.");
    assert_advice("vllm serve a/model --enforce-eager and nothing else", run,
                  "Run once with NCCL_P2P_DISABLE=1: if it works, P2P is at fault.");
    /* A longer time limit was tried if a still longer one is set; but a switch that is on is not one that is off. */
    static const char longer[] = "If long runs fail, NCCL_IB_TIMEOUT=22 bridges it.";
    assert_advice("It fails with NCCL_IB_TIMEOUT=23 as well.", longer, "");
    assert_advice("It fails with NCCL_IB_TIMEOUT=20 as well.", longer, longer);
    static const char off[] = "Run once with NCCL_NVLS_ENABLE=0.";
    assert_advice("It fails with NCCL_NVLS_ENABLE=1 as well.", off, off);
    /* What takes a setting back is not tried by setting it. */
    static const char back[] = "Run without NCCL_P2P_DISABLE=1.";
    assert_advice("It is slow with NCCL_P2P_DISABLE=1 on all hosts.", back, back);
}
