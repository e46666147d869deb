/* SPDX-License-Identifier: Apache-2.0 */
/* The part of docs/findings.md that cannot be decided from what Orrery reads, and why. A row that becomes decidable
 * moves to the file of its family. */
#include "engine/findings/finder.h"

const struct orr_undecided orr_undecided_rows[] = {
    {"L58", "Ports merged into one NIC are at different distances", "a merged NIC shows the place of one port only"},
    {"L76", "A graph file does not match the machine",
     "Orrery rejects a graph file that names other GPUs, and does not judge the channels of others"},
    {0},
};
