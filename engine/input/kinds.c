/* SPDX-License-Identifier: Apache-2.0 */
/* The table of inputs, and the first look at bytes by which a row recognises its own. */
#include <stdio.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/bytes.h"
#include "engine/detect/detect.h"
#include "engine/input/readers.h"
#include "engine/log_reading/log.h"
#include "engine/nccltests/results.h"

enum { LONGEST_TEXT = 1 << 24 };

static bool has_root(const struct orr_input *input, const char *name)
{
    return !strcmp(input->root, name);
}

static bool is_topology(const struct orr_input *input)
{
    return has_root(input, "system");
}

static bool is_hwloc(const struct orr_input *input)
{
    return has_root(input, "topology");
}

static bool is_graphs(const struct orr_input *input)
{
    return has_root(input, "graphs");
}

static bool is_matrix(const struct orr_input *input)
{
    return !input->root[0] && orr_matrix_found(input->bytes, input->length);
}

static bool is_gathered(const struct orr_input *input)
{
    return orr_is_tar(input->bytes, input->length);
}

static bool is_machine(const struct orr_input *input)
{
    return orr_machine_named(input) != NULL;
}

/* If a job's log also has a matrix, the log's printed tree tells more than the matrix; without a tree it tells less. */
static bool is_log(const struct orr_input *input)
{
    if (input->root[0] || !orr_log_is_one(input->bytes, input->length))
        return false;
    return orr_bytes_find(input->bytes, input->length, 0, "=== System : ") < input->length || !is_matrix(input);
}

/* In the order in which they are tried: if a text contains several, the one that describes a machine best comes first.
 */
static const struct orr_input_kind kinds[] = {
    {.name = "nccl-topology",
     .title = "NCCL topology XML",
     .sign = "the outermost element is <system>",
     .made_by = "NCCL_TOPO_DUMP_FILE=topo.xml, set for any program that uses NCCL",
     .recognise = is_topology,
     .read = orr_read_topology},
    {.name = "hwloc",
     .title = "hwloc XML",
     .sign = "the outermost element is <topology>",
     .made_by = "lstopo --of xml machine.xml",
     .recognise = is_hwloc,
     .read = orr_read_hwloc},
    {.name = "nccl-graph",
     .title = "NCCL graph XML",
     .sign = "the outermost element is <graphs>",
     .made_by = "NCCL_GRAPH_DUMP_FILE=graph.xml",
     .recognise = is_graphs,
     .read = orr_read_graphs},
    {.name = "gathered",
     .title = "tar of orrery gather",
     .sign = "a tar, plain or gzip",
     .made_by = "orrery gather machine.tar.gz",
     .recognise = is_gathered,
     .read = orr_read_gathered},
    {.name = "machine-type",
     .title = "machine type",
     .sign = "one line alone: machine type: NAME",
     .made_by = "echo machine type: hgx-h100 (orrery machines lists the types)",
     .recognise = is_machine,
     .read = orr_read_machine},
    {.name = "nccl-log",
     .title = "NCCL debug log with its tree",
     .sign = "lines with NCCL INFO, and no XML around them",
     .made_by = "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,GRAPH,TUNING,NET, set for any program that uses NCCL",
     .recognise = is_log,
     .read = orr_read_log},
    {.name = "nvidia-smi-topo",
     .title = "output of nvidia-smi topo -m",
     .sign = "a line of column names that starts with GPU0, and a row for each",
     .made_by = "nvidia-smi topo -m",
     .recognise = is_matrix,
     .read = orr_read_matrix},
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

const struct orr_input_kind *orr_input_kind(size_t i)
{
    return i < KIND_COUNT ? &kinds[i] : NULL;
}

size_t orr_bytes_find(const char *bytes, size_t length, size_t from, const char *word)
{
    size_t size = strlen(word);
    while (from + size <= length) {
        const char *at = memchr(bytes + from, word[0], length - from - size + 1);
        if (!at)
            break;
        from = (size_t)(at - bytes);
        if (!memcmp(at, word, size))
            return from;
        from++;
    }
    return length;
}

/* Whether an opening tag of this name starts here. */
static bool opens(const struct orr_input *input, size_t at, const char *name)
{
    size_t size = strlen(name);
    return at + size + 1 < input->length && input->bytes[at] == '<' && !memcmp(input->bytes + at + 1, name, size) &&
           strchr(" \t\r\n>/", input->bytes[at + 1 + size]) && input->bytes[at + 1 + size];
}

/* What ends the comment, the instruction or the DOCTYPE whose '<' is here; NULL if none begins here. */
static const char *end_of_markup(const struct orr_input *input, size_t at)
{
    const char *bytes = input->bytes + at;
    const size_t length = input->length - at;
    if (length > 1 && bytes[1] == '?')
        return "?>";
    if (length < 2 || bytes[1] != '!')
        return NULL;
    return length > 3 && !memcmp(bytes, "<!--", 4) ? "-->" : ">";
}

/* The name of the first element after comments, instructions and a DOCTYPE without rules of its own. */
static void find_root(struct orr_input *input)
{
    size_t at = input->start;
    while (at < input->length && input->bytes[at] == '<') {
        const char *end = end_of_markup(input, at);
        if (!end)
            break;
        at = orr_bytes_find(input->bytes, input->length, at, end);
        at = orr_bytes_blanks(input->bytes, input->length, at + strlen(end));
    }
    size_t size = 0;
    if (at >= input->length || input->bytes[at] != '<')
        return;
    while (at + 1 + size < input->length && size + 1 < sizeof input->root &&
           !strchr(" \t\r\n/>", input->bytes[at + 1 + size] ? input->bytes[at + 1 + size] : ' '))
        size++;
    snprintf(input->root, sizeof input->root, "%.*s", (int)size, input->bytes + at + 1);
}

/* XML that somebody pasted with a fence, a prompt or an explanation around it. */
static void find_wrapped_root(struct orr_input *input)
{
    static const char *const roots[] = {"system", "topology", "graphs"};
    size_t first = input->length;
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        char tag[16];
        snprintf(tag, sizeof tag, "<%s", roots[i]);
        size_t at = orr_bytes_find(input->bytes, input->length, input->start, tag);
        if (at >= first || !opens(input, at, roots[i]))
            continue;
        first = at;
        snprintf(input->root, sizeof input->root, "%s", roots[i]);
    }
    if (first == input->length)
        return;
    input->start = first;
    input->text_around = true;
}

