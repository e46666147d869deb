/* What one behaviour changes by itself. Each row of tests/golden/boundary_effects.txt names a behaviour that a release
 * changed, and a machine that shows it: either the row of the newer release with this one behaviour put back ("back"),
 * or the row of the older one with this behaviour of the newer ("ahead"), answers otherwise than the release itself.
 *
 *     test_boundary_effects --find SECONDS    reads lines "RELEASE BEHAVIOUR" and looks for such a machine for each,
 *                                             so many seconds for a release; writes the rows that it finds */
#include <glob.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/hash.h"
#include "engine/cluster/transfers.h"
#include "engine/whatif/facts.h"
#include "engine/whatif/steps.h"
#include "tests/support/boundary_machines.h"
#include "tests/support/golden_text.h"

static struct orr_error failed;

#define TABLE "tests/golden/boundary_effects.txt"

static const struct small_machine {
    const char *name, *text;
} small[] = {
    {"a lone GPU", LONE("16.0 GT/s PCIe")},
    {"a lone GPU, speed of few words", LONE("32 GT/s")},
    {"a pair of 70", PAIR("70")},
    {"a pair of 80", PAIR("80")},
    {"a pair of 90", PAIR("90")},
    {"a pair of 100", PAIR("100")},
    {"sockets of Zhaoxin", SOCKETS(X86_ZHAOXIN)},
    {"sockets of Yongfeng", SOCKETS(X86_YONGFENG)},
    {"sockets of AMD", SOCKETS(X86_AMD)},
    {"sockets of Sapphire Rapids", SOCKETS(X86_SAPPHIRE)},
    {"sockets of ARM", SOCKETS(ARM)},
    {"sockets of POWER", SOCKETS(POWER)},
    {"one socket", ONE_SOCKET},
    {"a line", LINE},
    {"a line and a switch", LINE_AND_SWITCH},
    {"a far NIC", FAR_NIC},
    {"fast NICs", FAST_NICS},
    {"three GPUs at AMD", AMD_THREE},
    {"two functions", TWO_FUNCTIONS},
    {"fast Blackwell", FAST_BLACKWELL},
    {"a pair with CollNet", COLLNET_PAIR},
    {"Grace", GRACE("")},
    {"Grace with GIN", GRACE(" gin=\"1\"")},
    {"Grace with RMA", GRACE(" rma=\"1\"")},
    {"two Graces", GRACES},
    {"Grace with two NICs", GRACE_TWO_NICS},
    {"switched", SWITCHED},
    {"four GPUs and four NICs", FOUR_AND_FOUR},
    {"two parts", TWO_PARTS},
    {"partitions of a GPU", PARTITIONED},
    {"rails", TWO_NICS("90", NVSWITCH, " rail=\"1\"", " rail=\"0\"")},
    {"planes", TWO_NICS("90", "", " rail=\"0\" plane=\"0\"", " rail=\"0\" plane=\"1\"")},
    {"two NICs of 80", TWO_NICS("80", "", "", "")},
    {"two NICs of 100", TWO_NICS("100", NVSWITCH, "", "")},
    {"CollNet of 80", COLLNET_FOUR("80")},
    {"CollNet of 90", COLLNET_FOUR("90")},
    {"CollNet of 100", COLLNET_FOUR("100")},
    {"forty NICs", FORTY_NICS},
    {"two ports", TWO_PORTS(PORT("0", "0x1", "131072"), PORT("1", "0x2", "131072"))},
    {"ports of one bare guid", TWO_PORTS(PORT("0", "5e1f", "131072"), PORT("1", "5e1f", "131072"))},
    {"ports with one connection", TWO_PORTS(PORT("0", "0x1", "1"), PORT("1", "0x2", "1"))},
    {"a GPU in a bridge", BRIDGE_GPU},
    {"joined switches", JOINED_SWITCHES},
    {"fused hosts", FUSED},
    {"four Graces", FOUR_GRACES},
    {"CollNet of nine, 80", COLLNET_NINE("80")},
    {"CollNet of nine, 90", COLLNET_NINE("90")},
    {"a GPU of another class", OTHER_CLASS},
    {"Grace behind a switch", GRACE_BEHIND_SWITCH},
};
enum { SMALL = sizeof small / sizeof small[0] };

/* A question about a machine, without the release. */
struct question {
    struct orr_dump *dump;
    uint32_t hosts;
    const char *settings; /* "NAME=value NAME=value", "": none; --fuse-nics=always is one, too */
};

/* What a release, or a mixture of two, answers. */
struct answer {
    enum orr_code code;
    struct orr_analysis *analysis; /* NULL: refused */
    struct orr_arena *arena;
    struct orr_facts facts;
    uint64_t transfers; /* a digest */
};

