/* SPDX-License-Identifier: Apache-2.0 */
/* The table of machine types: what public documents, providers' topology files and published dumps say. Each row names
 * the sources of its facts, and the facts that have no source but are common knowledge; both are shown to the user.
 * Facts of a GPU board (NVLinks, PCI generation) come from NVIDIA and are the same in every row that has the board; its
 * GPU is a row of engine/hardware/gpu_models.c. */
#include "engine/machines/machine_types.h"

#include <string.h>

#include "engine/hardware/pcie.h"

/* The hybrid cube mesh: two rings of four, joined. With P100 every link is single, with V100 some pairs have two. */
static const char *const mesh_p100[] = {"01111000", "10110100", "11010010", "11100001",
                                        "10000111", "01001011", "00101101", "00011110"};
static const char *const mesh_v100[] = {"01122000", "10210200", "12020010", "21200001",
                                        "20000112", "02001021", "00101202", "00012120"};
static const char *const mesh_4x4[] = {"0444", "4044", "4404", "4440"}; /* A100, four on a board */
static const char *const mesh_4x6[] = {"0666", "6066", "6606", "6660"}; /* H100 or GH200, four on a board */

#define GRACE_C2C 44712 /* Mb/s of one link of a Grace CPU, as NCCL dumps of GB300 have it */
#define SPARK_C2C 43125 /* of a DGX Spark */

static const struct orr_gpu_board p100 = {"P100 SXM2", 4, ORR_FABRIC_MESH, mesh_p100, ORR_PCIE_GEN3, 0, 0, 0};
static const struct orr_gpu_board v100 = {"V100 SXM2", 6, ORR_FABRIC_MESH, mesh_v100, ORR_PCIE_GEN3, 0, 0, 0};
static const struct orr_gpu_board v100_switch = {"V100 SXM3", 6, ORR_FABRIC_SWITCH, NULL, ORR_PCIE_GEN3, 0, 0, 0};
static const struct orr_gpu_board a100 = {"A100 SXM4", 12, ORR_FABRIC_SWITCH, NULL, ORR_PCIE_GEN4, 0, 0, 2};
static const struct orr_gpu_board a100_gen3 = {"A100 SXM4", 12, ORR_FABRIC_SWITCH, NULL, ORR_PCIE_GEN3, 0,
                                               0,           2}; /* in a PCIe 3 host */
static const struct orr_gpu_board a800 = {"A800 SXM4", 8, ORR_FABRIC_SWITCH, NULL, ORR_PCIE_GEN4, 0, 0, 2};
static const struct orr_gpu_board a100_4 = {"A100 SXM4", 12, ORR_FABRIC_MESH, mesh_4x4, ORR_PCIE_GEN4, 0, 0, 0};
static const struct orr_gpu_board a100_pair = {"A100 PCIe", 12, ORR_FABRIC_PAIRS, NULL, ORR_PCIE_GEN4, 0, 0, 0};
static const struct orr_gpu_board h100 = {"H100 SXM5", 18, ORR_FABRIC_SWITCH, NULL, ORR_PCIE_GEN5, 0, 0, 0};
static const struct orr_gpu_board h100_1 = {"H100 SXM5", 0, ORR_FABRIC_NONE, NULL, ORR_PCIE_GEN5, 0,
                                            0,           0}; /* a single one in a VM */
