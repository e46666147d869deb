/* The engine's front door: what the api layer includes.
 *
 * Reading order for a newcomer: topology/dump.h (a file as read), topology/system.h (the graph), paths/paths.h,
 * decide/decide.h, search/graph.h, connect/communicator.h, tuning/tuning.h, analysis/analysis.h (all of it together),
 * diagram/diagram.h (pictures of it).
 */
#ifndef ORR_ORRERY_H
#define ORR_ORRERY_H

#include "engine/analysis/analysis.h"
#include "engine/diagram/diagram.h"

#endif
