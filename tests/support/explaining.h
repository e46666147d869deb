/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by tests of explanations: made-up machines and questions about them. */
#ifndef ORR_SUPPORT_EXPLAINING_H
#define ORR_SUPPORT_EXPLAINING_H

#include "engine/explain/explain.h"

#include "engine/base/budget.h"
#include "engine/explain/assumptions.h"
#include "engine/explain/explainer.h"
#include "engine/release/behaviours.h"
#include "tests/support/fixture.h"

#define NV(bus, count)   "<nvlink target=\"" bus "\" count=\"" count "\" tclass=\"0x030200\"/>"
#define NV_SWITCH(count) "<nvlink target=\"0000:05:00.0\" count=\"" count "\" tclass=\"0x068000\"/>"
#define NIC_WITHOUT_GDR(bus, dev)                                                                                      \
    "<pci busid=\"" bus "\" class=\"0x020000\" " GEN4X16 "><nic><net name=\"mlx5_" dev "\" dev=\"" dev                 \
    "\" speed=\"200000\" port=\"1\" guid=\"0x100" dev "\" maxconn=\"131072\" gdr=\"0\"/></nic></pci>"
#define SYSTEM(first, second)                                                                                          \
    "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL ">" first "</cpu><cpu numaid=\"1\" " X86_INTEL ">" second     \
    "</cpu></system>"

/* Two GPUs on two sockets, no NVLink: SYS is beyond the P2P level. */
static const char apart[] = SYSTEM(GPU("0000:01:00.0", "0", "80", ""), GPU("0000:81:00.0", "1", "80", ""));
/* Two switches, each with a GPU and its NIC; NVLink between the GPUs: PXN has a path. */
static const char rails[] = SYSTEM(SWITCH("0000:10:00.0") GPU("0000:11:00.0", "0", "80", NV("0000:81:00.0", "4"))
                                       NIC("0000:12:00.0", "0", "200000") "</pci>",
                                   SWITCH("0000:80:00.0") GPU("0000:81:00.0", "1", "80", NV("0000:11:00.0", "4"))
                                       NIC("0000:82:00.0", "1", "200000") "</pci>");
/* One switch with a GPU and a NIC that has no GPUDirect RDMA. */
static const char no_gdr[] =
    SYSTEM(SWITCH("0000:10:00.0") GPU("0000:11:00.0", "0", "80", "") NIC_WITHOUT_GDR("0000:12:00.0", "0") "</pci>",
           GPU("0000:81:00.0", "1", "80", ""));
/* Four GPUs on an NVSwitch. */
#define SWITCHED(sm)                                                                                                   \
    SYSTEM(GPU("0000:01:00.0", "0", sm, NV_SWITCH("18")) GPU("0000:02:00.0", "1", sm, NV_SWITCH("18")),                \
           GPU("0000:81:00.0", "2", sm, NV_SWITCH("18")) GPU("0000:82:00.0", "3", sm, NV_SWITCH("18")))
static const char hopper[] = SWITCHED("90");
static const char ampere[] = SWITCHED("80");

struct answered {
    struct fixture f;
    struct orr_explanation *x; /* NULL means an error */
    struct orr_error err;
};

static inline struct answered ask_in(const char *release, const char *text, uint32_t hosts, const char *const *settings,
                                     struct orr_why why, uint32_t analyses)
{
    struct answered t = {.f = analyse_in(release, text, hosts, settings)};
    (void)!orr_explain(t.f.analysis, &why, (struct orr_effort){analyses, UINT64_MAX}, &t.x, &t.err);
    return t;
}

static inline void forget(struct answered *t)
{
    orr_explanation_free(t->x);
    release_fixture(&t->f);
}

static inline struct answered ask(const char *text, uint32_t hosts, struct orr_why why)
{
    struct answered t = ask_in("2.30.7", text, hosts, NULL, why, 32);
    assert_non_null(t.x);
    return t;
}

/* The explanation's promise about a setting; then: NULL if it was not tried. */
static inline const struct orr_what_if *what_if(const struct answered *t, const char *name, const char *value)
{
    for (uint32_t i = 0; i < t->x->what_if_count; i++)
        if (!strcmp(t->x->what_ifs[i].name, name) && !strcmp(t->x->what_ifs[i].value, value))
            return &t->x->what_ifs[i];
    return NULL;
}

static inline void assert_changes(const struct answered *t, const char *name, const char *value, const char *then)
{
    const struct orr_what_if *row = what_if(t, name, value);
    assert_non_null(row);
    assert_true(row->changes);
    assert_string_equal(row->then, then);
    assert_true(row->changed > 0);
}

static inline void assert_stays(const struct answered *t, const char *name, const char *value)
{
    const struct orr_what_if *row = what_if(t, name, value);
    assert_non_null(row);
    assert_false(row->changes);
    assert_string_equal(row->then, t->x->verdict);
}

static inline const struct orr_compared *compared(const struct answered *t, const char *name)
{
    for (uint32_t i = 0; i < t->x->compared_count; i++)
        if (!strcmp(t->x->compared[i].name, name))
            return &t->x->compared[i];
    fail_msg("\"%s\" was not compared", name);
    return NULL;
}

#endif