static const struct orr_gpu_board h100_4 = {"H100 SXM5", 18, ORR_FABRIC_MESH, mesh_4x6, ORR_PCIE_GEN5, 0, 0, 0};
static const struct orr_gpu_board h800 = {"H800 SXM5", 8, ORR_FABRIC_SWITCH, NULL, ORR_PCIE_GEN5, 0, 0, 0};
static const struct orr_gpu_board h20 = {"H20 SXM5", 18, ORR_FABRIC_SWITCH, NULL, ORR_PCIE_GEN5, 0, 0, 0};
static const struct orr_gpu_board h200 = {"H200 SXM5", 18, ORR_FABRIC_SWITCH, NULL, ORR_PCIE_GEN5, 0, 0, 0};
static const struct orr_gpu_board b200 = {"B200 SXM6", 18, ORR_FABRIC_SWITCH, NULL, ORR_PCIE_GEN5, 0, 0, 0};
static const struct orr_gpu_board b300 = {"B300 SXM6", 18, ORR_FABRIC_SWITCH, NULL, ORR_PCIE_GEN6, 0, 0, 0};
static const struct orr_gpu_board gh200 = {"GH200", 0, ORR_FABRIC_NONE, NULL, ORR_PCIE_GEN5, 10, GRACE_C2C, 0};
static const struct orr_gpu_board gh200_4 = {"GH200", 18, ORR_FABRIC_MESH, mesh_4x6, ORR_PCIE_GEN5, 10, GRACE_C2C, 0};
static const struct orr_gpu_board gb200 = {"GB200", 18, ORR_FABRIC_SWITCH, NULL, ORR_PCIE_GEN5, 5, GRACE_C2C, 0};
static const struct orr_gpu_board gb300 = {"GB300", 18, ORR_FABRIC_SWITCH, NULL, ORR_PCIE_GEN6, 5, GRACE_C2C, 0};
static const struct orr_gpu_board gb10 = {"GB10", 0, ORR_FABRIC_NONE, NULL, ORR_PCIE_GEN1, 8, SPARK_C2C, 0};
static const struct orr_gpu_board t4 = {"T4", 0, ORR_FABRIC_NONE, NULL, ORR_PCIE_GEN3, 0, 0, 0};
static const struct orr_gpu_board a10g = {"A10G", 0, ORR_FABRIC_NONE, NULL, ORR_PCIE_GEN4, 0, 0, 0};
static const struct orr_gpu_board l4 = {"L4", 0, ORR_FABRIC_NONE, NULL, ORR_PCIE_GEN4, 0, 0, 0};
static const struct orr_gpu_board l40s = {"L40S", 0, ORR_FABRIC_NONE, NULL, ORR_PCIE_GEN4, 0, 0, 0};
static const struct orr_gpu_board rtx_pro = {"RTX PRO 6000", 0, ORR_FABRIC_NONE, NULL, ORR_PCIE_GEN5, 0, 0, 0};

/* One NUMA node for each quarter of the socket, in reverse order of the GPUs; NICs are on the nodes of GPU 3 and GPU
 * 1. */
static const struct orr_numa_place polaris[] = {{3, 0, -1}, {2, 1, 1}, {1, 2, -1}, {0, 3, 0}};

/* Architecture, vendor, family, model; number of NUMA nodes, 0 for the usual one; places of devices, NULL if
 * unknown. */
#define BROADWELL "x86_64", "GenuineIntel", 6, 79, 0, NULL
#define SKYLAKE   "x86_64", "GenuineIntel", 6, 85, 0, NULL /* Cascade Lake too */
#define SAPPHIRE  "x86_64", "GenuineIntel", 6, 143, 0, NULL
#define EMERALD   "x86_64", "GenuineIntel", 6, 207, 0, NULL
#define GRANITE   "x86_64", "GenuineIntel", 6, 173, 0, NULL
#define ROME      "x86_64", "AuthenticAMD", 143, 49, 0, NULL
#define ROME_VM   "x86_64", "AuthenticAMD", 143, 49, 4, NULL /* Azure shows four NUMA nodes to its virtual machines */
#define MILAN     "x86_64", "AuthenticAMD", 175, 1, 0, NULL
#define GRACE     "arm64", "", 0, 0, 0, NULL
#define POLARIS   "x86_64", "AuthenticAMD", 175, 1, 4, polaris

#define MLX   "mlx5_#"
#define IB    "mlx5_ib#"
#define EFA   "rdmap#s0"
#define ROCE  "rocep#s0"
#define ETH   "eth#"
#define ENA   "ens#"
#define SLING "cxi#"

/* Sources of facts. */
#define DGX      "NVIDIA's DGX data sheets (as public tables quote them)"
#define DGX_DUMP DGX "; a published dump"
#define RACK     "NVIDIA's NVL72 data sheets (as public tables quote them); a published dump of a GB300 tray"
#define MLPERF   "MLPerf system descriptions"
#define DUMP     "a published dump of such a machine"
#define EC2      "EC2's instance data (Karpenter's reference)"
#define EC2_EFA  EC2 "; EC2 User Guide on EFA"
#define EC2_TOPO EC2 "; aws-ofi-nccl's topology file"
#define AZURE    "Azure's size documentation"
#define AZ_TOPO  AZURE "; azhpc-images' topology file"
#define GCP      "Google's documentation of GPU network bandwidth"
#define OKE      "Oracle's published dump (oci-hpc-oke)"
#define OCI      "Oracle's list of RDMA devices (oci-hpc)"
#define JSC      "documentation of the Jülich Supercomputing Centre"

