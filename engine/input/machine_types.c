/* From the vendors' and providers' public data sheets: GPUs, NVLinks a GPU, NICs that take part in collectives and
 * their speed. Names of devices are those that the provider's images show. */
#include "engine/input/machine_types.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define GEN3 "8.0 GT/s PCIe"
#define GEN4 "16.0 GT/s PCIe"
#define GEN5 "32.0 GT/s PCIe"
#define GEN6 "64.0 GT/s PCIe"

/* The hybrid cube mesh: two rings of four, joined. Of P100 every link is single, of V100 some pairs have two. */
static const char *const mesh_p100[] = {"01111000", "10110100", "11010010", "11100001",
                                        "10000111", "01001011", "00101101", "00011110"};
static const char *const mesh_v100[] = {"01122000", "10210200", "12020010", "21200001",
                                        "20000112", "02001021", "00101202", "00012120"};
static const char *const mesh_4x4[] = {"0444", "4044", "4404", "4440"}; /* A100, four on a board */
static const char *const mesh_4x6[] = {"0666", "6066", "6606", "6660"}; /* H100, four on a board */

static const struct orr_gpu_board p100 = {"P100 SXM2", 60, 4, ORR_FABRIC_MESH, mesh_p100, GEN3, 0};
static const struct orr_gpu_board v100 = {"V100 SXM2", 70, 6, ORR_FABRIC_MESH, mesh_v100, GEN3, 0};
static const struct orr_gpu_board v100_switch = {"V100 SXM3", 70, 6, ORR_FABRIC_SWITCH, NULL, GEN3, 0};
static const struct orr_gpu_board a100 = {"A100 SXM4", 80, 12, ORR_FABRIC_SWITCH, NULL, GEN4, 0};
static const struct orr_gpu_board a100_4 = {"A100 SXM4", 80, 12, ORR_FABRIC_MESH, mesh_4x4, GEN4, 0};
static const struct orr_gpu_board a100_pair = {"A100 PCIe", 80, 12, ORR_FABRIC_PAIRS, NULL, GEN4, 0};
static const struct orr_gpu_board h100 = {"H100 SXM5", 90, 18, ORR_FABRIC_SWITCH, NULL, GEN5, 0};
static const struct orr_gpu_board h100_4 = {"H100 SXM5", 90, 18, ORR_FABRIC_MESH, mesh_4x6, GEN5, 0};
static const struct orr_gpu_board h200 = {"H200 SXM5", 90, 18, ORR_FABRIC_SWITCH, NULL, GEN5, 0};
static const struct orr_gpu_board b200 = {"B200 SXM6", 100, 18, ORR_FABRIC_SWITCH, NULL, GEN5, 0};
static const struct orr_gpu_board b300 = {"B300 SXM6", 103, 18, ORR_FABRIC_SWITCH, NULL, GEN6, 0};
static const struct orr_gpu_board gh200 = {"GH200", 90, 0, ORR_FABRIC_NONE, NULL, GEN5, 10};
static const struct orr_gpu_board gb200 = {"GB200", 100, 18, ORR_FABRIC_SWITCH, NULL, GEN5, 5};
static const struct orr_gpu_board gb300 = {"GB300", 103, 18, ORR_FABRIC_SWITCH, NULL, GEN6, 5};
static const struct orr_gpu_board t4 = {"T4", 75, 0, ORR_FABRIC_NONE, NULL, GEN3, 0};
static const struct orr_gpu_board a10g = {"A10G", 86, 0, ORR_FABRIC_NONE, NULL, GEN4, 0};
static const struct orr_gpu_board l4 = {"L4", 89, 0, ORR_FABRIC_NONE, NULL, GEN4, 0};
static const struct orr_gpu_board l40s = {"L40S", 89, 0, ORR_FABRIC_NONE, NULL, GEN4, 0};

