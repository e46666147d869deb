/* SPDX-License-Identifier: Apache-2.0 */
/* The section "cluster": hosts, kinds, alignment, traffic. */
#include "api/documents/sections.h"
#include "engine/cluster/standing.h"
#include "engine/cluster/traffic.h"
#include "engine/release/cpu.h"

static json_t *field_json(struct orr_json *json, enum orr_graph_field field, double value)
{
    if (field == ORR_FIELD_TYPE_INTRA || field == ORR_FIELD_TYPE_INTER)
        return orr_json_text(json, orr_path_type_name((enum orr_path_type)value));
    return orr_json_number(json, value);
}

/* Writes in which respects a kind's own graphs are worse than those of the fastest kind. */
static json_t *behind_json(struct orr_json *json, const struct orr_cluster *c, uint32_t k)
{
    struct orr_reason reasons[ORR_MOST_REASONS];
    uint32_t count = orr_kind_reasons(c, k, orr_kind_fastest(c), reasons);
    json_t *rows = orr_json_array(json);
    for (uint32_t i = 0; i < count; i++) {
        orr_json_add(json, rows,
                     ORR_OBJECT(json, ORR_STRING("graph", orr_graph_name(c->settings.release, reasons[i].graph)),
                                ORR_STRING("field", orr_graph_field_name(reasons[i].field)),
                                ORR_VALUE("value", field_json(json, reasons[i].field, reasons[i].own)),
                                ORR_VALUE("best", field_json(json, reasons[i].field, reasons[i].best))));
    }
    return rows;
}

/* A number that a host belongs to. */
typedef uint32_t belongs_to(const struct orr_cluster *c, uint32_t host);

static uint32_t kind_of_host(const struct orr_cluster *c, uint32_t host)
{
    return c->systems[c->hosts[host].system].kind;
}

static uint32_t clique_of_host(const struct orr_cluster *c, uint32_t host)
{
    return c->fabrics.clique_of_line[c->hosts[host].line];
}

/* The hosts that belong to `which`, as ranges of numbers; the hosts of a line usually belong together, so ranges are
 * few. */
static json_t *host_ranges_json(struct orr_json *json, const struct orr_cluster *c, belongs_to *belongs, uint32_t which)
{
    json_t *ranges = orr_json_array(json);
    for (uint32_t h = 0; h < c->host_count; h++) {
        if (belongs(c, h) != which)
            continue;
        uint32_t last = h;
        while (last + 1 < c->host_count && belongs(c, last + 1) == which)
            last++;
        json_t *range = orr_json_array(json);
        orr_json_add(json, range, orr_json_int(json, h));
        orr_json_add(json, range, orr_json_int(json, last));
        orr_json_add(json, ranges, range);
        h = last;
    }
    return ranges;
}

static json_t *kind_json(struct orr_json *json, const struct orr_cluster *c, uint32_t k)
{
    const struct orr_cluster_kind *kind = &c->kinds[k];
    return ORR_OBJECT(json, ORR_INT("line", kind->line), ORR_VALUE("hosts", host_ranges_json(json, c, kind_of_host, k)),
                      ORR_INT("host_count", kind->host_count), ORR_INT("systems", kind->system_count),
                      ORR_INT("ranks", kind->analysis->local_ranks), ORR_INT("nodes", kind->analysis->part_count),
                      ORR_INT("channels", orr_kind_channels(kind)), ORR_NUMBER("ring_bw", orr_kind_ring_bw(c, kind)),
                      ORR_BOOL("odd", orr_kind_odd(c, k)), ORR_VALUE("behind", behind_json(json, c, k)),
                      ORR_VALUE("machine", orr_machine_json(json, kind->analysis->dump)));
}

/* Reads the values of a field for each kind; true if they differ. A kind that does not ask for the graph has no channel
 * of it, and then nothing else of the graph is worth comparing. */
