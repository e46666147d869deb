/* SPDX-License-Identifier: Apache-2.0 */
/* Any decision may be asked why: the answer has a rule, a verdict and text for people, or an error says what is wrong;
 * what is said about PXN, the limiting link and a setting that was tried is what the analysis holds. */
#include <math.h>
#include <string.h>

#include "engine/explain/explain.h"
#include "engine/report/answers_text.h"
#include "tests/property/checks.h"

static bool is_error(enum orr_code code, const struct orr_error *err)
{
    return (code == ORR_NOT_FOUND || code == ORR_SETTING) && err->code == code && err->text[0];
}

/* A path that goes through another GPU was led there by the rule. */
static bool pxn_agrees(const struct orr_analysis *a, const struct orr_why *why, const struct orr_explanation *x)
{
    const struct orr_part *part;
    uint32_t from, to;
    if (orr_device_find(a, why->from, "from", &part, &from, NULL) != ORR_OK ||
        orr_device_find(a, why->to, "to", &part, &to, NULL) != ORR_OK)
        return false;
    bool sends = part->system.nodes[from].type == ORR_GPU;
    const struct orr_path *path = orr_path(&part->paths, sends ? from : to, sends ? to : from);
    bool taken = !strcmp(x->rule_id, "PXN_TAKEN");
    return path->origin == ORR_ROUTE_PXN ? taken : !taken || path->origin == ORR_ROUTE_VIA_CPU_NO_GDR;
}

static bool limit_holds(const struct orr_analysis *a, const struct orr_why *why, const struct orr_explanation *x)
{
    const struct orr_graph *graph = &a->parts[0].contribution.graphs[why->graph];
    if (why->kind != ORR_WHY_GRAPH || is_simple_order(graph) || !have_own_ids(&a->parts[0].system, ORR_NET))
        return true;
    return x->limit.used <= x->limit.bw * 1.001F + 0.1F;
}

static bool check_one(const struct orr_analysis *a, const struct orr_why *why, struct tally *tally,
                      struct orr_error *err)
{
    const struct orr_effort most = {.analyses = why->kind == ORR_WHY_GRAPH, .steps = 1 << 20};
    struct orr_why_info info;
    struct orr_error own = {0};
    ORR_LOCAL(orr_explanation, x);
    ORR_LOCAL_TEXT(text, 1 << 20);
    orr_why_info(why->kind, &info);
    enum orr_code code = orr_explain(a, why, most, &x, &own);
    if (code != ORR_OK)
        return is_error(code, &own) ? true : WRONG(err, "why %s: %s %.120s", info.name, orr_code_name(code), own.text);
    tally->explanations++;
    orr_report_explanation(&(struct orr_page){.text = &text, .width = 80}, x, true);
    bool whole = x->rule_id[0] && x->rule[0] && x->verdict[0] && x->answer[0] && !orr_text_failed(&text);
    bool tried = !x->what_if_count || x->what_ifs[0].refused ||
                 x->what_ifs[0].changes == (strcmp(x->what_ifs[0].then, x->verdict) != 0);
    bool holds = limit_holds(a, why, x) && (why->kind != ORR_WHY_PXN || pxn_agrees(a, why, x));
    if (!whole || !tried || !holds)
        (void)WRONG(err, "why %s from %s to %s: rule %s, %s, link %g of %g GB/s", info.name, why->from, why->to,
                    x->rule_id, x->verdict, (double)x->limit.used, (double)x->limit.bw);
    return whole && tried && holds;
}

bool check_explanations(const struct orr_analysis *a, struct tally *tally, struct orr_error *err)
{
    const struct orr_part *part = &a->parts[a->part_count - 1];
    const enum orr_node_type types[] = {ORR_GPU, ORR_NET, ORR_CPU};
    char first[3][ORR_NODE_ID_SIZE] = {""}, last[3][ORR_NODE_ID_SIZE] = {""};
    for (int i = 0; i < 3; i++)
        if (orr_system_count(&part->system, types[i])) {
            orr_system_node_id(&part->system, part->system.first[types[i]], first[i]);
            orr_system_node_id(&part->system, part->system.first[types[i] + 1] - 1, last[i]);
        }
    for (int kind = 0; kind < ORR_WHY_COUNT; kind++)
        for (int from = 0; from < 3; from++)
            for (int to = 0; to < 3; to++) {
                struct orr_why why = {.kind = (enum orr_why_kind)kind, .from = first[from], .to = last[to]};
                struct orr_why_info info;
                orr_why_info(why.kind, &info);
                if (!(info.needs & ORR_NEEDS_FROM) && (from || (to && why.kind != ORR_WHY_GRAPH)))
                    continue; /* nothing else would be asked */
                why.graph = to == 0 ? ORR_GRAPH_RING : to == 1 ? ORR_GRAPH_TREE : ORR_GRAPH_NVLS;
                why.bytes = (uint64_t)1 << (10 * to);
                if (!check_one(a, &why, tally, err))
                    return false;
            }
    return true;
}
