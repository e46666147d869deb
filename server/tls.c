/* SPDX-License-Identifier: Apache-2.0 */
#include "server/tls.h"

#include <gnutls/x509.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_CERTIFICATES = 16 };

/* A chain with its key. Handshakes may still use a replaced one, so each is kept until the end; only a change of the
 * files makes a new one. */
struct generation {
    struct generation *older;
    gnutls_pcert_st chain[MOST_CERTIFICATES];
    unsigned count;
    gnutls_privkey_t key;
    gnutls_datum_t certificate_file, key_file;
};

struct orr_tls {
    char *certificate, *key; /* paths */
    struct generation *newest;
};

/* The only mutable global of the server, because GnuTLS passes no context to the callback. */
static _Atomic(struct generation *) in_force;

static enum orr_code fail(const char *file, int problem, struct orr_error *err)
{
    return orr_fail(err, problem == GNUTLS_E_FILE_ERROR ? ORR_IO : ORR_SETTING, "%.120s: %s", file,
                    gnutls_strerror(problem));
}

static void free_generation(struct generation *generation)
{
    for (unsigned i = 0; i < generation->count; i++)
        gnutls_pcert_deinit(&generation->chain[i]);
    if (generation->key)
        gnutls_privkey_deinit(generation->key);
    gnutls_free(generation->certificate_file.data);
    if (generation->key_file.data)
        memset(generation->key_file.data, 0, generation->key_file.size);
    gnutls_free(generation->key_file.data);
    free(generation);
}

/* Does the key belong to the certificate? Signs a text and verifies it with the certificate. */
static int check_pair(const struct generation *generation)
{
    static unsigned char words[] = "orrery";
    const gnutls_datum_t data = {words, sizeof words};
    gnutls_datum_t signature = {0};
    gnutls_digest_algorithm_t digest;
    int problem = gnutls_pubkey_get_preferred_hash_algorithm(generation->chain[0].pubkey, &digest, NULL);
    if (problem < 0)
        return problem;
    problem = gnutls_privkey_sign_data(generation->key, digest, 0, &data, &signature);
    if (problem < 0)
        return problem;
    int algorithm = gnutls_pk_to_sign(
        (gnutls_pk_algorithm_t)gnutls_pubkey_get_pk_algorithm(generation->chain[0].pubkey, NULL), digest);
    problem = gnutls_privkey_get_pk_algorithm(generation->key, NULL) !=
                      gnutls_pubkey_get_pk_algorithm(generation->chain[0].pubkey, NULL)
                  ? GNUTLS_E_CERTIFICATE_KEY_MISMATCH
                  : gnutls_pubkey_verify_data2(generation->chain[0].pubkey, (gnutls_sign_algorithm_t)algorithm, 0,
                                               &data, &signature);
    gnutls_free(signature.data);
    return problem < 0 ? GNUTLS_E_CERTIFICATE_KEY_MISMATCH : 0;
}

static enum orr_code load(const struct orr_tls *tls, struct generation **ret_generation, struct orr_error *err)
{
    struct generation *generation = calloc(1, sizeof *generation);
    ORR_NEED(generation, err);
    const char *file = tls->certificate;
    unsigned count = MOST_CERTIFICATES;
    int problem = gnutls_load_file(file, &generation->certificate_file);
    if (problem >= 0)
        problem = gnutls_pcert_list_import_x509_raw(generation->chain, &count, &generation->certificate_file,
                                                    GNUTLS_X509_FMT_PEM, GNUTLS_X509_CRT_LIST_FAIL_IF_UNSORTED);
    if (problem >= 0) {
        generation->count = count;
        file = tls->key;
        problem = gnutls_load_file(file, &generation->key_file);
    }
    if (problem >= 0)
        problem = gnutls_privkey_init(&generation->key);
    if (problem >= 0)
        problem = gnutls_privkey_import_x509_raw(generation->key, &generation->key_file, GNUTLS_X509_FMT_PEM, NULL, 0);
    if (problem >= 0)
        problem = check_pair(generation);
    if (problem < 0) {
        free_generation(generation);
        if (problem == GNUTLS_E_CERTIFICATE_KEY_MISMATCH)
            return orr_fail(err, ORR_SETTING, "%.100s is not the key of the certificate %.100s", tls->key,
                            tls->certificate);
        return fail(file, problem, err);
    }
    *ret_generation = generation;
    return ORR_OK;
}

