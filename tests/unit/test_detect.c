/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of detection by themselves; whole machines are in tests/detect. */
#include "engine/detect/detect_process.h"
#include "engine/detect/detecting.h"
#include "tests/support/orr_test.h"
#include "tests/support/small_root.h"

TEST(hashes_are_those_of_nccl)
{
    static const struct {
        const char *text;
        uint64_t wide, bytewise;
    } cases[] = {
        {"", 0x75b6431c590e86a2, 0x1505},
        {"a", 0xf67f960500f37951, 0x2b5c4},
        {"node01", 0x32bc6a371802aeae, 0x65262344ec4},
        {"node01f0b5c4e2-5a3d-4c1e-9d67-0123456789ab", 0xf4a4d794745933d0, 0x8758c0558a3aa39b},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(orr_hash_wide(cases[i].text, strlen(cases[i].text)) == cases[i].wide);
        assert_true(orr_hash_bytewise(cases[i].text, strlen(cases[i].text)) == cases[i].bytewise);
    }
}

TEST(lists_of_names_take_what_nccl_takes)
{
    static const struct {
        const char *list, *name;
        int32_t port;
        bool taken;
    } cases[] = {
        {"mlx5_1", "mlx5_1", 1, true},
        {"mlx5_1", "mlx5_10", 1, true},
        {"=mlx5_1", "mlx5_10", 1, false},
        {"^mlx5_1", "mlx5_10", 1, false},
        {"^=mlx5_1", "mlx5_10", 1, true},
        {"", "x", 1, true},
        {"^", "x", 1, false},
        {",,", "x", 1, true},
        {"a,mlx5", "mlx5_3", 1, true},
        {"mlx5_1:2", "mlx5_1", 1, false},
        {"mlx5_1:2", "mlx5_1", 2, true},
        {"mlx5_1:2", "mlx5_1", -1, true},
        {"mlx5_1:1,mlx5_2", "mlx5_2", 9, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (orr_list_takes(cases[i].list, cases[i].name, cases[i].port, NULL) != cases[i].taken)
            fail_msg("\"%s\" and %s", cases[i].list, cases[i].name);
}

TEST(bus_ids_are_written_as_nccl_writes_them)
{
    static const char *const cases[][2] = {{"00000000:1B:00.0", "0000:1b:00.0"},   {"0000:1B:00.0", "0000:1b:00.0"},
                                           {"00010000:01:00.0", "10000:01:00.0"},  {"0008:01:00.0", "0008:01:00.0"},
                                           {"FFFFFFF:FFFF:FF", "fffffff:ffff:ff"}, {"", ""}};
    char tidy[ORR_FACT_BUS];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        orr_bus_id_tidy(cases[i][0], tidy);
        assert_string_equal(tidy, cases[i][1]);
    }
    assert_true(orr_looks_like_bus_id("0000:1b:00.0", 12) && orr_looks_like_bus_id("ffff:ff:ff.f", 12));
    assert_false(orr_looks_like_bus_id("10000:01:00.0", 13) || orr_looks_like_bus_id("pci0000:00.0", 12));
}

/* What is written is read back to the same, and written the same again. */
TEST(facts_survive_their_text)
{
    static struct orr_host_facts facts, again;
    static const char words[] =
        "nvml 570.124.06\ncuda 12080\ngpu 00000000:1B:00.0\n  name NVIDIA H100 80GB HBM3\n  capability 9.0\n"
        "  ids 233010de 16c110de\n  pcie 5 16 5\n  nvlink 0 up 0000:05:00.0\n  nvlink 3 down\n  nvlink 17 up -\n"
        "  c2c 10 44712\n  gdr 1 -1\n  fabric 000102030405060708090a0b0c0d0e0f 7 3\narch x86_64\ncpu 7 91   Shanghai  "
        "\n"
        "host 0xffffffffffffffff 0x1\ninterfaces\ninterface eth0 inet running\ninterface lo inet6lo idle\nverbs\nverb "
        "mlx5_0\n";
    struct orr_text one, two;
    struct orr_error err = {0};
    orr_text_init(&one, ORR_FACTS_BYTES);
    orr_text_init(&two, ORR_FACTS_BYTES);
    assert_ok(orr_host_facts_read(&facts, words, sizeof words - 1, &err), &err);
    assert_string_equal(facts.gpus[0].bus_id, "0000:1b:00.0");
    assert_string_equal(facts.cpu_vendor, "  Shanghai  ");
    assert_true(facts.gpus[0].links[17].far_known && !facts.gpus[0].links[17].far[0] && !facts.gpus[0].links[1].p2p);
    assert_true(facts.hash_wide == UINT64_MAX && facts.gpus[0].dma_buf == ORR_UNKNOWN && facts.interfaces[1].loopback);
    orr_host_facts_write(&facts, &one);
    assert_ok(orr_host_facts_read(&again, one.data, one.length, &err), &err);
    orr_host_facts_write(&again, &two);
    assert_string_equal(one.data, two.data);
    assert_memory_equal(&facts, &again, sizeof facts);
    orr_text_release(&one);
    orr_text_release(&two);
}

TEST(nothing_leads_out_of_a_root)
{
    char folder[] = "/tmp/orr-root-XXXXXX", path[ORR_PATH_SIZE], text[64];
    struct orr_root *root;
    struct orr_error err = {0};
    small_root(folder);
    small_make(folder, "/etc/passwd", "inside\n", 0);
    small_make(folder, "/sys/absolute", "/etc/passwd", 1);
    small_make(folder, "/sys/upward", "../../../../../../../../etc/passwd", 1);
    small_make(folder, "/sys/round", "/sys/round", 1);
    small_make(folder, "/sys/through", "/sys/../etc/../etc/./passwd", 1);
    small_make(folder, "/sys/long", "//etc//passwd/", 1);
    assert_ok(orr_root_open(folder, &root, &err), &err);
    static const char *const links[] = {"/sys/absolute", "/sys/upward", "/sys/through", "/sys/long",
                                        "/sys/class/../../../../etc/passwd"};
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        assert_int_equal(orr_root_read(root, links[i], text, sizeof text), 7);
        assert_string_equal(text, "inside\n");
        assert_int_equal(orr_root_find(root, links[i], path), ORR_ROOT_FILE);
        assert_string_equal(path, "/etc/passwd");
    }
    assert_int_equal(orr_root_read(root, "/sys/round", text, sizeof text), -1);
    assert_int_equal(orr_root_look(root, "/sys/round", path), ORR_ROOT_LINK);
    assert_int_equal(orr_root_read(root, "/sys", text, sizeof text), -1);
    assert_int_equal(orr_root_read(root, "/etc/passwd/x", text, sizeof text), -1);
    assert_int_equal(orr_root_read(root, "/etc/passwd", text, 4), 3);
    assert_string_equal(text, "ins");
    orr_root_free(root);
    small_root_remove(folder);
}