static void give(struct orr_query *query, const struct question *question, const struct orr_release *release)
{
    char text[512], *rest = text;
    *query = (struct orr_query){.hosts = question->hosts};
    orr_settings_init(&query->settings, release);
    snprintf(text, sizeof text, "%s", question->settings);
    for (char *pair; (pair = strtok_r(rest, " ", &rest));) {
        char *value = strchr(pair, '=');
        assert_non_null(value);
        *value++ = '\0';
        if (!strcmp(pair, "--fuse-nics"))
            query->settings.fuse_nics = ORR_FUSE_ALWAYS;
        else
            assert_ok(orr_settings_set(&query->settings, pair, value, &failed), &failed);
    }
}

/* The rounds of some ranks, what each transfer goes over, and by which NICs; facts go without. */
static uint64_t digest_transfers(const struct orr_analysis *analysis)
{
    enum { RANKS = 6 };
    struct orr_transfers *transfers;
    uint64_t digest = ORR_HASH_START;
    assert_ok(orr_transfers_new(analysis, &transfers, &failed), &failed);
    for (uint32_t i = 0; i < RANKS && i < analysis->ranks; i++) {
        uint32_t count;
        const struct orr_p2p_round *rounds = orr_transfers_turn(transfers, (int32_t)i, &count);
        for (uint32_t r = 0; r < count; r++) {
            const int32_t peers[] = {rounds[r].send, rounds[r].receive};
            digest = orr_hash_number(digest, (uint64_t)rounds[r].channel);
            for (int side = 0; side < 2; side++) {
                struct orr_transfer_nic nic = {.proxy = -1};
                digest = orr_hash_number(digest, (uint64_t)peers[side]);
                if (peers[side] < 0 || !orr_transfer_nic(transfers, peers[side], !side, 0, &nic))
                    continue;
                digest = orr_hash_number(digest, (uint64_t)nic.net);
                digest = orr_hash_number(digest, (uint64_t)nic.proxy * 256 + nic.path);
            }
        }
    }
    orr_transfers_free(transfers);
    return digest;
}

static void ask(const struct question *question, const struct orr_query *query, struct answer *ret_answer)
{
    struct orr_error why = {0};
    *ret_answer = (struct answer){.arena = orr_arena_new(0)};
    ret_answer->code = orr_analyze(question->dump, query, NULL, &ret_answer->analysis, &why);
    assert_non_null(ret_answer->arena);
    ret_answer->analysis = ret_answer->code == ORR_OK ? ret_answer->analysis : NULL;
    if (ret_answer->analysis) {
        assert_ok(orr_facts_of(ret_answer->analysis, ret_answer->arena, &ret_answer->facts, &failed), &failed);
        ret_answer->transfers = digest_transfers(ret_answer->analysis);
    }
}

static void release_answer(struct answer *answer)
{
    if (answer->analysis)
        orr_analysis_free(answer->analysis);
    orr_arena_free(answer->arena);
    *answer = (struct answer){.code = ORR_OK};
}

static bool facts_differ(const struct orr_facts *a, const struct orr_facts *b)
{
    if (a->count != b->count)
        return true;
    for (size_t i = 0; i < a->count; i++)
        if (orr_fact_compare(&a->rows[i], &b->rows[i]) || a->rows[i].value != b->rows[i].value)
            return true;
    return false;
}

/* Ids of nodes, and links in their order, which facts go without. */
static bool hardware_differs(const struct orr_system *a, const struct orr_system *b)
{
    if (a->node_count != b->node_count || a->link_count != b->link_count)
        return true;
    for (uint32_t i = 0; i < a->node_count; i++)
        if (a->nodes[i].id != b->nodes[i].id || a->nodes[i].link_count != b->nodes[i].link_count)
            return true;
    for (uint32_t i = 0; i < a->link_count; i++)
        if (a->links[i].type != b->links[i].type || a->links[i].to != b->links[i].to ||
            orr_fact_of_float(a->links[i].bw) != orr_fact_of_float(b->links[i].bw))
            return true;
    return false;
}

