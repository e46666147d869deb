/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about network plugins: plugins that are missing, on some hosts or on all, networks that NCCL_NET names, and
 * the providers of libfabric. */
#include <string.h>

#include "engine/base/words.h"
#include "engine/machines/machine_types.h"
#include "engine/symptoms/finding.h"

/* libfabric uses TCP, although it probably has a provider for the host's NICs. */
static void slow_provider(struct orr_symptom_finder *f)
{
    static const char *const slow[] = {"tcp", "sockets", "udp"};
    for (uint32_t i = 0; i < f->log->record_count; i++) {
        const struct orr_log_record *record = &f->log->records[i];
        const char *provider = record->kind == ORR_LOG_OFI_PROVIDER ? record->words[1] : "";
        for (size_t k = 0; k < sizeof slow / sizeof slow[0]; k++) {
            if (strcspn(provider, ",; ") != strlen(slow[k]) || strncmp(provider, slow[k], strlen(slow[k])) != 0)
                continue;
            ORR_SYMPTOM(f, "libfabric-tcp", ORR_SYMPTOM_CAUSE, record->line,
                        .cause = orr_symptom_text(f,
                                                  "libfabric uses its provider %s (line %u) instead of that of the "
                                                  "NICs, such as efa or cxi, so hosts exchange data over TCP.",
                                                  slow[k], record->line),
                        .check = "Check in the job's container: `fi_info -p efa` (or cxi) lists a provider, and `ls "
                                 "/dev/infiniband`.",
                        .cure = "If /dev/infiniband is missing, give the container the EFA devices (Kubernetes: "
                                "vpc.amazonaws.com/efa). If fi_info lists none although the devices are there, "
                                "install the EFA software in the image. If it lists one, set FI_PROVIDER=efa.",
                        .explains = "ofi-open");
            return;
        }
    }
}

/* Amazon's plugin finds a part of the EFA interfaces of the machine type that it names. */
static void few_interfaces(struct orr_symptom_finder *f)
{
    const struct orr_machine_type *type = NULL;
    const struct orr_log_record *found = NULL;
    for (uint32_t i = 0; i < f->log->record_count; i++) {
        const struct orr_log_record *record = &f->log->records[i];
        if (record->kind == ORR_LOG_PLATFORM && !type)
            type = orr_machine_type_find(record->words[0]);
        else if (record->kind == ORR_LOG_OFI_PROVIDER && record->value_count && !strncmp(record->words[1], "efa", 3))
            found = found && found->values[0] > record->values[0] ? found : record;
    }
    const uint32_t count = found ? (uint32_t)found->values[0] : 0, all = type ? type->nets : 0;
    if (!count || 2 * count > all)
        return;
    ORR_SYMPTOM(f, "few-efa", ORR_SYMPTOM_CAUSE, found->line, .slows = true,
                .cause = orr_symptom_text(
                    f,
                    "Amazon's plugin finds %u EFA interface%s (line %u), and a %s has %u of %g Gb/s: the job cannot "
                    "use the others.",
                    count, orr_plural(count), found->line, type->name, all, type->net_mbps / 1000.0),
                .check = "Check in the container: `fi_info -p efa | grep domain: | sort -u | wc -l`, and `ls "
                         "/dev/infiniband`.",
                .cure = orr_symptom_text(f,
                                         "Give the container all of them: in Kubernetes vpc.amazonaws.com/efa: %u in "
                                         "requests and limits (%u for each GPU), in Docker all of /dev/infiniband. The "
                                         "instance itself must have been started with %u interfaces of type efa.",
                                         all, all >= type->gpus ? all / type->gpus : 1, all));
}

/* Slingshot's provider opens no domain in a job step that has no VNI. */
static void lacks_vni(struct orr_symptom_finder *f)
{
    const struct orr_log_event *open = orr_log_event_of(f->log, "ofi-open"), *vni = orr_log_event_of(f->log, "cxi-vni");
    const struct orr_log_record *cxi = NULL;
    for (uint32_t i = 0; i < f->log->record_count && !cxi; i++)
        if (f->log->records[i].kind == ORR_LOG_OFI_PROVIDER && !strcmp(f->log->records[i].words[1], "cxi"))
            cxi = &f->log->records[i];
    if (!open || !(cxi || vni) || !strstr(open->text, "-38"))
        return;
    ORR_SYMPTOM(
        f, "cxi-without-vni", ORR_SYMPTOM_CAUSE, open->line,
        .cause = orr_symptom_text(
            f,
            "Slingshot's libfabric provider (cxi) refused to open a NIC (-38, line %u): this job step has no VNI, the "
            "network's key for a job. Start it with srun; on one host with `srun --network=single_node_vni`.",
            open->line),
        .check = "Check: FI_LOG_LEVEL=warn prints \"Failed to find valid default rgroup and vni\"; `scontrol show "
                 "config | grep -i switchparameters` shows how Slurm gives VNIs; `cxi_service list` shows service 1.",
        .cure = "Or set SLURM_NETWORK=single_node_vni, or let the administrator enable service 1 of the NICs.",
        .explains = open->message->id);
}

