/* SPDX-License-Identifier: Apache-2.0 */
#include "server/tokens.h"

#include <errno.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "api/http/answer.h"
#include "api/http/api.h"
#include "engine/base/hex.h"
#include "server/serve.h"

struct entry {
    uint8_t digest[ORR_TOKEN_DIGEST];
    struct orr_bearer bearer;
};

struct table {
    struct entry *entries;
    size_t count, capacity;
};

struct orr_tokens {
    char *path;
    pthread_rwlock_t lock; /* of the table */
    struct table table;
};

static const struct {
    const char *name;
    unsigned bit;
} scopes[] = {{"read", ORR_SCOPE_READ}, {"write", ORR_SCOPE_WRITE}};

/* The host of "agent:HOST"; false if the word is another, or names none. */
static bool read_agent(const char *word, size_t length, char ret_host[ORR_TOKEN_HOST])
{
    static const char start[] = "agent:";
    const size_t skip = sizeof start - 1;
    if (length <= skip || length - skip >= ORR_TOKEN_HOST || memcmp(word, start, skip) != 0)
        return false;
    if (ret_host)
        snprintf(ret_host, ORR_TOKEN_HOST, "%.*s", (int)(length - skip), word + skip);
    return true;
}

unsigned orr_scopes_parse(const char *text, size_t length, char ret_host[ORR_TOKEN_HOST])
{
    unsigned bits = 0;
    const char *end = text + length;
    while (text < end) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        size_t size = (size_t)((comma ? comma : end) - text), i = 0;
        while (i < 2 && (strlen(scopes[i].name) != size || memcmp(scopes[i].name, text, size) != 0))
            i++;
        if (i == 2 && (bits & ORR_SCOPE_AGENT || !read_agent(text, size, ret_host)))
            return 0;
        bits |= i < 2 ? scopes[i].bit : ORR_SCOPE_AGENT;
        text += size + (comma ? 1 : 0);
        if (comma && text == end)
            return 0;
    }
    return bits;
}

