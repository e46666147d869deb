/* SPDX-License-Identifier: Apache-2.0 */
/* Explains what device code may use: symmetric memory and its kernels, teams, multimem, GIN, copy engines,
 * registration. */
#include <string.h>

#include "engine/device/kernels.h"
#include "engine/explain/explainer.h"
#include "engine/hardware/gpu_models.h"
#include "engine/hardware/hardware.h"

/* The verdicts of the analysis; NULL if memory runs out, which the arena remembers. */
static const struct orr_device_side *device_of(struct orr_explainer *e)
{
    struct orr_device_side *device = ORR_NEW(e->arena, struct orr_device_side, 1);
    if (!device || orr_device_decide(e->a, e->arena, device, NULL) != ORR_OK) {
        orr_arena_starve(e->arena);
        return NULL;
    }
    return device;
}

static const char *name_of(const struct orr_explainer *e, enum orr_device_fact fact)
{
    return orr_device_fact_name(e->a->query.settings.release, fact);
}

static struct orr_device_choice choice_of(struct orr_explainer *e, const struct orr_device_side *device,
                                          struct orr_device_candidate *candidates, uint32_t *ret_count)
{
    struct orr_device_choice choice;
    const struct orr_device_call call = {.function = e->why->function,
                                         .type = e->why->type,
                                         .bytes = e->why->bytes,
                                         .windows = e->a->query.settings.windows};
    orr_device_choose(device, &call, &choice, candidates, ret_count);
    return choice;
}

static const char *way_words(struct orr_explainer *e, const struct orr_device_choice *choice)
{
    if (choice->by == ORR_BY_COPY_ENGINE)
        return "copy engines";
    if (choice->by == ORR_BY_CLASSIC)
        return "the classic choice";
    return choice->time > 0 ? orr_tell(e, "%s, %s, %.6g us", choice->kernel,
                                       orr_count_words(e, choice->blocks, "block"), (double)choice->time)
                            : orr_tell(e, "%s, %s", choice->kernel, orr_count_words(e, choice->blocks, "block"));
}

/* "no: isAllDirectNvlink is 0", or the name of the verdict's value. */
static const char *verdict_words(struct orr_explainer *e, const struct orr_device_side *device,
                                 enum orr_device_fact fact)
{
    char text[ORR_DEVICE_VALUE_SIZE];
    const struct orr_device_verdict *verdict = orr_device_verdict(device, fact);
    orr_device_value_text(fact, verdict->value, text);
    const char *other = orr_device_differs(device, fact) ? " at rank 0, and nodes differ" : "";
    if (verdict->value < 0)
        return orr_tell(e, "no: %s", text);
    return orr_tell(e, "%s%s", text, other);
}

static const char *symmetric_words(struct orr_explainer *e)
{
    const struct orr_device_side *device = device_of(e);
    if (!device)
        return "";
    if (orr_device_verdict(device, ORR_DEVICE_KERNELS)->value <= 0)
        return orr_tell(e, "%s%s", verdict_words(e, device, ORR_DEVICE_KERNELS),
                        orr_device_verdict(device, ORR_DEVICE_SYMMETRIC)->value > 0
                            ? ": symmetric memory is there, but no kernel may use it"
                            : "");
    if (!e->a->query.settings.windows)
        return "yes, if windows are registered";
    const struct orr_device_choice choice = choice_of(e, device, NULL, NULL);
    return choice.by == ORR_BY_CLASSIC ? "yes, but not for this call: the classic choice"
                                       : orr_tell(e, "yes: %s", way_words(e, &choice));
}

const char *orr_verdict_symmetric(struct orr_explainer *e)
{
    return symmetric_words(e);
}

/* The only fact of a kind. */
static const char *fact_words(struct orr_explainer *e, enum orr_device_fact fact)
{
    const struct orr_device_side *device = device_of(e);
    return device ? verdict_words(e, device, fact) : "";
}

