/* SPDX-License-Identifier: Apache-2.0 */
/* Inside detect: the state of one detection, and the functions that its files share. */
#ifndef ORR_DETECT_DETECTING_H
#define ORR_DETECT_DETECTING_H

#include "engine/base/index.h"
#include "engine/detect/detect.h"
#include "engine/detect/facts.h"
#include "engine/detect/root.h"
#include "engine/dump/edit.h"
#include "engine/nics/name_list.h"
#include "engine/release/detect_rules.h"

/* X(symbol, severity, id, advice, command that shows or supplies what is missing). orr_note() gets the text. */
#define ORR_NOTE_MAP(X)                                                                                                \
    X(NO_NVML, WARNING, "no-nvml", "nvidia-smi says whether the driver works; in a container: docker run --gpus all",  \
      "nvidia-smi && orrery gather machine.tar.gz")                                                                    \
    X(HALF_A_DRIVER, WARNING, "driver-without-library",                                                                \
      "docker run --gpus all (nvidia-container-toolkit does it); on the host: nvidia-smi must work first",             \
      "docker run --gpus all IMAGE nvidia-smi")                                                                        \
    X(GPUS_WITHHELD, INFO, "gpus-not-passed",                                                                          \
      "docker run --gpus all, or NVIDIA_VISIBLE_DEVICES=all; nvidia-smi -L lists those that are here",                 \
      "nvidia-smi -L")                                                                                                 \
    X(OTHER_DRIVER, WARNING, "gpu-of-another-driver",                                                                  \
      "lspci -nnk -d 10de: shows it; a GPU on vfio-pci belongs to a virtual machine: detect inside it",                \
      "lspci -nnk -d 10de:")                                                                                           \
    X(WSL, WARNING, "wsl", "the real tree shows on Linux itself; LD_LIBRARY_PATH=/usr/lib/wsl/lib finds NVML in WSL",  \
      "nvidia-smi -L")                                                                                                 \
    X(JETSON, WARNING, "jetson", "nothing to detect for NCCL unless NVML lists the GPU: nvidia-smi -L",                \
      "nvidia-smi -L")                                                                                                 \
    X(HIDDEN_RDMA, WARNING, "rdma-hidden", "mount all of the host's /sys into the container: -v /sys:/sys:ro",         \
      "docker run -v /sys:/sys:ro --device /dev/infiniband IMAGE orrery detect")                                       \
    X(CPUS_WITHHELD, INFO, "cpus-not-allowed",                                                                         \
      "docker run --cpuset-cpus gives CPUs of each node; grep Cpus_allowed_list /proc/self/status shows them",         \
      "grep Cpus_allowed_list /proc/self/status")                                                                      \
    X(NVML_BESIDE, INFO, "nvml-beside-copy", "--nvml none leaves it out if the copy is of another machine",            \
      "orrery detect --root DIR --nvml none")                                                                          \
    X(NO_CUDA, INFO, "no-cuda", "ldconfig -p | grep libcuda shows whether the driver's library is there",              \
      "ldconfig -p | grep libcuda")                                                                                    \
    X(NO_CAPABILITY, WARNING, "unknown-capability", "give it with --sm, such as --sm 90",                              \
      "nvidia-smi --query-gpu=name,compute_cap --format=csv")                                                          \
    X(NO_NVLINK_DATA, WARNING, "no-nvlink-data",                                                                       \
      "run it where the NVIDIA driver is loaded, or gather there: orrery gather machine.tar.gz",                       \
      "orrery gather machine.tar.gz")                                                                                  \
    X(NO_GPUS, INFO, "no-gpus", "lspci -d 10de: shows NVIDIA devices; NCCL itself needs at least one GPU",             \
      "lspci -d 10de:")                                                                                                \
    X(MANY_GPUS, WARNING, "too-many-gpus", "NCCL refuses to start on more than 32 GPUs of one host", "nvidia-smi -L")  \
    X(GPU_LOST, WARNING, "gpu-lost",                                                                                   \
      "nvidia-smi shows which; dmesg | grep Xid says why, and a reset or reboot may help",                             \
      "nvidia-smi; dmesg | grep Xid")                                                                                  \
    X(GPU_HIDDEN, WARNING, "gpu-not-in-sys", "mount the host's /sys into the container, read-only",                    \
      "docker run --gpus all -v /sys:/sys:ro IMAGE orrery detect")                                                     \
    X(NO_SYS, WARNING, "no-sys", "mount the host's /sys into the container: -v /sys:/sys:ro",                          \
      "docker run --gpus all -v /sys:/sys:ro IMAGE orrery detect")                                                     \
    X(NO_PCI_BUS, WARNING, "no-pci-bus", "mount all of the host's /sys into the container: -v /sys:/sys:ro",           \
      "docker run --gpus all -v /sys:/sys:ro IMAGE orrery detect")                                                     \
    X(NO_AFFINITY, INFO, "no-affinity", "ls /sys/devices/system/node shows which NUMA nodes the kernel knows",         \
      "ls /sys/devices/system/node")                                                                                   \
    X(NO_NUMA, INFO, "no-numa", "usual in a virtual machine; the host can pass its NUMA nodes on",                     \
      "numactl --hardware")                                                                                            \
    X(LONG_AFFINITY, WARNING, "affinity-cut", "NCCL writes this dump and refuses to load it again; Orrery reads it",   \
      "")                                                                                                              \
    X(NO_PROCESSOR, WARNING, "no-processor", "copy /proc/cpuinfo too, or pack the machine by orrery gather",           \
      "orrery gather machine.tar.gz")                                                                                  \
    X(NO_HOST, INFO, "no-host-hash", "copy /proc/sys/kernel/hostname and random/boot_id too, or use orrery gather",    \
      "orrery gather machine.tar.gz")                                                                                  \
    X(EMULATED_SWITCH, WARNING, "emulated-switch",                                                                     \
      "NCCL believes the link that it reports: give NCCL_TOPO_FILE with the real tree", "lspci -tv")                   \
    X(IDLE_LINK, WARNING, "idle-gpu-link", "detect again while the GPU works: nvidia-smi -q -d PCIE",                  \
      "nvidia-smi -q -d PCIE")                                                                                         \
    X(GDR_ASSUMED, INFO, "gdr-assumed", "NCCL asks the CUDA driver: nvidia-smi topo -p2p r", "nvidia-smi topo -p2p r") \
    X(NO_PEER_MEMORY, WARNING, "no-peer-memory", "modprobe nvidia_peermem, or a kernel and driver with DMA-BUF",       \
      "modprobe nvidia_peermem")                                                                                       \
    X(DMA_BUF_ASSUMED, INFO, "dma-buf-assumed",                                                                        \
      "NCCL registers a buffer to find out: NCCL_DEBUG=INFO says what it found",                                       \
      "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=NET ./all_reduce_perf -g 2")                                                  \
    X(MAX_QP_ASSUMED, INFO, "ib-from-sys",                                                                             \
      "run it where libibverbs.so.1 is: apt install libibverbs1 ibverbs-providers; ibv_devinfo -v shows max_qp",       \
      "apt install libibverbs1 ibverbs-providers && orrery detect")                                                    \
    X(NOT_LISTED, WARNING, "verbs-not-listed",                                                                         \
      "ibv_devices shows what libibverbs knows; its driver for the card: apt install ibverbs-providers",               \
      "apt install ibverbs-providers; ibv_devices")                                                                    \
    X(NO_VERBS, WARNING, "no-verbs",                                                                                   \
      "let the user open them: ls -l /dev/infiniband; docker run --device /dev/infiniband", "ls -l /dev/infiniband")   \
    X(NO_INTERFACE, WARNING, "no-interface",                                                                           \
      "NCCL needs an IP address: ip address; NCCL_SOCKET_IFNAME names interfaces", "ip address")                       \
    X(INTERFACES_ASSUMED, INFO, "interfaces-assumed", "orrery gather packs the addresses' owners as well",             \
      "orrery gather machine.tar.gz")                                                                                  \
    X(NOT_PCI_NIC, INFO, "nic-not-pci", "", "")                                                                        \
    X(NIC_MERGED_AWAY, WARNING, "nic-without-function-0", "NCCL_IB_MERGE_VFS=0 keeps each function by itself",         \
      "NCCL_IB_MERGE_VFS=0")                                                                                           \
    X(DUAL_PORT, INFO, "two-ports-one-device", "", "")                                                                 \
    X(NET_PLUGIN, WARNING, "net-plugin", "a dump of a real run lists the plugin's NICs: NCCL_TOPO_DUMP_FILE",          \
      "NCCL_TOPO_DUMP_FILE=topo.xml ./all_reduce_perf -g 8")                                                           \
    X(NO_MERGE, WARNING, "nics-not-merged", "NCCL_NET_FORCE_MERGE names devices as NCCL does: mlx5_0,mlx5_1;...",      \
      "ibv_devices")                                                                                                   \
    X(TOPO_FILE, INFO, "topology-file", "", "")                                                                        \
    X(NO_TOPO_FILE, WARNING, "no-topology-file", "NCCL_TOPO_FILE must name a file that can be read",                   \
      "ls -l \"$NCCL_TOPO_FILE\"")                                                                                     \
    X(FABRIC, INFO, "fabric", "dump every host; as \"fabric\" of a cluster file it says which hosts NCCL fuses",       \
      "NCCL_TOPO_DUMP_FILE=topo.xml ./all_reduce_perf -g 8")                                                           \
    X(TOO_LARGE, WARNING, "too-many-elements", "NCCL refuses a document of that size", "")                             \
    X(OLD_RELEASE, INFO, "release-rules-open", "", "")