static const char *read_line(char *line, struct entry *entry)
{
    static const char blanks[] = " \t\r\n";
    char *rest = NULL;
    const char *name = strtok_r(line, blanks, &rest), *scope = strtok_r(NULL, blanks, &rest);
    const char *digest = strtok_r(NULL, blanks, &rest);
    if (!digest || strtok_r(NULL, blanks, &rest))
        return "a line has a name, scopes and the SHA-256 of the token, as `orrery token` prints it";
    if (strlen(name) >= ORR_TOKEN_NAME ||
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.@") != strlen(name))
        return "a name has at most 63 letters, digits, and any of - _ . @";
    if (!(entry->bearer.scopes = orr_scopes_parse(scope, strlen(scope), entry->bearer.host)))
        return "the scopes are read, write, agent:HOST, or several of them with commas";
    if (strlen(digest) != 64 || !orr_hex_read(digest, ORR_TOKEN_DIGEST, entry->digest))
        return "the SHA-256 of a token has 64 hex digits";
    snprintf(entry->bearer.name, sizeof entry->bearer.name, "%s", name);
    return NULL;
}

static enum orr_code add_token(struct table *table, const struct entry *entry, struct orr_error *err)
{
    if (table->count == table->capacity) {
        size_t capacity = table->capacity ? 2 * table->capacity : 16;
        struct entry *entries = realloc(table->entries, capacity * sizeof *entries);
        ORR_NEED(entries, err);
        table->entries = entries;
        table->capacity = capacity;
    }
    table->entries[table->count++] = *entry;
    return ORR_OK;
}

static enum orr_code read_file(const char *path, struct table *ret_table, struct orr_error *err)
{
    enum { LONGEST = 512, MOST = 100000 };
    char line[LONGEST];
    struct table table = {0};
    enum orr_code code = ORR_OK;
    FILE *file = fopen(path, "re");
    if (!file)
        return orr_fail(err, ORR_IO, "the token file %.120s cannot be read: %s", path, strerror(errno));
    struct stat about;
    if (!fstat(fileno(file), &about) && about.st_mode & S_IWOTH) {
        fclose(file);
        return orr_fail_with(err, ORR_SETTING, NULL, "run chmod o-w on it, then check its lines",
                             "everybody on this machine may write to the token file %.120s", path);
    }
    for (unsigned number = 1; code == ORR_OK && fgets(line, sizeof line, file); number++) {
        struct entry entry = {0};
        size_t start = strspn(line, " \t\r\n"), length = strlen(line);
        const char *problem = length + 1 == sizeof line && line[length - 1] != '\n' ? "the line is too long" : NULL;
        if (!problem && (!line[start] || line[start] == '#'))
            continue;
        if (!problem)
            problem = read_line(line, &entry);
        if (problem || number > MOST)
            code = orr_fail(err, ORR_SETTING, "%.100s:%u: %s", path, number, problem ? problem : "too many lines");
        else
            code = add_token(&table, &entry, err);
    }
    if (code == ORR_OK && ferror(file))
        code = orr_fail(err, ORR_IO, "the token file %.120s cannot be read: %s", path, strerror(errno));
    fclose(file);
    if (code == ORR_OK && !table.count) {
        code = orr_fail(err, ORR_SETTING, "the token file %.120s has no token", path);
        orr_error_advice(err, "`orrery token NAME --scope read,write` makes one and prints its line");
    }
    if (code == ORR_OK)
        *ret_table = table;
    else
        free(table.entries);
    return code;
}

enum orr_code orr_tokens_open(const char *path, struct orr_tokens **ret_tokens, struct orr_error *err)
{
    struct orr_tokens *tokens = calloc(1, sizeof *tokens);
    ORR_NEED(tokens, err);
    tokens->path = strdup(path);
    enum orr_code code = tokens->path ? read_file(path, &tokens->table, err) : orr_fail_nomem(err);
    if (code == ORR_OK && pthread_rwlock_init(&tokens->lock, NULL)) {
        free(tokens->table.entries);
        code = orr_fail_nomem(err);
    }
    if (code != ORR_OK) {
        free(tokens->path);
        free(tokens);
        return code;
    }
    *ret_tokens = tokens;
    return ORR_OK;
}

void orr_tokens_close(struct orr_tokens *tokens)
{
    if (!tokens)
        return;
    pthread_rwlock_destroy(&tokens->lock);
    free(tokens->table.entries);
    free(tokens->path);
    free(tokens);
}

enum orr_code orr_tokens_reload(struct orr_tokens *tokens, struct orr_error *err)
{
    struct table fresh;
    ORR_TRY(read_file(tokens->path, &fresh, err));
    pthread_rwlock_wrlock(&tokens->lock);
    struct table old = tokens->table;
    tokens->table = fresh;
    pthread_rwlock_unlock(&tokens->lock);
    free(old.entries);
    return ORR_OK;
}

size_t orr_tokens_count(struct orr_tokens *tokens)
{
    pthread_rwlock_rdlock(&tokens->lock);
    size_t count = tokens->table.count;
    pthread_rwlock_unlock(&tokens->lock);
    return count;
}

bool orr_tokens_find(struct orr_tokens *tokens, const char *authorization, struct orr_bearer *bearer)
{
    static const char scheme[] = "Bearer ";
    struct sha256_ctx context;
    uint8_t digest[ORR_TOKEN_DIGEST];
    bearer->scopes = 0;
    bearer->name[0] = bearer->host[0] = 0;
    if (!authorization || strncasecmp(authorization, scheme, sizeof scheme - 1) != 0)
        return false;
    const char *token = authorization + sizeof scheme - 1;
    token += strspn(token, " ");
    sha256_init(&context);
    sha256_update(&context, strlen(token), (const uint8_t *)token);
    sha256_digest(&context, sizeof digest, digest);
    pthread_rwlock_rdlock(&tokens->lock);
    for (size_t i = 0; i < tokens->table.count; i++)
        if (memeql_sec(tokens->table.entries[i].digest, digest, sizeof digest))
            *bearer = tokens->table.entries[i].bearer;
    pthread_rwlock_unlock(&tokens->lock);
    return bearer->scopes != 0;
}

enum orr_code orr_token_make(const char *name, const char *scope, char token[ORR_TOKEN_SIZE], char line[ORR_TOKEN_LINE],
                             struct orr_error *err)
{
    enum { RANDOM = 32, LONGEST = 120 };
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.@";
    unsigned char random[RANDOM];
    char digest[2 * ORR_TOKEN_DIGEST + 1];
    if (!*name || strlen(name) >= ORR_TOKEN_NAME || strspn(name, allowed) != strlen(name))
        return orr_fail(err, ORR_SETTING, "give a NAME of at most 63 letters, digits, and any of - _ . @");
    if (strlen(scope) > LONGEST || strpbrk(scope, " \t\r\n#") || !orr_scopes_parse(scope, strlen(scope), NULL)) {
        return orr_fail(err, ORR_SETTING, "--scope is read, write, agent:HOST, or several with commas, not \"%.40s\"",
                        scope);
    }
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return orr_fail(err, ORR_IO, "the system returned no random bytes: %s", strerror(errno));
    static const char start[] = "orr_";
    _Static_assert(sizeof start + 2 * RANDOM <= ORR_TOKEN_SIZE, "a token fits");
    memcpy(token, start, sizeof start);
    orr_hex_write(random, sizeof random, token + sizeof start - 1);
    orr_sha256(token, strlen(token), digest);
    snprintf(line, ORR_TOKEN_LINE, "%s %.120s %s", name, scope, digest);
    return ORR_OK;
}
