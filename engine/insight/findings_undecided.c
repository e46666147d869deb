/* Findings of the catalogue that cannot be decided from what Orrery reads, and why. A row that becomes decidable moves
 * to the file of its family. */
#include "engine/insight/finder.h"

#define OTHER_HOSTS "needs the dumps of several hosts; one dump describes one"
#define IN_COMPARISON                                                                                                  \
    "needs the dumps of several hosts: GET /v1/compare and `orrery compare --majority` decide it for a set"

const struct orr_undecided orr_undecided_rows[] = {
    {"L58", "Ports merged into one NIC stand at different distances", "a merged NIC shows the place of one port only"},
    {"L76", "A graph file does not match the machine", "Orrery does not read NCCL_GRAPH_FILE yet"},
    {"L82", "Hosts of one NVLink domain differ in cluster or clique", OTHER_HOSTS},
    {"L90", "A host differs from the majority", IN_COMPARISON},
    {"L91", "NICs stand in another order on another host", IN_COMPARISON},
    {"L92", "One host sets the number of channels", OTHER_HOSTS},
    {"L93", "Hosts use different numbers of GPUs", OTHER_HOSTS},
    {0},
};
