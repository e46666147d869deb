/* SPDX-License-Identifier: Apache-2.0 */
/* Several dumps against what most are like, and the findings L90 and L91 about such a set. */
#include "engine/compare/majority.h"
#include "tests/support/fixture.h"

#define HOST(width, nic0, nic1)                                                                                        \
    "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL ">" SWITCH("0000:10:00.0") GPU("0000:11:00.0", "0", "80", "") \
        nic0 "</pci>" SWITCH("0000:20:00.0") "<pci busid=\"0000:21:00.0\" class=\"0x030200\" link_speed=\"16.0 GT/s "  \
                                             "PCIe\" link_width=\"" width                                              \
                                             "\"><gpu dev=\"1\" sm=\"90\" rank=\"1\" gdr=\"1\"/></pci>" nic1           \
                                             "</pci></cpu></system>"
#define FIRST(dev)  NIC("0000:12:00.0", dev, "200000")
#define SECOND(dev) NIC("0000:22:00.0", dev, "200000")
static const char good[] = HOST("16", FIRST("0"), SECOND("1"));
/* Longer by a blank: another content, the same machine. */
static const char good_too[] = HOST("16", FIRST("0"), SECOND("1")) " ";
static const char narrow[] = HOST("4", FIRST("0"), SECOND("1"));
static const char one_nic[] = HOST("16", "", SECOND("1"));
static const char renumbered[] = HOST("16", FIRST("1"), SECOND("0"));

struct trial {
    struct orr_arena *arena;
    struct orr_specimen specimens[8];
    uint32_t count;
    struct orr_majority majority;
    struct orr_set_finding findings[ORR_SET_FINDINGS];
    uint32_t found;
};

/* Texts end with NULL; hosts: how many have each. */
static struct trial run(const char *const *texts, const uint32_t *hosts)
{
    struct orr_error err = {0};
    struct trial t = {.arena = orr_arena_new(0)};
    assert_non_null(t.arena);
    for (; texts[t.count]; t.count++)
        t.specimens[t.count] = (struct orr_specimen){read_text(texts[t.count]), hosts ? hosts[t.count] : 1};
    assert_ok(orr_majority_find(t.specimens, t.count, t.arena, &t.majority, &err), &err);
    assert_ok(orr_majority_findings(&t.majority, t.arena, t.findings, &t.found, &err), &err);
    return t;
}

static void release(struct trial *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        orr_dump_free((struct orr_dump *)(uintptr_t)t->specimens[i].dump);
    orr_arena_free(t->arena);
}

TEST(equal_hosts_deviate_in_nothing)
{
    struct trial t = run((const char *const[]){good, good_too, good, NULL}, NULL);
    assert_int_equal(t.majority.count, 0);
    assert_int_equal(t.majority.shapes, 1);
    assert_int_equal(t.found, 0);
    release(&t);
}

TEST(the_odd_one_is_named)
{
    struct trial t = run((const char *const[]){narrow, good, good_too, good, NULL}, NULL);
    assert_int_equal(t.majority.reference, 1);
    assert_int_equal(t.majority.count, 1);
    const struct orr_deviation *row = &t.majority.rows[0];
    assert_string_equal(orr_unlike_name(&row->unlike), "link_width");
    assert_true(row->decided);
    assert_true(orr_deviation_is_odd(&t.majority, row));
    assert_string_equal(row->majority, "16");
    assert_int_equal(row->majority_hosts, 3);
    assert_int_equal(row->deviant_count, 1);
    assert_int_equal(row->deviants[0], 0);
    assert_string_equal(row->values[0], "4");
    assert_int_equal(t.majority.deviates[0][0], 1);
    assert_int_equal(t.majority.deviates[1][0], 0);
    assert_int_equal(t.found, 1);
    assert_string_equal(t.findings[0].row.catalogue, "L90");
    assert_int_equal(t.findings[0].specimens[0], 0);
    assert_non_null(strstr(t.findings[0].detail, "1 of 4 distinct dumps: "));
    assert_non_null(strstr(t.findings[0].detail, ": PCIe lanes 4, most have 16"));
    release(&t);
    t = run((const char *const[]){good, one_nic, good_too, good, NULL}, NULL);
    assert_non_null(strstr(t.findings[0].detail, "mlx5_0 is missing"));
    release(&t);
}

/* The content of the first is that of five hosts: it is the majority, though others come oftener. */
TEST(hosts_are_counted_not_contents)
{
    struct trial t = run((const char *const[]){narrow, good, good_too, NULL}, (const uint32_t[]){5, 1, 1});
    assert_int_equal(t.majority.reference, 0);
    assert_string_equal(t.majority.rows[0].majority, "4");
    assert_int_equal(t.majority.rows[0].deviant_count, 2);
    assert_int_equal(t.majority.rows[0].deviant_hosts, 2);
    assert_false(orr_deviation_is_odd(&t.majority, &t.majority.rows[0])); /* 2 of 7 are more than a quarter */
    release(&t);
}

TEST(no_majority_is_said)
{
    struct trial t = run((const char *const[]){good, narrow, good_too, narrow, NULL}, NULL);
    assert_int_equal(t.majority.count, 1);
    assert_false(t.majority.rows[0].decided);
    assert_int_equal(t.found, 0); /* near miss: half is not a majority */
    release(&t);
}

TEST(every_host_with_a_fault_of_its_own)
{
    struct trial t = run((const char *const[]){narrow, one_nic, good, NULL}, NULL);
    assert_int_equal(t.majority.shapes, 3);
    assert_int_equal(t.majority.count, 2); /* each respect is decided by itself, whichever dump is held as reference */
    for (uint32_t i = 0; i < 2; i++) {
        const struct orr_deviation *row = &t.majority.rows[i];
        assert_true(row->decided);
        assert_int_equal(row->deviant_count, 1);
        assert_int_equal(row->deviants[0], strcmp(orr_unlike_name(&row->unlike), "link_width") ? 1 : 0);
    }
    assert_int_equal(t.majority.deviates[2][0], 0);
    release(&t);
}

TEST(nics_numbered_otherwise)
{
    struct trial t = run((const char *const[]){good, good_too, renumbered, NULL}, NULL);
    assert_int_equal(t.majority.shapes, 1);
    assert_true(t.majority.count > 0);
    for (uint32_t i = 0; i < t.majority.count; i++)
        assert_true(t.majority.rows[i].numbering);
    assert_int_equal(t.found, 1);
    assert_string_equal(t.findings[0].row.catalogue, "L91");
    assert_int_equal(t.findings[0].specimens[0], 2);
    assert_int_equal(t.majority.deviates[2][0], 0);
    release(&t);
    /* Near miss: bus ids alone. */
    t = run((const char *const[]){good, good_too, HOST("16", NIC("0000:13:00.0", "0", "200000"), SECOND("1")), NULL},
            NULL);
    assert_int_equal(t.majority.count, 0);
    release(&t);
}

/* One id, one meaning: sentences about a set of dumps have other ids than those about one analysis. */
TEST(ids_of_findings_are_unique)
{
    for (size_t i = 0; orr_finding_row(i); i++) {
        for (size_t k = 0; orr_set_finding_row(k); k++)
            assert_string_not_equal(orr_finding_row(i)->id, orr_set_finding_row(k)->id);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(orr_finding_row(i)->id, orr_finding_row(k)->id);
    }
}
