/* SPDX-License-Identifier: Apache-2.0 */
/* A finished answer: bytes with what is said about them. They never change once made, so it may be cached and sent by
 * many threads at once. */
#ifndef ORR_API_ANSWER_H
#define ORR_API_ANSWER_H

#include "api/documents/documents.h"
#include "api/http/cache.h"
#include "engine/base/shared.h"
#include "engine/base/thread_slot.h"

/* How long a client may keep an answer without asking again. */
enum orr_keeping {
    ORR_KEEP_ASK,    /* keep, but ask each time whether it is still so (ETag) */
    ORR_KEEP_NOT,    /* do not keep */
    ORR_KEEP_FOREVER /* never changes */
};

enum { ORR_REPLIES = 4 };
typedef void orr_free_reply(void *reply);

struct orr_answer {
    struct orr_shared shared;
    unsigned status;
    const char *media_type; /* static; NULL: no body */
    const char *encoding;   /* static: "gzip", or NULL */
    const char *policy;     /* static: the Content-Security-Policy, NULL: the strictest */
    enum orr_keeping keeping;
    bool compressible;
    atomic_bool aliased; /* it is in the cache under a target as somebody wrote it, too: one spelling is enough */
    char etag[48];       /* quoted; "" if there is none */
    char *body;
    size_t length;
    struct orr_stream *stream; /* in place of body and length; owned; such an answer is sent once. NULL: none */
    _Atomic int64_t seen;      /* the dump that it is about in the store, by orr_clock_coarse_ms(); 0: not yet */
    /* What the sender made of this answer, to be used again: one who sends takes it out, and puts it back when it is
     * sent. Threads that send at the same time use different places, each in a cache line of its own. */
    _Atomic(orr_free_reply *) free_reply;
    struct {
        char apart[ORR_CACHE_LINE - 2 * sizeof(void *)];
        _Atomic(void *) reply[2]; /* [0] whole, [1] not modified */
    } kept[ORR_REPLIES];
};

/* Takes bytes over (malloc'd), even on failure. NULL: out of memory. */
struct orr_answer *orr_answer_new(unsigned status, const char *media_type, char *bytes, size_t length);
/* The same for a body that is made while it is sent; takes the stream over. */
struct orr_answer *orr_answer_of_stream(unsigned status, const char *media_type, struct orr_stream *stream);
/* Takes the text's bytes over; NOMEM where writing it failed. */
enum orr_code orr_answer_of_text(unsigned status, const char *media_type, struct orr_text *text,
                                 struct orr_answer **ret_answer, struct orr_error *err) ORR_NO_DISCARD;
/* Takes the document over. */
enum orr_code orr_answer_of_json(unsigned status, struct orr_json *json, json_t *root, struct orr_answer **ret_answer,
                                 struct orr_error *err) ORR_NO_DISCARD;
/* The same answer compressed; NULL if that fails. */
struct orr_answer *orr_answer_gzip(const struct orr_answer *answer);
/* Does a list name the tag (or *)? If-None-Match compares weakly, If-Match does not: there a weak tag matches nothing.
 */
bool orr_etag_listed(const char *list, const char *etag, bool weakly);

/* Takes a reply out that the sender kept; NULL: there is none. */
void *orr_answer_take_reply(struct orr_answer *answer, bool not_modified);
/* Keeps a reply that nobody uses now; it is freed with the answer, or at once where enough are kept. */
void orr_answer_keep_reply(struct orr_answer *answer, bool not_modified, void *reply, orr_free_reply *free_reply);

/* SHA-256 of bytes as 64 hex digits and a terminating zero. */
void orr_sha256(const void *bytes, size_t length, char digest[65]);

#endif