/* Facts that are not certain. */
#define CHOSEN "which the maker of the server chooses"
#define OEM    "CPU and NICs, " CHOSEN

static const struct orr_machine_type types[] = {
    {"dgx-1-p100", "dgx1-p100", "NVIDIA", "DGX-1, 8x P100", &p100, 8, 4, 100000, MLX, true, BROADWELL, DGX,
     "the CPU and the NICs, which are assumed to be those of the model with V100"},
    {"dgx-1", "dgx1 dgx-1-v100 dgx1-v100", "NVIDIA", "DGX-1, 8x V100", &v100, 8, 4, 100000, MLX, true, BROADWELL,
     DGX_DUMP, ""},
    {"dgx-2", "dgx2 dgx-2h dgx2h", "NVIDIA", "DGX-2, 16x V100", &v100_switch, 16, 8, 100000, MLX, true, SKYLAKE, DGX,
     ""},
    {"dgx-a100", "dgxa100", "NVIDIA", "DGX A100", &a100, 8, 8, 200000, MLX, true, ROME, DGX_DUMP, ""},
    {"dgx-h100", "dgxh100", "NVIDIA", "DGX H100", &h100, 8, 8, 400000, MLX, true, SAPPHIRE, DGX, ""},
    {"dgx-h200", "dgxh200", "NVIDIA", "DGX H200", &h200, 8, 8, 400000, MLX, true, SAPPHIRE, DGX "; " MLPERF, ""},
    {"dgx-b200", "dgxb200", "NVIDIA", "DGX B200", &b200, 8, 8, 400000, MLX, true, EMERALD, DGX, ""},
    {"dgx-b300", "dgxb300", "NVIDIA", "DGX B300", &b300, 8, 8, 800000, MLX, true, GRANITE, DGX, ""},
    {"hgx-a100", "hgx-a100-8", "NVIDIA", "HGX A100, 8 GPUs", &a100, 8, 8, 200000, MLX, true, ROME, DUMP, OEM},
    {"hgx-a100-4", "redstone", "NVIDIA", "HGX A100, 4 GPUs", &a100_4, 4, 4, 200000, MLX, true, MILAN, DUMP, OEM},
    {"hgx-a800", "hgx-a800-8", "NVIDIA", "HGX A800, 8 GPUs", &a800, 8, 8, 200000, MLX, true, MILAN, "",
     "NVLinks, and " OEM},
    {"hgx-h100", "hgx-h100-8", "NVIDIA", "HGX H100, 8 GPUs", &h100, 8, 8, 400000, MLX, true, SAPPHIRE,
     MLPERF "; published dumps", OEM},
    {"hgx-h100-4", "", "NVIDIA", "HGX H100, 4 GPUs", &h100_4, 4, 4, 400000, MLX, true, SAPPHIRE,
     "nvidia-smi topo -m of such boards (NV6)", OEM},
    {"hgx-h800", "hgx-h800-8", "NVIDIA", "HGX H800, 8 GPUs", &h800, 8, 8, 400000, MLX, true, SAPPHIRE, DUMP, OEM},
    {"hgx-h20", "hgx-h20-8", "NVIDIA", "HGX H20, 8 GPUs", &h20, 8, 8, 400000, MLX, true, SAPPHIRE,
     "a public table of NVLink bandwidths", OEM},
    {"hgx-h200", "hgx-h200-8", "NVIDIA", "HGX H200, 8 GPUs", &h200, 8, 8, 400000, MLX, true, SAPPHIRE,
     MLPERF "; published dumps", OEM},
    {"hgx-b200", "hgx-b200-8", "NVIDIA", "HGX B200, 8 GPUs", &b200, 8, 8, 400000, MLX, true, EMERALD,
     "published dumps of such machines", OEM},
    {"hgx-b300", "hgx-b300-8", "NVIDIA", "HGX B300, 8 GPUs", &b300, 8, 8, 800000, MLX, true, GRANITE,
     "Crusoe's topology file of such a machine", OEM},
    {"gh200", "", "NVIDIA", "GH200, one superchip", &gh200, 1, 1, 400000, MLX, true, GRACE,
     "NVIDIA's superchip data sheets", "NICs, " CHOSEN},
    {"gb200-tray", "gb200", "NVIDIA", "GB200 NVL72 compute tray", &gb200, 4, 4, 400000, MLX, true, GRACE, RACK, ""},
    {"gb300-tray", "gb300", "NVIDIA", "GB300 NVL72 compute tray", &gb300, 4, 4, 800000, MLX, true, GRACE, RACK, ""},
    {"dgx-spark", "spark gb10", "NVIDIA", "DGX Spark, GB10", &gb10, 1, 2, 200000, ROCE, false, GRACE,
     "a published dump and an hwloc export", ""},

    {"p3.16xlarge", "", "AWS", "p3.16xlarge, 8x V100", &v100, 8, 1, 25000, ENA, false, BROADWELL, EC2,
     "CPU model, order of the GPUs in the mesh"},
    {"p3dn.24xlarge", "p3dn", "AWS", "p3dn.24xlarge, 8x V100", &v100, 8, 1, 100000, EFA, false, SKYLAKE, EC2,
     "CPU model, order of the GPUs in the mesh"},
    {"p4d.24xlarge", "p4d", "AWS", "p4d.24xlarge, 8x A100", &a100_gen3, 8, 4, 100000, EFA, true, SKYLAKE, EC2_TOPO, ""},
    {"p4de.24xlarge", "p4de", "AWS", "p4de.24xlarge, 8x A100 80 GB", &a100_gen3, 8, 4, 100000, EFA, true, SKYLAKE,
     EC2_TOPO, ""},
    {"p5.4xlarge", "", "AWS", "p5.4xlarge, 1x H100", &h100_1, 1, 1, 100000, EFA, true, MILAN, EC2,
     "bandwidth of the NIC"},
    {"p5.48xlarge", "p5", "AWS", "p5.48xlarge, 8x H100", &h100, 8, 32, 100000, EFA, true, MILAN, EC2_TOPO "; AWS on P5",
     ""},
    {"p5e.48xlarge", "p5e", "AWS", "p5e.48xlarge, 8x H200", &h200, 8, 32, 100000, EFA, true, MILAN, EC2 "; AWS on P5",
     ""},
    {"p5en.48xlarge", "p5en", "AWS", "p5en.48xlarge, 8x H200", &h200, 8, 16, 200000, EFA, true, SAPPHIRE,
     EC2 "; AWS on P5, UCCL's topology file", ""},
    {"p6-b200.48xlarge", "p6-b200", "AWS", "p6-b200.48xlarge, 8x B200", &b200, 8, 8, 400000, EFA, true, EMERALD,
     EC2_EFA, "CPU model"},
    {"p6-b300.48xlarge", "p6-b300", "AWS", "p6-b300.48xlarge, 8x B300", &b300, 8, 16, 400000, EFA, true, GRANITE,
     EC2_EFA, "CPU model"},
    {"p6e-gb200.36xlarge", "p6e-gb200 u-p6e-gb200x72", "AWS", "p6e-gb200.36xlarge, 4x GB200", &gb200, 4, 4, 400000, EFA,
     true, GRACE, EC2_EFA, ""},
    {"g4dn.metal", "", "AWS", "g4dn.metal, 8x T4", &t4, 8, 1, 100000, EFA, false, SKYLAKE,
     EC2 "; a published hwloc export", ""},
    {"g5.48xlarge", "", "AWS", "g5.48xlarge, 8x A10G", &a10g, 8, 1, 100000, EFA, false, ROME, EC2_TOPO "; AWS on G5",
     ""},
    {"g6.48xlarge", "", "AWS", "g6.48xlarge, 8x L4", &l4, 8, 1, 100000, EFA, false, MILAN,
     "a public table of EC2 instances", "bandwidth of the NIC"},
    {"g6e.48xlarge", "", "AWS", "g6e.48xlarge, 8x L40S", &l40s, 8, 4, 100000, EFA, false, MILAN, EC2 "; AWS on G6e",
     ""},
    {"g7e.48xlarge", "", "AWS", "g7e.48xlarge, 8x RTX PRO 6000", &rtx_pro, 8, 4, 400000, EFA, true, EMERALD,
     "a public table of EC2 instances", "number of NICs, GPUDirect RDMA, CPU"},

    {"Standard_ND40rs_v2", "ndv2", "Azure", "ND40rs v2, 8x V100", &v100, 8, 1, 100000, IB, true, SKYLAKE, AZ_TOPO,
     "bandwidth of the NIC, order of the GPUs in the mesh"},
    {"Standard_ND96asr_v4", "ndv4 nd-a100-v4", "Azure", "ND96asr v4, 8x A100", &a100, 8, 8, 200000, IB, true, ROME_VM,
     AZ_TOPO, "bandwidth of the NICs"},
    {"Standard_ND96amsr_A100_v4", "ndmv4 ndm-a100-v4", "Azure", "ND96amsr A100 v4, 8x A100 80 GB", &a100, 8, 8, 200000,
     IB, true, ROME_VM, AZ_TOPO "; MLPerf logs", "bandwidth of the NICs"},
    {"Standard_NC96ads_A100_v4", "ncv4", "Azure", "NC96ads A100 v4, 4x A100 PCIe", &a100_pair, 4, 1, 100000, ETH, false,
     MILAN, AZURE "; a dump in azhpc-images", ""},
    {"Standard_NC48ads_A100_v4", "", "Azure", "NC48ads A100 v4, 2x A100 PCIe", &a100_pair, 2, 1, 100000, ETH, false,
     MILAN, AZURE "; a dump in azurehpc", ""},
    {"Standard_ND96isr_H100_v5", "ndv5 nd-h100-v5", "Azure", "ND96isr H100 v5, 8x H100", &h100, 8, 8, 400000, IB, true,
     SAPPHIRE, AZ_TOPO, ""},
    {"Standard_ND96isr_H200_v5", "ndv5-h200 nd-h200-v5", "Azure", "ND96isr H200 v5, 8x H200", &h200, 8, 8, 400000, IB,
     true, SAPPHIRE, AZURE, ""},
    {"Standard_ND128isr_NDR_GB200_v6", "ndv6", "Azure", "ND128isr GB200 v6, 4x GB200", &gb200, 4, 4, 400000, IB, true,
     GRACE, AZURE, ""},
    {"Standard_ND128isr_GB300_v6", "ndv6-gb300", "Azure", "ND128isr GB300 v6, 4x GB300", &gb300, 4, 4, 800000, IB, true,
     GRACE, AZURE, ""},

    {"a2-highgpu-8g", "", "GCP", "a2-highgpu-8g, 8x A100", &a100, 8, 1, 100000, ETH, false, SKYLAKE, GCP, "CPU model"},
    {"a2-megagpu-16g", "", "GCP", "a2-megagpu-16g, 16x A100", &a100, 16, 1, 100000, ETH, false, SKYLAKE, GCP,
     "CPU model"},
    {"a2-ultragpu-8g", "", "GCP", "a2-ultragpu-8g, 8x A100 80 GB", &a100, 8, 1, 100000, ETH, false, SKYLAKE, GCP,
     "CPU model"},
    {"a3-highgpu-8g", "a3", "GCP", "a3-highgpu-8g, 8x H100", &h100, 8, 4, 200000, ETH, true, SAPPHIRE, GCP, ""},
    {"a3-megagpu-8g", "a3-mega", "GCP", "a3-megagpu-8g, 8x H100", &h100, 8, 8, 200000, ETH, true, SAPPHIRE, GCP,
     "CPU model"},
    {"a3-ultragpu-8g", "a3-ultra", "GCP", "a3-ultragpu-8g, 8x H200", &h200, 8, 8, 400000, ROCE, true, EMERALD,
     GCP "; nvidia-smi topo -m in an MLPerf log", "CPU model"},
    {"a4-highgpu-8g", "a4", "GCP", "a4-highgpu-8g, 8x B200", &b200, 8, 8, 400000, ROCE, true, EMERALD, GCP,
     "CPU model"},
    {"a4x-highgpu-4g", "a4x", "GCP", "a4x-highgpu-4g, 4x GB200", &gb200, 4, 4, 400000, ROCE, true, GRACE, GCP, ""},
    {"a4x-maxgpu-4g-metal", "a4x-max", "GCP", "a4x-maxgpu-4g-metal, 4x GB300", &gb300, 4, 8, 400000, ROCE, true, GRACE,
     GCP, "names of the NICs"},
    {"g2-standard-96", "", "GCP", "g2-standard-96, 8x L4", &l4, 8, 1, 100000, ETH, false, SKYLAKE, GCP,
     "number of GPUs, CPU model"},

    {"BM.GPU3.8", "", "OCI", "BM.GPU3.8, 8x V100", &v100, 8, 1, 25000, ENA, false, SKYLAKE, "",
     "network, CPU, order of the GPUs in the mesh"},
    {"BM.GPU4.8", "", "OCI", "BM.GPU4.8, 8x A100", &a100, 8, 16, 100000, MLX, true, ROME, OKE, ""},
    {"BM.GPU.A100-v2.8", "BM.GPU.B4.8", "OCI", "BM.GPU.A100-v2.8, 8x A100 80 GB", &a100, 8, 16, 100000, MLX, true,
     MILAN, OKE, ""},
    {"BM.GPU.H100.8", "", "OCI", "BM.GPU.H100.8, 8x H100", &h100, 8, 16, 200000, MLX, true, SAPPHIRE, OKE, ""},
    {"BM.GPU.H200.8", "", "OCI", "BM.GPU.H200.8, 8x H200", &h200, 8, 8, 400000, MLX, true, SAPPHIRE,
     OCI "; Oracle's table of shapes", ""},
    {"BM.GPU.B200.8", "", "OCI", "BM.GPU.B200.8, 8x B200", &b200, 8, 8, 400000, MLX, true, EMERALD, OCI, "CPU model"},
    {"BM.GPU.B300.8", "", "OCI", "BM.GPU.B300.8, 8x B300", &b300, 8, 16, 400000, MLX, true, GRANITE, OCI, "CPU model"},
    {"BM.GPU.GB200.4", "", "OCI", "BM.GPU.GB200.4, 4x GB200", &gb200, 4, 4, 400000, MLX, true, GRACE, OCI, ""},
    {"BM.GPU.GB300.4", "", "OCI", "BM.GPU.GB300.4, 4x GB300", &gb300, 4, 8, 400000, MLX, true, GRACE, OCI, ""},

    {"gx3d-160x1792x8h100", "", "IBM Cloud", "gx3d-160x1792x8h100, 8x H100", &h100, 8, 8, 200000, MLX, true, SAPPHIRE,
     "IBM's published dump (cluster network profile)", ""},
    {"gx3d-160x1792x8h200", "", "IBM Cloud", "gx3d-160x1792x8h200, 8x H200", &h200, 8, 8, 200000, MLX, true, SAPPHIRE,
     "", "everything but the GPUs: taken to be as the H100 profile"},

    {"perlmutter", "", "Supercomputers", "Perlmutter, 4x A100", &a100_4, 4, 4, 200000, SLING, true, MILAN,
     DUMP "; NERSC's documentation", ""},
    {"polaris", "", "Supercomputers", "Polaris, 4x A100", &a100_4, 4, 2, 200000, SLING, true, POLARIS,
     "documentation of the Argonne Leadership Computing Facility", ""},
    {"juwels-booster", "", "Supercomputers", "JUWELS Booster, 4x A100", &a100_4, 4, 4, 200000, MLX, true, ROME,
     JSC "; a published hwloc export", ""},
    {"jupiter-booster", "jupiter", "Supercomputers", "JUPITER Booster, 4x GH200", &gh200_4, 4, 4, 200000, MLX, true,
     GRACE, JSC, ""},
    {"alps-gh200", "alps", "Supercomputers", "Alps, 4x GH200", &gh200_4, 4, 4, 200000, SLING, true, GRACE,
     "documentation of CSCS", "number and speed of the NICs"},
};

