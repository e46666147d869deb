/* SPDX-License-Identifier: Apache-2.0 */
/* Parses lines that several rooms read; each kind of line is parsed only here. A function returns false, without
 * writing *ret, if the line is of another kind or torn. Texts belong to the record. */
#ifndef ORR_LOG_STATEMENTS_H
#define ORR_LOG_STATEMENTS_H

#include "engine/log_reading/log.h"

/* How two ranks are connected. X(symbol, text) */
#define ORR_LOG_TRANSPORT_MAP(X)                                                                                       \
    X(P2P, "P2P")                                                                                                      \
    X(SHM, "shared memory")                                                                                            \
    X(NET, "network")

enum orr_log_transport {
#define X(symbol, text) ORR_TRANSPORT_##symbol,
    ORR_LOG_TRANSPORT_MAP(X)
#undef X
};
const char *orr_log_transport_text(enum orr_log_transport transport);

/* "Channel 01/0 : 3[1b000] -> 8[2c000] [send] via NET/IB/2(5)/GDRDMA" */
struct orr_log_connection {
    enum orr_log_transport transport;
    int32_t channel, index; /* 1 and 0; index 0 if it is not printed */
    int32_t from, to;       /* ranks */
    uint64_t bus_ids[2];    /* of their GPUs */
    /* Over the network alone: */
    bool sends, gdr; /* GPUDirect RDMA */
    int32_t nic;     /* its number, -1 if not printed */
    int32_t proxy;   /* the rank whose GPU drives the NIC, -1 means the rank's own */
};
bool orr_log_connection_of(const struct orr_log_record *record, struct orr_log_connection *ret_connection);

/* "GPU Direct RDMA Enabled for GPU/0-1b000 (rank 3) - NET/0-2 (distance 4 <= 5), read 0", and older forms */
struct orr_log_gdr {
    bool on, sends;
    const char *gpu, *nic; /* "1b000", "0-1b000", a rank; "2", "0-2" */
    int32_t rank;          /* -1 if not printed */
    int32_t distance;      /* a number of the log's own release */
};
bool orr_log_gdr_of(const struct orr_log_record *record, struct orr_log_gdr *ret_gdr);

/* "NET/IB : GPU Direct RDMA Disabled for HCA 2 'mlx5_2'" */
struct orr_log_gdr_nic {
    bool on, socket; /* sockets have no GPUDirect RDMA */
    int32_t nic;
};
bool orr_log_gdr_nic_of(const struct orr_log_record *record, struct orr_log_gdr_nic *ret_gdr);

/* "24 coll channels, 24 collnet channels, 16 nvls channels, 32 p2p channels, 32 p2p channels per peer" */
struct orr_log_counts {
    double collective, nvls, p2p, p2p_per_peer; /* as printed; nvls -1 if not printed */
};
bool orr_log_counts_of(const struct orr_log_record *record, struct orr_log_counts *ret_counts);

/* "NVLS multicast support is available on dev 0": *ret_available. */
bool orr_log_nvls_of(const struct orr_log_record *record, bool *ret_available);

/* The groups into which nccl-tests split its ranks, which run at once; 1 without such lines. ret_line may be NULL. */
uint32_t orr_log_test_groups(const struct orr_log *log, uint32_t *ret_line);

/* A row of show_gids. */
struct orr_log_gid {
    const char *device, *address, *interface; /* address: IPv4, "" if it has none; interface: "" if it has none */
    int32_t port, index;
    bool v2, link_local;
};
bool orr_log_gid_of(const struct orr_log_record *record, struct orr_log_gid *ret_gid);

/* A field of the state of an RDMA port, as ibstat, ibstatus, ibv_devinfo or `rdma link` prints it. */
enum orr_log_port_field {
    ORR_PORT_BEGINS, /* the device; its fields follow */
    ORR_PORT_NUMBER, /* the port; its fields follow */
    ORR_PORT_LINK,   /* device and states of one line: "DOWN physical_state DISABLED netdev ens1" */
    ORR_PORT_STATE,
    ORR_PORT_PHYSICAL,
    ORR_PORT_RATE,
    ORR_PORT_LID,
    ORR_PORT_MANAGER, /* the LID of the subnet manager */
    ORR_PORT_LAYER,
    ORR_PORT_GUID
};
bool orr_log_port_of(const struct orr_log_record *record, enum orr_log_port_field *ret_field, const char **ret_device,
                     const char **ret_text);

#endif
