/* SPDX-License-Identifier: Apache-2.0 */
/* The settings that detection uses, and the lists of names in them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/detect/detecting.h"

static const char *const names[] = {
    "NCCL_COMM_ID",    "NCCL_CONF_FILE",       "NCCL_DMABUF_ENABLE",   "NCCL_HOSTID",
    "NCCL_IB_DISABLE", "NCCL_IB_HCA",          "NCCL_IB_MERGE_NICS",   "NCCL_IB_MERGE_VFS",
    "NCCL_NET",        "NCCL_NET_FORCE_MERGE", "NCCL_NET_MERGE_LEVEL", "NCCL_NET_MERGE_POLICY",
    "NCCL_NET_PLUGIN", "NCCL_SOCKET_FAMILY",   "NCCL_SOCKET_IFNAME",   "NCCL_IB_DEVICE_PCI_ORDER",
    "NCCL_TOPO_FILE",
};

const char *orr_detect_setting_name(size_t i)
{
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

static const char *given(const struct orr_detector *d, const char *name)
{
    return d->options->setting ? d->options->setting(d->options->context, name) : NULL;
}

/* Finds a setting in lines of the form NAME=value; the first line with the name wins. A # in the first column begins a
 * comment. */
static enum orr_code load_file(struct orr_detector *d, const char *path, struct orr_text *text, struct orr_error *err)
{
    enum { MOST = 16384 };
    char *bytes = malloc(MOST);
    ORR_NEED(bytes, err);
    if (orr_root_read(d->root, path, bytes, MOST) > 0) {
        orr_text_puts(text, bytes);
        orr_text_puts(text, "\n");
    }
    free(bytes);
    return text->starved ? orr_fail_nomem(err) : ORR_OK;
}

enum orr_code orr_detect_settings_load(struct orr_detector *d, struct orr_error *err)
{
    enum { MOST = 65536 };
    ORR_LOCAL_TEXT(text, MOST);
    char own[ORR_PATH_SIZE] = "";
    const char *file = given(d, "NCCL_CONF_FILE"), *home = given(d, "HOME");
    if (home && !file && snprintf(own, sizeof own, "%s/.nccl.conf", home) < (int)sizeof own)
        file = own;
    if (file && *file)
        ORR_TRY(load_file(d, file, &text, err));
    ORR_TRY(load_file(d, "/etc/nccl.conf", &text, err));
    d->config = orr_text_copy(&text, d->arena);
    ORR_NEED(d->config, err);
    return ORR_OK;
}

const char *orr_detect_setting_of(struct orr_detector *d, const char *name)
{
    const char *value = given(d, name);
    size_t length = strlen(name);
    if (value)
        return value;
    for (const char *line = d->config; line && *line;) {
        const char *end = line + strcspn(line, "\n");
        if (!strncmp(line, name, length) && line[length] == '=')
            return orr_arena_strndup(d->arena, line + length + 1, (size_t)(end - line) - length - 1);
        line = *end ? end + 1 : end;
    }
    return NULL;
}

int64_t orr_detect_number_of(struct orr_detector *d, const char *name, int64_t fallback)
{
    const char *value = orr_detect_setting_of(d, name);
    return value && *value ? strtoll(value, NULL, 0) : fallback;
}
