/* SPDX-License-Identifier: Apache-2.0 */
/* What NCCL's fusion of NICs leaves in a job's graph, rule by rule: numbers, widths, places, order and attributes, each
 * in all releases that it holds for and in those beside them. */
#include "engine/nics/used.h"
#include "tests/support/dump_text.h"

#define PORT_OF(name, dev, port, guid, more)                                                                           \
    "<net name=\"" name "\" dev=\"" dev "\" speed=\"100000\" port=\"" port "\" guid=\"" guid                           \
    "\" maxconn=\"131072\" gdr=\"1\"" more "/>"
#define CARD(bus, inside)    "<pci busid=\"" bus "\" class=\"0x020700\" " GEN4X16 "><nic>" inside "</nic></pci>"
#define CPU(numa, inside)    "<cpu numaid=\"" numa "\" " X86_INTEL ">" inside "</cpu>"
#define SYSTEM(inside)       "<system version=\"1\">" inside "</system>"
#define GPUS                 GPU("0000:17:00.0", "0", "90", "") GPU("0000:18:00.0", "1", "90", "")
#define ON_SWITCH(inside)    SYSTEM(CPU("0", SWITCH("0000:16:00.0") GPUS inside "</pci>"))
#define ON_CPU(inside)       SYSTEM(CPU("0", GPUS inside))
#define SINGLE(bus, dev)     CARD("0000:" bus ":00.0", PORT_OF("mlx5_" dev, dev, "1", "0x1" dev, ""))
#define WITH(bus, dev, more) CARD("0000:" bus ":00.0", PORT_OF("mlx5_" dev, dev, "1", "0x1" dev, more))
#define FUNCTIONS                                                                                                      \
    CARD("0000:1b:00.0", PORT_OF("mlx5_0", "0", "1", "0xb", ""))                                                       \
    CARD("0000:1b:00.1", PORT_OF("mlx5_1", "1", "2", "0xb", ""))

#define PIX "NCCL_NET_MERGE_LEVEL", "PIX"
#define PHB "NCCL_NET_MERGE_LEVEL", "PHB"
#define SYS "NCCL_NET_MERGE_LEVEL", "SYS"
#define LOC "NCCL_NET_MERGE_LEVEL", "LOC"

static struct orr_dump *dump;
static const struct orr_dump *view;
static struct orr_arena *arena;
static struct orr_error err;

void after_each(void)
{
    orr_dump_free(dump);
    orr_arena_free(arena);
    dump = NULL;
    arena = NULL;
}

/* The dump as a job of the release uses it, with NICs fused; settings: NAME, VALUE pairs that end with NULL. */
static enum orr_code fuse(const struct orr_release *release, const char *text, const char *const *settings)
{
    struct orr_settings values;
    after_each();
    err = (struct orr_error){0};
    dump = read_text(text);
    arena = orr_arena_new(0);
    assert_non_null(arena);
    orr_settings_init(&values, release);
    values.fuse_nics = ORR_FUSE_ALWAYS;
    for (; settings && *settings; settings += 2)
        assert_ok(orr_settings_set(&values, settings[0], settings[1], &err), &err);
    return orr_nics_used(dump, &values, arena, &view, &err);
}

static const char *text_of(uint32_t element, enum orr_attr attr)
{
    const char *text = element == ORR_NO_ELEMENT ? NULL : orr_element_text(view, element, attr);
    return text ? text : "-";
}

/* The element of a kind with this value of an attribute; ORR_NO_ELEMENT if there is none. */
static uint32_t find(enum orr_element_kind kind, enum orr_attr attr, const char *value)
{
    for (uint32_t e = 0; e < view->element_count; e++)
        if (view->elements[e].kind == kind && !strcmp(text_of(e, attr), value))
            return e;
    return ORR_NO_ELEMENT;
}

static uint32_t net(const char *name)
{
    return find(ORR_ELEMENT_NET, ORR_ATTR_NAME, name);
}

/* The parent of the <nic> around a NIC. */
static uint32_t slot_of(const char *name)
{
    const uint32_t element = net(name);
    return element == ORR_NO_ELEMENT ? element : view->elements[view->elements[element].parent].parent;
}

