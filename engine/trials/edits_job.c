/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of the job: settings, release, hosts. */
#include <stdio.h>

#include "engine/release/release.h"
#include "engine/trials/edits.h"

void orr_edit_channels(struct orr_variant *variant, int most)
{
    int32_t now = variant->analysis->communicator.channel_count;
    char setting[32];
    if (variant->observed->channels || most >= now)
        return;
    snprintf(setting, sizeof setting, "NCCL_MAX_NCHANNELS=%d", most);
    orr_variant_assume(variant, setting);
    snprintf(variant->what, sizeof variant->what, "NCCL uses %d channel%s instead of %d", most, orr_plural(most), now);
}

/* As many channels as were observed. */
static void take_channels(struct orr_variant *variant, const char *name)
{
    snprintf(variant->what, sizeof variant->what, "%s=%d", name, variant->observed->channels);
    orr_variant_assume(variant, variant->what);
}

void orr_edit_more_channels(struct orr_variant *variant, int none)
{
    (void)none;
    if (variant->observed->channels > variant->analysis->communicator.channel_count)
        take_channels(variant, "NCCL_MIN_NCHANNELS");
}

void orr_edit_fewer_channels(struct orr_variant *variant, int none)
{
    (void)none;
    if (variant->observed->channels && variant->observed->channels < variant->analysis->communicator.channel_count)
        take_channels(variant, "NCCL_MAX_NCHANNELS");
}

void orr_edit_release(struct orr_variant *variant, int by)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    const struct orr_release *other = variant->query.settings.release + by;
    const struct orr_settings now = variant->query.settings;
    if (other < releases || other >= releases + count ||
        orr_settings_for(&variant->query.settings, other, &now, NULL) != ORR_OK)
        return;
    snprintf(variant->what, sizeof variant->what, "NCCL %s", other->name);
    variant->changed = true;
}

void orr_edit_hosts(struct orr_variant *variant, int hosts)
{
    if (variant->query.hosts != 1)
        return;
    variant->query.hosts = (uint32_t)hosts;
    snprintf(variant->what, sizeof variant->what, "%d hosts", hosts);
    variant->changed = true;
}

void orr_edit_keep_nics(struct orr_variant *variant, int none)
{
    (void)none;
    if (variant->query.hosts != 1 || !variant->observed->paths_differ)
        return;
    variant->query.hosts = 2;
    variant->of_paths = variant->changed = true;
}

/* With ACS, data between devices below one PCIe switch goes through the CPU, but NCCL does not see that. If the log
 * shows that the driver refuses P2P, NCCL sees the refusal. */
void orr_edit_acs(struct orr_variant *variant, int none)
{
    (void)none;
    variant->acs = true;
    if (variant->observed->shown >> ORR_SHOWS_P2P_REFUSED & 1)
        orr_variant_assume(variant, "NCCL_P2P_LEVEL=NVL");
}
