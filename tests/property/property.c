/* SPDX-License-Identifier: Apache-2.0 */
/* Random machines through every release: whatever the machine, the settings and the number of hosts, what must hold
 * holds.
 *
 *     property [--seed N] [--count M] [--releases K]
 *
 * Case N, N + 1, ... each make a machine (or change bytes of a file that there is), a question (hosts and settings),
 * and ask it of every row of the release table, or of K rows, so that as many cases ask each row. A seed makes the same
 * case everywhere, but for those that change files of ../shared, which may not be there. Whatever fails is printed with
 * its seed, and its XML is written to a file.
 *
 * Nothing here looks at a clock to judge: the search is bounded by NCCL's step budgets. The slowest case is named, no
 * more. */
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/release/release.h"
#include "tests/property/checks.h"
#include "tests/property/machine.h"
#include "tests/property/mutation.h"
#include "tests/property/question.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

enum { MOST_FILES = 256, MOST_RELEASES = 64, LARGEST_FILE = 100000, LARGEST_XML = 1 << 20, MOST_REPORTS = 10 };
enum { FEWEST_TO_JUDGE = 100, LEAST_ANALYSED = 60 }; /* per cent of the generated machines, with this many cases */
enum { FEWEST_TO_MISS = 200 };                       /* cases that must have every kind of thing that is counted */
enum { EVERY_NTH_COMPARED = 6 };                     /* with the next release: a dozen analyses each */
enum { EVERY_NTH_EXPLAINED = 3 };                    /* all kinds, three settings tried */
enum { EVERY_NTH_WRITTEN = 2 };                      /* as a document, with the costs of findings: up to 20 analyses */
enum { EVERY_NTH_REPEATED = 2 * EVERY_NTH_WRITTEN }; /* the document is compared */

enum origin { GENERATED, GENERATED_CHANGED, FILE_CHANGED, ORIGIN_COUNT };
static const char *const origins[] = {"generated", "generated, bytes changed", "a file, bytes changed"};

struct pattern_files {
    size_t count;
    char *paths[MOST_FILES];
};

struct test_case {
    uint64_t seed;
    enum origin origin;
    const char *file; /* that was changed, NULL if there is none */
    struct orr_text xml;
    struct question question;
};

struct score { /* of a release */
    uint32_t asked[ORIGIN_COUNT], analysed[ORIGIN_COUNT];
    uint32_t refused[ORR_CODE_COUNT];
    double slowest;
    uint64_t slowest_seed;
};

struct run {
    struct pattern_files own, shared;
    struct score scores[MOST_RELEASES];
    struct tally tally;
    uint32_t passed, failed;
};

/* What is being tried, for those who end this program from outside or from within: a sanitizer, or ^C at a hang. */
static const struct test_case *current;
static const char *current_release = "";

static void find_files(struct pattern_files *files, const char *const *patterns)
{
    for (; *patterns; patterns++) {
        glob_t found;
        if (glob(*patterns, 0, NULL, &found) == 0) {
            for (size_t i = 0; i < found.gl_pathc && files->count < MOST_FILES; i++)
                files->paths[files->count++] = strdup(found.gl_pathv[i]);
            globfree(&found);
        }
    }
}

static void forget_files(struct pattern_files *files)
{
    while (files->count)
        free(files->paths[--files->count]);
}

/* A file as text; false if it cannot be read, is empty, or is larger than what is worth the time. */
static bool load(const char *path, char *bytes, size_t *ret_length)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    *ret_length = fread(bytes, 1, LARGEST_FILE + 1, file);
    fclose(file);
    return *ret_length > 0 && *ret_length <= LARGEST_FILE;
}

static bool change_file(const struct run *run, struct chance *chance, struct test_case *test)
{
    bool from_shared = chance_percent(chance, 50);
    const struct pattern_files *files = from_shared && run->shared.count ? &run->shared : &run->own;
    uint32_t choice = (uint32_t)chance_next(chance);
    size_t length = 0;
    char *bytes = malloc(LARGEST_FILE + 1);
    bool loaded = bytes && files->count && load(files->paths[choice % files->count], bytes, &length);
    if (loaded) {
        test->file = files->paths[choice % files->count];
        mutate(chance, bytes, length, &test->xml);
    }
    free(bytes);
    return loaded;
}

static void make_case(const struct run *run, uint64_t seed, struct test_case *ret_test)
{
    struct chance chance = {.state = seed};
    uint32_t kind = chance_below(&chance, 100);
    *ret_test = (struct test_case){.seed = seed};
    orr_text_init(&ret_test->xml, LARGEST_XML);
    question_make(&chance, &ret_test->question);
    ret_test->origin = kind < 75 ? GENERATED : kind < 85 ? GENERATED_CHANGED : FILE_CHANGED;
    if (ret_test->origin == FILE_CHANGED && change_file(run, &chance, ret_test))
        return;
    static struct machine machine;
    ORR_LOCAL_TEXT(whole, LARGEST_XML);
    machine_plan(&machine, &chance);
    machine_write(&machine, &whole);
    if (ret_test->origin == GENERATED)
        orr_text_add(&ret_test->xml, whole.data, whole.length);
    else
        mutate(&chance, whole.data, whole.length, &ret_test->xml);
}

