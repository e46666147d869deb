/* SPDX-License-Identifier: Apache-2.0 */
#define ORR_ERROR_SOURCE
#include "engine/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/words.h"

static const char *const code_names[ORR_CODE_COUNT] = {ORR_CODE_MAP(ORR_SECOND_OF)};

const char *orr_code_name(enum orr_code code)
{
    return (unsigned)code < ORR_CODE_COUNT ? code_names[code] : "internal";
}

static enum orr_code fill_error(struct orr_error *err, enum orr_code code, uint32_t line, uint32_t column,
                                const char *format, va_list args)
{
    if (err && err->code == ORR_OK) {
        err->code = code;
        err->line = line;
        err->column = column;
        vsnprintf(err->text, sizeof err->text, format, args);
    }
    return code;
}

enum orr_code orr_fail(struct orr_error *err, enum orr_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill_error(err, code, 0, 0, format, args);
    va_end(args);
    return code;
}

enum orr_code orr_fail_at(struct orr_error *err, enum orr_code code, uint32_t line, uint32_t column, const char *format,
                          ...)
{
    va_list args;
    va_start(args, format);
    fill_error(err, code, line, column, format, args);
    va_end(args);
    return code;
}

enum orr_code orr_fail_with(struct orr_error *err, enum orr_code code, const char *where, const char *advice,
                            const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill_error(err, code, 0, 0, format, args);
    va_end(args);
    if (where)
        orr_error_where(err, "%s", where);
    if (advice)
        orr_error_advice(err, "%s", advice);
    return code;
}

enum orr_code orr_fail_nomem(struct orr_error *err)
{
    return orr_fail(err, ORR_NOMEM, "out of memory");
}

void orr_error_where(struct orr_error *err, const char *format, ...)
{
    va_list args;
    if (!err || err->where[0])
        return;
    va_start(args, format);
    vsnprintf(err->where, sizeof err->where, format, args);
    va_end(args);
}

void orr_error_host(struct orr_error *err, uint32_t host)
{
    char inside[sizeof err->where];
    if (!err || err->host || err->code == ORR_OK || err->code == ORR_NOMEM)
        return;
    err->host = host + 1;
    if (!strncmp(err->where, "hosts[", 6))
        return;
    memcpy(inside, err->where, sizeof inside);
    snprintf(err->where, sizeof err->where, inside[0] ? "hosts[%u], %.70s" : "hosts[%u]", host, inside);
}

void orr_error_advice(struct orr_error *err, const char *format, ...)
{
    va_list args;
    if (!err || err->advice[0])
        return;
    va_start(args, format);
    vsnprintf(err->advice, sizeof err->advice, format, args);
    va_end(args);
}
