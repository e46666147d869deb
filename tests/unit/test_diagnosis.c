/* SPDX-License-Identifier: Apache-2.0 */
/* The diagnosis: what findings cost, which of them follow from others, and the headline. tests/tools/check_faults.py
 * does the same for every known machine; here are the rules one by one. */
#include <math.h>

#include "engine/base/text.h"
#include "engine/cluster/cluster.h"
#include "engine/diagnosis/diagnosis.h"
#include "engine/diagnosis/measure.h"
#include "engine/machines/groups.h"
#include "engine/machines/recognise.h"
#include "tests/support/fixture.h"

#define CPU_START                                                                                                      \
    "<cpu numaid=\"0\" arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"143\" affinity=\"ffff\">"
#define BRIDGE(bus) "<pci busid=\"" bus "\" class=\"0x060400\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">"
#define H100(bus, dev, width, links)                                                                                   \
    "<pci busid=\"" bus "\" class=\"0x030200\" vendor=\"0x10de\" device=\"0x2330\" link_speed=\"32.0 GT/s PCIe\" "     \
    "link_width=\"" width "\"><gpu dev=\"" dev "\" sm=\"90\" rank=\"" dev "\" gdr=\"1\">" links "</gpu></pci>"
#define LINKS(count) "<nvlink target=\"0000:05:00.0\" count=\"" count "\" tclass=\"0x068000\"/>"
#define CX7(bus, dev, speed, gdr)                                                                                      \
    "<pci busid=\"" bus "\" class=\"0x020700\" vendor=\"0x15b3\" device=\"0x1021\" link_speed=\"32.0 GT/s PCIe\" "     \
    "link_width=\"16\"><nic><net name=\"mlx5_" dev "\" dev=\"" dev "\" speed=\"" speed "\" port=\"1\" guid=\"0x" dev   \
    "1\" maxconn=\"131072\" gdr=\"" gdr "\"/></nic></pci>"
/* Four switches, each with one GPU and one NIC. */
#define MACHINE(width1, links1, nic1, rest)                                                                            \
    "<system version=\"1\">" CPU_START BRIDGE("0000:10:00.0") H100("0000:11:00.0", "0", "16", LINKS("18"))             \
        CX7("0000:12:00.0", "0", "400000", "1") "</pci>" BRIDGE("0000:20:00.0")                                        \
            H100("0000:21:00.0", "1", width1, links1) nic1                                                             \
        "</pci>" BRIDGE("0000:30:00.0") H100("0000:31:00.0", "2", "16", LINKS("18"))                                   \
            CX7("0000:32:00.0", "2", "400000", "1") "</pci>" BRIDGE("0000:40:00.0")                                    \
                H100("0000:41:00.0", "3", "16", LINKS("18")) CX7("0000:42:00.0", "3", "400000", "1") "</pci>" rest     \
                                                                                                     "</cpu></system>"
#define NIC1 CX7("0000:22:00.0", "1", "400000", "1")

static const char healthy[] = MACHINE("16", LINKS("18"), NIC1, "");

struct answer {
    struct orr_dump *dump;
    struct orr_analysis *analysis;
    struct orr_arena *arena;
    struct orr_diagnosis diagnosis;
};

/* dump becomes the answer's. */
static struct answer diagnose_dump(struct orr_dump *dump, uint32_t hosts, const char *setting, const char *value)
{
    struct orr_error err = {0};
    struct answer a = {.dump = dump, .arena = orr_arena_new(0)};
    struct orr_query query = {.hosts = hosts};
    orr_settings_init(&query.settings, orr_release_find("2.27.7"));
    if (setting)
        assert_ok(orr_settings_set(&query.settings, setting, value, &err), &err);
    assert_ok(orr_analyze(a.dump, &query, NULL, &a.analysis, &err), &err);
    assert_ok(orr_diagnose(a.analysis, a.arena, &a.diagnosis, &err), &err);
    return a;
}