/* "NAME:dev" of all NICs that the job has, in the order of the document. */
static const char *names(void)
{
    static char text[512];
    text[0] = 0;
    for (uint32_t e = 0; e < view->element_count; e++)
        if (view->elements[e].kind == ORR_ELEMENT_NET && strcmp(text_of(e, ORR_ATTR_NET_), "0") != 0)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s:%s", *text ? " " : "",
                     text_of(e, ORR_ATTR_NAME), text_of(e, ORR_ATTR_DEV));
    return text;
}

/* Calls `check` for all releases from `first` to before `end` (NULL means the last one). */
static void in_releases(const char *first, const char *end, void (*check)(const struct orr_release *release))
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count), *from = orr_release_find(first);
    const struct orr_release *to = end ? orr_release_find(end) : releases + count;
    assert_true(from && to && from < to);
    for (const struct orr_release *release = from; release < to; release++)
        check(release);
}

static void expect(const struct orr_release *release, const char *text, const char *const *settings,
                   const char *expected)
{
    assert_ok(fuse(release, text, settings), &err);
    if (strcmp(names(), expected) != 0)
        fail_msg("%s: %s, expected %s", release->name, names(), expected);
}

/* ---- Numbers: up to 2.26.6 each NIC becomes a virtual device, also one that is fused with none. ---- */

static const char *const at_loc[] = {LOC, NULL}, *const at_pix[] = {PIX, NULL}, *const at_phb[] = {PHB, NULL},
                         *const at_sys[] = {SYS, NULL}, *const not_merged[] = {"NCCL_IB_MERGE_NICS", "0", NULL};

static void single_is_renumbered(const struct orr_release *release)
{
    expect(release, ON_SWITCH(SINGLE("1a", "0")), NULL, "mlx5_0:1");
    expect(release, ON_SWITCH(SINGLE("1a", "0") SINGLE("1b", "1")), at_loc, "mlx5_0:2 mlx5_1:3");
    expect(release, ON_SWITCH(SINGLE("1a", "0")), not_merged, "mlx5_0:1");
}

static void single_keeps_its_number(const struct orr_release *release)
{
    expect(release, ON_SWITCH(SINGLE("1a", "0")), NULL, "mlx5_0:0");
    expect(release, ON_SWITCH(SINGLE("1a", "0") SINGLE("1b", "1")), at_loc, "mlx5_0:0 mlx5_1:1");
}

TEST(a_nic_alone_gets_a_new_number)
{
    in_releases("2.7.8", "2.24.3", single_keeps_its_number);
    in_releases("2.24.3", "2.27.3", single_is_renumbered);
    in_releases("2.27.3", NULL, single_keeps_its_number);
}

/* ---- Ports of one <nic>: NCCL does not find the fused one there up to 2.26.6. ---- */

#define TWO_PORTS                                                                                                      \
    ON_SWITCH(CARD("0000:1a:00.0", PORT_OF("mlx5_0", "0", "1", "0xa", "") PORT_OF("mlx5_1", "1", "2", "0xa", "")))

static void ports_stay_apart(const struct orr_release *release)
{
    expect(release, TWO_PORTS, NULL, "mlx5_0:0 mlx5_1:1");
}

static void ports_are_fused(const struct orr_release *release)
{
    expect(release, TWO_PORTS, NULL, "mlx5_0+mlx5_1:2");
    assert_string_equal(text_of(net("mlx5_0+mlx5_1"), ORR_ATTR_SPEED), "200000");
}

TEST(ports_of_one_card)
{
    in_releases("2.24.3", "2.27.3", ports_stay_apart);
    in_releases("2.27.3", NULL, ports_are_fused);
}

/* ---- Widths: of the new <pci>, and of the switch above it. Functions of a card never add up. ---- */

static void check_widths(const struct orr_release *release, const char *slot, const char *uplink)
{
    assert_ok(fuse(release, ON_SWITCH(SINGLE("1a", "0") SINGLE("1b", "1")), at_pix), &err);
    assert_string_equal(text_of(slot_of("mlx5_0+mlx5_1"), ORR_ATTR_LINK_WIDTH), slot);
    assert_string_equal(text_of(find(ORR_ELEMENT_PCI, ORR_ATTR_BUSID, "0000:16:00.0"), ORR_ATTR_LINK_WIDTH), uplink);
    assert_ok(fuse(release, ON_SWITCH(FUNCTIONS), NULL), &err);
    assert_string_equal(text_of(slot_of("mlx5_0+mlx5_1"), ORR_ATTR_LINK_WIDTH), "16");
    assert_string_equal(text_of(find(ORR_ELEMENT_PCI, ORR_ATTR_BUSID, "0000:16:00.0"), ORR_ATTR_LINK_WIDTH), "16");
}

