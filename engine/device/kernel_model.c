/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's model of its symmetric kernels. More blocks move more bytes, up to what the links carry: the rate rises along
 * a smooth curve towards a peak, and the time is a base plus the time for the bytes. The model uses the fewest blocks
 * whose time is within 2.5 % of the time with all blocks, because the application cannot use these blocks meanwhile.
 *
 * Kernels over several teams have a simpler model: the bytes at the rate of the slowest of blocks, NVLink and network,
 * plus a first chunk that nothing overlaps, plus the latency of the network. docs/nccl/device-side.md, "The model of
 * the kernels". */
#include "engine/device/kernel_model.h"

#include <math.h>

static const double bytes_of_rate = 1073.741824; /* a rate of 1 in bytes per microsecond: 2^30 / 10^6 */
static const double enough = 1.025;

const struct orr_kernel orr_kernels[] = {
    {"AllReduce_AGxLL_R", ORR_ALLREDUCE, ORR_KERNEL_LL, ORR_TRAFFIC_LL},
    {"AllReduce_AGxLLMC_R", ORR_ALLREDUCE, ORR_KERNEL_LL | ORR_KERNEL_MC, ORR_TRAFFIC_LL},
    {"AllReduce_RSxTmaLD_AGxTmaST", ORR_ALLREDUCE, ORR_KERNEL_TMA, ORR_TRAFFIC_BOTH_WAYS},
    {"AllReduce_RSxLD_AGxST", ORR_ALLREDUCE, 0, ORR_TRAFFIC_BOTH_WAYS},
    {"AllReduce_RSxLDMC_AGxSTMC", ORR_ALLREDUCE, ORR_KERNEL_MC | ORR_KERNEL_REDUCING, ORR_TRAFFIC_SWITCHED},
    {"AllGather_LL", ORR_ALLGATHER, ORR_KERNEL_LL, ORR_TRAFFIC_LL},
    {"AllGather_LLMC", ORR_ALLGATHER, ORR_KERNEL_LL | ORR_KERNEL_MC, ORR_TRAFFIC_LL},
    {"AllGather_TmaST", ORR_ALLGATHER, ORR_KERNEL_TMA, ORR_TRAFFIC_OTHERS},
    {"AllGather_ST", ORR_ALLGATHER, 0, ORR_TRAFFIC_OTHERS},
    {"AllGather_TmaSTMC", ORR_ALLGATHER, ORR_KERNEL_TMA | ORR_KERNEL_MC, ORR_TRAFFIC_OTHERS},
    {"AllGather_STMC", ORR_ALLGATHER, ORR_KERNEL_MC, ORR_TRAFFIC_OTHERS},
    {"AllGather_GinHier_MCRing", ORR_ALLGATHER, ORR_KERNEL_GIN_GATHER | ORR_KERNEL_MC, ORR_TRAFFIC_OTHERS},
    {"AllGather_RailRing_LsaSTMC", ORR_ALLGATHER, ORR_KERNEL_GIN | ORR_KERNEL_MC, ORR_TRAFFIC_OTHERS},
    {"ReduceScatter_LL", ORR_REDUCESCATTER, ORR_KERNEL_LL, ORR_TRAFFIC_LL},
    {"ReduceScatter_TmaLD", ORR_REDUCESCATTER, ORR_KERNEL_TMA, ORR_TRAFFIC_OTHERS},
    {"ReduceScatter_LD", ORR_REDUCESCATTER, 0, ORR_TRAFFIC_OTHERS},
    {"ReduceScatter_LDMC", ORR_REDUCESCATTER, ORR_KERNEL_MC | ORR_KERNEL_REDUCING, ORR_TRAFFIC_OTHERS},
    {"ReduceScatter_RailA2A_LsaLD", ORR_REDUCESCATTER, ORR_KERNEL_GIN, ORR_TRAFFIC_OTHERS},
    {"ReduceScatter_RailA2A_LsaLDMC", ORR_REDUCESCATTER, ORR_KERNEL_GIN | ORR_KERNEL_MC | ORR_KERNEL_REDUCING,
     ORR_TRAFFIC_OTHERS},
    {NULL, ORR_ALLREDUCE, 0, ORR_TRAFFIC_LL},
};