/* Writes the machine beside other temporary files and gives the name of the file. */
static const char *keep_xml(const struct test_case *test)
{
    static char path[256];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/orrery-property-%llu.xml", folder ? folder : "/tmp",
             (unsigned long long)test->seed);
    FILE *file = fopen(path, "wb");
    if (!file)
        return "(the machine could not be written)";
    fwrite(test->xml.data, 1, test->xml.length, file);
    fclose(file);
    return path;
}

static void describe(FILE *out, const struct test_case *test, const char *release)
{
    fprintf(out, "seed %llu (%s%s%s), release %s, hosts %u", (unsigned long long)test->seed, origins[test->origin],
            test->file ? ": " : "", test->file ? test->file : "", release, test->question.hosts);
    for (uint32_t i = 0; i < test->question.count; i++)
        fprintf(out, " %s=%s", test->question.settings[i].name, test->question.settings[i].value);
    fprintf(out, "\n  machine: %s\n  again: build-dev/tests/property --seed %llu\n", keep_xml(test),
            (unsigned long long)test->seed);
}

static void report_death(void)
{
    if (current) {
        fputs("\nproperty: ended within ", stderr);
        describe(stderr, current, current_release);
    }
}

static void on_signal(int number)
{
    (void)number;
    report_death(); /* more than a handler may do, but this is the end in any case */
    _exit(1);
}

static bool check_all(const struct orr_analysis *analysis, struct tally *tally, struct orr_error *err)
{
    static bool (*const checks[])(const struct orr_analysis *, struct tally *, struct orr_error *) = {
        check_system,   check_paths,  check_symmetry, check_graphs,   check_loads,
        check_channels, check_tuning, check_views,    check_transfers};
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if (!checks[i](analysis, tally, err))
            return false;
    return true;
}

/* Reads and analyses; OK: the answer is there, with all that must hold and its document. */
static enum orr_code answer(const struct test_case *test, const struct orr_release *release, struct tally *tally,
                            bool *ret_good, char **ret_bytes, size_t *ret_length, struct orr_error *err)
{
    static struct orr_query query;
    ORR_LOCAL(orr_dump, dump);
    ORR_LOCAL(orr_analysis, analysis);
    enum orr_code code = question_ask(&test->question, release, &query, err);
    if (code == ORR_OK)
        code = orr_dump_read(test->xml.data, test->xml.length, NULL, &dump, err);
    if (code == ORR_OK)
        code = orr_analyze(dump, &query, NULL, &analysis, err);
    if (code == ORR_OK)
        *ret_good = check_all(analysis, tally, err) &&
                    (test->seed % EVERY_NTH_COMPARED || check_differences(analysis, tally, err)) &&
                    check_cluster(analysis, test->seed, tally, err) &&
                    (test->seed % EVERY_NTH_EXPLAINED || check_explanations(analysis, tally, err)) &&
                    (test->seed % EVERY_NTH_WRITTEN || check_document(analysis, tally, ret_bytes, ret_length, err));
    else if (dump)
        *ret_good = check_dump(dump, err);
    return code;
}

/* The same once more: the same bytes? */
static bool repeats(const struct test_case *test, const struct orr_release *release, const char *bytes, size_t length,
                    struct orr_error *err)
{
    struct tally ignored = {0};
    char *again = NULL;
    size_t again_length = 0;
    bool good = false;
    enum orr_code code = answer(test, release, &ignored, &good, &again, &again_length, err);
    bool same = code == ORR_OK && good && again_length == length && !memcmp(bytes, again, length);
    free(again);
    return same ? true : WRONG(err, "the same question got another answer");
}

static double cpu_seconds(void)
{
    return (double)orr_cpu_ns() / 1e9;
}

static void try_release(struct run *run, const struct test_case *test, const struct orr_release *release,
                        struct score *score)
{
    struct orr_error err = {0};
    char *bytes = NULL;
    size_t length = 0;
    bool good = true;
    double start = cpu_seconds();
    current_release = release->name;
    enum orr_code code = answer(test, release, &run->tally, &good, &bytes, &length, &err);
    double seconds = cpu_seconds() - start;
    score->asked[test->origin]++;
    if (code == ORR_OK) {
        score->analysed[test->origin]++;
        if (good && test->seed % EVERY_NTH_REPEATED == 0) {
            good = repeats(test, release, bytes, length, &err);
            run->tally.repeats++;
        }
    } else {
        score->refused[code]++;
        good = good && err.code == code && err.text[0] && code != ORR_INTERNAL && code != ORR_NOMEM;
    }
    if (seconds > score->slowest) {
        score->slowest = seconds;
        score->slowest_seed = test->seed;
    }
    free(bytes);
    run->passed += good;
    run->failed += !good;
    if (good || run->failed > MOST_REPORTS)
        return;
    printf("FAILED: %s: %s\n  ", orr_code_name(code), err.text);
    describe(stdout, test, release->name);
    fflush(stdout);
}