/* The first look at bytes; options NULL if there is none. */
static struct orr_input input_look(const char *bytes, size_t length, const struct orr_input_options *options)
{
    struct orr_input input = {.bytes = bytes, .length = length};
    if (options)
        input.options = *options;
    input.start = orr_bytes_blanks(bytes, length, orr_bytes_mark(bytes, length));
    if (input.start < length && bytes[input.start] == '<')
        find_root(&input);
    else if (length <= LONGEST_TEXT)
        find_wrapped_root(&input);
    return input;
}

static const struct orr_input_kind *recognise(const struct orr_input *input)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (kinds[i].recognise(input))
            return &kinds[i];
    return NULL;
}

const struct orr_input_kind *orr_input_recognise(const char *bytes, size_t length)
{
    struct orr_input input = input_look(bytes, length, NULL);
    return recognise(&input);
}

#define ORR_ASK_MATRIX "give the output of `nvidia-smi topo -m`, with this text below it"

/* Rows of results do not describe a machine. */
static bool is_results(const struct orr_input *input)
{
    struct orr_results_limits limits = orr_results_default_limits;
    ORR_LOCAL(orr_results, results);
    struct orr_error none = {0};
    limits.without_log = true;
    return orr_results_read(input->bytes, input->length, &limits, &results, &none) == ORR_OK;
}

/* Words in lines, and nothing that looks like XML. */
static bool is_prose(const struct orr_input *input)
{
    size_t blanks = 0;
    for (size_t i = input->start; i < input->length; i++) {
        const unsigned char c = (unsigned char)input->bytes[i];
        if (c == '<' || (c < ' ' && !strchr("\t\r\n", c)) || !c)
            return false;
        blanks += c == ' ';
    }
    return blanks > 1;
}