static int32_t divide_up(uint64_t a, uint64_t b)
{
    uint64_t quotient = (a + b - 1) / b;
    return quotient > INT32_MAX ? INT32_MAX : (int32_t)quotient;
}

static double traffic(const struct orr_kernel *kernel, const struct orr_kernel_load *load)
{
    uint64_t n = load->ranks, bytes = load->bytes;
    switch (kernel->traffic) {
    case ORR_TRAFFIC_LL:
        return 9.0 * (double)n * (double)bytes;
    case ORR_TRAFFIC_BOTH_WAYS:
        return (double)(2 * bytes * (n - 1) / n);
    case ORR_TRAFFIC_SWITCHED:
        return (double)(bytes / n + bytes);
    default:
        return (double)(n - 1) * (double)bytes;
    }
}

/* How much more a block moves with the help of the NVSwitch. */
static double multiple(const struct orr_kernel *kernel, uint32_t ranks)
{
    bool multimem = (kernel->is & ORR_KERNEL_MC) != 0;
    if (kernel->is & ORR_KERNEL_LL)
        return multimem ? 1.1 : 1;
    if (!multimem)
        return 1;
    return kernel->function == ORR_ALLREDUCE ? ranks : 0.55 * ranks;
}

struct rates {
    double base, block, peak;
};

static struct rates rates_of(const struct orr_kernel *kernel, int32_t arch)
{
    bool sum = kernel->function == ORR_ALLREDUCE, ll = (kernel->is & ORR_KERNEL_LL) != 0;
    bool switched = kernel->traffic == ORR_TRAFFIC_SWITCHED;
    if (arch < 1000)
        return (struct rates){ll ? 4.5 : 7.8, sum ? 65 : 44, switched ? 480 : 320};
    double ll_base = kernel->function == ORR_ALLGATHER ? 8.5 : 11, base = sum ? 19.5 : 13.0;
    return (struct rates){ll ? ll_base : base, 55, switched ? 1000 : 600};
}

static float time_of(const struct orr_kernel *kernel, const struct orr_kernel_load *load, int32_t blocks)
{
    const struct rates r = rates_of(kernel, load->arch);
    double m = multiple(kernel, load->ranks);
    double rate = r.peak - r.block * log(1 + (exp(r.peak / r.block) - 1) * exp(-(double)blocks * m));
    double beyond = traffic(kernel, load) / (rate * bytes_of_rate) - 1;
    return (float)(r.base + (beyond >= 100 ? beyond : log1p(exp(beyond))));
}

static void estimate_lsa(const struct orr_kernel *kernel, const struct orr_kernel_load *load,
                         struct orr_device_candidate *c)
{
    bool by_switch = (kernel->is & ORR_KERNEL_MC) && !(kernel->is & ORR_KERNEL_LL);
    int32_t most = by_switch ? divide_up(load->arch < 1000 ? 16 : 32, load->ranks) : load->most;
    most = load->fixed ? load->fixed : most < load->most ? most : load->most;
    int32_t least = load->fixed ? load->fixed : load->least;
    float limit = (float)(enough * (double)time_of(kernel, load, most));
    c->blocks = most;
    for (int32_t blocks = least; blocks < most; blocks++)
        if (time_of(kernel, load, blocks) <= limit) {
            c->blocks = blocks;
            break;
        }
    c->time = time_of(kernel, load, c->blocks);
}

/* The size of a chunk in bytes: the release's, or the user's as a power of two. */
static uint64_t gin_chunk(const struct orr_kernel_load *load)
{
    enum { LEAST = 128, MOST = 1 << 30 };
    int64_t asked = orr_setting_int(&load->device->analysis->query.settings, ORR_SET_SYM_RS_GIN_CHUNK_SIZE);
    if (asked <= 0)
        return (uint64_t)load->device->rules->gin_chunk;
    uint64_t chunk = LEAST;
    while (chunk * 2 <= (uint64_t)asked && chunk < MOST)
        chunk *= 2;
    return chunk;
}

/* The cost of ReduceScatter over teams per byte of a rank's result: loads and stores in the team, transfers between
 * teams, work of a block. */