enum orr_note_id {
#define X(symbol, severity, id, advice, command) ORR_NOTE_##symbol,
    ORR_NOTE_MAP(X)
#undef X
        ORR_NOTE_COUNT
};

enum { ORR_SYS_VALUE = 256 };

/* A PCI function that was looked up: its folder in /sys. */
struct orr_bus_entry {
    const char *bus_id;
    const char *path; /* NULL if it has none */
};

/* A device of the network plugin. */
struct orr_net_device {
    char name[264];           /* up to four names if NICs are merged */
    char path[ORR_PATH_SIZE]; /* path of its PCI function; "" if it has none */
    char card[ORR_PATH_SIZE]; /* the same with the functions of one card merged */
    int32_t port;             /* of the verbs device */
    int32_t listed_port;      /* as NCCL counts it */
    uint64_t guid;
    uint32_t speed;         /* Mb/s */
    uint32_t max_qp;        /* what <net> calls maxconn */
    enum orr_known dma_buf; /* as libibverbs reported */
    bool infiniband;        /* not Ethernet; of the IB plugin */
    bool verbs;             /* listed by the IB plugin, not by the socket plugin */
    bool mlx5;
    struct orr_list_entry place; /* rail and plane from NCCL_IB_HCA */
};

struct orr_detector {
    const struct orr_detect_options *options;
    const struct orr_release *release;
    struct orr_detect_rules rules;
    struct orr_root *root;
    struct orr_arena *arena;
    struct orr_host_facts facts;
    struct orr_doc *tree; /* document of the current rank */
    struct orr_bus_entry *bus;
    unsigned bus_count, bus_capacity;
    struct orr_index buses; /* of bus, by bus id */
    struct orr_net_device *nets;
    unsigned net_count, net_capacity;
    bool by_verbs;    /* the IB plugin listed the nets */
    bool off_bus;     /* GPUs of such a machine have no place in the PCI tree, and a note says so */
    bool peer_memory; /* a kernel module for peer memory is loaded */
    bool kernel_dma_buf;
    char *config; /* text of the nccl.conf files; "" if there are none */
    struct orr_note notes[ORR_NOTE_COUNT * 4];
    unsigned note_count;
};

