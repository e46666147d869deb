/* Prints the parameters of every route and the problem types as JSON, for tests/tools/check_questions.py. */
#include <stdio.h>
#include <string.h>

#include "api/handlers/handlers.h"

static json_t *row_json(struct orr_json *json, const struct orr_question_row *row)
{
    json_t *object = orr_json_object(json), *words = orr_json_array(json);
    orr_json_set(json, object, "name", orr_json_text(json, row->name));
    orr_json_set(json, object, "kind", orr_json_int(json, row->kind));
    orr_json_set(json, object, "least", orr_json_int(json, row->least));
    orr_json_set(json, object, "most", orr_json_int(json, row->most));
    orr_json_set(json, object, "default", orr_json_text(json, row->fallback));
    for (size_t i = 0; row->words && row->words(i); i++)
        orr_json_add(json, words, orr_json_text(json, row->words(i)));
    orr_json_set(json, object, "words", words);
    return object;
}

int main(void)
{
    struct orr_json json = {0};
    ORR_LOCAL_TEXT(text, 1 << 20);
    json_t *root = orr_json_object(&json), *routes = orr_json_array(&json), *problems = orr_json_object(&json);
    unsigned count;
    const struct orr_route *table = orr_route_table(&count);
    for (const struct orr_route *route = table; route < table + count; route++) {
        json_t *object = orr_json_object(&json), *rows = orr_json_array(&json);
        for (int i = 0; i < ORR_ASK_COUNT; i++)
            if (route->parameters >> i & 1)
                orr_json_add(&json, rows, row_json(&json, &orr_questions[i]));
        orr_json_set(&json, object, "method", orr_json_text(&json, route->method));
        orr_json_set(&json, object, "path", orr_json_text(&json, orr_route_template(route)));
        orr_json_set(&json, object, "parameters", rows);
        orr_json_add(&json, routes, object);
    }
    for (int i = ORR_OK + 1; i < ORR_PROBLEM_COUNT; i++) {
        const struct orr_problem_info info = orr_problem_info((enum orr_problem)i, ORR_INTERNAL);
        orr_json_set(&json, problems, info.type, orr_json_int(&json, info.status));
    }
    orr_json_set(&json, root, "routes", routes);
    orr_json_set(&json, root, "problems", problems);
    bool done = orr_json_write(&json, root, false, &text, NULL) == ORR_OK && puts(text.data) >= 0;
    return done ? 0 : 1;
}