static bool kinds_differ(const struct orr_cluster *c, enum orr_graph_kind graph, enum orr_graph_field field,
                         double *values)
{
    bool differ = false;
    for (uint32_t k = 0; k < c->kind_count; k++) {
        if (!orr_kind_field(&c->kinds[k], graph, field, &values[k])) {
            if (field != ORR_FIELD_CHANNELS)
                return false;
            values[k] = 0; /* a part of it may have some */
        }
        differ |= values[k] < values[0] || values[k] > values[0];
    }
    return differ;
}

static void add_row(struct orr_json *json, json_t *rows, const char *of, const char *field, json_t *value,
                    json_t *values, json_t *setters)
{
    orr_json_add(json, rows,
                 ORR_OBJECT(json, ORR_STRING("graph", of), ORR_STRING("field", field), ORR_VALUE("value", value),
                            ORR_VALUE("values", values), ORR_VALUE("set_by", setters)));
}

static void add_graph_rows(struct orr_json *json, const struct orr_cluster *c, enum orr_graph_kind graph, json_t *rows)
{
    double own[ORR_MAX_CLUSTER_KINDS];
    for (int field = 0; field < ORR_FIELD_COUNT; field++) {
        if (!orr_field_is_shared(c->settings.release, graph, field) || !kinds_differ(c, graph, field, own))
            continue;
        json_t *values = orr_json_array(json), *setters = orr_json_array(json);
        for (uint32_t k = 0; k < c->kind_count; k++) {
            orr_json_add(json, values, field_json(json, field, own[k]));
            if (orr_kind_sets(c, &c->kinds[k], graph, field))
                orr_json_add(json, setters, orr_json_int(json, k));
        }
        add_row(json, rows, orr_graph_name(c->settings.release, graph), orr_graph_field_name(field),
                field_json(json, field, orr_aligned_field(c, graph, field)), values, setters);
    }
}

static json_t *machine_field_json(struct orr_json *json, enum orr_machine_field field, int32_t value)
{
    static const char *const archs[] = {"unknown", "x86_64", "ppc64", "arm64", "mixed"};
    static const char *const vendors[] = {"unknown", "Intel", "AMD", "Zhaoxin", "mixed"};
    if (field != ORR_MACHINE_CPU_ARCH && field != ORR_MACHINE_CPU_VENDOR)
        return orr_json_int(json, value);
    uint32_t name = value < 0 || value > ORR_ARCH_MIXED ? 0 : (uint32_t)value;
    return orr_json_text(json, field == ORR_MACHINE_CPU_ARCH ? archs[name] : vendors[name]);
}

static void add_machine_rows(struct orr_json *json, const struct orr_cluster *c, json_t *rows)
{
    for (int field = 0; field < ORR_MACHINE_FIELD_COUNT; field++) {
        bool differ = false;
        for (uint32_t k = 1; k < c->kind_count; k++)
            differ |= orr_kind_machine(&c->kinds[k], field) != orr_kind_machine(&c->kinds[0], field);
        if (!differ || !orr_machine_is_shared(c->settings.release, field))
            continue;
        json_t *values = orr_json_array(json), *setters = orr_json_array(json);
        for (uint32_t k = 0; k < c->kind_count; k++) {
            orr_json_add(json, values, machine_field_json(json, field, orr_kind_machine(&c->kinds[k], field)));
            if (orr_kind_sets_machine(c, k, field))
                orr_json_add(json, setters, orr_json_int(json, k));
        }
        add_row(json, rows, "machine", orr_machine_field_name(field),
                machine_field_json(json, field, orr_shared_machine(c, field)), values, setters);
    }
}

/* Writes the fields in which kinds differ, with each kind's value, and the kinds whose value the communicator uses. */
static json_t *alignment_json(struct orr_json *json, const struct orr_cluster *c)
{
    json_t *rows = orr_json_array(json);
    for (int graph = 0; graph < ORR_GRAPH_COUNT; graph++)
        add_graph_rows(json, c, graph, rows);
    add_machine_rows(json, c, rows);
    return rows;
}