/* Threads and channels of the choices, and times, which facts go without. */
static bool choices_differ(const struct orr_analysis *a, const struct orr_analysis *b)
{
    if (memcmp(a->tuning.max_threads, b->tuning.max_threads, sizeof a->tuning.max_threads) != 0)
        return true;
    for (int f = 0; f < ORR_FUNCTION_COUNT; f++)
        for (int bits = 3; bits < 36; bits++) {
            struct orr_choice x = {0}, y = {0};
            uint64_t bytes = (uint64_t)1 << bits;
            orr_tuning_choose(&a->tuning, &a->communicator, &a->query.settings, (enum orr_function)f, bytes, &x);
            orr_tuning_choose(&b->tuning, &b->communicator, &b->query.settings, (enum orr_function)f, bytes, &y);
            if (x.algorithm != y.algorithm || x.protocol != y.protocol || x.channels != y.channels ||
                x.threads != y.threads || orr_fact_of_float(x.time) != orr_fact_of_float(y.time))
                return true;
        }
    return false;
}

/* A refusal counts only where the release that the behaviour was taken from refuses as well. */
static bool differs(const struct answer *own, const struct answer *mixed, const struct answer *other)
{
    if (!own->analysis || !mixed->analysis)
        return !own->analysis != !mixed->analysis && mixed->code == other->code;
    return own->transfers != mixed->transfers || facts_differ(&own->facts, &mixed->facts) ||
           choices_differ(own->analysis, mixed->analysis) ||
           hardware_differs(&own->analysis->built, &mixed->analysis->built);
}

/* The row of a behaviour. A list takes its length along: the step of the length is that of its list. */
static bool find_behaviour(const char *name, struct orr_behaviour *ret_behaviour)
{
    if (!strcmp(name, "path_type_count"))
        name = "path_types";
    if (!strcmp(name, "tuning.algorithm_count"))
        name = "tuning.names";
    for (uint32_t i = 0; i < orr_behaviour_count(); i++) {
        orr_behaviour_get(i, ret_behaviour);
        if (!strcmp(ret_behaviour->name, name))
            return true;
    }
    return false;
}

static const struct orr_release *before(const struct orr_release *release)
{
    uint32_t count;
    const struct orr_release *all = orr_releases(&count);
    assert_true(release > all && release < all + count);
    return release - 1;
}

/* One question with the two neighbours' answers, for many behaviours. */
struct sides {
    const struct question *question;
    struct orr_query query[2]; /* of the older release, of the newer */
    struct answer answer[2];
};

static void ask_both(const struct question *question, const struct orr_release *release, struct sides *sides)
{
    sides->question = question;
    for (int side = 0; side < 2; side++) {
        give(&sides->query[side], question, side ? release : before(release));
        ask(question, &sides->query[side], &sides->answer[side]);
    }
}

static void release_sides(struct sides *sides)
{
    release_answer(&sides->answer[0]);
    release_answer(&sides->answer[1]);
}

/* Whether the behaviour of the other side changes what side `own` answers. */
static bool has_effect(const struct sides *sides, int own, const struct orr_behaviour *behaviour)
{
    static struct orr_mixture mixture;
    struct orr_step step = {.behaviour = *behaviour};
    struct orr_way way = {.from = &sides->query[own], .to = &sides->query[!own], .steps = &step, .count = 1};
    struct answer mixed;
    orr_way_mix(&way, 1, &mixture);
    ask(sides->question, &mixture.query, &mixed);
    bool found = differs(&sides->answer[own], &mixed, &sides->answer[!own]);
    release_answer(&mixed);
    return found;
}

static struct orr_dump *read_machine(const char *name)
{
    for (int i = 0; i < SMALL; i++)
        if (!strcmp(small[i].name, name))
            return read_text(small[i].text);
    char *text = golden_read(name);
    if (!*text)
        fail_msg("there is no machine %s", name);
    struct orr_dump *dump = read_text(text);
    free(text);
    return dump;
}

/* Each row of the table holds. */
static void each_behaviour_has_its_effect(void **state)
{
    char *text = golden_read(TABLE), *rest = text, machine[128] = "";
    struct question question = {.dump = NULL};
    unsigned rows = 0, wrong = 0;
    (void)state;
    for (char *line; (line = strtok_r(rest, "\n", &rest)); rows++) {
        char *field[6];
        for (int i = 0; i < 6; i++) {
            field[i] = strsep(&line, "\t");
            assert_non_null(field[i]);
        }
        assert_null(line);
        const struct orr_release *release = orr_release_find(field[0]);
        struct orr_behaviour behaviour;
        struct sides sides;
        assert_non_null(release);
        assert_true(find_behaviour(field[1], &behaviour));
        if (strcmp(machine, field[2]) != 0) {
            orr_dump_free(question.dump);
            question.dump = read_machine(field[2]);
            snprintf(machine, sizeof machine, "%s", field[2]);
        }
        question.hosts = (uint32_t)atoi(field[3]);
        question.settings = field[4];
        ask_both(&question, release, &sides);
        assert_true(!strcmp(field[5], "back") || !strcmp(field[5], "ahead"));
        if (!has_effect(&sides, !strcmp(field[5], "back"), &behaviour)) {
            print_error("%s: %s changes nothing on %s, %s hosts, %s\n", field[0], field[1], field[2], field[3],
                        field[4]);
            wrong++;
        }
        release_sides(&sides);
    }
    orr_dump_free(question.dump);
    free(text);
    assert_true(rows > 100);
    assert_int_equal(wrong, 0);
}

