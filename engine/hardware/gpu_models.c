/* SPDX-License-Identifier: Apache-2.0 */
/* GPU models. To add one, add a row; see gpu_models.h for the columns.
 *
 * PCI device ids and the names that belong to them are those of the PCI ID repository (pci.ids, version 2026.05.24).
 * Compute capabilities are those of NVIDIA's list of CUDA GPUs (developer.nvidia.com/cuda-gpus). Memory is what the
 * name in pci.ids or NVIDIA's data sheet of the product says. `source` says where the rest of a row is from. A fact
 * without a source is unknown, even if it is likely. P2P between modules on a board is an exception: published NCCL
 * logs show it for A100, H100 and H200; rows of other modules infer it, and say so. */
#include "engine/hardware/gpu_models.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define DATA_SHEET "NVIDIA's data sheet"
#define PCI_IDS    "pci.ids"

/* NVLink, form, P2P and source of many rows: generation of NVLink, NVLinks of a GPU. */
#define P2P_OF_FAMILY "; P2P inferred from published logs of NCCL for A100, H100 and H200 boards"
#define ORR_ON_BOARD(generation, links)                                                                                \
    generation, links, ORR_GPU_SXM, ORR_YES, "NVIDIA's data sheet of the board" P2P_OF_FAMILY
#define ORR_WITH_CPU(generation, links) generation, links, ORR_GPU_SUPERCHIP, ORR_YES, DATA_SHEET P2P_OF_FAMILY
#define ORR_PAIR_WITH_CPU(generation, links)                                                                           \
    generation, links, ORR_GPU_SUPERCHIP_PAIR, ORR_YES, DATA_SHEET P2P_OF_FAMILY
#define ORR_CARD(generation, links)        generation, links, ORR_GPU_PCIE, ORR_UNKNOWN, DATA_SHEET
#define ORR_LISTED_CARD(generation, links) generation, links, ORR_GPU_PCIE, ORR_UNKNOWN, PCI_IDS
#define ORR_GEFORCE_50                     0, 0, ORR_GPU_PCIE, ORR_NO, "noonghunna/club-3090#1130: topo -p2p says GNS"
#define ORR_GEFORCE_40                     0, 0, ORR_GPU_PCIE, ORR_NO, "NVIDIA/nccl-tests#287: no P2P on GeForce"
#define ORR_GEFORCE_30(generation, links)                                                                              \
    generation, links, ORR_GPU_PCIE, ORR_UNKNOWN, DATA_SHEET "; on P2P reports differ (NVIDIA/nccl#1127)"
#define ORR_GEFORCE_20(generation, links)                                                                              \
    generation, links, ORR_GPU_PCIE, ORR_NO, DATA_SHEET "; NVIDIA/nccl-tests#117: RTX 2080 Ti without P2P"

