/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses what runs a call. Copy engines come first. Then the model picks one of the symmetric kernels that function,
 * type, windows and team allow. A kernel with LL may still lose to the classic choice. */
#include "engine/device/kernels.h"

#include <string.h>
#include <strings.h>

#include "engine/device/deciding.h"
#include "engine/device/kernel_model.h"

enum type_class { REDUCED, FLOAT8, COPIED }; /* with symmetric sums; the same, but multimem only from sm 100; without */

static const struct {
    const char *name;
    uint32_t bytes;
    enum type_class class;
} types[] = {
#define X(symbol, name, bytes, class) {name, bytes, class},
    ORR_DATA_TYPE_MAP(X)
#undef X
};

const char *orr_data_type_name(size_t type)
{
    return type < ORR_DATA_TYPE_COUNT ? types[type].name : NULL;
}

uint32_t orr_data_type_bytes(enum orr_data_type type)
{
    return types[type].bytes;
}

static bool gathers(const struct orr_device_call *call)
{
    return call->function == ORR_ALLGATHER || call->function == ORR_REDUCESCATTER;
}

/* The bytes for the model: those of a rank, or of the whole buffer for AllReduce. */
static uint64_t own_bytes(const struct orr_device_side *d, const struct orr_device_call *call)
{
    return gathers(call) ? call->bytes / d->analysis->communicator.rank_count : call->bytes;
}

static bool is_window(unsigned windows, enum orr_windows side)
{
    return windows == ORR_WINDOWS_BOTH || windows == (unsigned)side;
}

/* NCCL_CTA_POLICY: by its first digit, or by words joined by "|". */
static bool asks_for_copy_engine(const struct orr_device_side *d, bool words)
{
    const char *text = orr_setting_text(&d->analysis->query.settings, ORR_SET_CTA_POLICY);
    if (!text)
        return false;
    if (!words)
        return text[0] == '2';
    while (*text) {
        size_t length = strcspn(text, "|");
        if ((length == 4 && !strncasecmp(text, "ZERO", 4)) || *text == '2')
            return true;
        text += length + (text[length] == '|');
    }
    return false;
}

/* Whether copy engines run an AllGather; the other collectives that they can run have no symmetric kernel. */
static bool goes_by_copy_engine(const struct orr_device_side *d, const struct orr_device_call *call,
                                struct orr_device_choice *choice)
{
    const enum orr_copy_engine rule = d->rules->copy_engine;
    const struct orr_device_verdict *verdict = orr_device_verdict(d, ORR_DEVICE_COPY_ENGINE);
    if (call->function != ORR_ALLGATHER || verdict->value <= 0)
        return false;
    bool over_nodes = !strcmp(verdict->rule, "CE_OVER_NODES"), both = call->windows == ORR_WINDOWS_BOTH;
    bool asked = asks_for_copy_engine(d, rule >= ORR_CE_ONE_NODE);
    bool registered = over_nodes || rule == ORR_CE_ASKED ? both : is_window(call->windows, ORR_WINDOWS_RECV);
    uint64_t count = own_bytes(d, call) / types[call->type].bytes;
    int64_t threshold = orr_device_setting(d, ORR_SET_SYM_CE_THRESHOLD);
    bool large = !strcmp(verdict->rule, "CE_BY_SIZE") && threshold >= 0 && count > (uint64_t)threshold;
    if (!registered || (!asked && !large))
        return false;
    choice->by = ORR_BY_COPY_ENGINE;
    choice->rule = asked ? "CE_ASKED" : "CE_LARGE";
    choice->sentence =
        asked ? "NCCL_CTA_POLICY asks for copy engines." : "The rank sends more elements than NCCL_SYM_CE_THRESHOLD.";
    return true;
}

/* Why the registered windows leave only the symmetric kernels with LL. */
static bool only_ll(const struct orr_device_side *d, const struct orr_device_call *call)
{
    if (!d->rules->kernels_by_window)
        return false;
    if (call->function == ORR_ALLREDUCE)
        return call->windows != ORR_WINDOWS_BOTH;
    return !is_window(call->windows, call->function == ORR_ALLGATHER ? ORR_WINDOWS_RECV : ORR_WINDOWS_SEND);
}

