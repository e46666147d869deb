/* SPDX-License-Identifier: Apache-2.0 */
/* Finds likely causes of the differences. Causes that the log itself shows come first (causes_shown.c). Then hypotheses
 * of engine/trials are tried by predicting again: a hypothesis that a line of the log refutes is not tried, and one
 * that leaves most of the differences is not a cause. Causes that cannot be predicted come last, untested. */
#include <stdio.h>
#include <string.h>

#include "engine/cluster/again.h"
#include "engine/log_comparing/trial.h"
#include "engine/search/memo.h"
#include "engine/trials/hypotheses.h"

static const struct orr_effort most_effort = {.analyses = 160, .steps = 1000000000};

struct explaining {
    struct orr_log_check *check;
    const struct orr_dump *dump; /* the dump of the prediction */
    struct orr_observed observed;
    struct orr_trials trials;
    struct orr_log_cause other; /* the best hypothesis without a turn, which is rarely a cause; id is NULL if there is
                                 * none */
    char what_other[200];
};

/* A hypothesis that was tried; row is NULL if there is none. */
struct tried {
    const struct orr_hypothesis *row;
    int amount;
    uint32_t left; /* differences */
    bool of_paths;
    char what[96];
};

/* The first lines of facts that differ now and agree in a trial. */
static void find_lines(const struct orr_log_check *check, const struct orr_log_facts *facts,
                       struct orr_log_cause *cause)
{
    enum { LOOKED_AT = 24 };
    uint32_t looked = 0;
    for (uint32_t i = 0; i < check->fact_count && looked < LOOKED_AT && cause->line_count < ORR_LOG_CAUSE_LINES; i++) {
        const struct orr_log_fact *fact = &check->facts[i];
        if (fact->verdict != ORR_FACT_DIFFERS ||
            (cause->line_count && cause->lines[cause->line_count - 1] == fact->line))
            continue;
        looked++;
        for (uint32_t k = 0; k < facts->count; k++) {
            const struct orr_log_fact *other = &facts->rows[k];
            if (other->line == fact->line && other->topic == fact->topic && other->verdict != ORR_FACT_DIFFERS &&
                !strcmp(other->what, fact->what)) {
                cause->lines[cause->line_count++] = fact->line;
                break;
            }
        }
    }
}

/* Sets cause->left to the number of differences that a variant leaves (UINT32_MAX if it cannot be computed), and the
 * lines that agree. */
static enum orr_code differences_of(struct explaining *e, struct orr_variant *variant, struct orr_log_cause *cause,
                                    struct orr_error *err)
{
    const struct orr_log_check *check = e->check;
    enum orr_log_topic first = variant->of_paths ? ORR_TOPIC_LINKS : ORR_TOPIC_SYSTEM,
                       last = variant->of_paths ? ORR_TOPIC_PATHS : ORR_LOG_TOPIC_COUNT;
    ORR_LOCAL_AGAIN(analysis);
    struct orr_log_facts facts;
    struct orr_error refused;
    cause->left = UINT32_MAX;
    cause->tested = true;
    ORR_TRY(orr_variant_analyze(&e->trials, variant, &analysis, &refused, err));
    if (!analysis)
        return ORR_OK;
    ORR_LOCAL_ARENA(arena, (size_t)1 << 30);
    ORR_TRY(orr_log_compare_facts(check, analysis, arena, &facts, err));
    cause->left = orr_log_differences(&facts, first, last);
    for (int t = 0; t < ORR_LOG_TOPIC_COUNT; t++) /* the other topics keep their differences */
        cause->left += t < (int)first || t > (int)last ? check->topics[t].differ : 0;
    if (cause->left < check->differ)
        find_lines(check, &facts, cause);
    return ORR_OK;
}

/* The compute capability of the first GPU; 0 if it has none. */
static int32_t capability_of(const struct orr_dump *dump)
{
    for (uint32_t e = 0; e < dump->element_count; e++)
        if (dump->elements[e].kind == ORR_ELEMENT_GPU)
            return orr_element_int(dump, e, ORR_ATTR_SM, 0);
    return 0;
}

/* Counts the differences that the log's own tree leaves. A tree does not show the GPUs' compute capability, nor whether
 * NICs can use GPUDirect RDMA. */
