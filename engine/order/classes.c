/* SPDX-License-Identifier: Apache-2.0 */
/* Finds interchangeable hosts, and lists the orders that are then still distinct. */
#include <string.h>

#include "engine/base/budget.h"
#include "engine/order/ordering.h"

static const char *leaf_of(const struct orr_ordering *o, uint32_t line)
{
    return o->question->leaves ? o->question->leaves[line] : NULL;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool same_fabric(const struct orr_fabric *a, const struct orr_fabric *b)
{
    return a == b || (a && b && a->state == b->state && a->has_uuid == b->has_uuid && a->clique == b->clique &&
                      !memcmp(a->uuid, b->uuid, sizeof a->uuid));
}

static bool same_machine(const struct orr_ordering *o, uint32_t line, uint32_t other)
{
    const struct orr_cluster_line *a = &o->present->lines[line], *b = &o->present->lines[other];
    return a->dump == b->dump && !a->gpus == !b->gpus && a->gpu_count == b->gpu_count &&
           (!a->gpus || !memcmp(a->gpus, b->gpus, a->gpu_count * sizeof *a->gpus)) &&
           same_fabric(a->fabric, b->fabric) && same_text(leaf_of(o, line), leaf_of(o, other));
}

/* The number of a line's domain or leaf switch, shared with an earlier line that has the same one. */
static uint32_t number_of(const struct orr_ordering *o, uint32_t line, bool domain, const uint32_t *numbers,
                          uint32_t *count)
{
    const struct orr_cluster_line *lines = o->present->lines;
    const char *text = domain ? lines[line].domain : leaf_of(o, line);
    if (!text)
        return ORR_NO_NUMBER;
    for (uint32_t l = 0; l < line; l++)
        if (same_text(text, domain ? lines[l].domain : leaf_of(o, l)))
            return numbers[l];
    return (*count)++;
}

static enum orr_code class_lines(struct orr_ordering *o, uint32_t *class_of_line, struct orr_error *err)
{
    const uint32_t lines = o->present->line_count;
    uint32_t *domain = ORR_NEW(o->scratch, uint32_t, lines), *leaf = ORR_NEW(o->scratch, uint32_t, lines);
    uint32_t bares = 0;
    o->classes = ORR_NEW(o->scratch, struct orr_host_class, lines);
    ORR_NEED(domain && leaf && o->classes, err);
    for (uint32_t l = 0; l < lines; l++) {
        if (orr_budget_spent(64 + l))
            return orr_budget_check(err);
        domain[l] = number_of(o, l, true, domain, &o->domain_count);
        leaf[l] = number_of(o, l, false, leaf, &o->leaf_count);
        uint32_t found = ORR_NO_NUMBER, bare = ORR_NO_NUMBER;
        for (uint32_t c = 0; c < o->class_count && found == ORR_NO_NUMBER; c++)
            if (same_machine(o, l, o->classes[c].line)) {
                bare = o->classes[c].bare;
                found = o->classes[c].domain == domain[l] ? c : ORR_NO_NUMBER;
            }
        if (found == ORR_NO_NUMBER) {
            found = o->class_count++;
            o->classes[found] = (struct orr_host_class){
                .line = l, .domain = domain[l], .leaf = leaf[l], .bare = bare == ORR_NO_NUMBER ? bares++ : bare};
        }
        o->classes[found].count += o->present->lines[l].count;
        class_of_line[l] = found;
    }
    return ORR_OK;
}

/* Whether two domains have the same hosts and nothing else distinguishes them. */
static bool twins(const struct orr_ordering *o, uint32_t a, uint32_t b)
{
    uint32_t of_a = 0, of_b = 0;
    for (uint32_t c = 0; c < o->class_count; c++) {
        const struct orr_host_class *x = &o->classes[c];
        if (x->domain == a || x->domain == b)
            *(x->domain == a ? &of_a : &of_b) += 1;
        if ((x->domain == a || x->domain == b) && o->present->lines[x->line].fabric)
            return false;
        bool found = x->domain != a;
        for (uint32_t d = 0; d < o->class_count && !found; d++)
            found = o->classes[d].domain == b && o->classes[d].bare == x->bare && o->classes[d].count == x->count;
        if (!found)
            return false;
    }
    return of_a == of_b;
}

static enum orr_code find_twins(struct orr_ordering *o, struct orr_error *err)
{
    enum { MOST_DOMAINS = 256, MOST_CLASSES = 256 };
    uint32_t *twin = ORR_NEW(o->scratch, uint32_t, o->domain_count);
    ORR_NEED(twin, err);
    for (uint32_t d = 0; d < o->domain_count; d++) {
        twin[d] = ORR_NO_NUMBER;
        for (uint32_t e = d; o->domain_count <= MOST_DOMAINS && o->class_count <= MOST_CLASSES && e-- > 0 &&
                             twin[d] == ORR_NO_NUMBER;) {
            if (orr_budget_spent(o->class_count * o->class_count))
                return orr_budget_check(err);
            if (twins(o, d, e))
                twin[d] = e;
        }
    }
    o->twin = twin;
    return ORR_OK;
}

enum orr_code orr_ordering_classes(struct orr_ordering *o, struct orr_error *err)
{
    const struct orr_cluster *c = o->present;
    uint32_t *class_of_line = ORR_NEW(o->scratch, uint32_t, c->line_count);
    uint32_t *line_of_host = ORR_NEW(o->scratch, uint32_t, c->host_count);
    uint32_t *class_of_host = ORR_NEW(o->scratch, uint32_t, c->host_count);
    ORR_NEED(class_of_line && line_of_host && class_of_host, err);
    o->host_count = c->host_count;
    o->gpu_count = c->hosts[0].rank_count;
    ORR_TRY(class_lines(o, class_of_line, err));
    for (uint32_t h = 0; h < c->host_count; h++) {
        line_of_host[h] = c->hosts[h].line;
        class_of_host[h] = class_of_line[line_of_host[h]];
    }
    o->line_of_host = line_of_host;
    o->class_of_host = class_of_host;
    return find_twins(o, err);
}

/* Equal domains appear only in their own order, because exchanging them gives the same order again. */
static bool may_come(const struct orr_ordering *o, uint32_t class, const uint32_t *used, const uint32_t *seen)
{
    const struct orr_host_class *c = &o->classes[class];
    return used[class] < c->count && (c->domain == ORR_NO_NUMBER || seen[c->domain] ||
                                      o->twin[c->domain] == ORR_NO_NUMBER || seen[o->twin[c->domain]]);
}

static void count_one(const struct orr_ordering *o, uint32_t class, uint32_t by, uint32_t *used, uint32_t *seen)
{
    used[class] += by; /* by: 1 to add, UINT32_MAX to subtract 1 */
    if (o->classes[class].domain != ORR_NO_NUMBER)
        seen[o->classes[class].domain] += by;
}

bool orr_ordering_next(const struct orr_ordering *o, uint32_t *sequence, uint32_t *used, uint32_t *seen)
{
    uint32_t at = 0;
    if (sequence[0] != ORR_NO_NUMBER) { /* continue after the last one */
        at = o->host_count - 1;
        count_one(o, sequence[at], UINT32_MAX, used, seen);
    }
    for (;;) {
        uint32_t class = sequence[at] + 1; /* after ORR_NO_NUMBER comes 0 */
        while (class < o->class_count && !may_come(o, class, used, seen))
            class ++;
        if (class < o->class_count) {
            sequence[at] = class;
            count_one(o, class, 1, used, seen);
            if (++at == o->host_count)
                return true;
            sequence[at] = ORR_NO_NUMBER;
        } else if (at == 0) {
            return false;
        } else {
            sequence[at--] = ORR_NO_NUMBER;
            count_one(o, sequence[at], UINT32_MAX, used, seen);
        }
    }
}

void orr_ordering_hosts(const struct orr_ordering *o, const uint32_t *sequence, uint32_t *next, uint32_t *hosts)
{
    memset(next, 0, o->class_count * sizeof *next);
    for (uint32_t i = 0; i < o->host_count; i++) {
        uint32_t host = next[sequence[i]];
        while (o->class_of_host[host] != sequence[i])
            host++;
        hosts[i] = host;
        next[sequence[i]] = host + 1;
    }
}