static struct answer diagnose(const char *text, uint32_t hosts, const char *setting, const char *value)
{
    return diagnose_dump(read_text(text), hosts, setting, value);
}

static void release(struct answer *a)
{
    orr_analysis_free(a->analysis);
    orr_dump_free(a->dump);
    orr_arena_free(a->arena);
}
#define ANSWER __attribute__((cleanup(release))) struct answer

static const struct orr_diagnosed *row_of(const struct answer *a, const char *id)
{
    for (uint32_t i = 0; i < a->diagnosis.count; i++)
        if (!strcmp(a->diagnosis.rows[i].finding->row->id, id))
            return &a->diagnosis.rows[i];
    return NULL;
}

TEST(a_machine_without_faults_is_healthy)
{
    ANSWER a = diagnose(healthy, 2, NULL, NULL);
    assert_int_equal(a.diagnosis.state, ORR_VERDICT_HEALTHY);
    assert_int_equal(a.diagnosis.cause, UINT32_MAX);
    assert_non_null(strstr(a.diagnosis.sentence, "nothing was found that lowers what NCCL 2.27.7 gets"));
    for (uint32_t i = 0; i < a.diagnosis.count; i++)
        assert_int_equal(a.diagnosis.rows[i].severity, ORR_SEVERITY_INFO);
    assert_false(a.diagnosis.has_all);
}

/* The cost is that of the two machines, analysed one after the other. */
TEST(the_cost_is_the_difference_to_the_repaired_machine)
{
    ANSWER whole = diagnose(healthy, 2, NULL, NULL);
    ANSWER a = diagnose(MACHINE("4", LINKS("18"), NIC1, ""), 2, NULL, NULL);
    const struct orr_diagnosed *row = row_of(&a, "slow-link");
    struct orr_choice choice;
    assert_non_null(row);
    assert_true(row->has_cost && !row->cost.none);
    assert_int_equal(row->cost.figure, ORR_COST_BUS_BW);
    assert_int_equal(row->cost.hosts, 2);
    assert_true(orr_tuning_choose(&whole.analysis->tuning, &whole.analysis->communicator,
                                  &whole.analysis->query.settings, ORR_ALLREDUCE, 1u << 30, &choice));
    assert_true(row->cost.repaired == (double)choice.bus_bw);
    assert_true(orr_tuning_choose(&a.analysis->tuning, &a.analysis->communicator, &a.analysis->query.settings,
                                  ORR_ALLREDUCE, 1u << 30, &choice));
    assert_true(row->cost.now == (double)choice.bus_bw);
    assert_true(row->cost.now < row->cost.repaired);
    assert_true(row->cost.change_count > 0);
    assert_int_equal(row->cost.changes[0].figure, ORR_COST_BUS_BW);
    assert_true(row->cost.changes[0].hosts == 2 && row->cost.changes[0].repaired == row->cost.repaired);
    assert_int_equal(a.diagnosis.state, ORR_VERDICT_DEGRADED);
    assert_string_equal(a.diagnosis.rows[a.diagnosis.cause].finding->row->id, "slow-link");
    assert_non_null(strstr(a.diagnosis.sentence, "AllReduce gets "));
    assert_non_null(strstr(a.diagnosis.sentence, "because a GPU's PCIe link has fewer lanes"));
    assert_true(a.diagnosis.analyses <= 20);
}

#define TRAY_GPU(bus, dev, rank, links)                                                                                \
    "<pci busid=\"" bus "\" class=\"0x030200\" vendor=\"0x10de\" device=\"0x2941\" link_speed=\"32.0 GT/s PCIe\" "     \
    "link_width=\"16\"><gpu dev=\"" dev "\" sm=\"100\" rank=\"" rank "\" gdr=\"1\">" links "</gpu></pci>"
#define TRAY(hash, rank0, rank1, nic, links)                                                                           \
    "<cpu host_hash=\"" hash                                                                                           \
    "\" numaid=\"0\" arch=\"arm64\" affinity=\"ffff\">" TRAY_GPU("0000:11:00.0", "0", rank0, LINKS("18"))              \
        TRAY_GPU("0000:21:00.0", "1", rank1, links) CX7("0000:12:00.0", nic, "400000", "1") "</cpu>"