const char *orr_verdict_lsa(struct orr_explainer *e)
{
    const struct orr_device_side *device = device_of(e);
    if (!device || !device->team_count)
        return device ? verdict_words(e, device, ORR_DEVICE_LSA) : "";
    return orr_tell(e, "%s in %s", orr_count_words(e, device->lsa_size, "rank"),
                    device->team_count == 1 ? "one team" : orr_tell(e, "each of %u teams", device->team_count));
}

const char *orr_verdict_multimem(struct orr_explainer *e)
{
    return fact_words(e, ORR_DEVICE_MULTIMEM);
}

const char *orr_verdict_gin(struct orr_explainer *e)
{
    const struct orr_device_side *device = device_of(e);
    const struct orr_device_verdict *verdict = device ? orr_device_verdict(device, ORR_DEVICE_GIN) : NULL;
    if (!verdict || verdict->value <= 0)
        return !verdict ? "" : verdict->value < 0 ? "no: not in this release" : "no";
    return orr_tell(e, "%s, %s", fact_words(e, ORR_DEVICE_GIN), orr_gin_type_name(device->kinds[0].gin_type));
}

const char *orr_verdict_ce(struct orr_explainer *e)
{
    const struct orr_device_side *device = device_of(e);
    if (!device)
        return "";
    const struct orr_device_verdict *verdict = orr_device_verdict(device, ORR_DEVICE_COPY_ENGINE);
    return verdict->value <= 0                    ? verdict_words(e, device, ORR_DEVICE_COPY_ENGINE)
           : !strcmp(verdict->rule, "CE_BY_SIZE") ? "yes, above a size or if asked for"
                                                  : "yes, if asked for";
}

static const enum orr_device_fact buffers[] = {ORR_DEVICE_NVLS_BUFFERS, ORR_DEVICE_IPC_BUFFERS, ORR_DEVICE_RING_BUFFERS,
                                               ORR_DEVICE_PAIR_BUFFERS};
static const char *const buffer_names[] = {"NVLS", "P2P", "rings", "send and receive"};
enum { BUFFERS = sizeof buffers / sizeof buffers[0] };

const char *orr_verdict_registration(struct orr_explainer *e)
{
    const struct orr_device_side *device = device_of(e);
    const char *text = "";
    for (int i = 0; device && i < BUFFERS; i++)
        text = orr_tell(e, "%s%s%s %s", text, *text ? ", " : "", buffer_names[i],
                        orr_device_verdict(device, buffers[i])->value > 0 ? "yes" : "no");
    return text;
}

/* Each fact of a list with its value, and the reason of a "no". */
static void compare_facts(struct orr_explainer *e, const struct orr_device_side *device,
                          const enum orr_device_fact *facts, int count)
{
    for (int i = 0; i < count; i++) {
        char text[ORR_DEVICE_VALUE_SIZE];
        const struct orr_device_verdict *verdict = orr_device_verdict(device, facts[i]);
        uint32_t other = orr_device_differs(device, facts[i]);
        const char *value = orr_device_value_text(facts[i], verdict->value, text);
        value = other ? orr_tell(e, "%s, but %s on the node with rank %d", value,
                                 orr_device_value_text(facts[i], device->kinds[other].verdicts[facts[i]].value,
                                                       (char[ORR_DEVICE_VALUE_SIZE]){0}),
                                 device->kinds[other].first_rank)
                      : orr_tell(e, "%s", value);
        orr_compare_text(e, name_of(e, facts[i]), value,
                         (struct orr_from){ORR_FROM_COMPUTED, verdict->value < 0 ? NULL : verdict->sentence});
    }
}

static void compare_setting(struct orr_explainer *e, enum orr_setting setting)
{
    if (orr_setting_in(setting, e->a->query.settings.release))
        orr_compare_text(e, orr_setting_name(setting), orr_setting_now(e, setting), orr_from_setting(e, setting));
}