static void width_of_the_first(const struct orr_release *release)
{
    check_widths(release, "16", "16");
}

static void width_of_all(const struct orr_release *release)
{
    check_widths(release, "32", "32");
}

/* Two switches below one: 2.28.3 to 2.30.4 widen all that is between the members and what they share. */
static void check_way(const struct orr_release *release, const char *below, const char *above)
{
    static const char text[] =
        SYSTEM(CPU("0", SWITCH("0000:16:00.0") SWITCH("0000:20:00.0") GPU("0000:21:00.0", "0", "90", "")
                            SINGLE("22", "0") "</pci>" SWITCH("0000:30:00.0") GPU("0000:31:00.0", "1", "90", "")
                                SINGLE("32", "1") "</pci></pci>"));
    static const char *const at_pxb[] = {"NCCL_NET_MERGE_LEVEL", "PXB", NULL};
    assert_ok(fuse(release, text, at_pxb), &err);
    assert_int_not_equal(net("mlx5_0+mlx5_1"), ORR_NO_ELEMENT);
    assert_string_equal(text_of(find(ORR_ELEMENT_PCI, ORR_ATTR_BUSID, "0000:20:00.0"), ORR_ATTR_LINK_WIDTH), below);
    assert_string_equal(text_of(find(ORR_ELEMENT_PCI, ORR_ATTR_BUSID, "0000:30:00.0"), ORR_ATTR_LINK_WIDTH), below);
    assert_string_equal(text_of(find(ORR_ELEMENT_PCI, ORR_ATTR_BUSID, "0000:16:00.0"), ORR_ATTR_LINK_WIDTH), above);
}

static void way_stays(const struct orr_release *release)
{
    check_way(release, "16", "16");
}

static void way_is_widened(const struct orr_release *release)
{
    check_way(release, "32", "32");
}

static void end_is_widened(const struct orr_release *release)
{
    check_way(release, "16", "32");
}

TEST(widths_of_fused_nics)
{
    in_releases("2.24.3", "2.28.3", width_of_the_first);
    in_releases("2.28.3", NULL, width_of_all);
    in_releases("2.24.3", "2.28.3", way_stays);
    in_releases("2.28.3", "2.30.7", way_is_widened);
    in_releases("2.30.7", NULL, end_is_widened);
}

/* ---- NICs of a CPU: a <pci> of its own from 2.28.3 on. ---- */

static void slot_is_the_cpu(const struct orr_release *release)
{
    assert_ok(fuse(release, ON_CPU(SINGLE("1a", "0") SINGLE("1b", "1")), at_phb), &err);
    assert_int_equal(view->elements[slot_of("mlx5_0+mlx5_1")].kind, ORR_ELEMENT_CPU);
    assert_ok(fuse(release, ON_CPU(FUNCTIONS), NULL), &err);
    assert_int_equal(view->elements[slot_of("mlx5_0+mlx5_1")].kind, ORR_ELEMENT_CPU);
}

static void slot_is_a_pci(const struct orr_release *release)
{
    assert_ok(fuse(release, ON_CPU(SINGLE("1a", "0") SINGLE("1b", "1")), at_phb), &err);
    assert_int_equal(view->elements[slot_of("mlx5_0+mlx5_1")].kind, ORR_ELEMENT_PCI);
    assert_string_equal(text_of(slot_of("mlx5_0+mlx5_1"), ORR_ATTR_LINK_WIDTH), "32");
    assert_ok(fuse(release, ON_CPU(FUNCTIONS), NULL), &err);
    assert_string_equal(text_of(slot_of("mlx5_0+mlx5_1"), ORR_ATTR_BUSID), "0000:1b:00.2");
    assert_string_equal(text_of(slot_of("mlx5_0+mlx5_1"), ORR_ATTR_LINK_WIDTH), "16");
}

TEST(nics_of_a_cpu)
{
    in_releases("2.24.3", "2.28.3", slot_is_the_cpu);
    in_releases("2.28.3", NULL, slot_is_a_pci);
}

