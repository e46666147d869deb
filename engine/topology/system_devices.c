/* SPDX-License-Identifier: Apache-2.0 */
/* Physical GPUs (DEV nodes) and the ranks on them, for releases that distinguish the two. */
#include "engine/release/release.h"
#include "engine/topology/pci.h"
#include "engine/topology/system_builder.h"

enum { PARTITION_BW = 2618, BUS_ID_BITS = 40 };

int32_t orr_builder_partition_of(const struct orr_builder *b, uint32_t gpu)
{
    return b->splits_partitions ? orr_element_int(b->dump, gpu, ORR_ATTR_MLOPART, -1) : -1;
}

/* Local id of a device: its bus id, with the partition in the two lowest bits. */
static enum orr_code device_id(const struct orr_builder *b, uint32_t pci, uint64_t bus_id, int32_t partition,
                               uint64_t *ret_id)
{
    *ret_id = bus_id;
    if (partition < 0)
        return ORR_OK;
    if (partition > 1 || (bus_id & 3))
        return orr_fail_element(b->dump, pci, b->err, ORR_INVALID, "a GPU with this bus id cannot have a partition %d",
                                partition);
    *ret_id = bus_id | (uint64_t)((2 * partition + 1) & 3);
    return ORR_OK;
}

uint32_t orr_builder_partitions(const struct orr_builder *b, uint32_t system, uint64_t bus_id, uint32_t ret_devs[2])
{
    uint32_t count = 0;
    for (uint64_t mark = 0; mark < 4 && count < 2; mark++) {
        uint64_t local = (bus_id & ~(uint64_t)3) | mark;
        uint32_t dev = orr_builder_find(b, ORR_DEV, orr_builder_id(b, system, local));
        bool partition = mark & 1; /* if false, this is the whole GPU, provided that its bus id matches */
        if (dev != ORR_NO_NODE && (partition || local == bus_id))
            ret_devs[count++] = dev;
    }
    return count;
}

/* Only different partitions may share a bus id. NCCL allows several ranks on one GPU only with
 * NCCL_MULTI_RANK_GPU_ENABLE, which Orrery does not assume. */
static bool are_partitions(int32_t a, int32_t b)
{
    return a >= 0 && b >= 0 && a != b;
}

static enum orr_code refuse_second_gpu(const struct orr_builder *b, uint32_t pci)
{
    return orr_fail_element(b->dump, pci, b->err, ORR_INVALID, "two GPUs of one host have the bus id %s",
                            orr_element_text(b->dump, pci, ORR_ATTR_BUSID));
}

static enum orr_code find_device(struct orr_builder *b, uint32_t pci, uint32_t gpu, uint32_t system, uint64_t bus_id,
                                 uint32_t parent, uint32_t *ret_dev)
{
    const struct orr_dump *dump = b->dump;
    int32_t partition = orr_builder_partition_of(b, gpu), width, sm, dev;
    uint64_t local;
    const char *speed;
    ORR_TRY(device_id(b, pci, bus_id, partition, &local));
    *ret_dev = orr_builder_find(b, ORR_DEV, orr_builder_id(b, system, local));
    if (*ret_dev != ORR_NO_NODE)
        return ORR_OK;
    uint32_t others[2], count = orr_builder_partitions(b, system, bus_id, others);
    for (uint32_t i = 0; i < count; i++)
        if (!are_partitions(b->nodes[others[i]].node.gpu.mlopart, partition))
            return refuse_second_gpu(b, pci);
    ORR_TRY(orr_element_need_int(dump, gpu, ORR_ATTR_SM, &sm, b->err));
    ORR_TRY(orr_element_need_int(dump, gpu, ORR_ATTR_DEV, &dev, b->err));
    ORR_TRY(orr_element_need_int(dump, pci, ORR_ATTR_LINK_WIDTH, &width, b->err));
    ORR_TRY(orr_element_need_text(dump, pci, ORR_ATTR_LINK_SPEED, &speed, b->err));
    ORR_TRY(orr_builder_add(b, ORR_DEV, orr_builder_id(b, system, local), pci, ret_dev));
    struct orr_node *node = &b->nodes[*ret_dev].node;
    node->gpu.rank = -1;
    node->gpu.dev = dev;
    node->gpu.sm = sm;
    node->gpu.mlopart = partition;
    ORR_TRY(orr_builder_link_both(b, *ret_dev, parent, ORR_LINK_PCI, orr_pci_bw(b->release, width, speed)));
    for (uint32_t i = 0; i < count; i++)
        ORR_TRY(orr_builder_link_both(b, *ret_dev, others[i], ORR_LINK_LOC, PARTITION_BW));
    return ORR_OK;
}

static enum orr_code add_rank(struct orr_builder *b, uint32_t pci, uint32_t gpu, uint32_t system, uint32_t dev)
{
    int32_t gdr, partition = b->release->has_partitions ? orr_element_int(b->dump, gpu, ORR_ATTR_MLOPART, -1) : -1;
    uint32_t node, on_device = 0;
    ORR_TRY(orr_element_need_int(b->dump, gpu, ORR_ATTR_GDR, &gdr, b->err));
    for (uint32_t l = 0; l < b->nodes[dev].count; l++) {
        const struct orr_node *to = &b->nodes[b->nodes[dev].links[l].to].node;
        on_device += to->type == ORR_GPU;
        if (to->type == ORR_GPU && !are_partitions(to->gpu.mlopart, partition))
            return refuse_second_gpu(b, pci);
    }
    uint64_t local =
        (uint64_t)on_device << BUS_ID_BITS | (orr_id_local(b->nodes[dev].node.id) & (((uint64_t)1 << BUS_ID_BITS) - 1));
    ORR_TRY(orr_builder_add(b, ORR_GPU, orr_builder_id(b, system, local), pci, &node));
    struct orr_node *n = &b->nodes[node].node;
    n->gpu = b->nodes[dev].node.gpu;
    n->gpu.rank = orr_element_int(b->dump, gpu, ORR_ATTR_RANK, 0); /* renumbered at the end */
    n->gpu.gdr = gdr;
    n->gpu.mlopart = partition;
    return orr_builder_link_both(b, dev, node, ORR_LINK_LOC, ORR_LOC_BW);
}

enum orr_code orr_builder_devices(struct orr_builder *b, uint32_t pci, uint32_t system, uint32_t parent)
{
    const struct orr_dump *dump = b->dump;
    uint64_t bus_id = orr_bus_id_parse(orr_element_text(dump, pci, ORR_ATTR_BUSID));
    for (uint32_t c = dump->elements[pci].first_child; c != ORR_NO_ELEMENT; c = dump->elements[c].next_sibling) {
        uint32_t dev = ORR_NO_NODE;
        if (dump->elements[c].kind != ORR_ELEMENT_GPU)
            continue;
        if (!orr_element_text(dump, c, ORR_ATTR_RANK))
            break; /* NCCL stops at the first GPU without a rank */
        ORR_TRY(find_device(b, pci, c, system, bus_id, parent, &dev));
        ORR_TRY(add_rank(b, pci, c, system, dev));
    }
    return ORR_OK;
}
