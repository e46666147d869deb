#include "engine/release/release.h"

#include <string.h>

#include "engine/release/connect_rules.h"
#include "engine/release/tuning_model.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const uint8_t path_types_2_27[] = {ORR_PATH_LOC, ORR_PATH_NVL, ORR_PATH_NVB, ORR_PATH_C2C, ORR_PATH_PIX, ORR_PATH_PXB,
                                          ORR_PATH_P2C, ORR_PATH_PXN, ORR_PATH_PHB, ORR_PATH_SYS, ORR_PATH_NET, ORR_PATH_DIS};

/* Texts of link_speed, tried in this order as prefixes: kernels print with and without " PCIe". */
static const struct orr_speed speeds_2_12[] = {
    {"2.5 GT/s", 15},       {"5 GT/s", 30},         {"8 GT/s", 60},         {"16 GT/s", 120},
    {"32 GT/s", 240},       {"5.0 GT/s PCIe", 30},  {"8.0 GT/s PCIe", 60},  {"16.0 GT/s PCIe", 120},
    {"32.0 GT/s PCIe", 240}, {"64.0 GT/s PCIe", 480}, {NULL, 60},
};

static const struct orr_nvlink_bw nvlink_2_27[] = {
    {100, 40.1f}, {90, 20.6f}, {87, 20.0f}, {86, 12.0f}, {70, 20.0f}, {60, 18.0f}, {INT32_MIN, 20.0f},
};

/* Rates that the search tries, GB/s a channel. */
static const float intra_old[] = {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3};
static const float inter_old[] = {48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4f, 1.2f, .24f, .12f};
static const float intra_sm90[] = {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3};
static const float inter_sm90[] = {48, 45, 42, 40, 30, 24, 22, 20, 17.5f, 15, 12, 6, 3, 2.4f, 1.2f, .24f, .12f};
static const float intra_sm100_2_27[] = {90, 80, 70, 60, 50, 40, 30, 24, 20, 19, 18};
static const float inter_sm100_2_27[] = {96, 48, 45.1f, 42, 40, 30, 24, 22, 20, 17.5f, 15, 12, 6, 3, 2.4f, 1.2f, .24f, .12f};

#define RATES(intra_, inter_) {.intra = (intra_), .inter = (inter_), .intra_count = COUNT(intra_), .inter_count = COUNT(inter_)}

static const struct orr_search_rates rates_2_27[] = {
    {100, RATES(intra_sm100_2_27, inter_sm100_2_27)},
    {90, RATES(intra_sm90, inter_sm90)},
    {INT32_MIN, RATES(intra_old, inter_old)},
};

static const struct orr_release releases[] = {
    {
        .name = "2.27.7",
        .version = ORR_VERSION(2, 27, 7),
        .date = "2025-07",
        .summary = "C2C and P2C paths, GPU Direct RDMA over C2C, P2P level PXB for all but pairs on AMD, rails kept by "
                   "rings that enter and leave by two NICs in turn, rates for capability 100",
        .verified = true,
        .path_types = path_types_2_27,
        .path_type_count = COUNT(path_types_2_27),
        .id_layout = ORR_ID_MASKED,
        .max_channels = 64,
        .max_elements = 256,
        .max_children = 128,
        .max_nodes = 576,
        .max_links = 576,
        .speeds = speeds_2_12,
        .nvlink_bw = nvlink_2_27,
        .qpi_power = 32,
        .qpi_arm = 6,
        .qpi_amd = 16,
        .qpi_zhaoxin = 6,
        .qpi_yongfeng = 9,
        .qpi_intel = {0, 6, 10, 22, 40},
        .intel_overhead_up = 6,
        .intel_overhead_down = 5,
        .search_rates = rates_2_27,
        .ring_max_channels = 32,
        .connect = &orr_connect_rules_2_27,
        .tuning = &orr_tuning_model_2_27,
    },
};

const struct orr_release *orr_releases(uint32_t *ret_count)
{
    *ret_count = COUNT(releases);
    return releases;
}

const struct orr_release *orr_release_default(void)
{
    return &releases[COUNT(releases) - 1];
}

const struct orr_release *orr_release_find(const char *name)
{
    for (uint32_t i = 0; i < COUNT(releases); i++)
        if (!strcmp(releases[i].name, name))
            return &releases[i];
    return NULL;
}

int orr_path_type_number(const struct orr_release *release, enum orr_path_type type)
{
    for (uint32_t i = 0; i < release->path_type_count; i++)
        if (release->path_types[i] == type)
            return (int)i;
    return -1;
}

enum orr_path_type orr_path_type_of_number(const struct orr_release *release, int number)
{
    if (number < 0 || (uint32_t)number >= release->path_type_count)
        return ORR_PATH_DIS;
    return (enum orr_path_type)release->path_types[number];
}
