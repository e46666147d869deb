/* Many hosts of one NVLink domain, such as the 18 trays of an NVL72: compact trays in the order of the rack, top to
 * bottom and then the next column, under one bar for all NVSwitches. README.md has a sketch. */
#ifndef ORR_DIAGRAM_RACK_H
#define ORR_DIAGRAM_RACK_H

#include "engine/analysis/analysis.h"
#include "engine/diagram/scene.h"

/* Several hosts, each with CPUs that contain all else: what this layout can show. */
bool orr_rack_fits(const struct orr_scene *scene);
/* Fills the scene's drawing. Memory ran out: drawing->failed. */
enum orr_code orr_view_rack(struct orr_scene *scene, const struct orr_analysis *analysis) ORR_NO_DISCARD;

#endif
