/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/report/answers_text.h"

#include "engine/base/hash.h"
#include "engine/report/report.h"

enum { RINGS_SHOWN = 8, TREES_SHOWN = 4, RANKS_SHOWN = 64 };

/* Finds equal channels by digests: channels that NCCL treats as distinct may still have the same ranks in the same
 * order. */
struct kinds {
    uint64_t digest[ORR_MAX_CHANNELS]; /* [distinct channel] */
    uint32_t count;                    /* number of different digests */
};

static uint64_t digest_of(const int32_t *numbers, size_t count)
{
    uint64_t digest = ORR_HASH_START;
    for (size_t i = 0; i < count; i++)
        digest = orr_hash_number(digest, (uint32_t)numbers[i]);
    return digest;
}

static bool is_first(const struct kinds *kinds, int32_t distinct)
{
    for (int32_t d = 0; d < distinct; d++)
        if (kinds->digest[d] == kinds->digest[distinct])
            return false;
    return true;
}

static void add_kind(struct kinds *kinds, int32_t distinct, uint64_t digest)
{
    kinds->digest[distinct] = digest;
    kinds->count += is_first(kinds, distinct);
}

/* Lists the channels with the ring or tree of a distinct channel. */
static void write_channels(const struct orr_communicator *c, const struct kinds *kinds, int32_t distinct,
                           struct orr_text *text)
{
    uint32_t channels[ORR_MAX_CHANNELS], count = 0;
    for (int32_t channel = 0; channel < c->channel_count && channel < ORR_MAX_CHANNELS; channel++)
        if (kinds->digest[c->source[channel]] == kinds->digest[distinct])
            channels[count++] = (uint32_t)channel;
    orr_text_printf(text, "Channel%s ", orr_plural(count));
    orr_report_numbers(channels, count, text);
}

static void write_ring(struct orr_page *page, const struct orr_communicator *c, const struct kinds *kinds,
                       int32_t distinct, const int32_t *ring)
{
    ORR_LOCAL_TEXT(text, 8192);
    write_channels(c, kinds, distinct, &text);
    orr_text_puts(&text, ":");
    for (uint32_t i = 0; i < c->rank_count && i < RANKS_SHOWN; i++)
        orr_text_printf(&text, " %d", ring[i]);
    if (c->rank_count > RANKS_SHOWN)
        orr_text_printf(&text, " ... (%u ranks)", c->rank_count);
    orr_page_say(page, ORR_STYLE_PLAIN, "  ", orr_text_data(&text));
}

/* Writes chains from the root down; each line begins where an earlier one branched. todo: room for all ranks. */
static void write_tree(struct orr_page *page, const struct orr_communicator *c, const struct kinds *kinds,
                       int32_t distinct, const struct orr_tree *tree, int32_t *todo)
{
    uint32_t waiting = 0, shown = 0;
    ORR_LOCAL_TEXT(text, 8192);
    int32_t root = 0;
    while (root < (int32_t)c->rank_count && tree->up[root] >= 0)
        root++;
    if (root == (int32_t)c->rank_count)
        return;
    write_channels(c, kinds, distinct, &text);
    orr_text_printf(&text, ", %d level%s below the root:", tree->depth, orr_plural(tree->depth));
    todo[waiting++] = root;
    while (waiting && shown < RANKS_SHOWN) {
        int32_t rank = todo[--waiting];
        orr_text_puts(&text, shown ? "; " : " ");
        if (tree->up[rank] >= 0)
            orr_text_printf(&text, "%d-", tree->up[rank]);
        for (int32_t next; rank >= 0 && shown < RANKS_SHOWN; rank = next) {
            next = -1;
            orr_text_printf(&text, "%d", rank);
            shown++;
            for (int k = 0; k < 3; k++) {
                int32_t down = tree->down[rank][k];
                if (down >= 0 && next >= 0 && waiting < c->rank_count)
                    todo[waiting++] = down;
                else if (down >= 0)
                    next = down;
            }
            orr_text_puts(&text, next >= 0 && shown < RANKS_SHOWN ? "-" : "");
        }
    }
    if (c->rank_count > shown)
        orr_text_printf(&text, " ... (%u ranks)", c->rank_count);
    orr_page_say(page, ORR_STYLE_PLAIN, "  ", orr_text_data(&text));
}

