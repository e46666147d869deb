/* SPDX-License-Identifier: Apache-2.0 */
/* Which algorithms and protocols may be used: NCCL_ALGO and NCCL_PROTO, then the limits of the machine and the
 * communicator. docs/nccl/tuning.md, "What is switched off". */
#include <string.h>
#include <strings.h>

#include "engine/release/connect_rules.h"
#include "engine/tuning/model.h"

struct span {
    const char *data;
    size_t length;
};

/* The next piece of *rest up to a separator, empty pieces skipped; false if none is left. */
static bool next_piece(struct span *rest, char separator, struct span *ret_piece)
{
    while (rest->length && *rest->data == separator) {
        rest->data++;
        rest->length--;
    }
    if (!rest->length)
        return false;
    const char *end = memchr(rest->data, separator, rest->length);
    *ret_piece = (struct span){rest->data, end ? (size_t)(end - rest->data) : rest->length};
    rest->data += ret_piece->length;
    rest->length -= ret_piece->length;
    return true;
}

static bool equals(struct span piece, const char *name)
{
    return strlen(name) == piece.length && !strncasecmp(piece.data, name, piece.length);
}

/* A list of NCCL_ALGO or NCCL_PROTO: its setting, its names, and its switches for each function. */
struct list {
    const char *setting, *what;
    const char *const *names;
    uint32_t name_count;
    int8_t *rows; /* [function * stride + element] */
    size_t stride;
};

static int find_name(const struct list *list, struct span piece)
{
    for (uint32_t i = 0; i < list->name_count; i++)
        if (equals(piece, list->names[i]))
            return (int)i;
    return -1;
}

static enum orr_code refuse(const struct list *list, const char *what, struct span piece, const char *advice,
                            struct orr_error *err)
{
    return orr_fail_with(err, ORR_SETTING, list->setting, advice, "%s: %s \"%.*s\"", list->setting, what,
                         (int)(piece.length < 60 ? piece.length : 60), piece.data);
}

/* Elements of one list for one function. */
static enum orr_code switch_row(const struct list *list, struct span elements, bool strict, int8_t *row,
                                struct orr_error *err)
{
    bool inverted = elements.length && elements.data[0] == '^';
    if (inverted) {
        elements.data++;
        elements.length--;
    }
    for (uint32_t i = 0; i < list->name_count; i++)
        row[i] = inverted;
    struct span piece;
    while (next_piece(&elements, ',', &piece)) {
        int name = find_name(list, piece);
        if (name >= 0)
            row[name] = !inverted;
        else if (strict)
            return refuse(list, list->what, piece,
                          "write names as in Ring,Tree or LL,Simple, with a leading ^ to leave them out", err);
    }
    return ORR_OK;
}

/* Entries by function: "LL,Simple;allreduce:^Simple". */
static enum orr_code read_entries(const struct list *list, const char *text, struct orr_error *err)
{
    struct span rest = {text, strlen(text)}, entry;
    for (bool first = true; next_piece(&rest, ';', &entry); first = false) {
        struct span parts = entry, function = {0}, elements;
        bool named = next_piece(&parts, ':', &function) && next_piece(&parts, ':', &elements);
        if (!named) {
            if (!first)
                return refuse(list, "only the first entry may go without a function, not", entry,
                              "write it as function:list, such as allreduce:Ring", err);
            if (!function.length) /* colons only */
                return refuse(list, "an entry without names", entry, "write it as function:list", err);
            elements = function;
        }
        bool found = false;
        for (int f = 0; f < ORR_FUNCTION_COUNT; f++) {
            if (named && !equals(function, orr_function_name((enum orr_function)f)))
                continue;
            found = true;
            ORR_TRY(switch_row(list, elements, true, list->rows + (size_t)f * list->stride, err));
        }
        if (!found)
            return refuse(list, "unknown function", function,
                          "functions are Broadcast, Reduce, AllGather, ReduceScatter, AllReduce", err);
    }
    return ORR_OK;
}

static enum orr_code read_list(const struct orr_model *model, enum orr_setting setting, const struct list *list,
                               struct orr_error *err)
{
    const char *text = orr_setting_text(model->settings, setting);
    if (!text || model->ranks == 1) /* NCCL tunes nothing for a single rank, and does not read the lists */
        return ORR_OK;
    if (model->tables->lists == ORR_LIST_BY_FUNCTION)
        return read_entries(list, text, err);
    for (int f = 0; f < ORR_FUNCTION_COUNT; f++)
        ORR_TRY(switch_row(list, (struct span){text, strlen(text)}, false, list->rows + (size_t)f * list->stride, err));
    return ORR_OK;
}

enum orr_code orr_switches_read(const struct orr_model *model, struct orr_switches *ret_switches, struct orr_error *err)
{
    static const char *const protocols[ORR_PROTOCOL_COUNT] = {"LL", "LL128", "Simple"};
    struct orr_switches switches;
    memset(&switches, 0, sizeof switches);
    for (int f = 0; f < ORR_FUNCTION_COUNT; f++) {
        for (uint32_t a = 0; a < model->tables->algorithm_count; a++)
            switches.algorithm[f][a] = 1;
        for (int p = 0; p < ORR_PROTOCOL_COUNT; p++)
            switches.protocol[f][p] = p == ORR_LL128 ? 2 : 1;
    }
    struct list algorithms = {"NCCL_ALGO",           "unknown algorithm",
                              model->tables->names,  model->tables->algorithm_count,
                              switches.algorithm[0], ORR_ALGORITHM_COUNT};
    struct list protocol_list = {"NCCL_PROTO",       "unknown protocol",   protocols,
                                 ORR_PROTOCOL_COUNT, switches.protocol[0], ORR_PROTOCOL_COUNT};
    ORR_TRY(read_list(model, ORR_SET_PROTO, &protocol_list, err));
    ORR_TRY(read_list(model, ORR_SET_ALGO, &algorithms, err));
    *ret_switches = switches;
    return ORR_OK;
}

