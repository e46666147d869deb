/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about the processor, the host and its interfaces: of this machine, or of a copy's /proc. */
#include <arpa/inet.h>
#include <dirent.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "engine/detect/facts.h"

enum { HASHED = 1024, BASE_FAMILY = 15 };

void orr_host_facts_hash(struct orr_host_facts *facts, const char *name, const char *boot_id, const char *host_id)
{
    char text[HASHED];
    if (host_id && *host_id)
        snprintf(text, sizeof text, "%s", host_id);
    else
        snprintf(text, sizeof text, "%.*s%.*s", (int)strcspn(name, "\n"), name, (int)strcspn(boot_id, " \t\n"),
                 boot_id);
    facts->hashed = true;
    facts->hash_wide = orr_hash_wide(text, strlen(text));
    facts->hash_bytewise = orr_hash_bytewise(text, strlen(text));
}

static void ask_processor(struct orr_host_facts *facts)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;
    snprintf(facts->arch, sizeof facts->arch, "x86_64");
    if (__get_cpuid(0, &a, &b, &c, &d)) {
        memcpy(facts->cpu_vendor, &b, 4);
        memcpy(facts->cpu_vendor + 4, &d, 4);
        memcpy(facts->cpu_vendor + 8, &c, 4);
        facts->cpu_vendor[12] = 0;
    }
    if (__get_cpuid(1, &a, &b, &c, &d)) { /* the extended family counts sixteenfold here */
        facts->cpu_family = (int)((a >> 8 & 15) + (a >> 20 & 255) * 16);
        facts->cpu_model = (int)((a >> 4 & 15) + (a >> 16 & 15) * 16);
    }
#elif defined(__aarch64__)
    snprintf(facts->arch, sizeof facts->arch, "arm64");
#elif defined(__powerpc64__)
    snprintf(facts->arch, sizeof facts->arch, "ppc64");
#else
    (void)facts;
#endif
}

/* The CPUs that cgroup and affinity allow this process. */
static void ask_cpus(struct orr_host_facts *facts)
{
    char line[sizeof facts->cpus_allowed + 32];
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Cpus_allowed: %255[0-9a-f,]", facts->cpus_allowed) == 1)
            break;
    if (file)
        fclose(file);
}

static void ask_interfaces(struct orr_host_facts *facts)
{
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all))
        return;
    facts->interfaces_known = true;
    for (const struct ifaddrs *at = all; at && facts->interface_count < ORR_FACT_INTERFACES; at = at->ifa_next) {
        int family = at->ifa_addr ? at->ifa_addr->sa_family : AF_UNSPEC;
        if (family != AF_INET && family != AF_INET6)
            continue;
        struct orr_interface_fact *fact = &facts->interfaces[facts->interface_count++];
        snprintf(fact->name, sizeof fact->name, "%s", at->ifa_name);
        fact->inet6 = family == AF_INET6;
        fact->running = at->ifa_flags & IFF_RUNNING;
        if (fact->inet6) {
            struct sockaddr_in6 address;
            memcpy(&address, at->ifa_addr, sizeof address);
            fact->loopback = IN6_IS_ADDR_LOOPBACK(&address.sin6_addr);
        }
    }
    freeifaddrs(all);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* The devices that this user may open: NCCL skips the others. */
static void ask_verbs(struct orr_host_facts *facts)
{
    static const char folder[] = "/sys/class/infiniband_verbs";
    DIR *all = opendir(folder);
    if (!all)
        return;
    facts->verbs_known = true;
    for (struct dirent *entry; (entry = readdir(all)) && facts->verbs_count < ORR_FACT_INTERFACES;) {
        char path[320], name[32];
        snprintf(path, sizeof path, "/dev/infiniband/%s", entry->d_name);
        if (strncmp(entry->d_name, "uverbs", 6) || access(path, R_OK | W_OK))
            continue;
        snprintf(path, sizeof path, "%s/%s/ibdev", folder, entry->d_name);
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%31s", name) == 1)
            snprintf(facts->verbs[facts->verbs_count++], sizeof facts->verbs[0], "%s", name);
        if (file)
            fclose(file);
    }
    closedir(all);
    qsort(facts->verbs, facts->verbs_count, sizeof facts->verbs[0], by_name);
}

