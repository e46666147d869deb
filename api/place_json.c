/* Which GPUs a job should take, as JSON. */
#include "api/json.h"
#include "api/sections.h"
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

/* null: nothing can be predicted. */
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
        json_t *object = orr_json_object(json);
        orr_json_set(json, object, "hosts", orr_json_int(json, question->hosts[h].hosts));
        orr_json_set(json, object, "busbw", busbw_json(json, prediction->busbw));
        orr_json_set(json, object, "algorithm", orr_json_text(json, prediction->algorithm));
        orr_json_set(json, object, "protocol", orr_json_text(json, prediction->protocol));
        orr_json_set(json, object, "limit", orr_json_text(json, prediction->limit));
        orr_json_set(json, object, "limited_by", orr_json_text(json, prediction->limited_by));
        orr_json_add(json, array, object);
    }
    return array;
}

static json_t *score_json(struct orr_json *json, const struct orr_placing *placing, const struct orr_score *score)
{
    json_t *object = orr_json_object(json), *nics = orr_json_array(json), *order = orr_json_array(json);
    for (uint32_t n = 0; n < ORR_MOST_PLACE_NICS; n++)
        if (score->nics >> n & 1)
            orr_json_add(json, nics, orr_json_text(json, orr_scores_nic(placing->scores, n)));
    for (uint32_t i = 0; i < score->count; i++)
        orr_json_add(json, order, orr_json_int(json, score->order[i]));
    orr_json_set(json, object, "gpus", bits_json(json, score->gpus));
    orr_json_set(json, object, "nics", nics);
    orr_json_set(json, object, "order", order);
    orr_json_set(json, object, "busbw", busbw_json(json, score->busbw));
    orr_json_set(json, object, "hosts", hosts_json(json, orr_scores_question(placing->scores), score));
    return object;
}

static json_t *choice_json(struct orr_json *json, const struct orr_placing *placing,
                           const struct orr_place_choice *choice)
{
    json_t *object = score_json(json, placing, &choice->score), *left = orr_json_object(json);
    orr_json_set(json, left, "gpus", bits_json(json, choice->left));
    orr_json_set(json, left, "busbw", busbw_json(json, choice->left_busbw));
    orr_json_set(json, left, "next", busbw_json(json, choice->left_next));
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
    json_t *object = orr_json_object(json), *jobs = orr_json_array(json);
    for (uint32_t j = 0; j < placing->request.job_count; j++)
        orr_json_add(json, jobs, score_json(json, placing, &placing->packed[j]));
    orr_json_set(json, object, "by", orr_json_text(json, orr_pack_word(placing->request.worst)));
    orr_json_set(json, object, "total", busbw_json(json, placing->total));
    orr_json_set(json, object, "worst", busbw_json(json, placing->worst));
    orr_json_set(json, object, "jobs", jobs);
    return object;
}

static json_t *counts_json(struct orr_json *json, const struct orr_score_question *question)
{
    json_t *array = orr_json_array(json);
    for (uint32_t h = 0; h < question->host_counts; h++) {
        json_t *object = orr_json_object(json);
        orr_json_set(json, object, "hosts", orr_json_int(json, question->hosts[h].hosts));
        orr_json_set(json, object, "weight", orr_json_number(json, question->hosts[h].weight));
        orr_json_add(json, array, object);
    }
    return array;
}

json_t *orr_place_json(struct orr_json *json, const struct orr_placing *placing, const char *name, bool release_given)
{
    const struct orr_score_question *question = orr_scores_question(placing->scores);
    json_t *root = orr_json_object(json);
    json_t *assumed = orr_assumed_json(json, orr_scores_dump(placing->scores), &question->settings, release_given);
    char figures[400];
    const char *sentence;
    for (uint32_t i = 0; (sentence = orr_place_assumed(placing, i, figures)); i++)
        orr_json_add(json, assumed, orr_json_text(json, sentence));
    orr_json_set(json, root, "topology", orr_json_text(json, name));
    orr_json_set(json, root, "release", orr_json_text(json, question->settings.release->name));
    orr_json_set(json, root, "collective", orr_json_text(json, orr_test_programs[question->test].name));
    orr_json_set(json, root, "size", orr_json_int(json, (int64_t)question->size));
    orr_json_set(json, root, "count", orr_json_int(json, placing->request.count));
    orr_json_set(json, root, "free", bits_json(json, placing->request.free));
    orr_json_set(json, root, "sentence", orr_json_text(json, placing->sentence));
    orr_json_set(json, root, "hosts", counts_json(json, question));
    orr_json_set(json, root, "best", best_json(json, placing));
    orr_json_set(json, root, "compared", compared_json(json, placing));
    orr_json_set(json, root, "packed", packed_json(json, placing));
    orr_json_set(json, root, "exact", orr_json_bool(json, placing->exact));
    orr_json_set(json, root, "bound", busbw_json(json, placing->exact ? 0 : placing->bound));
    orr_json_set(json, root, "sets", orr_json_int(json, (int64_t)placing->sets));
    orr_json_set(json, root, "scored", orr_json_int(json, (int64_t)placing->scored));
    orr_json_set(json, root, "assumed", assumed);
    return root;
}