struct gin_costs {
    double lsa, gin, block; /* times the size */
    double lsa_bw, gin_bw, block_rate;
};

static struct gin_costs gin_costs(const struct orr_kernel_load *load, bool by_switch)
{
    const struct orr_device_side *d = load->device;
    int newer = d->analysis->communicator.sm_min >= 100;
    double size = d->lsa_size, teams = d->team_count, fan = by_switch ? 1 : size;
    return (struct gin_costs){
        .lsa = (by_switch ? size : size - 1) * teams,
        .gin = teams - 1,
        .block = (d->lsa_size == 1 ? 0 : fan * (teams - 1)) + fan + (teams - 1),
        .lsa_bw = newer ? 720 : 360,
        .gin_bw = (double)d->min_net_bw,
        .block_rate = (double)(by_switch ? d->rules->gin_ldmc_rates : d->rules->gin_ld_rates)[newer],
    };
}

/* The rate at which the links deliver the result, 10^9 bytes a second; a team of one loads nothing from others. */
static double link_rate(const struct gin_costs *c)
{
    double lsa = c->lsa > 0 ? c->lsa_bw / c->lsa : INFINITY, gin = c->gin_bw / c->gin;
    return lsa < gin ? lsa : gin;
}

static int32_t saturation(const struct gin_costs *c)
{
    return (int32_t)ceil(link_rate(c) / (c->block_rate / c->block));
}

static void estimate_scatter(const struct orr_kernel *kernel, const struct orr_kernel_load *load,
                             struct orr_device_candidate *c)
{
    static const double latency = 14; /* microseconds, of a ring with Simple over the network */
    const struct gin_costs plain = gin_costs(load, false), switched = gin_costs(load, true);
    const struct gin_costs *own = kernel->is & ORR_KERNEL_MC ? &switched : &plain;
    uint64_t chunk = gin_chunk(load);
    int32_t a = saturation(&plain), b = saturation(&switched), inbox = a > b ? a : b;
    int32_t least = load->fixed ? load->fixed : load->least, most = load->fixed ? load->fixed : load->most;
    inbox = inbox < least ? least : inbox > most ? most : inbox;
    int32_t full = saturation(own), blocks = divide_up(load->bytes, chunk);
    blocks = blocks < least ? least : blocks;
    blocks = blocks < most ? blocks : most;
    blocks = blocks < inbox ? blocks : inbox;
    blocks = blocks < full ? blocks : full;
    double rate = blocks * own->block_rate / own->block, links = link_rate(own), size = (double)load->bytes;
    double first = (double)chunk * blocks < size ? (double)chunk * blocks : size;
    c->blocks = blocks;
    c->time = (float)(size / 1e3 / (rate < links ? rate : links) +
                      first / 1e3 * (own->lsa / own->lsa_bw + own->gin / own->gin_bw) + latency);
}

/* The time of the only candidate for AllGather over teams, which NCCL does not compare. */
static void count_gather(const struct orr_kernel *kernel, const struct orr_kernel_load *load,
                         struct orr_device_candidate *c)
{
    int32_t heads = load->device->analysis->communicator.nvls_head_count;
    int32_t blocks = divide_up(load->bytes, kernel->is & ORR_KERNEL_GIN_GATHER ? 4u << 20 : 1u << 20);
    int32_t bound = divide_up(load->arch < 1000 ? 16 : 32, heads > 0 ? (uint64_t)heads : 1);
    bound = bound < load->most ? bound : load->most;
    blocks = blocks < load->least ? load->least : blocks;
    c->blocks = load->fixed ? load->fixed : blocks < bound ? blocks : bound;
    c->time = 0;
}

void orr_kernel_estimate(const struct orr_kernel *kernel, const struct orr_kernel_load *load,
                         struct orr_device_candidate *c)
{
    static const float block_cost = 0.025F;
    c->kernel = kernel->name;
    if (!(kernel->is & (ORR_KERNEL_GIN | ORR_KERNEL_GIN_GATHER)))
        estimate_lsa(kernel, load, c);
    else if (kernel->function == ORR_REDUCESCATTER)
        estimate_scatter(kernel, load, c);
    else
        count_gather(kernel, load, c);
    c->score = c->time * (1 + block_cost * (float)c->blocks);
}
