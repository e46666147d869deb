/* SPDX-License-Identifier: Apache-2.0 */
#include "api/http/answer.h"

#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "engine/base/budget.h"
#include "engine/base/hex.h"

void orr_sha256(const void *bytes, size_t length, char digest[65])
{
    struct sha256_ctx context;
    uint8_t sum[SHA256_DIGEST_SIZE];
    sha256_init(&context);
    sha256_update(&context, length, bytes);
    sha256_digest(&context, sizeof sum, sum);
    orr_hex_write(sum, sizeof sum, digest);
}

static void free_answer(struct orr_shared *shared)
{
    struct orr_answer *answer = (struct orr_answer *)shared;
    orr_free_reply *free_reply = atomic_load(&answer->free_reply);
    for (int i = 0; free_reply && i < 2 * ORR_REPLIES; i++) {
        void *reply = atomic_load(&answer->kept[i / 2].reply[i % 2]);
        if (reply)
            free_reply(reply);
    }
    if (answer->stream)
        answer->stream->free(answer->stream);
    free(answer->body);
    free(answer);
}

static bool is_compressible(const char *media_type)
{
    static const char *const kinds[] = {
        "text/",         "application/json", "application/xml",          "application/problem+json",
        "image/svg+xml", "application/yaml", "application/manifest+json"};
    for (size_t i = 0; media_type && i < sizeof kinds / sizeof kinds[0]; i++)
        if (!strncmp(media_type, kinds[i], strlen(kinds[i])))
            return true;
    return false;
}

struct orr_answer *orr_answer_new(unsigned status, const char *media_type, char *bytes, size_t length)
{
    struct orr_answer *answer = bytes || !length ? calloc(1, sizeof *answer) : NULL;
    if (!answer) {
        free(bytes);
        return NULL;
    }
    orr_shared_init(&answer->shared, sizeof *answer + length, free_answer);
    answer->status = status;
    answer->media_type = media_type;
    answer->body = bytes;
    answer->length = length;
    answer->compressible = is_compressible(media_type);
    answer->keeping = status < 300 ? ORR_KEEP_ASK : ORR_KEEP_NOT;
    if (status == 200 || status == 201) {
        char digest[65];
        orr_sha256(bytes ? bytes : "", length, digest);
        snprintf(answer->etag, sizeof answer->etag, "\"%.32s\"", digest);
    }
    return answer;
}

struct orr_answer *orr_answer_of_stream(unsigned status, const char *media_type, struct orr_stream *stream)
{
    struct orr_answer *answer = calloc(1, sizeof *answer);
    if (!answer) {
        stream->free(stream);
        return NULL;
    }
    orr_shared_init(&answer->shared, sizeof *answer, free_answer);
    answer->status = status;
    answer->media_type = media_type;
    answer->stream = stream;
    answer->keeping = ORR_KEEP_NOT;
    return answer;
}

enum orr_code orr_answer_of_text(unsigned status, const char *media_type, struct orr_text *text,
                                 struct orr_answer **ret_answer, struct orr_error *err)
{
    size_t length;
    char *bytes = orr_text_take(text, &length);
    ORR_NEED(bytes, err);
    struct orr_answer *answer = orr_answer_new(status, media_type, bytes, length);
    ORR_NEED(answer, err);
    *ret_answer = answer;
    return ORR_OK;
}

enum orr_code orr_answer_of_json(unsigned status, struct orr_json *json, json_t *root, struct orr_answer **ret_answer,
                                 struct orr_error *err)
{
    ORR_LOCAL_TEXT(text, ORR_MAX_ANSWER);
    ORR_TRY(orr_json_write(json, root, false, &text, err));
    return orr_answer_of_text(status, "application/json", &text, ret_answer, err);
}