/* The advice about hardware; settings are tried and advised elsewhere. */
static const char *hardware_remedy(struct orr_explainer *e, const struct orr_device_verdict *verdict)
{
    return *verdict->remedy && !strstr(verdict->remedy, "NCCL_") ? orr_tell(e, " %s", verdict->remedy) : "";
}

/* GeForce cards and virtual machines have such pairs, and NVML may refuse them P2P. */
static bool is_doubtful(const struct orr_device_side *device)
{
    return !orr_device_verdict(device, ORR_DEVICE_ALL_NVLINK)->value;
}

/* Whether symmetric memory is supported, as a clause, if its kernels may not run. */
static const char *tell_memory(struct orr_explainer *e, const struct orr_device_side *device,
                               const struct orr_device_verdict *memory)
{
    const struct orr_gpu_model *refused = orr_gpu_model_without_p2p(e->a->given);
    if (memory->value <= 0)
        return "";
    if (is_doubtful(device) && refused)
        return orr_tell(e, ", and there is no symmetric memory either: NVML reports no P2P between %.*s cards (%.80s)",
                        (int)strcspn(refused->names, "|"), refused->names, refused->source);
    return is_doubtful(device) ? ", although symmetric memory itself is supported if NVML reports P2P as OK"
                               : ", although symmetric memory itself is supported";
}

/* The other possible answer, if the assumption is not a safe one. */
static const char *otherwise(struct orr_explainer *e, const struct orr_device_side *device,
                             const struct orr_device_verdict *verdict)
{
    if ((verdict->assumes & ORR_DEVICE_ASSUMES_NVML) && is_doubtful(device))
        return " This assumes that NVML reports P2P as OK for these PCIe pairs, which GeForce cards and many virtual "
               "machines do not; without it there is no symmetric memory.";
    if (verdict->assumes & ORR_DEVICE_ASSUMES_GIN_PLUGIN)
        return orr_tell(e, " This assumes that NCCL's own GIN can drive the NICs; without GIN it would be \"%s\".",
                        verdict->value > 0 ? "no" : "no, too");
    return "";
}

static void set_rule(struct orr_explainer *e, const struct orr_device_verdict *verdict, const char *sentence)
{
    e->out->rule_id = verdict->rule;
    e->out->rule = sentence;
}

/* What runs a call with registered windows, in addition to the classic choice. */
static const char *tell_call(struct orr_explainer *e, const struct orr_device_side *device)
{
    struct orr_device_candidate candidates[ORR_MOST_KERNELS];
    uint32_t count = 0;
    struct orr_choice classic;
    const struct orr_device_choice choice = choice_of(e, device, candidates, &count);
    const char *call = orr_tell(e, "%s of %s (%s)", orr_function_name(e->why->function),
                                orr_size_words(e, e->why->bytes), orr_data_type_name(e->why->type));
    for (uint32_t i = 0; i < count; i++)
        orr_compare_number(
            e, orr_tell(e, "%s, %s", candidates[i].kernel, orr_count_words(e, candidates[i].blocks, "block")),
            (double)candidates[i].time, "us", ORR_COMPUTED);
    const char *other = "";
    if (orr_tuning_choose(&e->a->tuning, &e->a->communicator, &e->a->query.settings, e->why->function, e->why->bytes,
                          &classic))
        other = orr_tell(e, "%s with %s, %.4g us", orr_algorithm_name(e->a->query.settings.release, classic.algorithm),
                         orr_protocol_name(classic.protocol), (double)classic.time);
    if (choice.by == ORR_BY_CLASSIC)
        return orr_tell(e, "%s takes the classic choice (%s): %s", call, other, choice.sentence);
    return orr_tell(e, "%s runs by %s%s, where the classic choice is %s.", call, way_words(e, &choice),
                    choice.time > 0 ? " in NCCL's model" : "", other);
}