static void try_case(struct run *run, uint64_t seed, uint32_t most_releases)
{
    struct test_case test;
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    uint32_t asked = most_releases < count ? most_releases : count;
    make_case(run, seed, &test);
    current = &test;
    for (uint32_t i = 0; i < asked; i++) {
        uint32_t r = (uint32_t)((seed * asked + i) % count);
        try_release(run, &test, &releases[r], &run->scores[r]);
    }
    current = NULL;
    orr_text_release(&test.xml);
}

/* Too few answers would mean that the properties were shown of hardly anything. */
static void judge_share(struct run *run, const char *who, const struct score *score)
{
    uint32_t asked = score->asked[GENERATED], analysed = score->analysed[GENERATED];
    if (asked < FEWEST_TO_JUDGE || analysed * 100 >= asked * LEAST_ANALYSED)
        return;
    printf("FAILED: %s: %u of %u generated machines are analysed, less than %d %%\n", who, analysed, asked,
           LEAST_ANALYSED);
    run->failed++;
}

static void print_release(const struct orr_release *release, const struct score *score)
{
    uint32_t changed = score->asked[GENERATED_CHANGED] + score->asked[FILE_CHANGED];
    printf("%-8s %u of %u generated machines analysed, %u of %u with bytes changed;", release->name,
           score->analysed[GENERATED], score->asked[GENERATED],
           score->analysed[GENERATED_CHANGED] + score->analysed[FILE_CHANGED], changed);
    for (int code = 0; code < ORR_CODE_COUNT; code++)
        if (score->refused[code])
            printf(" %u %s", score->refused[code], orr_code_name((enum orr_code)code));
    printf("; slowest seed %llu: %.2f s\n", (unsigned long long)score->slowest_seed, score->slowest);
}

static void conclude(struct run *run, uint64_t count)
{
    uint32_t release_count;
    const struct orr_release *releases = orr_releases(&release_count);
    struct score all = {0};
    for (uint32_t r = 0; r < release_count; r++) {
        print_release(&releases[r], &run->scores[r]);
        judge_share(run, releases[r].name, &run->scores[r]);
        all.asked[GENERATED] += run->scores[r].asked[GENERATED];
        all.analysed[GENERATED] += run->scores[r].analysed[GENERATED];
    }
    judge_share(run, "all releases", &all);
    if (!run->shared.count)
        printf("skipped: changed files of ../shared, because it is not beside this checkout; our own were changed "
               "instead\n");
#define X(name, text)                                                                                                  \
    printf("%12llu %s\n", (unsigned long long)run->tally.name, text);                                                  \
    if (count >= FEWEST_TO_MISS && !run->tally.name) {                                                                 \
        printf("FAILED: no %s at all\n", text);                                                                        \
        run->failed++;                                                                                                 \
    }
    TALLY_MAP(X)
#undef X
    printf("%u passed, %u failed\n", run->passed, run->failed);
}

int main(int argc, char **argv)
{
    static const char *const own[] = {"tests/data/*.xml", "static/examples/*.xml", "tests/conformance/topologies/*.xml",
                                      NULL};
    static const char *const shared[] = {"../shared/topologies/*/*.xml", NULL};
    static struct run run;
    uint64_t seed = 1, count = 1, most_releases = MOST_RELEASES;
    uint32_t release_count;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && !strcmp(argv[i], "--seed"))
            seed = strtoull(argv[i + 1], NULL, 10);
        else if (i + 1 < argc && !strcmp(argv[i], "--count"))
            count = strtoull(argv[i + 1], NULL, 10);
        else if (i + 1 < argc && !strcmp(argv[i], "--releases"))
            most_releases = strtoull(argv[i + 1], NULL, 10);
        else {
            fputs("usage: property [--seed N] [--count M] [--releases K], from the root of the repository\n", stderr);
            return 2;
        }
    }
    orr_releases(&release_count);
    if (release_count > MOST_RELEASES) {
        fprintf(stderr, "property: more than %d releases: raise MOST_RELEASES\n", MOST_RELEASES);
        return 2;
    }
    find_files(&run.own, own);
    find_files(&run.shared, shared);
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_set_death_callback(report_death);
#endif
    for (uint64_t i = 0; i < count; i++)
        try_case(&run, seed + i, (uint32_t)most_releases);
    conclude(&run, count);
    forget_files(&run.own);
    forget_files(&run.shared);
    return run.failed ? 1 : 0;
}
