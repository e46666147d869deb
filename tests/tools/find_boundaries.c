/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for machines on which one behaviour of a release changes something by itself
 * (tests/golden/boundary_effects.txt):
 *
 *     python3 tests/tools/check_boundaries.py --not-shown | build/tests/find_boundaries SECONDS FOLDER [SEED]
 *
 * Reads lines "RELEASE BEHAVIOUR". For each release it tries random questions, a number of seconds for each of its
 * behaviours: machines of tests/property and of other tests with changed speeds and counts, alone or two in one
 * communicator. It shrinks each machine found as long as the effect stays, writes it into FOLDER, and prints its
 * row. */
#include <glob.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/property/machine.h"
#include "tests/support/boundary_questions.h"
#include "tests/tools/vary_machine.h"

enum {
    MOST_WANTED = 128,
    MOST_FILES = 256,
    MOST_TEXT = 1 << 18,
    MOST_LINES = 2000,
    MOST_SETTINGS = 256,
    LARGEST_FILE = 20000,
    MOST_GPUS_TRIED = 12,
    SECONDS_TO_REDUCE = 40,
    SECONDS_OF_A_CASE = 60
};

struct wanted {
    const struct orr_release *release;
    char name[64];
    struct orr_behaviour behaviour;
    bool found;
};
static struct {
    struct wanted wanted[MOST_WANTED];
    int count, trying;
    uint64_t seed;
} * shared; /* with the child that tries */

/* A question as text. */
struct made {
    char text[2][MOST_TEXT]; /* an element a line */
    int parts;
    const char *suffix[2]; /* "@a" */
    uint32_t hosts;
    char settings[MOST_SETTINGS];
};

static glob_t files;
static const char *folder;

/* Copies a document so that each element has its line. */
static void copy_by_lines(const char *from, char *to)
{
    const char *end = to + MOST_TEXT - 2;
    bool at_start = true;
    for (; *from && to < end; from++) {
        if (*from == '\n' || (at_start && (*from == ' ' || *from == '\t')))
            continue;
        at_start = *from == '>';
        *to++ = *from;
        if (at_start)
            *to++ = '\n';
    }
    *to = '\0';
}

static void make_random(struct chance *c, char *text)
{
    static struct machine machine;
    ORR_LOCAL_TEXT(xml, MOST_TEXT - 1);
    do
        machine_plan(&machine, c);
    while (machine.gpu_count > MOST_GPUS_TRIED);
    machine_write(&machine, &xml);
    snprintf(text, MOST_TEXT, "%s", xml.data);
}

static void make_known(struct chance *c, char *text)
{
    uint32_t which = chance_below(c, (uint32_t)(SMALL + files.gl_pathc));
    char *file = which < SMALL ? NULL : golden_read(files.gl_pathv[which - SMALL]);
    copy_by_lines(file ? file : small[which].text, text);
    free(file);
}

/* A random one of the wanted behaviours, NULL if it is not a setting. */
static const char *wanted_setting(struct chance *c)
{
    const struct wanted *w = &shared->wanted[chance_below(c, (uint32_t)shared->count)];
    return w->behaviour.kind == ORR_BEHAVIOUR_SETTING ? w->name : NULL;
}

static void choose_settings(struct chance *c, struct made *made)
{
    static const char *const values[] = {"0", "1", "2", "4", "64", "LOC", "PIX", "PHB", "SYS", "ALL", "MAX:1"};
    static const char *const usual[] = {
        "NCCL_COLLNET_ENABLE=1",  "NCCL_COLLNET_ENABLE=1",  "NCCL_CROSS_NIC=0",         "NCCL_CROSS_NIC=1",
        "NCCL_P2P_LEVEL=SYS",     "NCCL_P2P_LEVEL=LOC",     "NCCL_P2P_DISABLE=1",       "NCCL_SHM_DISABLE=1",
        "NCCL_NET_GDR_LEVEL=SYS", "NCCL_NET_GDR_LEVEL=LOC", "NCCL_NET_GDR_C2C=1",       "NCCL_PXN_C2C=1",
        "NCCL_PXN_DISABLE=1",     "NCCL_MIN_NCHANNELS=32",  "NCCL_ALGO=Tree",           "NCCL_ALGO=NVLS",
        "NCCL_PROTO=Simple",      "--fuse-nics=always",     "NCCL_MAX_P2P_NCHANNELS=64"};
    made->settings[0] = '\0';
    for (uint32_t n = chance_below(c, 4); n > 0; n--) {
        char text[96];
        const char *name = wanted_setting(c);
        const struct orr_setting_info *info = orr_setting_info((enum orr_setting)chance_below(c, ORR_SETTING_COUNT));
        if (!name && chance_percent(c, 70))
            snprintf(text, sizeof text, "%s", CHANCE_OF(c, usual));
        else
            snprintf(text, sizeof text, "%s=%s", name ? name : info->name, CHANCE_OF(c, values));
        if (info->id == ORR_SET_ALGO || info->id == ORR_SET_PROTO)
            continue; /* their names are not such values */
        size_t used = strlen(made->settings);
        if (used + strlen(text) + 2 < sizeof made->settings)
            snprintf(made->settings + used, sizeof made->settings - used, "%s%s", used ? " " : "", text);
    }
}

