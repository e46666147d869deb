/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about devices that follow from names, numbers and bus ids: tables shared by the readers. */
#ifndef ORR_INPUT_NAMES_H
#define ORR_INPUT_NAMES_H

#include "engine/input/draft.h"
#include "engine/topology/pci.h"

/* The PCI link of GPUs of a generation, as NCCL writes it. */
const char *orr_link_speed_of_sm(int32_t sm);

/* "00000000:1B:00.0" or "0000:1b:00.0" as "0000:1b:00.0"; false if it is not a bus id. */
bool orr_bus_id_short(const char *text, char ret_bus[ORR_BUS_ID_SIZE]);

/* Fills a <net> with assumed speed, port and GPUDirect RDMA, by its name and number. */
void orr_draft_net(struct orr_draft *draft, struct orr_doc_node *net, const char *name, uint32_t dev);
/* Fills an <nvlink> with the usual target for a switch that is not visible. */
void orr_draft_nvswitch(struct orr_draft *draft, struct orr_doc_node *nvlink, uint32_t count);
/* Fills a <cpu> with an assumed kind. */
void orr_draft_suppose_cpu(struct orr_draft *draft, struct orr_doc_node *cpu);

#endif
