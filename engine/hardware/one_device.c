/* SPDX-License-Identifier: Apache-2.0 */
/* Classifies a single GPU or NIC by its attributes or its name. */
#include <string.h>

#include "engine/hardware/hardware.h"

int32_t orr_gpu_nvlinks(const struct orr_dump *dump, uint32_t gpu)
{
    int64_t sum = 0;
    for (uint32_t i = dump->elements[gpu].first_child; i != ORR_NO_ELEMENT; i = dump->elements[i].next_sibling)
        if (dump->elements[i].kind == ORR_ELEMENT_NVLINK)
            sum += orr_element_int(dump, i, ORR_ATTR_COUNT_, 0);
    return sum > 0 && sum < INT32_MAX ? (int32_t)sum : 0;
}

double orr_gpu_c2c(const struct orr_dump *dump, uint32_t gpu)
{
    double gbs = 0;
    for (uint32_t i = dump->elements[gpu].first_child; i != ORR_NO_ELEMENT; i = dump->elements[i].next_sibling)
        if (dump->elements[i].kind == ORR_ELEMENT_C2C)
            gbs +=
                (double)orr_element_int(dump, i, ORR_ATTR_COUNT_, 0) * orr_element_int(dump, i, ORR_ATTR_BW, 0) / 1000;
    return gbs > 0 ? gbs : 0;
}

bool orr_gpu_is_integrated(int32_t sm)
{
    /* Jetson TX2, Xavier, Orin and Thor (two names); GB10 */
    static const int32_t integrated[] = {62, 72, 87, 101, 110, 121};
    for (size_t i = 0; i < sizeof integrated / sizeof integrated[0]; i++)
        if (integrated[i] == sm)
            return true;
    return false;
}

bool orr_name_is_rdma(const char *name)
{
    static const char *const starts[] = {"mlx",  "roce", "ibp",   "rdma", "efa", "bnxt_re", "irdma",
                                         "qedr", "hfi",  "erdma", "mana", "cxi", "mthca",   "hns_"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (!strncmp(name, starts[i], strlen(starts[i])))
            return true;
    return false;
}

bool orr_name_is_inside(const char *name)
{
    static const char *const starts[] = {"docker", "veth",   "virbr", "cali",   "br-",  "flannel",
                                         "cni",    "podman", "lxc",   "cilium", "vnet", "kube-"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (!strncmp(name, starts[i], strlen(starts[i])))
            return true;
    return !strcmp(name, "lo");
}

bool orr_name_is_virtual(const char *name)
{
    static const char *const tunnels[] = {"tailscale", "tun", "tap", "wg", "vxlan"};
    for (size_t i = 0; i < sizeof tunnels / sizeof tunnels[0]; i++)
        if (!strncmp(name, tunnels[i], strlen(tunnels[i])))
            return true;
    return orr_name_is_inside(name);
}
