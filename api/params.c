#include "api/params.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hex.h"
#include "engine/release/release_names.h"

enum orr_code orr_decode(const char *text, size_t length, bool plus_is_blank, struct orr_arena *arena,
                         const char **ret_text, struct orr_error *err)
{
    char *copy = orr_arena_alloc(arena, length + 1, 1), *to = copy;
    if (!copy)
        return orr_fail_nomem(err);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '%') {
            int high = i + 2 < length ? orr_hex_digit(text[i + 1]) : -1;
            int low = i + 2 < length ? orr_hex_digit(text[i + 2]) : -1;
            if (high < 0 || low < 0 || high * 16 + low == 0)
                return orr_fail(err, ORR_SETTING, "\"%.60s\" holds a %% that no byte in hex follows", text);
            *to++ = (char)(high * 16 + low);
            i += 2;
        } else {
            *to++ = plus_is_blank && text[i] == '+' ? ' ' : text[i];
        }
    }
    *to = 0;
    *ret_text = copy;
    return ORR_OK;
}

enum orr_code orr_read_release(const char *text, const struct orr_release **ret_release, struct orr_error *err)
{
    const struct orr_release *release = orr_release_find(text);
    if (!release)
        return orr_release_unknown(text, err);
    *ret_release = release;
    return ORR_OK;
}

enum orr_code orr_read_number(const char *name, const char *text, uint32_t least, uint32_t most, uint32_t *ret_number,
                              struct orr_error *err)
{
    char *end = NULL;
    unsigned long value = isdigit((unsigned char)text[0]) ? strtoul(text, &end, 10) : 0;
    if (!end || *end || value < least || value > most) {
        orr_fail(err, ORR_SETTING, "%s must be a number from %u to %u, not \"%.40s\"", name, least, most, text);
        orr_error_where(err, "%s", name);
        return ORR_SETTING;
    }
    *ret_number = (uint32_t)value;
    return ORR_OK;
}

static enum orr_code not_one_of(const char *name, const char *value, const char *choices, struct orr_error *err)
{
    orr_fail(err, ORR_SETTING, "%s must be one of %s, not \"%.40s\"", name, choices, value);
    orr_error_where(err, "%s", name);
    return ORR_SETTING;
}

