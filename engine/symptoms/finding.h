/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/symptoms: the families of rows, and what they share. */
#ifndef ORR_SYMPTOMS_FINDING_H
#define ORR_SYMPTOMS_FINDING_H

#include "engine/hardware/gpu_models.h"
#include "engine/symptoms/symptoms.h"

struct orr_symptom_finder {
    const struct orr_log *log;
    struct orr_arena *arena;
    struct orr_symptoms *found;
};

/* Keeps a symptom, at most ORR_SYMPTOMS_MOST of them. ORR_SYMPTOM() gets the id, the weight and the line (0 if there is
 * none), then the other fields by name. */
void orr_symptom_add(struct orr_symptom_finder *f, const struct orr_symptom *symptom);
#define ORR_SYMPTOM(finder, id_, weight_, line_, ...)                                                                  \
    orr_symptom_add(finder, &(struct orr_symptom){.id = (id_), .weight = (weight_), .line = (line_), __VA_ARGS__})
#define orr_symptom_text(finder, ...) orr_arena_text((finder)->arena, __VA_ARGS__)
/* Adds the meaning and the advice of a message, one of "A|B|C", as the cause of another; false if the text has none. */
bool orr_symptom_of_line(struct orr_symptom_finder *f, const char *ids, const char *explains);
/* The value of a setting in the text; NULL if the text does not name it, or lines contradict each other. ret_line may
 * be NULL. */
const char *orr_symptom_setting(const struct orr_log *log, const char *name, uint32_t *ret_line);
/* Whether a word is one of "A|B|C", whatever its case. */
bool orr_symptom_is_one(const char *word, const char *words);

/* An error that says only that something failed, which a part at fault explains; NULL if there is none. */
const struct orr_log_event *orr_symptom_unspecific(const struct orr_log *log);
/* The release that NCCL's lines name, or else the text; 0 if neither names one. *ret_name is as in a sentence. */
uint32_t orr_symptom_release(const struct orr_symptom_finder *f, const char **ret_name);

/* The number of the log's connections by transport; gdr: those of `net` with GPUDirect RDMA. */
struct orr_symptom_transports {
    uint32_t p2p, shm, net, gdr;
};
struct orr_symptom_transports orr_symptom_transports(const struct orr_log *log);
/* Whether a line says that the job failed. */
bool orr_symptom_failed(const struct orr_log *log);
/* The model of the GPU that a record names, as `nvidia-smi -L` and nccl-tests do; NULL if it names none. */
const struct orr_gpu_model *orr_symptom_model(const struct orr_log_record *record);
/* addresses.c: the only interface of the first line "NET/Socket : Using" that other hosts may reach: its address is
 * not link-local, and it is not one of containers; NULL if there is not one. */
const char *orr_symptom_routed(struct orr_symptom_finder *f);
/* Whether lines show that the job has one host. */
bool orr_symptom_has_one_host(const struct orr_log *log);
/* Whether the text has an error that ends a job, other than "A|B|C", or a warning that Orrery does not know. */
bool orr_symptom_other_error(const struct orr_log *log, const char *ids);
/* cloud.c: whether the job uses EFA, or the text is about it. */
bool orr_symptom_uses_efa(const struct orr_log *log);
/* A sentence about the driver that the text names, if P2P over PCIe hung with it; "" if not. */
const char *orr_symptom_of_driver(const struct orr_symptom_finder *f);
/* Whether the text shows that NVLink joins GPUs, over which P2P then goes. */
bool orr_symptom_has_nvlink(const struct orr_log *log);
/* Whether lines rule ACS and the IOMMU out. */
bool orr_symptom_acs_refuted(const struct orr_log *log);

/* unlike.c: the host of a record; NULL if it is unknown. */
const char *orr_symptom_host(const struct orr_log *log, const struct orr_log_record *record);
/* The first record of a kind of each host whose first word begins with `of`. Interfaces of `ip link`, of which no line
 * names the host, are each of a host of their own. */
enum { ORR_SYMPTOM_HOSTS = 64 };
uint32_t orr_symptom_of_hosts(const struct orr_log *log, enum orr_log_kind kind, const char *of,
                              const struct orr_log_record *ret_records[ORR_SYMPTOM_HOSTS]);
