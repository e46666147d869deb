/* SPDX-License-Identifier: Apache-2.0 */
/* Default locations of the database, the page and the documentation. */
#ifndef ORR_SERVER_PLACES_H
#define ORR_SERVER_PLACES_H

#include <limits.h>

#include "engine/base/error.h"

/* ~/.local/state/orrery/orrery.db, or the same below XDG_STATE_HOME; creates the folders above it. */
enum orr_code orr_default_database(char path[PATH_MAX], struct orr_error *err) ORR_NO_DISCARD;
/* The folder of the page, or of the documentation: beside the program (in a build folder or an installation), or in
 * the installation prefix; NULL if not found. */
const char *orr_default_static(char path[PATH_MAX]);
const char *orr_default_docs(char path[PATH_MAX]);

#endif