/* One reader a parameter. */
static enum orr_code read_release(struct orr_params *params, const char *value, struct orr_error *err)
{
    params->has_release = true;
    const struct orr_release *release; /* taken before all others: see orr_params_read() */
    return orr_read_release(value, &release, err);
}
static enum orr_code read_hosts(struct orr_params *params, const char *value, struct orr_error *err)
{
    params->has_hosts = true;
    return orr_read_number("hosts", value, 1, ORR_MAX_HOSTS, &params->query.hosts, err);
}
static enum orr_code read_communicator(struct orr_params *params, const char *value, struct orr_error *err)
{
    params->has_communicator = true;
    return orr_read_number("communicator", value, 0, INT32_MAX, &params->communicator, err);
}
static enum orr_code read_many_hosts(struct orr_params *params, const char *value, struct orr_error *err)
{
    return orr_read_number("hosts", value, 1, ORR_MAX_PLAN_HOSTS, &params->query.hosts, err);
}
static enum orr_code read_strict(struct orr_params *params, const char *value, struct orr_error *err)
{
    uint32_t number;
    ORR_TRY(orr_read_number("strict", value, 0, 1, &number, err));
    params->strict = number;
    return ORR_OK;
}
static enum orr_code read_from(struct orr_params *params, const char *value, struct orr_error *err)
{
    (void)err;
    params->from = value;
    return ORR_OK;
}
static enum orr_code read_to(struct orr_params *params, const char *value, struct orr_error *err)
{
    (void)err;
    params->to = value;
    return ORR_OK;
}
static enum orr_code read_view(struct orr_params *params, const char *value, struct orr_error *err)
{
    return orr_view_parse(value, &params->view)
               ? ORR_OK
               : not_one_of("view", value, "system, ring, tree, path, collnet_direct", err);
}
static enum orr_code read_channel(struct orr_params *params, const char *value, struct orr_error *err)
{
    uint32_t channel;
    ORR_TRY(orr_read_number("channel", value, 0, ORR_MAX_CHANNELS - 1, &channel, err));
    params->channel = (int32_t)channel;
    return ORR_OK;
}
static enum orr_code read_theme(struct orr_params *params, const char *value, struct orr_error *err)
{
    return orr_theme_parse(value, &params->theme) ? ORR_OK : not_one_of("theme", value, "light, dark", err);
}
static enum orr_code read_format(struct orr_params *params, const char *value, struct orr_error *err)
{
    params->has_format = true;
    return orr_format_parse(value, &params->format) ? ORR_OK : not_one_of("format", value, "svg, png, pdf, dot", err);
}
static enum orr_code read_section(struct orr_params *params, const char *value, struct orr_error *err)
{
    (void)err;
    params->section = value;
    return ORR_OK;
}
static enum orr_code read_layout(struct orr_params *params, const char *value, struct orr_error *err)
{
    (void)err;
    params->layout = value;
    return ORR_OK;
}
static enum orr_code read_ranks(struct orr_params *params, const char *value, struct orr_error *err)
{
    (void)err;
    params->ranks = value;
    return ORR_OK;
}
static enum orr_code read_rounds(struct orr_params *params, const char *value, struct orr_error *err)
{
    (void)err;
    params->rounds = value;
    return ORR_OK;
}
static enum orr_code read_group(struct orr_params *params, const char *value, struct orr_error *err)
{
    (void)err;
    params->group = value;
    return ORR_OK;
}
static enum orr_code check_utf8(const char *name, const char *value, struct orr_error *err)
{
    if (orr_is_utf8(value))
        return ORR_OK;
    orr_fail(err, ORR_SETTING, "the value of %s is no UTF-8", name);
    orr_error_where(err, "%s", name);
    return ORR_SETTING;
}
static enum orr_code read_name(struct orr_params *params, const char *value, struct orr_error *err)
{
    ORR_TRY(check_utf8("name", value, err));
    if (strlen(value) > ORR_MAX_NAME) {
        orr_fail(err, ORR_SETTING, "a name may have %d bytes, not %zu", (int)ORR_MAX_NAME, strlen(value));
        orr_error_where(err, "name");
        return ORR_SETTING;
    }
    params->name = value;
    return ORR_OK;
}
static enum orr_code read_label(struct orr_params *params, const char *value, struct orr_error *err)
{
    const char *equals = strchr(value, '=');
    size_t name = equals ? (size_t)(equals - value) : 0;
    ORR_TRY(check_utf8("label", value, err));
    if (!name || name > ORR_MAX_LABEL_NAME || strlen(equals + 1) > ORR_MAX_LABEL_VALUE ||
        params->label_count == ORR_MAX_LABELS) {
        orr_fail(err, ORR_SETTING, "a label is NAME=VALUE with at most %d and %d bytes, and there may be %d of them",
                 (int)ORR_MAX_LABEL_NAME, (int)ORR_MAX_LABEL_VALUE, (int)ORR_MAX_LABELS);
        orr_error_where(err, "label");
        return ORR_SETTING;
    }
    params->labels[params->label_count++] = (struct orr_label){.name = value, .name_length = name, .value = equals + 1};
    return ORR_OK;
}
static enum orr_code read_limit(struct orr_params *params, const char *value, struct orr_error *err)
{
    return orr_read_number("limit", value, 1, 200, &params->limit, err);
}
static enum orr_code read_cursor(struct orr_params *params, const char *value, struct orr_error *err)
{
    (void)err;
    params->cursor = value;
    return ORR_OK;
}
static enum orr_code read_search(struct orr_params *params, const char *value, struct orr_error *err)
{
    if (strlen(value) > ORR_MAX_NAME)
        return orr_fail(err, ORR_SETTING, "q may have %d bytes, not %zu", (int)ORR_MAX_NAME, strlen(value));
    ORR_TRY(check_utf8("q", value, err));
    params->search = *value ? value : NULL;
    return ORR_OK;
}