#define BROADWELL "x86_64", "GenuineIntel", 6, 79
#define SKYLAKE   "x86_64", "GenuineIntel", 6, 85
#define SAPPHIRE  "x86_64", "GenuineIntel", 6, 143
#define EMERALD   "x86_64", "GenuineIntel", 6, 207
#define ROME      "x86_64", "AuthenticAMD", 143, 49
#define MILAN     "x86_64", "AuthenticAMD", 175, 1
#define GRACE     "arm64", "", 0, 0
#define MLX       "mlx5_#"
#define EFA       "rdmap#s0"
#define GVNIC     "eth#"

static const struct orr_machine_type types[] = {
    {"dgx-1-p100", "dgx1-p100", "NVIDIA", "DGX-1, 8x P100", &p100, 8, 4, 100000, MLX, true, BROADWELL},
    {"dgx-1", "dgx1 dgx-1-v100 dgx1-v100", "NVIDIA", "DGX-1, 8x V100", &v100, 8, 4, 100000, MLX, true, BROADWELL},
    {"dgx-2", "dgx2 dgx-2h dgx2h", "NVIDIA", "DGX-2, 16x V100", &v100_switch, 16, 8, 100000, MLX, true, SKYLAKE},
    {"dgx-a100", "dgxa100", "NVIDIA", "DGX A100", &a100, 8, 8, 200000, MLX, true, ROME},
    {"dgx-h100", "dgxh100", "NVIDIA", "DGX H100", &h100, 8, 8, 400000, MLX, true, SAPPHIRE},
    {"dgx-h200", "dgxh200", "NVIDIA", "DGX H200", &h200, 8, 8, 400000, MLX, true, SAPPHIRE},
    {"dgx-b200", "dgxb200", "NVIDIA", "DGX B200", &b200, 8, 8, 400000, MLX, true, EMERALD},
    {"dgx-b300", "dgxb300", "NVIDIA", "DGX B300", &b300, 8, 8, 800000, MLX, true, "x86_64", "GenuineIntel", 6, 173},
    {"hgx-a100", "hgx-a100-8", "NVIDIA", "HGX A100, 8 GPUs", &a100, 8, 8, 200000, MLX, true, ROME},
    {"hgx-a100-4", "redstone", "NVIDIA", "HGX A100, 4 GPUs", &a100_4, 4, 4, 200000, MLX, true, MILAN},
    {"hgx-h100", "hgx-h100-8", "NVIDIA", "HGX H100, 8 GPUs", &h100, 8, 8, 400000, MLX, true, SAPPHIRE},
    {"hgx-h100-4", "", "NVIDIA", "HGX H100, 4 GPUs", &h100_4, 4, 4, 400000, MLX, true, SAPPHIRE},
    {"hgx-h200", "hgx-h200-8", "NVIDIA", "HGX H200, 8 GPUs", &h200, 8, 8, 400000, MLX, true, SAPPHIRE},
    {"hgx-b200", "hgx-b200-8", "NVIDIA", "HGX B200, 8 GPUs", &b200, 8, 8, 400000, MLX, true, EMERALD},
    {"hgx-b300", "hgx-b300-8", "NVIDIA", "HGX B300, 8 GPUs", &b300, 8, 8, 800000, MLX, true, "x86_64", "GenuineIntel",
     6, 173},
    {"gh200", "", "NVIDIA", "GH200, one superchip", &gh200, 1, 1, 400000, MLX, true, GRACE},
    {"gb200-tray", "gb200 gb200-nvl72", "NVIDIA", "GB200 NVL72 compute tray", &gb200, 4, 4, 400000, MLX, true, GRACE},
    {"gb300-tray", "gb300 gb300-nvl72", "NVIDIA", "GB300 NVL72 compute tray", &gb300, 4, 4, 800000, MLX, true, GRACE},

    {"p3.16xlarge", "", "AWS", "p3.16xlarge, 8x V100", &v100, 8, 1, 25000, "ens#", false, BROADWELL},
    {"p3dn.24xlarge", "", "AWS", "p3dn.24xlarge, 8x V100", &v100, 8, 1, 100000, EFA, false, SKYLAKE},
    {"p4d.24xlarge", "p4d", "AWS", "p4d.24xlarge, 8x A100", &a100, 8, 4, 100000, EFA, true, SKYLAKE},
    {"p4de.24xlarge", "p4de", "AWS", "p4de.24xlarge, 8x A100 80 GB", &a100, 8, 4, 100000, EFA, true, SKYLAKE},
    {"p5.48xlarge", "p5", "AWS", "p5.48xlarge, 8x H100", &h100, 8, 32, 100000, EFA, true, MILAN},
    {"p5e.48xlarge", "p5e", "AWS", "p5e.48xlarge, 8x H200", &h200, 8, 32, 100000, EFA, true, MILAN},
    {"p5en.48xlarge", "p5en", "AWS", "p5en.48xlarge, 8x H200", &h200, 8, 16, 200000, EFA, true, SAPPHIRE},
    {"p6-b200.48xlarge", "p6-b200", "AWS", "p6-b200.48xlarge, 8x B200", &b200, 8, 8, 400000, EFA, true, EMERALD},
    {"g4dn.metal", "", "AWS", "g4dn.metal, 8x T4", &t4, 8, 1, 100000, EFA, false, SKYLAKE},
    {"g5.48xlarge", "", "AWS", "g5.48xlarge, 8x A10G", &a10g, 8, 1, 100000, EFA, false, ROME},
    {"g6.48xlarge", "", "AWS", "g6.48xlarge, 8x L4", &l4, 8, 1, 100000, EFA, false, MILAN},
    {"g6e.48xlarge", "", "AWS", "g6e.48xlarge, 8x L40S", &l40s, 8, 4, 100000, EFA, false, MILAN},

    {"Standard_ND40rs_v2", "ndv2", "Azure", "ND40rs v2, 8x V100", &v100, 8, 1, 100000, "mlx5_ib#", true, SKYLAKE},
    {"Standard_ND96asr_v4", "ndv4", "Azure", "ND96asr v4, 8x A100", &a100, 8, 8, 200000, "mlx5_ib#", true, ROME},
    {"Standard_ND96amsr_A100_v4", "ndmv4", "Azure", "ND96amsr A100 v4, 8x A100 80 GB", &a100, 8, 8, 200000, "mlx5_ib#",
     true, ROME},
    {"Standard_NC96ads_A100_v4", "ncv4", "Azure", "NC96ads A100 v4, 4x A100 PCIe", &a100_pair, 4, 1, 80000, GVNIC,
     false, MILAN},
    {"Standard_ND96isr_H100_v5", "ndv5", "Azure", "ND96isr H100 v5, 8x H100", &h100, 8, 8, 400000, "mlx5_ib#", true,
     SAPPHIRE},
    {"Standard_ND96isr_H200_v5", "ndv5-h200", "Azure", "ND96isr H200 v5, 8x H200", &h200, 8, 8, 400000, "mlx5_ib#",
     true, SAPPHIRE},
    {"Standard_ND128isr_NDR_GB200_v6", "ndv6", "Azure", "ND128isr GB200 v6, 4x GB200", &gb200, 4, 4, 400000, "mlx5_ib#",
     true, GRACE},

    {"a2-highgpu-8g", "", "GCP", "a2-highgpu-8g, 8x A100", &a100, 8, 1, 100000, GVNIC, false, SKYLAKE},
    {"a2-megagpu-16g", "", "GCP", "a2-megagpu-16g, 16x A100", &a100, 16, 1, 100000, GVNIC, false, SKYLAKE},
    {"a2-ultragpu-8g", "", "GCP", "a2-ultragpu-8g, 8x A100 80 GB", &a100, 8, 1, 100000, GVNIC, false, SKYLAKE},
    {"a3-highgpu-8g", "a3", "GCP", "a3-highgpu-8g, 8x H100", &h100, 8, 4, 200000, GVNIC, true, SAPPHIRE},
    {"a3-megagpu-8g", "a3-mega", "GCP", "a3-megagpu-8g, 8x H100", &h100, 8, 8, 200000, GVNIC, true, SAPPHIRE},
    {"a3-ultragpu-8g", "a3-ultra", "GCP", "a3-ultragpu-8g, 8x H200", &h200, 8, 8, 400000, "rocep#s0", true, EMERALD},
    {"a4-highgpu-8g", "a4", "GCP", "a4-highgpu-8g, 8x B200", &b200, 8, 8, 400000, "rocep#s0", true, EMERALD},
    {"a4x-highgpu-4g", "a4x", "GCP", "a4x-highgpu-4g, 4x GB200", &gb200, 4, 4, 400000, "rocep#s0", true, GRACE},

    {"BM.GPU3.8", "", "OCI", "BM.GPU3.8, 8x V100", &v100, 8, 1, 25000, "ens#", false, SKYLAKE},
    {"BM.GPU4.8", "", "OCI", "BM.GPU4.8, 8x A100", &a100, 8, 16, 100000, MLX, true, ROME},
    {"BM.GPU.A100-v2.8", "BM.GPU.B4.8", "OCI", "BM.GPU.A100-v2.8, 8x A100 80 GB", &a100, 8, 16, 100000, MLX, true,
     MILAN},
    {"BM.GPU.H100.8", "", "OCI", "BM.GPU.H100.8, 8x H100", &h100, 8, 16, 200000, MLX, true, SAPPHIRE},
    {"BM.GPU.H200.8", "", "OCI", "BM.GPU.H200.8, 8x H200", &h200, 8, 8, 400000, MLX, true, SAPPHIRE},
    {"BM.GPU.B200.8", "", "OCI", "BM.GPU.B200.8, 8x B200", &b200, 8, 8, 400000, MLX, true, EMERALD},
    {"BM.GPU.GB200.4", "", "OCI", "BM.GPU.GB200.4, 4x GB200", &gb200, 4, 4, 400000, MLX, true, GRACE},
};
enum { TYPE_COUNT = sizeof types / sizeof types[0] };

