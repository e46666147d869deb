/* SPDX-License-Identifier: Apache-2.0 */
/* Where things are where nobody says so. */
#ifndef ORR_SERVER_PLACES_H
#define ORR_SERVER_PLACES_H

#include <limits.h>

#include "engine/base/error.h"

/* ~/.local/state/orrery/orrery.db, or what XDG_STATE_HOME says; makes the folders above it. */
enum orr_code orr_default_database(char path[PATH_MAX], struct orr_error *err) ORR_NO_DISCARD;
/* The page, or the documentation: beside the program (a build folder in the source tree, or installed), or where it
 * should have been installed; NULL: nowhere. */
const char *orr_default_static(char path[PATH_MAX]);
const char *orr_default_docs(char path[PATH_MAX]);

#endif
