/* SPDX-License-Identifier: Apache-2.0 */
/* Which ranks belong to one communicator if no line names its commId, and what belongs to each communicator. */
#include "engine/log_reading/log.h"
#include "tests/support/orr_test.h"

enum { HOSTS = 3, GPUS = 4, TEXT_MOST = 1 << 16 };

static char text[TEXT_MOST];

static void add(const char *format, ...) ORR_PRINTF(1, 2);
static void add(const char *format, ...)
{
    va_list args;
    const size_t length = strlen(text);
    va_start(args, format);
    assert_true(vsnprintf(text + length, sizeof text - length, format, args) < (int)(sizeof text - length));
    va_end(args);
}

/* The bus id of a GPU in NCCL's hex. */
static int bus_of(int gpu)
{
    return (gpu + 1) << 16;
}

/* Lines of one rank for the communicator of its thread `tid`: its connection to the next rank, and the end. */
static void connect(int host, int gpu, int tid, int rank, int next, int next_gpu, const char *via)
{
    add("host%d:10%d:%d [%d] NCCL INFO Channel 00 : %d[%x] -> %d[%x] %s\n", host, gpu, tid, gpu, rank, bus_of(gpu),
        next, bus_of(next_gpu), via);
}

static void complete(int host, int gpu, int tid, int rank, int ranks)
{
    add("host%d:10%d:%d [%d] NCCL INFO comm 0x%x rank %d nranks %d cudaDev %d busId %x - Init COMPLETE\n", host, gpu,
        tid, gpu, 4096 + 16 * tid + gpu, rank, ranks, gpu, bus_of(gpu));
}

static struct orr_log *read(void)
{
    struct orr_error err = {0};
    struct orr_log *log = NULL;
    assert_ok(orr_log_read(text, strlen(text), NULL, &log, &err), &err);
    text[0] = 0;
    return log;
}

/* Every communicator of that size has all its ranks, on this many hosts. Returns how many there are. */
static int whole(const struct orr_log *log, int ranks, uint32_t hosts, bool guessed)
{
    int count = 0;
    for (uint32_t i = 0; i < log->communicator_count; i++) {
        const struct orr_log_communicator *of = &log->communicators[i];
        if (of->rank_count != ranks)
            continue;
        count++;
        assert_int_equal(of->seen, ranks);
        assert_int_equal(of->host_count, hosts);
        assert_int_equal(of->guessed, guessed);
    }
    return count;
}

/* A communicator of each host, made at the same time; lines of all hosts take turns. */
static void hosts_at_once(bool connections)
{
    for (int r = 0; connections && r < GPUS; r++)
        for (int h = HOSTS; h-- > 0;)
            connect(h, r, 50, r, (r + 1) % GPUS, (r + 1) % GPUS, "via P2P/IPC");
    for (int r = GPUS; r-- > 0;)
        for (int h = 0; h < HOSTS; h++)
            complete(h, r, 50, r, GPUS);
    ORR_OWNED(orr_log) *log = read();
    assert_int_equal(whole(log, GPUS, 1, !connections), HOSTS);
}

TEST(communicators_of_single_hosts)
{
    hosts_at_once(true);
    hosts_at_once(false);
}

/* One GPU of each host, four times at once, after a communicator of all. */
TEST(communicators_across_hosts)
{
    for (int connections = 0; connections < 2; connections++) {
        for (int h = 0; h < HOSTS; h++)
            for (int g = 0; g < GPUS; g++)
                complete(h, g, 40, h * GPUS + g, HOSTS * GPUS);
        for (int h = HOSTS; connections && h-- > 0;)
            for (int g = 0; g < GPUS; g++)
                connect(h, g, 41, h, (h + 1) % HOSTS, g, "[send] via NET/IB/0");
        for (int h = 0; h < HOSTS; h++)
            for (int g = GPUS; g-- > 0;)
                complete(h, g, 41, h, HOSTS);
        ORR_OWNED(orr_log) *log = read();
        assert_int_equal(whole(log, HOSTS * GPUS, HOSTS, false), 1);
        assert_int_equal(whole(log, HOSTS, HOSTS, !connections), GPUS);
        for (uint32_t i = 1; i < log->communicator_count; i++)
            for (int r = 1; r < HOSTS; r++)
                assert_string_equal(log->communicators[i].members[r].bus_id, log->communicators[i].members[0].bus_id);
    }
}

