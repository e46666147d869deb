/* SPDX-License-Identifier: Apache-2.0 */
/* Two dumps compared: devices by role, whatever they are called and whatever their order. */
#include "engine/base/budget.h"
#include "engine/compare/compare.h"
#include "tests/support/fixture.h"

#define LANE(bus, n)            "<nvlink target=\"0000:" bus ":00.0\" count=\"" n "\" tclass=\"0x030200\"/>"
#define ON(numa, inside)        "<cpu numaid=\"" numa "\" host_hash=\"0x5\" " X86_INTEL ">" inside "</cpu>"
#define SYSTEM(inside)          "<system version=\"1\">" inside "</system>"
#define BLOCK(sw, gpu, nic)     SWITCH("0000:" sw ":00.0") gpu nic "</pci>"
#define GPU_OF(bus, rank, more) GPU("0000:" bus ":00.0", rank, "80", more)
#define NIC_OF(bus, dev)        NIC("0000:" bus ":00.0", dev, "200000")

/* Four GPUs with a NIC each below two CPUs; NVLink joins 0 with 1 and 2 with 3 doubly, 0 with 2 and 1 with 3. */
#define MACHINE(nic0)                                                                                                  \
    SYSTEM(ON("0", BLOCK("10", GPU_OF("11", "0", LANE("21", "4") LANE("31", "2")), nic0)                               \
                       BLOCK("20", GPU_OF("21", "1", LANE("11", "4") LANE("41", "2")), NIC_OF("22", "1")))             \
               ON("1", BLOCK("30", GPU_OF("31", "2", LANE("41", "4") LANE("11", "2")), NIC_OF("32", "2"))              \
                           BLOCK("40", GPU_OF("41", "3", LANE("31", "4") LANE("21", "2")), NIC_OF("42", "3"))))
static const char machine[] = MACHINE(NIC_OF("12", "0"));
/* The same: other bus ids, NICs numbered backwards, CPUs and blocks in another order, ranks as they were. */
#define SHUFFLED(width)                                                                                                \
    SYSTEM(ON("1", BLOCK("a0", NIC_OF("a2", "0"), GPU_OF("a1", "3", LANE("b1", "4") LANE("c1", "2")))                  \
                       BLOCK("b0", GPU_OF("b1", "2", LANE("d1", "2") LANE("a1", "4")), NIC_OF("b2", "1")))             \
               ON("0", BLOCK("c0", NIC_OF("c2", "2"), GPU_OF("c1", "1", LANE("d1", "4") LANE("a1", "2")))              \
                           BLOCK("d0", GPU_OF("d1", "0", LANE("b1", "2") LANE("c1", width)), NIC_OF("d2", "3"))))

struct two {
    struct fixture a, b;
    struct orr_arena *arena;
    struct orr_comparison comparison;
};

static struct two compare(const char *a, const char *b, uint32_t hosts)
{
    struct two t = {.a = analyse_text(a, hosts, NULL), .b = analyse_text(b, hosts, NULL), .arena = orr_arena_new(0)};
    assert_non_null(t.arena);
    return t;
}

static void run(struct two *t)
{
    struct orr_error err = {0};
    assert_ok(orr_compare(t->a.analysis, t->b.analysis, t->arena, &t->comparison, &err), &err);
}

static void release(struct two *t)
{
    release_fixture(&t->a);
    release_fixture(&t->b);
    orr_arena_free(t->arena);
}

static uint32_t hardware(const struct two *t)
{
    return t->comparison.unlikes.count - t->comparison.unlikes.numbering;
}

/* The only row of hardware; values NULL if not compared. */
static void assert_only(const struct two *t, const char *what, const char *a, const char *b, const char *device)
{
    const struct orr_unlike *row = &t->comparison.unlikes.rows[0];
    char name[ORR_DEVICE_NAME_SIZE];
    assert_int_equal(hardware(t), 1);
    assert_string_equal(orr_unlike_name(row), what);
    if (a)
        assert_string_equal(row->value_a, a);
    if (b)
        assert_string_equal(row->value_b, b);
    if (row->a != ORR_NO_DEVICE)
        assert_string_equal(orr_device_text(&t->comparison.devices_a, row->a, name), device);
    else
        assert_string_equal(orr_device_text(&t->comparison.devices_b, row->b, name), device);
}

