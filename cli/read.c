/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the inputs of commands, and reports failures. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/standard_input.h"
#include "cli/terminal.h"
#include "engine/base/budget.h"
#include "engine/cluster/again.h"
#include "engine/input/input.h"
#include "engine/topology/graph_file.h"

enum orr_code orr_read_file(const char *file, size_t most, char **ret_bytes, size_t *ret_length, struct orr_error *err)
{
    enum { BLOCK = 65536 };
    const bool standard = orr_is_standard_input(file);
    const char *kept = NULL;
    size_t kept_length = 0;
    const bool again = standard && orr_standard_input_kept(&kept, &kept_length);
    FILE *stream = standard ? stdin : fopen(file, "rb");
    struct orr_text text;
    char block[BLOCK];
    size_t got;
    if (!stream)
        return orr_fail(err, ORR_IO, "cannot be read: %s", strerror(errno));
    orr_text_init(&text, most);
    if (again)
        orr_text_add(&text, kept, kept_length);
    while (!again && (got = fread(block, 1, sizeof block, stream)) > 0 && !orr_text_failed(&text) &&
           !orr_budget_spent(BLOCK / 64))
        orr_text_add(&text, block, got);
    enum orr_code code = orr_budget_check(err); /* Ctrl-C ends waiting for input too */
    if (code == ORR_OK && ferror(stream))
        code = orr_fail(err, ORR_IO, "cannot be read: %s", strerror(errno));
    else if (code == ORR_OK && text.starved)
        code = orr_fail_nomem(err);
    else if (code == ORR_OK && orr_text_failed(&text))
        code = orr_fail(err, ORR_LIMIT, "larger than %zu bytes", text.limit);
    if (!standard)
        fclose(stream);
    if (code == ORR_OK) {
        *ret_bytes = orr_text_take(&text, ret_length);
        code = *ret_bytes ? ORR_OK : orr_fail_nomem(err);
    }
    orr_text_release(&text);
    return code;
}

enum orr_code orr_read_input(const char *file, char **ret_bytes, size_t *ret_length, struct orr_error *err)
{
    return orr_read_file(file, orr_dump_default_limits.bytes, ret_bytes, ret_length, err);
}

const char *orr_name_of_file(void *context, const char *topology, enum orr_topology_fact fact)
{
    const char *base = orr_base_name(topology);
    return fact != ORR_TOPOLOGY_NAME ? NULL : orr_arena_strndup(context, base, strcspn(base, "."));
}

const char *orr_input_name(const char *file)
{
    return file && strcmp(file, "-") ? file : "<standard input>";
}

static enum orr_code read_bytes(const struct orr_options *options, const struct orr_release *release, const char *bytes,
                                size_t length, struct orr_dump **ret_dump, struct orr_error *err)
{
    struct orr_input_options input = orr_params_input(&options->params);
    input.release = release;
    ORR_TRY(orr_input_read(bytes, length, &input, ret_dump, err));
    return options->params.strict ? orr_dump_check_strict(*ret_dump, err) : ORR_OK;
}

/* Reads the topology of every name in a cluster file; equal bytes are one machine, regardless of name. */
static enum orr_code read_topologies(const struct orr_options *options, struct orr_question *question,
                                     struct orr_error *err)
{
    struct orr_cluster_file *file = &question->cluster_file;
    struct source {
        char *bytes;
        size_t length;
    } *sources = ORR_NEW(file->arena, struct source, file->topology_count);
    question->dumps = ORR_NEW(file->arena, struct orr_dump *, file->topology_count);
    enum orr_code code = sources && question->dumps ? ORR_OK : orr_fail_nomem(err);
    for (uint32_t i = 0; code == ORR_OK && i < file->topology_count; i++) {
        if (file->machines[i]) {
            code = orr_input_machine(file->machines[i], &question->dumps[i], err);
            continue;
        }
        const char *path = orr_cluster_path(file->arena, options->cluster, file->topologies[i]);
        code = path ? orr_read_input(path, &sources[i].bytes, &sources[i].length, err) : orr_fail_nomem(err);
        uint32_t same = 0;
        while (code == ORR_OK && same < i &&
               (!sources[same].bytes || sources[same].length != sources[i].length ||
                memcmp(sources[same].bytes, sources[i].bytes, sources[i].length)))
            same++;
        if (code == ORR_OK && same < i)
            question->dumps[i] = question->dumps[same];
        else if (code == ORR_OK)
            code = read_bytes(options, options->params.query.settings.release, sources[i].bytes, sources[i].length,
                              &question->dumps[i], err);
        if (code != ORR_OK && path) {
            question->name = path;
            orr_error_where(err, "that %.80s names", options->cluster);
        }
    }
    for (uint32_t i = 0; sources && i < file->topology_count; i++)
        free(sources[i].bytes);
    return code;
}

