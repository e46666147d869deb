/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/trials: changes of a question for hypotheses. A function that finds nothing to change does nothing. */
#ifndef ORR_TRIALS_EDITS_H
#define ORR_TRIALS_EDITS_H

#include "engine/trials/variant.h"

/* edits_job.c */
void orr_edit_channels(struct orr_variant *variant, int most);       /* NCCL uses at most this many */
void orr_edit_more_channels(struct orr_variant *variant, int none);  /* as many as were observed, if that is more */
void orr_edit_fewer_channels(struct orr_variant *variant, int none); /* if that is fewer */
void orr_edit_release(struct orr_variant *variant, int by);          /* the emulated release `by` rows later */
void orr_edit_hosts(struct orr_variant *variant, int hosts);
void orr_edit_keep_nics(struct orr_variant *variant, int none); /* the system of a job on several hosts has its NICs */
void orr_edit_acs(struct orr_variant *variant, int none);

/* edits_nics.c */
void orr_edit_no_nics(struct orr_variant *variant, int none);
void orr_edit_fewer_nics(struct orr_variant *variant, int kept); /* this many; this many sixteenths of more than 16 */
void orr_edit_no_gdr(struct orr_variant *variant, int none);
void orr_edit_observed_gdr(struct orr_variant *variant, int none); /* off on the NICs that were observed without it */
void orr_edit_nic_speed(struct orr_variant *variant, int part);    /* 2: half of it */
void orr_edit_tcp(struct orr_variant *variant, int mbps);
void orr_edit_swap_sockets(struct orr_variant *variant, int none); /* every NIC at the other CPU */

/* edits_links.c; part 2 leaves half of a link. */
void orr_edit_gpu_links(struct orr_variant *variant, int part);
void orr_edit_one_gpu_link(struct orr_variant *variant, int number); /* half of the link of one GPU */
void orr_edit_nic_links(struct orr_variant *variant, int part);
void orr_edit_nvlinks(struct orr_variant *variant, int part); /* 0 if none is left */
void orr_edit_one_nvlinks(struct orr_variant *variant, int number);

#endif
