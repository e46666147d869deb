/* SPDX-License-Identifier: Apache-2.0 */
/* Joins all behaviours into one list: those of the tables, then the defaults of settings. */
#include "engine/release/behaviour_rows.h"

static const struct orr_behaviour_rows *const groups[] = {
    [ORR_OF_RELEASE] = &orr_behaviours_of_release,
    [ORR_OF_CONNECT] = &orr_behaviours_of_connect,
    [ORR_OF_TUNING] = &orr_behaviours_of_tuning,
    [ORR_OF_DEVICE] = &orr_behaviours_of_device,
};

uint32_t orr_behaviour_count(void)
{
    uint32_t count = ORR_SETTING_COUNT;
    for (int of = ORR_OF_RELEASE; of < ORR_OF_SETTINGS; of++)
        count += groups[of]->count;
    return count;
}

void orr_behaviour_get(uint32_t index, struct orr_behaviour *ret_behaviour)
{
    for (int of = ORR_OF_RELEASE; of < ORR_OF_SETTINGS; of++) {
        if (index < groups[of]->count) {
            *ret_behaviour = groups[of]->rows[index];
            return;
        }
        index -= groups[of]->count;
    }
    orr_behaviour_of_setting((enum orr_setting)index, ret_behaviour);
}
