/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about the RDMA ports whose states ibstat, ibstatus, ibv_devinfo or `rdma link` print: ports without a link,
 * without a subnet manager, virtual functions without GUIDs, and ports slower than others. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/log_reading/statements.h"
#include "engine/symptoms/finding.h"

struct port {
    const char *device;
    enum { UNKNOWN, ACTIVE, INIT, DOWN } state;
    enum { LINK_UNKNOWN, LINK_UP, LINK_DOWN } link;
    enum { LAYER_UNKNOWN, INFINIBAND, ETHERNET } layer;
    double rate; /* Gb/s; 0 if unknown */
    bool without_guid, without_lid, has_manager;
    uint32_t line; /* of its state */
};

static bool says(const char *text, const char *word)
{
    return strcasestr(text, word) != NULL;
}

static void read_state(struct port *port, const char *text, uint32_t line)
{
    port->line = line;
    port->state = says(text, "active") ? ACTIVE : says(text, "init") ? INIT : says(text, "down") ? DOWN : UNKNOWN;
}

static void read_link(struct port *port, const char *text)
{
    port->link = says(text, "linkup") || says(text, "link_up")                            ? LINK_UP
                 : says(text, "polling") || says(text, "disabled") || says(text, "sleep") ? LINK_DOWN
                                                                                          : LINK_UNKNOWN;
}

static void read_field(struct port *port, enum orr_log_port_field field, const char *text, uint32_t line)
{
    switch (field) {
    case ORR_PORT_STATE:
        read_state(port, text, line);
        break;
    case ORR_PORT_PHYSICAL:
        read_link(port, text);
        break;
    case ORR_PORT_RATE:
        port->rate = strtod(text, NULL);
        break;
    case ORR_PORT_LID:
        port->without_lid = strtol(text, NULL, 0) == 0xffff;
        break;
    case ORR_PORT_MANAGER:
        port->has_manager = strtol(text, NULL, 0) > 0;
        break;
    case ORR_PORT_LAYER:
        port->layer = says(text, "infiniband") ? INFINIBAND : says(text, "ethernet") ? ETHERNET : LAYER_UNKNOWN;
        break;
    case ORR_PORT_GUID:
        port->without_guid = *text && text[strspn(text, "0x:")] == 0;
        break;
    case ORR_PORT_BEGINS:
    case ORR_PORT_NUMBER:
    case ORR_PORT_LINK:
        break;
    }
}

/* The ports that have a state. */
static uint32_t list_ports(const struct orr_log *log, struct port *ports, uint32_t most)
{
    uint32_t count = 0;
    struct port next = {0};
    for (uint32_t i = 0; i < log->record_count && !orr_budget_spent(i % 64 == 0); i++) {
        enum orr_log_port_field field;
        const char *device, *text;
        if (!orr_log_port_of(&log->records[i], &field, &device, &text))
            continue;
        if (field <= ORR_PORT_LINK) {
            const bool again = field == ORR_PORT_NUMBER && next.device && !strcmp(next.device, device);
            const struct port begun = {.device = device, .without_guid = again && next.without_guid};
            if (next.state && count < most)
                ports[count++] = next;
            next = begun;
        }
        if (field == ORR_PORT_LINK) {
            const char *physical = strstr(text, "physical_state ");
            read_state(&next, text, log->records[i].line);
            read_link(&next, physical ? physical : "");
            next.state =
                !strncasecmp(text, "down", 4) ? DOWN : next.state; /* the name of an interface may say "active" */
        }
        read_field(&next, field, text, log->records[i].line);
    }
    if (next.state && count < most)
        ports[count++] = next;
    return count;
}

/* An InfiniBand port has a link, and no subnet manager has made it active. */
static bool lacks_manager(const struct port *port)
{
    return port->layer != ETHERNET && (port->layer || port->state == INIT) && port->link != LINK_DOWN &&
           (port->state == INIT || (port->state == DOWN && port->link == LINK_UP));
}