static enum orr_code read_against(struct orr_params *params, const char *value, struct orr_error *err)
{
    if (params->against_count == ORR_MAX_AGAINST) {
        orr_fail(err, ORR_SETTING, "more than %d times against", (int)ORR_MAX_AGAINST);
        orr_error_where(err, "against");
        return ORR_SETTING;
    }
    params->against[params->against_count++] = value;
    return ORR_OK;
}

static enum orr_code read_a(struct orr_params *params, const char *value, struct orr_error *err)
{
    (void)err;
    params->a = value;
    return ORR_OK;
}
static enum orr_code read_b(struct orr_params *params, const char *value, struct orr_error *err)
{
    (void)err;
    params->b = value;
    return ORR_OK;
}
static enum orr_code read_topology(struct orr_params *params, const char *value, struct orr_error *err)
{
    if (params->topology_count == ORR_MAX_TOPOLOGIES) {
        orr_fail(err, ORR_SETTING, "more than %d times topology", (int)ORR_MAX_TOPOLOGIES);
        orr_error_where(err, "topology");
        orr_error_advice(err, "give a set a label, and name that: label=NAME=VALUE");
        return ORR_SETTING;
    }
    params->topologies[params->topology_count++] = value;
    return ORR_OK;
}
static enum orr_code read_decision(struct orr_params *params, const char *value, struct orr_error *err)
{
    (void)err;
    params->decision = value;
    return ORR_OK;
}
static enum orr_code read_graph(struct orr_params *params, const char *value, struct orr_error *err)
{
    (void)err;
    params->graph = value;
    return ORR_OK;
}
static enum orr_code read_collective(struct orr_params *params, const char *value, struct orr_error *err)
{
    (void)err;
    params->collective = value;
    return ORR_OK;
}
static enum orr_code read_bytes(struct orr_params *params, const char *value, struct orr_error *err)
{
    (void)err;
    params->bytes = value;
    return ORR_OK;
}
static enum orr_code read_gpus(struct orr_params *params, const char *value, struct orr_error *err)
{
    (void)err;
    params->gpus = value;
    return ORR_OK;
}
static enum orr_code read_nics(struct orr_params *params, const char *value, struct orr_error *err)
{
    (void)err;
    params->nics = value;
    return ORR_OK;
}
static enum orr_code read_assume(struct orr_params *params, const char *value, struct orr_error *err)
{
    params->assumed = orr_machine_type_find(value);
    return params->assumed ? ORR_OK : orr_machine_type_unknown(value, err);
}

static const struct row {
    unsigned bit;
    const char *name;
    enum orr_code (*read)(struct orr_params *params, const char *value, struct orr_error *err);
    bool repeats;
} rows[] = {
    {ORR_P_RELEASE, "release", read_release, false},
    {ORR_P_HOSTS, "hosts", read_hosts, false},
    {ORR_P_MANY_HOSTS, "hosts", read_many_hosts, false},
    {ORR_P_STRICT, "strict", read_strict, false},
    {ORR_P_FROM, "from", read_from, false},
    {ORR_P_TO, "to", read_to, false},
    {ORR_P_VIEW, "view", read_view, false},
    {ORR_P_CHANNEL, "channel", read_channel, false},
    {ORR_P_THEME, "theme", read_theme, false},
    {ORR_P_FORMAT, "format", read_format, false},
    {ORR_P_SECTION, "section", read_section, false},
    {ORR_P_LAYOUT, "layout", read_layout, false},
    {ORR_P_WINDOW, "ranks", read_ranks, false},
    {ORR_P_WINDOW, "rounds", read_rounds, false},
    {ORR_P_WINDOW, "group", read_group, false},
    {ORR_P_NAME, "name", read_name, false},
    {ORR_P_LABEL, "label", read_label, true},
    {ORR_P_LIMIT, "limit", read_limit, false},
    {ORR_P_CURSOR, "cursor", read_cursor, false},
    {ORR_P_SEARCH, "q", read_search, false},
    {ORR_P_AGAINST, "against", read_against, true},
    {ORR_P_A, "a", read_a, false},
    {ORR_P_B, "b", read_b, false},
    {ORR_P_TOPOLOGY, "topology", read_topology, true},
    {ORR_P_DECISION, "decision", read_decision, false},
    {ORR_P_GRAPH, "graph", read_graph, false},
    {ORR_P_COLLECTIVE, "collective", read_collective, false},
    {ORR_P_BYTES, "bytes", read_bytes, false},
    {ORR_P_ASSUME, "assume", read_assume, false},
    {ORR_P_GPUS, "gpus", read_gpus, false},
    {ORR_P_NICS, "nics", read_nics, false},
    {ORR_P_COMMUNICATOR, "communicator", read_communicator, false},
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0], MAX_PAIRS = 128 };
_Static_assert(ROW_COUNT <= 64, "seen has a bit a row");

