/* SPDX-License-Identifier: Apache-2.0 */
/* Answers the questions of reference cases, many in one process: starting `orrery analyze` for each takes longer than
 * most answers. answers.py drives it, and check.py asks the command line about some of the cases as well, to show that
 * both say the same.
 *
 * Standard input: one question a line, fields parted by tabs:
 *
 *     RELEASE  HOSTS  SECTION,SECTION...  [NCCL_NAME=VALUE]...  FILE...
 *
 * HOSTS 0 asks about one communicator over different hosts, one host a file, in the order of their ranks.
 *
 * Standard output: "ok" and one line of JSON a section, or one line "error: ...". Standard error stays empty.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/documents/documents.h"
#include "engine/cluster/cluster.h"
#include "engine/input/input.h"

enum { MAX_LINE = 65536, MAX_FILES = 64, MAX_FILE = 16 << 20 };

struct asked {
    struct orr_settings settings;
    uint32_t hosts; /* 0 means one host a file */
    const char *sections;
    const char *files[MAX_FILES];
    uint32_t file_count;
};

/* Data of one question; freed before the next. */
struct made {
    struct orr_dump *dumps[MAX_FILES]; /* NULL means the same file as an earlier one */
    struct orr_analysis *analysis;
    struct orr_cluster *cluster; /* owns the analysis if it exists */
};

static enum orr_code understand(char *line, struct asked *asked, struct orr_error *err)
{
    char *rest = NULL, *name = strtok_r(line, "\t", &rest), *hosts = strtok_r(NULL, "\t", &rest);
    asked->sections = strtok_r(NULL, "\t", &rest);
    const struct orr_release *release = name ? orr_release_find(name) : NULL;
    if (!release || !asked->sections)
        return orr_fail(err, ORR_INVALID, "no question, or no such release: \"%.40s\"", name ? name : "");
    asked->hosts = (uint32_t)strtoul(hosts, NULL, 10);
    orr_settings_init(&asked->settings, release);
    for (char *field; (field = strtok_r(NULL, "\t", &rest)) != NULL;) {
        char *equals = strncmp(field, "NCCL_", 5) == 0 ? strchr(field, '=') : NULL;
        if (equals) {
            *equals = '\0';
            ORR_TRY(orr_settings_set(&asked->settings, field, equals + 1, err));
        } else if (asked->file_count < MAX_FILES) {
            asked->files[asked->file_count++] = field;
        }
    }
    if (asked->file_count == 0 || (asked->hosts && asked->file_count > 1))
        return orr_fail(err, ORR_INVALID, "one file, or one a host where hosts is 0");
    return ORR_OK;
}

static enum orr_code read_dump(const char *path, const struct orr_release *release, struct orr_dump **ret_dump,
                               struct orr_error *err)
{
    const struct orr_input_options options = {.release = release};
    FILE *file = fopen(path, "rb");
    if (!file)
        return orr_fail(err, ORR_IO, "%.200s cannot be opened", path);
    char *bytes = malloc(MAX_FILE);
    size_t length = bytes ? fread(bytes, 1, MAX_FILE, file) : 0;
    fclose(file);
    enum orr_code code = bytes ? orr_input_read(bytes, length, &options, ret_dump, err) : orr_fail_nomem(err);
    free(bytes);
    return code;
}

static enum orr_code answer(const struct asked *asked, struct made *made, struct orr_error *err)
{
    struct orr_cluster_line lines[MAX_FILES];
    for (uint32_t i = 0; i < asked->file_count; i++) {
        uint32_t same = 0;
        while (strcmp(asked->files[same], asked->files[i]) != 0)
            same++;
        if (same == i)
            ORR_TRY(read_dump(asked->files[i], asked->settings.release, &made->dumps[i], err));
        lines[i] = (struct orr_cluster_line){.dump = made->dumps[same], .count = 1};
    }
    if (asked->hosts) {
        const struct orr_query query = {.settings = asked->settings, .hosts = asked->hosts};
        return orr_analyze(made->dumps[0], &query, NULL, &made->analysis, err);
    }
    const struct orr_cluster_request request = {
        .lines = lines, .line_count = asked->file_count, .settings = asked->settings};
    ORR_TRY(orr_cluster_analyze(&request, &made->cluster, err));
    made->analysis = made->cluster->analysis;
    return ORR_OK;
}

static void forget(struct made *made)
{
    if (made->cluster)
        orr_cluster_free(made->cluster);
    else if (made->analysis)
        orr_analysis_free(made->analysis);
    for (uint32_t i = 0; i < MAX_FILES; i++)
        if (made->dumps[i])
            orr_dump_free(made->dumps[i]);
}

/* All sections, or nothing but an error. */
static enum orr_code write_sections(const struct asked *asked, const struct orr_analysis *analysis,
                                    struct orr_text *text, struct orr_error *err)
{
    for (const char *at = asked->sections; *at;) {
        char name[40];
        size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        ORR_TRY(orr_analysis_json(analysis, "", name, false, text, err));
        orr_text_puts(text, "\n");
        at += length + (at[length] == ',');
    }
    return orr_text_failed(text) ? orr_fail(err, ORR_LIMIT, "the answer is too large") : ORR_OK;
}

int main(void)
{
    static char line[MAX_LINE];
    while (fgets(line, sizeof line, stdin)) {
        struct asked asked = {0};
        struct made made = {0};
        struct orr_error err = {0};
        struct orr_text text;
        line[strcspn(line, "\n")] = '\0';
        orr_text_init(&text, (size_t)256 << 20);
        enum orr_code code = understand(line, &asked, &err);
        if (code == ORR_OK)
            code = answer(&asked, &made, &err);
        if (code == ORR_OK)
            code = write_sections(&asked, made.analysis, &text, &err);
        if (code == ORR_OK)
            printf("ok\n%s", text.data ? text.data : "");
        else
            printf("error: %s\n", err.text);
        orr_text_release(&text);
        forget(&made);
        if (fflush(stdout))
            return 1;
    }
    return 0;
}
