/* SPDX-License-Identifier: Apache-2.0 */
/* Where detection reads: the machine itself, a copied /sys and /proc in a folder, or the same in a tar. Everything goes
 * through here, and nothing is ever written.
 *
 * A path begins with "/" and is looked up inside the root: symbolic links are followed one component at a time with the
 * root as their "/", and ".." stops there. So no link of a hostile copy leads out of it. Only regular files are read
 * (never a pipe or a device), and only as many bytes as fit into the caller's buffer. */
#ifndef ORR_DETECT_ROOT_H
#define ORR_DETECT_ROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/base/arena.h"
#include "engine/base/error.h"

struct orr_root;

enum {
    ORR_PATH_SIZE = 1024,        /* of a resolved path with its terminating zero */
    ORR_ROOT_DEPTH = 48,         /* nesting of folders */
    ORR_ROOT_LINKS = 40,         /* followed for one path */
    ORR_ROOT_NAMES = 8192,       /* of one folder */
    ORR_TAR_ENTRIES = 65536,     /* of a tar */
    ORR_TAR_BYTES = 32 << 20,    /* of all files in it, unpacked */
    ORR_TAR_FILE_BYTES = 1 << 20 /* of one */
};

enum orr_root_kind { ORR_ROOT_NONE, ORR_ROOT_FILE, ORR_ROOT_FOLDER, ORR_ROOT_LINK, ORR_ROOT_OTHER };

/* A folder; "/" is the machine itself. IO if it cannot be opened. */
enum orr_code orr_root_open(const char *folder, struct orr_root **ret_root, struct orr_error *err) ORR_NO_DISCARD;
/* A tar, plain or gzip, unpacked into memory; nothing is written to the file system. sys/ and proc/ may be inside one
 * folder. UNRECOGNISED if it is not a tar, INVALID if it is damaged; LIMIT. */
enum orr_code orr_root_of_tar(const char *bytes, size_t length, struct orr_root **ret_root,
                              struct orr_error *err) ORR_NO_DISCARD;
void orr_root_free(struct orr_root *root);

/* The kind of file at a path, following links; ret_path (may be NULL) becomes the path without links. */
enum orr_root_kind orr_root_find(const struct orr_root *root, const char *path, char ret_path[ORR_PATH_SIZE]);
/* The same, but a link at the end is not followed: ret_target (may be NULL) becomes its text. */
enum orr_root_kind orr_root_look(const struct orr_root *root, const char *path, char ret_target[ORR_PATH_SIZE]);
/* Reads the beginning of a file, at most size - 1 bytes, and ends it with a zero. Returns the number of bytes read, or
 * -1 if there is no such regular file or it cannot be read. */
ssize_t orr_root_read(const struct orr_root *root, const char *path, char *buffer, size_t size);

struct orr_root_names {
    const char **names; /* sorted bytewise */
    uint32_t count;
};
/* The names in a folder, without "." and ".."; false if there is no such folder, or memory ran out. */
bool orr_root_list(const struct orr_root *root, const char *path, struct orr_arena *arena,
                   struct orr_root_names *ret_names);

#endif
