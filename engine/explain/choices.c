/* SPDX-License-Identifier: Apache-2.0 */
/* The algorithm and protocol that NCCL picks for a collective of a size. */
#include "engine/explain/explainer.h"
#include "engine/tuning/tuning.h"

static bool choice_of(const struct orr_explainer *e, struct orr_choice *ret_choice)
{
    return orr_tuning_choose(&e->a->tuning, &e->a->communicator, &e->a->query.settings, e->why->function, e->why->bytes,
                             ret_choice);
}

enum orr_code orr_find_choice(struct orr_explainer *e, struct orr_error *err)
{
    e->part = &e->a->parts[0];
    if (e->why->bytes)
        return ORR_OK;
    return orr_fail_with(err, ORR_SETTING, "bytes",
                         "such as bytes=1048576; collective=AllGather names another collective than AllReduce",
                         "algorithm needs the size of the message (bytes)");
}

static const char *name_of(struct orr_explainer *e, enum orr_algorithm algorithm, enum orr_protocol protocol)
{
    return orr_tell(e, "%s %s", orr_algorithm_name(e->a->query.settings.release, algorithm),
                    orr_protocol_name(protocol));
}

const char *orr_verdict_choice(struct orr_explainer *e)
{
    struct orr_choice choice;
    if (!choice_of(e, &choice))
        return "none is left";
    return orr_tell(e, "%s, %s, %.6g us", name_of(e, choice.algorithm, choice.protocol),
                    orr_count_words(e, choice.channels, "channel"), (double)choice.time);
}

static void compare_times(struct orr_explainer *e)
{
    const struct orr_tuning *t = &e->a->tuning;
    enum orr_function f = e->why->function;
    for (uint32_t a = 0; a < t->algorithm_count; a++)
        for (int p = 0; p < ORR_PROTOCOL_COUNT; p++) {
            float time = orr_tuning_time(t, &e->a->communicator, &e->a->query.settings, f, (enum orr_algorithm)a,
                                         (enum orr_protocol)p, e->why->bytes);
            if (time >= 0 && e->a->communicator.rank_count > 1)
                orr_compare_number(e,
                                   orr_tell(e, "%s, latency %.6g us and bandwidth %.6g GB/s",
                                            name_of(e, (enum orr_algorithm)a, (enum orr_protocol)p),
                                            (double)t->latency[f][a][p], (double)t->bandwidth[f][a][p]),
                                   (double)time, "us", ORR_COMPUTED);
        }
}

/* The next best by time, as a sentence with a blank before it; "" if there is none. */
static const char *runner_up(struct orr_explainer *e, const struct orr_choice *choice)
{
    const struct orr_tuning *t = &e->a->tuning;
    const char *name = NULL;
    float best = 0;
    for (uint32_t a = 0; a < t->algorithm_count; a++)
        for (int p = 0; p < ORR_PROTOCOL_COUNT; p++) {
            float time = orr_tuning_time(t, &e->a->communicator, &e->a->query.settings, e->why->function,
                                         (enum orr_algorithm)a, (enum orr_protocol)p, e->why->bytes);
            bool chosen = a == (uint32_t)choice->algorithm && p == (int)choice->protocol;
            if (time < 0 || chosen || (name && time >= best))
                continue;
            best = time;
            name = name_of(e, (enum orr_algorithm)a, (enum orr_protocol)p);
        }
    return name ? orr_tell(e, " The next fastest, %s, would take %.4g us.", name, (double)best) : "";
}

enum orr_code orr_explain_choice(struct orr_explainer *e, struct orr_error *err)
{
    struct orr_explanation *out = e->out;
    struct orr_choice choice;
    bool found = choice_of(e, &choice), alone = e->a->communicator.rank_count == 1;
    const struct orr_settings *settings = &e->a->query.settings;
    bool narrowed = orr_setting_text(settings, ORR_SET_ALGO) || orr_setting_text(settings, ORR_SET_PROTO);
    (void)err;
    static const struct {
        const char *id, *rule;
    } rules[] = {{"CHOICE_FASTEST", "NCCL takes the fastest: latency plus size divided by bandwidth."},
                 {"CHOICE_NARROWED", "NCCL takes the fastest of those that NCCL_ALGO and NCCL_PROTO allow."},
                 {"CHOICE_COPY", "With one rank NCCL only copies, so there is nothing to choose."},
                 {"CHOICE_NONE", "The settings allow no algorithm and protocol, so NCCL fails."}};
    const int rule = !found ? 3 : alone ? 2 : narrowed;
    out->rule_id = rules[rule].id;
    out->rule = rules[rule].rule;
    const char *operation =
        orr_tell(e, "%s of %s", orr_function_name(e->why->function), orr_size_words(e, e->why->bytes));
    out->question = orr_tell(e, "Which algorithm and protocol does NCCL choose for %s, and why?", operation);
    out->answer = !found  ? out->rule
                  : alone ? orr_tell(e, "For %s NCCL only copies, because there is one rank.", operation)
                          : orr_tell(e,
                                     "For %s NCCL uses %s with %s on %s: %.4g us, or %.4g GB/s (size divided by time), "
                                     "predicted by NCCL's tuning model. %s%s",
                                     operation, orr_algorithm_name(settings->release, choice.algorithm),
                                     orr_protocol_name(choice.protocol), orr_count_words(e, choice.channels, "channel"),
                                     (double)choice.time, (double)e->why->bytes / (double)choice.time / 1e3, out->rule,
                                     runner_up(e, &choice));
    if (!found || alone)
        return ORR_OK;
    compare_times(e);
    orr_limit_graph(e, &e->part->contribution.graphs[orr_algorithm_graph(settings->release->tuning, choice.algorithm)]);
    return ORR_OK;
}