/* notes.c: keeps a note. A repeated text is kept once, and at most four notes of one kind. */
void orr_note(struct orr_detector *d, enum orr_note_id id, const char *format, ...) ORR_PRINTF(3, 4);

/* detect_settings.c */
enum orr_code orr_detect_settings_load(struct orr_detector *d, struct orr_error *err) ORR_NO_DISCARD;
/* NULL if not given. */
const char *orr_detect_setting_of(struct orr_detector *d, const char *name);
int64_t orr_detect_number_of(struct orr_detector *d, const char *name, int64_t fallback);

enum { ORR_BUS_ID_LENGTH = 12 }; /* characters of "0000:1b:00.0" */

/* sysfs.c */
/* orr_root_list() in the detector's root; marks the arena as starved if memory ran out. */
bool orr_detector_list(struct orr_detector *d, const char *path, struct orr_root_names *ret_names);
/* Reads PATH/NAME like NCCL: at most 255 bytes, and the last one is dropped. value is "" if the file is missing or
 * empty. */
void orr_sys_value(const struct orr_detector *d, const char *path, const char *name, char value[ORR_SYS_VALUE]);
/* Whether a component of a path has the form of a bus id. */
bool orr_looks_like_bus_id(const char *text, size_t length);

/* bus.c */
/* The folder of a PCI function, NULL if it has none. */
const char *orr_bus_path(struct orr_detector *d, const char *bus_id);
/* The <pci> of a function, made if it is missing; class is the preset for a new one. Does not claim it. */
struct orr_doc_node *orr_bus_element(struct orr_detector *d, const char *bus_id, const char *class);
/* Adds missing attributes to a <pci> or <cpu> and to all elements above it, and puts it in its place. */
void orr_bus_complete(struct orr_detector *d, struct orr_doc_node *node);