/* A file that NCCL's reader refuses is not a fault of the machine; of several hosts, which no reader takes, nothing is
 * said. */
TEST(a_refused_file_is_no_fault_of_the_machine)
{
    char refused[sizeof healthy + 32];
    snprintf(refused, sizeof refused, "<?xml version=\"1.0\"?>%s", healthy);
    ANSWER a = diagnose(refused, 1, NULL, NULL);
    assert_non_null(row_of(&a, "nccl-refuses-file"));
    assert_int_equal(a.diagnosis.state, ORR_VERDICT_HEALTHY);
    assert_non_null(strstr(a.diagnosis.sentence, "But NCCL could not read this file as NCCL_TOPO_FILE."));
    struct answer rack =
        diagnose("<?xml version=\"1.0\"?><system version=\"1\">" TRAY("0x1", "0", "1", "0", LINKS("18"))
                     TRAY("0x2", "2", "3", "1", LINKS("18")) "</system>",
                 1, NULL, NULL);
    assert_null(row_of(&rack, "nccl-refuses-file"));
    assert_int_equal(rack.diagnosis.state, ORR_VERDICT_HEALTHY);
    release(&rack);
}

/* A domain of two trays is two hosts, whose devices have the same names: costs count the hosts, findings name the host.
 */
TEST(a_domain_of_two_trays_is_two_hosts)
{
    static const char two_trays[] = "<system version=\"1\">" TRAY("0x1", "0", "1", "0", LINKS("18"))
        TRAY("0x2", "2", "3", "1", LINKS("1")) "</system>";
    for (uint32_t domains = 1; domains <= 2; domains++) {
        struct answer a = diagnose(two_trays, domains, NULL, NULL);
        const struct orr_diagnosed *row = row_of(&a, "nvlink-count");
        char what[64];
        assert_non_null(row);
        assert_string_equal(row->finding->detail,
                            "GPU 1 of host 1 has 1 NVLink; GPU 0 of host 0, an equal device, has 18 NVLinks");
        assert_true(row->has_cost && row->cost.hosts == 1);
        orr_cost_figure_for(row->cost.figure, row->cost.hosts * row->cost.fused, what);
        assert_string_equal(what, "bus bandwidth of AllReduce at 1 GiB on 2 hosts");
        assert_non_null(
            strstr(a.diagnosis.sentence, " GB/s on 2 hosts, because a GPU has fewer NVLinks than its equals"));
        release(&a);
    }
}

/* NVLinks that are down cost something on one host already; what vanishes with the repair is folded. */
TEST(consequences_follow_their_cause)
{
    ANSWER a = diagnose(MACHINE("16", "", NIC1, ""), 1, NULL, NULL);
    const struct orr_diagnosed *cause = row_of(&a, "nvlink-count");
    assert_non_null(cause);
    assert_int_equal(cause->follows, UINT32_MAX);
    assert_true(cause->has_cost && !cause->cost.none);
    uint32_t folded = 0;
    for (uint32_t i = 0; i < a.diagnosis.count; i++)
        if (a.diagnosis.rows[i].follows != UINT32_MAX) {
            assert_ptr_equal(&a.diagnosis.rows[a.diagnosis.rows[i].follows], cause);
            folded++;
        }
    assert_true(folded > 0);
}

TEST(what_costs_nothing_is_a_note)
{
    /* One host of GPUs on NVSwitches does not use its NICs. */
    ANSWER a = diagnose(MACHINE("16", LINKS("18"), CX7("0000:22:00.0", "1", "400000", "0"), ""), 1,
                        "NCCL_NET_GDR_LEVEL", "LOC");
    const struct orr_diagnosed *row = row_of(&a, "gdr-off");
    if (row) {
        assert_true(row->has_cost && row->cost.none);
        assert_int_equal(row->severity, ORR_SEVERITY_INFO);
    }
    assert_int_equal(a.diagnosis.state, ORR_VERDICT_HEALTHY);
}