static bool uses_gin(const struct orr_device_side *d)
{
    return !strcmp(orr_device_verdict(d, ORR_DEVICE_KERNELS)->rule, "KERNELS_BY_GIN");
}

static bool is_candidate(const struct orr_device_side *d, const struct orr_device_call *call,
                         const struct orr_kernel *kernel)
{
    enum { LL_BELOW_LOG = 31, ALL_BELOW_LOG = 36 };
    const struct orr_communicator *c = &d->analysis->communicator;
    const struct orr_settings *settings = &d->analysis->query.settings;
    const unsigned gin = d->rules->gin_kernels == ORR_GIN_KERNELS_GATHER ? ORR_KERNEL_GIN_GATHER : ORR_KERNEL_GIN;
    bool multimem = orr_device_verdict(d, ORR_DEVICE_MULTIMEM)->value > 0;
    int32_t sm = orr_system_node(&d->kinds[0].part->system, ORR_GPU, 0)->gpu.sm;
    const char *forced = orr_setting_text(settings, ORR_SET_SYM_KERNEL);
    if (kernel->function != call->function)
        return false;
    if ((kernel->is & (ORR_KERNEL_GIN | ORR_KERNEL_GIN_GATHER)) != (uses_gin(d) ? gin : 0))
        return false;
    if ((kernel->is & ORR_KERNEL_MC) && !multimem)
        return false;
    if ((kernel->is & ORR_KERNEL_REDUCING) && types[call->type].class == FLOAT8 && sm < 100)
        return false;
    if ((kernel->is & ORR_KERNEL_TMA) &&
        (!d->rules->has_tma || c->sm_min < 100 || orr_device_setting(d, ORR_SET_SYM_TMA_ENABLE) != 1))
        return false;
    if (!(kernel->is & ORR_KERNEL_LL) && only_ll(d, call))
        return false;
    if (uses_gin(d) && call->function == ORR_ALLGATHER && call->windows != ORR_WINDOWS_BOTH)
        return false;
    if (call->bytes >> ALL_BELOW_LOG || ((kernel->is & ORR_KERNEL_LL) && call->bytes >> LL_BELOW_LOG))
        return false;
    return !forced || *forced == '^' || !strcmp(forced, kernel->name);
}

/* Compares a kernel with LL with the classic choice. */
static bool yields(const struct orr_device_side *d, const struct orr_device_call *call, const char **ret_why)
{
    const struct orr_settings *settings = &d->analysis->query.settings;
    const char *forced = orr_setting_text(settings, ORR_SET_SYM_KERNEL);
    struct orr_choice classic;
    bool allowed = orr_device_setting(d, ORR_SET_SYM_NOWIN_ENABLE) != 0;
    if (d->rules->ll_yields == ORR_LL_STAYS || (forced && *forced != '^') ||
        (d->rules->ll_yields == ORR_LL_BY_WINDOWS && call->windows == ORR_WINDOWS_BOTH))
        return false;
    if (call->windows == ORR_WINDOWS_NONE && !allowed) {
        *ret_why = "No window is registered, and NCCL_SYM_NOWIN_ENABLE is 0.";
        return true;
    }
    *ret_why = "Only a symmetric kernel with LL would do, and the classic choice has another protocol.";
    return !orr_tuning_choose(&d->analysis->tuning, &d->analysis->communicator, settings, call->function, call->bytes,
                              &classic) ||
           classic.protocol != ORR_LL;
}