/* The first two of these records that differ; false if none do. */
struct orr_symptom_two {
    const struct orr_log_record *one, *other;
};
typedef bool orr_symptom_differ(const struct orr_log_record *one, const struct orr_log_record *other);
bool orr_symptom_unlike(const struct orr_log *log, enum orr_log_kind kind, const char *of, orr_symptom_differ *differ,
                        struct orr_symptom_two *ret_two);
/* cloud.c: the first error of ranks that do not reach each other; NULL if there is none, or if another error says
 * why. */
const struct orr_log_event *orr_symptom_unreached(const struct orr_log *log);

/* parts.c: a part of NCCL that can be at fault, or of a server that uses it. */
struct orr_symptom_part {
    const char *id;
    const char *files;  /* how the names of NCCL's files of the part begin, "a|b"; NULL if no file is only the part's */
    const char *does;   /* what NCCL does in these files: a clause */
    const char *repair; /* what to do first if a call failed there; NULL for `check` */
    const char *off;    /* the setting or option that turns the part off; NULL if there is none */
    const char *words;  /* how people write that, as in struct orr_log_said: "a|b" */
    const char *fault;  /* what is at fault if the job works without the part: a clause */
    const char *check, *cure; /* of that fault: a sentence for each reason that it may have */
    bool by_acs;              /* ACS or the IOMMU may be the reason */
};
const struct orr_symptom_part *orr_symptom_part_at(uint32_t index);        /* in their order; NULL beyond the last */
const struct orr_symptom_part *orr_symptom_part(const char *id);           /* NULL if there is no such part */
const struct orr_symptom_part *orr_symptom_part_of_file(const char *file); /* NULL if there is no such part */

/* job.c, trace.c, program.c, processes.c, pcie.c, host.c, p2p.c, ranks.c, network.c (which also asks connections.c and
 * interfaces.c), gids.c, ports.c, commands.c, settings.c */
void orr_symptoms_of_job(struct orr_symptom_finder *f);
void orr_symptoms_of_trace(struct orr_symptom_finder *f);
void orr_symptoms_of_program(struct orr_symptom_finder *f);
void orr_symptoms_of_waiting(struct orr_symptom_finder *f); /* waiting.c */
void orr_symptoms_of_processes(struct orr_symptom_finder *f);
void orr_symptoms_of_pcie(struct orr_symptom_finder *f);
void orr_symptoms_of_runs(struct orr_symptom_finder *f);      /* runs.c */
void orr_symptoms_of_next_runs(struct orr_symptom_finder *f); /* runs.c, after all others */
void orr_symptoms_of_faults(struct orr_symptom_finder *f);    /* faults.c */
void orr_symptoms_of_cloud(struct orr_symptom_finder *f);     /* cloud.c */
void orr_symptoms_of_gpus(struct orr_symptom_finder *f);      /* gpus.c */
void orr_symptoms_of_releases(struct orr_symptom_finder *f);  /* releases.c, after the faults, which say more */
void orr_symptoms_of_unlike(struct orr_symptom_finder *f);    /* unlike.c */
void orr_symptoms_of_host(struct orr_symptom_finder *f);
void orr_symptoms_of_p2p(struct orr_symptom_finder *f);
void orr_symptoms_of_ranks(struct orr_symptom_finder *f);
void orr_symptoms_of_network(struct orr_symptom_finder *f);
void orr_symptoms_of_plugins(struct orr_symptom_finder *f);
void orr_symptoms_of_connections(struct orr_symptom_finder *f);
void orr_symptoms_of_addresses(struct orr_symptom_finder *f); /* addresses.c */
void orr_symptoms_of_interfaces(struct orr_symptom_finder *f);
void orr_symptoms_of_gids(struct orr_symptom_finder *f);
void orr_symptoms_of_nvlinks(struct orr_symptom_finder *f);  /* nvlinks.c */
void orr_symptoms_of_fabric(struct orr_symptom_finder *f);   /* fabric.c */
void orr_symptoms_of_nvls(struct orr_symptom_finder *f);     /* nvls.c */
void orr_symptoms_of_nics(struct orr_symptom_finder *f);     /* nics.c */
void orr_symptoms_of_outliers(struct orr_symptom_finder *f); /* outliers.c */
void orr_symptoms_of_ports(struct orr_symptom_finder *f);
void orr_symptoms_of_commands(struct orr_symptom_finder *f);
void orr_symptoms_of_settings(struct orr_symptom_finder *f);
void orr_symptoms_of_questions(struct orr_symptom_finder *f); /* asked.c */

