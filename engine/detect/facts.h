/* SPDX-License-Identifier: Apache-2.0 */
/* What detection knows that is not in /sys or /proc: what the NVIDIA libraries, the processor and the kernel answered.
 * Asked of the machine (nvml.c, cuda.c, verbs.c, machine_facts.c), or read from the text that `orrery gather` packs
 * beside the copied files (facts_text.c). Either way the facts are the same, so a copy gives the same document as the
 * machine. */
#ifndef ORR_DETECT_FACTS_H
#define ORR_DETECT_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/known.h"
#include "engine/base/text.h"
#include "engine/detect/root.h"

enum {
    ORR_FACT_GPUS = 64,
    ORR_FACT_NVLINKS = 18,
    ORR_FACT_INTERFACES = 128,
    ORR_FACT_NAME = 96,
    ORR_FACT_BUS = 24, /* "00000000:1b:00.0" with room */
};

struct orr_nvlink_fact {
    bool p2p;               /* NVML says that it can carry P2P */
    bool up;                /* enabled */
    bool far_known;         /* the far end is known */
    char far[ORR_FACT_BUS]; /* its bus id as NVML wrote it */
};

struct orr_gpu_fact {
    char bus_id[ORR_FACT_BUS]; /* dddd:bb:dd.f, lower case */
    char name[ORR_FACT_NAME];
    int major, minor;           /* compute capability */
    uint32_t device, subsystem; /* id above, vendor below, as NVML gives them; 0 if unknown */
    uint32_t generation, width; /* of the PCIe link at present; 0 if unknown */
    uint32_t full_generation;   /* generation that the link can reach; 0 if unknown */
    struct orr_nvlink_fact links[ORR_FACT_NVLINKS];
    uint32_t c2c_count, c2c_bw;    /* active links, MB/s of the last */
    enum orr_known gdr, dma_buf;   /* as the CUDA driver says */
    bool fabric;                   /* the GPU belongs to one */
    uint8_t fabric_id[16];         /* UUID of the cluster */
    uint32_t clique, fabric_state; /* 3: completed */
};

struct orr_interface_fact {
    char name[32];
    bool inet6;    /* its address is IPv6 */
    bool loopback; /* its address is the loopback address */
    bool running;
};

/* An RDMA device that libibverbs lists and opens. */
struct orr_verbs_fact {
    char name[32];
    uint32_t max_qp; /* 0 if unknown */
    enum orr_known dma_buf;
};

struct orr_host_facts {
    bool nvml;                  /* NVML answered: gpus are all that it lists */
    char nvml_problem[160];     /* why not */
    char driver[ORR_FACT_NAME]; /* version; "" if unknown */
    bool cuda;                  /* the CUDA driver answered */
    char cuda_problem[160];
    int cuda_version; /* 12040 */
    struct orr_gpu_fact gpus[ORR_FACT_GPUS];
    uint32_t gpu_count;

    char arch[16];             /* "x86_64", "arm64", "ppc64" */
    char cpu_vendor[16];       /* of CPUID; "" if there is none */
    int cpu_family, cpu_model; /* as the document has them */

    char cpus_allowed[256]; /* CPUs that this process may run on, as a mask like those in /proc; "" if unknown */

    bool hashed; /* the host's hashes are known */
    uint64_t hash_wide, hash_bytewise;

    bool interfaces_known;
    struct orr_interface_fact interfaces[ORR_FACT_INTERFACES]; /* in the order of getifaddrs() */
    uint32_t interface_count;

    bool verbs_known; /* which devices of /dev/infiniband this user may open */
    char verbs[ORR_FACT_INTERFACES][32];
    uint32_t verbs_count;

    bool ibverbs;                                       /* libibverbs answered: devices are all that NCCL would find */
    char ibverbs_problem[160];                          /* why not */
    struct orr_verbs_fact devices[ORR_FACT_INTERFACES]; /* in libibverbs' order */
    uint32_t device_count;
};

/* The text of nvml_problem if the caller asked for no library. */
#define ORR_NOT_ASKED "it was not asked"

/* The file with the facts inside a root, and its maximum size. */
#define ORR_FACTS_PATH "/orrery/facts"
enum { ORR_FACTS_BYTES = 1 << 18 };

/* Facts of the machine itself. nvml: path of the library; NULL loads the driver's own, "none" loads none. host_id:
 * value of NCCL_HOSTID, NULL if not set. */
void orr_host_facts_ask(struct orr_host_facts *facts, const char *nvml, const char *host_id,
                        const struct orr_root *root);
/* The steps of orr_host_facts_ask(). For GPUs whose bus ids the library does not report, functions are looked up in
 * root. */
void orr_host_facts_ask_nvml(struct orr_host_facts *facts, const char *library, const struct orr_root *root);
/* For a copy: asks a library that LD_LIBRARY_PATH or LD_PRELOAD gives, and uses its answers if most of its GPUs are
 * functions of the copy. */
void orr_host_facts_ask_nvml_beside(struct orr_host_facts *facts, const struct orr_root *root);
/* Hashes the host's name followed by the first word of the boot id; NCCL_HOSTID's text alone if it is given. */
void orr_host_facts_hash(struct orr_host_facts *facts, const char *name, const char *boot_id, const char *host_id);
void orr_host_facts_ask_cuda(struct orr_host_facts *facts);
void orr_host_facts_ask_verbs(struct orr_host_facts *facts);

/* Facts that a copy contains by itself, without ORR_FACTS_PATH: processor, host name and boot id. */
void orr_host_facts_of_copy(struct orr_host_facts *facts, const struct orr_root *root, const char *host_id);

/* Reads and writes ORR_FACTS_PATH. INVALID, with the line, if a line cannot be understood. */
enum orr_code orr_host_facts_read(struct orr_host_facts *facts, const char *text, size_t length,
                                  struct orr_error *err) ORR_NO_DISCARD;
void orr_host_facts_write(const struct orr_host_facts *facts, struct orr_text *text);

/* NCCL's hash of a text, as of 2.26 and as before. */
uint64_t orr_hash_wide(const char *text, size_t length);
uint64_t orr_hash_bytewise(const char *text, size_t length);

/* What libibverbs reported about a device, NULL if there is nothing. */
const struct orr_verbs_fact *orr_host_facts_device(const struct orr_host_facts *facts, const char *name);
/* The GPU with a bus id, NULL if there is none. */
const struct orr_gpu_fact *orr_host_facts_gpu(const struct orr_host_facts *facts, const char *bus_id);
/* Writes a bus id as NCCL does: lower case, four digits of domain if they suffice. */
void orr_bus_id_tidy(const char *from, char to[ORR_FACT_BUS]);

#endif
