/* SPDX-License-Identifier: Apache-2.0 */
/* Turns parameters into the questions of the engine's rooms. */
#include "api/questions/questions.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/place/bits.h"
#include "engine/release/release_names.h"

static enum orr_code read_test(const char *name, enum orr_test *ret_test, struct orr_error *err)
{
    *ret_test = orr_test_find(name, strlen(name));
    if (*ret_test != ORR_TEST_COUNT)
        return ORR_OK;
    enum orr_code code = orr_not_a_word("collective", name, orr_predicted_word, err);
    orr_error_where(err, "collective");
    return code;
}

enum orr_code orr_params_predict(const struct orr_params *params, enum orr_test *ret_test,
                                 struct orr_expect_sizes *ret_sizes, struct orr_error *err)
{
    ORR_TRY(read_test(params->predicted, ret_test, err));
    enum orr_code code = orr_expect_sizes_read(params->sizes, ret_sizes, err);
    if (code != ORR_OK)
        orr_error_where(err, "sizes");
    return code;
}

enum orr_code orr_params_order(const struct orr_params *params, struct orr_order_question *ret_question,
                               struct orr_error *err)
{
    *ret_question = (struct orr_order_question){.layout = params->layout, .size = params->placed_size};
    return read_test(params->predicted, &ret_question->test, err);
}

struct orr_input_options orr_params_input(const struct orr_params *params)
{
    return (struct orr_input_options){.assumed = params->assumed,
                                      .assumed_nics = params->assumed_nics,
                                      .assumed_cpu = params->assumed_cpu,
                                      .release = params->query.settings.release};
}

enum orr_code orr_params_drawing(const struct orr_params *params, struct orr_diagram_request *ret_request,
                                 struct orr_error *err)
{
    *ret_request = (struct orr_diagram_request){.view = (enum orr_view)params->view,
                                                .theme = (enum orr_theme)params->theme,
                                                .channel = (int32_t)params->channel,
                                                .from = params->from,
                                                .to = params->to};
    if (params->view != ORR_VIEW_PATH || (params->from && params->to))
        return ORR_OK;
    return orr_fail_with(err, ORR_SETTING, params->from ? "to" : "from", NULL, "the view path needs both from and to");
}

enum orr_code orr_params_why(const struct orr_params *params, struct orr_why *ret_why, struct orr_error *err)
{
    *ret_why = (struct orr_why){.kind = (enum orr_why_kind)params->decision,
                                .from = params->from,
                                .to = params->to,
                                .graph = (enum orr_graph_kind)params->graph,
                                .channel = (int32_t)params->channel,
                                .function = (enum orr_function)params->collective,
                                .bytes = params->bytes,
                                .type = (enum orr_data_type)params->datatype};
    if (orr_given(params, ORR_ASK_DECISION))
        return ORR_OK;
    struct orr_text known;
    orr_text_init(&known, sizeof err->advice);
    orr_words_write(orr_why_name, "or", &known);
    orr_fail(err, ORR_SETTING, "the question does not say which decision to explain");
    orr_error_where(err, "decision");
    orr_error_advice(err, "it can be %s", orr_text_data(&known));
    orr_text_release(&known);
    return ORR_SETTING;
}

enum orr_code orr_params_perf(const struct orr_params *params, struct orr_perf_question *ret_question,
                              struct orr_error *err)
{
    *ret_question = (struct orr_perf_question){.settings = params->query.settings,
                                               .release_given = orr_given(params, ORR_ASK_RELEASE),
                                               .hosts = orr_given(params, ORR_ASK_HOSTS) ? params->query.hosts : 0,
                                               .test = ORR_TEST_COUNT};
    return params->tested ? read_test(params->tested, &ret_question->test, err) : ORR_OK;
}

enum orr_code orr_params_scored(const struct orr_params *params, struct orr_score_question *ret_question,
                                struct orr_error *err)
{
    const char *nics = params->placed_nics;
    *ret_question = (struct orr_score_question){
        .settings = params->query.settings, .size = params->placed_size, .orders = params->orders};
    ret_question->settings.gpus = NULL;
    if (nics && strspn(nics, "0123456789") == strlen(nics))
        ORR_TRY(orr_read_number("nics", nics, 1, ORR_MOST_PLACE_NICS, &ret_question->nic_count, err));
    else
        ret_question->settings.nics = nics;
    ORR_TRY(read_test(params->predicted, &ret_question->test, err));
    return orr_place_hosts_read(params->placed_hosts, ret_question, err);
}

