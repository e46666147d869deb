/* SPDX-License-Identifier: Apache-2.0 */
/* A finished answer: its bytes and their headers. Immutable, so it can be cached, and many threads can send it at
 * once. */
#ifndef ORR_API_ANSWER_H
#define ORR_API_ANSWER_H

#include "api/documents/documents.h"
#include "api/http/cache.h"
#include "engine/base/shared.h"
#include "engine/base/thread_slot.h"

/* How long a client may keep an answer without asking again. */
enum orr_keeping {
    ORR_KEEP_ASK,    /* keep, but revalidate every time (ETag) */
    ORR_KEEP_NOT,    /* do not keep */
    ORR_KEEP_FOREVER /* never changes */
};

enum { ORR_REPLIES = 4 };
typedef void orr_free_reply(void *reply);

struct orr_answer {
    struct orr_shared shared;
    unsigned status;
    const char *media_type; /* static; NULL if there is no body */
    const char *encoding;   /* static: "gzip", or NULL */
    const char *policy;     /* static: the Content-Security-Policy, NULL means the strictest */
    enum orr_keeping keeping;
    bool compressible;
    atomic_bool aliased; /* also cached under the target as a client wrote it; one spelling is enough */
    char etag[48];       /* quoted; "" if there is none */
    char *body;
    size_t length;
    /* instead of body and length; owned; such an answer is sent only once; NULL if there is none */
    struct orr_stream *stream;
    _Atomic int64_t seen; /* when its dump was last seen in the store, by orr_clock_coarse_ms(); 0 means never */
    /* Replies that senders made of this answer, for reuse: a sender takes one out, and puts it back after sending.
     * Threads that send at the same time use different places, each in its own cache line. */
    _Atomic(orr_free_reply *) free_reply;
    struct {
        char apart[ORR_CACHE_LINE - 2 * sizeof(void *)];
        _Atomic(void *) reply[2]; /* [0] whole, [1] not modified */
    } kept[ORR_REPLIES];
};

/* Takes ownership of bytes (malloc'd), even on failure; NULL if memory runs out. */
struct orr_answer *orr_answer_new(unsigned status, const char *media_type, char *bytes, size_t length);
/* The same for a body that is generated while it is sent; takes ownership of the stream. */
struct orr_answer *orr_answer_of_stream(unsigned status, const char *media_type, struct orr_stream *stream);
/* Takes ownership of the text's bytes; NOMEM if writing the text had failed. */
enum orr_code orr_answer_of_text(unsigned status, const char *media_type, struct orr_text *text,
                                 struct orr_answer **ret_answer, struct orr_error *err) ORR_NO_DISCARD;
/* Takes ownership of the document. */
enum orr_code orr_answer_of_json(unsigned status, struct orr_json *json, json_t *root, struct orr_answer **ret_answer,
                                 struct orr_error *err) ORR_NO_DISCARD;
/* The same answer compressed; NULL if that fails. */
struct orr_answer *orr_answer_gzip(const struct orr_answer *answer);
/* Whether a list contains the tag, or is *. If-None-Match compares weakly; in If-Match, a weak tag matches nothing.
 */
bool orr_etag_listed(const char *list, const char *etag, bool weakly);

/* Takes out a reply that the sender kept; NULL if there is none. */
void *orr_answer_take_reply(struct orr_answer *answer, bool not_modified);
/* Keeps an unused reply for later. It is freed with the answer, or at once if enough are kept. */
void orr_answer_keep_reply(struct orr_answer *answer, bool not_modified, void *reply, orr_free_reply *free_reply);

/* SHA-256 of bytes as 64 hex digits and a terminating zero. */
void orr_sha256(const void *bytes, size_t length, char digest[65]);

#endif
