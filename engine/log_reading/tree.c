/* SPDX-License-Identifier: Apache-2.0 */
/* The printed trees as links: the indentation of a line shows which node it is below. */
#include "engine/log_reading/tree.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

char *orr_log_node_id(const char *text, char buffer[ORR_NODE_ID_SIZE])
{
    bool plain = !strchr(text, '-') && strlen(text) > 4;
    snprintf(buffer, ORR_NODE_ID_SIZE, "%.4s%s%.30s", text, plain ? "0-" : "", strlen(text) > 4 ? text + 4 : "");
    for (char *p = buffer; *p && *p != '/'; p++)
        *p = (char)toupper((unsigned char)*p);
    for (char *p = strchr(buffer, '/'); p && *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return buffer;
}

enum { DEPTH_MOST = 32 };

/* How far a session's tree has been read. */
struct tree_state {
    const char *nodes[DEPTH_MOST];
    double indents[DEPTH_MOST];
    uint32_t depth, trees;
    bool open;
};

static const char *keep_id(struct orr_arena *arena, const char *text)
{
    char buffer[ORR_NODE_ID_SIZE];
    orr_log_node_id(text, buffer);
    return orr_arena_strndup(arena, buffer, strlen(buffer));
}

/* One line of a tree; the link is appended by the caller; false if memory runs out. */
static bool read_line(struct tree_state *state, const struct orr_log_record *record, struct orr_arena *arena,
                      struct orr_log_link *link)
{
    enum { CPU_FIGURES = 3, PREFIX = 4 };
    *link = (struct orr_log_link){.session = record->session,
                                  .line = record->line,
                                  .type = "",
                                  .detail = "",
                                  .cpu = {-2, -2, -2},
                                  .tree = state->trees ? state->trees - 1 : 0};
    if (record->kind == ORR_LOG_TREE_CPU) {
        char text[ORR_NODE_ID_SIZE];
        snprintf(text, sizeof text, "CPU/%.*s", (int)(ORR_NODE_ID_SIZE - PREFIX - 1), record->words[0]);
        link->from = link->to = keep_id(arena, text);
        for (uint32_t i = 0; i < record->value_count && i < CPU_FIGURES; i++)
            link->cpu[i] = record->values[i];
        state->depth = 0;
    } else {
        while (state->depth && state->indents[state->depth - 1] >= record->values[0])
            state->depth--;
        link->from = state->depth ? state->nodes[state->depth - 1] : "";
        link->to = keep_id(arena, record->words[1]);
        link->type = record->words[0];
        link->detail = record->word_count > 2 ? record->words[2] : "";
        link->bw = record->values[1];
    }
    if (!link->to)
        return false;
    link->depth = state->depth;
    if (state->depth < DEPTH_MOST) {
        state->nodes[state->depth] = link->to;
        state->indents[state->depth++] = record->kind == ORR_LOG_TREE_CPU ? -1 : record->values[0];
    }
    return true;
}

enum orr_code orr_log_links_of(const struct orr_log *log, struct orr_arena *arena, struct orr_log_links *ret_links,
                               struct orr_error *err)
{
    struct tree_state **states = ORR_NEW(arena, struct tree_state *, log->session_count);
    uint8_t *complete = ORR_NEW(arena, uint8_t, log->session_count);
    struct orr_log_links links = {.complete = complete};
    unsigned capacity = 0;
    ORR_NEED(states && complete, err);
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        enum orr_log_kind kind = record->kind;
        if (kind != ORR_LOG_SYSTEM && kind != ORR_LOG_TREE_CPU && kind != ORR_LOG_TREE_LINK && kind != ORR_LOG_TREE_END)
            continue;
        struct tree_state **at = &states[record->session];
        if (!*at && !(*at = ORR_NEW(arena, struct tree_state, 1)))
            return orr_fail_nomem(err);
        if (kind == ORR_LOG_SYSTEM) {
            (*at)->open = true;
            (*at)->trees++;
            (*at)->depth = 0;
        } else if (kind == ORR_LOG_TREE_END) {
            complete[record->session] |= (*at)->open && (*at)->trees == 1;
            (*at)->open = false;
        } else {
            ORR_NEED(ORR_RESERVE(arena, links.rows, links.count, capacity) &&
                         read_line(*at, record, arena, &links.rows[links.count]),
                     err);
            links.count++;
        }
    }
    *ret_links = links;
    return ORR_OK;
}
