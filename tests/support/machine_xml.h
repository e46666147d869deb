/* SPDX-License-Identifier: Apache-2.0 */
/* A workstation of our own for tests of the api: two GPUs and a NIC behind one CPU. */
#ifndef ORR_TEST_MACHINE_XML_H
#define ORR_TEST_MACHINE_XML_H

#define ORR_TEST_PCI " link_speed=\"16.0 GT/s PCIe\" link_width=\"16\""
#define ORR_TEST_CPU                                                                                                   \
    "<cpu host_hash=\"0x1\" numaid=\"0\" affinity=\"000000ff\" arch=\"x86_64\" vendor=\"AuthenticAMD\" "               \
    "familyid=\"143\""                                                                                                 \
    " modelid=\"49\">\n"
#define ORR_TEST_GPU(bus, dev, rank)                                                                                   \
    "<pci busid=\"" bus "\" class=\"0x030000\"" ORR_TEST_PCI "><gpu dev=\"" dev "\" sm=\"89\" " rank                   \
    " gdr=\"1\"/></pci>\n"
#define ORR_TEST_NIC                                                                                                   \
    "<pci busid=\"0000:81:00.0\" class=\"0x020000\"" ORR_TEST_PCI                                                      \
    "><nic><net name=\"mlx5_0\" dev=\"0\" speed=\"100000\""                                                            \
    " port=\"1\" latency=\"0.000000\" guid=\"0x1\" maxconn=\"131072\" gdr=\"1\"/></nic></pci>\n"

#define ORR_TEST_WORKSTATION                                                                                           \
    "<system version=\"1\">\n" ORR_TEST_CPU ORR_TEST_GPU("0000:01:00.0", "0", "rank=\"0\"")                            \
        ORR_TEST_GPU("0000:41:00.0", "1", "rank=\"1\"") ORR_TEST_NIC "</cpu>\n</system>\n"
/* The same without ranks, as providers ship it. */
#define ORR_TEST_UNRANKED                                                                                              \
    "<system version=\"1\">\n" ORR_TEST_CPU ORR_TEST_GPU("0000:01:00.0", "0", "") "</cpu>\n</system>\n"

#endif
