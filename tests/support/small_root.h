/* SPDX-License-Identifier: Apache-2.0 */
/* A copied /sys in a folder of its own under /tmp: a GPU and a NIC behind one bridge. */
#ifndef ORR_SMALL_ROOT_H
#define ORR_SMALL_ROOT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static inline void small_make(const char *root, const char *path, const char *text, int is_link)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(whole, 0755);
        *slash = '/';
    }
    if (is_link) {
        if (symlink(text, whole))
            abort();
        return;
    }
    FILE *file = fopen(whole, "w");
    if (!file || fputs(text, file) < 0 || fclose(file))
        abort();
}

/* root: a template for mkdtemp(), such as "/tmp/orr-root-XXXXXX". */
static inline void small_root(char *root)
{
    static const struct {
        const char *path, *text;
        int is_link;
    } parts[] = {
#define BRIDGE "/sys/devices/pci0000:00/0000:00:01.0"
#define GPU    BRIDGE "/0000:01:00.0"
#define NIC    BRIDGE "/0000:01:01.0"
        {BRIDGE "/class", "0x060400\n", 0},
        {BRIDGE "/max_link_speed", "16.0 GT/s PCIe\n", 0},
        {BRIDGE "/max_link_width", "16\n", 0},
        {GPU "/class", "0x030200\n", 0},
        {GPU "/vendor", "0x10de\n", 0},
        {GPU "/device", "0x2330\n", 0},
        {GPU "/numa_node", "0\n", 0},
        {GPU "/max_link_speed", "32.0 GT/s PCIe\n", 0},
        {GPU "/max_link_width", "16\n", 0},
        {NIC "/class", "0x020700\n", 0},
        {NIC "/numa_node", "0\n", 0},
        {NIC "/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n", 0},
        {NIC "/infiniband/mlx5_0/ports/1/link_layer", "InfiniBand\n", 0},
        {NIC "/infiniband/mlx5_0/ports/1/rate", "400 Gb/sec (4X NDR)\n", 0},
        {NIC "/infiniband/mlx5_0/sys_image_guid", "58a2:e103:00a7:7c5e\n", 0},
        {NIC "/infiniband/mlx5_0/device", "../..", 1},
        {NIC "/subsystem", "../../../../bus/pci", 1},
        {BRIDGE "/pci_bus/0000:01/x", "", 0},
        {"/sys/class/pci_bus/0000:01", "../../devices/pci0000:00/0000:00:01.0/pci_bus/0000:01", 1},
        {"/sys/class/infiniband/mlx5_0", "../../devices/pci0000:00/0000:00:01.0/0000:01:01.0/infiniband/mlx5_0", 1},
        {"/sys/bus/pci/devices/0000:01:00.0", "../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0", 1},
        {"/sys/devices/system/node/node0/cpumap", "ff\n", 0},
        {"/orrery/facts",
         "nvml 570.1\narch x86_64\ncpu 6 143 GenuineIntel\nhost 0x1 0x2\ngpu 0000:01:00.0\n  name NVIDIA H100\n"
         "  capability 9.0\n  nvlink 0 up 0000:05:00.0\n  nvlink 1 up -\n  nvlink 2 down\n  c2c 2 25000\n  gdr 1 0\n"
         "  fabric 000102030405060708090a0b0c0d0e0f 7 3\ninterface eth0 inet running\nverb mlx5_0\n",
         0},
#undef BRIDGE
#undef GPU
#undef NIC
    };
    if (!mkdtemp(root))
        abort();
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        small_make(root, parts[i].path, parts[i].text, parts[i].is_link);
}

static inline void small_root_remove(const char *root)
{
    char command[600];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    if (system(command))
        abort();
}

#endif