static const struct orr_change *change_of(const struct two *t, enum orr_fact_kind kind)
{
    for (size_t i = 0; i < t->comparison.changes.count; i++)
        if (t->comparison.changes.changes[i].kind == kind)
            return &t->comparison.changes.changes[i];
    return NULL;
}

TEST(a_dump_is_like_itself)
{
    struct two t = compare(machine, machine, 2);
    run(&t);
    assert_int_equal(t.comparison.match.likeness, ORR_LIKE_RANKS);
    assert_int_equal(t.comparison.unlikes.count, 0);
    assert_int_equal(t.comparison.changes.changed, 0);
    assert_true(t.comparison.changes.facts > 100);
    release(&t);
}

TEST(names_and_order_do_not_count)
{
    struct two t = compare(machine, SHUFFLED("4"), 2);
    run(&t);
    assert_int_equal(t.comparison.match.likeness, ORR_LIKE_RANKS);
    assert_int_equal(hardware(&t), 0);
    assert_true(t.comparison.unlikes.numbering > 0); /* it says that NICs are numbered otherwise */
    /* Paths, P2P and GDR have A's names: none changes but by its route. */
    assert_null(change_of(&t, ORR_FACT_PATH_TYPE));
    assert_null(change_of(&t, ORR_FACT_PATH_BW));
    assert_null(change_of(&t, ORR_FACT_P2P));
    assert_null(change_of(&t, ORR_FACT_GDR_RECV));
    assert_null(change_of(&t, ORR_FACT_DEVICE));
    assert_null(change_of(&t, ORR_FACT_LINK));
    release(&t);
}

TEST(a_weaker_nvlink_is_told_alone)
{
    struct two t = compare(machine, SHUFFLED("1"), 1);
    run(&t);
    assert_int_equal(t.comparison.match.likeness, ORR_LIKE_SHAPE);
    assert_only(&t, "nvlinks", "4", "1", "GPU 0 at 0000:11:00.0");
    char name[ORR_DEVICE_NAME_SIZE];
    const struct orr_unlike *row = &t.comparison.unlikes.rows[0];
    assert_string_equal(orr_device_text(&t.comparison.devices_b, row->b, name), "GPU 0 at 0000:d1:00.0");
    assert_string_equal(orr_device_text(&t.comparison.devices_b, row->peer_b, name), "GPU 1 at 0000:c1:00.0");
    const struct orr_change *link = change_of(&t, ORR_FACT_LINK);
    assert_non_null(link); /* and what follows from it */
    assert_true(orr_fact_float(link->a) > orr_fact_float(link->b));
    assert_int_equal(link->count, 1);
    release(&t);
}

TEST(a_missing_nic_is_told_with_its_ports)
{
    struct two t = compare(machine, MACHINE(""), 2);
    run(&t);
    assert_int_equal(t.comparison.match.likeness, ORR_LIKE_PARTS);
    assert_only(&t, "missing", "", "", "NIC mlx5_0");
    assert_int_equal(t.comparison.unlikes.rows[0].nets, 1);
    release(&t);
    t = compare(MACHINE(""), machine, 2);
    run(&t);
    assert_only(&t, "added", "", "", "NIC mlx5_0");
    release(&t);
}

TEST(a_nic_in_another_place_has_moved)
{
#define NIC_AT(first, second)                                                                                          \
    SYSTEM(ON("0", BLOCK("10", GPU_OF("11", "0", "") GPU_OF("13", "1", ""), first)                                     \
                       BLOCK("20", GPU_OF("21", "2", ""), second)))
    const char *there = NIC_AT(NIC_OF("12", "0"), ""), *elsewhere = NIC_AT("", NIC_OF("22", "0"));
    struct two t = compare(there, elsewhere, 1);
    run(&t);
    assert_only(&t, "moved", NULL, NULL, "NIC mlx5_0");
    release(&t);
}

/* NVSwitches, so that the GPUs differ in nothing but the figure. */
#define ROW(w, sp)                                                                                                     \
    SYSTEM(ON("0", SWITCH("0000:10:00.0") "<pci busid=\"0000:11:00.0\" class=\"0x030200\" link_width=\"" w             \
                                          "\" link_speed=\"" sp                                                        \
                                          "\"><gpu dev=\"0\" sm=\"80\" rank=\"0\" gdr=\"1\"/></pci></pci>" BLOCK(      \
                                              "20", GPU_OF("21", "1", ""), NIC_OF("22", "0"))))

