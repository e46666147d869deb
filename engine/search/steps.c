/* SPDX-License-Identifier: Apache-2.0 */
/* Knows how many steps the search of a graph has left. An attempt that cannot be better is skipped (bounds.c), so its
 * steps are unknown; they are at most its budget. Usually that makes no difference: enough steps are left anyway, or
 * nothing better follows. Otherwise the steps of skipped attempts are counted, one attempt after the other, until the
 * answer is certain.
 *
 * Proof. NCCL ends when its attempts have taken all steps. A skipped attempt would have taken between no steps and its
 * budget, so NCCL's sum lies between two others: one in which the skipped attempts took nothing, and one in which they
 * took their whole budgets. If both sums give the same answer, it is NCCL's. Counting a skipped attempt means making it
 * like NCCL and ignoring its result, which brings the sums nearer until they agree.
 *
 * An example: 262144 steps in all, 20 attempts of 16384 were made and took 10000 each, and 3 were skipped. At least
 * 262144 - 200000 - 3 x 16384 = 12992 steps are left, so NCCL goes on, and none of the three need be counted. */
#include "engine/search/steps.h"

#include "engine/release/release.h"

void orr_steps_begin(struct orr_search_state *s)
{
    s->steps_left.most = s->input.system->release->steps_all;
    s->steps_left.unsure = 0;
    s->steps_left.count = 0;
    s->steps_left.looked = false;
}

void orr_steps_take(struct orr_search_state *s, int32_t steps)
{
    s->steps_left.most -= steps;
}

void orr_steps_give_back(struct orr_search_state *s, int32_t steps, int32_t left)
{
    struct orr_steps_left *l = &s->steps_left;
    if (s->input.system->release->finishes_at_full_rate && left == -1) {
        orr_steps_begin(s);
        return;
    }
    if (left == ORR_LEFT_UNKNOWN && l->count == ORR_MOST_UNCOUNTED)
        left = orr_search_count(s, steps);
    if (left == ORR_LEFT_UNKNOWN) {
        l->uncounted[l->count++] = (struct orr_uncounted){s->trial, steps};
        l->unsure += steps;
        left = steps;
    }
    l->most += left;
}

bool orr_steps_look(struct orr_search_state *s)
{
    struct orr_steps_left *l = &s->steps_left;
    l->looked = true;
    l->then = l->most;
    l->unsure_then = l->unsure;
    return l->most < 0;
}

bool orr_steps_sufficed(struct orr_search_state *s)
{
    struct orr_steps_left *l = &s->steps_left;
    while (l->looked && l->then >= 0 && l->then < l->unsure_then) {
        const struct orr_uncounted *last = &l->uncounted[--l->count];
        const struct orr_trial now = s->trial;
        int32_t steps = last->steps;
        s->trial = last->trial;
        int32_t taken = steps - orr_search_count(s, steps);
        s->trial = now;
        l->most -= taken;
        l->then -= taken;
        l->unsure -= steps;
        l->unsure_then -= steps;
    }
    return !l->looked || l->then >= 0;
}
