/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a release's row that are tables: each becomes lines of figures under labels. */
#include <stdio.h>
#include <string.h>

#include "engine/release/behaviour_rows.h"
#include "engine/release/tuning_model.h"

/* The capabilities at which tables "from capability S on" are read: all at which any of our tables changes. */
static const int32_t probes[] = {50, 60, 61, 70, 80, 86, 89, 90, 100};
enum { PROBE_COUNT = sizeof probes / sizeof probes[0], SPEEDS_MOST = 32, LANES = 16, LANE_SHARE = 80 };

static enum orr_code new_cells(struct orr_arena *arena, uint32_t count, struct orr_figures **ret_cells,
                               struct orr_value *ret_value, struct orr_error *err)
{
    *ret_cells = ORR_NEW(arena, struct orr_figures, count);
    ORR_NEED(*ret_cells, err);
    *ret_value = (struct orr_value){.kind = ORR_VALUE_TABLE, .cells = *ret_cells, .count = count};
    return ORR_OK;
}

static double grid_figure(enum orr_grid_type type, const void *field, uint32_t index)
{
    return type == ORR_GRID_FLOAT    ? (double)((const float *)field)[index]
           : type == ORR_GRID_DOUBLE ? ((const double *)field)[index]
                                     : (double)((const int32_t *)field)[index];
}

enum orr_code orr_read_grid(const struct orr_behaviour *behaviour, const struct orr_release *release,
                            struct orr_arena *arena, struct orr_value *ret_value, struct orr_error *err)
{
    const struct orr_grid *grid = behaviour->grid;
    const void *field = orr_behaviour_field(behaviour, release);
    struct orr_figures *cells;
    ORR_TRY(new_cells(arena, grid->rows, &cells, ret_value, err));
    uint32_t used = 0;
    for (uint32_t row = 0; row < grid->rows; row++) {
        bool any = false;
        if (!grid->labels[row])
            continue;
        cells[used] = (struct orr_figures){.count = grid->columns};
        snprintf(cells[used].label, sizeof cells[used].label, "%s", grid->labels[row]);
        for (uint32_t i = 0; i < grid->columns; i++) {
            cells[used].figures[i] = grid_figure(grid->type, field, row * grid->columns + i);
            any = any || cells[used].figures[i] != 0;
        }
        used += any;
    }
    ret_value->count = used;
    return ORR_OK;
}

enum orr_code orr_read_path_types(const struct orr_behaviour *behaviour, const struct orr_release *release,
                                  struct orr_arena *arena, struct orr_value *ret_value, struct orr_error *err)
{
    const char **names = ORR_NEW(arena, const char *, release->path_type_count);
    (void)behaviour;
    ORR_NEED(names, err);
    for (uint32_t i = 0; i < release->path_type_count; i++)
        names[i] = orr_path_type_name((enum orr_path_type)release->path_types[i]);
    *ret_value = (struct orr_value){.kind = ORR_VALUE_LIST, .names = names, .count = release->path_type_count};
    return ORR_OK;
}

enum orr_code orr_read_algorithms(const struct orr_behaviour *behaviour, const struct orr_release *release,
                                  struct orr_arena *arena, struct orr_value *ret_value, struct orr_error *err)
{
    (void)behaviour, (void)arena, (void)err;
    *ret_value = (struct orr_value){
        .kind = ORR_VALUE_LIST, .names = release->tuning->names, .count = release->tuning->algorithm_count};
    return ORR_OK;
}

enum orr_code orr_read_speeds(const struct orr_behaviour *behaviour, const struct orr_release *release,
                              struct orr_arena *arena, struct orr_value *ret_value, struct orr_error *err)
{
    struct orr_figures *cells;
    (void)behaviour;
    ORR_TRY(new_cells(arena, SPEEDS_MOST, &cells, ret_value, err));
    uint32_t count = 0;
    for (const struct orr_speed *speed = release->speeds; count < SPEEDS_MOST; speed++) {
        snprintf(cells[count].label, sizeof cells[count].label, "%s", speed->prefix ? speed->prefix : "any other");
        cells[count].count = 1;
        cells[count++].figures[0] = (double)speed->units * LANES / LANE_SHARE;
        if (!speed->prefix)
            break;
    }
    ret_value->count = count;
    return ORR_OK;
}

enum orr_code orr_read_nvlink_bw(const struct orr_behaviour *behaviour, const struct orr_release *release,
                                 struct orr_arena *arena, struct orr_value *ret_value, struct orr_error *err)
{
    const struct orr_nvlink_bw *table = *(const struct orr_nvlink_bw *const *)orr_behaviour_field(behaviour, release);
    struct orr_figures *cells;
    ORR_TRY(new_cells(arena, PROBE_COUNT, &cells, ret_value, err));
    for (uint32_t i = 0; i < PROBE_COUNT; i++) {
        snprintf(cells[i].label, sizeof cells[i].label, "sm %d", (int)probes[i]);
        cells[i].count = 1;
        cells[i].figures[0] = (double)orr_nvlink_bw_of(table, probes[i]);
    }
    return ORR_OK;
}

static void add_rates(struct orr_figures *cell, int32_t sm, const char *where, const float *rates, uint32_t count)
{
    snprintf(cell->label, sizeof cell->label, "sm %d %s", (int)sm, where);
    for (uint32_t i = 0; i < count && i < ORR_FIGURES_OF_CELL; i++)
        cell->figures[cell->count++] = (double)rates[i];
}

enum orr_code orr_read_search_rates(const struct orr_behaviour *behaviour, const struct orr_release *release,
                                    struct orr_arena *arena, struct orr_value *ret_value, struct orr_error *err)
{
    static const int32_t generations[] = {80, 90, 100};
    enum { COUNT = sizeof generations / sizeof generations[0] };
    struct orr_figures *cells;
    (void)behaviour;
    ORR_TRY(new_cells(arena, 2 * COUNT, &cells, ret_value, err));
    for (uint32_t i = 0; i < COUNT; i++) {
        const struct orr_search_rates *row = release->search_rates;
        while (generations[i] < row->sm_min)
            row++;
        add_rates(&cells[2 * i], generations[i], "intra", row->table.intra, row->table.intra_count);
        add_rates(&cells[2 * i + 1], generations[i], "inter", row->table.inter, row->table.inter_count);
    }
    return ORR_OK;
}

const void *orr_behaviour_field(const struct orr_behaviour *behaviour, const struct orr_release *release)
{
    const void *const parts[ORR_OF_COUNT] = {[ORR_OF_RELEASE] = release,
                                             [ORR_OF_CONNECT] = release->connect,
                                             [ORR_OF_TUNING] = release->tuning,
                                             [ORR_OF_DEVICE] = release->device,
                                             [ORR_OF_SETTINGS] = release};
    return (const char *)parts[behaviour->of] + behaviour->offset;
}