/* clang-format off */
static const struct orr_gpu_model models[] = {
    /* Blackwell Ultra and Blackwell, data centre */
    {"B300 SXM6|B300", 103, ORR_ON_BOARD(5, 18), {{0x3182, 288}}},
    {"GB300", 103, ORR_PAIR_WITH_CPU(5, 18), {{0x31c2, 288}, {0x31c3, 288}, {0x31a1, 0}}},
    {"B200 SXM6|B200", 100, ORR_ON_BOARD(5, 18), {{0x2901, 180}, {0x2909, 168}}},
    {"GB200", 100, ORR_PAIR_WITH_CPU(5, 18), {{0x2941, 186}}},
    {"B100", 100, ORR_ON_BOARD(5, 18), {{0x29bc, 0}, {0x2920, 0}}},
    {"GB10", 121, 0, 0, ORR_GPU_SUPERCHIP, ORR_UNKNOWN, DATA_SHEET, {{0x2e12, 128}}},
    /* Hopper */
    {"H100 SXM5|H100 80GB HBM3|H100", 90, ORR_ON_BOARD(4, 18), {{0x2330, 80}}},
    {"H100 PCIe|H100 CNX", 90, ORR_CARD(4, 12), {{0x2331, 80}, {0x2313, 80}}},
    {"H100 NVL", 90, ORR_CARD(4, 12), {{0x2321, 94}}},
    {"H100 SXM5 of other sizes", 90, ORR_ON_BOARD(4, 18),
     {{0x2336, 0}, {0x2337, 64}, {0x2338, 96}, {0x2339, 94}, {0x233d, 96}}},
    {"H200 SXM5|H200", 90, ORR_ON_BOARD(4, 18), {{0x2335, 141}}},
    {"H200 NVL", 90, ORR_CARD(4, 18), {{0x233b, 141}}},
    {"H800 SXM5|H800", 90, ORR_ON_BOARD(4, 8), {{0x2324, 80}}},
    {"H800 PCIe", 90, ORR_CARD(4, 8), {{0x2322, 80}}},
    {"H800 NVL|H800L", 90, ORR_LISTED_CARD(4, -1), {{0x233a, 94}}},
    {"H20 SXM5|H20", 90, ORR_ON_BOARD(4, 18), {{0x2329, 96}}},
    {"H20 HBM3e", 90, ORR_ON_BOARD(4, 18), {{0x232c, 141}}},
    {"H20B|H20 NVL16", 90, 4, -1, ORR_GPU_SXM, ORR_YES, PCI_IDS P2P_OF_FAMILY, {{0x2328, 0}, {0x230c, 0}, {0x230e, 0}}},
    {"GH200", 90, ORR_WITH_CPU(4, 18), {{0x2342, 96}}},
    {"GH200 144G", 90, ORR_WITH_CPU(4, 18), {{0x2348, 144}}},
    {"GH100", 90, 4, -1, ORR_GPU_FORM_UNKNOWN, ORR_UNKNOWN, PCI_IDS,
     {{0x2302, 0}, {0x2343, 0}, {0x2345, 0}, {0x237e, 0}}},
    /* Ampere, data centre */
    {"A100 SXM4|A100", 80, ORR_ON_BOARD(3, 12), {{0x20b0, 40}, {0x20b2, 80}}},
    {"A100 SXM 64GB", 80, ORR_ON_BOARD(3, 12), {{0x20b3, 64}}},
    {"A100 PCIe|A100 80GB PCIe|A100 40GB PCIe|A100X", 80, 3, 12, ORR_GPU_PCIE, ORR_YES,
     DATA_SHEET "; published logs of NCCL show P2P (NVIDIA/nccl#841)",
     {{0x20f1, 40}, {0x20b5, 80}, {0x20b1, 40}, {0x20b8, 80}}},
    {"A800 SXM4|A800", 80, ORR_ON_BOARD(3, 8), {{0x20f3, 80}, {0x20bd, 40}}},
    {"A800 PCIe|A800 80GB PCIe|A800 40GB PCIe|A800 40GB Active", 80, ORR_CARD(3, 8), {{0x20f5, 80}, {0x20f6, 40}}},
    {"A30|A30X", 80, ORR_CARD(3, 4), {{0x20b7, 24}, {0x20b9, 24}}},
    {"GA100|PG506|CMP 170HX", 80, -1, -1, ORR_GPU_FORM_UNKNOWN, ORR_UNKNOWN, PCI_IDS,
     {{0x20b4, 0}, {0x20b6, 0}, {0x20f0, 0}, {0x20f2, 0}, {0x2082, 0}, {0x20c2, 0}}},
    {"A40", 86, 3, 4, ORR_GPU_PCIE, ORR_YES, DATA_SHEET "; NVIDIA/nccl-tests#74 measures P2P over PCIe",
     {{0x2235, 48}}},
    {"A10|A10M", 86, ORR_CARD(0, 0), {{0x2236, 24}, {0x2238, 0}}},
    {"A10G", 86, ORR_CARD(0, 0), {{0x2237, 24}}},
    {"A16|A2", 86, ORR_CARD(0, 0), {{0x25b6, 16}}},
    /* Ada, data centre */
    {"L40", 89, ORR_CARD(0, 0), {{0x26b5, 48}, {0x26f5, 48}}},
    {"L40S", 89, ORR_CARD(0, 0), {{0x26b9, 48}}},
    {"L40G", 89, ORR_CARD(0, 0), {{0x26b8, 24}}},
    {"L20", 89, 0, 0, ORR_GPU_PCIE, ORR_YES, DATA_SHEET "; NVIDIA/nccl#1817: NCCL uses P2P over PCIe", {{0x26ba, 48}}},
    {"L30|L16|L2", 89, ORR_CARD(0, 0), {{0x26bb, 0}, {0x26b7, 48}, {0x27b7, 0}, {0x27b6, 24}}},
    {"L4", 89, ORR_CARD(0, 0), {{0x27b8, 24}}},
    /* Turing, Volta, Pascal and older, data centre */
    {"T4|T4G", 75, ORR_CARD(0, 0), {{0x1eb8, 16}, {0x1eb4, 16}}},
    {"T40|T10", 75, ORR_LISTED_CARD(-1, -1), {{0x1e38, 24}, {0x1e37, 16}, {0x1e35, 16}}},
    {"V100 SXM2|V100", 70, ORR_ON_BOARD(2, 6), {{0x1db1, 16}, {0x1db5, 32}, {0x1df5, 16}}},
    {"V100 SXM3", 70, ORR_ON_BOARD(2, 6), {{0x1db8, 32}}},
    {"V100 PCIe|V100S PCIe|V100 FHHL", 70, 0, 0, ORR_GPU_PCIE, ORR_YES,
     DATA_SHEET "; NVIDIA/nccl#199: p2pBandwidthLatencyTest reaches every peer",
     {{0x1db4, 16}, {0x1db6, 32}, {0x1df6, 32}, {0x1db3, 16}}},
    {"V100 DGXS", 70, ORR_LISTED_CARD(2, -1), {{0x1db2, 16}, {0x1db7, 32}}},
    {"P100 SXM2", 60, ORR_ON_BOARD(1, 4), {{0x15f9, 16}}},
    {"P100 PCIe|P100", 60, ORR_CARD(0, 0), {{0x15f7, 12}, {0x15f8, 16}}},
    {"P40", 61, ORR_CARD(0, 0), {{0x1b38, 24}}},
    {"P4|P6", 61, ORR_CARD(0, 0), {{0x1bb3, 8}, {0x1bb4, 16}}},
    {"M60|M40|M6|M4", 52, ORR_CARD(0, 0), {{0x13f2, 8}, {0x17fd, 0}, {0x13f3, 8}, {0x1431, 4}}},
    {"M10", 50, ORR_CARD(0, 0), {{0x13bd, 8}}},
    {"K80", 37, ORR_CARD(0, 0), {{0x102d, 12}}},
    /* Blackwell, workstations */
    {"RTX PRO 6000|RTX PRO 6000D", 120, 0, 0, ORR_GPU_PCIE, ORR_YES,
     DATA_SHEET "; local-inference-lab/rtx6kpro#15: topo -p2p says OK",
     {{0x2bb5, 96}, {0x2bb1, 96}, {0x2bb4, 96}, {0x2bb2, 0}, {0x2bbc, 0}}},
    {"RTX 6000D", 120, ORR_LISTED_CARD(0, 0), {{0x2bb9, 0}}},
    {"RTX PRO 5000", 120, ORR_CARD(0, 0), {{0x2bb3, 0}}},
    {"RTX PRO 4500", 120, ORR_CARD(0, 0), {{0x2c31, 32}, {0x2c3a, 32}}},
    {"RTX PRO 4000", 120, ORR_CARD(0, 0), {{0x2c34, 24}, {0x2c33, 24}}},
    {"RTX PRO 2000|RTX PRO 3000|RTX PRO 1000|RTX PRO 500", 120, ORR_LISTED_CARD(0, 0), {{0x2d30, 16}}},
    /* Ada, workstations */
    {"RTX 6000 Ada|A6000 Ada|6000 Ada", 89, ORR_CARD(0, 0), {{0x26b1, 48}}},
    {"RTX 5880 Ada|5880 Ada", 89, 0, 0, ORR_GPU_PCIE, ORR_YES, DATA_SHEET "; NVIDIA/nccl#2079: NCCL uses P2P over PCIe",
     {{0x26b3, 48}}},
    {"RTX 5000 Ada|5000 Ada", 89, ORR_CARD(0, 0), {{0x26b2, 32}, {0x2730, 16}, {0x2770, 0}}},
    {"RTX 4500 Ada|4500 Ada", 89, ORR_CARD(0, 0), {{0x27b1, 24}}},
    {"RTX 4000 Ada|RTX 4000 SFF Ada|4000 Ada", 89, ORR_CARD(0, 0),
     {{0x27b2, 20}, {0x27b0, 20}, {0x27ba, 12}, {0x27fa, 0}}},
    {"RTX 2000 Ada|RTX 2000E Ada|RTX 3500 Ada|RTX 3000 Ada|RTX 1000 Ada|RTX 500 Ada", 89, ORR_LISTED_CARD(0, 0),
     {{0x28b0, 16}, {0x27bb, 12}, {0x2838, 8}, {0x28b8, 8}, {0x28b9, 6}, {0x28ba, 4}}},
    /* Ampere, workstations */
    {"RTX A6000|A6000", 86, ORR_CARD(3, 4), {{0x2230, 48}}},
    {"RTX A5500|A5500", 86, ORR_CARD(3, 4), {{0x2233, 24}, {0x2438, 16}}},
    {"RTX A5000|A5000", 86, ORR_CARD(3, 4), {{0x2231, 24}, {0x24b6, 16}}},
    {"RTX A4500|A4500", 86, ORR_CARD(3, 4), {{0x2232, 20}, {0x24ba, 16}, {0x24fa, 0}}},
    {"RTX A4000|RTX A4000H|A4000", 86, ORR_CARD(0, 0), {{0x24b0, 16}, {0x24b1, 16}, {0x24b7, 8}}},
    {"RTX A3000", 86, ORR_LISTED_CARD(0, 0), {{0x24b8, 6}, {0x24b9, 12}, {0x24bb, 6}}},
    {"RTX A2000|A2000", 86, ORR_CARD(0, 0), {{0x2531, 6}, {0x2571, 12}, {0x25b8, 4}, {0x25ba, 8}, {0x25fa, 0}}},
    {"RTX A1000|A1000", 86, ORR_CARD(0, 0), {{0x25b0, 8}, {0x25b9, 4}, {0x25bc, 6}, {0x25f9, 0}}},
    {"RTX A400|RTX A500", 86, ORR_LISTED_CARD(0, 0), {{0x25b2, 4}, {0x25bb, 4}, {0x25bd, 4}, {0x25fb, 0}}},
    /* Turing and older, workstations */
    {"Quadro RTX 8000|Quadro RTX 6000", 75, ORR_CARD(2, 2), {{0x1e30, 0}, {0x1e36, 24}, {0x1e78, 0}}},
    {"Quadro RTX 5000", 75, ORR_CARD(2, 1), {{0x1eb0, 16}}},
    {"Quadro RTX 4000|Quadro RTX 3000", 75, ORR_CARD(0, 0), {{0x1eb1, 8}, {0x1f36, 6}, {0x1f76, 6}}},
    {"T1000|T600|T400|T1200", 75, ORR_LISTED_CARD(0, 0), {{0x1ff0, 8}, {0x1fb1, 4}, {0x1ff2, 4}, {0x1fbc, 4}}},
    {"Quadro GV100", 70, ORR_LISTED_CARD(2, -1), {{0x1dba, 32}}},
    {"Quadro GP100", 60, ORR_LISTED_CARD(1, -1), {{0x15f0, 16}}},
    {"Quadro P6000|Quadro P5000|Quadro P4000|Quadro P2200|Quadro P2000|Quadro P1000", 61, ORR_LISTED_CARD(0, 0),
     {{0x1b30, 24}, {0x1bb0, 16}, {0x1bb1, 8}, {0x1c31, 5}, {0x1c30, 5}, {0x1cb1, 4}}},
    {"Quadro M6000|Quadro M5000|Quadro M4000|Quadro M2000", 52, ORR_LISTED_CARD(0, 0),
     {{0x17f0, 12}, {0x17f1, 24}, {0x13f0, 8}, {0x13f1, 8}, {0x1430, 4}}},
    /* GeForce and TITAN */
    {"RTX 5090", 120, ORR_GEFORCE_50, {{0x2b85, 32}, {0x2b87, 32}, {0x2b8c, 24}, {0x2c18, 24}, {0x2c58, 24}}},
    {"RTX 5080", 120, ORR_GEFORCE_50, {{0x2c02, 16}, {0x2c19, 16}, {0x2c59, 16}}},
    {"RTX 5070 Ti", 120, ORR_GEFORCE_50, {{0x2c05, 16}, {0x2f18, 12}, {0x2f58, 12}}},
    {"RTX 5070", 120, ORR_GEFORCE_50, {{0x2f04, 12}, {0x2d18, 8}, {0x2d58, 8}}},
    {"RTX 5060|RTX 5060 Ti", 120, ORR_GEFORCE_50, {{0x2d05, 8}, {0x2d04, 0}, {0x2f06, 0}, {0x2d19, 8}, {0x2d59, 8}}},
    {"RTX 5050", 120, ORR_GEFORCE_50, {{0x2d83, 8}, {0x2d98, 8}, {0x2dd8, 8}}},
    {"RTX 4090", 89, ORR_GEFORCE_40, {{0x2684, 24}, {0x2685, 24}, {0x2717, 16}, {0x2757, 16}}},
    {"RTX 4080|RTX 4080 SUPER", 89, ORR_GEFORCE_40,
     {{0x2704, 16}, {0x2702, 16}, {0x2703, 16}, {0x27a0, 12}, {0x27e0, 12}}},
    {"RTX 4070 Ti|RTX 4070 Ti SUPER", 89, ORR_GEFORCE_40, {{0x2782, 12}, {0x2705, 16}, {0x2689, 16}}},
    {"RTX 4070|RTX 4070 SUPER", 89, ORR_GEFORCE_40,
     {{0x2786, 12}, {0x2783, 12}, {0x2709, 12}, {0x2820, 8}, {0x2860, 8}}},
    {"RTX 4060|RTX 4060 Ti", 89, ORR_GEFORCE_40,
     {{0x2882, 8}, {0x2808, 8}, {0x2803, 0}, {0x2805, 16}, {0x2788, 0}, {0x28a0, 8}}},
    {"RTX 4050", 89, ORR_GEFORCE_40, {{0x28a1, 6}, {0x28e1, 6}}},
    {"RTX 3050 A", 89, ORR_GEFORCE_40, {{0x2822, 0}, {0x28a3, 0}, {0x28e3, 0}}},
    {"TITAN Ada", 89, ORR_LISTED_CARD(0, 0), {{0x2681, 48}}},
    {"RTX 3090", 86, ORR_GEFORCE_30(3, 4), {{0x2204, 24}}},
    {"RTX 3090 Ti", 86, ORR_GEFORCE_30(-1, -1), {{0x2203, 24}}},
    {"RTX 3080|RTX 3080 Ti", 86, ORR_GEFORCE_30(0, 0),
     {{0x2206, 0}, {0x2216, 10}, {0x220a, 12}, {0x2208, 12}, {0x2205, 20}, {0x2460, 16}}},
    {"RTX 3070|RTX 3070 Ti", 86, ORR_GEFORCE_30(0, 0),
     {{0x2484, 0}, {0x2488, 8}, {0x2482, 8}, {0x2207, 8}, {0x24dd, 8}, {0x24a0, 8}}},
    {"RTX 3060|RTX 3060 Ti", 86, ORR_GEFORCE_30(0, 0),
     {{0x2503, 12}, {0x2504, 12}, {0x2486, 8}, {0x2489, 8}, {0x2487, 12}, {0x2520, 6}}},
    {"RTX 3050|RTX 3050 Ti|RTX 2050", 86, ORR_GEFORCE_30(0, 0),
     {{0x2507, 8}, {0x2582, 8}, {0x2583, 4}, {0x2584, 6}, {0x25a0, 4}, {0x25a2, 4}}},
    {"RTX 2080 Ti", 75, ORR_GEFORCE_20(2, 2), {{0x1e07, 11}, {0x1e04, 11}, {0x1e03, 12}}},
    {"RTX 2080|RTX 2080 SUPER", 75, ORR_GEFORCE_20(2, 1), {{0x1e87, 8}, {0x1e82, 8}, {0x1e81, 8}, {0x1e90, 8}}},
    {"RTX 2070 SUPER", 75, ORR_GEFORCE_20(2, 1), {{0x1e84, 8}, {0x1ec2, 8}, {0x1ec7, 8}}},
    {"RTX 2070", 75, ORR_GEFORCE_20(0, 0), {{0x1f02, 8}, {0x1f07, 8}, {0x1f10, 8}}},
    {"RTX 2060|RTX 2060 SUPER", 75, ORR_GEFORCE_20(0, 0),
     {{0x1f08, 6}, {0x1e89, 6}, {0x1f03, 12}, {0x1f06, 8}, {0x1f42, 8}, {0x1f47, 8}}},
    {"GTX 1660|GTX 1660 Ti|GTX 1660 SUPER|GTX 1650|GTX 1630", 75, ORR_GEFORCE_20(0, 0),
     {{0x2184, 6}, {0x2182, 6}, {0x21c4, 6}, {0x1f82, 4}, {0x2187, 4}, {0x1f83, 4}}},
    {"TITAN RTX", 75, ORR_CARD(2, 2), {{0x1e02, 24}}},
    {"TITAN V", 70, ORR_CARD(0, 0), {{0x1d81, 12}}},
    {"TITAN X|TITAN Xp", 61, ORR_CARD(0, 0), {{0x1b00, 12}, {0x1b02, 12}}},
    {"GTX 1080|GTX 1080 Ti|GTX 1070|GTX 1070 Ti", 61, ORR_CARD(0, 0),
     {{0x1b80, 8}, {0x1b06, 11}, {0x1b81, 8}, {0x1b82, 8}}},
    {"GTX 1060|GTX 1050|GTX 1050 Ti", 61, ORR_CARD(0, 0),
     {{0x1c03, 6}, {0x1b83, 6}, {0x1c02, 3}, {0x1b84, 3}, {0x1c82, 4}, {0x1c81, 2}}},
    {"GTX TITAN X|GTX 980|GTX 980 Ti|GTX 970|GTX 960", 52, ORR_CARD(0, 0),
     {{0x17c2, 12}, {0x13c0, 4}, {0x17c8, 6}, {0x13c2, 4}, {0x1401, 0}}},
};
/* clang-format on */
enum { MODEL_COUNT = sizeof models / sizeof models[0] };