static json_t *nic_json(struct orr_json *json, const struct orr_cluster *c, const struct orr_nic_load *load)
{
    const struct orr_system *system = &c->kinds[load->kind].analysis->parts[load->part].system;
    return ORR_OBJECT(json, ORR_INT("kind", load->kind), ORR_VALUE("net", orr_json_node_of(json, system, load->node)),
                      ORR_INT("rail", load->rail), ORR_NUMBER("channels_in", load->in),
                      ORR_NUMBER("channels_out", load->out), ORR_NUMBER("crossing", load->crossing),
                      ORR_NUMBER("bw", load->bw), ORR_NUMBER("port_bw", (double)system->nodes[load->node].net.bw));
}

static json_t *ring_link_json(struct orr_json *json, const struct orr_cluster *c, const struct orr_ring_link *load)
{
    const struct orr_system *system = &c->kinds[load->kind].analysis->parts[load->part].system;
    const struct orr_link *link = &system->links[load->link];
    return ORR_OBJECT(json, ORR_INT("kind", load->kind), ORR_VALUE("from", orr_json_node_of(json, system, link->from)),
                      ORR_VALUE("to", orr_json_node_of(json, system, link->to)),
                      ORR_STRING("type", orr_link_type_name(link->type)), ORR_NUMBER("bw", load->bw),
                      ORR_NUMBER("link_bw", (double)link->bw));
}

static double share_of_port(const struct orr_cluster *c, const struct orr_nic_load *load)
{
    double port = (double)c->kinds[load->kind].analysis->parts[load->part].system.nodes[load->node].net.bw;
    return port > 0 ? load->bw / port : 0;
}

/* The fullest NIC, and the fullest link of each kind. */
static json_t *fullest_json(struct orr_json *json, const struct orr_cluster *c, const struct orr_traffic *traffic)
{
    json_t *links = orr_json_array(json);
    const struct orr_nic_load *nic = NULL;
    for (uint32_t i = 0; i < traffic->nic_count; i++)
        if (traffic->nics[i].bw > 0 && (!nic || share_of_port(c, &traffic->nics[i]) > share_of_port(c, nic)))
            nic = &traffic->nics[i];
    for (int type = 0; type < ORR_LINK_TYPE_COUNT; type++) {
        const struct orr_ring_link *most = NULL;
        double share = 0;
        for (uint32_t i = 0; i < traffic->link_count; i++) {
            const struct orr_ring_link *load = &traffic->links[i];
            const struct orr_link *link = &c->kinds[load->kind].analysis->parts[load->part].system.links[load->link];
            if ((int)link->type != type || link->bw <= 0 || link->bw >= ORR_LOC_BW ||
                load->bw / (double)link->bw <= share)
                continue;
            most = load;
            share = load->bw / (double)link->bw;
        }
        if (most)
            orr_json_add(json, links, ring_link_json(json, c, most));
    }
    return ORR_OBJECT(json, ORR_VALUE("nic", nic ? nic_json(json, c, nic) : json_null()), ORR_VALUE("links", links));
}

/* Rails on which some kinds have NICs and others do not: [[kind, rail]...]. */
static json_t *missing_rails_json(struct orr_json *json, const struct orr_cluster *c, const struct orr_traffic *traffic)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t i = 0; i < traffic->nic_count; i++) {
        int32_t rail = traffic->nics[i].rail;
        bool again = false;
        for (uint32_t e = 0; e < i; e++)
            again |= traffic->nics[e].rail == rail;
        bool there[ORR_MAX_CLUSTER_KINDS] = {false};
        for (uint32_t e = i; e < traffic->nic_count && !again; e++)
            there[traffic->nics[e].kind] |= traffic->nics[e].rail == rail;
        for (uint32_t k = 0; k < c->kind_count && !again; k++) {
            if (there[k])
                continue;
            json_t *pair = orr_json_array(json);
            orr_json_add(json, pair, orr_json_int(json, k));
            orr_json_add(json, pair, orr_json_int(json, rail));
            orr_json_add(json, rows, pair);
        }
    }
    return rows;
}

