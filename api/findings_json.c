/* What the reader noticed in a dump. The shape is ready for the catalogue of findings: a row each with severity, what,
 * where, why it matters and what to do. */
#include "api/sections.h"

enum severity { SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_INFO, SEVERITY_COUNT };
static const char *const severity_names[SEVERITY_COUNT] = {"error", "warning", "info"};

struct finding {
    enum severity severity;
    const char *id, *title, *why, *advice;
    char detail[256];
    uint32_t line, column; /* 0: no place in the file */
};
enum { MOST_FINDINGS = 8 };

static uint32_t count_gpus(const struct orr_dump *dump, bool with_rank)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < dump->element_count; i++)
        if (dump->elements[i].kind == ORR_ELEMENT_GPU)
            count += !with_rank || orr_element_text(dump, i, ORR_ATTR_RANK);
    return count;
}

static int find(const struct orr_dump *dump, struct finding findings[MOST_FINDINGS])
{
    int count = 0;
    uint32_t gpus = count_gpus(dump, false), ranked = count_gpus(dump, true);
    if (!ranked) {
        struct finding *finding = &findings[count++];
        *finding = (struct finding){
            .severity = SEVERITY_ERROR,
            .id = gpus ? "no-ranked-gpu" : "no-gpu",
            .title = gpus ? "No GPU of the file has a rank" : "The file holds no GPUs",
            .why = "NCCL computes paths, rings and trees between the GPUs that take part; there is nothing to analyse.",
            .advice =
                "Topology files of cloud providers describe the PCIe tree only. Run a job with NCCL_TOPO_FILE set "
                "to this file and NCCL_TOPO_DUMP_FILE=/tmp/topo.xml, and send the dump.",
        };
        snprintf(finding->detail, sizeof finding->detail, "%u gpu elements, none with a rank attribute", gpus);
    } else if (ranked < gpus) {
        struct finding *finding = &findings[count++];
        *finding = (struct finding){
            .severity = SEVERITY_INFO,
            .id = "unranked-gpus",
            .title = "Some GPUs take no part",
            .why = "GPUs without a rank are not in the communicator; NCCL leaves them out.",
            .advice = "Expected where a job used some of the GPUs only (CUDA_VISIBLE_DEVICES, a container).",
        };
        snprintf(finding->detail, sizeof finding->detail, "%u of %u gpu elements have no rank", gpus - ranked, gpus);
    }
    if (dump->refusal.line) {
        struct finding *finding = &findings[count++];
        *finding = (struct finding){
            .severity = SEVERITY_WARNING,
            .id = "nccl-refuses-file",
            .title = "NCCL's own reader would refuse this file",
            .why = "NCCL reads topology files with a small reader of its own that knows less than XML allows. The "
                   "analysis holds for the machine, but NCCL_TOPO_FILE with this file would fail.",
            .advice = "Mend the named line, or let NCCL write the file (NCCL_TOPO_DUMP_FILE).",
            .line = dump->refusal.line,
            .column = dump->refusal.column,
        };
        snprintf(finding->detail, sizeof finding->detail, "%s", dump->refusal.text);
    }
    if (dump->ignored_count) {
        struct finding *finding = &findings[count++];
        *finding = (struct finding){
            .severity = SEVERITY_INFO,
            .id = "ignored-elements",
            .title = "Elements at places where NCCL does not look",
            .why = "They and what is inside them change nothing.",
            .advice = "Check that they were not put there in the hope of an effect.",
            .line = dump->ignored_line,
        };
        snprintf(finding->detail, sizeof finding->detail, "%u elements, the first is <%s>", dump->ignored_count,
                 dump->ignored_name);
    }
    return count;
}

static json_t *counts_json(struct orr_json *json, const struct finding *findings, int count)
{
    json_t *counts = orr_json_object(json);
    for (int severity = 0; severity < SEVERITY_COUNT; severity++) {
        int matching = 0;
        for (int i = 0; i < count; i++)
            matching += findings[i].severity == (enum severity)severity;
        orr_json_set(json, counts, severity_names[severity], orr_json_int(json, matching));
    }
    return counts;
}

json_t *orr_finding_counts_json(struct orr_json *json, const struct orr_dump *dump)
{
    struct finding findings[MOST_FINDINGS];
    return counts_json(json, findings, find(dump, findings));
}

json_t *orr_findings_json(struct orr_json *json, const struct orr_dump *dump)
{
    struct finding findings[MOST_FINDINGS];
    int count = find(dump, findings);
    json_t *rows = orr_json_array(json);
    for (int i = 0; i < count; i++) {
        const struct finding *finding = &findings[i];
        json_t *row = orr_json_object(json);
        orr_json_set(json, row, "id", orr_json_text(json, finding->id));
        orr_json_set(json, row, "severity", orr_json_text(json, severity_names[finding->severity]));
        orr_json_set(json, row, "title", orr_json_text(json, finding->title));
        orr_json_set(json, row, "detail", orr_json_text(json, finding->detail));
        if (finding->line) {
            json_t *where = orr_json_object(json);
            orr_json_set(json, where, "line", orr_json_int(json, finding->line));
            if (finding->column)
                orr_json_set(json, where, "column", orr_json_int(json, finding->column));
            orr_json_set(json, row, "where", where);
        }
        orr_json_set(json, row, "why", orr_json_text(json, finding->why));
        orr_json_set(json, row, "advice", orr_json_text(json, finding->advice));
        orr_json_add(json, rows, row);
    }
    return rows;
}
