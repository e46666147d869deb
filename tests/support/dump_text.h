/* SPDX-License-Identifier: Apache-2.0 */
/* Dumps given as text: the elements as macros, and the text read. Needs the topology room and what is below it. */
#ifndef ORR_TEST_DUMP_TEXT_H
#define ORR_TEST_DUMP_TEXT_H

#include <stdlib.h>

#include "engine/base/text.h"
#include "engine/dump/dump.h"
#include "tests/support/orr_test.h"

/* Elements of a topology XML, with the attributes that NCCL writes. */
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

/* The dump, which the caller frees. */
static inline struct orr_dump *read_text(const char *text)
{
    struct orr_error err = {0};
    struct orr_dump *dump = NULL;
    assert_ok(orr_dump_read(text, strlen(text), NULL, &dump, &err), &err);
    return dump;
}

#endif