static void write_rest(struct orr_page *page, uint32_t count, uint32_t shown, const char *what)
{
    if (count > shown)
        orr_page_printf(page, ORR_STYLE_PLAIN, "  ", "%u further %s%s: `orrery channels --json` has all.",
                        count - shown, what, orr_plural(count - shown));
}

static void write_rings(struct orr_page *page, const struct orr_communicator *c, int32_t *ring)
{
    struct kinds kinds = {.count = 0};
    uint32_t shown = 0;
    for (int32_t distinct = 0; distinct < c->distinct_count && distinct < ORR_MAX_CHANNELS; distinct++) {
        orr_ring_make(c, distinct, ring);
        add_kind(&kinds, distinct, digest_of(ring, c->rank_count));
    }
    orr_page_heading(page, "Rings (order of ranks)");
    for (int32_t distinct = 0; distinct < c->distinct_count && shown < RINGS_SHOWN; distinct++) {
        if (!is_first(&kinds, distinct))
            continue;
        orr_ring_make(c, distinct, ring);
        write_ring(page, c, &kinds, distinct, ring);
        shown++;
    }
    write_rest(page, kinds.count, shown, "ring");
}

static enum orr_code write_trees(struct orr_page *page, const struct orr_communicator *c, int32_t *scratch,
                                 struct orr_arena *arena, struct orr_error *err)
{
    struct kinds kinds = {.count = 0};
    struct orr_tree tree = {.up = ORR_NEW(arena, int32_t, c->rank_count)};
    uint32_t shown = 0;
    tree.down = orr_arena_alloc(arena, c->rank_count, sizeof *tree.down);
    ORR_NEED(tree.up && tree.down, err);
    for (int32_t distinct = 0; distinct < c->distinct_count && distinct < ORR_MAX_CHANNELS; distinct++) {
        ORR_TRY(orr_tree_make(c, distinct, &tree, err));
        add_kind(&kinds, distinct,
                 digest_of(tree.up, c->rank_count) ^ digest_of(&tree.down[0][0], (size_t)c->rank_count * 3));
    }
    orr_page_heading(page, "Trees (from the root down; each further chain begins where it branches off)");
    for (int32_t distinct = 0; distinct < c->distinct_count && shown < TREES_SHOWN; distinct++) {
        if (!is_first(&kinds, distinct))
            continue;
        ORR_TRY(orr_tree_make(c, distinct, &tree, err));
        write_tree(page, c, &kinds, distinct, &tree, scratch);
        shown++;
    }
    write_rest(page, kinds.count, shown, "tree");
    return ORR_OK;
}

enum orr_code orr_channels_write(struct orr_page *page, const struct orr_analysis *analysis, struct orr_arena *arena,
                                 struct orr_error *err)
{
    const struct orr_communicator *c = &analysis->communicator;
    int32_t *scratch = ORR_NEW(arena, int32_t, c->rank_count);
    char extent[ORR_REPORT_EXTENT_SIZE];
    ORR_NEED(scratch, err);
    orr_page_printf(page, ORR_STYLE_HEADING, "", "Channels of NCCL %s on %s, %u rank%s",
                    analysis->query.settings.release->name, orr_report_extent(analysis, extent), c->rank_count,
                    orr_plural(c->rank_count));
    orr_page_printf(page, ORR_STYLE_PLAIN, "", "%d channel%s; %d for point-to-point transfers, %d of them per peer.",
                    c->channel_count, orr_plural(c->channel_count), c->p2p_channels, c->p2p_channels_per_peer);
    if (c->nvls)
        orr_page_printf(page, ORR_STYLE_PLAIN, "", "NVLink SHARP (NVLS) uses %d channel%s with %d head%s on a node.",
                        c->nvls_channels, orr_plural(c->nvls_channels), c->nvls_head_count,
                        orr_plural(c->nvls_head_count));
    if (c->uneven_from < c->channel_count)
        orr_page_printf(page, ORR_STYLE_CAREFUL, "", "Only some nodes make the channels from %d on.", c->uneven_from);
    write_rings(page, c, scratch);
    return write_trees(page, c, scratch, arena, err);
}
