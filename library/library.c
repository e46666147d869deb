/* SPDX-License-Identifier: Apache-2.0 */
/* Names, reports and limits. */
#include "library/library.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/version.h"

_Static_assert(sizeof((struct orr_report *)0)->text == sizeof((struct orr_error *)0)->text &&
                   sizeof((struct orr_report *)0)->where == sizeof((struct orr_error *)0)->where &&
                   sizeof((struct orr_report *)0)->advice == sizeof((struct orr_error *)0)->advice,
               "a report holds what an error holds");
_Static_assert((int)ORR_NODE_ID_SIZE == (int)ORR_DEVICE_NAME_LENGTH, "the header says so");

/* The code of a report as a number. The words of enum orr_error_code, in its order. */
static const char *const error_words[] = {
    [ORR_ERROR_OTHER] = "",
    [ORR_ERROR_OUT_OF_MEMORY] = "out-of-memory",
    [ORR_ERROR_MALFORMED_XML] = "malformed-xml",
    [ORR_ERROR_REFUSED_BY_NCCL] = "refused-by-nccl",
    [ORR_ERROR_UNRECOGNISED_INPUT] = "unrecognised-input",
    [ORR_ERROR_INVALID_TOPOLOGY] = "invalid-topology",
    [ORR_ERROR_NO_RANKS] = "no-ranks",
    [ORR_ERROR_LIMIT_EXCEEDED] = "limit-exceeded",
    [ORR_ERROR_INVALID_SETTING] = "invalid-setting",
    [ORR_ERROR_NOT_FOUND] = "not-found",
    [ORR_ERROR_UNSUPPORTED] = "unsupported",
    [ORR_ERROR_TOO_COMPLEX] = "too-complex",
    [ORR_ERROR_UNPACKED_TOO_LARGE] = "unpacked-too-large",
    [ORR_ERROR_STOPPED] = "stopped",
    [ORR_ERROR_RENDER_FAILED] = "render-failed",
    [ORR_ERROR_STORE_FAILED] = "store-failed",
    [ORR_ERROR_IO_FAILED] = "io-failed",
    [ORR_ERROR_INTERNAL] = "internal",
    [ORR_ERROR_METHOD_NOT_ALLOWED] = "method-not-allowed",
    [ORR_ERROR_INVALID_PARAMETER] = "invalid-parameter",
    [ORR_ERROR_EMPTY_BODY] = "empty-body",
    [ORR_ERROR_BODY_TOO_LARGE] = "body-too-large",
    [ORR_ERROR_INVALID_JSON] = "invalid-json",
    [ORR_ERROR_MALFORMED_TARGET] = "malformed-target",
    [ORR_ERROR_TARGET_TOO_LONG] = "target-too-long",
    [ORR_ERROR_NOT_ACCEPTABLE] = "not-acceptable",
    [ORR_ERROR_PRECONDITION_FAILED] = "precondition-failed",
    [ORR_ERROR_OVERLOADED] = "overloaded",
};
_Static_assert(ORR_CODE_COUNT == 18, "a new code needs a word here and a number in the header");

static enum orr_error_code error_of(const char *code)
{
    size_t i = sizeof error_words / sizeof error_words[0];
    while (--i > 0 && strcmp(error_words[i], code) != 0)
        ;
    return (enum orr_error_code)i;
}

static bool size_is_set(size_t size, struct orr_report *report)
{
    enum { LARGEST = 4096 }; /* no version's structure is larger, so the size was not initialised */
    struct orr_error err = {0};
    if (size >= sizeof size && size <= LARGEST)
        return true;
    orr_fail(&err, ORR_UNSUPPORTED, "the size member of the structure says %zu bytes", size);
    orr_error_advice(&err, "initialise it with its ORR_..._INIT, which sets its size");
    return orr_library_fail(report, &err);
}

bool orr_library_fill(void *to, const void *from, size_t full, struct orr_report *report)
{
    size_t size, first = sizeof size;
    memcpy(&size, to, sizeof size);
    if (!size_is_set(size, report == to ? NULL : report))
        return false;
    size_t filled = size < full ? size : full;
    memcpy((char *)to + first, (const char *)from + first, filled - first);
    memset((char *)to + filled, 0, size - filled);
    return true;
}

bool orr_library_take(void *to, size_t full, const void *from, struct orr_report *report)
{
    size_t size;
    memcpy(&size, from, sizeof size);
    if (!size_is_set(size, report))
        return false;
    memcpy(to, from, size < full ? size : full);
    return true;
}

bool orr_library_fail(struct orr_report *report, const struct orr_error *err)
{
    return orr_library_fail_as(report, orr_code_name(err->code), err);
}

bool orr_library_fail_as(struct orr_report *report, const char *code, const struct orr_error *err)
{
    if (report) {
        struct orr_report full = {.code = code, .line = err->line, .column = err->column, .error = error_of(code)};
        memcpy(full.where, err->where, sizeof full.where);
        memcpy(full.text, err->text, sizeof full.text);
        memcpy(full.advice, err->advice, sizeof full.advice);
        orr_library_fill(report, &full, sizeof full, report);
    }
    return false;
}

const char *orr_library_version(void)
{
    return orr_version();
}

const char *orr_library_release(size_t i)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    return i < count ? releases[i].name : NULL;
}

const char *orr_library_setting(size_t i)
{
    return i < ORR_SETTING_COUNT ? orr_setting_name((enum orr_setting)i) : NULL;
}

bool orr_limits_new(struct orr_limits **ret_limits, struct orr_report *report)
{
    struct orr_error err = {0};
    struct orr_limits *limits = calloc(1, sizeof *limits);
    if (!limits) {
        orr_fail_nomem(&err);
        return orr_library_fail(report, &err);
    }
    limits->budget.by = ORR_LIMITED_BY_CALLER;
    *ret_limits = limits;
    return true;
}

void orr_limits_free(struct orr_limits *limits)
{
    free(limits);
}

void orr_limits_time(struct orr_limits *limits, uint64_t milliseconds)
{
    enum { NS = 1000000 };
    limits->budget.time_ns = milliseconds > UINT64_MAX / NS ? 0 : milliseconds * NS;
}

void orr_limits_memory(struct orr_limits *limits, uint64_t bytes)
{
    limits->budget.memory = bytes;
}

void orr_limits_unpacked(struct orr_limits *limits, uint64_t bytes)
{
    limits->budget.unpacked = bytes;
}

void orr_limits_entries(struct orr_limits *limits, uint64_t count)
{
    limits->budget.entries = count;
}

void orr_limits_stop(struct orr_limits *limits)
{
    atomic_store(&limits->stopped, true); /* set first: a call that begins now sees this, a call under way sees the
                                           * other */
    orr_budget_stop(&limits->budget, ORR_SPENT_USER);
}

void orr_limits_resume(struct orr_limits *limits)
{
    atomic_store(&limits->stopped, false);
}

struct orr_budget *orr_limits_budget(const struct orr_limits *limits)
{
    if (!limits)
        return NULL;
    struct orr_limits *own = (struct orr_limits *)(uintptr_t)limits;
    orr_budget_reset(&own->budget);
    if (atomic_load(&own->stopped))
        orr_budget_stop(&own->budget, ORR_SPENT_USER);
    return &own->budget;
}

void orr_limits_begin(const struct orr_limits *limits)
{
    if (limits)
        orr_budget_begin(orr_limits_budget(limits));
}

enum orr_code orr_limits_end(const struct orr_limits *limits, enum orr_code code, struct orr_error *err)
{
    if (!limits)
        return code;
    orr_budget_end();
    return orr_budget_verdict(&limits->budget, code, err);
}