static void host_facts_ask_machine(struct orr_host_facts *facts, const char *host_id)
{
    char name[HASHED] = "", boot_id[128] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (gethostname(name, sizeof name - 1))
        name[0] = 0;
    if (file) {
        if (!fgets(boot_id, sizeof boot_id, file))
            boot_id[0] = 0;
        fclose(file);
    }
    orr_host_facts_hash(facts, name, boot_id, host_id);
    ask_processor(facts);
    ask_cpus(facts);
    ask_interfaces(facts);
    ask_verbs(facts);
}

void orr_host_facts_ask(struct orr_host_facts *facts, const char *nvml, const char *host_id,
                        const struct orr_root *root)
{
    if (nvml && !strcmp(nvml, "none"))
        snprintf(facts->nvml_problem, sizeof facts->nvml_problem, ORR_NOT_ASKED);
    else
        orr_host_facts_ask_nvml(facts, nvml, root);
    if (facts->nvml && facts->gpu_count && !nvml)
        orr_host_facts_ask_cuda(facts);
    orr_host_facts_ask_verbs(facts);
    host_facts_ask_machine(facts, host_id);
}

/* The value after "KEY : " in the first line of /proc/cpuinfo with that key; false if there is none. */
static bool cpuinfo(const char *text, const char *key, char *value, size_t size)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t length = strlen(key);
        if (strncmp(line, key, length))
            continue;
        const char *at = line + length;
        at += strspn(at, " \t");
        if (*at != ':')
            continue;
        at++;
        at += *at == ' ';
        snprintf(value, size, "%.*s", (int)strcspn(at, "\n"), at);
        return true;
    }
    return false;
}

static void read_processor(struct orr_host_facts *facts, const struct orr_root *root)
{
    static char const path[] = "/proc/cpuinfo";
    char text[8192], value[64];
    if (orr_root_read(root, path, text, sizeof text) <= 0)
        return;
    if (cpuinfo(text, "vendor_id", value, sizeof value)) {
        snprintf(facts->arch, sizeof facts->arch, "x86_64");
        snprintf(facts->cpu_vendor, sizeof facts->cpu_vendor, "%.12s", value);
        if (cpuinfo(text, "cpu family", value, sizeof value)) {
            int family = (int)strtol(value, NULL, 10);
            facts->cpu_family = family < BASE_FAMILY         ? family
                                : family > 255 + BASE_FAMILY ? BASE_FAMILY
                                                             : BASE_FAMILY + 16 * (family - BASE_FAMILY);
        }
        if (cpuinfo(text, "model", value, sizeof value))
            facts->cpu_model = (int)strtol(value, NULL, 10);
    } else if (cpuinfo(text, "CPU implementer", value, sizeof value)) {
        snprintf(facts->arch, sizeof facts->arch, "arm64");
    } else if (cpuinfo(text, "cpu", value, sizeof value) && !strncmp(value, "POWER", 5)) {
        snprintf(facts->arch, sizeof facts->arch, "ppc64");
    }
}

void orr_host_facts_of_copy(struct orr_host_facts *facts, const struct orr_root *root, const char *host_id)
{
    char name[HASHED], boot_id[128];
    read_processor(facts, root);
    orr_root_read(root, "/proc/sys/kernel/hostname", name, sizeof name);
    orr_root_read(root, "/proc/sys/kernel/random/boot_id", boot_id, sizeof boot_id);
    if (name[0] || boot_id[0] || (host_id && *host_id))
        orr_host_facts_hash(facts, name, boot_id, host_id);
}