/* host.c */
void orr_host_complete(struct orr_detector *d, struct orr_doc_node *cpu);
/* The <cpu> of a NUMA node, made if it is missing. */
struct orr_doc_node *orr_host_cpu(struct orr_detector *d, const char *numa);

/* surroundings.c: notes on what containers, WSL and Jetson boards hide; before GPUs are looked for, and after. */
void orr_surroundings_look(struct orr_detector *d);
void orr_surroundings_check(struct orr_detector *d);
/* mask: the CPUs of a NUMA node, as /sys has them. */
void orr_surroundings_cpu(struct orr_detector *d, const char *numa, const char *mask);
/* Whether a PCI function is an NVIDIA GPU, and not a virtual function. */
bool orr_is_gpu_function(const struct orr_detector *d, const char *bus_id);

/* gpu.c */
/* Finds the GPUs that NVML lists, or those of the PCI tree if NVML did not answer. Fills d->facts.gpus. */
void orr_gpus_find(struct orr_detector *d);
void orr_gpu_add(struct orr_detector *d, uint32_t rank);

/* joining.c */
/* Removes unclaimed elements by the release's rule, which must not be ORR_TRIM_NONE. */
void orr_detect_trim(struct orr_doc *doc, enum orr_trim_rule rule);
/* Fuses another document of the same arena, whose elements are moved, into the first. */
void orr_detect_fuse(struct orr_doc *into, struct orr_doc *from);

/* nics.c */
/* File i of those that show a module for peer memory, with its bit; NULL if there are no more. */
const char *orr_peer_memory_file(size_t i, unsigned *ret_bit);
void orr_nics_find(struct orr_detector *d);
void orr_nics_add(struct orr_detector *d, uint32_t rank);
/* Adds to a <net> its missing attributes, as the given rank sees the device, and claims it. */
void orr_nic_describe(struct orr_detector *d, struct orr_doc_node *element, const struct orr_net_device *net,
                      uint32_t dev, uint32_t rank);
/* nics_verbs.c, nics_socket.c: append to d->nets. */
void orr_nics_verbs(struct orr_detector *d);
void orr_nics_socket(struct orr_detector *d);
struct orr_net_device *orr_nic_new(struct orr_detector *d);
/* Whether some interface has an address that NCCL would use; also gives the names of at most `most` of them. */
uint32_t orr_interfaces_choose(struct orr_detector *d, struct orr_interface_fact *ret_chosen, uint32_t most);

/* Where a network plugin is usually installed; ends with NULL. */
extern const char *const orr_net_plugins[];

/* base_file.c: the document to start from. */
#define ORR_USUAL_TOPO_FILE "/var/run/nvidia-topologyd/virtualTopology.xml"
void orr_base_file_load(struct orr_detector *d);

/* merge.c: replaces the NICs that a running job merges by one NIC, in the document of a rank. */
void orr_nics_merge(struct orr_detector *d, uint32_t rank);

/* Opens what the options name, and asks for the facts. Shared with gather. */
enum orr_code orr_detector_open(struct orr_detector *d, const struct orr_detect_options *options, struct orr_root *root,
                                struct orr_error *err) ORR_NO_DISCARD;
void orr_detector_close(struct orr_detector *d);

#endif