const struct orr_gpu_model *orr_gpu_model(size_t i)
{
    return i < MODEL_COUNT ? &models[i] : NULL;
}

bool orr_gpu_model_is(const struct orr_gpu_model *model, const char *name)
{
    size_t length = strcspn(model->names, "|");
    return !strncmp(model->names, name, length) && !name[length];
}

const char *orr_gpu_model_said(const struct orr_gpu_model *model)
{
    const char *last = strrchr(model->names, '|');
    return last ? last + 1 : model->names;
}

bool orr_gpu_model_has_card(const struct orr_gpu_model *model)
{
    const char *name = orr_gpu_model_said(model);
    const size_t length = strlen(name);
    for (size_t i = 0; i < MODEL_COUNT; i++)
        if (models[i].form == ORR_GPU_PCIE && !strncmp(models[i].names, name, length) && models[i].names[length] == ' ')
            return true;
    return false;
}

static bool has_device(const struct orr_gpu_model *model, uint32_t device)
{
    for (size_t i = 0; device && i < ORR_GPU_MODEL_IDS; i++)
        if (model->ids[i].device == device)
            return true;
    return false;
}

const struct orr_gpu_model *orr_gpu_model_of_device(uint32_t device)
{
    for (size_t m = 0; m < MODEL_COUNT; m++)
        if (has_device(&models[m], device))
            return &models[m];
    return NULL;
}