TEST(all_repairs_are_tried_together)
{
    ANSWER a = diagnose(MACHINE("4", LINKS("9"), CX7("0000:22:00.0", "1", "100000", "0"), ""), 1, NULL, NULL);
    assert_true(a.diagnosis.has_all);
    assert_false(a.diagnosis.all.none);
    for (uint32_t i = 0; i < a.diagnosis.count; i++)
        if (a.diagnosis.rows[i].has_cost && !a.diagnosis.rows[i].cost.none &&
            a.diagnosis.rows[i].cost.hosts == a.diagnosis.all.hosts)
            assert_true(a.diagnosis.all.repaired >= a.diagnosis.rows[i].cost.repaired);
}

static double last_gain(const struct answer *a, double *ret_sum)
{
    double last = 0;
    *ret_sum = 0;
    for (uint32_t i = 0; i < a->diagnosis.count; i++)
        if (a->diagnosis.rows[i].cost.has_gain)
            *ret_sum += last = a->diagnosis.rows[i].cost.gain;
    return last;
}

/* The healthy machine with a value of one NIC and one GPU changed. */
static void change(char text[sizeof healthy + 64], const char *near, const char *from, const char *to)
{
    char *at = strstr(text, near), rest[sizeof healthy + 64];
    assert_non_null(at);
    assert_non_null(at = strstr(at, from));
    snprintf(rest, sizeof rest, "%s%s", to, at + strlen(from));
    strcpy(at, rest);
}

/* Slots of half the width hide that all links run at Gen4: repairing the links gains nothing as long as the slots are
 * narrow, but without that repair, wide slots gain less. */
TEST(a_fault_that_another_one_hides_costs_something_together_with_it)
{
    char text[sizeof healthy + 64];
    snprintf(text, sizeof text, "%s", healthy);
    for (char *at = text; (at = strstr(at, "32.0 GT/s PCIe"));)
        memcpy(at, "16.0", 4);
    ANSWER links = diagnose(text, 2, NULL, NULL);
    for (int nic = 1; nic <= 4; nic++) {
        char bus[32];
        snprintf(bus, sizeof bus, "0000:%d2:00.0", nic);
        change(text, bus, "link_width=\"16\"", "link_width=\"8\"");
    }
    ANSWER whole = diagnose(healthy, 2, NULL, NULL);
    ANSWER a = diagnose(text, 2, NULL, NULL);
    const struct orr_diagnosed *generation = row_of(&a, "pcie-below-model"), *slots = row_of(&a, "slow-slot");
    struct orr_performance sound;
    double sum;
    orr_measure(whole.analysis, &sound);
    assert_int_equal(a.diagnosis.state, ORR_VERDICT_DEGRADED);
    assert_true(a.diagnosis.has_all && a.diagnosis.all.repaired == sound.value[ORR_COST_BUS_BW]);
    assert_true(generation && generation->cost.together && generation->severity == ORR_SEVERITY_WARNING);
    assert_true(slots && !slots->cost.together && slots->cost.has_gain);
    last_gain(&a, &sum);
    assert_true(fabs(sum - (a.diagnosis.all.repaired - a.diagnosis.all.now)) < 1e-6 * sum);
    assert_true(row_of(&links, "pcie-below-model") && !row_of(&links, "pcie-below-model")->cost.together);
}

/* A slot is wide enough for its NIC until that runs at the speed of its equals. */
TEST(a_fault_that_only_the_repaired_machine_shows_is_repaired_too)
{
    ANSWER whole = diagnose(healthy, 2, NULL, NULL);
    char text[sizeof healthy + 64];
    snprintf(text, sizeof text, "%s", MACHINE("16", LINKS("18"), CX7("0000:22:00.0", "1", "100000", "1"), ""));
    change(text, "0000:22:00.0", "32.0 GT/s", "16.0 GT/s");
    change(text, "0000:22:00.0", "link_width=\"16\"", "link_width=\"8\"");
    ANSWER a = diagnose(text, 2, NULL, NULL);
    struct orr_performance sound;
    orr_measure(whole.analysis, &sound);
    assert_true(a.diagnosis.has_all && a.diagnosis.all.repaired == sound.value[ORR_COST_BUS_BW]);
}