/* The search for rows. */
enum { MOST_WANTED = 64, MOST_FILES = 256, MOST_HUNTS = 64 };
struct wanted {
    char name[64];
    struct orr_behaviour behaviour;
    bool found, crashes[2]; /* by the side whose row is mixed */
};
struct hunt {
    const struct orr_release *release;
    struct wanted wanted[MOST_WANTED];
    int count, left, trying, own; /* the last two: what is under way */
    time_t end;
};
static const char *machines[SMALL + MOST_FILES];
static int machine_count;

static int by_size(const void *x, const void *y)
{
    struct stat a, b;
    assert_int_equal(stat(*(char *const *)x, &a) | stat(*(char *const *)y, &b), 0);
    return a.st_size < b.st_size ? -1 : a.st_size > b.st_size;
}

static void list_machines(void)
{
    static glob_t files;
    for (int i = 0; i < SMALL; i++)
        machines[machine_count++] = small[i].name;
    assert_int_equal(glob("tests/data/*.xml", 0, NULL, &files), 0);
    assert_int_equal(glob("tests/conformance/topologies/*.xml", GLOB_APPEND, NULL, &files), 0);
    assert_int_equal(glob("static/examples/*.xml", GLOB_APPEND, NULL, &files), 0);
    assert_true(files.gl_pathc < MOST_FILES);
    qsort(files.gl_pathv, files.gl_pathc, sizeof *files.gl_pathv, by_size);
    for (size_t i = 0; i < files.gl_pathc; i++)
        machines[machine_count++] = files.gl_pathv[i];
}

static void try_question(struct hunt *h, const struct question *question, const char *machine, const char *only)
{
    struct sides sides;
    ask_both(question, h->release, &sides);
    for (int i = 0; i < h->count; i++) {
        struct wanted *w = &h->wanted[i];
        if (w->found || (only && strcmp(only, w->name) != 0))
            continue;
        h->trying = i;
        for (h->own = 1; h->own >= 0 && !w->found; h->own -= !w->found)
            w->found = !w->crashes[h->own] && has_effect(&sides, h->own, &w->behaviour);
        if (!w->found)
            continue;
        printf("%s\t%s\t%s\t%u\t%s\t%s\n", h->release->name, w->name, machine, question->hosts, question->settings,
               h->own ? "back" : "ahead");
        fflush(stdout);
        h->left--;
    }
    release_sides(&sides);
}

/* The first machines, from the smallest on, with each of the settings and numbers of hosts. */
static void try_all(struct hunt *h, const char *const *settings, const uint32_t *hosts, int most, const char *only)
{
    for (int m = 0; m < machine_count && m < most && h->left && time(NULL) < h->end; m++) {
        struct question question = {.dump = read_machine(machines[m])};
        for (int s = 0; settings[s]; s++)
            for (int n = 0; hosts[n] && h->left && time(NULL) < h->end; n++) {
                question.hosts = hosts[n];
                question.settings = settings[s];
                try_question(h, &question, machines[m], only);
            }
        orr_dump_free(question.dump);
    }
}

