/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the names of GPUs that the text gives outside the table. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/hardware/gpu_models.h"
#include "engine/input/matrix.h"

static struct orr_matrix_device *gpu_of_number(struct orr_matrix *matrix, unsigned long number)
{
    for (uint32_t i = 0; i < matrix->count; i++)
        if (matrix->devices[i].is_gpu && matrix->devices[i].number == number)
            return &matrix->devices[i];
    return NULL;
}

/* Such lines are: "GPU 0: NVIDIA A100 (UUID:...)" of `nvidia-smi -L`, and "0, NVIDIA A100, 00000000:07:00.0" of
 * `nvidia-smi --query-gpu=index,name,pci.bus_id --format=csv`. */
static enum orr_code read_numbered(struct orr_matrix *matrix, const char *bytes, size_t length, struct orr_arena *arena,
                                   struct orr_error *err)
{
    enum { LONGEST = 200 };
    for (size_t at = 0; at < length;) {
        const char *end = memchr(bytes + at, '\n', length - at);
        size_t line = end ? (size_t)(end - bytes) - at : length - at;
        char text[LONGEST], model[100] = "", bus[40] = "";
        unsigned long number;
        snprintf(text, sizeof text, "%.*s", (int)(line < sizeof text ? line : sizeof text - 1), bytes + at);
        bool listed = sscanf(text, " GPU %lu: %99[^(\n]", &number, model) == 2 &&
                      isalpha((unsigned char)model[0]); /* "GPU 00000000:01:00.0" of nvidia-smi -q is not */
        bool queried = !listed && sscanf(text, " %lu, %99[^,], %39[0-9A-Fa-f:.]", &number, model, bus) == 3;
        struct orr_matrix_device *gpu = listed || queried ? gpu_of_number(matrix, number) : NULL;
        if (gpu) {
            size_t used = strlen(model);
            while (used && isspace((unsigned char)model[used - 1]))
                used--;
            gpu->model = orr_arena_strndup(arena, model, used);
            gpu->bus_id = *bus ? orr_arena_strndup(arena, bus, strlen(bus)) : gpu->bus_id;
            if (!gpu->model || (*bus && !gpu->bus_id))
                return orr_fail_nomem(err);
        }
        at += line + 1;
    }
    return ORR_OK;
}

/* The model that a line names; *ret_other is set if the line names a second one. */
static const struct orr_gpu_model *model_in(const char *line, bool *ret_other)
{
    static const char *const begins[] = {"NVIDIA ", "RTX ", "GeForce ", "Tesla ", "Quadro "};
    enum { NAME_MOST = 32 };
    const struct orr_gpu_model *model = NULL;
    *ret_other = false;
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        for (const char *at = line; (at = strstr(at, begins[i])); at++) {
            char name[NAME_MOST];
            snprintf(name, sizeof name, "%s", at);
            const struct orr_gpu_model *here = orr_gpu_model_of_name(name);
            *ret_other |= here && model && here != model;
            model = here ? here : model;
        }
    return model;
}

/* If no line names the GPUs by number, reads other lines, such as those of nccl-tests, lspci, the summary of
 * nvidia-smi, or a sentence. If a text names two models, neither is used. */
static void read_others(struct orr_matrix *matrix, const char *bytes, size_t length, struct orr_arena *arena)
{
    enum { LONGEST = 200, NAMES_MOST = 64 };
    const struct orr_gpu_model *model = NULL;
    uint32_t number = 0, named = 0, line_of = 0;
    for (uint32_t i = 0; i < matrix->count; i++)
        if (matrix->devices[i].model)
            return;
    for (size_t at = 0; at < length && named < NAMES_MOST && !orr_budget_spent(4);) {
        const char *end = memchr(bytes + at, '\n', length - at);
        const size_t line = end ? (size_t)(end - bytes) - at : length - at;
        char text[LONGEST];
        snprintf(text, sizeof text, "%.*s", (int)(line < sizeof text ? line : sizeof text - 1), bytes + at);
        at += line + 1;
        number++;
        bool other;
        const struct orr_gpu_model *here = model_in(text, &other);
        if (!here)
            continue;
        if (other || (model && here != model))
            return;
        line_of = model ? line_of : number;
        model = here;
        named++;
    }
    const char *name = model ? orr_arena_strndup(arena, model->names, strcspn(model->names, "|")) : NULL;
    for (uint32_t i = 0; name && i < matrix->count; i++)
        if (matrix->devices[i].is_gpu)
            matrix->devices[i].model = name;
    matrix->model_line = name ? line_of : 0;
}

enum orr_code orr_matrix_read_names(struct orr_matrix *matrix, const char *bytes, size_t length,
                                    struct orr_arena *arena, struct orr_error *err)
{
    ORR_TRY(read_numbered(matrix, bytes, length, arena, err));
    read_others(matrix, bytes, length, arena);
    return orr_budget_check(err);
}