/* ---- NICs of two CPUs: lost up to 2.30.4, an error from 2.30.7 on. ---- */

#define TWO_CPUS SYSTEM(CPU("0", GPUS SINGLE("1a", "0")) CPU("1", SINGLE("5a", "1")))

static void lost(const struct orr_release *release)
{
    expect(release, TWO_CPUS, at_sys, "");
}

TEST(nics_of_different_cpus)
{
    in_releases("2.24.3", "2.30.7", lost);
    assert_error(fuse(orr_release_find("2.30.7"), TWO_CPUS, at_sys), ORR_SETTING, &err, "NICs of different CPUs");
    assert_ok(fuse(orr_release_find("2.30.7"), TWO_CPUS, at_phb), &err); /* each has a NIC of its own */
    assert_string_equal(names(), "mlx5_0:0 mlx5_1:1");
}

/* ---- Order: each rank fuses beside its own GPU, so that the new NIC comes before the GPUs of later ranks. ---- */

static void before_later_gpus(const struct orr_release *release)
{
    assert_ok(fuse(release, ON_SWITCH(SINGLE("1a", "0") SINGLE("1b", "1")), at_pix), &err);
    const uint32_t fused = net("mlx5_0+mlx5_1");
    assert_true(find(ORR_ELEMENT_GPU, ORR_ATTR_RANK, "0") < fused);
    assert_true(fused < find(ORR_ELEMENT_GPU, ORR_ATTR_RANK, "1"));
}

TEST(order_of_the_document)
{
    in_releases("2.24.3", NULL, before_later_gpus);
    /* Nothing is fused: the document stays as it is. */
    assert_ok(fuse(orr_release_find("2.30.7"), ON_SWITCH(SINGLE("1a", "0") SINGLE("1b", "1")), at_loc), &err);
    assert_true(find(ORR_ELEMENT_GPU, ORR_ATTR_RANK, "1") < net("mlx5_0"));
}

/* ---- Forced groups: members in the order of the devices. ---- */

#define FOUR SINGLE("1a", "0") SINGLE("1b", "1") SINGLE("1c", "2") SINGLE("1d", "3")

static void by_device(const struct orr_release *release)
{
    static const char *const pairs[] = {"NCCL_NET_FORCE_MERGE", "mlx5_2:1,mlx5_3,mlx5_0", LOC, NULL};
    assert_ok(fuse(release, ON_SWITCH(FOUR), pairs), &err);
    const uint32_t fused = net("mlx5_0+mlx5_2+mlx5_3");
    assert_string_equal(text_of(fused, ORR_ATTR_GUID), "0x10"); /* of the lowest device, as its port and bus id are */
    assert_string_equal(text_of(slot_of("mlx5_0+mlx5_2+mlx5_3"), ORR_ATTR_BUSID), "0000:1a:00.1");
}

TEST(forced_groups_are_in_device_order)
{
    in_releases("2.24.3", NULL, by_device);
}

/* ---- At most four members, also in 2.30.7: only external plugins may have eight. ---- */

static void four_at_most(const struct orr_release *release)
{
    assert_ok(fuse(release, ON_SWITCH(FOUR SINGLE("1e", "4")), at_pix), &err);
    assert_int_not_equal(net("mlx5_0+mlx5_1+mlx5_2+mlx5_3"), ORR_NO_ELEMENT);
    assert_int_not_equal(net("mlx5_4"), ORR_NO_ELEMENT);
}

TEST(at_most_four_members)
{
    in_releases("2.24.3", NULL, four_at_most);
}

/* ---- Interfaces of NET/Socket are never fused. ---- */

static void interfaces_stay(const struct orr_release *release)
{
    expect(release,
           ON_SWITCH(CARD("0000:1a:00.0", PORT_OF("eno1", "0", "0", "0x0", "") PORT_OF("eno2", "1", "0", "0x1", ""))),
           NULL, "eno1:0 eno2:1");
}

TEST(interfaces_are_never_fused)
{
    in_releases("2.20.5", NULL, interfaces_stay);
}

/* ---- Attributes of a fused NIC. ---- */