static void hunt(struct hunt *h, int seconds)
{
    static const uint32_t few[] = {1, 2, 4, 0}, more[] = {3, 8, 17, 40, 0}, two[] = {1, 2, 0};
    static const char *const none[] = {"", "NCCL_COLLNET_ENABLE=1", NULL}, *const nothing[] = {"", NULL};
    static const char *const usual[] = {"NCCL_COLLNET_ENABLE=1 NCCL_COLLNET_NODE_THRESHOLD=1",
                                        "NCCL_CROSS_NIC=0",
                                        "NCCL_CROSS_NIC=1",
                                        "NCCL_P2P_LEVEL=LOC",
                                        "NCCL_P2P_LEVEL=PIX",
                                        "NCCL_P2P_LEVEL=SYS",
                                        "NCCL_P2P_DISABLE=1",
                                        "NCCL_SHM_DISABLE=1",
                                        "NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1",
                                        "NCCL_NET_GDR_LEVEL=SYS",
                                        "NCCL_NET_GDR_LEVEL=PHB",
                                        "NCCL_NET_GDR_LEVEL=PXN NCCL_NET_GDR_C2C=0",
                                        "NCCL_NET_GDR_LEVEL=LOC",
                                        "NCCL_PXN_C2C=1",
                                        "NCCL_PXN_C2C=0",
                                        "NCCL_PXN_DISABLE=1",
                                        "NCCL_NET_GDR_C2C=1",
                                        "NCCL_NET_GDR_C2C=0",
                                        "NCCL_NVLS_ENABLE=0",
                                        "NCCL_NVLS_ENABLE=1",
                                        "NCCL_NVLS_ENABLE=2",
                                        "NCCL_MNNVL_ENABLE=1",
                                        "NCCL_MNNVL_ENABLE=0",
                                        "NCCL_ALGO=Tree",
                                        "NCCL_ALGO=NVLS",
                                        "NCCL_ALGO=NVLSTree",
                                        "NCCL_ALGO=CollNetDirect NCCL_COLLNET_ENABLE=1",
                                        "NCCL_ALGO=CollNetChain NCCL_COLLNET_ENABLE=1",
                                        "NCCL_PAT_ENABLE=1",
                                        "NCCL_PROTO=LL",
                                        "NCCL_PROTO=LL128",
                                        "NCCL_PROTO=Simple",
                                        "NCCL_MIN_NCHANNELS=32",
                                        "NCCL_MAX_NCHANNELS=1",
                                        "NCCL_NTHREADS=64",
                                        "NCCL_ALGO=^Ring",
                                        "NCCL_ALGO=CollNetDirect",
                                        "NCCL_ALGO=allreduce:Tree",
                                        "NCCL_PROTO=^Simple",
                                        "NCCL_ALGO=Ring NCCL_PROTO=LL128",
                                        "--fuse-nics=always",
                                        NULL};
    static const char *const values[] = {"0", "1", "2", "4", "64", "SYS", "LOC", "PHB", "ALL", "MAX:1", NULL};
    time_t start = time(NULL);
    h->end = start + seconds;
    try_all(h, none, few, SMALL, NULL);
    for (int i = 0; i < h->count; i++) {
        static char texts[16][96];
        const char *named[17] = {NULL};
        if (h->wanted[i].behaviour.kind != ORR_BEHAVIOUR_SETTING || h->wanted[i].found)
            continue;
        for (int v = 0; values[v]; v++) {
            snprintf(texts[v], sizeof texts[v], "%s=%s%s", h->wanted[i].name, values[v],
                     strstr(h->wanted[i].name, "MERGE") ? " --fuse-nics=always" : "");
            named[v] = texts[v];
        }
        try_all(h, named, few, SMALL + 3, h->wanted[i].name);
    }
    h->end = start + seconds / 2;
    try_all(h, none, few, machine_count, NULL);
    h->end = start + seconds * 2 / 3;
    try_all(h, usual, two, SMALL, NULL);
    h->end = start + seconds * 5 / 6;
    try_all(h, nothing, more, machine_count, NULL);
    h->end = start + seconds;
    try_all(h, usual, two, machine_count, NULL);
}

/* Each release in a process of its own, which begins again without a mixture that crashes. */
static int find(int seconds)
{
    struct hunt *hunts =
        mmap(NULL, MOST_HUNTS * sizeof *hunts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int count = 0;
    char release[32], name[64];
    list_machines();
    while (scanf("%31s %63s", release, name) == 2) {
        if (!count || strcmp(hunts[count - 1].release->name, release) != 0)
            hunts[count++].release = orr_release_find(release);
        struct hunt *h = &hunts[count - 1];
        struct wanted *w = &h->wanted[h->count++];
        snprintf(w->name, sizeof w->name, "%s", name);
        assert_true(h->count < MOST_WANTED && count < MOST_HUNTS && find_behaviour(name, &w->behaviour));
        h->left = h->count;
    }
    for (int i = 0, status; i < count; i += !status) {
        struct hunt *h = &hunts[i];
        pid_t child = fork();
        if (!child) {
            hunt(h, seconds);
            _exit(0);
        }
        waitpid(child, &status, 0);
        fprintf(stderr, "%s: %d of %d found\n", h->release->name, h->count - h->left, h->count);
        if (status) {
            fprintf(stderr, "%s: crash with %s %s\n", h->release->name, h->wanted[h->trying].name,
                    h->own ? "put back" : "ahead");
            h->wanted[h->trying].crashes[h->own] = true;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_behaviour_has_its_effect)};
    if (argc == 3 && !strcmp(argv[1], "--find"))
        return find(atoi(argv[2]));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
