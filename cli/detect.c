/* SPDX-License-Identifier: Apache-2.0 */
/* `orrery detect` and `orrery gather`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/post.h"
#include "cli/terminal.h"
#include "engine/detect/detect.h"

/* A setting from the command line or, if this machine itself is examined, from the environment. */
static const char *find_setting(const void *context, const char *name)
{
    const struct orr_options *options = context;
    size_t length = strlen(name);
    for (size_t i = options->setting_count; i > 0; i--)
        if (!strncmp(options->settings[i - 1], name, length) && options->settings[i - 1][length] == '=')
            return options->settings[i - 1] + length + 1;
    return options->root || options->file ? NULL : getenv(name);
}

/* A typing mistake must not go unnoticed. */
static bool settings_are_known(const struct orr_options *options)
{
    for (size_t i = 0; i < options->setting_count; i++) {
        size_t length = strcspn(options->settings[i], "="), k = 0;
        const char *name;
        while ((name = orr_detect_setting_name(k)) &&
               (strlen(name) != length || strncmp(name, options->settings[i], length)))
            k++;
        if (name)
            continue;
        fprintf(stderr, "orrery: detection does not use the setting %.*s; it uses:", (int)length, options->settings[i]);
        for (k = 0; (name = orr_detect_setting_name(k)); k++)
            fprintf(stderr, " %s", name);
        fprintf(stderr, "\n");
        return false;
    }
    return true;
}

int orr_detect_options_read(const struct orr_options *options, struct orr_detect_options *wanted)
{
    struct orr_error err = {0};
    uint32_t sm = 0;
    *wanted = (struct orr_detect_options){.root = options->root,
                                          .nvml = options->nvml,
                                          .running = options->running,
                                          .release = options->params.query.settings.release,
                                          .setting = find_setting,
                                          .context = options};
    if (options->sm && orr_read_number("sm", options->sm, 30, 199, &sm, &err) != ORR_OK)
        return orr_report(NULL, &err);
    wanted->sm = (int32_t)sm;
    return settings_are_known(options) ? ORR_EXIT_OK : ORR_EXIT_USAGE;
}

static void print_notes(const struct orr_detection *detection)
{
    for (uint32_t i = 0; i < detection->note_count; i++) {
        const struct orr_note *note = &detection->notes[i];
        orr_message("%s: %s [%s]", note->severity == ORR_NOTE_WARNING ? "warning" : "note", note->text, note->id);
        if (note->advice[0])
            orr_message("  %s", note->advice);
    }
}

static enum orr_code detect(const struct orr_options *options, const struct orr_detect_options *wanted,
                            struct orr_detection *detection, struct orr_error *err)
{
    char *bytes;
    size_t length;
    if (!options->file)
        return orr_detect(wanted, detection, err);
    ORR_TRY(orr_read_input(options->file, &bytes, &length, err));
    enum orr_code code = ORR_OK;
    if (!orr_is_tar(bytes, length)) {
        code = orr_fail(err, ORR_UNRECOGNISED, "this is not a tar of `orrery gather`");
        orr_error_advice(err, "orrery gather machine.tar.gz packs one; --root DIR takes an unpacked one");
    } else {
        code = orr_detect_from_tar(bytes, length, wanted, detection, err);
    }
    free(bytes);
    return code;
}

static bool post_is_usable(const struct orr_options *options)
{
    const char *lone = options->token_file ? "--token-file" : options->params.label_count ? "--label" : NULL;
    if (options->params.name)
        lone = "--name";
    if (options->ca_file)
        lone = "--ca-file";
    if (!options->post && lone) {
        fprintf(stderr, "orrery: %s needs --post URL\n", lone);
        return false;
    }
    if (options->root && options->file) {
        fprintf(stderr, "orrery: --root and a file exclude each other\n");
        return false;
    }
    return true;
}

int orr_command_detect(const struct orr_options *options)
{
    struct orr_detect_options wanted;
    struct orr_detection detection;
    struct orr_error err = {0};
    int status = post_is_usable(options) ? orr_detect_options_read(options, &wanted) : ORR_EXIT_USAGE;
    if (status)
        return status;
    const char *source = options->file ? options->file : options->root;
    if (detect(options, &wanted, &detection, &err) != ORR_OK)
        return orr_report(source, &err);
    if (options->json && !options->post) {
        struct orr_json json = {0};
        status = orr_print_json(&json, orr_detection_json(&json, wanted.release, &detection), true);
    } else {
        print_notes(&detection);
        if (options->output || !options->post)
            status = orr_write_out(options->output, detection.xml, detection.length);
        if (!status && options->post) {
            orr_budget_leave();
            status = orr_post_dump(options, detection.xml, detection.length);
        }
    }
    orr_detection_release(&detection);
    return status;
}

int orr_command_gather(const struct orr_options *options)
{
    struct orr_detect_options wanted;
    struct orr_error err = {0};
    struct orr_text tar;
    /* The positional argument is the output file, not an input. */
    struct orr_options reading = *options;
    reading.file = NULL;
    ORR_EXIT_TRY(orr_detect_options_read(&reading, &wanted));
    bool standard = !options->file || !strcmp(options->file, "-");
    if (standard && isatty(STDOUT_FILENO)) {
        fprintf(stderr, "orrery: a tar would garble the terminal: name a file, such as machine.tar.gz\n");
        return ORR_EXIT_USAGE;
    }
    if (orr_gather(&wanted, &tar, &err) != ORR_OK)
        return orr_report(options->root, &err);
    int status = orr_write_out(standard ? NULL : options->file, tar.data, tar.length);
    orr_text_release(&tar);
    return status;
}
