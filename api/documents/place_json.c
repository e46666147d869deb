/* SPDX-License-Identifier: Apache-2.0 */
/* The GPUs that a job should use, as JSON. */
#include "api/documents/json.h"
#include "api/documents/sections.h"
#include "engine/place/place.h"

static json_t *bits_json(struct orr_json *json, orr_bits bits)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; bits >> i; i++) {
        if (bits >> i & 1)
            orr_json_add(json, array, orr_json_int(json, i));
        if (i == ORR_MOST_PLACE_GPUS - 1)
            break;
    }
    return array;
}

/* null if nothing can be predicted. */
static json_t *busbw_json(struct orr_json *json, double busbw)
{
    return busbw > 0 ? orr_json_number(json, busbw) : orr_json_text(json, NULL);
}

static json_t *hosts_json(struct orr_json *json, const struct orr_score_question *question,
                          const struct orr_score *score)
{
    json_t *array = orr_json_array(json);
    for (uint32_t h = 0; h < question->host_counts; h++) {
        const struct orr_set_prediction *prediction = &score->by_hosts[h];
        orr_json_add(json, array,
                     ORR_OBJECT(json, ORR_INT("hosts", question->hosts[h].hosts),
                                ORR_VALUE("busbw", busbw_json(json, prediction->busbw)),
                                ORR_STRING("algorithm", prediction->algorithm),
                                ORR_STRING("protocol", prediction->protocol), ORR_STRING("limit", prediction->limit),
                                ORR_STRING("limited_by", prediction->limited_by)));
    }
    return array;
}

static json_t *score_json(struct orr_json *json, const struct orr_placing *placing, const struct orr_score *score)
{
    json_t *nics = orr_json_array(json), *order = orr_json_array(json);
    for (uint32_t n = 0; n < ORR_MOST_PLACE_NICS; n++)
        if (score->nics >> n & 1)
            orr_json_add(json, nics, orr_json_text(json, orr_scores_nic(placing->scores, n)));
    for (uint32_t i = 0; i < score->count; i++)
        orr_json_add(json, order, orr_json_int(json, score->order[i]));
    return ORR_OBJECT(json, ORR_VALUE("gpus", bits_json(json, score->gpus)), ORR_VALUE("nics", nics),
                      ORR_VALUE("order", order), ORR_VALUE("busbw", busbw_json(json, score->busbw)),
                      ORR_VALUE("hosts", hosts_json(json, &orr_scores_about(placing->scores)->question, score)));
}

static json_t *choice_json(struct orr_json *json, const struct orr_placing *placing,
                           const struct orr_place_choice *choice)
{
    json_t *object = score_json(json, placing, &choice->score), *left = orr_json_object(json);
    ORR_SET(json, left, ORR_VALUE("gpus", bits_json(json, choice->left)),
            ORR_VALUE("busbw", busbw_json(json, choice->left_busbw)),
            ORR_VALUE("next", busbw_json(json, choice->left_next)));
    orr_json_set(json, object, "left", left);
    return object;
}

static json_t *best_json(struct orr_json *json, const struct orr_placing *placing)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < placing->best_count; i++) {
        json_t *object = choice_json(json, placing, &placing->best[i]);
        orr_json_set(json, object, "same", orr_json_int(json, (int64_t)placing->best[i].same));
        orr_json_add(json, array, object);
    }
    return array;
}

static json_t *compared_json(struct orr_json *json, const struct orr_placing *placing)
{
    if (!placing->compared)
        return orr_json_text(json, NULL);
    json_t *object = choice_json(json, placing, placing->compared);
    const double best = placing->best[0].score.busbw;
    orr_json_set(json, object, "share", busbw_json(json, best > 0 ? placing->compared->score.busbw / best : 0));
    return object;
}

static json_t *packed_json(struct orr_json *json, const struct orr_placing *placing)
{
    if (!placing->packed)
        return orr_json_text(json, NULL);
    json_t *jobs = orr_json_array(json);
    for (uint32_t j = 0; j < placing->request.job_count; j++)
        orr_json_add(json, jobs, score_json(json, placing, &placing->packed[j]));
    return ORR_OBJECT(json, ORR_STRING("by", orr_pack_word(placing->request.worst)),
                      ORR_VALUE("total", busbw_json(json, placing->total)),
                      ORR_VALUE("worst", busbw_json(json, placing->worst)), ORR_VALUE("jobs", jobs));
}

static json_t *counts_json(struct orr_json *json, const struct orr_score_question *question)
{
    json_t *array = orr_json_array(json);
    for (uint32_t h = 0; h < question->host_counts; h++) {
        orr_json_add(json, array,
                     ORR_OBJECT(json, ORR_INT("hosts", question->hosts[h].hosts),
                                ORR_NUMBER("weight", question->hosts[h].weight)));
    }
    return array;
}

json_t *orr_place_json(struct orr_json *json, const struct orr_placing *placing, const char *name, bool release_given)
{
    const struct orr_score_question *question = &orr_scores_about(placing->scores)->question;
    json_t *assumed =
        orr_assumed_json(json, orr_scores_about(placing->scores)->dump, &question->settings, release_given);
    char figures[400];
    const char *sentence;
    for (uint32_t i = 0; (sentence = orr_place_assumed(placing, i, figures)); i++)
        orr_json_add(json, assumed, orr_json_text(json, sentence));
    return ORR_OBJECT(json, ORR_STRING("topology", name), ORR_STRING("release", question->settings.release->name),
                      ORR_STRING("collective", orr_test_programs[question->test].name),
                      ORR_INT("size", (int64_t)question->size), ORR_INT("count", placing->request.count),
                      ORR_VALUE("free", bits_json(json, placing->request.free)),
                      ORR_STRING("sentence", placing->sentence), ORR_VALUE("hosts", counts_json(json, question)),
                      ORR_VALUE("best", best_json(json, placing)), ORR_VALUE("compared", compared_json(json, placing)),
                      ORR_VALUE("packed", packed_json(json, placing)), ORR_BOOL("exact", placing->exact),
                      ORR_VALUE("bound", busbw_json(json, placing->exact ? 0 : placing->bound)),
                      ORR_INT("sets", (int64_t)placing->sets), ORR_INT("scored", (int64_t)placing->scored),
                      ORR_VALUE("assumed", assumed));
}
