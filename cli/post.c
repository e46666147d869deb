/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads with libcurl: only HTTP and HTTPS, without redirection (the token is for that service), and always checking
 * the certificate. Temporary failures are retried; refusals are not. */
#include "cli/post.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "engine/base/clock.h"

enum {
    FIRST_DELAY = 1,
    LONGEST_DELAY = 60,
    LONGEST_WAIT = 120,
    TRY_SECONDS = 30,
    MOST_ANSWER = 65536,
    TOKEN_SIZE = 512,
    MOST_URL = 65536
};

double orr_post_delay(unsigned failures, unsigned random, long retry_after)
{
    double full = FIRST_DELAY;
    for (unsigned i = 1; i < failures && full < LONGEST_DELAY; i++)
        full *= 2;
    if (full > LONGEST_DELAY)
        full = LONGEST_DELAY;
    double delay = full / 2 + full / 2 * (random % 1000) / 1000;
    if (retry_after > LONGEST_WAIT)
        retry_after = LONGEST_WAIT;
    return retry_after > 0 && delay < (double)retry_after ? (double)retry_after : delay;
}

/* First line of the token file. */
static bool read_token(const char *path, char token[TOKEN_SIZE])
{
    FILE *file = fopen(path, "r");
    bool done = file && fgets(token, TOKEN_SIZE, file);
    if (file)
        fclose(file);
    token[done ? strcspn(token, " \t\r\n") : 0] = 0;
    if (!token[0])
        fprintf(stderr, "%s: the first line is empty; it must be the token\n", path);
    return token[0];
}

static void add_parameter(struct orr_text *url, const char *name, const char *value)
{
    char *encoded = curl_easy_escape(NULL, value, 0);
    if (encoded && url->data)
        orr_text_printf(url, "%c%s=%s", strchr(url->data, '?') ? '&' : '?', name, encoded);
    else
        url->failed = true;
    curl_free(encoded);
}

/* URL/v1/topologies?name=...&label=...; without a label `host` it is the name of this machine. */
static void make_url(const struct orr_options *options, struct orr_text *url)
{
    static const char folder[] = "/v1/topologies";
    size_t length = strlen(options->post), ending = sizeof folder - 1;
    char host[256] = "";
    bool named = false;
    while (length && options->post[length - 1] == '/')
        length--;
    orr_text_add(url, options->post, length);
    if (length < ending || strncmp(options->post + length - ending, folder, ending) != 0)
        orr_text_puts(url, folder);
    if (options->params.name)
        add_parameter(url, "name", options->params.name);
    for (uint32_t i = 0; i < options->params.label_count; i++) {
        const char *label = options->params.labels[i].name; /* NAME=VALUE: the name is not terminated */
        named = named || !strncmp(label, "host=", 5);
        add_parameter(url, "label", label);
    }
    if (!named && !gethostname(host, sizeof host - 1) && host[0]) {
        char label[sizeof host + 8];
        snprintf(label, sizeof label, "host=%s", host);
        add_parameter(url, "label", label);
    }
}

static size_t take_answer(char *bytes, size_t size, size_t count, void *context)
{
    orr_text_add(context, bytes, size * count);
    return size * count; /* anything that does not fit is not needed */
}

struct upload {
    CURL *curl;
    struct curl_slist *headers;
    struct orr_text url, answer;
    char problem[CURL_ERROR_SIZE];
};

