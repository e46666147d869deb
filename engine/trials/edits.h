/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/trials: changes of a question for hypotheses. A function that finds nothing to change does nothing. */
#ifndef ORR_TRIALS_EDITS_H
#define ORR_TRIALS_EDITS_H

#include "engine/trials/variant.h"

/* edits_job.c */
void orr_edit_channels(struct orr_variant *variant, int most);       /* NCCL uses at most this many */
void orr_edit_more_channels(struct orr_variant *variant, int none);  /* as many as were observed, if there were more */
void orr_edit_fewer_channels(struct orr_variant *variant, int none); /* if there were fewer */
void orr_edit_release(struct orr_variant *variant, int by);          /* the emulated release `by` rows later */
void orr_edit_hosts(struct orr_variant *variant, int hosts);
void orr_edit_keep_nics(struct orr_variant *variant, int none); /* keeps the NICs, like a job on several hosts */
void orr_edit_acs(struct orr_variant *variant, int none);

/* edits_nics.c */
void orr_edit_no_nics(struct orr_variant *variant, int none);
void orr_edit_fewer_nics(struct orr_variant *variant, int kept); /* `kept` of them, or of more than 16 `kept`
                                                                  * sixteenths */
void orr_edit_no_gdr(struct orr_variant *variant, int none);
void orr_edit_observed_gdr(struct orr_variant *variant, int none); /* turns it off on the NICs that were observed
                                                                    * without it */
void orr_edit_nic_speed(struct orr_variant *variant, int part);    /* 2: half of it */
void orr_edit_tcp(struct orr_variant *variant, int mbps);
void orr_edit_swap_sockets(struct orr_variant *variant, int none); /* moves every NIC to the other CPU */

/* edits_links.c: divides the width of links by `part`. */
void orr_edit_gpu_links(struct orr_variant *variant, int part);
void orr_edit_one_gpu_link(struct orr_variant *variant, int number); /* half of the link of one GPU */
void orr_edit_nic_links(struct orr_variant *variant, int part);
void orr_edit_nvlinks(struct orr_variant *variant, int part); /* part 0 removes all */
void orr_edit_one_nvlinks(struct orr_variant *variant, int number);

#endif