/* Two faults, one reference: what both repairs add is what the machine lacks, and no finding names another figure. */
TEST(every_cost_refers_to_the_machine_with_everything_repaired)
{
    char text[sizeof healthy + 64];
    snprintf(text, sizeof text, "%s", healthy);
    change(text, "0000:12:00.0", "link_width=\"16\"", "link_width=\"8\"");
    change(text, "0000:32:00.0", "gdr=\"1\"", "gdr=\"0\"");
    ANSWER whole = diagnose(healthy, 2, NULL, NULL);
    ANSWER a = diagnose(text, 2, NULL, NULL);
    const struct orr_cost *all = &a.diagnosis.all;
    struct orr_performance sound;
    double sum;
    char figures[64], twice[64];
    uint32_t gains = 0;
    orr_measure(whole.analysis, &sound);
    assert_true(a.diagnosis.has_all && all->figure == ORR_COST_BUS_BW);
    assert_true(all->repaired == sound.value[ORR_COST_BUS_BW]);
    last_gain(&a, &sum);
    assert_true(fabs(sum - (all->repaired - all->now)) < 1e-6 * all->repaired);
    for (uint32_t i = 0; i < a.diagnosis.count; i++) {
        const struct orr_diagnosed *row = &a.diagnosis.rows[i];
        if (row->has_cost && !row->cost.none && row->cost.figure == ORR_COST_BUS_BW && row->cost.hosts == all->hosts)
            assert_true(row->cost.all_repaired == all->repaired);
        gains += row->cost.has_gain;
    }
    assert_int_equal(gains, 2);
    snprintf(figures, sizeof figures, "AllReduce gets %.3g of %.3g GB/s on 2 hosts.", all->now, all->repaired);
    assert_non_null(strstr(a.diagnosis.sentence, figures));
    assert_null(strstr(a.diagnosis.sentence, "instead of"));
    /* with one fault, the reference is its own repair */
    ANSWER one = diagnose(MACHINE("16", LINKS("18"), CX7("0000:22:00.0", "1", "400000", "0"), ""), 2, NULL, NULL);
    const struct orr_diagnosed *row = row_of(&one, "gdr-off");
    assert_non_null(row);
    assert_true(row->cost.all_repaired == row->cost.repaired);
    orr_cost_text(&row->cost, twice);
    assert_non_null(strstr(twice, " of "));
}

