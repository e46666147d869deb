/* SPDX-License-Identifier: Apache-2.0 */
/* orrery gate: is this node fit? A child process does the work, so that an answer comes in time even if something
 * hangs: a sick GPU in its driver, a file on a lost server, a name that does not resolve. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/post.h"
#include "cli/terminal.h"
#include "engine/base/budget.h"
#include "engine/base/clock.h"
#include "engine/base/spawn.h"
#include "engine/detect/detect.h"
#include "engine/gate/gate.h"
#include "engine/input/input.h"

enum { USUAL_SECONDS = 5, MOST_SECONDS = 3600, NAME_SIZE = 256, MOST_ANSWER = 4 << 20 };

static const int statuses[] = {
    [ORR_GATE_FIT] = ORR_EXIT_OK, [ORR_GATE_DEGRADED] = ORR_EXIT_LOW, [ORR_GATE_NOT_COMPARABLE] = ORR_EXIT_UNJUDGED};

/* Notes of detection that say that GPUs, NVLinks or NICs could not be seen. Then missing devices prove nothing. */
static const char *const blinding[] = {
    "no-nvml",    "driver-without-library", "gpu-of-another-driver", "wsl",           "jetson", "rdma-hidden", "no-sys",
    "no-pci-bus", "gpu-not-in-sys",         "unknown-capability",    "no-nvlink-data"};

/* The data of the child process. */
struct gating {
    const struct orr_options *options;
    struct orr_gate_request request;
    struct orr_arena *arena;
    struct orr_dump *node, *expected;
    char name[NAME_SIZE];
    bool child; /* the process whose output the other reads */
};

/* The text for people; programs get only the sentence. table is NULL if there is none. */
static int print_sentence(const struct gating *g, int status, const char *sentence, const char *table)
{
    struct orr_text text;
    struct orr_page page;
    orr_terminal_lines(g->options, &text, &page);
    orr_page_verdict(&page,
                     status == ORR_EXIT_OK         ? ORR_STYLE_GOOD
                     : status == ORR_EXIT_UNJUDGED ? ORR_STYLE_CAREFUL
                                                   : ORR_STYLE_BAD,
                     sentence);
    if (table && orr_is_for_people(g->options)) {
        orr_page_blank(&page);
        orr_page_lines(&page, table);
    }
    return orr_terminal_print(&text);
}

static enum orr_code print_answer(const struct gating *g, const struct orr_gate *gate)
{
    struct orr_json json = {0};
    if (g->options->json)
        return orr_print_json(&json, orr_gate_json(&json, &g->request, gate), true) ? ORR_IO : ORR_OK;
    if (!g->child)
        return print_sentence(g, ORR_EXIT_UNJUDGED, gate->sentence, NULL) ? ORR_IO : ORR_OK;
    ORR_LOCAL_TEXT(table, MOST_ANSWER);
    if (gate->outcomes[0].host_count)
        orr_outcomes_write(&gate->outcomes[0], &gate->outcomes[1], "expected > of this node", &table);
    if (gate->state != ORR_GATE_NOT_COMPARABLE)
        orr_gate_write(gate, &table);
    return printf("%s\n%s", gate->sentence, orr_text_data(&table)) < 0 || fflush(stdout) ? ORR_IO : ORR_OK;
}

/* Prints that there is no answer. Returns the exit status. */
static int refuse(const struct gating *g, const char *why)
{
    struct orr_gate gate;
    ORR_LOCAL_ARENA(arena, 0);
    if (arena && orr_gate_refuse(g->request.node_name, why, arena, &gate, NULL) == ORR_OK)
        (void)print_answer(g, &gate);
    else
        printf("%s: cannot be judged: out of memory\n", g->request.node_name);
    return ORR_EXIT_UNJUDGED;
}

/* The same after a failure. what: a file; NULL if the error names it. */
static int refuse_for(const struct gating *g, const char *what, const struct orr_error *found)
{
    char why[700];
    struct orr_error err = *found;
    (void)orr_budget_verdict(orr_budget_in_force(), found->code, &err);
    if (what && err.line)
        snprintf(why, sizeof why, "%.200s:%u:%u: %s", what, err.line, err.column ? err.column : 1, err.text);
    else
        snprintf(why, sizeof why, "%.200s%s%s", what ? what : "", what ? ": " : "", err.text);
    orr_budget_end(); /* the answer itself needs memory */
    return refuse(g, why);
}

static enum orr_code read_bytes(const struct gating *g, const char *bytes, size_t length, struct orr_dump **ret_dump,
                                struct orr_error *err)
{
    const struct orr_params *params = &g->options->params;
    const struct orr_input_options as = orr_params_input(params);
    ORR_TRY(orr_input_read(bytes, length, &as, ret_dump, err));
    return params->strict ? orr_dump_check_strict(*ret_dump, err) : ORR_OK;
}

