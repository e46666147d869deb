/* SPDX-License-Identifier: Apache-2.0 */
/* The certificate of the service. SIGHUP reads it again without dropping a connection: each handshake uses the current
 * one. */
#ifndef ORR_SERVER_TLS_H
#define ORR_SERVER_TLS_H

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <time.h>

#include "engine/base/error.h"

/* TLS 1.2 at least. */
#define ORR_TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

struct orr_tls;

/* Reads a chain and its key (PEM). IO if a file cannot be read, SETTING if the two do not match. Only one per process,
 * because the callback has no context. */
enum orr_code orr_tls_open(const char *certificate, const char *key, struct orr_tls **ret_tls,
                           struct orr_error *err) ORR_NO_DISCARD;
void orr_tls_close(struct orr_tls *tls);
/* Reads both again; if that fails, the old certificate stays in force. */
enum orr_code orr_tls_reload(struct orr_tls *tls, struct orr_error *err) ORR_NO_DISCARD;
/* "CN=..., until 2027-01-31" of the certificate in force. */
void orr_tls_describe(struct orr_tls *tls, char *text, size_t size);

/* When the certificate in force ends, seconds since 1970; 0 if there is none. */
time_t orr_tls_expiry(void);

/* For MHD_OPTION_HTTPS_CERT_CALLBACK. */
int orr_tls_certificate(gnutls_session_t session, const gnutls_datum_t *authorities, int authority_count,
                        const gnutls_pk_algorithm_t *algorithms, int algorithm_count, gnutls_pcert_st **ret_chain,
                        unsigned *ret_count, gnutls_privkey_t *ret_key);

#endif