static CURLcode restrict_protocols(CURL *curl)
{
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl_easy_setopt(curl, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static bool prepare(struct upload *upload, const struct orr_options *options, const char *token, const char *xml,
                    size_t length, unsigned seconds)
{
    char line[TOKEN_SIZE + 32];
    CURL *curl = upload->curl = curl_easy_init();
    if (!curl)
        return false;
    upload->headers = curl_slist_append(NULL, "Content-Type: application/xml");
    if (token[0]) {
        snprintf(line, sizeof line, "Authorization: Bearer %s", token);
        struct curl_slist *longer = curl_slist_append(upload->headers, line);
        if (!longer)
            return false;
        upload->headers = longer;
    }
    return upload->headers && !orr_text_failed(&upload->url) &&
           !curl_easy_setopt(curl, CURLOPT_URL, upload->url.data) && !restrict_protocols(curl) &&
           !curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L) && !curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L) &&
           !curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)seconds) &&
           !curl_easy_setopt(curl, CURLOPT_HTTPHEADER, upload->headers) &&
           !curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)length) &&
           !curl_easy_setopt(curl, CURLOPT_POSTFIELDS, xml) &&
           !curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, upload->problem) &&
           !curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer) &&
           !curl_easy_setopt(curl, CURLOPT_WRITEDATA, &upload->answer) &&
           (!options->ca_file || !curl_easy_setopt(curl, CURLOPT_CAINFO, options->ca_file));
}

/* Whether a failure may be temporary: no connection, no answer in time, a service that is overloaded or starting. */
static bool may_pass(CURLcode result, long status)
{
    if (result == CURLE_OK)
        return status == 408 || status == 429 || status >= 500;
    return result == CURLE_COULDNT_RESOLVE_HOST || result == CURLE_COULDNT_RESOLVE_PROXY ||
           result == CURLE_COULDNT_CONNECT || result == CURLE_OPERATION_TIMEDOUT || result == CURLE_SEND_ERROR ||
           result == CURLE_RECV_ERROR || result == CURLE_GOT_NOTHING || result == CURLE_PARTIAL_FILE ||
           result == CURLE_SSL_CONNECT_ERROR;
}

static void explain(const struct upload *upload, CURLcode result, long status, char *text, size_t size)
{
    char detail[200];
    if (result != CURLE_OK) {
        snprintf(text, size, "%s", upload->problem[0] ? upload->problem : curl_easy_strerror(result));
        return;
    }
    orr_json_member(upload->answer.data, upload->answer.length, "detail", detail, sizeof detail);
    snprintf(text, size, "the service answered %ld%s%s", status, detail[0] ? ": " : "", detail);
}

/* Tries until the service has accepted or refused it, or the time is up. */
static int upload_all(struct upload *upload, const struct orr_options *options, int64_t patience_ms)
{
    int64_t end = orr_clock_ms() + patience_ms;
    for (unsigned failures = 1;; failures++) {
        char why[400], id[80];
        long status = 0;
        curl_off_t retry_after = 0;
        unsigned random = 0;
        orr_text_release(&upload->answer);
        orr_text_init(&upload->answer, MOST_ANSWER);
        upload->problem[0] = 0;
        CURLcode result = curl_easy_perform(upload->curl);
        curl_easy_getinfo(upload->curl, CURLINFO_RESPONSE_CODE, &status);
        curl_easy_getinfo(upload->curl, CURLINFO_RETRY_AFTER, &retry_after);
        if (result == CURLE_OK && (status == 200 || status == 201)) {
            orr_json_member(upload->answer.data, upload->answer.length, "id", id, sizeof id);
            printf("%.*s/%s\n", (int)strcspn(upload->url.data, "?"), upload->url.data, id);
            return fflush(stdout) ? ORR_EXIT_INPUT : ORR_EXIT_OK;
        }
        explain(upload, result, status, why, sizeof why);
        if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
            random = (unsigned)orr_clock_ms();
        double delay = orr_post_delay(failures, random, (long)retry_after);
        bool again = may_pass(result, status) && orr_clock_ms() + (int64_t)(delay * 1000) < end;
        fprintf(stderr, "%s: %s\n", options->post, why);
        if (!again) {
            fprintf(stderr, "  %s\n",
                    may_pass(result, status) ? "gave up; --patience sets how long to retry" : "not retried");
            return ORR_EXIT_INPUT;
        }
        fprintf(stderr, "  retrying in %.1f s\n", delay);
        orr_clock_sleep((int64_t)(delay * 1000));
    }
}

