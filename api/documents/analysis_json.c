/* SPDX-License-Identifier: Apache-2.0 */
/* Writes an analysis as JSON; each section is a row of a table. */
#include "api/documents/sections.h"

#include <string.h>

#include "engine/release/release_names.h"

struct scope {
    struct orr_json *json;
    const struct orr_analysis *analysis;
    const char *topology;
    struct orr_arena *arena;         /* arena of the diagnosis; NULL until it is needed */
    struct orr_diagnosis *diagnosis; /* several sections hold parts of it */
};

/* Makes the diagnosis for the first section that needs it; NULL if that failed, which json remembers. */
static const struct orr_diagnosis *diagnosis(struct scope *scope)
{
    if (scope->arena)
        return scope->diagnosis;
    scope->arena = orr_arena_new(0);
    struct orr_diagnosis *made = scope->arena ? ORR_NEW(scope->arena, struct orr_diagnosis, 1) : NULL;
    if (made && orr_diagnose(scope->analysis, scope->arena, made, NULL) == ORR_OK)
        scope->diagnosis = made;
    else
        scope->json->failed = true;
    return scope->diagnosis;
}

static json_t *nccl(struct scope *scope)
{
    return orr_json_text(scope->json, scope->analysis->query.settings.release->name);
}
static json_t *verified(struct scope *scope)
{
    return orr_json_bool(scope->json, orr_settings_verified(&scope->analysis->query.settings));
}
static json_t *asked(struct scope *scope)
{
    char text[ORR_VERSION_SIZE];
    uint32_t version = scope->analysis->query.settings.asked;
    return version ? orr_json_text(scope->json, orr_version_format(version, text)) : json_null();
}
static json_t *topology(struct scope *scope)
{
    return orr_json_text(scope->json, scope->topology);
}
static json_t *input(struct scope *scope)
{
    return orr_input_json(scope->json, scope->analysis->dump);
}
static json_t *hosts(struct scope *scope)
{
    return orr_json_int(scope->json, scope->analysis->query.hosts);
}
static json_t *ranks(struct scope *scope)
{
    return orr_json_int(scope->json, scope->analysis->ranks);
}
static json_t *local_ranks(struct scope *scope)
{
    return orr_json_int(scope->json, scope->analysis->local_ranks);
}
static json_t *settings(struct scope *scope)
{
    json_t *object = orr_json_object(scope->json);
    for (int i = 0; i < ORR_SETTING_COUNT; i++) {
        const char *text = orr_setting_text(&scope->analysis->query.settings, (enum orr_setting)i);
        if (text)
            orr_json_set_text(scope->json, object, orr_setting_name((enum orr_setting)i), text);
    }
    return object;
}
static json_t *findings(struct scope *scope)
{
    const struct orr_diagnosis *made = diagnosis(scope);
    return made ? orr_diagnosis_json(scope->json, made) : NULL;
}
static json_t *summary(struct scope *scope)
{
    const struct orr_diagnosis *made = diagnosis(scope);
    return made ? orr_summary_json(scope->json, scope->analysis, made) : NULL;
}

/* Writers that need only the analysis. */
#define ORR_OF_ANALYSIS(name, function)                                                                                \
    static json_t *name(struct scope *scope)                                                                           \
    {                                                                                                                  \
        return function(scope->json, scope->analysis);                                                                 \
    }
ORR_OF_ANALYSIS(cluster, orr_cluster_json)
ORR_OF_ANALYSIS(built, orr_built_json)
ORR_OF_ANALYSIS(final, orr_system_json)
ORR_OF_ANALYSIS(paths, orr_paths_json)
ORR_OF_ANALYSIS(p2p, orr_p2p_json)
ORR_OF_ANALYSIS(gdr, orr_gdr_json)
ORR_OF_ANALYSIS(net_devs, orr_net_devs_json)
ORR_OF_ANALYSIS(graphs, orr_graphs_json)
ORR_OF_ANALYSIS(channels, orr_channels_json)
ORR_OF_ANALYSIS(tuning, orr_tuning_json)
ORR_OF_ANALYSIS(device, orr_device_json)
ORR_OF_ANALYSIS(predictions, orr_predictions_json)
ORR_OF_ANALYSIS(assumptions, orr_assumptions_json)
ORR_OF_ANALYSIS(explanations, orr_explanations_json)

static const struct {
    const char *name;
    json_t *(*write)(struct scope *scope);
} sections[] = {
#define ORR_SECTION(name, writer) {name, writer},
#include "api/questions/sections.def"
#undef ORR_SECTION
};
enum { SECTION_COUNT = sizeof sections / sizeof sections[0] };

/* SECTION_COUNT: there is none. */
static size_t find_section(const char *name)
{
    size_t i = 0;
    while (i < SECTION_COUNT && strcmp(sections[i].name, name) != 0)
        i++;
    return i;
}

json_t *orr_section_json(struct orr_json *json, const struct orr_analysis *analysis, const char *name,
                         const char *section)
{
    struct scope scope = {.json = json, .analysis = analysis, .topology = name};
    json_t *value = sections[find_section(section)].write(&scope);
    orr_arena_free(scope.arena);
    return value;
}

enum orr_code orr_analysis_json(const struct orr_analysis *analysis, const char *name, const char *section, bool pretty,
                                struct orr_text *text, struct orr_error *err)
{
    struct orr_json json = {0};
    struct scope scope = {.json = &json, .analysis = analysis, .topology = name};
    if (section) {
        if (find_section(section) == SECTION_COUNT) {
            return orr_fail_with(err, ORR_NOT_FOUND, NULL,
                                 "sections are the keys of the whole document, such as paths, graphs or tuning",
                                 "an analysis has no section named \"%.40s\"", section);
        }
        return orr_json_write(&json, orr_section_json(&json, analysis, name, section), pretty, text, err);
    }
    json_t *document = orr_json_object(&json);
    for (size_t i = 0; i < SECTION_COUNT; i++)
        orr_json_set(&json, document, sections[i].name, sections[i].write(&scope));
    orr_arena_free(scope.arena);
    return orr_json_write(&json, document, pretty, text, err);
}