static enum orr_code read_file(const struct gating *g, const char *file, struct orr_dump **ret_dump,
                               struct orr_error *err)
{
    char *bytes;
    size_t length;
    ORR_TRY(orr_read_input(file, &bytes, &length, err));
    enum orr_code code = read_bytes(g, bytes, length, ret_dump, err);
    free(bytes);
    return code;
}

/* Detects this machine. Notes about hidden hardware are errors here. */
static enum orr_code detect(const struct gating *g, char **ret_xml, size_t *ret_length, struct orr_error *err)
{
    struct orr_detect_options wanted;
    struct orr_detection detection;
    if (orr_detect_options_read(g->options, &wanted))
        return orr_fail(err, ORR_SETTING, "the options of detection cannot be used");
    wanted.trained = true;
    ORR_TRY(orr_detect(&wanted, &detection, err));
    const struct orr_note *blind = NULL;
    for (uint32_t i = 0; i < detection.note_count && !blind; i++)
        for (size_t k = 0; k < sizeof blinding / sizeof blinding[0]; k++)
            if (!strcmp(detection.notes[i].id, blinding[k]))
                blind = &detection.notes[i];
    enum orr_code code = ORR_OK;
    if (blind)
        code = orr_fail(err, ORR_UNSUPPORTED, "detection does not see all hardware: %.180s", blind->text);
    else if (!(*ret_xml = strndup(detection.xml, detection.length)))
        code = orr_fail_nomem(err);
    else
        *ret_length = detection.length;
    orr_detection_release(&detection);
    return code;
}

/* Reads the node's bytes; *ret_bytes is NULL if --machine replaces it. */
static enum orr_code node_bytes(const struct gating *g, char **ret_bytes, size_t *ret_length, struct orr_error *err)
{
    *ret_bytes = NULL;
    if (g->options->params.machine)
        return ORR_OK;
    return g->options->file ? orr_read_input(g->options->file, ret_bytes, ret_length, err)
                            : detect(g, ret_bytes, ret_length, err);
}

/* Reads an existing file, or else a machine type. */
static enum orr_code read_expected(struct gating *g, struct orr_error *err)
{
    const char *what = g->options->params.expect;
    const struct orr_machine_type *type = orr_machine_type_find(what);
    if (!type || !access(what, F_OK)) {
        g->request.expected_name = orr_base_name(what);
        return read_file(g, what, &g->expected, err);
    }
    g->request.expected_name = type->name;
    g->request.of_type = true;
    return orr_input_machine(type, &g->expected, err);
}

static int judge_here(struct gating *g)
{
    const struct orr_options *options = g->options;
    const char *node = options->file ? orr_input_name(options->file) : NULL;
    struct orr_gate gate;
    struct orr_error err = {0};
    char *bytes = NULL;
    size_t length = 0;
    if (read_expected(g, &err) != ORR_OK) {
        orr_error_where(&err, "--expect");
        return refuse_for(g, options->params.expect, &err);
    }
    enum orr_code code = node_bytes(g, &bytes, &length, &err);
    if (code == ORR_OK)
        code = bytes ? read_bytes(g, bytes, length, &g->node, &err)
                     : orr_input_machine_with(options->params.machine, options->params.assumed_nics, &g->node, &err);
    free(bytes);
    if (code != ORR_OK)
        return refuse_for(g, node, &err);
    g->request.node = g->node;
    g->request.expected = g->expected;
    if (orr_gate_judge(&g->request, g->arena, &gate, &err) != ORR_OK)
        return refuse_for(g, NULL, &err);
    return print_answer(g, &gate) == ORR_OK ? statuses[gate.state] : ORR_EXIT_INPUT;
}

/* Lets a service judge, and prints its answer. */
static int judge_there(struct gating *g, unsigned seconds)
{
    struct orr_error err = {0};
    ORR_LOCAL_TEXT(answer, MOST_ANSWER);
    char *bytes = NULL, state[40], sentence[4096];
    size_t length = 0;
    enum orr_code code = node_bytes(g, &bytes, &length, &err);
    if (code != ORR_OK)
        return refuse_for(g, g->options->file ? orr_input_name(g->options->file) : NULL, &err);
    code = orr_post_question(g->options, "/v1/gate", bytes ? bytes : "", length, seconds, g->name, &answer, &err);
    free(bytes);
    int status = ORR_EXIT_UNJUDGED;
    if (code != ORR_OK) {
        status = refuse_for(g, g->options->server, &err);
    } else {
        orr_json_member(answer.data, answer.length, "state", state, sizeof state);
        orr_json_member(answer.data, answer.length, "sentence", sentence, sizeof sentence);
        for (int i = 0; i <= ORR_GATE_NOT_COMPARABLE; i++)
            if (!strcmp(state, orr_gate_state_name((enum orr_gate_state)i)))
                status = statuses[i];
        if (!sentence[0])
            status = refuse(g, "the service gave no verdict");
        else if (printf("%s\n", g->options->json ? answer.data : sentence) < 0)
            status = ORR_EXIT_INPUT;
    }
    return status;
}