static void not_active(struct orr_symptom_finder *f, const struct port *port)
{
    const bool virtual_function =
        port->without_guid || (port->without_lid && (port->has_manager || port->state == DOWN));
    const char *device = port->device;
    ORR_SYMPTOM(
        f, virtual_function ? "ib-function-down" : "ib-no-manager", ORR_SYMPTOM_CAUSE, port->line,
        .cause = port->without_guid
                     ? orr_symptom_text(f,
                                        "%.40s has no GUID (all zeros), so the subnet manager does not make its port "
                                        "active (line %u): a virtual function gets its GUIDs from its host.",
                                        device, port->line)
                 : virtual_function
                     ? orr_symptom_text(f,
                                        "%.40s has a link, but no address of the subnet manager (LID 65535), so its "
                                        "port is not active (line %u): as a virtual function without valid GUIDs, or "
                                        "under a subnet manager without virtualisation.",
                                        device, port->line)
                     : orr_symptom_text(f,
                                        "%.40s has a link, but its port is not active (line %u): no subnet manager has "
                                        "configured it. NCCL leaves out ports that are not active.",
                                        device, port->line),
        .check = virtual_function
                     ? "Check on the host: `ip link show PF` must list a NODE_GUID and PORT_GUID of its own for each "
                       "vf; `ibstat` of the host's own port (PF) must be Active."
                     : "Check: `sminfo` must name a subnet manager; `ibstat` shows SM lid 0 if there is none.",
        .cure =
            virtual_function
                ? "Set both on the host, each value once in the fabric (`ip link set PF vf N node_guid X`, `port_guid "
                  "X`; the SR-IOV operator with linkType: ib, or ib-kubernetes, does it), and bind the function again. "
                  "OpenSM needs `virt_enabled 2` in opensm.conf; UFM virtualisation on."
                : "If there is none, start one on a host or a managed switch (`systemctl start opensm`), or ask who "
                  "runs the fabric.");
}

static bool lacks_link(const struct port *port)
{
    return port->state == DOWN && port->link != LINK_UP;
}

/* Ports without a link. NCCL uses the others. */
static void without_link(struct orr_symptom_finder *f, const struct port *ports, uint32_t count)
{
    uint32_t down = 0, active = 0;
    const struct port *first = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const bool lost = lacks_link(&ports[i]);
        first = lost && !first ? &ports[i] : first;
        down += lost;
        active += ports[i].state == ACTIVE;
    }
    if (!first)
        return;
    ORR_SYMPTOM(f, "ports-without-link", active ? ORR_SYMPTOM_NOTE : ORR_SYMPTOM_CAUSE, first->line,
                .cause = orr_symptom_text(f,
                                          "RDMA ports without a link: %u of the %u shown, first that of %.40s (line "
                                          "%u). NCCL leaves out ports that are not active%s.",
                                          down, count, first->device, first->line,
                                          active ? "" : ", and uses TCP if no port is"),
                .check = orr_symptom_text(f, "Check: `mlxlink -d %.40s` names the reason; for RoCE also `ip link`.",
                                          first->device),
                .cure = "If the port is meant to be used, bring its interface up (`ip link set INTERFACE up`), and "
                        "check cable, transceiver and switch port.",
                .explains = active ? NULL : "ib-port-down");
}

/* Ports of different speeds or kinds, of which nothing chooses. */
static void unlike(struct orr_symptom_finder *f, const struct port *ports, uint32_t count)
{
    enum { NAMES_MOST = 200 };
    char names[NAMES_MOST];
    const struct port *fast = NULL, *slow = NULL;
    size_t length = 0;
    uint32_t fast_count = 0, slow_count = 0;
    if (orr_symptom_setting(f->log, "NCCL_IB_HCA", NULL) || orr_symptom_setting(f->log, "NCCL_IB_DISABLE", NULL) ||
        f->log->kinds[ORR_LOG_NIC_LIST])
        return;
    for (uint32_t i = 0; i < count; i++)
        if (ports[i].state == ACTIVE && ports[i].rate > 0 && (!fast || ports[i].rate > fast->rate))
            fast = &ports[i];
    for (uint32_t i = 0; fast && i < count; i++)
        fast_count += ports[i].state == ACTIVE && ports[i].rate == fast->rate && ports[i].layer == fast->layer;
    for (uint32_t i = 0; fast && i < count; i++) {
        const size_t size = strlen(ports[i].device);
        if (ports[i].state != ACTIVE || ports[i].rate <= 0 || 2 * ports[i].rate > fast->rate)
            continue;
        slow = slow ? slow : &ports[i];
        slow_count++;
        bool named = false;
        for (const struct port *before = ports; before < &ports[i]; before++)
            named |=
                before->state == ACTIVE && before->rate == ports[i].rate && !strcmp(before->device, ports[i].device);
        if (named || length + size + 2 > sizeof names)
            continue;
        if (length)
            names[length++] = ',';
        memcpy(names + length, ports[i].device, size + 1);
        length += size;
    }
    if (!slow || !length)
        return;
    if (fast->layer && slow->layer == fast->layer && fast_count > slow_count) {
        ORR_SYMPTOM(
            f, "port-rate", ORR_SYMPTOM_CAUSE, slow->line, .slows = true,
            .cause = orr_symptom_text(
                f,
                "The port of %.40s runs at %g Gb/s (line %u), and %u others at %g: NCCL spreads its data evenly "
                "over the NICs, so the slowest holds all of them back.",
                slow->device, slow->rate, slow->line, fast_count, fast->rate),
            .check = orr_symptom_text(f,
                                      "Check: `mlxlink -d %.40s` shows the enabled and the active speed and the "
                                      "cable; compare with an equal port.",
                                      slow->device),
            .cure = orr_symptom_text(f,
                                     "If the enabled speed is the lower one, too, correct it at the NIC or switch "
                                     "port. If it is not, replace cable or transceiver. If the port is meant for "
                                     "something else: NCCL_IB_HCA=^%s on every host.",
                                     names));
        return;
    }
    const bool asked = orr_symptom_said(f->log, "slow|low |lower|hang|fail|error|stuck|bandwidth|performance", true);
    ORR_SYMPTOM(
        f, "ports-unlike", asked && !orr_symptom_other_error(f->log, "") ? ORR_SYMPTOM_CAUSE : ORR_SYMPTOM_NOTE,
        slow->line,
        .cause = orr_symptom_text(f,
                                  "NCCL takes every active RDMA port unless told otherwise, and here %.40s (%g Gb/s%s, "
                                  "line %u) is slower than %.40s (%g Gb/s%s, line %u) and perhaps on another network.",
                                  slow->device, slow->rate, slow->layer == ETHERNET ? " Ethernet" : "", slow->line,
                                  fast->device, fast->rate, fast->layer == INFINIBAND ? " InfiniBand" : "", fast->line),
        .check = "Check: \"NET/IB : Using\" of NCCL_DEBUG=INFO lists the ports that a job takes.",
        .cure = orr_symptom_text(f, "If they are not meant for NCCL, leave them out on every host: NCCL_IB_HCA=^%s.",
                                 names));
}

