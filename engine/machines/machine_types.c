/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a machine type by name, and guesses which one was meant. The rows are in machine_table.c. */
#include "engine/machines/machine_types.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/hardware/pcie.h"

const struct orr_gpu_model *orr_board_model(const struct orr_gpu_board *board)
{
    const struct orr_gpu_model *model;
    for (size_t i = 0; (model = orr_gpu_model(i)) && !orr_gpu_model_is(model, board->gpu); i++)
        ;
    return model;
}

static bool lists(const char *names, const char *name)
{
    size_t length = strlen(name);
    while (*names) {
        size_t word = strcspn(names, " ");
        if (word == length && !strncasecmp(names, name, length))
            return true;
        names += word + (names[word] == ' ');
    }
    return false;
}

const struct orr_machine_type *orr_machine_type_find(const char *name)
{
    const struct orr_machine_type *type;
    for (size_t i = 0; *name && (type = orr_machine_listed(i)); i++)
        if (!strcasecmp(type->name, name) || lists(type->also, name))
            return type;
    return NULL;
}

/* How many pairs of neighbouring letters of a name are in another: enough to guess what was meant. */
static unsigned likeness(const char *name, const char *other)
{
    unsigned pairs = 0;
    for (; name[0] && name[1]; name++)
        for (const char *at = other; at[0] && at[1]; at++)
            if (!strncasecmp(name, at, 2)) {
                pairs++;
                break;
            }
    return pairs;
}

enum { MOST_GUESSES = 3 };

/* The most similar name that is not among those found. */
static const struct orr_machine_type *next_guess(const char *name, const struct orr_machine_type *const *found,
                                                 size_t count)
{
    const struct orr_machine_type *type, *best = NULL;
    unsigned most = 0;
    for (size_t i = 0; (type = orr_machine_listed(i)); i++) {
        bool known = false;
        for (size_t k = 0; k < count; k++)
            known |= found[k] == type;
        if (!known && likeness(name, type->name) > most) {
            best = type;
            most = likeness(name, type->name);
        }
    }
    return best;
}

enum orr_code orr_machine_type_unknown(const char *name, struct orr_error *err)
{
    enum { LONGEST = 64 };
    char asked[LONGEST], known[160] = "";
    const struct orr_machine_type *found[MOST_GUESSES];
    snprintf(asked, sizeof asked, "%s", name);
    for (size_t k = 0; k < MOST_GUESSES && (found[k] = next_guess(asked, found, k)); k++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", found[k]->name);
    }
    orr_fail(err, ORR_SETTING, "\"%.60s\" is not a machine type that Orrery knows", name);
    if (*known)
        orr_error_advice(err, "did you mean one of %s? `orrery machines` and GET /v1/machines list all", known);
    else
        orr_error_advice(err, "`orrery machines` and GET /v1/machines list all");
    return ORR_SETTING;
}

const struct orr_machine_type *orr_machine_least_nics(const char *gpu)
{
    const struct orr_machine_type *type, *least = NULL;
    for (size_t i = 0; (type = orr_machine_type(i)); i++)
        if ((!gpu || !strcmp(type->board->gpu, gpu)) &&
            (!least || (uint64_t)type->nets * type->net_mbps * least->gpus <
                           (uint64_t)least->nets * least->net_mbps * type->gpus))
            least = type;
    return least;
}

bool orr_machine_type_has_switches(const struct orr_machine_type *type)
{
    return !type->board->c2c_links || !strcmp(type->board->link_speed, ORR_PCIE_GEN6);
}

const char *orr_machine_type_made_up(const struct orr_machine_type *type)
{
    return type->places ? "bus ids are made up; GPUs and NICs are on the NUMA nodes that the type's documentation names"
           : !orr_machine_type_has_switches(type)
               ? "bus ids are made up: each NIC is on the CPU of the GPU next to it by number"
               : "bus ids and PCIe switches are made up: each GPU shares a switch with the NICs next to it by number";
}

/* Boards are called "H100 SXM5", "A100 PCIe" or "RTX PRO 6000". Product names say PCIe or NVL, and not always SXM. */
bool orr_machine_type_has(const struct orr_machine_type *type, const char *product)
{
    const char *board = type->board->gpu;
    bool is_card =
        orr_name_has_words(product, "PCIe", strlen("PCIe")) || orr_name_has_words(product, "NVL", strlen("NVL"));
    if (is_card != (strstr(board, "PCIe") != NULL))
        return false;
    for (const char *word = board; *word; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        if (strncmp(word, "SXM", 3) != 0 && !orr_name_has_words(product, word, length))
            return false;
        word += length;
    }
    return true;
}