/* Reads what the child prints until it ends; false if the deadline came first. */
static bool wait_for(int fd, pid_t child, int64_t deadline, struct orr_text *text, int *ret_status)
{
    if (!orr_spawn_read(fd, deadline, text))
        return false;
    while (waitpid(child, ret_status, WNOHANG) <= 0) {
        if (!orr_clock_left(deadline))
            return false;
        orr_clock_sleep(1);
    }
    return true;
}

static int supervise(struct gating *g, unsigned seconds)
{
    struct orr_text text;
    int64_t deadline = orr_clock_ms() + (int64_t)seconds * 1000;
    int ends[2], ended = 0, status = ORR_EXIT_UNJUDGED;
    char why[200];
    if (pipe(ends))
        return refuse(g, "no pipe can be made");
    orr_progress_end(); /* its thread would not be in the child */
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        return refuse(g, "no process can be started");
    if (!child) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        g->child = true;
        status = g->options->server ? judge_there(g, seconds) : judge_here(g);
        _exit(fflush(NULL) ? ORR_EXIT_INPUT : status); /* a driver's library may hang as it is unloaded */
    }
    close(ends[1]);
    orr_text_init(&text, 2 * (size_t)MOST_ANSWER);
    if (!wait_for(ends[0], child, deadline, &text, &ended)) {
        kill(child, SIGKILL); /* not waited for: a process that hangs in a driver does not end */
        snprintf(why, sizeof why, "it took longer than %u second%s", seconds, orr_plural(seconds));
        status = refuse(g, why);
    } else if (!WIFEXITED(ended) || !text.length || orr_text_failed(&text)) {
        snprintf(why, sizeof why, "the check ended with %s %d", WIFEXITED(ended) ? "status" : "signal",
                 WIFEXITED(ended) ? WEXITSTATUS(ended) : WTERMSIG(ended));
        status = refuse(g, why);
    } else if (g->options->json) {
        status = orr_write_out(NULL, text.data, text.length);
        status = status ? status : WEXITSTATUS(ended);
    } else {
        char *table = strchr(text.data, '\n');
        if (table)
            *table++ = '\0';
        status = print_sentence(g, WEXITSTATUS(ended), text.data, table && *table ? table : NULL);
        status = status ? status : WEXITSTATUS(ended);
    }
    close(ends[0]);
    orr_text_release(&text);
    return status;
}

static void name_node(struct gating *g)
{
    const struct orr_params *params = &g->options->params;
    const char *file = g->options->file, *given = params->node      ? params->node
                                                  : params->machine ? params->machine->name
                                                                    : NULL;
    if (given)
        snprintf(g->name, sizeof g->name, "%s", given);
    else if (g->options->root)
        snprintf(g->name, sizeof g->name, "%s", orr_base_name(g->options->root));
    else if (file && strcmp(file, "-") != 0)
        snprintf(g->name, sizeof g->name, "%.*s", (int)strcspn(orr_base_name(file), "."), orr_base_name(file));
    else if (file || gethostname(g->name, sizeof g->name - 1) || !g->name[0])
        snprintf(g->name, sizeof g->name, "this node");
    g->request.node_name = g->name;
}

/* NULL means the options may be combined. */
static const char *wrong_usage(const struct orr_options *options)
{
    const char *expect = options->params.expect;
    if (!expect)
        return "--expect says what the node should be: a file, a machine type, or fleet:QUERY";
    if (!strncmp(expect, "fleet:", 6) && !options->server)
        return "fleet:QUERY asks a service: --server URL says which";
    if (!options->server && (options->token_file || options->ca_file))
        return "--token-file and --ca-file need --server URL";
    if ((options->root || options->nvml || options->sm) && options->file)
        return "--root, --nvml and --sm apply to detection, which a file replaces";
    if (options->params.machine && options->root)
        return "--machine replaces this node: leave --root out";
    return NULL;
}

int orr_command_gate(const struct orr_options *options)
{
    struct gating g = {.options = options};
    struct orr_error err = {0};
    uint32_t seconds = USUAL_SECONDS;
    const char *wrong = wrong_usage(options);
    if (wrong) {
        fprintf(stderr, "orrery gate: %s\n", wrong);
        return ORR_EXIT_USAGE;
    }
    if (orr_is_machine_and_file(options))
        return ORR_EXIT_USAGE;
    if (orr_params_gate(&options->params, &g.request, &err) != ORR_OK ||
        (options->timeout && orr_read_number("timeout", options->timeout, 1, MOST_SECONDS, &seconds, &err) != ORR_OK))
        return orr_report(NULL, &err);
    name_node(&g);
    g.arena = orr_arena_new(0);
    int status = g.arena ? supervise(&g, seconds) : ORR_EXIT_UNJUDGED;
    orr_dump_free(g.node);
    orr_dump_free(g.expected);
    orr_arena_free(g.arena);
    return status;
}
