/* SPDX-License-Identifier: Apache-2.0 */
/* A libnccl of our own, for the test of real.py: rank 0 copies ORR_FAKE_DUMP to NCCL_TOPO_DUMP_FILE and prints
 * ORR_FAKE_LOG; the others must have got what rank 0 handed round. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

struct id {
    char bytes[128];
};

static int copy(const char *from, FILE *to)
{
    FILE *file = from ? fopen(from, "r") : NULL;
    if (!file || !to)
        return 2;
    for (int c; (c = getc(file)) != EOF;)
        putc(c, to);
    fclose(file);
    return fflush(to);
}

EXPORT int ncclGetVersion(int *version);
EXPORT int ncclGetVersion(int *version)
{
    *version = 22707;
    return 0;
}
EXPORT int ncclGetUniqueId(struct id *id);
EXPORT int ncclGetUniqueId(struct id *id)
{
    memset(id->bytes, 'i', sizeof id->bytes);
    return 0;
}
EXPORT int ncclCommInitRank(void **communicator, int ranks, struct id id, int rank);
EXPORT int ncclCommInitRank(void **communicator, int ranks, struct id id, int rank)
{
    *communicator = communicator;
    if (id.bytes[0] != 'i' || id.bytes[sizeof id.bytes - 1] != 'i' || rank >= ranks)
        return 4;
    const char *dump = getenv("NCCL_TOPO_DUMP_FILE");
    if (rank > 0 || !dump)
        return 0;
    FILE *file = fopen(dump, "w");
    const int failed = copy(getenv("ORR_FAKE_DUMP"), file) | copy(getenv("ORR_FAKE_LOG"), stdout);
    return (file && fclose(file)) | failed;
}
EXPORT int ncclAllReduce(char *from, char *to, size_t count, int type, int operation, void *communicator, void *stream);
EXPORT int ncclAllReduce(char *from, char *to, size_t count, int type, int operation, void *communicator, void *stream)
{
    return from != to || count == 0 || type != 7 || operation || !communicator || stream;
}
EXPORT int ncclReduce(char *from, char *to, size_t count, int type, int operation, int root, void *communicator,
                      void *stream);
EXPORT int ncclReduce(char *from, char *to, size_t count, int type, int operation, int root, void *communicator,
                      void *stream)
{
    return ncclAllReduce(from, to, count, type, operation, communicator, stream) || root;
}
EXPORT int ncclBroadcast(char *from, char *to, size_t count, int type, int root, void *communicator, void *stream);
EXPORT int ncclBroadcast(char *from, char *to, size_t count, int type, int root, void *communicator, void *stream)
{
    return ncclReduce(from, to, count, type, 0, root, communicator, stream);
}
EXPORT int ncclReduceScatter(char *from, char *to, size_t count, int type, int operation, void *communicator,
                             void *stream);
EXPORT int ncclReduceScatter(char *from, char *to, size_t count, int type, int operation, void *communicator,
                             void *stream)
{
    return (size_t)(to - from) % (4 * count) || ncclAllReduce(to, to, count, type, operation, communicator, stream);
}
EXPORT int ncclAllGather(char *from, char *to, size_t count, int type, void *communicator, void *stream);
EXPORT int ncclAllGather(char *from, char *to, size_t count, int type, void *communicator, void *stream)
{
    return ncclReduceScatter(to, from, count, type, 0, communicator, stream);
}
EXPORT int ncclGroupStart(void);
EXPORT int ncclGroupStart(void)
{
    return 0;
}
EXPORT int ncclGroupEnd(void);
EXPORT int ncclGroupEnd(void)
{
    return 0;
}
EXPORT int ncclSend(char *from, size_t count, int type, int peer, void *communicator, void *stream);
EXPORT int ncclSend(char *from, size_t count, int type, int peer, void *communicator, void *stream)
{
    return peer < 0 || ncclAllReduce(from, from, count, type, 0, communicator, stream);
}
EXPORT int ncclRecv(char *to, size_t count, int type, int peer, void *communicator, void *stream);
EXPORT int ncclRecv(char *to, size_t count, int type, int peer, void *communicator, void *stream)
{
    return ncclSend(to, count, type, peer, communicator, stream);
}
EXPORT int ncclCommDestroy(void *communicator);
EXPORT int ncclCommDestroy(void *communicator)
{
    return !communicator;
}