enum orr_code orr_explain_symmetric(struct orr_explainer *e, struct orr_error *err)
{
    static const enum orr_device_fact facts[] = {ORR_DEVICE_DIRECT_P2P, ORR_DEVICE_CUDA_P2P, ORR_DEVICE_DIRECT_NVLINK,
                                                 ORR_DEVICE_LSA,        ORR_DEVICE_MULTIMEM, ORR_DEVICE_GIN,
                                                 ORR_DEVICE_SYMMETRIC,  ORR_DEVICE_KERNELS};
    static const enum orr_setting settings[] = {ORR_SET_WIN_ENABLE, ORR_SET_CUMEM_ENABLE, ORR_SET_SYM_KERNEL,
                                                ORR_SET_SYM_CTAS, ORR_SET_SYM_GIN_KERNELS_ENABLE};
    const struct orr_device_side *device = device_of(e);
    ORR_NEED(device, err);
    struct orr_explanation *out = e->out;
    const struct orr_device_verdict *memory = orr_device_verdict(device, ORR_DEVICE_SYMMETRIC);
    const struct orr_device_verdict *kernels = orr_device_verdict(device, ORR_DEVICE_KERNELS);
    unsigned windows = e->a->query.settings.windows;
    out->question = "May symmetric kernels run here?";
    set_rule(e, kernels,
             "NCCL looks at access between the GPUs of each node, at the number of nodes or teams, at windows and "
             "cuMem, and at GIN; then at NVLink between all GPUs. The first that fails decides.");
    if (kernels->value < 0)
        out->answer =
            orr_tell(e, "No: NCCL %s has no symmetric memory. %s", e->a->query.settings.release->name, kernels->remedy);
    else if (kernels->value == 0)
        out->answer = orr_tell(e, "No, every collective takes its classic algorithm%s. %s%s",
                               tell_memory(e, device, memory), kernels->sentence, hardware_remedy(e, kernels));
    else
        out->answer = orr_tell(
            e, "Yes%s. %s%s",
            windows ? "" : ", once the application registers windows for its buffers; without them nothing changes",
            windows ? tell_call(e, device) : kernels->sentence, otherwise(e, device, kernels));
    compare_facts(e, device, facts, sizeof facts / sizeof facts[0]);
    if (memory->value == 0)
        orr_compare_text(e, "a window that is registered all the same",
                         device->rules->windows_become_null ? "is NULL" : "is an ordinary registration",
                         orr_from_release(e));
    orr_compare_text(e, "registered windows", orr_windows_word(windows), (struct orr_from){.origin = ORR_FROM_SETTING});
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        compare_setting(e, settings[i]);
    return ORR_OK;
}

/* A kind of decision that is a single fact. */
static enum orr_code explain_fact(struct orr_explainer *e, enum orr_device_fact fact, const char *rule,
                                  const enum orr_device_fact *facts, int count, struct orr_error *err)
{
    const struct orr_device_side *device = device_of(e);
    ORR_NEED(device, err);
    const struct orr_device_verdict *verdict = orr_device_verdict(device, fact);
    char text[ORR_DEVICE_VALUE_SIZE];
    orr_device_value_text(fact, verdict->value, text);
    e->out->question = orr_device_fact_question(fact);
    set_rule(e, verdict, rule);
    if (verdict->value < 0)
        e->out->answer =
            orr_tell(e, "NCCL %s does not know this. %s", e->a->query.settings.release->name, verdict->remedy);
    else
        e->out->answer =
            orr_tell(e, "%c%s (%s). %s%s%s", text[0] - 'a' + 'A' < 'A' ? text[0] : text[0] - 'a' + 'A', text + 1,
                     name_of(e, fact), verdict->sentence, hardware_remedy(e, verdict), otherwise(e, device, verdict));
    compare_facts(e, device, facts, count);
    return ORR_OK;
}