/* plugins.c: whether a network plugin lacks a library. */
bool orr_symptom_of_library(struct orr_symptom_finder *f);
/* plugins.c: a setting that only Google's network plugins read; NULL if the text has none. orr_symptom_of_google()
 * returns whether it has one: these machines have no RDMA NICs. */
const struct orr_log_setting *orr_symptom_setting_of_google(const struct orr_log *log);
bool orr_symptom_of_google(struct orr_symptom_finder *f);
/* ports.c: whether the text shows RDMA ports that are not active, and why, and none that is active. */
bool orr_symptom_ports_idle(struct orr_symptom_finder *f);
/* ports.c: whether NCCL found no NIC and NCCL_IB_HCA names none of the devices that the text lists: then that is the
 * cause. */
bool orr_symptom_names_no_port(struct orr_symptom_finder *f);

/* patched.c: whether P2P that NVIDIA's own driver would not offer is the cause. */
bool orr_symptom_of_patched_driver(struct orr_symptom_finder *f);
bool orr_symptom_of_declared_p2p(struct orr_symptom_finder *f);

/* Words of a person to whom an error came with a newer NCCL. */
#define ORR_SAID_UPGRADED                                                                                              \
    "upgrad|updat|newer nccl|new nccl|newer version&nccl&broken|fail|error|hang|no longer|not work| ok "

/* Words of a person whose whole machine stops, not only the job. */
#define ORR_SAID_MACHINE_STOPS                                                                                         \
    "hard freeze|system freez|machine freez|pc freez|computer freez|server freez|host freez|system hangs|hard "        \
    "reset|reboots itself|host reboots|server reboots|machine reboots|pc reboots|computer reboots|powers "             \
    "off&gpu|nccl|rtx |tensor parallel|all_reduce|allreduce&!pod |container reboots|after a hard"

/* Words about other libraries, about which the rows say nothing, and of people for whom it works again. */
#define ORR_SAID_OF_OTHERS "rccl|hccl|on rocm|amd gpu|mi210|mi250|mi300|mi325|mi355| ascend "
#define ORR_SAID_OVER                                                                                                  \
    "no longer hang| hang any| solved| resolved|been fixed|was fixed|fixed it|works now|works "                        \
    "again"

/* Words about a driver that is patched to offer P2P. */
#define ORR_SAID_PATCHED                                                                                               \
    " patched|p2p patch|tinygrad|aikitoria|p2p driver|p2p enabled driver|p2p enabled nvidia driver|p2p kernel "        \
    "modul|p2p branch|staticbar1|forcep2p&!not patched|no patch|never patched|without patch|without the patch|stock "  \
    "driver"

/* Errors of sockets between ranks, and those that say no more; the first of them that a text has is the cause. */
#define ORR_SOCKET_ERRORS                                                                                              \
    "socket-connect|socket-abort|socket-refused|socket-timed-out|socket-no-route|socket-retries|socket-retry"
#define ORR_SOCKET_RESULTS                                                                                             \
    "|socket-transfer|socket-closed|unhandled-system|result-system|unhandled-remote|result-remote|"                    \
    "remote-exited|watchdog-timeout"

/* Advice that PCIe rows and others share, a sentence for each cause. */
#define ORR_ACS_OFF                                                                                                    \
    "turn PCIe ACS off in the BIOS, or on each bridge with `sudo setpci -s BRIDGE ECAP_ACS+6.w=0000` after every "     \
    "start."
#define ORR_ACS_CHECK "If `dmesg | grep -i iommu` says Translated, boot with iommu=pt or with the IOMMU off."
#define ORR_ACS_CURE                                                                                                   \
    "If `sudo lspci -vvv | grep -i acsctl` shows SrcValid+ or ReqRedir+, " ORR_ACS_OFF                                 \
    " If this is a virtual machine, it needs ACS and the IOMMU: ask its provider."

#endif
