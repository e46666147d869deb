/* SPDX-License-Identifier: Apache-2.0 */
/* Walks a path one component at a time on a stack of open folders. Orrery itself follows ".." and links, so that
 * nothing that changes during the walk can lead outside the root. */
#include "engine/detect/root.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"
#include "engine/detect/root_source.h"

struct walk {
    const struct orr_root *root;
    int places[ORR_ROOT_DEPTH + 1]; /* [0] is the top */
    size_t ends[ORR_ROOT_DEPTH + 1];
    int depth;
    char path[ORR_PATH_SIZE];
    char target[ORR_PATH_SIZE]; /* target of the last link */
    enum orr_root_kind kind;    /* kind of the current place */
};

static void walk_up(struct walk *walk, int depth)
{
    while (walk->depth > depth)
        walk->root->source->leave(walk->root->state, walk->places[walk->depth--]);
    walk->path[walk->ends[walk->depth]] = 0;
    walk->kind = ORR_ROOT_FOLDER;
}

static void walk_end(struct walk *walk)
{
    walk_up(walk, 0);
    walk->root->source->leave(walk->root->state, walk->places[0]);
}

/* Goes one name further; a link is reported, not entered. False if nothing has the name. */
static bool walk_into(struct walk *walk, const char *name, size_t length)
{
    size_t end = walk->ends[walk->depth];
    char one[256];
    if (walk->kind != ORR_ROOT_FOLDER || length >= sizeof one || walk->depth == ORR_ROOT_DEPTH ||
        end + 1 + length >= sizeof walk->path)
        return false;
    memcpy(one, name, length);
    one[length] = 0;
    enum orr_root_kind kind;
    int place = walk->root->source->enter(walk->root->state, walk->places[walk->depth], one, &kind, walk->target);
    if (place < 0)
        return false;
    walk->path[end] = '/';
    memcpy(walk->path + end + 1, one, length + 1);
    walk->places[++walk->depth] = place;
    walk->ends[walk->depth] = end + 1 + length;
    walk->kind = kind;
    return true;
}

/* Follows a path to its end, and with last_link also a link at the very end. On failure the walk has ended. */
static bool walk_path(struct walk *walk, const struct orr_root *root, const char *path, bool last_link)
{
    char rest[2 * ORR_PATH_SIZE], next[2 * ORR_PATH_SIZE];
    int links = 0;
    *walk = (struct walk){.root = root, .kind = ORR_ROOT_FOLDER};
    walk->places[0] = root->source->top(root->state);
    if (walk->places[0] < 0)
        return false;
    if (snprintf(rest, sizeof rest, "%s/%s", root->prefix, path) >= (int)sizeof rest)
        rest[0] = 0, walk->kind = ORR_ROOT_NONE;
    for (const char *at = rest; walk->kind != ORR_ROOT_NONE;) {
        at += strspn(at, "/");
        size_t length = strcspn(at, "/");
        if (!length)
            return true;
        if (length == 1 && at[0] == '.') {
            at += length;
            continue;
        }
        if (length == 2 && !memcmp(at, "..", 2)) {
            walk_up(walk, walk->depth ? walk->depth - 1 : 0);
            at += length;
            continue;
        }
        if (!walk_into(walk, at, length))
            break;
        at += length;
        bool last = !at[strspn(at, "/")];
        if (walk->kind != ORR_ROOT_LINK || (last && !last_link))
            continue;
        if (++links > ORR_ROOT_LINKS)
            break;
        /* An absolute link starts at the root, or in the folder that the tar wraps everything in. */
        bool absolute = walk->target[0] == '/';
        if (snprintf(next, sizeof next, "%s%s/%s", absolute ? root->prefix : "", walk->target, at) >= (int)sizeof next)
            break;
        walk_up(walk, absolute ? 0 : walk->depth - 1);
        memcpy(rest, next, sizeof rest);
        at = rest;
    }
    walk_end(walk);
    return false;
}

/* The path without the folder that the tar wraps everything in. */
static const char *seen_path(const struct walk *walk)
{
    size_t prefix = strlen(walk->root->prefix);
    return strncmp(walk->path, walk->root->prefix, prefix) ? "" : walk->path + prefix;
}

enum orr_root_kind orr_root_find(const struct orr_root *root, const char *path, char ret_path[ORR_PATH_SIZE])
{
    struct walk walk;
    if (!walk_path(&walk, root, path, true))
        return ORR_ROOT_NONE;
    enum orr_root_kind kind = walk.kind;
    if (ret_path)
        snprintf(ret_path, ORR_PATH_SIZE, "%s", seen_path(&walk));
    walk_end(&walk);
    return kind;
}

enum orr_root_kind orr_root_look(const struct orr_root *root, const char *path, char ret_target[ORR_PATH_SIZE])
{
    struct walk walk;
    if (!walk_path(&walk, root, path, false))
        return ORR_ROOT_NONE;
    enum orr_root_kind kind = walk.kind;
    if (ret_target)
        snprintf(ret_target, ORR_PATH_SIZE, "%s", kind == ORR_ROOT_LINK ? walk.target : "");
    walk_end(&walk);
    return kind;
}

ssize_t orr_root_read(const struct orr_root *root, const char *path, char *buffer, size_t size)
{
    struct walk walk;
    ssize_t got = -1;
    buffer[0] = 0;
    if (!walk_path(&walk, root, path, true))
        return -1;
    if (walk.kind == ORR_ROOT_FILE)
        got = root->source->read(root->state, walk.places[walk.depth], buffer, size - 1);
    buffer[got > 0 ? got : 0] = 0;
    walk_end(&walk);
    return got;
}

struct collecting {
    struct orr_arena *arena;
    struct orr_root_names *names;
    unsigned capacity;
};

static bool collect(void *taker, const char *name)
{
    struct collecting *c = taker;
    if (c->names->count == ORR_ROOT_NAMES)
        return false;
    if (!ORR_RESERVE(c->arena, c->names->names, c->names->count, c->capacity) ||
        !(c->names->names[c->names->count] = orr_arena_strndup(c->arena, name, strlen(name)))) {
        c->names->count = 0; /* a failed ORR_RESERVE() drops the array */
        return false;
    }
    c->names->count++;
    return true;
}

bool orr_root_list(const struct orr_root *root, const char *path, struct orr_arena *arena,
                   struct orr_root_names *ret_names)
{
    struct walk walk;
    struct collecting collecting = {.arena = arena, .names = ret_names};
    bool done = false;
    *ret_names = (struct orr_root_names){0};
    if (!walk_path(&walk, root, path, true))
        return false;
    if (walk.kind == ORR_ROOT_FOLDER)
        done = root->source->list(root->state, walk.places[walk.depth], collect, &collecting);
    walk_end(&walk);
    if (ret_names->count)
        qsort(ret_names->names, ret_names->count, sizeof ret_names->names[0], orr_by_text);
    return done && !orr_arena_starved(arena);
}

void orr_root_free(struct orr_root *root)
{
    if (!root)
        return;
    root->source->end(root->state);
    free(root);
}