struct orr_answer *orr_answer_gzip(const struct orr_answer *answer)
{
    enum { LEVEL = 6, WINDOW_GZIP = 15 + 16, MEMORY = 8, SLICE = 1 << 20 /* between two checks of the budget */ };
    z_stream stream = {0};
    if (deflateInit2(&stream, LEVEL, Z_DEFLATED, WINDOW_GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    size_t bound = deflateBound(&stream, (uLong)answer->length);
    uint64_t budget;
    char *bytes = orr_budget_draw(bound, &budget) ? malloc(bound) : NULL;
    int result = bytes ? Z_OK : Z_MEM_ERROR;
    stream.next_out = (Bytef *)bytes;
    stream.avail_out = (uInt)bound;
    for (size_t at = 0; result == Z_OK && orr_budget_check(NULL) == ORR_OK; at += SLICE) {
        bool last = answer->length - at <= SLICE;
        stream.next_in = (Bytef *)answer->body + at;
        stream.avail_in = (uInt)(last ? answer->length - at : SLICE);
        result = deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
    }
    size_t length = stream.total_out;
    deflateEnd(&stream);
    orr_budget_give(budget, bound); /* what is kept of it is the answer's */
    if (result != Z_STREAM_END) {
        free(bytes);
        return NULL;
    }
    char *smaller = realloc(bytes, length);
    struct orr_answer *zipped = calloc(1, sizeof *zipped);
    if (!zipped) {
        free(smaller ? smaller : bytes);
        return NULL;
    }
    /* Member by member: the other answer's count of references is not ours to read. */
    orr_shared_init(&zipped->shared, sizeof *zipped + length, free_answer);
    zipped->status = answer->status;
    zipped->media_type = answer->media_type;
    zipped->policy = answer->policy;
    zipped->keeping = answer->keeping;
    zipped->compressible = answer->compressible;
    zipped->encoding = "gzip";
    zipped->body = smaller ? smaller : bytes;
    zipped->length = length;
    size_t tag = strlen(answer->etag);
    if (tag > 2) /* another representation has another tag */
        snprintf(zipped->etag, sizeof zipped->etag, "%.*s-gzip\"", (int)tag - 1, answer->etag);
    return zipped;
}

bool orr_etag_listed(const char *list, const char *etag, bool weakly)
{
    size_t length = strlen(etag);
    while (list && *list) {
        list += strspn(list, " \t,");
        if (*list == '*')
            return true;
        bool weak = !strncmp(list, "W/", 2);
        list += weak ? 2 : 0;
        if ((weakly || !weak) && !strncmp(list, etag, length) && strchr(" \t,", list[length]))
            return true;
        if (*list == '"') {
            const char *end = strchr(list + 1, '"');
            list = end ? end + 1 : list + strlen(list);
        } else {
            list += strcspn(list, ",");
        }
    }
    return false;
}

/* Each thread starts at its own place. */
static _Atomic(void *) *reply_place(struct orr_answer *answer, bool not_modified, unsigned attempt)
{
    return &answer->kept[(orr_thread_slot() + attempt) % ORR_REPLIES].reply[not_modified];
}

void *orr_answer_take_reply(struct orr_answer *answer, bool not_modified)
{
    for (unsigned i = 0; i < ORR_REPLIES; i++) {
        _Atomic(void *) *place = reply_place(answer, not_modified, i);
        void *reply = atomic_load_explicit(place, memory_order_relaxed) ? atomic_exchange(place, NULL) : NULL;
        if (reply)
            return reply;
    }
    return NULL;
}

void orr_answer_keep_reply(struct orr_answer *answer, bool not_modified, void *reply, orr_free_reply *free_reply)
{
    if (!atomic_load_explicit(&answer->free_reply, memory_order_relaxed)) /* writing would disturb other threads */
        atomic_store_explicit(&answer->free_reply, free_reply, memory_order_relaxed);
    for (unsigned i = 0; i < ORR_REPLIES; i++) {
        void *nothing = NULL;
        if (atomic_compare_exchange_strong(reply_place(answer, not_modified, i), &nothing, reply))
            return;
    }
    free_reply(reply);
}
