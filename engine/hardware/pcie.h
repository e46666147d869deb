/* SPDX-License-Identifier: Apache-2.0 */
/* PCIe by its standard: one row for each generation. NCCL's own bandwidths are not here: they are tables of each
 * release. */
#ifndef ORR_HARDWARE_PCIE_H
#define ORR_HARDWARE_PCIE_H

#include <stdint.h>

/* link_speed as NCCL writes it. */
#define ORR_PCIE_GEN1 "2.5 GT/s PCIe"
#define ORR_PCIE_GEN2 "5.0 GT/s PCIe"
#define ORR_PCIE_GEN3 "8.0 GT/s PCIe"
#define ORR_PCIE_GEN4 "16.0 GT/s PCIe"
#define ORR_PCIE_GEN5 "32.0 GT/s PCIe"
#define ORR_PCIE_GEN6 "64.0 GT/s PCIe"
#define ORR_PCIE_GEN7 "128.0 GT/s PCIe"
enum { ORR_PCIE_GENERATIONS = 7 };

/* GT/s of a lane of generation 1..7. */
float orr_pcie_rate(unsigned generation);
/* ORR_PCIE_GEN1 for 1, and so on. */
const char *orr_pcie_speed_text(unsigned generation);
/* GT/s of a link_speed, however a kernel or a release wrote it ("16 GT/s", "16.0 GT/s PCIe"); 0 if unknown. */
float orr_pcie_read_rate(const char *link_speed);
/* 1..7; 0 if no generation has this rate. */
int orr_pcie_generation(float rate);
/* GB/s that a link carries in one direction; 0 if rate or width is not known. */
float orr_pcie_gbs(float rate, int32_t width);

#endif
