/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the tables from which the description of the service is made as JSON, for make_openapi.py: the parameters,
 * which of them each route takes, and the problem types. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "api/documents/json.h"
#include "api/http/problem.h"
#include "api/questions/questions.h"
#include "engine/base/local.h"

/* The symbol of each row, and for a variant its topics: "ORR_IN(LOG)". */
static const struct {
    const char *symbol, *topics;
} keys[ORR_QUESTION_ROWS] = {
#define ORR_ASK(symbol, ...)                                                              {#symbol, NULL},
#define ORR_VARIANT(symbol, member, kind, name, value, least, most, words, text, in, ...) {#symbol, #in},
#define ORR_ASK_AT                                                                        ORR_ASK
#define ORR_VARIANT_AT                                                                    ORR_VARIANT
#include "api/questions/questions.def"
};

static const struct {
    const char *method, *template;
    orr_topics topics;
} routes[] = {
#define NONE                                                            ORR_TOPICS(ORR_TOPIC_END)
#define ORR_ROUTE_ROW(method, template, handler, access, flags, topics) {method, template, topics},
#include "api/handlers/routes.def"
};

/* The name of a row in the description: "hosts", and "hosts.log" for its variant of the topic LOG. */
static json_t *key_json(struct orr_json *json, int i)
{
    char key[80];
    const char *topic = keys[i].topics ? keys[i].topics + strlen("ORR_IN(") : "";
    snprintf(key, sizeof key, "%s%s%.*s", keys[i].symbol, *topic ? "." : "", (int)strcspn(topic, ",)"), topic);
    for (char *c = key; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return orr_json_text(json, key);
}

static json_t *row_json(struct orr_json *json, int i)
{
    static const char *const kinds[] = {
        [ORR_KIND_FLAG] = "flag",       [ORR_KIND_NUMBER] = "number",   [ORR_KIND_BYTES] = "bytes",
        [ORR_KIND_TEXT] = "text",       [ORR_KIND_WORD] = "word",       [ORR_KIND_LIST] = "list",
        [ORR_KIND_GRAPH] = "graph",     [ORR_KIND_MACHINE] = "machine", [ORR_KIND_RELEASE] = "release",
        [ORR_KIND_SETTING] = "setting", [ORR_KIND_LABEL] = "label",     [ORR_KIND_HOSTS] = "text"};
    const struct orr_question_row *row = &orr_questions[i];
    json_t *words = orr_json_array(json);
    for (size_t k = 0; row->words && row->words(k); k++)
        orr_json_add(json, words, orr_json_text(json, row->words(k)));
    return ORR_OBJECT(
        json, ORR_VALUE("key", key_json(json, i)), ORR_STRING("name", row->name), ORR_STRING("kind", kinds[row->kind]),
        ORR_INT("least", row->least), ORR_INT("most", row->most), ORR_STRING("default", row->fallback),
        ORR_STRING("help", row->help), ORR_STRING("more", row->more), ORR_STRING("example", row->example),
        ORR_STRING("pattern", row->pattern), ORR_BOOL("required", row->required), ORR_VALUE("words", words));
}

int main(void)
{
    struct orr_json json = {0};
    ORR_LOCAL_TEXT(text, 1 << 20);
    json_t *rows = orr_json_array(&json), *taken = orr_json_array(&json), *problems = orr_json_array(&json);
    for (int i = 0; i < ORR_QUESTION_ROWS; i++)
        orr_json_add(&json, rows, row_json(&json, i));
    for (size_t r = 0; r < sizeof routes / sizeof routes[0]; r++) {
        json_t *parameters = orr_json_array(&json);
        for (int i = 0; i < ORR_QUESTION_ROWS; i++)
            if (orr_question_in(&orr_questions[i], routes[r].topics))
                orr_json_add(&json, parameters, key_json(&json, i));
        orr_json_add(&json, taken,
                     ORR_OBJECT(&json, ORR_STRING("method", routes[r].method), ORR_STRING("path", routes[r].template),
                                ORR_VALUE("parameters", parameters)));
    }
    for (int i = ORR_OK + 1; i < ORR_PROBLEM_COUNT; i++)
        orr_json_add(&json, problems, orr_json_text(&json, orr_problem_info((enum orr_problem)i, ORR_INTERNAL).type));
    json_t *root =
        ORR_OBJECT(&json, ORR_VALUE("parameters", rows), ORR_VALUE("routes", taken), ORR_VALUE("problems", problems));
    return orr_json_write(&json, root, true, &text, NULL) == ORR_OK && puts(text.data) >= 0 ? 0 : 1;
}
