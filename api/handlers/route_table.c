/* The routes, one row each. */
#include "api/handlers/handlers.h"

#define P       ORR_P
#define OPEN    ORR_ACCESS_OPEN
#define PROBE   ORR_ACCESS_PROBE
#define METRICS ORR_ACCESS_METRICS
#define READ    ORR_ACCESS_READ
#define WRITE   ORR_ACCESS_WRITE
enum {
    TOPOLOGY = ORR_ROUTE_TOPOLOGY,
    DUMP = ORR_ROUTE_DUMP,
    CACHED = ORR_ROUTE_CACHED,
    HEAVY = ORR_ROUTE_HEAVY,
    STORE = ORR_ROUTE_STORE,
    CLUSTER = ORR_ROUTE_CLUSTER
};

static const struct orr_route rows[] = {
    /* asked most, so found first */
    {"GET", "/v1/topologies/{}/analysis", orr_handle_analysis, READ, TOPOLOGY | CACHED | HEAVY, ORR_P_ANALYSIS,
     "/v1/topologies/{id}/analysis"},
    {"GET", "/v1/topologies/{}/analysis/diff", orr_handle_diff, READ, TOPOLOGY | CACHED | HEAVY,
     ORR_P_ANALYSIS | P(AGAINST), "/v1/topologies/{id}/analysis/diff"},
    {"GET", "/v1/topologies/{}/analysis/{}", orr_handle_section, READ, TOPOLOGY | CACHED | HEAVY, ORR_P_ANALYSIS,
     "/v1/topologies/{id}/analysis/{section}"},
    {"POST", "/v1/topologies", orr_handle_upload, WRITE, DUMP | STORE | HEAVY, ORR_P_RECORD | P(STRICT) | P(MACHINE),
     NULL},
    {"GET", "/v1/topologies", orr_handle_list, READ, STORE, ORR_P_PAGE | P(SEARCH) | P(WITH_LABEL), NULL},
    {"GET", "/v1/topologies/{}", orr_handle_topology, READ, TOPOLOGY | STORE, 0, "/v1/topologies/{id}"},
    {"PATCH", "/v1/topologies/{}", orr_handle_patch, WRITE, TOPOLOGY | STORE, 0, "/v1/topologies/{id}"},
    {"DELETE", "/v1/topologies/{}", orr_handle_delete, WRITE, TOPOLOGY | STORE, 0, "/v1/topologies/{id}"},
    {"GET", "/v1/topologies/{}/source", orr_handle_source, READ, TOPOLOGY | STORE, 0, "/v1/topologies/{id}/source"},
    {"GET", "/v1/topologies/{}/xml", orr_handle_convert, READ, TOPOLOGY | STORE | HEAVY, ORR_P_READING | ORR_P_RELEASE,
     "/v1/topologies/{id}/xml"},
    {"GET", "/v1/topologies/{}/vm-file", orr_handle_vm_file, READ, TOPOLOGY | STORE | HEAVY, ORR_P_VM,
     "/v1/topologies/{id}/vm-file"},
    {"GET", "/v1/topologies/{}/anonymised", orr_handle_anonymise, READ, TOPOLOGY | STORE | HEAVY, 0,
     "/v1/topologies/{id}/anonymised"},
    {"GET", "/v1/topologies/{}/path", orr_handle_path, READ, TOPOLOGY | CACHED | HEAVY,
     ORR_P_ANALYSIS | P(FROM) | P(TO), "/v1/topologies/{id}/path"},
    {"GET", "/v1/topologies/{}/explain", orr_handle_explain, READ, TOPOLOGY | CACHED | HEAVY,
     ORR_P_ANALYSIS | ORR_P_WHY, "/v1/topologies/{id}/explain"},
    {"GET", "/v1/topologies/{}/predict", orr_handle_predict, READ, TOPOLOGY | CACHED | HEAVY, ORR_P_PREDICT,
     "/v1/topologies/{id}/predict"},
    {"GET", "/v1/topologies/{}/place", orr_handle_place, READ, TOPOLOGY | CACHED | HEAVY, ORR_P_PLACE,
     "/v1/topologies/{id}/place"},
    {"GET", "/v1/topologies/{}/facts", orr_handle_topology_facts, READ, TOPOLOGY | CACHED | HEAVY,
     ORR_P_CLUSTER | ORR_P_READING | P(FACTS), "/v1/topologies/{id}/facts"},
    {"GET", "/v1/topologies/{}/findings", orr_handle_findings, READ, TOPOLOGY | CACHED | STORE | HEAVY,
     ORR_P_READING | ORR_P_RELEASE, "/v1/topologies/{id}/findings"},
    {"GET", "/v1/topologies/{}/diagram.{}", orr_handle_diagram, READ, TOPOLOGY | CACHED | HEAVY,
     ORR_P_ANALYSIS | ORR_P_DRAWING, "/v1/topologies/{id}/diagram.{format}"},
    {"GET", "/v1/topologies/{}/diagram", orr_handle_render, READ, TOPOLOGY | HEAVY,
     ORR_P_ANALYSIS | ORR_P_DRAWING | P(FORMAT), "/v1/topologies/{id}/diagram"},
    {"POST", "/v1/topologies/{}/perf", orr_handle_topology_perf, READ, TOPOLOGY | HEAVY | STORE, ORR_P_PERF,
     "/v1/topologies/{id}/perf"},
    {"POST", "/v1/topologies/{}/log", orr_handle_topology_log, READ, TOPOLOGY | HEAVY | STORE, ORR_P_LOG,
     "/v1/topologies/{id}/log"},
    {"POST", "/v1/clusters", orr_handle_cluster_put, WRITE, STORE | HEAVY, 0, NULL},
    {"GET", "/v1/clusters", orr_handle_cluster_list, READ, STORE, ORR_P_PAGE, NULL},
    {"GET", "/v1/clusters/{}", orr_handle_cluster, READ, CLUSTER | STORE, 0, "/v1/clusters/{id}"},
    {"DELETE", "/v1/clusters/{}", orr_handle_cluster_delete, WRITE, CLUSTER | STORE, 0, "/v1/clusters/{id}"},
    {"GET", "/v1/clusters/{}/analysis", orr_handle_analysis, READ, CLUSTER | CACHED | HEAVY, ORR_P_CLUSTER,
     "/v1/clusters/{id}/analysis"},
    {"GET", "/v1/clusters/{}/analysis/diff", orr_handle_diff, READ, CLUSTER | CACHED | HEAVY,
     ORR_P_CLUSTER | P(AGAINST), "/v1/clusters/{id}/analysis/diff"},
    {"GET", "/v1/clusters/{}/analysis/{}", orr_handle_section, READ, CLUSTER | CACHED | HEAVY, ORR_P_CLUSTER,
     "/v1/clusters/{id}/analysis/{section}"},
    {"GET", "/v1/clusters/{}/explain", orr_handle_explain, READ, CLUSTER | CACHED | HEAVY, ORR_P_CLUSTER | ORR_P_WHY,
     "/v1/clusters/{id}/explain"},
    {"GET", "/v1/clusters/{}/predict", orr_handle_predict, READ, CLUSTER | CACHED | HEAVY,
     ORR_P_CLUSTER | P(PREDICTED) | P(SIZES), "/v1/clusters/{id}/predict"},
    {"GET", "/v1/clusters/{}/findings", orr_handle_cluster_findings, READ, CLUSTER | CACHED | HEAVY, ORR_P_CLUSTER,
     "/v1/clusters/{id}/findings"},
    {"GET", "/v1/topologies/{}/channels", orr_handle_channels, READ, TOPOLOGY | HEAVY, ORR_P_PLAN,
     "/v1/topologies/{id}/channels"},
    {"GET", "/v1/clusters/{}/groups", orr_handle_groups, READ, CLUSTER | CACHED | HEAVY, ORR_P_CLUSTER | P(LAYOUT),
     "/v1/clusters/{id}/groups"},
    {"GET", "/v1/clusters/{}/facts", orr_handle_cluster_facts, READ, CLUSTER | STORE | HEAVY, P(FACTS),
     "/v1/clusters/{id}/facts"},
    {"GET", "/v1/clusters/{}/order", orr_handle_order, READ, CLUSTER | STORE | HEAVY, ORR_P_CLUSTER | ORR_P_ORDER,
     "/v1/clusters/{id}/order"},
    {"GET", "/v1/clusters/{}/channels", orr_handle_channels, READ, CLUSTER | HEAVY, ORR_P_CLUSTER,
     "/v1/clusters/{id}/channels"},
    {"GET", "/v1/topologies/{}/p2p", orr_handle_p2p, READ, TOPOLOGY | HEAVY, ORR_P_PLAN | ORR_P_SCHEDULE,
     "/v1/topologies/{id}/p2p"},
    {"GET", "/v1/clusters/{}/p2p", orr_handle_p2p, READ, CLUSTER | HEAVY,
     ORR_P_CLUSTER | ORR_P_SCHEDULE | P(LAYOUT) | P(GROUP), "/v1/clusters/{id}/p2p"},
    {"GET", "/v1/clusters/{}/diagram.{}", orr_handle_diagram, READ, CLUSTER | CACHED | HEAVY,
     ORR_P_CLUSTER | ORR_P_DRAWING, "/v1/clusters/{id}/diagram.{format}"},
    {"GET", "/v1/hosts", orr_handle_hosts, READ, STORE, ORR_P_PAGE, NULL},
    {"GET", "/v1/hosts/{}/uploads", orr_handle_history, READ, STORE, ORR_P_PAGE, "/v1/hosts/{host}/uploads"},
    {"POST", "/v1/detect", orr_handle_detect, WRITE, HEAVY | STORE, ORR_P_RELEASE | ORR_P_RECORD, NULL},
    {"GET", "/v1/compare", orr_handle_compare, READ, HEAVY | STORE,
     ORR_P_ANALYSIS | P(A) | P(B) | P(MACHINE) | P(TOPOLOGY) | P(WITH_LABEL) | P(SEARCH), NULL},
    {"POST", "/v1/analyze", orr_handle_analysis, READ, DUMP | CACHED | HEAVY, ORR_P_ANALYSIS | P(MACHINE) | P(SECTION),
     NULL},
    {"POST", "/v1/diff", orr_handle_diff, READ, DUMP | CACHED | HEAVY, ORR_P_ANALYSIS | P(MACHINE) | P(AGAINST), NULL},
    {"POST", "/v1/explain", orr_handle_explain, READ, DUMP | CACHED | HEAVY, ORR_P_ANALYSIS | P(MACHINE) | ORR_P_WHY,
     NULL},
    {"POST", "/v1/predict", orr_handle_predict, READ, DUMP | CACHED | HEAVY, ORR_P_PREDICT | P(MACHINE), NULL},
    {"POST", "/v1/place", orr_handle_place, READ, DUMP | CACHED | HEAVY, ORR_P_PLACE | P(MACHINE), NULL},
    {"POST", "/v1/render", orr_handle_render, READ, DUMP | HEAVY,
     ORR_P_ANALYSIS | P(MACHINE) | ORR_P_DRAWING | P(FORMAT), NULL},
    {"POST", "/v1/convert", orr_handle_convert, READ, DUMP | HEAVY, ORR_P_READING | P(MACHINE) | ORR_P_RELEASE, NULL},
    {"GET", "/v1/facts", orr_handle_fleet_facts, READ, STORE | HEAVY, P(FACTS) | P(WITH_LABEL), NULL},
    {"POST", "/v1/findings", orr_handle_findings, READ, DUMP | CACHED | HEAVY,
     ORR_P_READING | P(MACHINE) | ORR_P_RELEASE, NULL},
    {"POST", "/v1/path", orr_handle_path, READ, DUMP | CACHED | HEAVY, ORR_P_ANALYSIS | P(MACHINE) | P(FROM) | P(TO),
     NULL},
    {"POST", "/v1/channels", orr_handle_channels, READ, DUMP | HEAVY, ORR_P_PLAN | P(MACHINE), NULL},
    {"POST", "/v1/p2p", orr_handle_p2p, READ, DUMP | HEAVY, ORR_P_PLAN | P(MACHINE) | ORR_P_SCHEDULE, NULL},
    {"POST", "/v1/vm-file", orr_handle_vm_file, READ, DUMP | HEAVY, ORR_P_VM | P(MACHINE), NULL},
    {"POST", "/v1/anonymise", orr_handle_anonymise, READ, DUMP | HEAVY, 0, NULL},
    {"GET", "/v1/inputs", orr_handle_inputs, READ, 0, 0, NULL},
    {"GET", "/v1/machines", orr_handle_machines, READ, 0, 0, NULL},
    {"POST", "/v1/gate", orr_handle_gate, READ, HEAVY | STORE, ORR_P_GATE | P(MACHINE), NULL},
    {"POST", "/v1/check-perf", orr_handle_perf, READ, HEAVY, ORR_P_PERF | P(MACHINE), NULL},
    {"POST", "/v1/check-log", orr_handle_log, READ, HEAVY, ORR_P_LOG | P(MACHINE), NULL},
    {"GET", "/v1/releases", orr_handle_releases, READ, 0, 0, NULL},
    {"GET", "/v1/settings", orr_handle_settings, READ, 0, ORR_P_RELEASE, NULL},
    {"GET", "/v1/examples", orr_handle_examples, READ, 0, 0, NULL},
    {"GET", "/openapi.yaml", orr_handle_openapi, OPEN, 0, 0, NULL},
    {"GET", "/problems/{}", orr_handle_problem_type, OPEN, 0, 0, "/problems/{type}"},
    {"GET", "/healthz", orr_handle_health, PROBE, 0, 0, NULL},
    {"GET", "/readyz", orr_handle_ready, PROBE, STORE, 0, NULL},
    {"GET", "/metrics", orr_handle_metrics, METRICS, 0, 0, NULL},
    {"GET", "/version", orr_handle_version, OPEN, 0, 0, NULL},
    {"GET", "/*", orr_handle_static, OPEN, 0, 0, "/{file}"},
};
#undef P
#undef OPEN
#undef PROBE
#undef METRICS
#undef READ
#undef WRITE

const struct orr_route *orr_route_table(unsigned *ret_count)
{
    *ret_count = sizeof rows / sizeof rows[0];
    return rows;
}