/* EFA without the plugin by which alone NCCL can use it. */
static void lacks_plugin(struct orr_symptom_finder *f)
{
    const struct orr_log_event *none = orr_log_event_of(f->log, "plugin-none"),
                               *missing = orr_log_event_of(f->log, "plugin-missing-net");
    const struct orr_log_said *said = f->log->mentions[ORR_MENTION_EFA];
    none = none ? none : missing;
    if (!none || !said)
        return;
    /* Open MPI passes a variable on only with -x, and sshd does not know the environment of its container. */
    const uint32_t path = orr_symptom_said(f->log, " ld_library_path ", true);
    const bool unpassed = path && orr_symptom_said(f->log, " mpirun | mpiexec ", true) &&
                          orr_symptom_said(f->log, " x nccl_| x fi_|allow run as root| mca ", true) &&
                          !orr_symptom_said(f->log, " x ld_library_path", true);
    ORR_SYMPTOM(
        f, "efa-without-plugin", ORR_SYMPTOM_CAUSE, none->line,
        .cause = unpassed
                     ? orr_symptom_text(f,
                                        "The ranks find no network plugin (line %u), and only Amazon's plugin reaches "
                                        "EFA: LD_LIBRARY_PATH (line %u) does not reach them, as mpirun passes on only "
                                        "variables that -x names. Hosts exchange data over TCP sockets.",
                                        none->line, path)
                     : orr_symptom_text(f,
                                        "NCCL finds no network plugin (line %u), and only Amazon's plugin reaches EFA "
                                        "(line %u). Without other RDMA NICs, hosts exchange data over TCP sockets.",
                                        none->line, said->line),
        .check = unpassed ? "Check: `mpirun ... bash -c 'env | grep -E \"LD_LIB|FI_\"'` shows what the ranks get, and "
                            "`find / -name 'libnccl-net*.so'` in a worker where the plugin is."
                          : "Check in the job's container: `find / -name 'libnccl-net*.so'`, and that LD_LIBRARY_PATH "
                            "of every rank has that directory; `fi_info -p efa` must list a provider.",
        .cure = unpassed
                    ? "Add -x LD_LIBRARY_PATH to mpirun (also -x FI_PROVIDER and other variables that the job needs), "
                      "or write the directories to /etc/ld.so.conf.d of the image and run ldconfig."
                    : "Put the plugin (/opt/amazon/ofi-nccl/lib or /opt/amazon/aws-ofi-nccl/lib) and "
                      "/opt/amazon/efa/lib into LD_LIBRARY_PATH, or install the EFA software in the image. \"NET/OFI\" "
                      "lines then appear.");
}

/* The library that a plugin needs and does not find: "returned 2 : libcudart.so.11.0: cannot open shared object file".
 * NULL if there is none. */
static const char *missing_library(const char *text, int *ret_length)
{
    const char *end = strstr(text, ": cannot open shared object file"), *at = end;
    while (at && at > text && at[-1] != ' ' && at[-1] != '=')
        at--;
    *ret_length = at ? (int)(end - at) : 0;
    return at && !strncmp(at, "lib", 3) && strncmp(at, "libnccl", 7) != 0 ? at : NULL;
}

bool orr_symptom_of_library(struct orr_symptom_finder *f)
{
    static const char rows[] = "plugin-returned|plugin-none|plugin-missing-net|plugin-missing-named";
    for (uint32_t i = 0; i < f->log->event_count; i++) {
        const struct orr_log_event *event = &f->log->events[i];
        int length = 0;
        const char *library = event->message && orr_symptom_is_one(event->message->id, rows)
                                  ? missing_library(event->text, &length)
                                  : NULL;
        if (!library)
            continue;
        ORR_SYMPTOM(
            f, "plugin-library", ORR_SYMPTOM_CAUSE, event->line, .slows = true,
            .cause = orr_symptom_text(f,
                                      "NCCL found its network plugin, but the plugin needs %.*s, which is not "
                                      "found (line %u). So NCCL goes on with its own network.",
                                      length, library, event->line),
            .check = "Check in the job's container: `ldd $(find / -name libnccl-net.so) | grep 'not found'`.",
            .cure = orr_symptom_text(f,
                                     "Use a plugin that was built for this image%s, or install %.*s and put its "
                                     "directory into LD_LIBRARY_PATH of every rank.",
                                     strstr(library, "cudart") == library + 3 ? " and its CUDA" : "", length, library));
        return true;
    }
    return false;
}

