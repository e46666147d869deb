/* SPDX-License-Identifier: Apache-2.0 */
/* Two releases of which a person says that one works and the other does not: "2.18.3 works, 2.19.3 hangs", "since the
 * update from 2.20.5 to 2.22.3 it fails", "downgrading to 2.18.3 helps". The machine is then the same, so what the
 * releases do differently by default is the next thing to try. */
#include <stdio.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/release/faults.h"
#include "engine/release/release_names.h"
#include "engine/symptoms/finding.h"

enum { WORDS_MOST = 400, PASSED_MOST = 6 };

/* A line as words; a version is one of them. */
struct word {
    const char *at;
    size_t length;
    uint32_t version; /* 0 for other words */
};

enum verdict { UNSAID, WORKS, BREAKS };

static bool is_one(const struct word *word, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == word->length && !memcmp(word->at, *words, word->length))
            return true;
    return false;
}

/* "2 18 3 " -> its version and length; 0 for anything else. Older ones could be PyTorch's. */
static uint32_t read_version(const char *at, size_t *ret_length)
{
    enum { FIRST_MINOR = 14 };
    int major, minor, patch, length = 0;
    char name[40];
    bool exact;
    if (sscanf(at, "%1d %2d %2d%n", &major, &minor, &patch, &length) != 3 || major != 2 || minor < FIRST_MINOR ||
        (at[length] && at[length] != ' ') || orr_is_digit(at[length + (at[length] == ' ')]))
        return 0;
    snprintf(name, sizeof name, "2.%d.%d", minor, patch);
    *ret_length = (size_t)length;
    return orr_release_version_of(name, &exact);
}

static uint32_t split(const char *line, struct word words[WORDS_MOST])
{
    uint32_t count = 0;
    bool number = false; /* the word before is one, so that this may be the rest of a date or an address */
    for (const char *at = line; *at && count < WORDS_MOST;) {
        at += *at == ' ';
        struct word word = {at, strcspn(at, " "), 0};
        if (!word.length)
            break;
        if (!number && (word.version = read_version(at, &word.length)))
            number = false;
        else
            number = orr_is_digit(*at);
        words[count++] = word;
        at += word.length;
    }
    return count;
}

/* What the words before a version tell about it ("hangs with NCCL 2.19.3"), or else those after it. */
static enum verdict said_of(const struct word *words, uint32_t count, uint32_t v)
{
    static const char *const good[] = {"works",  "worked", "work",  "working", "fine",   "ok",
                                       "good",   "runs",   "ran",   "helps",   "helped", "succeeds",
                                       "solves", "solved", "fixes", "fixed",   NULL};
    static const char *const bad[] = {"hangs",     "hang",     "hung",    "hanging",   "fails",    "fail",
                                      "failed",    "failing",  "crashes", "crash",     "crashed",  "stuck",
                                      "broken",    "breaks",   "broke",   "deadlocks", "deadlock", "freezes",
                                      "segfaults", "segfault", "error",   "errors",    NULL};
    static const char *const passed[] = {"with",  "in",      "on",     "using",      "under", "nccl",     "version",
                                         "v",     "at",      "to",     "the",        "old",   "older",    "new",
                                         "newer", "release", "nvidia", "cu11",       "cu12",  "cu13",     "perfectly",
                                         "is",    "was",     "it",     "everything", "same",  "code",     "job",
                                         "all",   "also",    "always", "does",       "did",   "libnccl2", NULL};
    static const char *const denies[] = {"not", "t", "no", "never", "longer", "without", "doesn", NULL};
    for (uint32_t i = v, n = 0; i-- > 0 && n < PASSED_MOST; n++) {
        if (is_one(&words[i], good))
            return i && is_one(&words[i - 1], denies) ? BREAKS : WORKS;
        if (is_one(&words[i], bad))
            return i && is_one(&words[i - 1], denies) ? UNSAID : BREAKS;
        if (!is_one(&words[i], passed))
            break;
    }
    bool denied = false;
    for (uint32_t i = v + 1; i < count && i < v + PASSED_MOST; i++) {
        if (is_one(&words[i], good))
            return denied ? BREAKS : WORKS;
        if (is_one(&words[i], bad))
            return denied ? UNSAID : BREAKS;
        denied |= is_one(&words[i], denies);
        if (!denied && !is_one(&words[i], passed))
            break;
    }
    return UNSAID;
}

/* What the text tells about releases. */
struct told {
    uint32_t good, bad, line; /* versions; 0 if it says nothing */
};

