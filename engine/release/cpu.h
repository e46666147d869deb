/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's numbers for CPU architectures, vendors and models. */
#ifndef ORR_RELEASE_CPU_H
#define ORR_RELEASE_CPU_H

enum { ORR_ARCH_X86 = 1, ORR_ARCH_POWER = 2, ORR_ARCH_ARM = 3, ORR_ARCH_MIXED = 4 };
enum { ORR_VENDOR_INTEL = 1, ORR_VENDOR_AMD = 2, ORR_VENDOR_ZHAOXIN = 3, ORR_VENDOR_MIXED = 4 };
enum { ORR_INTEL_BDW = 1, ORR_INTEL_SKL = 2, ORR_INTEL_SRP = 3, ORR_INTEL_ERP = 4, ORR_ZHAOXIN_YONGFENG = 1 };

#endif