/* A title and an advice fit the device and the extent that was found. */
TEST(remedies_fit_the_device)
{
    static const struct {
        const char *nic, *id, *title, *not_said, *said;
    } rows[] = {
        {CX7("0000:22:00.0", "1", "400000", "0"), "gdr-off", "on some RDMA NICs", "nvidia-peermem", "is loaded"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[sizeof healthy + 512];
        snprintf(text, sizeof text, "%s", MACHINE("16", LINKS("18"), CX7("0000:22:00.0", "1", "400000", "0"), ""));
        ANSWER a = diagnose(text, 2, NULL, NULL);
        const struct orr_diagnosed *row = row_of(&a, rows[i].id);
        assert_non_null(row);
        assert_non_null(strstr(row->finding->title, rows[i].title));
        assert_null(strstr(row->finding->advice, rows[i].not_said));
        assert_non_null(strstr(row->finding->advice, rows[i].said));
    }
    ANSWER gpu = diagnose(MACHINE("4", LINKS("18"), NIC1, ""), 2, NULL, NULL);
    assert_string_equal(row_of(&gpu, "slow-link")->finding->title,
                        "A GPU's PCIe link has fewer lanes than those of equal GPUs");
    assert_null(strstr(row_of(&gpu, "slow-link")->finding->advice, "under load"));
}

/* A level that the user sets is the user's, not NCCL's default. */
TEST(a_given_level_is_not_called_a_default)
{
    ANSWER given = diagnose(healthy, 2, "NCCL_NET_GDR_LEVEL", "LOC");
    const struct orr_diagnosed *row = row_of(&given, "gdr-too-far");
    if (row) {
        assert_null(strstr(row->finding->title, "default"));
        assert_non_null(strstr(row->finding->title, "NCCL_NET_GDR_LEVEL"));
    }
}

TEST(settings_are_repaired_too)
{
    ANSWER a = diagnose(healthy, 1, "NCCL_P2P_DISABLE", "1");
    const struct orr_diagnosed *row = row_of(&a, "setting-hinders");
    assert_non_null(row);
    assert_true(row->has_cost && !row->cost.none && row->cost.now < row->cost.repaired);
    assert_string_equal(a.diagnosis.rows[a.diagnosis.cause].finding->row->id, "setting-hinders");
}

/* The NIC of one group is missing, or below the CPU. */
TEST(nics_belong_to_their_group)
{
    const char *gone = MACHINE("16", LINKS("18"), "", ""), *moved = MACHINE("16", LINKS("18"), "", NIC1);
    for (int i = 0; i < 2; i++) {
        struct answer a = diagnose(i ? moved : gone, 2, NULL, NULL);
        assert_int_equal(row_of(&a, "nic-missing") != NULL, !i);
        assert_int_equal(row_of(&a, "nic-misplaced") != NULL, i);
        assert_true(row_of(&a, i ? "nic-misplaced" : "nic-missing")->has_cost);
        release(&a);
    }
}

/* A NIC that the user excludes is not missing; one that the machine does not have either still is. */
TEST(an_excluded_nic_is_not_missing)
{
    ANSWER excluded = diagnose(healthy, 2, "NCCL_IB_HCA", "^mlx5_1");
    assert_null(row_of(&excluded, "nic-missing"));
    const char *gone = MACHINE("16", LINKS("18"), "", CX7("0000:50:00.0", "4", "100000", "1"));
    ANSWER missing = diagnose(gone, 2, "NCCL_IB_HCA", "^mlx5_4");
    assert_non_null(row_of(&missing, "nic-missing"));
}

TEST(the_machine_is_recognised_by_its_pci_ids)
{
    ORR_LOCAL_ARENA(arena, 0);
    ORR_OWNED(orr_dump) *dump = read_text(healthy);
    struct orr_hardware_facts hw;
    struct orr_machine machine;
    assert_true(orr_hardware_read(dump, arena, &hw));
    orr_machine_recognise(&hw, &machine);
    assert_true(machine.proven_board);
    assert_string_equal(machine.board->gpu, "H100 SXM5");
    assert_int_equal(machine.nvlinks, 18);
    assert_int_equal(machine.generation, 5);
}

/* A file whose ids and compute capability contradict each other proves nothing. */
TEST(contradictions_prove_nothing)
{
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_dump *dump =
        read_text("<system version=\"1\">" CPU_START
                  "<pci busid=\"0000:11:00.0\" class=\"0x030200\" vendor=\"0x10de\" device=\"0x2330\" "
                  "link_speed=\"16.0 GT/s PCIe\" link_width=\"16\"><gpu dev=\"0\" sm=\"80\" "
                  "rank=\"0\" gdr=\"1\"/></pci></cpu></system>");
    struct orr_hardware_facts hw;
    struct orr_machine machine;
    assert_true(orr_hardware_read(dump, arena, &hw));
    orr_machine_recognise(&hw, &machine);
    assert_false(machine.proven_board);
    orr_dump_free(dump);
}

/* Hosts of a cluster that differ are left out, and the others analysed again. */
TEST(odd_hosts_cost_what_the_others_gain)
{
    struct orr_error err = {0};
    struct orr_dump *good = read_text(healthy), *slow = read_text(MACHINE("4", LINKS("18"), NIC1, ""));
    ORR_LOCAL_ARENA(arena, 0);
    const struct orr_cluster_line lines[] = {
        {.dump = good, .count = 6}, {.dump = slow, .count = 1}, {.dump = good, .count = 1}};
    static const uint32_t hosts[] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3,
                                     4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7};
    struct orr_cluster_request request = {.lines = lines, .line_count = 3, .order = ORR_ORDER_BLOCK};
    struct orr_query query = {.hosts = 7};
    struct orr_choice choice;
    ORR_LOCAL(orr_analysis, seven);
    orr_settings_init(&request.settings, orr_release_find("2.27.7"));
    query.settings = request.settings;
    assert_ok(orr_analyze(good, &query, NULL, &seven, &err), &err);
    assert_true(
        orr_tuning_choose(&seven->tuning, &seven->communicator, &query.settings, ORR_ALLREDUCE, 1u << 30, &choice));
    for (int listed = 0; listed < 2; listed++) {
        struct orr_cluster *cluster;
        struct answer a = {.arena = arena};
        request.order = listed ? ORR_ORDER_LIST : ORR_ORDER_BLOCK;
        request.host_of_rank = listed ? hosts : NULL;
        request.listed_ranks = listed ? sizeof hosts / sizeof hosts[0] : 0;
        assert_ok(orr_cluster_analyze(&request, &cluster, &err), &err);
        assert_ok(orr_diagnose(cluster->analysis, arena, &a.diagnosis, &err), &err);
        const struct orr_diagnosed *row = row_of(&a, "cluster-odd-host");
        assert_non_null(row);
        assert_string_equal(row->repair, "1 of 8 hosts left out (host 6)");
        assert_int_equal(row->has_cost, !listed);
        assert_int_equal(row->not_tried != NULL, listed); /* which rank would take the place of one left out? */
        if (!listed) {
            assert_true(row->cost.now < row->cost.repaired);
            assert_true(row->cost.repaired == (double)choice.bus_bw);
            assert_int_equal(row->cost.hosts, 8);
            assert_non_null(strstr(a.diagnosis.sentence, "on 8 hosts, because some hosts differ from the majority"));
            assert_true(a.diagnosis.has_all);
        }
        orr_cluster_free(cluster);
    }
    orr_dump_free(slow);
    orr_dump_free(good);
}

