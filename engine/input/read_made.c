/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that another room turns into a dump: a log with NCCL's printed tree, and the tar of `orrery gather`. Their
 * elements have no place in the user's bytes. */
#include <string.h>

#include "engine/detect/detect.h"
#include "engine/input/merge.h"
#include "engine/input/readers.h"
#include "engine/log_reading/log.h"
#include "engine/release/release_names.h"

/* A printed tree has only rates and ids; these are the other values, which engine/log_reading/tree_dump.c supplies. */
static void note_log(struct orr_draft *draft, const struct orr_log *log)
{
    const char *release = NULL, *counts = draft->notes.recognised;
    const struct orr_release *row = orr_release_of(orr_log_version(log, &release));
    for (uint32_t i = 0; i < log->record_count && !draft->notes.gpu_name; i++)
        if (log->records[i].kind == ORR_LOG_DEVICE && log->records[i].word_count > 2)
            draft->notes.gpu_name = orr_draft_format(draft, "%.80s", log->records[i].words[2]);
    draft->notes.logged_release = row ? row->name : NULL;
    orr_note_recognised(draft, "the tree that NCCL%s%s printed: %s", release ? " " : "", release ? release : "",
                        counts ? counts : "");
    for (struct orr_doc_node *node = draft->doc.system; node; node = orr_doc_next(node, draft->doc.system))
        if (node->kind == ORR_ELEMENT_GPU) {
            orr_note_assumed(
                draft, ORR_TOUCHES_ALL,
                "NCCL's tree has no compute capability: %s is assumed, from the first known device name of the log or "
                "the bandwidth of the NVLinks, else 80. It also decides how many NVLinks make up a bandwidth",
                orr_doc_word(node, ORR_ATTR_SM));
            break;
        }
    orr_note_assumed(
        draft, ORR_TOUCHES_GDR | ORR_TOUCHES_PATHS | ORR_TOUCHES_GRAPHS | ORR_TOUCHES_CHANNELS | ORR_TOUCHES_TUNING,
        "GPUDirect RDMA is assumed to be possible with every NIC for which the log does not deny it");
    orr_note_assumed(draft, ORR_TOUCHES_TUNING, "NICs are assumed to have no latency beyond NCCL's own");
    orr_note_assumed(draft, ORR_TOUCHES_BANDWIDTH,
                     "speed and width of PCI links are chosen so that they give the printed rates, and the model of a "
                     "CPU is one of the printed family");
    if (log->host_count > 1)
        orr_note_assumed(draft, ORR_TOUCHES_ALL,
                         "the log is from %u hosts: Orrery uses the first complete tree and assumes that the other "
                         "hosts are like it",
                         log->host_count);
    orr_note_missing(draft, "NCCL_TOPO_DUMP_FILE=topo.xml, set for the same job",
                     "what a tree does not print: compute capabilities, GPUDirect RDMA, latencies, and devices that "
                     "the communicator does not use");
}

static enum orr_code dump_of(const struct orr_log *log, struct orr_dump **ret_dump, struct orr_error *err)
{
    const char *why = NULL;
    ORR_TRY(orr_log_tree_dump(log, 0, ret_dump, &why, err));
    if (*ret_dump)
        return ORR_OK;
    return orr_fail_with(err, ORR_UNRECOGNISED, NULL,
                         "`orrery check-log --topology FILE LOG`, or dropping it onto an open machine, compares it; "
                         "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH prints the tree",
                         "an NCCL debug log, which shows no machine: %s", why);
}

enum orr_code orr_read_log(const struct orr_input *input, const struct orr_input_kind *kind, struct orr_dump **ret_dump,
                           struct orr_error *err)
{
    struct orr_draft draft;
    struct orr_log *log;
    struct orr_dump *dump = NULL;
    ORR_TRY(orr_log_read(input->bytes, input->length, NULL, &log, err));
    enum orr_code code = dump_of(log, &dump, err);
    if (code == ORR_OK) {
        orr_draft_take(&draft, input, dump);
        orr_note_dump(&draft, dump);
        note_log(&draft, log);
        code = orr_paste_take(&draft, input, log, err);
        if (code == ORR_OK)
            code = orr_draft_finish(&draft, input, kind, ret_dump, err);
        else
            orr_draft_release(&draft);
    }
    orr_log_free(log);
    return code;
}

/* If a note of detection says what was assumed, every answer may rest on it; any other note names a missing fact. */
static void note_detection(struct orr_draft *draft, const struct orr_detection *found,
                           const struct orr_release *release)
{
    const char *counts = draft->notes.recognised;
    orr_note_recognised(draft, "what detection reads of a machine, and what NCCL %s would dump there: %s",
                        release->name, counts ? counts : "");
    draft->notes.release = release->name;
    for (uint32_t i = 0; i < found->note_count; i++) {
        const struct orr_note *note = &found->notes[i];
        if (note->severity == ORR_NOTE_INFO && strstr(note->id, "assumed"))
            orr_note_assumed(draft, ORR_TOUCHES_ALL, "%s%s%s", note->text, note->advice[0] ? "; " : "", note->advice);
        else
            orr_note_missing(draft, orr_draft_format(draft, "%s", note->command), "%s%s%s", note->text,
                             note->advice[0] && !note->command[0] ? "; " : "", note->command[0] ? "" : note->advice);
    }
}

/* libarchive's messages about bytes that are not such a tar help nobody. */
static enum orr_code refuse_packed(const struct orr_input *input, struct orr_error *err)
{
    bool gzip = input->length > 1 && (unsigned char)input->bytes[0] == 0x1f;
    *err = (struct orr_error){0};
    orr_fail(err, ORR_UNRECOGNISED, "%s",
             gzip ? "a gzip file without what orrery gather packs" : "a tar archive without what orrery gather packs");
    orr_error_advice(err, "%s; orrery gather machine.tar.gz packs a machine",
                     gzip ? "unpack it first: gunzip FILE" : "send the files in it one by one");
    return ORR_UNRECOGNISED;
}

enum orr_code orr_read_gathered(const struct orr_input *input, const struct orr_input_kind *kind,
                                struct orr_dump **ret_dump, struct orr_error *err)
{
    const struct orr_release *release = input->options.release ? input->options.release : orr_release_default();
    const struct orr_detect_options options = {.release = release, .nvml = "none"};
    struct orr_detection found;
    struct orr_draft draft;
    enum orr_code code = orr_detect_from_tar(input->bytes, input->length, &options, &found, err);
    if (code != ORR_OK)
        return code == ORR_UNRECOGNISED ? refuse_packed(input, err) : code;
    bool nothing = false;
    for (uint32_t i = 0; i < found.note_count; i++)
        nothing |= !strcmp(found.notes[i].id, "no-sys");
    if (nothing && !found.gpu_count) {
        orr_detection_release(&found);
        return refuse_packed(input, err);
    }
    struct orr_dump *dump = found.dump;
    dump->arena = orr_arena_take(&found.arena);
    orr_draft_take(&draft, input, dump);
    orr_note_dump(&draft, dump);
    note_detection(&draft, &found, release);
    return orr_draft_finish(&draft, input, kind, ret_dump, err);
}