static void make(uint64_t seed, struct made *made)
{
    static const uint32_t hosts[] = {1, 1, 1, 2, 2, 2, 3, 4, 5, 6, 8, 9, 16, 17, 33};
    static const char *const joined[][2] = {{"", ""},         {"", ""},     {"@a", "@a"},
                                            {"@a/1", "@a/2"}, {"@a", "@b"}, {"@a", ""}};
    struct chance c = {.state = seed};
    const char *const *suffix = CHANCE_OF(&c, joined);
    made->parts = chance_percent(&c, 25) ? 2 : 1;
    made->hosts = CHANCE_OF(&c, hosts);
    for (int i = 0; i < made->parts; i++) {
        made->suffix[i] = made->parts > 1 ? suffix[i] : "";
        if (i && chance_percent(&c, 60))
            memcpy(made->text[1], made->text[0], MOST_TEXT);
        else if (chance_percent(&c, 60))
            make_random(&c, made->text[i]);
        else
            make_known(&c, made->text[i]);
        vary_machine(&c, made->text[i], MOST_TEXT);
    }
    choose_settings(&c, made);
}

/* false if a machine cannot be read. */
static bool question_of(const struct made *made, struct question *question)
{
    *question = (struct question){.hosts = made->hosts, .settings = made->settings};
    for (int i = 0; i < made->parts; i++) {
        set_domain(question, question->parts, made->suffix[i]);
        question->dumps[question->parts] = read_with_graphs(made->text[i]);
        if (!question->dumps[question->parts]) {
            forget_question(question);
            return false;
        }
        question->parts++;
    }
    return true;
}

/* Both releases answer, and the behaviour of the other changes the answer of one of them. */
static bool shows(const struct made *made, const struct wanted *wanted, int own)
{
    struct question question;
    struct sides sides;
    if (!question_of(made, &question))
        return false;
    ask_both(&question, wanted->release, &sides);
    bool found = sides.answer[0].analysis && sides.answer[1].analysis && has_effect(&sides, own, &wanted->behaviour);
    forget_sides(&sides);
    forget_question(&question);
    return found;
}

/* Leaves out settings one by one, and takes fewer hosts. */
static void ask_for_less(struct made *made, const struct wanted *wanted, int own)
{
    static struct made less;
    for (char *at = made->settings; *at;) {
        size_t length = strcspn(at, " "), before = (size_t)(at - made->settings);
        less = *made;
        memmove(less.settings + before, at + length + (at[length] == ' '), strlen(at + length) + (at[length] != ' '));
        if (shows(&less, wanted, own))
            *made = less;
        else
            at += length + (at[length] == ' ');
    }
    size_t used = strlen(made->settings);
    while (used && made->settings[used - 1] == ' ')
        made->settings[--used] = '\0';
    for (less = *made, less.hosts = 1; less.hosts < made->hosts; less.hosts++)
        if (shows(&less, wanted, own))
            made->hosts = less.hosts;
}

/* The line that ends the element of a line: the line itself, if it has nothing inside. */
static int end_of(char *const *lines, int count, int first)
{
    int depth = 0;
    for (int i = first; i < count; i++) {
        bool empty = strstr(lines[i], "/>") != NULL;
        depth += !strncmp(lines[i], "</", 2) ? -1 : !empty;
        if (!depth)
            return i;
    }
    return -1;
}

static bool without(struct made *made, int part, char *const *lines, int count, bool *gone, const struct wanted *wanted,
                    int own)
{
    static struct made less;
    char *to = less.text[part];
    less = *made;
    for (int i = 0; i < count; i++)
        if (!gone[i]) {
            to = stpcpy(to, lines[i]);
            *to++ = '\n';
        }
    *to = '\0';
    if (!shows(&less, wanted, own))
        return false;
    *made = less;
    return true;
}