/* Letters and digits from `at` on, before `end`. */
static size_t word_length(const char *at, const char *end)
{
    const char *start = at;
    while (at < end && isalnum((unsigned char)*at))
        at++;
    return (size_t)(at - start);
}

static const char *next_word(const char *at, const char *end)
{
    while (at < end && !isalnum((unsigned char)*at))
        at++;
    return at;
}

bool orr_name_has_words(const char *name, const char *words, size_t length)
{
    const char *end = name + strlen(name), *last = words + length;
    for (const char *start = next_word(name, end); start < end;) {
        const char *at = start, *word = next_word(words, last);
        while (word < last && at < end) {
            size_t here = word_length(at, end), wanted = word_length(word, last);
            if (here != wanted || strncasecmp(at, word, wanted) != 0)
                break;
            at = next_word(at + here, end);
            word = next_word(word + wanted, last);
        }
        if (word == last)
            return true;
        start = next_word(start + word_length(start, end), end);
    }
    return false;
}

static unsigned count_words(const char *words, size_t length)
{
    const char *last = words + length;
    unsigned count = 0;
    for (const char *word = next_word(words, last); word < last; word = next_word(word, last)) {
        word += word_length(word, last);
        count++;
    }
    return count;
}

const struct orr_gpu_model *orr_gpu_model_of_name(const char *product)
{
    const struct orr_gpu_model *best = NULL;
    unsigned most = 0;
    for (size_t m = 0; m < MODEL_COUNT; m++)
        for (const char *name = models[m].names; *name;) {
            size_t length = strcspn(name, "|");
            unsigned words = count_words(name, length);
            if (words > most && orr_name_has_words(product, name, length)) {
                best = &models[m];
                most = words;
            }
            name += length + (name[length] == '|');
        }
    return best;
}

