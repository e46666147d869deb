/* SPDX-License-Identifier: Apache-2.0 */
/* The NICs that a job uses: NCCL_IB_HCA, fusion by release and setting, groups of EFA NICs. */
#include "engine/nics/used.h"

#include "tests/support/fixture.h"

#define PORT(name, dev, port, guid)                                                                                    \
    "<net name=\"" name "\" dev=\"" dev "\" speed=\"100000\" port=\"" port "\" guid=\"" guid                           \
    "\" maxconn=\"131072\" gdr=\"1\"/>"
#define CARD(bus, inside) "<pci busid=\"" bus "\" class=\"0x020700\" " GEN4X16 "><nic>" inside "</nic></pci>"
#define HOST(inside)                                                                                                   \
    "<system version=\"1\">\n<cpu numaid=\"0\" " X86_INTEL ">\n" SWITCH("0000:16:00.0")                                \
        GPU("0000:17:00.0", "0", "90", "") GPU("0000:18:00.0", "1", "90", "") inside "</pci>\n</cpu></system>"

/* Two cards: one with two ports in one <nic>, one with two functions; and a card of its own. */
static const char machine[] =
    HOST(CARD("0000:1a:00.0", PORT("mlx5_0", "0", "1", "0xa") PORT("mlx5_1", "1", "2", "0xa"))
             CARD("0000:1b:00.0", PORT("mlx5_2", "2", "1", "0xb")) CARD("0000:1b:00.1", PORT("mlx5_3", "3", "2", "0xb"))
                 CARD("0000:1c:00.0", PORT("mlx5_4", "4", "1", "0xc")));

/* The names of the NICs in order of the document, "name:dev:speed" each. */
static void names_of(const struct orr_dump *dump, char text[512])
{
    text[0] = 0;
    for (uint32_t i = 0; i < dump->element_count; i++)
        if (dump->elements[i].kind == ORR_ELEMENT_NET)
            snprintf(text + strlen(text), 512 - strlen(text), "%s%s:%s:%s", *text ? " " : "",
                     orr_element_text(dump, i, ORR_ATTR_NAME), orr_element_text(dump, i, ORR_ATTR_DEV),
                     orr_element_text(dump, i, ORR_ATTR_SPEED));
}

/* The NICs of text that a job of a release uses; settings as in analyse_in(). ret_note: what was changed, or "". */
static enum orr_code used(const char *text, const char *release, enum orr_fuse_mode mode, const char *const *settings,
                          char names[512], char note[512], struct orr_error *err)
{
    ORR_OWNED(orr_dump) *dump = read_text(text);
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_settings values;
    const struct orr_dump *view = NULL;
    orr_settings_init(&values, orr_release_find(release));
    values.fuse_nics = mode;
    for (; settings && *settings; settings += 2)
        assert_ok(orr_settings_set(&values, settings[0], settings[1], err), err);
    enum orr_code code = orr_nics_used(dump, &values, arena, &view, err);
    if (code == ORR_OK) {
        names_of(view, names);
        snprintf(note, 512, "%s", view->notes && view->notes->assumed_count ? view->notes->assumed[0].what : "");
    }
    return code;
}