/* Removes elements from a machine, with or without the elements inside them. Returns whether any could be removed. */
static bool take_elements_out(struct made *made, int part, const struct wanted *wanted, int own, time_t end)
{
    static char text[MOST_TEXT];
    static char *lines[MOST_LINES];
    static bool gone[MOST_LINES], kept[MOST_LINES];
    int count = 0;
    bool any = false;
    memcpy(text, made->text[part], sizeof text);
    memset(gone, 0, sizeof gone);
    for (char *rest = text, *line; count < MOST_LINES && (line = strtok_r(rest, "\n", &rest));)
        lines[count++] = line;
    for (int i = 1; i < count && time(NULL) < end; i++) {
        int last = gone[i] || !strncmp(lines[i], "</", 2) ? -1 : end_of(lines, count, i);
        if (last < 0)
            continue;
        memcpy(kept, gone, sizeof kept);
        memset(gone + i, 1, (size_t)(last - i + 1));
        bool smaller = without(made, part, lines, count, gone, wanted, own);
        if (!smaller && last > i) {
            memcpy(gone, kept, sizeof gone);
            gone[i] = gone[last] = true;
            smaller = without(made, part, lines, count, gone, wanted, own);
        }
        if (!smaller)
            memcpy(gone, kept, sizeof gone);
        any |= smaller;
    }
    return any;
}

static void write_row(const struct made *made, const struct wanted *wanted, int own)
{
    printf("%s\t%s\t", wanted->release->name, wanted->name);
    for (int i = 0; i < made->parts; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s-%s%s.xml", folder, wanted->release->name, wanted->name, i ? "-other" : "");
        golden_write(path, made->text[i]);
        printf("%s%s%s", i ? " + " : "", path, made->suffix[i]);
    }
    printf("\t%u\t%s\t%s\n", made->hosts, made->settings, own ? "back" : "ahead");
    fflush(stdout);
}

static void try_seed(const struct orr_release *release)
{
    static struct made made, smaller;
    struct question question;
    struct sides sides;
    int side_of[MOST_WANTED];
    memset(side_of, -1, sizeof side_of);
    make(shared->seed, &made);
    if (!question_of(&made, &question))
        return;
    ask_both(&question, release, &sides);
    for (int i = 0; i < shared->count && sides.answer[0].analysis && sides.answer[1].analysis; i++) {
        const struct wanted *w = &shared->wanted[i];
        shared->trying = i;
        for (int own = 1; own >= 0 && w->release == release && !w->found && side_of[i] < 0; own--)
            if (has_effect(&sides, own, &w->behaviour))
                side_of[i] = own;
    }
    forget_sides(&sides);
    forget_question(&question);
    for (int i = 0; i < shared->count; i++) {
        struct wanted *w = &shared->wanted[i];
        time_t end = time(NULL) + SECONDS_TO_REDUCE;
        if (side_of[i] < 0)
            continue;
        w->found = true;
        alarm(SECONDS_TO_REDUCE + SECONDS_OF_A_CASE);
        smaller = made;
        ask_for_less(&smaller, w, side_of[i]);
        for (bool again = true; again && time(NULL) < end;) {
            again = false;
            for (int part = 0; part < made.parts; part++)
                again |= take_elements_out(&smaller, part, w, side_of[i], end);
        }
        write_row(&smaller, w, side_of[i]);
    }
}

static int left_of(const struct orr_release *release)
{
    int left = 0;
    for (int i = 0; i < shared->count; i++)
        left += shared->wanted[i].release == release && !shared->wanted[i].found;
    return left;
}

/* In a process of its own, which goes on with the next seed after one that crashes or takes too long. */
static void hunt(const struct orr_release *release, int seconds, uint64_t first)
{
    int left = left_of(release), status;
    time_t end = time(NULL) + (time_t)seconds * left;
    for (shared->seed = first; left_of(release) && time(NULL) < end;) {
        pid_t child = fork();
        while (!child && left_of(release) && time(NULL) < end) {
            shared->seed++;
            alarm(SECONDS_OF_A_CASE);
            try_seed(release);
        }
        if (!child)
            _exit(0);
        waitpid(child, &status, 0);
        if (status)
            fprintf(stderr, "%s: seed %llu ends with status %d at %s\n", release->name,
                    (unsigned long long)shared->seed, status, shared->wanted[shared->trying].name);
    }
    if (left)
        fprintf(stderr, "%s: %d of %d found\n", release->name, left - left_of(release), left);
}

int main(int argc, char **argv)
{
    uint32_t count;
    const struct orr_release *all = orr_releases(&count);
    char release[32];
    if (argc < 3) {
        fputs("usage: find_boundaries SECONDS FOLDER [SEED]\n", stderr);
        return 2;
    }
    folder = argv[2];
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    glob("tests/data/*.xml", 0, NULL, &files);
    glob("tests/conformance/topologies/*.xml", GLOB_APPEND, NULL, &files);
    while (shared->count < MOST_WANTED && scanf("%31s %63s", release, shared->wanted[shared->count].name) == 2) {
        struct wanted *w = &shared->wanted[shared->count++];
        w->release = orr_release_find(release);
        if (!w->release || !find_behaviour(w->name, &w->behaviour)) {
            fprintf(stderr, "no behaviour %s of %s\n", w->name, release);
            return 2;
        }
    }
    for (uint32_t i = 1; i < count; i++)
        hunt(&all[i], atoi(argv[1]), argc > 3 ? strtoull(argv[3], NULL, 10) : 1);
    return 0;
}