/* What the reader of another input assumed, the most important value first, is named instead of a verdict. */
TEST(assumed_values_leave_the_verdict_open)
{
    static const struct orr_assumed rows[] = {{"ranks are the numbers of the GPUs", "", ORR_TOUCHES_ALL}};
    static const struct orr_dump_notes notes = {.kind = "nvidia-smi-topo", .assumed = rows, .assumed_count = 1};
    for (uint32_t hosts = 1; hosts <= 2; hosts++) {
        struct orr_dump *dump = read_text(healthy);
        dump->notes = &notes;
        dump->assumed[ORR_ELEMENT_PCI] = UINT64_C(1) << ORR_ATTR_LINK_SPEED;
        dump->assumed[ORR_ELEMENT_NET] = UINT64_C(1) << ORR_ATTR_SPEED;
        struct answer a = diagnose_dump(dump, hosts, NULL, NULL);
        assert_int_equal(a.diagnosis.state, ORR_VERDICT_CANNOT_TELL);
        assert_non_null(strstr(a.diagnosis.sentence,
                               hosts == 1
                                   ? "Nothing wrong was found, but the input does not show the speeds of PCIe "
                                     "links. Bandwidths rest on a value that is assumed. With it, AllReduce gets "
                                   : "Nothing wrong was found, but the input does not show the speeds of the "
                                     "NICs and the speeds of PCIe links. Bandwidths rest on values that are "
                                     "assumed. With them, AllReduce gets "));
        release(&a);
    }
    struct orr_dump *dump = read_text(healthy); /* nothing of the table: the note itself */
    dump->notes = &notes;
    struct answer a = diagnose_dump(dump, 1, NULL, NULL);
    assert_non_null(strstr(a.diagnosis.sentence, "everything: ranks are the numbers of the GPUs."));
    release(&a);
}