/* Files of processes, one after the other: two communicators of the same ranks keep their order. */
TEST(files_of_processes_in_a_row)
{
    for (int g = 0; g < GPUS; g++)
        for (int tid = 60; tid < 62; tid++) {
            connect(0, g, tid, g, (g + 1) % GPUS, (g + 1) % GPUS, "via P2P/IPC");
            complete(0, g, tid, g, GPUS);
        }
    ORR_OWNED(orr_log) *log = read();
    assert_int_equal(whole(log, GPUS, 1, false), 2);
    for (uint32_t i = 0; i < 2; i++)
        for (int r = 0; r < GPUS; r++)
            assert_int_equal(log->writers[log->sessions[log->communicators[i].members[r].session].writer].tid, 60 + i);
}

/* A rank that wrote nothing leaves a gap, and is not filled by a rank of another host. */
TEST(a_silent_rank)
{
    for (int h = 0; h < HOSTS; h++)
        for (int r = 0; r < GPUS; r++) {
            if (h == 1 && r == 2)
                continue;
            connect(h, r, 50, r, (r + 1) % GPUS, (r + 1) % GPUS, "via P2P/IPC");
            complete(h, r, 50, r, GPUS);
        }
    ORR_OWNED(orr_log) *log = read();
    assert_int_equal(log->communicator_count, HOSTS);
    for (uint32_t i = 0; i < log->communicator_count; i++) {
        assert_int_equal(log->communicators[i].host_count, 1);
        assert_int_equal(log->communicators[i].seen, i == 1 ? GPUS - 1 : GPUS);
    }
}

TEST(records_of_communicators)
{
    add("host0:1:1 [0] NCCL INFO NCCL_ALGO set by environment to Ring.\n");
    complete(0, 0, 70, 0, 1);
    complete(0, 1, 71, 0, 1);
    add("host0:101:71 [1] NCCL INFO Connected all rings\n");
    ORR_OWNED(orr_log) *log = read();
    assert_int_equal(log->communicator_count, 2);
    uint32_t sum = 0;
    for (uint32_t c = 0; c <= log->communicator_count; c++) {
        const struct orr_log_own own = orr_log_records_of(log, c < log->communicator_count ? c : UINT32_MAX);
        for (uint32_t i = 0; i < own.count; i++)
            if (c < log->communicator_count)
                assert_int_equal(log->sessions[log->records[own.at[i]].session].communicator, c);
        sum += own.count;
    }
    assert_int_equal(sum, log->record_count);
    assert_int_equal(orr_log_records_of(log, 1).count, 2);
}

/* A process with two communicators: the call before it says for which one NCCL chose an algorithm. */
TEST(choices_of_communicators)
{
    static const char *const call =
        "host0:100:100 [0] NCCL INFO AllReduce: opCount %x sendbuff 0x1 recvbuff 0x2 count 8 "
        "datatype 7 op 0 root 0 comm 0x%x [nranks=%d] stream 0x3\n";
    for (int g = 0; g < 2; g++)
        complete(0, g, 50, g, 2);
    complete(0, 0, 51, 0, 1);
    const char *const choice =
        "host0:100:100 [0] NCCL INFO AllReduce: %d Bytes -> Algo RING proto LL channel{Lo..Hi}={0..1}\n";
    add(choice, 16); /* no call before it */
    add(call, 0, 4096 + 16 * 51, 1);
    add(choice, 32);
    add(call, 0, 4096 + 16 * 50, 2);
    add(choice, 64);
    add(call, 1, 4096 + 16 * 50, 2); /* two at once, on different communicators */
    add(call, 1, 4096 + 16 * 51, 1);
    add(choice, 128);
    add(choice, 256);
    ORR_OWNED(orr_log) *log = read();
    assert_int_equal(log->communicator_count, 2);
    assert_int_equal(log->choice_count, 5);
    const int ranks[] = {0, 1, 2, 0, 0};
    for (int i = 0; i < 5; i++) {
        const uint32_t c = log->choices[i].communicator;
        assert_int_equal(c == UINT32_MAX ? 0 : log->communicators[c].rank_count, ranks[i]);
    }
}
