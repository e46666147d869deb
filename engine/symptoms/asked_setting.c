/* SPDX-License-Identifier: Apache-2.0 */
/* A question in words about an NCCL_* setting that no other row answers: what the table of settings says about it. */
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/release/release_names.h"
#include "engine/release/settings.h"
#include "engine/symptoms/asked.h"

/* Whether the words right before a name ask what it means, and not why something happens. */
static bool asks_about(const char *words, const char *name)
{
    enum { NEAR = 40 };
    static const char *const asking[] = {" what ",   " does ",    " should ",    "default",
                                         "purpose ", " meaning ", "recommended", "effect "};
    const size_t before = name - words < NEAR ? (size_t)(name - words) : NEAR;
    for (size_t i = 0; i < sizeof asking / sizeof asking[0]; i++)
        if (memmem(name - before, before, asking[i], strlen(asking[i])))
            return true;
    return false;
}

/* The first setting about which the words ask; false if there is none. */
static bool asked_setting(const char *words, enum orr_setting *ret_setting)
{
    for (const char *at = words; (at = strstr(at, " nccl_"));) {
        char name[64];
        const size_t length = strcspn(++at, " ?");
        for (size_t i = 0; i < length && i < sizeof name - 1; i++)
            name[i] = orr_is_letter(at[i]) ? (char)(at[i] & ~0x20) : at[i];
        name[length < sizeof name ? length : sizeof name - 1] = 0;
        if (asks_about(words, at) && orr_setting_find(name, ret_setting))
            return true;
    }
    return false;
}

/* The release that the text names, or the newest that is known. */
static const struct orr_release *release_of(const struct orr_symptom_finder *f)
{
    struct orr_release_choice choice;
    struct orr_error none = {0};
    const char *name;
    char text[ORR_VERSION_SIZE];
    const uint32_t version = orr_symptom_release(f, &name);
    if (version && orr_release_choose(orr_version_format(version, text), true, &choice, &none) == ORR_OK)
        return choice.release;
    return orr_release_default();
}

void orr_symptom_of_setting(struct orr_symptom_finder *f)
{
    const struct orr_release *release = release_of(f);
    enum orr_setting setting;
    for (uint32_t i = 0; i < f->log->said_count; i++) {
        const struct orr_log_said *said = &f->log->said[i];
        if (said->command || !strchr(said->words, '?') || !asked_setting(said->words, &setting))
            continue;
        const struct orr_setting_info *info = orr_setting_info(setting);
        const struct orr_setting_words words = orr_setting_words(setting, release);
        const bool has = orr_setting_in(setting, release);
        ORR_SYMPTOM(f, "asked-setting", ORR_SYMPTOM_CAUSE, said->line, .by_words = true,
                    .cause = has ? orr_symptom_text(f, "%s in NCCL %s: %s Values: %s; default: %s.", info->name,
                                                    release->name, info->meaning, words.values, words.standard)
                                 : orr_symptom_text(f, "NCCL %s does not have %s. In releases that have it: %s",
                                                    release->name, info->name, info->meaning),
                    .check = has ? orr_symptom_text(f,
                                                    "Check: with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=ENV, NCCL prints "
                                                    "\"%s set by environment to\" if it reads the variable.",
                                                    info->name)
                                 : orr_symptom_text(f, "Check: `orrery settings --release %s` lists those that it has.",
                                                    release->name),
                    .cure = "`orrery settings --for FILE` tries on a machine the settings that people change.");
        return;
    }
}
