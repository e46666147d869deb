/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a log of any size as a stream. If it is topology XML instead, reads it whole. */
#include "cli/read_log.h"

#include <string.h>

#include "cli/read_pieces.h"
#include "engine/base/text.h"

struct reading {
    bool begun, whole;
    struct orr_text text; /* of XML */
    struct orr_log_reader *reader;
};

static bool is_xml(const char *bytes, size_t length)
{
    size_t start = 0;
    while (start < length && strchr(" \t\r\n", bytes[start]) && bytes[start])
        start++;
    return start < length && bytes[start] == '<';
}

static enum orr_code take(void *context, const char *bytes, size_t length, struct orr_error *err)
{
    struct reading *reading = context;
    if (!reading->begun) {
        reading->begun = true;
        reading->whole = is_xml(bytes, length);
    }
    if (!reading->whole)
        return orr_log_reader_feed(reading->reader, bytes, length, err);
    orr_text_add(&reading->text, bytes, length);
    if (!orr_text_failed(&reading->text))
        return ORR_OK;
    return reading->text.starved ? orr_fail_nomem(err)
                                 : orr_fail(err, ORR_LIMIT, "larger than %zu bytes", reading->text.limit);
}

enum orr_code orr_read_log_file(const char *file, struct orr_log **ret_log, struct orr_error *err)
{
    struct reading reading = {0};
    ORR_TRY(orr_log_reader_new(&orr_log_stream_limits, &reading.reader, err));
    orr_text_init(&reading.text, orr_log_default_limits.bytes);
    enum orr_code code = orr_read_pieces(file, "the log", take, &reading, err);
    if (code == ORR_OK && reading.whole)
        code = orr_log_read_any(reading.text.data, reading.text.length, ret_log, err);
    if (code == ORR_OK && !reading.whole)
        code = orr_log_reader_finish(reading.reader, ret_log, err);
    else
        orr_log_reader_free(reading.reader);
    orr_text_release(&reading.text);
    return code;
}

static enum orr_code take_results(void *reader, const char *bytes, size_t length, struct orr_error *err)
{
    return orr_results_reader_feed(reader, bytes, length, err);
}

enum orr_code orr_read_results_file(const char *file, struct orr_results **ret_results, struct orr_error *err)
{
    struct orr_results_reader *reader;
    ORR_TRY(orr_results_reader_new(&orr_results_stream_limits, &reader, err));
    enum orr_code code = orr_read_pieces(file, "the results", take_results, reader, err);
    if (code == ORR_OK)
        return orr_results_reader_finish(reader, ret_results, err);
    orr_results_reader_free(reader);
    return code;
}