/* Analyses the cluster of a cluster file. */
static enum orr_code read_cluster(const struct orr_options *options, const struct orr_query *query,
                                  struct orr_question *question, struct orr_error *err)
{
    struct orr_cluster_request request;
    struct orr_cluster_names names;
    char *text;
    size_t length;
    ORR_TRY(orr_read_input(options->cluster, &text, &length, err));
    enum orr_code code = orr_cluster_file_read(text, length, &question->cluster_file, err);
    free(text);
    ORR_TRY(code);
    ORR_TRY(read_topologies(options, question, err));
    ORR_TRY(orr_cluster_file_names(&question->cluster_file, orr_name_of_file, question->cluster_file.arena,
                                   question->cluster_file.arena, &names, err));
    ORR_TRY(orr_cluster_file_request(&question->cluster_file, question->dumps, &names, options->params.rank_order,
                                     &query->settings, question->cluster_file.arena, &request, err));
    request.plan = query->plan;
    code = orr_cluster_analyze(&request, &question->cluster, err);
    if (code != ORR_OK && err->line && err->host) { /* the place is in a topology */
        const struct orr_cluster_file *file = &question->cluster_file;
        const uint32_t topology = file->hosts[err->host - 1].topology;
        question->name = file->machines[topology]
                             ? file->topologies[topology]
                             : orr_cluster_path(file->arena, options->cluster, file->topologies[topology]);
    }
    ORR_TRY(code);
    question->analysis = question->cluster->analysis;
    return ORR_OK;
}

/* The input, followed by the graph file if one is given; ret_lines: how many lines come before the graph file. */
static enum orr_code read_given(const struct orr_options *options, struct orr_question *question, char **ret_bytes,
                                size_t *ret_length, uint32_t *ret_lines, struct orr_error *err)
{
    char *graphs = NULL, *both;
    size_t graph_length = 0;
    ORR_TRY(orr_read_input(options->file, ret_bytes, ret_length, err));
    *ret_lines = UINT32_MAX;
    if (!options->graphs)
        return ORR_OK;
    enum orr_code code = orr_read_input(options->graphs, &graphs, &graph_length, err);
    if (code == ORR_OK && !orr_is_graph_file(graphs, graph_length))
        code = orr_fail(err, ORR_UNRECOGNISED, "this is not a graph file: it does not begin with <graphs>");
    both = code == ORR_OK ? realloc(*ret_bytes, *ret_length + 1 + graph_length) : NULL;
    if (both) {
        *ret_bytes = both;
        both[(*ret_length)++] = '\n';
        *ret_lines = 0;
        for (size_t i = 0; i < *ret_length; i++)
            *ret_lines += both[i] == '\n';
        memcpy(both + *ret_length, graphs, graph_length);
        *ret_length += graph_length;
    } else {
        code = code == ORR_OK ? orr_fail_nomem(err) : code;
        question->name = options->graphs;
        free(*ret_bytes);
        *ret_bytes = NULL;
    }
    free(graphs);
    return code;
}

/* An error in a line of the graph file names that file and the line there. */
static enum orr_code place_in_graphs(const struct orr_options *options, enum orr_code code, uint32_t lines,
                                     struct orr_question *question, struct orr_error *err)
{
    if (code != ORR_OK && err->line > lines) {
        err->line -= lines;
        question->name = options->graphs;
    }
    return code;
}

/* Without --release, a log is analysed with the release that it names. */
static enum orr_code take_logged_release(const struct orr_options *options, const struct orr_dump *dump,
                                         struct orr_query *query, struct orr_error *err)
{
    const char *logged = dump->notes ? dump->notes->logged_release : NULL;
    struct orr_settings given = query->settings;
    if (!logged || orr_given(&options->params, ORR_ASK_RELEASE) || options->params.against.count)
        return ORR_OK;
    orr_progress_clear();
    fprintf(stderr, "orrery: using the rules of NCCL %s, which the log names; --release chooses another\n", logged);
    return orr_settings_for(&query->settings, orr_release_find(logged), &given, err);
}

static enum orr_code read_machine(const struct orr_options *options, struct orr_query *query,
                                  struct orr_question *question, struct orr_error *err)
{
    char *bytes = NULL;
    size_t length = 0;
    uint32_t lines = UINT32_MAX;
    enum orr_code code;
    if (options->params.machine) {
        code = orr_input_machine_with(options->params.machine, options->params.assumed_nics, &question->dump, err);
    } else {
        ORR_TRY(read_given(options, question, &bytes, &length, &lines, err));
        code = read_bytes(options, query->settings.release, bytes, length, &question->dump, err);
        free(bytes);
    }
    ORR_TRY(place_in_graphs(options, code, lines, question, err));
    ORR_TRY(take_logged_release(options, question->dump, query, err));
    code = orr_analyze_hosts(question->dump, query, NULL, &question->analysis, err);
    return place_in_graphs(options, code, lines, question, err);
}

bool orr_is_machine_and_file(const struct orr_options *options)
{
    const char *given = options->cluster ? "--cluster" : options->graphs ? "--graphs" : options->file;
    if (options->params.machine && given)
        fprintf(stderr, "orrery: --machine replaces a file: leave %s out\n", given);
    return options->params.machine && given;
}