static bool same_datum(const gnutls_datum_t *a, const gnutls_datum_t *b)
{
    return a->size == b->size && !memcmp(a->data, b->data, a->size);
}

enum orr_code orr_tls_reload(struct orr_tls *tls, struct orr_error *err)
{
    struct generation *generation = NULL;
    ORR_TRY(load(tls, &generation, err));
    if (tls->newest && same_datum(&tls->newest->certificate_file, &generation->certificate_file) &&
        same_datum(&tls->newest->key_file, &generation->key_file)) {
        free_generation(generation);
        return ORR_OK;
    }
    generation->older = tls->newest;
    tls->newest = generation;
    atomic_store(&in_force, generation);
    return ORR_OK;
}

enum orr_code orr_tls_open(const char *certificate, const char *key, struct orr_tls **ret_tls, struct orr_error *err)
{
    struct orr_tls *tls = calloc(1, sizeof *tls);
    ORR_NEED(tls, err);
    tls->certificate = strdup(certificate);
    tls->key = strdup(key);
    enum orr_code code = tls->certificate && tls->key ? orr_tls_reload(tls, err) : orr_fail_nomem(err);
    if (code != ORR_OK) {
        orr_tls_close(tls);
        return code;
    }
    *ret_tls = tls;
    return ORR_OK;
}

void orr_tls_close(struct orr_tls *tls)
{
    if (!tls)
        return;
    atomic_store(&in_force, NULL);
    for (struct generation *generation = tls->newest, *older; generation; generation = older) {
        older = generation->older;
        free_generation(generation);
    }
    free(tls->certificate);
    free(tls->key);
    free(tls);
}

/* Describes the first certificate of a chain. */
static bool read_certificate(const struct generation *generation, char *name, size_t size, time_t *ret_end)
{
    gnutls_x509_crt_t certificate;
    if (!generation || gnutls_x509_crt_init(&certificate) < 0)
        return false;
    bool read = gnutls_x509_crt_import(certificate, &generation->chain[0].cert, GNUTLS_X509_FMT_DER) >= 0;
    if (read) {
        *ret_end = gnutls_x509_crt_get_expiration_time(certificate);
        if (gnutls_x509_crt_get_dn(certificate, name, &size) < 0)
            *name = 0;
    }
    gnutls_x509_crt_deinit(certificate);
    return read;
}

void orr_tls_describe(struct orr_tls *tls, char *text, size_t size)
{
    char name[256], until[16] = "?";
    time_t end = 0;
    struct tm tm;
    if (!read_certificate(tls->newest, name, sizeof name, &end)) {
        snprintf(text, size, "?");
        return;
    }
    if (gmtime_r(&end, &tm))
        strftime(until, sizeof until, "%Y-%m-%d", &tm);
    snprintf(text, size, "%s, until %s", name, until);
}

time_t orr_tls_expiry(void)
{
    char name[256];
    time_t end = 0;
    return read_certificate(atomic_load(&in_force), name, sizeof name, &end) ? end : 0;
}

int orr_tls_certificate(gnutls_session_t session, const gnutls_datum_t *authorities, int authority_count,
                        const gnutls_pk_algorithm_t *algorithms, int algorithm_count, gnutls_pcert_st **ret_chain,
                        unsigned *ret_count, gnutls_privkey_t *ret_key)
{
    (void)session, (void)authorities, (void)authority_count, (void)algorithms, (void)algorithm_count;
    struct generation *generation = atomic_load(&in_force);
    if (!generation)
        return -1;
    *ret_chain = generation->chain;
    *ret_count = generation->count;
    *ret_key = generation->key;
    return 0;
}