/* The version B of "the update from A to B", where A is the word `v`; 0 if the line is not about that. */
static uint32_t step_from(const struct orr_log_said *said, const struct word *words, uint32_t count, uint32_t v)
{
    enum { AFTER_MOST = 4 }; /* "to NCCL version B" */
    static const char *const from[] = {"from", "nccl", "version", "v", NULL}, *const to[] = {"to", NULL};
    if (!v || !is_one(&words[v - 1], from) || v + 1 >= count || !is_one(&words[v + 1], to) ||
        !orr_log_has_word(said->words, strlen(said->words), " upgrad| updat| bump| mov| switch"))
        return 0;
    for (uint32_t i = v + 2; i < count && i <= v + AFTER_MOST; i++)
        if (words[i].version)
            return words[i].version > words[v].version ? words[i].version : 0;
    return 0;
}

/* fails: the job does so now. */
static void read_line(const struct orr_log_said *said, bool fails, struct told *told)
{
    struct word words[WORDS_MOST];
    const uint32_t count = split(said->words, words);
    for (uint32_t i = 0; i < count; i++) {
        if (!words[i].version)
            continue;
        const enum verdict verdict = said_of(words, count, i);
        const uint32_t step = fails ? step_from(said, words, count, i) : 0;
        if (verdict == UNSAID && !step)
            continue;
        if (verdict == WORKS || step)
            told->good = words[i].version > told->good ? words[i].version : told->good;
        if (verdict == BREAKS || step)
            told->bad = step ? step : words[i].version;
        told->line = said->line;
    }
}

/* Settings that turn off what one release does by default and the other does not: "NCCL_A=0, NCCL_B=0". */
static const char *what_to_turn_off(struct orr_symptom_finder *f, uint32_t good, uint32_t bad, uint32_t *ret_count)
{
    const char *list = "";
    const struct orr_release_default *row;
    *ret_count = 0;
    for (uint32_t i = 0; (row = orr_release_default_at(i)); i++)
        if (row->since > good && row->since <= bad)
            list = orr_symptom_text(f, "%s%s%s", list, (*ret_count)++ ? ", " : "", row->off);
    return list;
}

void orr_symptoms_of_releases(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_event *error = orr_symptom_unspecific(log);
    const bool fails = log->mentions[ORR_MENTION_HANG] || orr_symptom_failed(log);
    struct told told = {0};
    const char *name = NULL;
    for (uint32_t i = 0; i < f->found->count; i++)
        if (!strncmp(f->found->rows[i].id, "fault:", strlen("fault:")))
            return; /* which says what is wrong */
    for (uint32_t i = 0; i < log->said_count && log->mentions[ORR_MENTION_NCCL]; i++)
        if (!log->said[i].command)
            read_line(&log->said[i], fails, &told);
    if (told.good && !told.bad && fails)
        told.bad = orr_symptom_release(f, &name);
    if (!told.good || !told.bad || told.good == told.bad)
        return;
    char good[ORR_VERSION_SIZE], bad[ORR_VERSION_SIZE];
    orr_version_format(told.good, good);
    orr_version_format(told.bad, bad);
    if (told.good > told.bad) {
        ORR_SYMPTOM(f, "release-mended", ORR_SYMPTOM_CAUSE, told.line,
                    .cause =
                        orr_symptom_text(f,
                                         "The text says that NCCL %s works and %s does not (line %u), so a fault of "
                                         "the older release is mended in the newer one, if nothing else changed.",
                                         good, bad, told.line),
                    .check = "Check: the line \"NCCL version\" of both runs; what else is in the image may differ.",
                    .cure = orr_symptom_text(
                        f, "Use NCCL %s or newer (pip install -U nvidia-nccl-cu12 or -cu13 replaces PyTorch's).", good),
                    .explains = error ? error->message->id : NULL);
        return;
    }
    uint32_t count;
    const char *off = what_to_turn_off(f, told.good, told.bad, &count);
    ORR_SYMPTOM(
        f, "release-regressed", ORR_SYMPTOM_CAUSE, told.line,
        .cause = orr_symptom_text(f,
                                  "The text says that NCCL %s works and %s does not (line %u): if nothing else "
                                  "changed, the newer release is at fault, or what it does by default.",
                                  good, bad, told.line),
        .check = count ? orr_symptom_text(
                             f, "Check: run %s once with %s%s: %s what %s does not do. Then run the newest release.",
                             bad, count > 1 ? "each of " : "", off, count > 1 ? "they turn off" : "it turns off", good)
                       : "Check: run both releases once more with all else as it is, and then the newest one.",
        .cure = orr_symptom_text(
            f, "Stay with %s or the setting that helps, and report it to NVIDIA/nccl with both logs.", good),
        .explains = error ? error->message->id : NULL);
}