/* URL/path?node=...&what was given. */
static void make_question_url(const struct orr_options *options, const char *path, const char *node,
                              struct orr_text *url)
{
    size_t length = strlen(options->server);
    while (length && options->server[length - 1] == '/')
        length--;
    orr_text_add(url, options->server, length);
    orr_text_puts(url, path);
    if (!options->params.node)
        add_parameter(url, "node", node);
    for (size_t i = 0; i < options->asked_count; i++) {
        const struct orr_asked *asked = &options->asked[i];
        char setting[80];
        snprintf(setting, sizeof setting, "%.*s", (int)strcspn(asked->value, "="), asked->value);
        if (asked->row->ask == ORR_ASK_SETTINGS)
            add_parameter(url, setting, strchr(asked->value, '=') + 1);
        else
            add_parameter(url, asked->row->name, asked->value);
    }
}

static void release_upload(struct upload *upload)
{
    curl_slist_free_all(upload->headers);
    if (upload->curl)
        curl_easy_cleanup(upload->curl);
    orr_text_release(&upload->url);
    orr_text_release(&upload->answer);
    curl_global_cleanup();
}

enum orr_code orr_post_question(const struct orr_options *options, const char *path, const char *bytes, size_t length,
                                unsigned seconds, const char *node, struct orr_text *answer, struct orr_error *err)
{
    struct upload upload = {0};
    char token[TOKEN_SIZE] = "", why[400];
    long status = 0;
    if (options->token_file && !read_token(options->token_file, token))
        return orr_fail(err, ORR_IO, "the token cannot be read");
    if (curl_global_init(CURL_GLOBAL_DEFAULT))
        return orr_fail(err, ORR_IO, "libcurl cannot start");
    orr_text_init(&upload.url, MOST_URL);
    orr_text_init(&upload.answer, answer->limit);
    make_question_url(options, path, node, &upload.url);
    enum orr_code code = ORR_OK;
    if (!prepare(&upload, options, token, bytes, length, seconds)) {
        code = orr_fail(err, ORR_IO, "libcurl cannot prepare the request");
    } else {
        CURLcode result = curl_easy_perform(upload.curl);
        curl_easy_getinfo(upload.curl, CURLINFO_RESPONSE_CODE, &status);
        explain(&upload, result, status, why, sizeof why);
        if (result != CURLE_OK)
            code = orr_fail(err, ORR_IO, "%.240s", why);
        else if (status != 200 || orr_text_failed(&upload.answer) || !upload.answer.length)
            code = orr_fail(err, ORR_UNSUPPORTED, "%.240s", why);
    }
    if (code == ORR_OK) {
        orr_text_release(answer);
        *answer = upload.answer;
        upload.answer = (struct orr_text){0};
    }
    release_upload(&upload);
    return code;
}

int orr_post_dump(const struct orr_options *options, const char *xml, size_t length)
{
    enum { USUAL_PATIENCE = 300, MOST_PATIENCE = 86400 };
    struct upload upload = {0};
    struct orr_error err = {0};
    char token[TOKEN_SIZE] = "";
    uint32_t patience = USUAL_PATIENCE;
    if (options->patience &&
        orr_read_number("patience", options->patience, 0, MOST_PATIENCE, &patience, &err) != ORR_OK)
        return orr_report(NULL, &err);
    if (options->token_file && !read_token(options->token_file, token))
        return ORR_EXIT_INPUT;
    if (curl_global_init(CURL_GLOBAL_DEFAULT))
        return ORR_EXIT_INPUT;
    orr_text_init(&upload.url, MOST_URL);
    orr_text_init(&upload.answer, MOST_ANSWER);
    make_url(options, &upload.url);
    int status = ORR_EXIT_INPUT;
    if (prepare(&upload, options, token, xml, length, TRY_SECONDS))
        status = upload_all(&upload, options, (int64_t)patience * 1000);
    else
        fprintf(stderr, "%s: libcurl cannot prepare a request to this address\n", options->post);
    release_upload(&upload);
    return status;
}