/* A network plugin on some hosts only. */
static void plugin_on_some(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_event *without = orr_log_event_of(log, "plugin-none|plugin-missing-net");
    if (!without || !without->host_count || !strstr(without->text, "libnccl-net"))
        return;
    const struct orr_log_record *records[ORR_SYMPTOM_HOSTS];
    const uint32_t count = orr_symptom_of_hosts(log, ORR_LOG_PLUGIN, "", records);
    for (uint32_t i = 0; i < count; i++) {
        const struct orr_log_record *record = records[i];
        const char *host = orr_symptom_host(log, record);
        bool also_without = false;
        for (uint32_t h = 0; h < without->host_count; h++)
            also_without |= !strcmp(without->hosts[h], host);
        if (also_without)
            continue;
        ORR_SYMPTOM(f, "plugin-on-some", ORR_SYMPTOM_CAUSE, record->line,
                    .cause =
                        orr_symptom_text(f,
                                         "Host %s has a network plugin (%s, line %u), and host %s finds none (line "
                                         "%u). Hosts with different network code may hang when they connect.",
                                         host, record->words[0], record->line, without->hosts[0], without->line),
                    .check = "Check: run once with NCCL_NET_PLUGIN=none on all hosts, which leaves the plugin out.",
                    .cure = "Install the same plugin on all hosts, or take it out of LD_LIBRARY_PATH on all.");
        return;
    }
}

/* A setting names a plugin, and NCCL says that it finds none of that name. */
static void named_plugin(struct orr_symptom_finder *f)
{
    static const char *const names[] = {"NCCL_NET_PLUGIN", "NCCL_TUNER_PLUGIN", "NCCL_PROFILER_PLUGIN"};
    static const char found_none[] = "plugin-missing-named|plugin-missing|plugin-none|plugin-returned";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        uint32_t line = 0;
        const char *name = orr_symptom_setting(f->log, names[i], &line);
        const struct orr_log_event *missing = NULL;
        for (uint32_t k = 0; name && name[0] && strcmp(name, "none") != 0 && !missing && k < f->log->event_count; k++) {
            const struct orr_log_event *event = &f->log->events[k];
            if (event->message && strstr(event->text, name) && orr_symptom_is_one(event->message->id, found_none))
                missing = event;
        }
        if (!missing)
            continue;
        const bool path = strchr(name, '/') != NULL;
        ORR_SYMPTOM(f, "named-plugin-missing", ORR_SYMPTOM_CAUSE, missing->line,
                    .cause = orr_symptom_text(
                        f,
                        "%s=%.60s (line %u) names a plugin that NCCL did not find (line %u), so it goes on without it.",
                        names[i], name, line, missing->line),
                    .check = path ? "Check in the job's container: `ldd FILE` finds all that the plugin needs."
                                  : orr_symptom_text(f,
                                                     "Check in the job's container: `find / -name '*%.60s*.so'`; its "
                                                     "folder must be in LD_LIBRARY_PATH of every rank.",
                                                     name),
                    .cure = path ? "NCCL 2.27.3 takes no path here; 2.27.5 and newer do. Or put the folder into "
                                   "LD_LIBRARY_PATH and name the file alone."
                                 : orr_symptom_text(f, "Install the plugin, or unset %s.", names[i]));
        return;
    }
}

const struct orr_log_setting *orr_symptom_setting_of_google(const struct orr_log *log)
{
    static const char tcpx[] = "NCCL_GPUDIRECTTCPX_", fastrak[] = "NCCL_FASTRAK_";
    for (uint32_t i = 0; i < log->setting_count; i++)
        if (!strncmp(log->settings[i].name, tcpx, strlen(tcpx)) ||
            !strncmp(log->settings[i].name, fastrak, strlen(fastrak)))
            return &log->settings[i];
    return NULL;
}