static enum orr_code try_machine(struct explaining *e, const struct orr_dump *machine, bool without_gdr,
                                 struct orr_log_cause *cause, struct orr_error *err)
{
    struct orr_variant variant;
    ORR_LOCAL_ARENA(arena, 0);
    orr_variant_init(&variant, e->check->analysis, machine, &e->observed, arena);
    variant.query = e->check->query;
    int32_t capability = orr_log_capability(e->check->log) ? 0 : capability_of(e->dump);
    for (struct orr_doc_node *gpu = NULL; capability && (gpu = orr_variant_next(&variant, gpu, ORR_ELEMENT_GPU));)
        orr_variant_set_int(&variant, gpu, ORR_ATTR_SM, capability);
    if (without_gdr)
        orr_variant_observed_gdr(&variant);
    return differences_of(e, &variant, cause, err);
}

/* Was it another machine? If the log has the machine's tree, the prediction for that tree shows it. */
static enum orr_code try_hardware(struct explaining *e, struct orr_error *err)
{
    struct orr_log_check *check = e->check;
    const char *why;
    ORR_OWNED(orr_dump) *machine = NULL;
    struct orr_error refused = {0};
    struct orr_log_cause cause = {
        .id = "hardware",
        .why = "The tree that the log prints is not the dump's, and a prediction for that tree agrees better.",
        .advice = "take a dump in the same state as the job (NCCL_TOPO_DUMP_FILE in the job itself)"};
    if (!check->topics[ORR_TOPIC_SYSTEM].differ && !check->topics[ORR_TOPIC_LINKS].differ)
        return ORR_OK;
    if (check->fabrics) /* the tree has all hosts of a clique */
        return ORR_OK;
    enum orr_code code = orr_log_tree_dump(check->log, capability_of(e->dump), &machine, &why, &refused);
    if (code != ORR_OK || !machine)
        return code == ORR_NOMEM ? orr_fail_nomem(err) : ORR_OK;
    code = try_machine(e, machine, false, &cause, err);
    if (code == ORR_OK && cause.left && e->observed.without_gdr_count) {
        struct orr_log_cause with_gdr = cause;
        with_gdr.line_count = 0;
        code = try_machine(e, machine, true, &with_gdr, err);
        if (with_gdr.left < cause.left)
            cause = with_gdr;
    }
    if (code != ORR_OK || cause.left > check->differ / 2)
        return code;
    const struct orr_log_fact *first = &check->facts[check->first];
    char what[256];
    snprintf(what, sizeof what, "another machine, or the same one in another state: %.80s is %.60s in the log",
             first->what, first->logged.text);
    cause.what = what;
    return orr_log_keep_cause(check, &cause, err);
}

/* Tries a hypothesis on top of `base` (alone if base's row is NULL) and sets cause->left. *ret_applies is false if it
 * changes nothing. */
static enum orr_code try_row(struct explaining *e, const struct tried *base, struct tried *tried, bool *ret_applies,
                             struct orr_log_cause *cause, struct orr_error *err)
{
    struct orr_variant variant;
    ORR_LOCAL_ARENA(arena, 0);
    orr_variant_init(&variant, e->check->analysis, e->dump, &e->observed, arena);
    variant.query = e->check->query;
    if (base->row && orr_hypothesis_apply(base->row, base->amount, &variant)) {
        variant.changed = false;
        variant.what[0] = 0;
    }
    *ret_applies = orr_hypothesis_apply(tried->row, tried->amount, &variant) && variant.changed;
    if (!*ret_applies)
        return ORR_OK;
    tried->of_paths = variant.of_paths;
    snprintf(tried->what, sizeof tried->what, "%s", *variant.what ? variant.what : tried->row->log.what);
    ORR_TRY(differences_of(e, &variant, cause, err));
    tried->left = cause->left;
    return ORR_OK;
}

/* Tries a row, which must leave fewer differences than `base`; *best is the best row so far. A row that is rarely a
 * cause must leave fewer than the best, and less than half of all. */