struct pair {
    const char *name, *value;
};

/* Edit distance of short names: for the name that was probably meant. */
static unsigned distance(const char *a, const char *b)
{
    enum { LONGEST = 48 };
    unsigned char line[LONGEST + 1];
    size_t la = strlen(a), lb = strlen(b);
    if (la > LONGEST || lb > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= lb; j++)
        line[j] = (unsigned char)j;
    for (size_t i = 1; i <= la; i++) {
        unsigned diagonal = line[0];
        line[0] = (unsigned char)i;
        for (size_t j = 1; j <= lb; j++) {
            unsigned above = line[j], least = diagonal + (a[i - 1] != b[j - 1]);
            least = least < above + 1u ? least : above + 1u;
            least = least < line[j - 1] + 1u ? least : line[j - 1] + 1u;
            line[j] = (unsigned char)least;
            diagonal = above;
        }
    }
    return line[lb];
}

static enum orr_code unknown_parameter(const char *name, unsigned accepted, struct orr_error *err)
{
    struct orr_text known;
    const char *nearest = NULL;
    unsigned best = 4;
    orr_text_init(&known, 120);
    for (int i = 0; i < ROW_COUNT; i++) {
        if (!(accepted & rows[i].bit))
            continue;
        orr_text_printf(&known, "%s%s", known.length ? ", " : "", rows[i].name);
        if (distance(name, rows[i].name) < best) {
            best = distance(name, rows[i].name);
            nearest = rows[i].name;
        }
    }
    if (accepted & ORR_P_SETTINGS)
        orr_text_puts(&known, known.length ? ", NCCL_*" : "NCCL_*");
    orr_fail(err, ORR_SETTING, "there is no parameter \"%.60s\" here", name);
    orr_error_where(err, "%.90s", name);
    if (nearest)
        orr_error_advice(err, "did you mean %s? known here: %s", nearest, known.data);
    else
        orr_error_advice(err, "known here: %s", known.length && known.data ? known.data : "none");
    orr_text_release(&known);
    return ORR_SETTING;
}

static enum orr_code split(const char *query, struct orr_arena *arena, struct pair *pairs, size_t *ret_count,
                           struct orr_error *err)
{
    size_t count = 0;
    while (query && *query) {
        size_t length = strcspn(query, "&");
        const char *equals = memchr(query, '=', length);
        size_t name = equals ? (size_t)(equals - query) : length;
        if (length) {
            if (count == MAX_PAIRS)
                return orr_fail(err, ORR_SETTING, "more than %d query parameters", (int)MAX_PAIRS);
            ORR_TRY(orr_decode(query, name, true, arena, &pairs[count].name, err));
            ORR_TRY(orr_decode(equals ? equals + 1 : "", equals ? length - name - 1 : 0, true, arena,
                               &pairs[count].value, err));
            count++;
        }
        query += length + (query[length] == '&');
    }
    *ret_count = count;
    return ORR_OK;
}