/* Racks of trays that NVLink joins to one system of several hosts. GPUs and NICs are those of one tray. */
enum { TRAYS = 18 };
static const struct orr_machine_type racks[] = {
    {"gb200-nvl72", "", "NVIDIA", "GB200 NVL72, a rack of 18 trays", &gb200, 4, 4, 400000, MLX, true, GRACE, RACK, ""},
    {"gb300-nvl72", "", "NVIDIA", "GB300 NVL72, a rack of 18 trays", &gb300, 4, 4, 800000, MLX, true, GRACE, RACK, ""},
};
enum { TYPES = sizeof types / sizeof types[0], RACKS = sizeof racks / sizeof racks[0] };

const struct orr_machine_type *orr_machine_type(size_t i)
{
    return i < TYPES ? &types[i] : NULL;
}

const struct orr_machine_type *orr_machine_listed(size_t i)
{
    return i < TYPES ? &types[i] : i < TYPES + RACKS ? &racks[i - TYPES] : NULL;
}

uint32_t orr_machine_trays(const struct orr_machine_type *type)
{
    return type >= racks && type < racks + RACKS ? TRAYS : 1;
}

uint32_t orr_board_joined(const struct orr_gpu_board *board)
{
    for (size_t i = 0; i < RACKS; i++)
        if (board == racks[i].board)
            return TRAYS;
    return 1;
}

uint32_t orr_machine_joined(const struct orr_machine_type *type)
{
    return type >= racks && type < racks + RACKS ? 1 : orr_board_joined(type->board);
}

bool orr_machine_nics_chosen(const struct orr_machine_type *type)
{
    return strstr(type->unsure, CHOSEN) != NULL;
}