/* The settings of Google's plugin, and NCCL found another plugin, or none, and uses sockets. */
bool orr_symptom_of_google(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_setting *setting = orr_symptom_setting_of_google(log);
    const struct orr_log_event *none = orr_log_event_of(log, "plugin-none|plugin-missing-net");
    const struct orr_log_record *sockets = NULL, *other = NULL;
    for (uint32_t i = 0; setting && i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        const char *word = record->word_count ? record->words[0] : "";
        if (record->kind != ORR_LOG_NETWORK && record->kind != ORR_LOG_PLUGIN)
            continue;
        if (strcasestr(word, "tcpx") || strcasestr(word, "fastrak") || strstr(word, "/usr/local/nvidia/"))
            return true;
        if (record->kind == ORR_LOG_PLUGIN)
            other = other ? other : record;
        else if (!strcmp(word, "Socket"))
            sockets = sockets ? sockets : record;
    }
    if (!sockets || !(other || none))
        return setting != NULL;
    ORR_SYMPTOM(
        f, "googles-plugin-not-loaded", ORR_SYMPTOM_CAUSE, other ? other->line : none->line, .slows = true,
        .cause = orr_symptom_text(
            f,
            "%.60s (line %u) is for Google's network plugin (%s), but NCCL found %s%.80s (line %u), so hosts "
            "exchange data over plain TCP sockets (line %u).",
            setting->name, setting->line, !strncmp(setting->name, "NCCL_F", 6) ? "GPUDirect-TCPXO" : "GPUDirect-TCPX",
            other ? "another one, " : "no plugin", other ? other->words[0] : "", other ? other->line : none->line,
            sockets->line),
        .check = "Check in a rank: LD_LIBRARY_PATH must begin with the folder of Google's libnccl-net.so (TCPX: "
                 "/usr/local/tcpx/lib64, TCPXO: /usr/local/nvidia/lib64), which must be there.",
        .cure = "If it does not, put that folder first: images of NVIDIA have a plugin of that name in HPC-X. "
                "If the folder is empty, mount the one in which Google's installer puts the plugin on the "
                "host (below /home/kubernetes/bin).");
    return true;
}

/* NCCL writes a line about each network that it tries. Without a line about sockets, it was not allowed to use them. */
static void named_network(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_event *none = orr_log_event_of(log, "net-none");
    const char *name = orr_symptom_setting(log, "NCCL_NET", NULL);
    if (!none || !orr_log_event_of(log, "plugin-none|plugin-missing-named|plugin-missing-net|net-init") ||
        orr_symptom_nic_list(log, "Socket") || orr_log_event_of(log, "socket-none|socket-usable"))
        return;
    ORR_SYMPTOM(f, "named-network-missing", ORR_SYMPTOM_CAUSE, none->line,
                .cause = orr_symptom_text(f,
                                          "NCCL did not even try sockets: NCCL_NET%s%.40s (or netName in the program's "
                                          "ncclConfig_t) allows one network only, and this host does not have it.",
                                          name ? "=" : "", name ? name : ""),
                .check = "Check: `env | grep NCCL_NET` in a task of the job, and /etc/nccl.conf; `ibv_devinfo` if it "
                         "is IB, the plugin's folder in LD_LIBRARY_PATH if it is a plugin's name.",
                .cure = "Unset NCCL_NET, so that NCCL takes the best network that works.",
                .explains = none->message->id);
}

/* NCCL_NET names the network of a plugin, and the plugin's library is not found. */
static void network_without_plugin(struct orr_symptom_finder *f)
{
    const struct orr_log_event *missing = orr_log_event_of(f->log, "net-not-found"),
                               *none = orr_log_event_of(f->log, "plugin-none|plugin-missing-net|plugin-returned");
    const char *at = missing ? strstr(missing->text, "network ") : NULL;
    if (!at || !none)
        return;
    at += strlen("network ");
    const char *end = strstr(at, " not found");
    const int length = end ? (int)(end - at) : 0;
    if (orr_symptom_is_one(orr_symptom_text(f, "%.*s", length, at), "IB|Socket"))
        return;
    ORR_SYMPTOM(f, "network-without-plugin", ORR_SYMPTOM_CAUSE, none->line,
                .cause = orr_symptom_text(f,
                                          "NCCL_NET names the network %.*s (line %u), which a plugin brings, and NCCL "
                                          "finds no plugin library (libnccl-net.so, line %u).",
                                          length, at, missing->line, none->line),
                .check = "Check in the container: `find / -name 'libnccl-net*.so'`; LD_LIBRARY_PATH of every rank must "
                         "have its directory.",
                .cure =
                    "Install the plugin in the image, or mount the directory in which the cloud's installer puts it "
                    "on the host (Google: below /home/kubernetes/bin), and put it into LD_LIBRARY_PATH.",
                .explains = missing->message->id);
}

void orr_symptoms_of_plugins(struct orr_symptom_finder *f)
{
    slow_provider(f);
    few_interfaces(f);
    lacks_vni(f);
    lacks_plugin(f);
    plugin_on_some(f);
    named_plugin(f);
    named_network(f);
    network_without_plugin(f);
}