static enum orr_code read_pair(const struct pair *pair, unsigned accepted, struct orr_params *params, uint64_t *seen,
                               enum orr_problem *ret_problem, struct orr_error *err)
{
    if (!strncmp(pair->name, "NCCL_", 5) && (accepted & ORR_P_SETTINGS)) {
        *ret_problem = ORR_PROBLEM_NONE;
        return orr_settings_set(&params->query.settings, pair->name, pair->value, err);
    }
    for (int i = 0; i < ROW_COUNT; i++) {
        if (!(accepted & rows[i].bit) || strcmp(rows[i].name, pair->name))
            continue;
        if ((*seen >> i & 1) && !rows[i].repeats)
            return orr_fail(err, ORR_SETTING, "the parameter %s is given twice", rows[i].name);
        *seen |= UINT64_C(1) << i;
        if (rows[i].bit & (ORR_P_RELEASE | ORR_P_HOSTS | ORR_P_MANY_HOSTS))
            *ret_problem = ORR_PROBLEM_NONE;
        return rows[i].read(params, pair->value, err);
    }
    return unknown_parameter(pair->name, accepted, err);
}

enum orr_code orr_params_read(const char *query, unsigned accepted, struct orr_arena *arena, struct orr_params *params,
                              enum orr_problem *ret_problem, struct orr_error *err)
{
    enum { DEFAULT_LIMIT = 50 };
    struct pair pairs[MAX_PAIRS];
    size_t count = 0;
    const struct orr_release *release = orr_release_default();
    params->query.hosts = 1;
    params->limit = DEFAULT_LIMIT;
    *ret_problem = ORR_PROBLEM_TARGET;
    ORR_TRY(split(query, arena, pairs, &count, err));
    /* The release first: it decides which settings there are. */
    *ret_problem = ORR_PROBLEM_NONE;
    for (size_t i = 0; i < count; i++)
        if ((accepted & ORR_P_RELEASE) && !strcmp(pairs[i].name, "release"))
            ORR_TRY(orr_read_release(pairs[i].value, &release, err));
    if (accepted & ORR_P_RELEASE)
        orr_settings_init(&params->query.settings, release);
    uint64_t seen = 0; /* a bit a row */
    for (size_t i = 0; i < count; i++) {
        *ret_problem = ORR_PROBLEM_PARAMETER;
        ORR_TRY(read_pair(&pairs[i], accepted, params, &seen, ret_problem, err));
    }
    *ret_problem = ORR_PROBLEM_NONE;
    return ORR_OK;
}

static void add_part(struct orr_text *text, const char *part)
{
    if (part)
        orr_text_printf(text, "|%zu:%s", strlen(part), part);
    else
        orr_text_puts(text, "|");
}

void orr_query_key(const struct orr_query *query, struct orr_text *text)
{
    const struct orr_settings *settings = &query->settings;
    orr_text_printf(text, "|%s|%u%s", settings->release ? settings->release->name : "", query->hosts,
                    query->plan ? "p" : "");
    for (int i = 0; i < ORR_SETTING_COUNT; i++)
        if (settings->values[i].given) {
            orr_text_printf(text, "|%d", i);
            add_part(text, settings->values[i].text);
        }
}

void orr_assumed_key(const struct orr_params *params, struct orr_text *text)
{
    add_part(text, params->assumed ? params->assumed->name : NULL);
}

void orr_params_answer_key(const struct orr_params *params, struct orr_text *text)
{
    orr_text_printf(text, "|%d|%d|%d|%d|%d", params->strict, (int)params->view, (int)params->theme,
                    params->has_format ? (int)params->format : -1, (int)params->channel);
    add_part(text, params->from);
    add_part(text, params->to);
    add_part(text, params->section);
    add_part(text, params->layout);
    add_part(text, params->decision);
    add_part(text, params->graph);
    add_part(text, params->collective);
    add_part(text, params->bytes);
    orr_assumed_key(params, text);
    for (uint32_t i = 0; i < params->against_count; i++)
        add_part(text, params->against[i]);
}
