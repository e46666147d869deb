/* Machines and questions, and the making of plans. */
#include "engine/library/library.h"

#include <stdlib.h>
#include <string.h>

#include "engine/input/input.h"

_Static_assert(sizeof((struct orr_report *)0)->text == sizeof((struct orr_error *)0)->text &&
                   sizeof((struct orr_report *)0)->where == sizeof((struct orr_error *)0)->where &&
                   sizeof((struct orr_report *)0)->advice == sizeof((struct orr_error *)0)->advice,
               "a report holds what an error holds");
_Static_assert((int)ORR_NODE_ID_SIZE == (int)ORR_DEVICE_NAME_LENGTH, "the header says so");

bool orr_library_fill(void *to, const void *from, size_t full, struct orr_report *report)
{
    enum { LARGEST = 4096 }; /* no structure of any version is larger: such a size was never set */
    size_t size, first = sizeof size;
    memcpy(&size, to, sizeof size);
    if (size < first || size > LARGEST) {
        struct orr_error err = {0};
        orr_fail(&err, ORR_UNSUPPORTED, "the size of the structure to fill is %zu bytes", size);
        orr_error_advice(&err, "initialise it with its ORR_..._INIT, which sets its size");
        return report != to && orr_library_fail(report, &err);
    }
    size_t filled = size < full ? size : full;
    memcpy((char *)to + first, (const char *)from + first, filled - first);
    memset((char *)to + filled, 0, size - filled);
    return true;
}

bool orr_library_fail(struct orr_report *report, const struct orr_error *err)
{
    if (report) {
        struct orr_report full = {.code = orr_code_name(err->code), .line = err->line, .column = err->column};
        memcpy(full.where, err->where, sizeof full.where);
        memcpy(full.text, err->text, sizeof full.text);
        memcpy(full.advice, err->advice, sizeof full.advice);
        orr_library_fill(report, &full, sizeof full, report);
    }
    return false;
}

const char *orr_library_version(void)
{
    return ORR_VERSION_TEXT;
}

const char *orr_library_release(size_t i)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    return i < count ? releases[i].name : NULL;
}

const char *orr_library_setting(size_t i)
{
    struct orr_setting_info info;
    if (i >= ORR_SETTING_COUNT)
        return NULL;
    orr_setting_info((enum orr_setting)i, &info);
    return info.name;
}

bool orr_machine_read(const char *bytes, size_t length, struct orr_machine **ret_machine, struct orr_report *report)
{
    struct orr_error err = {0};
    struct orr_machine *machine = calloc(1, sizeof *machine);
    enum orr_code code = machine ? orr_input_read(bytes, length, NULL, &machine->dump, &err) : orr_fail_nomem(&err);
    if (code == ORR_OK && machine->dump->notes && machine->dump->notes->release) {
        machine->bytes = malloc(length);
        machine->length = length;
        if (machine->bytes)
            memcpy(machine->bytes, bytes, length);
        else
            code = orr_fail_nomem(&err);
    }
    if (code != ORR_OK) {
        orr_machine_free(machine);
        return orr_library_fail(report, &err);
    }
    *ret_machine = machine;
    return true;
}

void orr_machine_free(struct orr_machine *machine)
{
    if (!machine)
        return;
    orr_dump_free(machine->dump);
    free(machine->bytes);
    free(machine);
}

bool orr_machine_refused(const struct orr_machine *machine, struct orr_report *report)
{
    const struct orr_refusal *refusal = &machine->dump->refusal;
    struct orr_error err = {0};
    if (!refusal->line)
        return false;
    orr_fail_at(&err, ORR_REFUSED, refusal->line, refusal->column, "%s", refusal->text);
    orr_library_fail(report, &err);
    return true;
}

bool orr_question_new(const char *release, struct orr_question **ret_question, struct orr_report *report)
{
    struct orr_error err = {0};
    const struct orr_release *row = release ? orr_release_find(release) : orr_release_default();
    if (!row) {
        orr_fail(&err, ORR_SETTING, "NCCL release \"%.32s\" is not emulated", release);
        orr_error_where(&err, "release");
        orr_error_advice(&err, "orr_library_release() names those that are");
        return orr_library_fail(report, &err);
    }
    struct orr_question *question = calloc(1, sizeof *question);
    if (!question) {
        orr_fail_nomem(&err);
        return orr_library_fail(report, &err);
    }
    question->query.hosts = 1;
    orr_settings_init(&question->query.settings, row);
    *ret_question = question;
    return true;
}

void orr_question_free(struct orr_question *question)
{
    free(question);
}

bool orr_question_hosts(struct orr_question *question, uint32_t hosts, struct orr_report *report)
{
    struct orr_error err = {0};
    if (hosts < 1 || hosts > ORR_MAX_HOSTS) {
        orr_fail(&err, ORR_SETTING, "hosts must be a number from 1 to %d, not %u", (int)ORR_MAX_HOSTS, hosts);
        orr_error_where(&err, "hosts");
        return orr_library_fail(report, &err);
    }
    question->query.hosts = hosts;
    return true;
}

bool orr_question_set(struct orr_question *question, const char *name, const char *value, struct orr_report *report)
{
    struct orr_error err = {0};
    return orr_settings_set(&question->query.settings, name, value, &err) == ORR_OK || orr_library_fail(report, &err);
}

bool orr_plan_make(const struct orr_machine *machine, const struct orr_question *question, struct orr_plan **ret_plan,
                   struct orr_report *report)
{
    struct orr_error err = {0};
    struct orr_plan *plan = calloc(1, sizeof *plan);
    const struct orr_release *release = question->query.settings.release;
    enum orr_code code = plan ? ORR_OK : orr_fail_nomem(&err);
    if (code == ORR_OK && machine->bytes && strcmp(machine->dump->notes->release, release->name) != 0) {
        const struct orr_input_options options = {.release = release};
        code = orr_input_read(machine->bytes, machine->length, &options, &plan->dump, &err);
    }
    if (code == ORR_OK)
        code = orr_analyze(plan->dump ? plan->dump : machine->dump, &question->query, NULL, &plan->analysis, &err);
    if (code != ORR_OK) {
        orr_plan_free(plan);
        return orr_library_fail(report, &err);
    }
    *ret_plan = plan;
    return true;
}

void orr_plan_free(struct orr_plan *plan)
{
    if (!plan)
        return;
    orr_analysis_free(plan->analysis);
    orr_dump_free(plan->dump);
    free(plan);
}

void orr_library_free(char *text)
{
    free(text);
}
