/* SPDX-License-Identifier: Apache-2.0 */
/* The store of a session is in memory. Defining the function of PostgreSQL's driver here keeps libpq out of the
 * library: the linker uses it instead of the one in api/store. */
#include "api/store/store_driver.h"

enum orr_code orr_store_postgresql_open(const char *url, const struct orr_store_options *options,
                                        struct orr_store **ret_store, struct orr_error *err)
{
    (void)url;
    (void)options;
    (void)ret_store;
    return orr_fail(err, ORR_UNSUPPORTED, "the library has no PostgreSQL");
}