TEST(test_fusion_by_release_and_setting)
{
    static const char apart[] = "mlx5_0:0:100000 mlx5_1:1:100000 mlx5_2:2:100000 mlx5_3:3:100000 mlx5_4:4:100000";
    static const struct {
        const char *release;
        enum orr_fuse_mode mode;
        const char *settings[5];
        const char *names;
    } cases[] = {
        {"2.27.7", ORR_FUSE_AUTO, {NULL}, apart},
        {"2.27.7", ORR_FUSE_NEVER, {NULL}, apart},
        {"2.12.12", ORR_FUSE_ALWAYS, {NULL}, apart},
        {"2.27.7", ORR_FUSE_ALWAYS, {NULL}, "mlx5_0+mlx5_1:5:200000 mlx5_4:4:100000 mlx5_2+mlx5_3:6:200000"},
        {"2.21.5", ORR_FUSE_ALWAYS, {NULL}, "mlx5_0+mlx5_1:0:200000 mlx5_2+mlx5_3:1:200000 mlx5_4:2:100000"},
        {"2.27.7", ORR_FUSE_ALWAYS, {"NCCL_IB_MERGE_NICS", "0"}, apart},
        {"2.21.5", ORR_FUSE_ALWAYS, {"NCCL_IB_MERGE_NICS", "0"}, apart},
        {"2.27.7", ORR_FUSE_ALWAYS, {"NCCL_NET_MERGE_LEVEL", "LOC"}, apart},
        {"2.27.7",
         ORR_FUSE_ALWAYS,
         {"NCCL_NET_MERGE_LEVEL", "PIX"},
         "mlx5_4:4:100000 mlx5_0+mlx5_1+mlx5_2+mlx5_3:5:400000"},
        {"2.27.7",
         ORR_FUSE_ALWAYS,
         {"NCCL_NET_MERGE_LEVEL", "LOC", "NCCL_NET_FORCE_MERGE", "mlx5_0,mlx5_4"},
         "mlx5_1:1:100000 mlx5_2:2:100000 mlx5_3:3:100000 mlx5_0+mlx5_4:5:200000"},
        {"2.30.7", ORR_FUSE_ALWAYS, {"NCCL_NET_MERGE_POLICY", "RAIL"}, apart},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct orr_error err = {0};
        char names[512], note[512];
        assert_ok(used(machine, cases[i].release, cases[i].mode, cases[i].settings, names, note, &err), &err);
        if (strcmp(names, cases[i].names) != 0)
            fail_msg("case %zu: %s, expected %s", i, names, cases[i].names);
        bool changed = strcmp(names, apart) != 0;
        assert_int_equal(changed, !!strstr(note, "NICs are fused as NCCL"));
        assert_int_equal(cases[i].mode == ORR_FUSE_AUTO, !!strstr(note, "such as mlx5_0 and mlx5_1; --fuse-nics"));
    }
}