#define RAILS(first, second)                                                                                           \
    ON_SWITCH(WITH("1a", "0", " latency=\"1.3\" gin=\"1\" rma=\"1\" rail=\"3\" plane=\"0\"" first)                     \
                  WITH("1b", "1", " latency=\"0\" rail=\"3\" plane=\"2\"" second))

static void no_second_use(const struct orr_release *release)
{
    assert_ok(fuse(release, RAILS("", ""), at_pix), &err);
    const uint32_t fused = net("mlx5_0+mlx5_1");
    assert_string_equal(text_of(fused, ORR_ATTR_LATENCY), "1"); /* NCCL writes it as a whole number */
    assert_string_equal(text_of(fused, ORR_ATTR_COLL), "-");
    assert_string_equal(text_of(fused, ORR_ATTR_GIN), "-");
    assert_string_equal(text_of(fused, ORR_ATTR_RMA), "-");
    assert_string_equal(text_of(fused, ORR_ATTR_PORT), "1");
    assert_string_equal(text_of(fused, ORR_ATTR_GUID), "0x10");
    assert_string_equal(text_of(fused, ORR_ATTR_MAXCONN), "131072");
    assert_string_equal(text_of(fused, ORR_ATTR_GDR), "1");
}

TEST(attributes_of_a_fused_nic)
{
    in_releases("2.24.3", NULL, no_second_use);
    /* Left from there: the last release. Planes are bits beside 0x4000; a rail needs all members to agree. */
    assert_string_equal(text_of(net("mlx5_0+mlx5_1"), ORR_ATTR_RAIL), "3");
    assert_string_equal(text_of(net("mlx5_0+mlx5_1"), ORR_ATTR_PLANE), "16389");
    assert_string_equal(text_of(net("mlx5_0"), ORR_ATTR_NET_), "0"); /* stays for GIN alone */
    assert_int_equal(net("mlx5_1"), ORR_NO_ELEMENT);
    static const char other_rail[] = ON_SWITCH(WITH("1a", "0", " rail=\"3\"") WITH("1b", "1", " rail=\"4\""));
    assert_ok(fuse(orr_release_find("2.30.7"), other_rail, at_pix), &err);
    assert_true(strcmp(text_of(net("mlx5_0+mlx5_1"), ORR_ATTR_RAIL), "3") != 0);
    assert_true(strcmp(text_of(net("mlx5_0+mlx5_1"), ORR_ATTR_RAIL), "4") != 0);
}

/* ---- NCCL_NET_MERGE_POLICY: any case, and no other word. ---- */

TEST(policy_in_any_case)
{
    static const struct {
        const char *policy, *names;
    } cases[] = {{"RAIL", "mlx5_0:0 mlx5_1:1"},
                 {"rail", "mlx5_0:0 mlx5_1:1"},
                 {"Rail", "mlx5_0:0 mlx5_1:1"},
                 {"ALL", "mlx5_0+mlx5_1:2"},
                 {"all", "mlx5_0+mlx5_1:2"}};
    static const char apart[] = ON_SWITCH(WITH("1a", "0", " rail=\"3\"") WITH("1b", "1", " rail=\"4\""));
    static const char same[] = ON_SWITCH(WITH("1a", "0", " rail=\"3\"") WITH("1b", "1", " rail=\"3\""));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const pairs[] = {PIX, "NCCL_NET_MERGE_POLICY", cases[i].policy, NULL};
        expect(orr_release_find("2.30.7"), apart, pairs, cases[i].names);
        expect(orr_release_find("2.30.7"), same, pairs, "mlx5_0+mlx5_1:2");
    }
}

/* ---- A group that does not match its names and ports exactly. ---- */

static void group_is_exact(const struct orr_release *release)
{
    static const char *const wrong[] = {"NCCL_NET_FORCE_MERGE", "mlx5_0,nope", LOC, NULL}, *const port[] = {
                                                                                               "NCCL_NET_FORCE_MERGE",
                                                                                               "mlx5_0,mlx5_1:2", LOC,
                                                                                               NULL};
    assert_error(fuse(release, ON_SWITCH(FUNCTIONS), wrong), ORR_SETTING, &err, "does not name its NICs exactly");
    assert_ok(fuse(release, ON_SWITCH(FUNCTIONS), port), &err); /* the second function of a card is its port 2 */
}

TEST(groups_name_their_nics_exactly)
{
    in_releases("2.24.3", NULL, group_is_exact);
}
