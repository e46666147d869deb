/* SPDX-License-Identifier: Apache-2.0 */
/* What people read about settings is that of the release they ask about. */
#include "engine/release/release.h"
#include "engine/release/settings.h"
#include "tests/support/orr_test.h"

static struct orr_setting_words words_of(const char *name, const char *release)
{
    enum orr_setting setting;
    assert_true(orr_setting_find(name, &setting));
    const struct orr_setting_words words = orr_setting_words(setting, orr_release_find(release));
    return words;
}

TEST(defaults_are_those_of_the_release)
{
    static const struct {
        const char *name, *release, *standard;
    } cases[] = {
        {"NCCL_MAX_NCHANNELS", "2.7.8", "32"},
        {"NCCL_MAX_NCHANNELS", "2.30.7", "64"},
        {"NCCL_MAX_CTAS", "2.21.5", "32"},
        {"NCCL_NET_GDR_LEVEL", "2.27.7", "PXB"},
        {"NCCL_NET_GDR_LEVEL", "2.30.7", "P2C; PXB with NCCL_NET_GDR_C2C=0"},
        {"NCCL_P2P_LEVEL", "2.7.8", "PXB on ARM and Intel Broadwell, PHB on other Intel, else SYS"},
        {"NCCL_P2P_LEVEL", "2.30.7", "PXB; SYS for two GPUs on AMD"},
        {"NCCL_NVLS_NCHANNELS", "2.21.5", "16"},
        {"NCCL_NVLS_NCHANNELS", "2.30.7", "16; 24 on one host and 32 on several from capability 100 on"},
        {"NCCL_NVLS_ENABLE", "2.17.1", "1 (on)"},
        {"NCCL_NVLS_ENABLE", "2.30.7", "2 (if the hardware has it)"},
        {"NCCL_NCHANNELS_PER_NET_PEER", "2.12.12", "2"},
        {"NCCL_NCHANNELS_PER_NET_PEER", "2.30.7", "by the bandwidth of the GPU's NICs"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(words_of(cases[i].name, cases[i].release).standard, cases[i].standard);
}

TEST(values_are_those_of_the_release)
{
    assert_string_equal(words_of("NCCL_P2P_LEVEL", "2.7.8").values, "LOC, NVL, PIX, PXB, PHB, SYS, or 0 to 4");
    assert_string_equal(words_of("NCCL_MIN_NCHANNELS", "2.21.5").values, "0 to 32");
    assert_string_equal(words_of("NCCL_ALGO", "2.7.8").values, "list of Tree, Ring, CollNet, such as Ring,Tree");
    assert_string_equal(words_of("NCCL_ALGO", "2.7.8").outside, "unknown names are ignored");
    assert_string_equal(words_of("NCCL_PROTO", "2.30.7").values,
                        "list such as Simple or ^LL128, per function: allreduce:LL");
    assert_string_equal(words_of("NCCL_PROTO", "2.30.7").outside, "an unknown name is an error");
}

TEST(no_text_is_cut_or_left_open)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    for (uint32_t r = 0; r < count; r++)
        for (int setting = 0; setting < ORR_SETTING_COUNT; setting++) {
            if (!orr_setting_in((enum orr_setting)setting, &releases[r]))
                continue;
            const struct orr_setting_words words = orr_setting_words((enum orr_setting)setting, &releases[r]);
            assert_true(strlen(words.standard) < sizeof words.standard - 1 && *words.standard);
            assert_true(strlen(words.values) < sizeof words.values - 1 && *words.values);
            assert_true(strlen(words.outside) < sizeof words.outside - 1 && *words.outside);
            assert_null(strpbrk(words.standard, "{}"));
            assert_null(strpbrk(words.values, "{}"));
            assert_null(strpbrk(words.outside, "{}"));
        }
}