/* Up to 2.26.6 every NIC becomes a virtual device with a new number, and ports of one <nic> stay apart. */
TEST(test_numbers_of_virtual_devices)
{
    static const struct {
        const char *release;
        const char *settings[5];
        const char *names;
    } cases[] = {
        {"2.26.2", {NULL}, "mlx5_0:0:100000 mlx5_1:1:100000 mlx5_4:7:100000 mlx5_2+mlx5_3:6:200000"},
        {"2.26.2",
         {"NCCL_NET_MERGE_LEVEL", "LOC"},
         "mlx5_0:5:100000 mlx5_1:6:100000 mlx5_2:7:100000 mlx5_3:8:100000 mlx5_4:9:100000"},
        {"2.26.2",
         {"NCCL_NET_MERGE_LEVEL", ""}, /* not a level, so LOC */
         "mlx5_0:5:100000 mlx5_1:6:100000 mlx5_2:7:100000 mlx5_3:8:100000 mlx5_4:9:100000"},
        {"2.24.3", /* cuts the list in place, but each rank is a process of its own, which reads it once */
         {"NCCL_NET_MERGE_LEVEL", "LOC", "NCCL_NET_FORCE_MERGE", "mlx5_1,mlx5_4;mlx5_2,mlx5_3"},
         "mlx5_0:7:100000 mlx5_1:1:100000 mlx5_1+mlx5_4:5:200000 mlx5_2+mlx5_3:6:200000"},
        {"2.27.7", /* in the order of the devices, not of the list */
         {"NCCL_NET_MERGE_LEVEL", "LOC", "NCCL_NET_FORCE_MERGE", "mlx5_4,mlx5_2"},
         "mlx5_0:0:100000 mlx5_1:1:100000 mlx5_3:3:100000 mlx5_2+mlx5_4:5:200000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char names[512], note[512];
        struct orr_error err = {0};
        assert_ok(used(machine, cases[i].release, ORR_FUSE_ALWAYS, cases[i].settings, names, note, &err), &err);
        assert_string_equal(names, cases[i].names);
    }
}

TEST(test_fusion_that_nccl_refuses)
{
    static const struct {
        const char *release;
        const char *settings[3];
        const char *words; /* NULL if it goes on */
    } cases[] = {
        {"2.27.7", {"NCCL_NET_FORCE_MERGE", "mlx5_0,nope"}, "does not name its NICs exactly"},
        {"2.27.7", {"NCCL_NET_FORCE_MERGE", "mlx5_0,mlx5_1:1"}, "does not name its NICs exactly"},
        {"2.27.7", {"NCCL_NET_FORCE_MERGE", "mlx5_0,mlx5_1:2"}, NULL},
        {"2.24.3", {"NCCL_IB_MERGE_NICS", "0"}, "does not fuse NICs that are near"},
        {"2.26.2", {"NCCL_IB_MERGE_NICS", "0"}, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char names[512], note[512];
        struct orr_error err = {0};
        enum orr_code code = used(machine, cases[i].release, ORR_FUSE_ALWAYS, cases[i].settings, names, note, &err);
        if (cases[i].words)
            assert_error(code, ORR_SETTING, &err, cases[i].words);
        else
            assert_ok(code, &err);
    }
}

/* NET/Socket gives its interfaces port 0 and their number as guid, and has no way to fuse them. */
TEST(test_interfaces_are_never_fused)
{
    static const char text[] = HOST(CARD("0000:1a:00.0", PORT("eno1", "0", "0", "0x0") PORT("eno2", "1", "0", "0x1")));
    char names[512], note[512];
    struct orr_error err = {0};
    assert_ok(used(text, "2.27.7", ORR_FUSE_ALWAYS, NULL, names, note, &err), &err);
    assert_string_equal(names, "eno1:0:100000 eno2:1:100000");
}

TEST(test_functions_of_a_card_are_named_as_a_job_would_fuse_them)
{
    static const char two[] = HOST(CARD("0000:1b:00.0", PORT("mlx5_2", "0", "1", "0xb"))
                                       CARD("0000:1b:00.1", PORT("mlx5_3", "1", "2", "0xb")));
    static const char apart[] = HOST(CARD("0000:1b:00.0", PORT("mlx5_2", "0", "1", "0xb"))
                                         CARD("0000:1c:00.0", PORT("mlx5_3", "1", "2", "0xc")));
    struct orr_error err = {0};
    char names[512], note[512];
    assert_ok(used(two, "2.27.7", ORR_FUSE_AUTO, NULL, names, note, &err), &err);
    assert_non_null(strstr(note, "such as mlx5_2 and mlx5_3"));
    assert_ok(used(apart, "2.27.7", ORR_FUSE_AUTO, NULL, names, note, &err), &err);
    assert_string_equal(note, "");
    assert_ok(used(two, "2.12.12", ORR_FUSE_AUTO, NULL, names, note, &err), &err);
    assert_string_equal(note, "");
}

TEST(test_ib_hca_selects)
{
    static const struct {
        const char *list, *names;
    } cases[] = {
        {"mlx5_2,mlx5_4", "mlx5_2:0:100000 mlx5_4:1:100000"},
        {"^mlx5_0,mlx5_1", "mlx5_2:0:100000 mlx5_3:1:100000 mlx5_4:2:100000"},
        {"=mlx5_1:1", "mlx5_1:0:100000"},
        {"mlx5_1:2,mlx5_4", "mlx5_4:0:100000"},
        {"mlx5", "mlx5_0:0:100000 mlx5_1:1:100000 mlx5_2:2:100000 mlx5_3:3:100000 mlx5_4:4:100000"},
    };
    struct orr_error err = {0};
    char names[512], note[512];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *settings[] = {"NCCL_IB_HCA", cases[i].list, NULL};
        assert_ok(used(machine, "2.30.7", ORR_FUSE_NEVER, settings, names, note, &err), &err);
        assert_string_equal(names, cases[i].names);
    }
    assert_string_equal(note, "");
    const char *both[] = {"NCCL_IB_HCA", "mlx5_2,mlx5_3", NULL};
    assert_ok(used(machine, "2.27.7", ORR_FUSE_ALWAYS, both, names, note, &err), &err);
    assert_string_equal(names, "mlx5_2+mlx5_3:2:200000");
    assert_string_equal(note, "NCCL_IB_HCA=mlx5_2,mlx5_3 leaves out 3 of 5 NICs");
    const char *none[] = {"NCCL_IB_HCA", "bnxt", NULL};
    assert_error(used(machine, "2.27.7", ORR_FUSE_NEVER, none, names, note, &err), ORR_SETTING, &err,
                 "NCCL_IB_HCA=bnxt selects none of this machine's 5 NICs");
    assert_non_null(strstr(err.advice, "mlx5_0, mlx5_1"));
}

/* The reader takes 64 attributes on an element, and so does everything after it: a NIC whose name comes last of many
 * is selected by it. */
TEST(test_nics_are_selected_by_the_last_of_many_attributes)
{
    enum { MOST = 64 };
    ORR_LOCAL_TEXT(many, 4096);
    ORR_LOCAL_TEXT(text, 8192);
    struct orr_error err = {0};
    char names[512], note[512];
    for (int i = 0; i < MOST - 5; i++)
        orr_text_printf(&many, " extra%d=\"%d\"", i, i);
    orr_text_printf(&text, "%s", HOST(CARD("0000:1a:00.0", PORT("mlx5_0", "0", "1", "0xa")) "%"));
    const char *card = strchr(text.data, '%');
    ORR_LOCAL_TEXT(whole, 8192);
    orr_text_printf(
        &whole,
        "%.*s<pci busid=\"0000:1b:00.0\" class=\"0x020700\"><nic><net%s dev=\"1\" speed=\"100000\" port=\"1\" "
        "guid=\"0xb\" name=\"mlx5_1\"/></nic></pci>%s",
        (int)(card - text.data), text.data, many.data, card + 1);
    const char *settings[] = {"NCCL_IB_HCA", "mlx5_1", NULL};
    assert_ok(used(whole.data, "2.27.7", ORR_FUSE_NEVER, settings, names, note, &err), &err);
    assert_string_equal(names, "mlx5_1:0:100000");
}

/* The analysis uses the view, keeps places in the user's bytes, and the rate of the fused NIC. */
TEST(test_analysis_uses_them)
{
    struct orr_error err = {0};
    ORR_LOCAL(orr_analysis, analysis);
    ORR_OWNED(orr_dump) *dump = read_text(machine);
    struct orr_query query = {.hosts = 2};
    orr_settings_init(&query.settings, orr_release_find("2.27.7"));
    query.settings.fuse_nics = ORR_FUSE_ALWAYS;
    assert_ok(orr_analyze(dump, &query, NULL, &analysis, &err), &err);
    assert_ptr_equal(analysis->given, dump);
    const struct orr_system *system = &analysis->parts[0].system;
    assert_int_equal(orr_system_count(system, ORR_NET), 3);
    uint32_t node = orr_system_find(system, "NET/0-5");
    assert_int_not_equal(node, ORR_NO_NODE);
    assert_float_equal(system->nodes[node].net.bw, 25.0f, 1e-5);
    assert_int_equal(analysis->dump->elements[system->nodes[node].element].line, 3);
}

static struct orr_dump *read_file(const char *path)
{
    struct orr_error err = {0};
    struct orr_dump *dump = NULL;
    char *bytes = calloc(1, 1 << 20);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    assert_ok(orr_dump_read(bytes, length, NULL, &dump, &err), &err);
    free(bytes);
    return dump;
}

TEST(test_efa_nics_are_grouped_by_gpu)
{
    static const struct {
        const char *file;
        uint32_t nics;
        float gbps;
    } cases[] = {{"static/examples/aws-p5.xml", 8, 50},
                 {"static/examples/aws-p5en.xml", 8, 50},
                 {"static/examples/aws-p4d.xml", 4, 12.5f}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct orr_error err = {0};
        struct orr_analysis *analysis;
        ORR_OWNED(orr_dump) *dump = read_file(cases[i].file);
        struct orr_query query = {.hosts = 2};
        orr_settings_init(&query.settings, orr_release_find("2.27.7"));
        query.settings.fuse_nics = ORR_FUSE_ALWAYS;
        assert_ok(orr_analyze(dump, &query, NULL, &analysis, &err), &err);
        const struct orr_system *system = &analysis->parts[0].system;
        assert_int_equal(orr_system_count(system, ORR_NET), cases[i].nics);
        for (uint32_t n = system->first[ORR_NET]; n < system->first[ORR_NET + 1]; n++)
            assert_float_equal(system->nodes[n].net.bw, cases[i].gbps, 1e-5);
        orr_analysis_free(analysis);
    }
}
