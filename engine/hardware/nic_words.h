/* SPDX-License-Identifier: Apache-2.0 */
/* Number and speed of a host's NICs in a line of a person, of ibstat or of lspci. */
#ifndef ORR_HARDWARE_NIC_WORDS_H
#define ORR_HARDWARE_NIC_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct orr_nic_words {
    uint32_t count; /* 0 if the line does not say it */
    uint32_t mbps;  /* of one port; 0 likewise */
    bool differ;    /* it names several speeds */
};

/* "4 x HDR 200Gbps", "8x400G", "4 400Gbps CX7 NICs", "200Gbps ports", "rate: 400 Gb/sec". What a test measured, or
 * somebody expects, is not the speed of a NIC. False if the line says nothing. */
bool orr_nic_words_read(const char *line, size_t length, struct orr_nic_words *ret_words);

#endif
