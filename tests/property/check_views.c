/* SPDX-License-Identifier: Apache-2.0 */
/* What users ask of an answer besides the document: one path in words, pictures, and pages of text. Any two devices may
 * be named; an error is an answer, and says what is wrong. */
#include <string.h>

#include "api/documents/sections.h"
#include "engine/diagram/diagram.h"
#include "engine/report/answers_text.h"
#include "engine/report/report.h"
#include "tests/property/checks.h"

static bool is_answer(enum orr_code code, const struct orr_error *err)
{
    return code == ORR_OK || ((code == ORR_NOT_FOUND || code == ORR_LIMIT) && err->code == code && err->text[0]);
}

static bool check_path_between(const struct orr_analysis *a, const char *from, const char *to, struct tally *tally,
                               struct orr_error *err)
{
    struct orr_json json = {0};
    struct orr_error own = {0};
    json_t *value = NULL;
    enum orr_code code = orr_path_json(&json, a, from, to, &value, &own);
    bool good = is_answer(code, &own) && !json.failed;
    json_decref(value);
    tally->views++;
    return good ? true : WRONG(err, "the path from %.40s to %.40s: %s %.100s", from, to, orr_code_name(code), own.text);
}

static bool check_picture(const struct orr_analysis *a, const struct orr_diagram_request *request, struct tally *tally,
                          struct orr_error *err)
{
    enum { LARGEST = 64 << 20 };
    ORR_LOCAL_TEXT(text, LARGEST);
    struct orr_error own = {0};
    enum orr_code code = orr_diagram_dot(a, request, &text, &own);
    bool good = is_answer(code, &own) && (code != ORR_OK || text.length > 0);
    tally->views++;
    return good ? true
                : WRONG(err, "the picture of a %s: %s %.120s", orr_view_name(request->view), orr_code_name(code),
                        own.text);
}

/* The tree of the machine and the channels as text: no line is wider than the page. */
static bool check_page(const struct orr_analysis *a, uint32_t width, struct tally *tally, struct orr_error *err)
{
    enum { LARGEST = 64 << 20 };
    ORR_LOCAL_TEXT(text, LARGEST);
    struct orr_page page = {.text = &text, .width = width};
    ORR_LOCAL_ARENA(arena, 0);
    size_t widest = 0;
    bool good =
        arena && orr_tree_write(&page, a, arena, err) == ORR_OK && orr_channels_write(&page, a, arena, err) == ORR_OK;
    good = good && !orr_text_failed(&text) && text.length;
    for (const char *line = good ? text.data : ""; *line;) {
        size_t length = strcspn(line, "\n");
        widest = length > widest ? length : widest;
        line += length + (line[length] != '\0');
    }
    tally->views++;
    return good && widest <= width ? true : WRONG(err, "a page of %u columns has a line of %zu", width, widest);
}

bool check_views(const struct orr_analysis *a, struct tally *tally, struct orr_error *err)
{
    const struct orr_system *system = &a->parts[a->part_count - 1].system;
    char names[ORR_NODE_TYPE_COUNT][ORR_NODE_ID_SIZE];
    int count = 0;
    for (int type = 0; type < ORR_NODE_TYPE_COUNT; type++)
        if (system->first[type] < system->first[type + 1]) /* the last node of each type */
            orr_system_node_id(system, system->first[type + 1] - 1, names[count++]);
    for (int from = 0; from < count; from++)
        for (int to = 0; to < count; to++)
            if (!check_path_between(a, names[from], names[to], tally, err))
                return false;
    for (uint32_t width = ORR_PAGE_LEAST; width <= 100; width += 60)
        if (!check_page(a, width, tally, err))
            return false;
    for (int view = 0; view < ORR_VIEW_COUNT; view++) {
        struct orr_diagram_request request = {.view = (enum orr_view)view,
                                              .channel = a->communicator.channel_count - 1,
                                              .from = names[0],
                                              .to = names[count - 1]};
        if (!check_picture(a, &request, tally, err))
            return false;
    }
    return true;
}