static uint32_t find_ports(struct orr_symptom_finder *f, struct port **ret_ports)
{
    enum { PORTS_MOST = 256 };
    *ret_ports = f->log->kinds[ORR_LOG_PORT] ? ORR_NEW(f->arena, struct port, PORTS_MOST) : NULL;
    return *ret_ports ? list_ports(f->log, *ret_ports, PORTS_MOST) : 0;
}

bool orr_symptom_ports_idle(struct orr_symptom_finder *f)
{
    struct port *ports;
    const uint32_t count = find_ports(f, &ports);
    bool active = false, idle = false;
    for (uint32_t i = 0; i < count; i++) {
        active |= ports[i].state == ACTIVE;
        idle |= lacks_manager(&ports[i]) || lacks_link(&ports[i]);
    }
    return idle && !active;
}

/* Whether a list as in NCCL_IB_HCA, without ^ and =, selects a device. */
static bool selects(const char *list, bool exactly, const char *device)
{
    while (*list) {
        const size_t length = strcspn(list, ":,");
        if (length && !strncmp(list, device, length) && (!exactly || !device[length]))
            return true;
        list += strcspn(list, ",");
        list += *list == ',';
    }
    return false;
}

bool orr_symptom_names_no_port(struct orr_symptom_finder *f)
{
    uint32_t line = 0;
    const char *hca = orr_symptom_setting(f->log, "NCCL_IB_HCA", &line), *device, *text, *first = NULL;
    const struct orr_log_record *listed = NULL;
    if (!hca || *hca == '^' || !orr_log_event_of(f->log, "ib-none") || orr_symptom_nic_list(f->log, "IB"))
        return false;
    for (uint32_t i = 0; i < f->log->record_count && !orr_budget_spent(i % 64 == 0); i++) {
        enum orr_log_port_field field;
        if (!orr_log_port_of(&f->log->records[i], &field, &device, &text))
            continue;
        if (selects(hca + (*hca == '='), *hca == '=', device))
            return false;
        listed = listed ? listed : &f->log->records[i];
        first = first ? first : device;
    }
    if (!listed)
        return false;
    ORR_SYMPTOM(f, "hca-names-none", ORR_SYMPTOM_CAUSE, line, .slows = true,
                .cause = orr_symptom_text(f,
                                          "NCCL_IB_HCA=%.60s (line %u) names none of the RDMA devices that the text "
                                          "lists, such as %.40s (line %u), so NCCL uses none of them.",
                                          hca, line, first, listed->line),
                .check = "Check: `rdma link` lists the devices, \"NET/IB : Using\" those that NCCL takes.",
                .cure = "Set NCCL_IB_HCA to these names, or unset it: NCCL then takes all ports that are active. The "
                        "names changed if rdma-core now names devices after their place (rocep65s0f0) and not mlx5_0.");
    return true;
}

void orr_symptoms_of_ports(struct orr_symptom_finder *f)
{
    struct port *ports;
    const uint32_t count = find_ports(f, &ports);
    for (uint32_t i = 0; i < count; i++)
        if (lacks_manager(&ports[i])) {
            not_active(f, &ports[i]);
            break;
        }
    without_link(f, ports, count);
    unlike(f, ports, count);
}
