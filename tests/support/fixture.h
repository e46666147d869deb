/* A dump given as text, read, built or analysed; what fails fails the test with the engine's own words. */
#ifndef ORR_TEST_FIXTURE_H
#define ORR_TEST_FIXTURE_H

#include <stdlib.h>

#include "engine/analysis/analysis.h"
#include "engine/base/text.h"
#include "tests/support/orr_test.h"

struct fixture {
    struct orr_dump *dump;
    struct orr_analysis *analysis;
};

/* Two GPUs, two switches ... are written with these; one line each, as NCCL writes them. */
#define X86_INTEL   "arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"85\" affinity=\"ffff\""
#define X86_AMD     "arch=\"x86_64\" vendor=\"AuthenticAMD\" familyid=\"143\" modelid=\"49\" affinity=\"ffff\""
#define GEN3X16     "link_speed=\"8.0 GT/s PCIe\" link_width=\"16\""
#define GEN4X16     "link_speed=\"16.0 GT/s PCIe\" link_width=\"16\""
#define SWITCH(bus) "<pci busid=\"" bus "\" class=\"0x060400\" " GEN4X16 ">"
#define GPU(bus, rank, sm, inside)                                                                                     \
    "<pci busid=\"" bus "\" class=\"0x030200\" " GEN4X16 "><gpu dev=\"" rank "\" sm=\"" sm "\" rank=\"" rank           \
    "\" gdr=\"1\">" inside "</gpu></pci>"
#define NIC(bus, dev, speed)                                                                                           \
    "<pci busid=\"" bus "\" class=\"0x020000\" " GEN4X16 "><nic><net name=\"mlx5_" dev "\" dev=\"" dev                 \
    "\" speed=\"" speed "\" port=\"1\" guid=\"0x100" dev "\" maxconn=\"131072\" gdr=\"1\"/></nic></pci>"

static inline struct orr_dump *read_text(const char *text)
{
    struct orr_error err = {0};
    struct orr_dump *dump = NULL;
    assert_ok(orr_dump_read(text, strlen(text), NULL, &dump, &err), &err);
    return dump;
}

/* Analyses text for so many hosts; settings are NAME, VALUE pairs that end with NULL, or NULL for none. */
static inline struct fixture analyse_in(const char *release, const char *text, uint32_t hosts,
                                        const char *const *settings)
{
    struct orr_error err = {0};
    struct fixture f = {.dump = read_text(text)};
    struct orr_query query = {.hosts = hosts};
    orr_settings_init(&query.settings, orr_release_find(release));
    for (; settings && *settings; settings += 2)
        assert_ok(orr_settings_set(&query.settings, settings[0], settings[1], &err), &err);
    assert_ok(orr_analyze(f.dump, &query, NULL, &f.analysis, &err), &err);
    assert_true(orr_system_check(&f.analysis->built, &err));
    return f;
}

static inline struct fixture analyse_text(const char *text, uint32_t hosts, const char *const *settings)
{
    return analyse_in("2.27.7", text, hosts, settings);
}

static inline void release_fixture(struct fixture *f)
{
    orr_analysis_free(f->analysis);
    orr_dump_free(f->dump);
}

/* The path between two nodes of part 0, named as users name them. */
static inline const struct orr_path *path_between(const struct fixture *f, const char *from, const char *to)
{
    const struct orr_part *part = &f->analysis->parts[0];
    uint32_t a = orr_system_find(&part->system, from), b = orr_system_find(&part->system, to);
    assert_true(orr_paths_has(&part->paths, a));
    assert_true(orr_paths_has(&part->paths, b));
    return orr_path(&part->paths, a, b);
}

#define assert_path(f, from, to, kind, gbps)                                                                           \
    do {                                                                                                               \
        const struct orr_path *orr_test_path = path_between((f), (from), (to));                                        \
        assert_string_equal(orr_path_type_name((enum orr_path_type)orr_test_path->type), (kind));                      \
        assert_float_equal(orr_test_path->bw, (gbps), 1e-5);                                                           \
    } while (0)

#endif
