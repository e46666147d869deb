/* SPDX-License-Identifier: Apache-2.0 */
/* Bus ids, PCI classes and PCIe speeds as NCCL reads them from text: docs/nccl/topology-xml.md,
 * "Words for speeds and classes". */
#ifndef ORR_TOPOLOGY_PCI_H
#define ORR_TOPOLOGY_PCI_H

#include <stdbool.h>
#include <stdint.h>

struct orr_dump;
struct orr_release;

/* The kind of device for a class attribute. Its prefix decides; every other class is PCI. */
enum orr_pci_class { ORR_CLASS_PCI, ORR_CLASS_NVS, ORR_CLASS_CPU, ORR_CLASS_GPU, ORR_CLASS_NIC };

/* "0000:1b:00.0" -> 0x1b000: hexadecimal digits, ':' and '.' skipped, up to the first other character. */
uint64_t orr_bus_id_parse(const char *text);
enum { ORR_BUS_ID_SIZE = 24 };
/* 0x1b000 -> "0000:1b:00.0". Returns buffer. */
char *orr_bus_id_format(uint64_t id, char buffer[ORR_BUS_ID_SIZE]);

enum orr_pci_class orr_pci_class_parse(const char *text);

/* GB/s of a PCIe link: lanes (0 means 16) by the release's speed for the text. */
float orr_pci_bw(const struct orr_release *release, int32_t width, const char *speed);
/* Whether the release knows the text of a speed; otherwise NCCL assumes generation 3. */
bool orr_pci_speed_known(const struct orr_release *release, const char *speed);
/* Vendor, device, subsystem vendor and subsystem device of a <pci>, 16 bits each, as NCCL reads them; 0 if unknown. */
uint64_t orr_pci_identity(const struct orr_dump *dump, uint32_t pci);

#endif
