/* SPDX-License-Identifier: Apache-2.0 */
/* The tuning model's figures, and the document that users get. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/documents/documents.h"
#include "api/documents/sections.h"
#include "engine/release/release.h"
#include "tests/property/checks.h"

/* Exceptions, of latencies: NCCL believes a latency="" of a NIC whatever it is, and adds it to the steps over the
 * network. And where every rank is a node of its own, it counts two more steps over the network than an AllReduce ring
 * has steps: minus two remain inside, which a large NCCL_NET_OVERHEAD turns into a negative sum. */
static bool has_sane_latencies(const struct orr_analysis *a)
{
    for (uint32_t n = a->built.first[ORR_NET]; n < a->built.first[ORR_NET + 1]; n++)
        if (!isfinite(a->built.nodes[n].net.latency) || a->built.nodes[n].net.latency < 0)
            return false;
    bool given = orr_setting_int(&a->query.settings, ORR_SET_NET_OVERHEAD) != ORR_SETTING_UNSET;
    return !given || a->communicator.node_count < a->communicator.rank_count;
}

static bool check_figures(const struct orr_analysis *a, int function, uint32_t algorithm, int protocol, bool sane,
                          struct orr_error *err)
{
    const struct orr_tuning *tuning = &a->tuning;
    float bw = tuning->bandwidth[function][algorithm][protocol];
    float latency = tuning->latency[function][algorithm][protocol];
    bool good = isfinite(bw) && bw >= 0 && (!sane || (isfinite(latency) && latency >= 0));
    if (good)
        return true;
    return WRONG(err, "%s %s %s: %g GB/s, %g us", orr_function_name((enum orr_function)function),
                 orr_algorithm_name(a->query.settings.release, (enum orr_algorithm)algorithm),
                 orr_protocol_name((enum orr_protocol)protocol), (double)bw, (double)latency);
}

/* No choice at all is an answer too, where settings leave nothing. */
static bool check_choices(const struct orr_analysis *a, int function, struct tally *tally, struct orr_error *err)
{
    static const uint64_t sizes[] = {1, 4096, 1 << 20, UINT64_C(1) << 34};
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct orr_choice choice;
        if (!orr_tuning_choose(&a->tuning, &a->communicator, &a->query.settings, (enum orr_function)function, sizes[i],
                               &choice))
            continue;
        tally->choices++;
        if (!isfinite(choice.time) || choice.time < 0 || !isfinite(choice.alg_bw) || choice.alg_bw < 0 ||
            !isfinite(choice.bus_bw) || choice.bus_bw < 0 || choice.channels < 1 ||
            choice.channels > a->query.settings.release->max_channels || choice.threads < 1)
            return WRONG(err, "%s of %llu bytes: %g us, %g GB/s, %d channels of %d threads",
                         orr_function_name((enum orr_function)function), (unsigned long long)sizes[i],
                         (double)choice.time, (double)choice.alg_bw, choice.channels, choice.threads);
    }
    return true;
}

bool check_tuning(const struct orr_analysis *a, struct tally *tally, struct orr_error *err)
{
    bool sane = has_sane_latencies(a);
    for (int f = 0; f < ORR_FUNCTION_COUNT; f++) {
        for (uint32_t algorithm = 0; algorithm < a->tuning.algorithm_count; algorithm++)
            for (int p = 0; p < ORR_PROTOCOL_COUNT; p++) {
                if (!check_figures(a, f, algorithm, p, sane, err))
                    return false;
                tally->figures += 2;
            }
        if (sane && a->ranks > 1 && !check_choices(a, f, tally, err))
            return false;
    }
    return true;
}

/* NaN and infinity become null in JSON, so that a null is one of them, or a value that may be missing. */
static bool has_missing_number(json_t *value, const char *key, const char **ret_key)
{
    static const char *const may_be_null[] = {"asked",   "nvls",         "cluster", "machine_type",   "release",
                                              "setting", "advice",       "name",    "cost",           "no_cost",
                                              "finding", "follows_from", "teams",   "value",          "calls",
                                              "adds",    "all_repaired", "confirm", "nvls_registered"};
    size_t i;
    const char *name;
    json_t *child;
    if (json_is_null(value)) {
        for (i = 0; i < sizeof may_be_null / sizeof may_be_null[0]; i++)
            if (!strcmp(key, may_be_null[i]))
                return false;
        *ret_key = key;
        return true;
    }
    json_object_foreach (value, name, child)
        if (has_missing_number(child, name, ret_key))
            return true;
    json_array_foreach (value, i, child)
        if (has_missing_number(child, key, ret_key))
            return true;
    return false;
}

bool check_document(const struct orr_analysis *a, struct tally *tally, char **ret_bytes, size_t *ret_length,
                    struct orr_error *err)
{
    enum { LARGEST = 512 << 20 };
    ORR_LOCAL_TEXT(text, LARGEST);
    json_error_t where;
    const char *key = NULL;
    if (orr_analysis_json(a, "property", NULL, false, &text, err) != ORR_OK)
        return WRONG(err, "no document");
    json_t *root = json_loadb(text.data, text.length, JSON_REJECT_DUPLICATES, &where);
    bool missing = root && has_sane_latencies(a) && has_missing_number(root, "", &key);
    bool good = root && !missing;
    if (!root)
        (void)WRONG(err, "the document is not JSON: %s at byte %d", where.text, where.position);
    else if (missing)
        (void)WRONG(err, "the document lacks a number at \"%.60s\"", key);
    json_decref(root);
    *ret_bytes = orr_text_take(&text, ret_length);
    tally->documents++;
    return good;
}

bool check_dump(const struct orr_dump *dump, struct orr_error *err)
{
    struct orr_json json = {0};
    json_t *machine = orr_machine_json(&json, dump), *findings = orr_findings_json(&json, dump, NULL);
    bool good = machine && findings && !json.failed;
    json_decref(machine);
    json_decref(findings);
    return good ? true : WRONG(err, "nothing can be said about the machine");
}