TEST(figures_are_told_one_by_one)
{
    const char *good = ROW("16", "16.0 GT/s PCIe");
    struct two t = compare(good, ROW("8", "16.0 GT/s PCIe"), 1);
    run(&t);
    assert_only(&t, "link_width", "16", "8", "GPU 0 at 0000:11:00.0");
    release(&t);
    t = compare(good, ROW("16", "16 GT/s"), 1); /* as older kernels write it */
    run(&t);
    assert_int_equal(hardware(&t), 0);
    release(&t);
    t = compare(good, ROW("16", "8.0 GT/s PCIe"), 1);
    run(&t);
    assert_only(&t, "link_speed", "16 GT/s", "8 GT/s", "GPU 0 at 0000:11:00.0");
    release(&t);
}

TEST(other_ranks_in_the_same_places_are_numbering)
{
    const char *a = SYSTEM(ON("0", BLOCK("10", GPU_OF("11", "0", ""), NIC_OF("12", "0")))
                               ON("1", BLOCK("20", GPU_OF("21", "1", ""), "")));
    const char *b = SYSTEM(ON("0", BLOCK("10", GPU_OF("11", "1", ""), NIC_OF("12", "0")))
                               ON("1", BLOCK("20", GPU_OF("21", "0", ""), "")));
    struct two t = compare(a, b, 1);
    run(&t);
    assert_int_equal(t.comparison.match.likeness, ORR_LIKE_HARDWARE);
    assert_int_equal(hardware(&t), 0);
    assert_true(t.comparison.unlikes.numbering >= 2);
    assert_null(change_of(&t, ORR_FACT_PATH_TYPE)); /* ranks too go by A's names */
    assert_null(change_of(&t, ORR_FACT_GDR_RECV));
    release(&t);
}

/* A job that was given ranks 8..9 of a larger one. */
TEST(only_the_order_of_ranks_counts)
{
    struct two t = compare(SYSTEM(ON("0", GPU_OF("11", "0", "") GPU_OF("21", "1", ""))),
                           SYSTEM(ON("0", GPU_OF("21", "9", "") GPU_OF("11", "8", ""))), 1);
    run(&t);
    assert_int_equal(t.comparison.match.likeness, ORR_LIKE_RANKS);
    assert_int_equal(hardware(&t), 0);
    release(&t);
}

/* A flat heap of equal devices: bounded work, a match all the same. */
TEST(a_heap_of_equals_is_bounded)
{
    enum { CARDS = 3000 };
    ORR_LOCAL_TEXT(text, 4 << 20);
    orr_text_puts(&text, "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL ">");
    for (int i = 0; i < CARDS; i++)
        orr_text_printf(&text,
                        "<pci busid=\"0000:%02x:%02x.%x\" class=\"0x060400\" link_width=\"16\" link_speed=\"\"/>",
                        i >> 8, i >> 3 & 31, i & 7);
    orr_text_puts(&text, "</cpu></system>");
    assert_false(orr_text_failed(&text));
    struct orr_error err = {0};
    ORR_OWNED(orr_dump) *dump = read_text(text.data);
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_devices a, b;
    struct orr_match match;
    assert_ok(orr_devices_read(dump, arena, &a, &err), &err);
    assert_ok(orr_devices_read(dump, arena, &b, &err), &err);
    assert_ok(orr_match_find(&a, &b, arena, &match, &err), &err);
    for (uint32_t i = 0; i < a.count; i++)
        assert_int_equal(match.to_b[i], i);
}

TEST(who_ends_it_hears_what_was_done)
{
    struct orr_error err = {0};
    struct two t = compare(machine, SHUFFLED("2"), 1);
    struct orr_budget budget = {.memory = 1};
    orr_budget_begin(&budget);
    ORR_LOCAL_ARENA(arena, 0);
    enum orr_code code = orr_compare(t.a.analysis, t.b.analysis, arena, &t.comparison, &err);
    orr_budget_end();
    assert_error(orr_budget_verdict(&budget, code, &err), ORR_SPENT, &err,
                 "at the stage \"comparison of two machines\"");
    release(&t);
}