const struct orr_machine_type *orr_machine_type(size_t i)
{
    return i < TYPE_COUNT ? &types[i] : NULL;
}

static bool lists(const char *names, const char *name)
{
    size_t length = strlen(name);
    while (*names) {
        size_t word = strcspn(names, " ");
        if (word == length && !strncasecmp(names, name, length))
            return true;
        names += word + (names[word] == ' ');
    }
    return false;
}

const struct orr_machine_type *orr_machine_type_find(const char *name)
{
    for (size_t i = 0; *name && i < TYPE_COUNT; i++)
        if (!strcasecmp(types[i].name, name) || lists(types[i].also, name))
            return &types[i];
    return NULL;
}

/* How many pairs of neighbouring letters of a name stand in another: enough to guess what was meant. */
static unsigned likeness(const char *name, const char *other)
{
    unsigned pairs = 0;
    for (; name[0] && name[1]; name++)
        for (const char *at = other; at[0] && at[1]; at++)
            if (!strncasecmp(name, at, 2)) {
                pairs++;
                break;
            }
    return pairs;
}

enum orr_code orr_machine_type_unknown(const char *name, struct orr_error *err)
{
    enum { MOST = 3, LONGEST = 64 };
    char asked[LONGEST], known[160] = "";
    bool named[TYPE_COUNT] = {false};
    snprintf(asked, sizeof asked, "%s", name);
    for (int k = 0; k < MOST; k++) {
        size_t best = TYPE_COUNT;
        unsigned most = 0;
        for (size_t i = 0; i < TYPE_COUNT; i++)
            if (!named[i] && likeness(asked, types[i].name) > most) {
                best = i;
                most = likeness(asked, types[i].name);
            }
        if (best == TYPE_COUNT)
            break;
        named[best] = true;
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", types[best].name);
    }
    orr_fail(err, ORR_SETTING, "\"%.60s\" is no machine type that Orrery knows", name);
    orr_error_where(err, "assume");
    if (*known)
        orr_error_advice(err, "did you mean one of %s? `orrery machines` and GET /v1/machines list all", known);
    else
        orr_error_advice(err, "`orrery machines` and GET /v1/machines list all");
    return ORR_SETTING;
}