static enum orr_code judge_row(struct explaining *e, const struct orr_hypothesis *row, int amount,
                               const struct tried *base, struct tried *best, struct orr_error *err)
{
    struct tried tried = {.row = row, .amount = amount};
    char what[sizeof e->what_other];
    struct orr_log_cause cause = {.id = row->log.id, .what = what, .why = row->log.why, .advice = row->log.advice};
    bool applies, usual = row->turn[ORR_ASKED_LOG];
    ORR_TRY(try_row(e, base, &tried, &applies, &cause, err));
    bool explains = applies && tried.left <= e->check->differ / 2;
    if (!applies || tried.left >= (usual ? base->left : best->left) || !(usual || explains))
        return ORR_OK;
    snprintf(what, sizeof what, "%s%s%s", base->what, base->what[0] ? ", and " : "", tried.what);
    if (explains && usual)
        ORR_TRY(orr_log_keep_cause(e->check, &cause, err));
    if (!usual) {
        e->other = cause;
        e->other.what = memcpy(e->what_other, what, sizeof what);
    }
    if (tried.left < best->left)
        *best = tried;
    return ORR_OK;
}

enum { USUAL = 1, OTHERS = 2 };

/* Tries hypotheses on top of `base`: those with a turn, those without, or both. */
static enum orr_code try_rows(struct explaining *e, const struct tried *base, unsigned which, struct tried *best,
                              struct orr_error *err)
{
    bool one_host = e->check->analysis->communicator.node_count < 2;
    const struct orr_hypothesis *row = NULL;
    while ((row = orr_hypothesis_next(ORR_ASKED_LOG, row)) && best->left) {
        bool usual = row->turn[ORR_ASKED_LOG];
        if (!(which & (usual ? USUAL : OTHERS)) || (!usual && row->network && one_host))
            continue;
        for (int amount = row->amount; amount == row->amount || amount <= row->most; amount++) {
            if (!orr_trials_may_go_on(&e->trials))
                break;
            ORR_TRY(judge_row(e, row, amount, base, best, err));
        }
    }
    enum orr_code code = e->other.id ? orr_log_keep_cause(e->check, &e->other, err) : ORR_OK;
    e->other.id = NULL;
    return code;
}

static void observe(struct explaining *e, bool without_gdr[ORR_LOG_NICS])
{
    struct orr_log_check *check = e->check;
    struct orr_observed *seen = &e->observed;
    seen->shown = orr_log_shown(check->log, check->communicator);
    seen->shown |= check->release_exact ? 1u << ORR_SHOWS_RELEASE : 0;
    seen->shown |= check->communicator != UINT32_MAX ? 1u << ORR_SHOWS_HOSTS : 0;
    seen->by_device = true;
    seen->nics = ORR_LOG_NICS;
    seen->without_gdr = without_gdr;
    seen->without_gdr_count = orr_log_nics_without_gdr(check, without_gdr);
    seen->paths_differ = check->topics[ORR_TOPIC_PATHS].differ > 0;
    for (uint32_t i = 0; i < check->fact_count && !seen->channels; i++)
        if (check->facts[i].topic == ORR_TOPIC_COUNTS && check->facts[i].verdict == ORR_FACT_DIFFERS &&
            !strcmp(check->facts[i].what, "channels"))
            seen->channels = (int)check->facts[i].logged.count;
}

static enum orr_code try_causes(struct explaining *e, struct orr_error *err)
{
    struct orr_log_check *check = e->check;
    ORR_TRY(try_hardware(e, err));
    bool explained = check->cause_count > check->shown_count && !check->causes[check->shown_count].left;
    if (check->analysis->ranks > ORR_LOG_RANKS_TRIED || check->log->record_count > ORR_LOG_RECORDS_TRIED)
        return ORR_OK;
    /* If the log's tree explains everything, finds what in the tree is different. */
    const struct tried none = {.left = explained ? 1 : check->differ};
    struct tried best = none;
    ORR_TRY(try_rows(e, &none, explained ? OTHERS : USUAL | OTHERS, &best, err));
    if (!best.left || !best.row || best.of_paths)
        return ORR_OK;
    const struct tried first = best; /* two causes at once */
    return try_rows(e, &first, USUAL, &best, err);
}

enum orr_code orr_log_find_causes(struct orr_log_check *check, const struct orr_dump *dump, struct orr_error *err)
{
    enum { MEMO_BYTES = 8 << 20 };
    bool without_gdr[ORR_LOG_NICS];
    struct explaining e = {
        .check = check, .dump = dump, .trials = {.left = most_effort, .around = check->analysis->cluster}};
    observe(&e, without_gdr);
    ORR_TRY(orr_log_shown_causes(check, err));
    e.trials.memo = orr_search_memo_new(MEMO_BYTES);
    enum orr_code code = try_causes(&e, err);
    orr_search_memo_free(e.trials.memo);
    ORR_TRY(code);
    return orr_log_untested_causes(check, err);
}
