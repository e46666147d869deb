/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/analysis/pasted.h"

#include "engine/dump/notes.h"
#include "engine/nics/used.h"

/* Settings that choose NICs by name: the machine's NICs may have other names. */
static bool chooses_nics(enum orr_setting setting)
{
    return setting == ORR_SET_IB_HCA || setting == ORR_SET_SOCKET_IFNAME || setting == ORR_SET_NET;
}

static bool leaves_nics(const struct orr_dump *dump, const struct orr_settings *settings)
{
    const struct orr_dump *used;
    struct orr_error refused = {0};
    ORR_LOCAL_ARENA(scratch, 0);
    return dump && scratch && orr_nics_used(dump, settings, scratch, &used, &refused) != ORR_SETTING;
}

bool orr_pasted_take(const struct orr_dump *dump, const char *name, const char *value, struct orr_settings *settings)
{
    struct orr_settings with = *settings;
    struct orr_error refused = {0};
    enum orr_setting id;
    if (!orr_setting_find(name, &id) || !orr_setting_in(id, settings->release) || orr_setting_text(settings, id) ||
        settings->values[id].emptied || orr_settings_set(&with, name, value, &refused) != ORR_OK ||
        (chooses_nics(id) && !leaves_nics(dump, &with)))
        return false;
    *settings = with;
    return true;
}

void orr_pasted_take_all(const struct orr_dump *dump, struct orr_settings *settings)
{
    const struct orr_dump_notes *notes = dump->notes;
    for (uint32_t i = 0; notes && !settings->pasted && i < notes->setting_count; i++)
        (void)orr_pasted_take(dump, notes->settings[i].name, notes->settings[i].value, settings);
    settings->pasted = true; /* a trial without one of them must not get it back */
}
