/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/diagram/places.h"

#include <math.h>

void orr_spread(struct orr_point *points, uint32_t count, float rx, float ry)
{
    enum { STEPS = 4096 };
    const double turn = 6.283185307179586;
    double length = 0;
    for (int i = 0; i < STEPS; i++) {
        double t = turn * (i + 0.5) / STEPS;
        length += hypot(rx * cos(t), ry * sin(t));
    }
    double walked = 0;
    uint32_t next = 0;
    for (int i = 0; i < STEPS && next < count; i++) {
        double t = turn * i / STEPS;
        if (walked >= length * next / count)
            points[next++] = (struct orr_point){(float)(rx * sin(t)), (float)(-ry * cos(t))};
        walked += hypot(rx * cos(t + turn * 0.5 / STEPS), ry * sin(t + turn * 0.5 / STEPS));
    }
    while (next < count)
        points[next++] = (struct orr_point){0, -ry};
}

struct orr_point orr_edge_of(struct orr_point centre, float w, float h, struct orr_point towards)
{
    float dx = towards.x - centre.x, dy = towards.y - centre.y;
    float scale = fminf(dx != 0 ? w / 2 / fabsf(dx) : INFINITY, dy != 0 ? h / 2 / fabsf(dy) : INFINITY);
    return isfinite(scale) ? (struct orr_point){centre.x + dx * scale, centre.y + dy * scale} : centre;
}