enum orr_code orr_explain_lsa(struct orr_explainer *e, struct orr_error *err)
{
    static const enum orr_device_fact facts[] = {ORR_DEVICE_LSA, ORR_DEVICE_ONE_RANK};
    ORR_TRY(explain_fact(
        e, ORR_DEVICE_LSA,
        "All teams have one size: the greatest common divisor of the runs of consecutive ranks that share a node.",
        facts, 2, err));
    orr_compare_number(e, "ranks", e->a->communicator.rank_count, NULL, ORR_COMPUTED);
    orr_compare_number(e, "nodes", e->a->communicator.node_count, NULL, ORR_COMPUTED);
    orr_compare_number(e, "most ranks on a node", e->a->communicator.max_local_ranks, NULL, ORR_COMPUTED);
    compare_setting(e, ORR_SET_LSA_TEAM_SIZE);
    return ORR_OK;
}

enum orr_code orr_explain_multimem(struct orr_explainer *e, struct orr_error *err)
{
    static const enum orr_device_fact facts[] = {ORR_DEVICE_NVLS, ORR_DEVICE_LSA, ORR_DEVICE_MULTIMEM};
    return explain_fact(e, ORR_DEVICE_MULTIMEM,
                        "Multimem needs NVLink SHARP, from 2.29.7 on a team of three ranks, and P2P inside one clique.",
                        facts, 3, err);
}

enum orr_code orr_explain_gin(struct orr_explainer *e, struct orr_error *err)
{
    static const enum orr_device_fact facts[] = {ORR_DEVICE_GIN, ORR_DEVICE_RMA};
    ORR_TRY(explain_fact(e, ORR_DEVICE_GIN,
                         "All ranks need a NIC that GIN can drive, of one type, with GPUDirect RDMA; NCCL_CROSS_NIC=0 "
                         "keeps it to the rails.",
                         facts, 2, err));
    compare_setting(e, ORR_SET_CROSS_NIC);
    compare_setting(e, ORR_SET_GIN_ENABLE);
    compare_setting(e, ORR_SET_GIN_TYPE);
    return ORR_OK;
}

enum orr_code orr_explain_ce(struct orr_explainer *e, struct orr_error *err)
{
    static const enum orr_device_fact facts[] = {ORR_DEVICE_SYMMETRIC, ORR_DEVICE_DIRECT_NVLINK, ORR_DEVICE_LSA,
                                                 ORR_DEVICE_COPY_ENGINE};
    ORR_TRY(explain_fact(e, ORR_DEVICE_COPY_ENGINE,
                         "Copy engines need symmetric memory and all ranks in one node or team; they never reduce.",
                         facts, 4, err));
    compare_setting(e, ORR_SET_CTA_POLICY);
    compare_setting(e, ORR_SET_SYM_CE_THRESHOLD);
    return ORR_OK;
}

enum orr_code orr_explain_registration(struct orr_explainer *e, struct orr_error *err)
{
    const struct orr_device_side *device = device_of(e);
    ORR_NEED(device, err);
    struct orr_explanation *out = e->out;
    const char *reason = "";
    out->question = "Which user buffers may NCCL register?";
    out->rule_id = "REGISTRATION";
    out->rule = "NVLS needs one rank a process and no NVLink domain of several hosts. P2P needs direct access between "
                "all GPUs of a node. The network needs every rank at its own NIC with GPUDirect RDMA.";
    for (int i = 0; i < BUFFERS; i++) {
        const struct orr_device_verdict *verdict = orr_device_verdict(device, buffers[i]);
        if (!*reason && verdict->value == 0)
            reason = orr_tell(e, " Not for %s: %s", buffer_names[i], verdict->sentence);
    }
    out->answer = orr_tell(e, "As far as the topology decides, buffers may be registered for: %s.%s",
                           orr_verdict_registration(e), reason);
    compare_facts(e, device, buffers, BUFFERS);
    compare_setting(e, ORR_SET_PXN_DISABLE);
    return ORR_OK;
}
