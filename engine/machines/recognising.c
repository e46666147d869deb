/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/machines/recognising.h"

#include <stdlib.h>
#include <string.h>

bool orr_machine_has_gpus(const struct orr_machine_type *type, const struct orr_seen *seen, uint32_t gpus)
{
    const struct orr_gpu_board *board = type->board;
    bool same = seen->listed ? orr_gpu_model_is(seen->model, board->gpu)
                             : !seen->device && orr_board_model(board)->sm == seen->sm;
    return same && type->gpus >= gpus && (board->c2c_links > 0) == seen->c2c;
}

bool orr_port_is_named(const struct orr_hardware_facts *h, uint32_t net, const struct orr_machine_type *type)
{
    return orr_has_name_of(type, orr_element_word(h->dump, net, ORR_ATTR_NAME));
}

int64_t orr_port_mbps(const struct orr_hardware_facts *h, uint32_t net)
{
    return orr_element_int(h->dump, net, ORR_ATTR_SPEED, 0);
}

bool orr_port_is_as_fast(int64_t mbps, int64_t most)
{
    return llabs(mbps - most) <= most / 8;
}

bool orr_machine_has_arch(const struct orr_hardware_facts *h, const struct orr_machine_type *type)
{
    return h->cpu_count && !strcmp(orr_element_word(h->dump, h->cpus[0], ORR_ATTR_ARCH), type->arch);
}

bool orr_machine_has_cpu(const struct orr_hardware_facts *h, const struct orr_machine_type *type)
{
    uint32_t cpu = h->cpus[0];
    return (!*type->cpu_vendor || (!strcmp(orr_element_word(h->dump, cpu, ORR_ATTR_VENDOR), type->cpu_vendor) &&
                                   orr_element_int(h->dump, cpu, ORR_ATTR_FAMILYID, 0) == type->cpu_family &&
                                   orr_element_int(h->dump, cpu, ORR_ATTR_MODELID, 0) == type->cpu_model));
}

bool orr_machine_could_be(const struct orr_hardware_facts *h, const struct orr_machine_type *type,
                          const struct orr_seen *seen, uint32_t gpus)
{
    return orr_machine_has_gpus(type, seen, gpus) && orr_machine_has_arch(h, type);
}

bool orr_has_name_of(const struct orr_machine_type *type, const char *name)
{
    size_t prefix = strcspn(type->net_name, "#");
    return !strncasecmp(name, type->net_name, prefix) && name[prefix] >= '0' && name[prefix] <= '9';
}