int orr_read_dump(const struct orr_options *options, const struct orr_release *release, struct orr_dump **ret_dump)
{
    struct orr_error err = {0};
    char *bytes = NULL;
    size_t length = 0;
    if (orr_given(&options->params, ORR_ASK_RELEASE))
        release = options->params.query.settings.release;
    if (orr_is_machine_and_file(options))
        return ORR_EXIT_USAGE;
    enum orr_code code = options->params.machine ? orr_input_machine_with(options->params.machine,
                                                                          options->params.assumed_nics, ret_dump, &err)
                                                 : orr_read_input(options->file, &bytes, &length, &err);
    if (code == ORR_OK && bytes)
        code = read_bytes(options, release, bytes, length, ret_dump, &err);
    free(bytes);
    return code == ORR_OK ? ORR_EXIT_OK : orr_report(orr_input_name(options->file), &err);
}

enum orr_code orr_read_beside(const struct orr_options *options, struct orr_dump **ret_dump, struct orr_error *err)
{
    const struct orr_input_options input = {.assumed_nics = options->params.assumed_nics,
                                            .assumed_cpu = options->params.assumed_cpu,
                                            .release = options->params.query.settings.release};
    struct stat about;
    char *bytes = NULL;
    const char *kept;
    size_t length = 0;
    *ret_dump = NULL;
    if (orr_is_standard_input(options->file) ? !orr_standard_input_kept(&kept, &length)
                                             : stat(options->file, &about) || !S_ISREG(about.st_mode) ||
                                                   (size_t)about.st_size > orr_dump_default_limits.bytes)
        return ORR_OK; /* a stream, which is read once */
    ORR_TRY(orr_read_input(options->file, &bytes, &length, err));
    enum orr_code code = orr_input_read_beside(bytes, length, &input, ret_dump, err);
    free(bytes);
    return code;
}

int orr_question_read(const struct orr_options *options, bool plan, struct orr_question *ret_question)
{
    const struct orr_params *params = &options->params;
    struct orr_question question = {.name = options->cluster  ? options->cluster
                                            : params->machine ? params->machine->name
                                                              : orr_input_name(options->file)};
    struct orr_query query = params->query;
    struct orr_error err = {0};
    query.plan = plan;
    if (options->cluster && orr_given(params, ORR_ASK_HOSTS)) {
        fprintf(stderr, "orrery: --hosts and --cluster exclude each other\n");
        return ORR_EXIT_USAGE;
    }
    if (!options->cluster && orr_given(params, ORR_ASK_RANK_ORDER)) {
        fprintf(stderr, "orrery: --rank-order needs --cluster; the hosts of one machine are all alike\n");
        return ORR_EXIT_USAGE;
    }
    if (options->cluster && options->graphs) {
        fprintf(stderr, "orrery: --graphs needs a single machine; for a cluster, append the graph file to each dump\n");
        return ORR_EXIT_USAGE;
    }
    if (options->cluster && options->file) {
        fprintf(stderr, "orrery: --cluster names the topologies: leave %s out\n", options->file);
        return ORR_EXIT_USAGE;
    }
    if (orr_is_machine_and_file(options))
        return ORR_EXIT_USAGE;
    enum orr_code code = options->cluster ? read_cluster(options, &query, &question, &err)
                                          : read_machine(options, &query, &question, &err);
    if (code == ORR_OK && params->strict)
        code = orr_analysis_check_strict(question.analysis, &err);
    if (code != ORR_OK) {
        int status = orr_report(err.code == ORR_SETTING ? NULL : question.name, &err);
        orr_question_release(&question);
        return status;
    }
    *ret_question = question;
    return ORR_EXIT_OK;
}

void orr_question_release(struct orr_question *question)
{
    orr_analysis_again_free(question->analysis);
    if (question->dump)
        orr_dump_free(question->dump);
    for (uint32_t i = 0; question->dumps && i < question->cluster_file.topology_count; i++) {
        uint32_t same = 0;
        while (question->dumps[same] != question->dumps[i])
            same++;
        if (same == i && question->dumps[i])
            orr_dump_free(question->dumps[i]);
    }
    orr_cluster_file_release(&question->cluster_file);
    *question = (struct orr_question){0};
}

enum orr_code orr_question_cluster(const struct orr_options *options, const struct orr_question *question,
                                   struct orr_cluster **ret_made, const struct orr_cluster **ret_cluster,
                                   struct orr_error *err)
{
    const struct orr_query *query = &options->params.query;
    const struct orr_cluster_line line = {.dump = question->dump, .count = query->hosts};
    const struct orr_cluster_request request = {
        .lines = &line, .line_count = 1, .settings = query->settings, .plan = true};
    *ret_cluster = question->analysis->cluster;
    if (*ret_cluster)
        return ORR_OK;
    ORR_TRY(orr_cluster_analyze(&request, ret_made, err));
    *ret_cluster = *ret_made;
    return ORR_OK;
}
