/* SPDX-License-Identifier: Apache-2.0 */
/* The main headers of the engine in one, for the library and tests.
 *
 * Reading order for a newcomer: dump/dump.h (a file as read), topology/system.h (the graph) and paths/paths.h. Then
 * decide/decide.h, search/graph.h, connect/communicator.h and tuning/tuning.h. Then analysis/analysis.h (all of it
 * together) and diagram/diagram.h (pictures of it). */
#ifndef ORR_ORRERY_H
#define ORR_ORRERY_H

#include "engine/analysis/analysis.h"
#include "engine/diagram/diagram.h"

#endif