/* NVLink domains over hosts: whether NCCL uses them, and which hosts form which clique. */
static json_t *mnnvl_json(struct orr_json *json, const struct orr_cluster *c)
{
    const struct orr_fabrics *f = &c->fabrics;
    json_t *cliques = orr_json_array(json);
    bool unfit = f->rule == ORR_MNNVL_RULE_NOT_COMPLETED || f->rule == ORR_MNNVL_RULE_NO_UUID;
    for (uint32_t q = 0; q < f->clique_count && f->rule != ORR_MNNVL_RULE_NOT_STATED; q++) {
        char uuid[ORR_UUID_SIZE];
        const struct orr_clique *clique = &f->cliques[q];
        const char *domain = c->lines[clique->line].domain;
        orr_json_add(json, cliques,
                     ORR_OBJECT(json, ORR_STRING("domain", domain),
                                ORR_STRING("uuid", orr_uuid_format(clique->fabric.uuid, uuid)),
                                ORR_INT("clique", clique->fabric.clique),
                                ORR_VALUE("hosts", host_ranges_json(json, c, clique_of_host, q)),
                                ORR_INT("host_count", clique->host_count), ORR_INT("ranks", clique->rank_count),
                                ORR_WHEN(clique->fabric.health, ORR_INT("health", clique->fabric.health))));
    }
    return ORR_OBJECT(json, ORR_STRING("rule", orr_mnnvl_rule_name(f->rule)),
                      ORR_STRING("text", orr_mnnvl_rule_text(f->rule)),
                      ORR_VALUE("line", unfit ? orr_json_int(json, f->line) : json_null()),
                      ORR_BOOL("crosses_cliques", f->crosses_cliques), ORR_VALUE("cliques", cliques));
}

static json_t *slowest_json(struct orr_json *json, const struct orr_cluster *c)
{
    json_t *kinds = orr_json_array(json);
    for (uint32_t k = 0; k < c->kind_count; k++)
        if (orr_kind_slowest(c, k))
            orr_json_add(json, kinds, orr_json_int(json, k));
    return kinds;
}

static void set_traffic(struct orr_json *json, json_t *object, const struct orr_cluster *c)
{
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_traffic traffic;
    if (!arena || orr_ring_traffic(c, arena, &traffic, NULL) != ORR_OK) {
        json->failed = true;
        return;
    }
    json_t *rails = orr_json_object(json), *nics = orr_json_array(json), *links = orr_json_array(json);
    for (uint32_t i = 0; i < traffic.nic_count; i++)
        orr_json_add(json, nics, nic_json(json, c, &traffic.nics[i]));
    for (uint32_t i = 0; i < traffic.link_count; i++)
        orr_json_add(json, links, ring_link_json(json, c, &traffic.links[i]));
    ORR_SET(json, rails, ORR_INT("hops", (int64_t)traffic.hops), ORR_INT("crossing", (int64_t)traffic.crossing),
            ORR_VALUE("missing", missing_rails_json(json, c, &traffic)));
    ORR_SET(json, object, ORR_VALUE("rails", rails), ORR_VALUE("nics", nics), ORR_VALUE("links", links),
            ORR_VALUE("fullest", fullest_json(json, c, &traffic)));
}

json_t *orr_cluster_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    const struct orr_cluster *c = analysis->cluster;
    if (!c)
        return json_null();
    json_t *object = orr_json_object(json), *kinds = orr_json_array(json), *host_ranks = orr_json_array(json);
    for (uint32_t k = 0; k < c->kind_count; k++)
        orr_json_add(json, kinds, kind_json(json, c, k));
    for (uint32_t h = 0; h < c->host_count; h++)
        orr_json_add(json, host_ranks, orr_json_int(json, c->hosts[h].rank_count));
    ORR_SET(json, object, ORR_INT("hosts", c->host_count), ORR_INT("systems", c->system_count),
            ORR_INT("nodes", c->member_count), ORR_STRING("order", orr_rank_order_name(c->order)),
            ORR_VALUE("host_ranks", host_ranks), ORR_VALUE("kinds", kinds), ORR_VALUE("mnnvl", mnnvl_json(json, c)),
            ORR_VALUE("alignment", alignment_json(json, c)), ORR_VALUE("slowest", slowest_json(json, c)));
    set_traffic(json, object, c);
    return object;
}