/* Why no symmetric kernel is considered at all; NULL if some are. */
static const char *excluded(const struct orr_device_side *d, const struct orr_device_call *call, const char **ret_rule)
{
    const struct orr_device_verdict *kernels = orr_device_verdict(d, ORR_DEVICE_KERNELS);
    if (kernels->value <= 0) {
        *ret_rule = kernels->rule;
        return kernels->sentence;
    }
    if (!gathers(call) && call->function != ORR_ALLREDUCE) {
        *ret_rule = "NO_SUCH_KERNEL";
        return "There are symmetric kernels for AllReduce, AllGather and ReduceScatter only.";
    }
    if (call->function != ORR_ALLGATHER && types[call->type].class == COPIED) {
        *ret_rule = "TYPE";
        return "Symmetric kernels add up float32, float16, bfloat16 and float8 only.";
    }
    if (!d->rules->kernels_by_window && call->windows != ORR_WINDOWS_BOTH) {
        *ret_rule = "WINDOWS";
        return "This release needs both buffers in windows.";
    }
    return NULL;
}

static void estimate(const struct orr_device_side *d, const struct orr_device_call *call,
                     const struct orr_kernel *kernel, struct orr_device_candidate *candidate)
{
    enum { ROUNDED = 1024 };
    const struct orr_communicator *c = &d->analysis->communicator;
    int64_t asked = orr_device_setting(d, ORR_SET_SYM_CTAS);
    uint64_t bytes = own_bytes(d, call);
    bytes = bytes ? bytes : 1;
    if (d->rules->rounds_sizes)
        bytes = (bytes + ROUNDED - 1) / ROUNDED * ROUNDED;
    const struct orr_kernel_load load = {
        .device = d,
        .ranks = c->rank_count,
        .bytes = bytes,
        .arch = 10 * orr_system_node(&d->kinds[0].part->system, ORR_GPU, 0)->gpu.sm,
        .least = c->min_ctas,
        .most = c->max_ctas < ORR_MAX_CHANNELS ? c->max_ctas : ORR_MAX_CHANNELS,
        .fixed = asked <= 0                 ? 0
                 : asked < ORR_MAX_CHANNELS ? (int32_t)asked
                                            : ORR_MAX_CHANNELS,
    };
    orr_kernel_estimate(kernel, &load, candidate);
}

void orr_device_choose(const struct orr_device_side *device, const struct orr_device_call *call,
                       struct orr_device_choice *ret_choice, struct orr_device_candidate candidates[ORR_MOST_KERNELS],
                       uint32_t *ret_count)
{
    struct orr_device_choice choice = {.by = ORR_BY_CLASSIC};
    const struct orr_kernel *best = NULL;
    float score = 0;
    uint32_t count = 0;
    choice.sentence = excluded(device, call, &choice.rule);
    for (const struct orr_kernel *kernel = orr_kernels; kernel->name && !choice.sentence; kernel++) {
        struct orr_device_candidate candidate;
        if (!is_candidate(device, call, kernel))
            continue;
        estimate(device, call, kernel, &candidate);
        if (!best || candidate.score < score) {
            best = kernel;
            score = candidate.score;
            choice.kernel = candidate.kernel;
            choice.blocks = candidate.blocks;
            choice.time = candidate.time;
        }
        if (candidates && count < ORR_MOST_KERNELS)
            candidates[count++] = candidate;
    }
    if (goes_by_copy_engine(device, call, &choice)) {
        choice.kernel = NULL;
    } else if (best && !((best->is & ORR_KERNEL_LL) && yields(device, call, &choice.sentence))) {
        choice.by = ORR_BY_SYMMETRIC;
        choice.rule = "FASTEST_KERNEL";
        choice.sentence = count == 1 ? "It is the only kernel that may run." : "It is the fastest by NCCL's model.";
        choice.assumed = uses_gin(device);
    } else if (best) {
        choice.rule = "LL_YIELDS";
        choice.kernel = NULL;
    } else if (!choice.sentence) {
        choice.rule = "NO_CANDIDATE";
        choice.sentence = uses_gin(device) && call->function == ORR_ALLREDUCE
                              ? "No symmetric kernel does AllReduce over several teams."
                              : "No symmetric kernel fits the type, the windows and the size.";
    }
    *ret_choice = choice;
    if (ret_count)
        *ret_count = count;
}