void orr_switches_restrict(const struct orr_model *model, struct orr_switches *switches)
{
    const struct orr_tuning_model *tables = model->tables;
    const struct orr_communicator *comm = model->comm;
    for (int f = 0; f < ORR_FUNCTION_COUNT; f++) {
        int8_t *on = switches->algorithm[f];
        if (model->nodes == 1)
            on[ORR_ALGO_NVLS_TREE] = 0;
        if (tables->nvls_by_ring && !comm->nvls)
            on[ORR_ALGO_NVLS] = 0;
        if (!comm->collnet && !tables->collnet_ungated) {
            on[ORR_ALGO_COLLNET_DIRECT] = on[ORR_ALGO_COLLNET_CHAIN] = 0;
            if (model->nodes > 1)
                on[ORR_ALGO_NVLS] = 0;
            if (tables->fallback_to_ring_tree && !on[ORR_ALGO_RING] && !on[ORR_ALGO_TREE] && !on[ORR_ALGO_NVLS] &&
                !on[ORR_ALGO_NVLS_TREE])
                on[ORR_ALGO_RING] = on[ORR_ALGO_TREE] = 1;
        } else if ((tables->chain_max_local_ranks && comm->max_local_ranks > (uint32_t)tables->chain_max_local_ranks) ||
                   (comm->rules->chain_heads_must_fit && !comm->chain_heads_fit)) {
            on[ORR_ALGO_COLLNET_CHAIN] = 0;
        }
        if (tables->needs_nvswitch && !comm->has_nvswitch)
            on[ORR_ALGO_COLLNET_DIRECT] = 0;
    }
}

/* Are the NICs near enough? */
static bool ll128_reaches(const struct orr_model *model, enum orr_path_type type, int32_t sm)
{
    bool c2c = orr_setting_int(model->settings, ORR_SET_LL128_C2C) != 0;
    enum orr_path_type farthest = ORR_PATH_PXB;
    if (sm >= 90)
        switch (model->tables->ll128_nics) {
        case ORR_LL128_NICS_PXB:
            break;
        case ORR_LL128_NICS_PXN:
            farthest = ORR_PATH_PXN;
            break;
        case ORR_LL128_NICS_P2C:
            farthest = c2c ? ORR_PATH_P2C : ORR_PATH_PXN;
            break;
        case ORR_LL128_NICS_C2C:
            farthest = c2c ? ORR_PATH_PXN : ORR_PATH_PXB;
            break;
        }
    return orr_path_farness(model->settings->release, type) <= orr_path_farness(model->settings->release, farthest);
}

/* LL128 is only safe where a store of 128 bytes arrives as a whole. */
static bool ll128_safe(const struct orr_model *model, enum orr_algorithm algorithm)
{
    const struct orr_communicator *comm = model->comm;
    const struct orr_graph *graph = &comm->aligned[orr_algorithm_graph(model->tables, algorithm)];
    int32_t least = comm->sm_min;
    bool uniform = least == comm->sm_max;
    switch (model->tables->ll128_for) {
    case ORR_LL128_70_80:
        if (!uniform || (least != 70 && least != 80))
            return false;
        break;
    case ORR_LL128_70_80_90:
        if (!uniform || (least != 70 && least != 80 && least != 90))
            return false;
        break;
    case ORR_LL128_TO_120:
        if (!uniform || (least != 70 && least != 80 && least != 90 && least != 100 && least != 120))
            return false;
        break;
    case ORR_LL128_FROM_70:
    case ORR_LL128_FROM_70_MIXED:
        if (least < 70 || (!uniform && !(model->tables->ll128_for == ORR_LL128_FROM_70_MIXED && least >= 90)))
            return false;
        break;
    }
    enum orr_path_type intra = model->tables->ll128_over_nvb ? ORR_PATH_NVB : ORR_PATH_NVL;
    return graph->type_intra <= intra && ll128_reaches(model, graph->type_inter, least);
}

void orr_switches_apply(const struct orr_model *model, const struct orr_switches *switches, struct orr_tuning *tuning)
{
    for (int f = 0; f < ORR_FUNCTION_COUNT; f++) {
        float backup[ORR_PROTOCOL_COUNT], sum = 0; /* the backup has no switches */
        bool listed = f == ORR_ALLREDUCE || !model->tables->lists_for_allreduce;
        bool spared = f != ORR_ALLREDUCE && model->tables->lists_spare_rings;
        for (int p = 0; p < ORR_PROTOCOL_COUNT; p++) {
            backup[p] = tuning->bandwidth[f][ORR_ALGO_RING][p];
            for (uint32_t a = 0; a < tuning->algorithm_count; a++) {
                int on = switches->protocol[f][p];
                if (on == 2)
                    on = ll128_safe(model, (enum orr_algorithm)a);
                if (model->tables->backup_obeys_protocols && !on && a == ORR_ALGO_RING)
                    backup[p] = 0;
                if (!on || (listed && !(spared && a == ORR_ALGO_RING) && !switches->algorithm[f][a]))
                    tuning->bandwidth[f][a][p] = 0;
                sum += tuning->bandwidth[f][a][p];
            }
        }
        if (model->tables->ring_backup && sum == 0)
            for (int p = 0; p < ORR_PROTOCOL_COUNT; p++)
                tuning->bandwidth[f][ORR_ALGO_RING][p] = backup[p];
    }
}
