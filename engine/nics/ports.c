/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/nics/ports.h"

#include <string.h>

static uint32_t net_below(const struct orr_dump *dump, uint32_t card)
{
    uint32_t nic = card == ORR_NO_ELEMENT ? ORR_NO_ELEMENT : dump->elements[card].first_child;
    return nic == ORR_NO_ELEMENT || dump->elements[nic].kind != ORR_ELEMENT_NIC ? ORR_NO_ELEMENT
                                                                                : dump->elements[nic].first_child;
}

/* The next port of the same card: in the same <nic>, or in the next function of the same slot. */
static uint32_t next_port(const struct orr_dump *dump, uint32_t net)
{
    if (dump->elements[net].next_sibling != ORR_NO_ELEMENT)
        return dump->elements[net].next_sibling;
    uint32_t card = dump->elements[dump->elements[net].parent].parent, next = dump->elements[card].next_sibling;
    const char *one =
        dump->elements[card].kind == ORR_ELEMENT_PCI ? orr_element_text(dump, card, ORR_ATTR_BUSID) : NULL;
    const char *other = one && next != ORR_NO_ELEMENT ? orr_element_text(dump, next, ORR_ATTR_BUSID) : NULL;
    size_t length = other ? strlen(other) : 0;
    return length && strlen(one) == length && !strncmp(one, other, length - 1) ? net_below(dump, next) : ORR_NO_ELEMENT;
}

uint32_t orr_fusable_ports(const struct orr_dump *dump, uint32_t *ret_other)
{
    for (uint32_t i = 0; i < dump->element_count; i++) {
        const char *name = dump->elements[i].kind == ORR_ELEMENT_NET ? orr_element_text(dump, i, ORR_ATTR_NAME) : NULL;
        uint32_t other = name && !strchr(name, '+') && strncmp(name, "rdmap", 5) ? next_port(dump, i) : ORR_NO_ELEMENT;
        if (other == ORR_NO_ELEMENT || !orr_element_text(dump, other, ORR_ATTR_NAME))
            continue;
        *ret_other = other;
        return i;
    }
    return ORR_NO_ELEMENT;
}

bool orr_efa_are_apart(const struct orr_dump *dump)
{
    uint32_t gpus = 0, nets = 0;
    for (uint32_t i = 0; i < dump->element_count; i++) {
        const char *name = dump->elements[i].kind == ORR_ELEMENT_NET ? orr_element_text(dump, i, ORR_ATTR_NAME) : NULL;
        gpus += dump->elements[i].kind == ORR_ELEMENT_GPU;
        nets += name && !strncmp(name, "rdmap", 5);
    }
    return gpus && nets > gpus;
}