enum orr_code orr_params_place(const struct orr_params *params, const struct orr_scores *scores,
                               struct orr_place_request *ret_request, struct orr_error *err)
{
    orr_bits among = ~(orr_bits)0;
    const uint32_t most = orr_scores_about(scores)->gpu_count;
    struct orr_place_request request = {.count = params->count,
                                        .top = params->top,
                                        .worst = params->pack == ORR_PACK_WORST,
                                        .free = ~(orr_bits)0 >> (ORR_MOST_PLACE_GPUS - most)};
    if (params->jobs && (params->count || params->compared))
        return orr_fail_with(err, ORR_SETTING, "jobs", NULL,
                             "jobs already says how many GPUs each job takes: leave out count and compare");
    if (params->free)
        ORR_TRY(orr_place_gpus_read(scores, "free", params->free, &request.free, err));
    if (params->query.settings.gpus)
        ORR_TRY(orr_place_gpus_read(scores, "gpus", params->query.settings.gpus, &among, err));
    request.free &= among;
    if (params->compared)
        ORR_TRY(orr_place_gpus_read(scores, "compare", params->compared, &request.compared, err));
    if (params->jobs)
        ORR_TRY(orr_place_jobs_read(params->jobs, &request, err));
    else if (!request.count)
        request.count = orr_bit_count(request.compared ? request.compared : request.free);
    *ret_request = request;
    return ORR_OK;
}

enum orr_code orr_params_gate(const struct orr_params *params, struct orr_gate_request *ret_request,
                              struct orr_error *err)
{
    char *end = NULL;
    const char *share = params->min_bus_bw;
    double value = isdigit((unsigned char)*share) || *share == '.' ? strtod(share, &end) : -1;
    *ret_request = (struct orr_gate_request){.query = params->query,
                                             .min_bus_bw = value,
                                             .allowed = params->allowed.items,
                                             .allowed_count = params->allowed.count};
    if (!end || *end || !(value >= 0 && value <= 1))
        return orr_fail_with(err, ORR_SETTING, "min_busbw", NULL,
                             "min_busbw must be a fraction from 0 to 1, such as 0.9, not \"%.40s\"", share);
    for (uint32_t i = 0; i < params->allowed.count; i++)
        if (!orr_gate_knows(params->allowed.items[i])) {
            return orr_fail_with(err, ORR_SETTING, "allow",
                                 "docs/findings.md lists the findings; the answer names those of this node",
                                 "there is no finding \"%.60s\"", params->allowed.items[i]);
        }
    return ORR_OK;
}

struct orr_log_question orr_params_log(const struct orr_params *params)
{
    return (struct orr_log_question){
        .release = orr_given(params, ORR_ASK_RELEASE) ? params->query.settings.release : NULL,
        .hosts = orr_given(params, ORR_ASK_HOSTS) ? params->query.hosts : 0,
        .communicator = orr_given(params, ORR_ASK_COMMUNICATOR) ? params->communicator : UINT32_MAX,
        .given = &params->query.settings,
    };
}

static enum orr_code wrong_side(struct orr_error *err)
{
    orr_error_where(err, "against");
    orr_error_advice(err, "against=2.21.5 names another release, against=NCCL_CROSS_NIC=1 another setting; both may be "
                          "given, and settings several times");
    return ORR_SETTING;
}

enum orr_code orr_against_read(const struct orr_query *question, const struct orr_texts *against,
                               struct orr_query *ret_other, struct orr_error *err)
{
    const struct orr_release *release = NULL;
    uint32_t asked = 0;
    *ret_other = *question;
    if (!against->count) {
        orr_fail(err, ORR_SETTING, "a comparison needs its other side in `against`");
        return wrong_side(err);
    }
    for (uint32_t i = 0; i < against->count; i++) {
        if (strchr(against->items[i], '='))
            continue;
        if (release) {
            orr_fail(err, ORR_SETTING, "a comparison has one other release, not both %s and \"%.32s\"", release->name,
                     against->items[i]);
            return wrong_side(err);
        }
        struct orr_release_choice choice = {0};
        ORR_TRY(orr_release_choose(against->items[i], orr_settings_nearest(&question->settings), &choice, err));
        release = choice.release;
        asked = choice.asked;
    }
    if (release) {
        ORR_TRY(orr_settings_for(&ret_other->settings, release, &question->settings, err));
        ret_other->settings.asked = asked;
    }
    for (uint32_t i = 0; i < against->count; i++) {
        const char *equals = strchr(against->items[i], '=');
        char name[64];
        if (!equals)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(equals - against->items[i]), against->items[i]);
        if (!strcmp(name, "hosts")) {
            orr_fail(err, ORR_SETTING, "both sides of a comparison have the same hosts");
            orr_error_advice(err, "name a release or NCCL_NAME=VALUE; hosts=N is for both sides");
            return wrong_side(err);
        }
        ORR_TRY(orr_settings_set(&ret_other->settings, name, equals + 1, err));
    }
    return ORR_OK;
}
