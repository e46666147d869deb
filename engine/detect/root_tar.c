/* SPDX-License-Identifier: Apache-2.0 */
/* A root in a tar: its entries are copied into memory once and sorted by path; places are their numbers. libarchive
 * reads the tar, because people repack what they send, and then long names and links come in two dialects, plain or
 * compressed. */
#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/sorting.h"
#include "engine/detect/root_source.h"

struct entry {
    const char *path; /* "" for the top, or "/sys/class" */
    const char *text; /* content, or target of a link */
    size_t length;
    enum orr_root_kind kind;
    uint32_t order; /* position in the tar: the later of two entries with the same path wins */
};

struct tar {
    struct orr_arena *arena;
    struct entry *entries;
    unsigned count, capacity;
    size_t bytes;
    uint64_t unpacked; /* bytes that came out of the archive, as counted in the budget */
};

ORR_COMPARATOR(by_path, struct entry, strcmp(a->path, b->path), ORR_ORDER(a->order, b->order))

static int find_entry(const struct tar *tar, const char *path)
{
    unsigned low = 0, high = tar->count;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        int order = strcmp(tar->entries[middle].path, path);
        if (!order)
            return (int)middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

static int top(void *state)
{
    return find_entry(state, "");
}

static int enter(void *state, int folder, const char *name, enum orr_root_kind *ret_kind, char target[ORR_PATH_SIZE])
{
    const struct tar *tar = state;
    char path[ORR_PATH_SIZE];
    if (snprintf(path, sizeof path, "%s/%s", tar->entries[folder].path, name) >= (int)sizeof path)
        return -1;
    int place = find_entry(tar, path);
    if (place < 0)
        return -1;
    *ret_kind = tar->entries[place].kind;
    if (*ret_kind == ORR_ROOT_LINK)
        snprintf(target, ORR_PATH_SIZE, "%s", tar->entries[place].text);
    return place;
}

static void leave(void *state, int place)
{
    (void)state;
    (void)place;
}

static ssize_t read_entry(void *state, int place, char *buffer, size_t size)
{
    const struct entry *entry = &((const struct tar *)state)->entries[place];
    size_t length = entry->length < size ? entry->length : size;
    if (length)
        memcpy(buffer, entry->text, length);
    return (ssize_t)length;
}

static bool list(void *state, int place, orr_name_taker *take, void *taker)
{
    const struct tar *tar = state;
    const char *folder = tar->entries[place].path;
    size_t length = strlen(folder);
    /* Names that begin with "FOLDER/" are adjacent, though "FOLDER-x" may come before them. */
    for (unsigned i = (unsigned)place + 1; i < tar->count && !strncmp(tar->entries[i].path, folder, length); i++) {
        const char *rest = tar->entries[i].path + length;
        if (*rest == '/' && !strchr(rest + 1, '/') && !take(taker, rest + 1))
            break;
    }
    return true;
}

static void end(void *state)
{
    struct tar *tar = state;
    orr_arena_free(tar->arena); /* the arena also holds `tar` itself */
}

static const struct orr_root_source tar_source = {
    .top = top, .enter = enter, .leave = leave, .read = read_entry, .list = list, .end = end};

/* "./sys//class/" -> "/sys/class"; false if not a name that a root can have. */
static bool clean(const char *name, char path[ORR_PATH_SIZE])
{
    size_t used = 0, depth = 0;
    for (const char *at = name; *at;) {
        at += strspn(at, "/");
        size_t length = strcspn(at, "/");
        if (!length)
            break;
        if (length == 2 && !memcmp(at, "..", 2))
            return false;
        if (length != 1 || *at != '.') {
            if (used + length + 2 > ORR_PATH_SIZE || length > 255 || ++depth > ORR_ROOT_DEPTH)
                return false;
            path[used++] = '/';
            memcpy(path + used, at, length);
            used += length;
        }
        at += length;
    }
    path[used] = 0;
    return true;
}

static enum orr_code add_entry(struct tar *tar, const char *path, enum orr_root_kind kind, const char *text,
                               size_t length, struct orr_error *err)
{
    if (tar->count == ORR_TAR_ENTRIES)
        return orr_fail(err, ORR_LIMIT, "the tar has more than %d entries", (int)ORR_TAR_ENTRIES);
    ORR_NEED(ORR_RESERVE(tar->arena, tar->entries, tar->count, tar->capacity), err);
    const char *kept = orr_arena_strndup(tar->arena, path, strlen(path));
    ORR_NEED(kept, err);
    tar->entries[tar->count] =
        (struct entry){.path = kept, .text = text, .length = length, .kind = kind, .order = tar->count};
    tar->count++;
    return ORR_OK;
}

/* Charges the budget with everything unpacked so far, including headers and bytes that nobody reads. */
static enum orr_code count_unpacked(struct tar *tar, struct archive *archive, struct orr_error *err)
{
    uint64_t unpacked = (uint64_t)archive_filter_bytes(archive, 0), before = tar->unpacked;
    tar->unpacked = unpacked;
    return orr_budget_unpack(unpacked - before, err);
}

/* Reads over the rest of an entry block by block: libarchive's own skipping would unpack all of it in one call. */
static enum orr_code skip_rest(struct tar *tar, struct archive *archive, struct orr_error *err)
{
    const void *block;
    size_t size;
    la_int64_t at;
    int result;
    while ((result = archive_read_data_block(archive, &block, &size, &at)) == ARCHIVE_OK || result == ARCHIVE_WARN)
        ORR_TRY(count_unpacked(tar, archive, err));
    return result == ARCHIVE_EOF ? ORR_OK : orr_fail(err, ORR_INVALID, "the tar is damaged inside an entry");
}

/* The content of a file, up to a limit: files in /sys are short. */
static enum orr_code take_file(struct tar *tar, struct archive *archive, struct archive_entry *from, const char *path,
                               struct orr_error *err)
{
    int64_t size = archive_entry_size(from);
    size_t wanted = size < 0 ? 0 : size > ORR_TAR_FILE_BYTES ? ORR_TAR_FILE_BYTES : (size_t)size, done = 0;
    if (tar->bytes + wanted > ORR_TAR_BYTES)
        return orr_fail(err, ORR_LIMIT, "the files of the tar have more than %d bytes", (int)ORR_TAR_BYTES);
    char *text = orr_arena_alloc(tar->arena, wanted + 1, 1);
    ORR_NEED(text, err);
    while (done < wanted) {
        la_ssize_t got = archive_read_data(archive, text + done, wanted - done);
        if (got < 0)
            return orr_fail(err, ORR_INVALID, "the tar is damaged at %.100s", path);
        if (!got)
            break;
        ORR_TRY(count_unpacked(tar, archive, err));
        done += (size_t)got;
    }
    tar->bytes += wanted;
    return add_entry(tar, path, ORR_ROOT_FILE, text, done, err);
}

static enum orr_code take_entry(struct tar *tar, struct archive *archive, struct archive_entry *from,
                                struct orr_error *err)
{
    char path[ORR_PATH_SIZE];
    const char *name = archive_entry_pathname(from), *target = archive_entry_symlink(from);
    if (!name || !clean(name, path) || archive_entry_hardlink(from))
        return ORR_OK; /* gather writes no such entries */
    switch (archive_entry_filetype(from)) {
    case AE_IFDIR:
        return add_entry(tar, path, ORR_ROOT_FOLDER, NULL, 0, err);
    case AE_IFREG:
        return take_file(tar, archive, from, path, err);
    case AE_IFLNK: {
        const char *kept =
            target && strlen(target) < ORR_PATH_SIZE ? orr_arena_strndup(tar->arena, target, strlen(target)) : "";
        return kept ? add_entry(tar, path, ORR_ROOT_LINK, kept, 0, err) : orr_fail_nomem(err);
    }
    default:
        return ORR_OK;
    }
}

static enum orr_code read_all(struct tar *tar, struct archive *archive, struct orr_error *err)
{
    struct archive_entry *from;
    for (;;) {
        int result = archive_read_next_header(archive, &from);
        if (result == ARCHIVE_EOF)
            return ORR_OK;
        if (result != ARCHIVE_OK && result != ARCHIVE_WARN) {
            const char *why = archive_error_string(archive);
            return orr_fail(err, tar->count ? ORR_INVALID : ORR_UNRECOGNISED, "the tar cannot be read%s: %.120s",
                            tar->count ? " to its end" : "", why ? why : "unknown format");
        }
        ORR_TRY(orr_budget_entry(err));
        ORR_TRY(count_unpacked(tar, archive, err));
        ORR_TRY(take_entry(tar, archive, from, err));
        ORR_TRY(skip_rest(tar, archive, err));
    }
}

/* Sorts the entries, removes duplicates, and adds folders that have no entry of their own. */
static enum orr_code put_in_order(struct tar *tar, struct orr_error *err)
{
    unsigned read = tar->count, kept = 0;
    ORR_TRY(add_entry(tar, "", ORR_ROOT_FOLDER, NULL, 0, err));
    for (unsigned i = 0; i < read; i++) {
        char folder[ORR_PATH_SIZE];
        snprintf(folder, sizeof folder, "%s", tar->entries[i].path);
        for (char *slash; (slash = strrchr(folder, '/')) && slash != folder;) {
            *slash = 0;
            /* Neighbours mostly share a folder: it was added for the one before. */
            if (i && !strncmp(tar->entries[i - 1].path, folder, strlen(folder)) &&
                tar->entries[i - 1].path[strlen(folder)] == '/')
                break;
            ORR_TRY(add_entry(tar, folder, ORR_ROOT_FOLDER, NULL, 0, err));
            tar->entries[tar->count - 1].order = 0; /* lower than any real entry, which wins */
        }
    }
    qsort(tar->entries, tar->count, sizeof tar->entries[0], by_path);
    for (unsigned i = 0; i < tar->count; i++)
        if (i + 1 == tar->count || strcmp(tar->entries[i].path, tar->entries[i + 1].path))
            tar->entries[kept++] = tar->entries[i];
    tar->count = kept;
    return ORR_OK;
}

/* The one folder that contains sys/, if the top does not. */
static enum orr_code find_prefix(struct orr_root *root, struct orr_arena *arena, struct orr_error *err)
{
    struct orr_root_names names;
    char folder[ORR_PATH_SIZE];
    if (orr_root_find(root, "/sys", NULL) != ORR_ROOT_NONE || orr_root_find(root, "/orrery", NULL) != ORR_ROOT_NONE)
        return ORR_OK;
    if (!orr_root_list(root, "/", arena, &names) || names.count != 1)
        return orr_arena_starved(arena) ? orr_fail_nomem(err) : ORR_OK;
    if (snprintf(folder, sizeof folder, "/%s", names.names[0]) < (int)sizeof folder &&
        orr_root_look(root, folder, NULL) == ORR_ROOT_FOLDER)
        memcpy(root->prefix, folder, sizeof folder);
    return ORR_OK;
}

enum orr_code orr_root_of_tar(const char *bytes, size_t length, struct orr_root **ret_root, struct orr_error *err)
{
    enum { MEMORY = 2 * ORR_TAR_BYTES + ORR_TAR_ENTRIES * 1024 };
    struct orr_arena *arena = orr_arena_new(MEMORY);
    struct tar *tar = arena ? ORR_NEW(arena, struct tar, 1) : NULL;
    struct orr_root *root = tar ? calloc(1, sizeof *root) : NULL;
    struct archive *archive = root ? archive_read_new() : NULL;
    if (!archive) {
        free(root);
        orr_arena_free(arena);
        return orr_fail_nomem(err);
    }
    orr_budget_stage("unpacking the archive");
    tar->arena = arena;
    root->source = &tar_source;
    root->state = tar;
    enum orr_code code;
    if (archive_read_support_format_tar(archive) != ARCHIVE_OK ||
        archive_read_support_filter_gzip(archive) != ARCHIVE_OK ||
        archive_read_open_memory(archive, bytes, length) != ARCHIVE_OK)
        code = orr_fail(err, ORR_UNRECOGNISED, "this is not a tar, plain or gzip");
    else
        code = read_all(tar, archive, err);
    archive_read_free(archive);
    if (code == ORR_OK)
        code = put_in_order(tar, err);
    if (code == ORR_OK)
        code = find_prefix(root, arena, err);
    if (code != ORR_OK) {
        orr_root_free(root);
        return code;
    }
    *ret_root = root;
    return ORR_OK;
}