/* Inputs that people send by mistake, with advice. */
static enum orr_code unrecognised(const struct orr_input *input, struct orr_error *err)
{
    static const struct {
        const char *magic, *what, *advice;
    } mistakes[] = {
        {"PK\x03\x04", "a zip file", "unpack it first"},
        {"\xfd"
         "7zXZ",
         "an xz file", "unpack it first: unxz FILE"},
        {"BZh", "a bzip2 file", "unpack it first: bunzip2 FILE"},
        {"\x28\xb5\x2f\xfd", "a zstd file", "unpack it first: unzstd FILE"},
        {"%PDF", "a PDF", "send the text itself"},
        {"\x89PNG", "a picture", "copy the text instead"},
        {"\x7f"
         "ELF",
         "a program", "run it with NCCL_TOPO_DUMP_FILE=/tmp/topo.xml and send that file"},
        {"{", "JSON", "send the dump itself, not an answer about it"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        size_t size = strlen(mistakes[i].magic), at = input->start;
        if (at + size > input->length || memcmp(input->bytes + at, mistakes[i].magic, size))
            continue;
        return orr_fail_with(err, ORR_UNRECOGNISED, NULL, mistakes[i].advice,
                             "this is not topology XML: the input is %s", mistakes[i].what);
    }
    static const struct {
        const char *mark, *what, *advice;
    } others[] = {
        {"NUMA IDs of closest", "output of nvidia-smi topo -C or -M, which has one number for each GPU",
         ORR_ASK_MATRIX},
        {"is connected to device", "output of nvidia-smi topo -p, which names one path", ORR_ASK_MATRIX},
        {"NVIDIA-SMI ", "the summary of nvidia-smi, which does not show how GPUs are joined", ORR_ASK_MATRIX},
        {"==NVSMI LOG==", "output of nvidia-smi -q, which does not show how GPUs are joined", ORR_ASK_MATRIX},
        {"Link 0: ", "output of nvidia-smi nvlink, which does not show where the links lead", ORR_ASK_MATRIX},
        {"CA type:", "output of ibstat, which shows no GPUs", ORR_ASK_MATRIX},
        {"hca_id:", "output of ibv_devinfo, which shows no GPUs", ORR_ASK_MATRIX},
        {"# OSU ", "output of the OSU Micro-Benchmarks, whose times Orrery does not judge",
         "run a program of nccl-tests, such as all_reduce_perf, and give its whole output to `orrery check-perf`"},
        {"LnkSta:", "output of lspci, which `orrery check-log` reads", ORR_ASK_MATRIX},
        {"ACSCtl:", "output of lspci, which `orrery check-log` reads", ORR_ASK_MATRIX},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0] && !input->root[0]; i++) {
        if (orr_bytes_find(input->bytes, input->length, 0, others[i].mark) == input->length)
            continue;
        return orr_fail_with(err, ORR_UNRECOGNISED, NULL, others[i].advice, "no machine: this is %s", others[i].what);
    }
    if (!input->root[0] && is_results(input))
        return orr_fail_with(err, ORR_UNRECOGNISED, NULL,
                             "`orrery check-perf` judges them; --topology FILE or --machine TYPE names the machine",
                             "results of nccl-tests, which show no machine");
    if (!input->root[0] && is_prose(input))
        return orr_fail_with(err, ORR_UNRECOGNISED, NULL,
                             "give what the job prints with NCCL_DEBUG=INFO, what nccl-tests prints, the file that "
                             "NCCL_TOPO_DUMP_FILE names, or the output of `nvidia-smi topo -m`",
                             "no machine, no log and no results are recognised in this text");
    return ORR_OK;
}

enum orr_code orr_input_read(const char *bytes, size_t length, const struct orr_input_options *options,
                             struct orr_dump **ret_dump, struct orr_error *err)
{
    orr_budget_stage("reading the input");
    const struct orr_dump_limits *limits = options && options->limits ? options->limits : &orr_dump_default_limits;
    struct orr_error ignored = {0};
    if (!err)
        err = &ignored;
    if (length > limits->bytes)
        return orr_fail(err, ORR_LIMIT, "%zu bytes, more than %zu", length, limits->bytes);
    struct orr_input input = input_look(bytes, length, options);
    const struct orr_input_kind *kind = recognise(&input);
    if (kind)
        return kind->read(&input, kind, ret_dump, err);
    ORR_TRY(unrecognised(&input, err));
    return orr_dump_read(bytes, length, limits, ret_dump, err); /* its message about broken XML is the best */
}

enum orr_code orr_input_read_beside(const char *bytes, size_t length, const struct orr_input_options *options,
                                    struct orr_dump **ret_dump, struct orr_error *err)
{
    struct orr_error own = {0};
    const struct orr_input_kind *kind = orr_input_recognise(bytes, length);
    *ret_dump = NULL;
    if (!kind || (kind->read != orr_read_topology && kind->read != orr_read_hwloc && kind->read != orr_read_matrix))
        return ORR_OK;
    enum orr_code code = orr_input_read(bytes, length, options, ret_dump, &own);
    if (code != ORR_NOMEM && code != ORR_SPENT)
        return ORR_OK; /* an input that cannot be read is another matter */
    *err = own;
    return code;
}