/* An input that would not show NVLinks says nothing about them; NCCL's own file does. */
TEST(nvlinks_that_an_input_cannot_show_are_not_missing)
{
    char *text = strdup(healthy);
    assert_non_null(text);
    for (char *at = text; (at = strstr(at, "<nvlink "));)
        memset(at, ' ', strcspn(at, ">") + 1);
    for (int shown = 0; shown < 2; shown++) {
        struct orr_dump *dump = read_text(text);
        dump->assumed[ORR_ELEMENT_NVLINK] = shown ? 0 : UINT64_C(1) << ORR_ATTR_COUNT_;
        struct answer a = diagnose_dump(dump, 1, NULL, NULL);
        assert_int_equal(row_of(&a, "nvlinks-missing") != NULL, shown);
        assert_int_equal(row_of(&a, "nvlinks-not-in-file") != NULL, !shown);
        assert_int_equal(a.diagnosis.state, shown ? ORR_VERDICT_DEGRADED : ORR_VERDICT_CANNOT_TELL);
        release(&a);
    }
    free(text);
}

/* Repairs that compare pairs of GPUs have a limit, and say so. */
TEST(a_repair_that_is_too_large_says_so)
{
    for (int gpus = 128; gpus <= 130; gpus += 2) {
        struct orr_text text;
        orr_text_init(&text, 1 << 20);
        orr_text_puts(&text, "<system version=\"1\"><cpu numaid=\"0\" affinity=\"\" arch=\"x86_64\" "
                             "vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"143\">");
        for (int i = 0; i < gpus; i++)
            orr_text_printf(&text,
                            "<pci busid=\"0000:%02x:%02x.0\" class=\"0x030200\" link_speed=\"16.0 GT/s PCIe\" "
                            "link_width=\"16\"><gpu dev=\"%d\" sm=\"80\" rank=\"%d\" gdr=\"1\"><nvlink "
                            "target=\"0000:%02x:%02x.0\" count=\"%d\" tclass=\"0x030200\"/></gpu></pci>",
                            i / 16 + 1, i % 16, i, i, i / 16 + 1, i % 16 ^ 1, i ? 4 : 1);
        orr_text_puts(&text, "</cpu></system>");
        struct answer a = diagnose(text.data, 1, NULL, NULL);
        const struct orr_diagnosed *row = row_of(&a, "nvlink-one-sided");
        assert_non_null(row);
        if (gpus > 128)
            assert_string_equal(row->not_tried, "no repair was tried, because the machine has more than 128 GPUs");
        else
            assert_true(!row->not_tried || !strstr(row->not_tried, "128"));
        release(&a);
        orr_text_release(&text);
    }
}

/* What NCCL would make of AMD's GPUs is not a verdict on them. */
TEST(files_of_rccl_get_no_verdict)
{
    char *text = strdup(healthy);
    assert_non_null(text);
    for (char *at = text; (at = strstr(at, "0x10de"));)
        memcpy(at, "0x1002", 6);
    ANSWER a = diagnose(text, 2, NULL, NULL);
    assert_int_equal(a.diagnosis.state, ORR_VERDICT_CANNOT_TELL);
    assert_non_null(strstr(a.diagnosis.sentence, "because this is a file of RCCL, not of NCCL"));
    free(text);
}

TEST(cpus_have_a_generation)
{
    assert_int_equal(orr_cpu_pcie_generation("GenuineIntel", 6, 143), 5);
    assert_int_equal(orr_cpu_pcie_generation("AuthenticAMD", 143, 49), 4);
    assert_int_equal(orr_cpu_pcie_generation("AuthenticAMD", 6, 143), 0);
}
