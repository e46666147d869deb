/* SPDX-License-Identifier: Apache-2.0 */
/* How many steps a graph's search has left. An attempt that cannot be better is left out (bounds.c), so what it would
 * have taken is unknown, up to its budget. Mostly that makes no difference: enough steps are left anyway, or nothing
 * better follows. Else the attempts that were left out are counted, one after the other, until it is certain.
 *
 * Proof. NCCL ends when the budgets of all attempts are spent, less what each left over. An attempt takes between no
 * steps and its budget, so two sums enclose NCCL's: one in which the attempts that were left out took nothing, and one
 * in which they took all. If both say the same, NCCL does the same. Counting an attempt makes it as NCCL would, and
 * its result is not looked at, so both sums come nearer until they agree.
 *
 * An example: 262144 steps in all, 20 attempts of 16384 made, which took 10000 each, 3 left out. The remainder is at
 * least 262144 - 200000 - 3 x 16384 = 12992, so NCCL goes on, and none of the three is counted. */
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