TEST(what_begins_like_a_tar)
{
    char block[512] = {0};
    assert_false(orr_is_tar(block, sizeof block) || orr_is_tar("<system", 7) || orr_is_tar("", 0));
    memcpy(block + 257, "ustar", 5);
    assert_true(orr_is_tar(block, sizeof block) && orr_is_tar("\x1f\x8b\x08", 3));
    assert_false(orr_is_tar(block, 260));
}

/* A script in place of the program. */
static void make_program(char *folder, const char *text, char path[64])
{
    if (!mkdtemp(folder))
        abort();
    small_make(folder, "/program", text, 0);
    snprintf(path, 64, "%s/program", folder);
    if (chmod(path, 0755))
        abort();
}

TEST(a_process_that_fails_hangs_or_is_not_there)
{
    static const struct {
        const char *script, *words;
        enum orr_code code;
    } cases[] = {
        {"#!/bin/sh\nprintf '%s' \"$*\"\n", "", ORR_OK},
        {"#!/bin/sh\nexit 3\n", "status 3", ORR_UNSUPPORTED},
        {"#!/bin/sh\nkill -SEGV $$\n", "signal 11", ORR_UNSUPPORTED},
        {"#!/bin/sh\necho begun\nexec sleep 60\n", "longer than 1 seconds", ORR_UNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char folder[] = "/tmp/orr-root-XXXXXX", path[64], *bytes = NULL;
        size_t length = 0;
        struct orr_error err = {0};
        make_program(folder, cases[i].script, path);
        assert_int_equal(orr_detect_apart(path, "2.27.7", cases[i].code == ORR_OK ? 30 : 1, &bytes, &length, &err),
                         cases[i].code);
        if (cases[i].code == ORR_OK)
            assert_string_equal(bytes, "detect --json --release 2.27.7");
        else if (!strstr(err.text, cases[i].words))
            fail_msg("%s", err.text);
        free(bytes);
        small_root_remove(folder);
    }
    char *bytes;
    size_t length;
    struct orr_error err = {0};
    assert_int_equal(orr_detect_apart("/nonexistent/orrery", "2.27.7", 1, &bytes, &length, &err), ORR_IO);
}

/* What a rule says, as a number. */
typedef int64_t look_at(const struct orr_detect_rules *rules, const struct orr_release *release);
#define LOOK(field)                                                                                                    \
    static int64_t look_##field(const struct orr_detect_rules *rules, const struct orr_release *release)               \
    {                                                                                                                  \
        (void)release;                                                                                                 \
        return (int64_t)rules->field;                                                                                  \
    }
LOOK(fuses_ranks)
LOOK(sorts_by_bus)
LOOK(hash)
LOOK(trim)
LOOK(usual_file)
LOOK(device_ids)
LOOK(class_of_sys)
LOOK(adds_nvlinks_again)
LOOK(affinity_always)
LOOK(pci_from_nvml)
LOOK(mlopart)
LOOK(probes_18_nvlinks)
LOOK(c2c)
LOOK(blank_far_end_is_switch)
LOOK(peer_links)
LOOK(functions)
LOOK(merge_vfs)
LOOK(nics_by_bus)
LOOK(rates_end_at_hdr)
LOOK(lanes_end_at_12)
LOOK(peer_memory)
LOOK(dma_buf)
LOOK(latency)
LOOK(latency_is_whole)
LOOK(says_net)
LOOK(rails)
LOOK(interfaces_run)
static int64_t look_merge(const struct orr_detect_rules *rules, const struct orr_release *release)
{
    (void)rules;
    return orr_nic_merge_of(release);
}

/* The first of the emulated releases with each rule, and what it was before and is since. */
static const struct {
    look_at *look;
    const char *since;
    int64_t before, value;
} rule_changes[] = {
    {look_trim, "2.8.3", ORR_TRIM_NONE, ORR_TRIM_CHILDLESS},
    {look_adds_nvlinks_again, "2.8.3", false, true},
    {look_device_ids, "2.9.9", false, true},
    {look_usual_file, "2.10.3", false, true},
    {look_class_of_sys, "2.10.3", false, true},
    {look_adds_nvlinks_again, "2.11.4", true, false},
    {look_functions, "2.11.4", ORR_FUNCTIONS_OF_SLOT, ORR_FUNCTIONS_OF_SLOT_DIGIT},
    {look_latency, "2.12.10", false, true},
    {look_dma_buf, "2.14.3", false, true},
    {look_lanes_end_at_12, "2.14.3", true, false},
    {look_probes_18_nvlinks, "2.15.5", false, true},
    {look_rates_end_at_hdr, "2.16.5", true, false},
    {look_merge_vfs, "2.18.1", false, true},
    {look_functions, "2.18.3", ORR_FUNCTIONS_OF_SLOT_DIGIT, ORR_FUNCTIONS_OF_BUS},
    {look_sorts_by_bus, "2.18.5", false, true},
    {look_c2c, "2.19.3", false, true},
    {look_merge, "2.20.5", ORR_MERGE_NONE, ORR_MERGE_IN_PLUGIN},
    {look_hash, "2.21.5", ORR_HASH_NONE, ORR_HASH_BYTEWISE},
    {look_fuses_ranks, "2.22.3", false, true},
    {look_trim, "2.22.3", ORR_TRIM_CHILDLESS, ORR_TRIM_UNCLAIMED_PLACES},
    {look_peer_links, "2.22.3", false, true},
    {look_peer_memory, "2.22.3", ORR_PEER_NV_MEM, ORR_PEER_NV_MEM | ORR_PEER_NV_MEM_NC},
    {look_peer_memory, "2.23.4", ORR_PEER_NV_MEM | ORR_PEER_NV_MEM_NC,
     ORR_PEER_NV_MEM | ORR_PEER_NV_MEM_NC | ORR_PEER_MODULE},
    {look_latency_is_whole, "2.24.3", false, true},
    {look_merge, "2.24.3", ORR_MERGE_IN_PLUGIN, ORR_MERGE_VIRTUAL_ONCE},
    {look_merge, "2.26.2", ORR_MERGE_VIRTUAL_ONCE, ORR_MERGE_VIRTUAL_ALL},
    {look_hash, "2.26.2", ORR_HASH_BYTEWISE, ORR_HASH_WIDE},
    {look_trim, "2.27.3", ORR_TRIM_UNCLAIMED_PLACES, ORR_TRIM_UNCLAIMED},
    {look_merge, "2.27.3", ORR_MERGE_VIRTUAL_ALL, ORR_MERGE_VIRTUAL},
    {look_interfaces_run, "2.28.3", false, true},
    {look_merge, "2.28.3", ORR_MERGE_VIRTUAL, ORR_MERGE_VIRTUAL_WIDE},
    {look_nics_by_bus, "2.29.7", false, true},
    {look_says_net, "2.29.7", false, true},
    {look_affinity_always, "2.30.7", false, true},
    {look_pci_from_nvml, "2.30.7", false, true},
    {look_blank_far_end_is_switch, "2.30.7", false, true},
    {look_mlopart, "2.30.7", false, true},
    {look_rails, "2.30.7", false, true},
    {look_merge, "2.30.7", ORR_MERGE_VIRTUAL_WIDE, ORR_MERGE_VIRTUAL_SLOT},
};

enum { RULE_CHANGES = sizeof rule_changes / sizeof rule_changes[0] };

TEST(each_rule_begins_with_its_release)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    struct orr_detect_rules before, here;
    for (int i = 0; i < RULE_CHANGES; i++) {
        const struct orr_release *release = orr_release_find(rule_changes[i].since);
        assert_true(release && release > releases);
        orr_detect_rules_of(release - 1, &before);
        orr_detect_rules_of(release, &here);
        if (rule_changes[i].look(&before, release - 1) != rule_changes[i].before ||
            rule_changes[i].look(&here, release) != rule_changes[i].value)
            fail_msg("row %d, %s", i, rule_changes[i].since);
    }
}

/* If nothing in the table above changes, no rule does. */
TEST(other_releases_detect_as_the_one_before)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    for (uint32_t r = 1; r < count; r++) {
        struct orr_detect_rules before, here;
        orr_detect_rules_of(&releases[r - 1], &before);
        orr_detect_rules_of(&releases[r], &here);
        for (int i = 0; i < RULE_CHANGES; i++) {
            look_at *look = rule_changes[i].look;
            bool changes = false;
            for (int j = 0; j < RULE_CHANGES; j++)
                changes = changes || (rule_changes[j].look == look && !strcmp(rule_changes[j].since, releases[r].name));
            bool known = look == look_peer_memory && !strcmp(releases[r].name, "2.12.10"); /* and 2.21.5: taken so */
            known = known || (look == look_peer_memory && !strcmp(releases[r].name, "2.21.5"));
            if (!changes && !known && look(&before, &releases[r - 1]) != look(&here, &releases[r]))
                fail_msg("row %d changes in %s", i, releases[r].name);
        }
    }
}