int32_t orr_gpu_sm_of_device(uint32_t device)
{
    const struct orr_gpu_model *model = orr_gpu_model_of_device(device);
    return model ? model->sm : 0;
}

int32_t orr_gpu_sm_of_name(const char *product)
{
    const struct orr_gpu_model *model = orr_gpu_model_of_name(product);
    return model ? model->sm : 0;
}

int orr_gpu_pcie_generation(int32_t sm)
{
    enum { AMPERE = 80, HOPPER = 90, BLACKWELL = 100 };
    if (sm <= 0 || sm > BLACKWELL)
        return 0;
    return sm >= HOPPER ? 5 : sm >= AMPERE ? 4 : 3;
}

double orr_gpu_nvlink_line_rate(int32_t sm)
{
    static const struct {
        int32_t sm;
        double rate;
    } rates[] = {{103, 50}, {100, 50}, {90, 25}, {80, 25}, {70, 25}}; /* data sheets */
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
        if (rates[i].sm == sm)
            return rates[i].rate;
    return 0;
}

int32_t orr_gpu_most_nvlinks(int32_t sm)
{
    int32_t most = 0;
    for (size_t m = 0; m < MODEL_COUNT; m++)
        if (models[m].sm == sm && models[m].nvlinks > most)
            most = models[m].nvlinks;
    return most;
}
