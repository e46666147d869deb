/* SPDX-License-Identifier: Apache-2.0 */
/* JSON bodies: cluster files, and changes of a topology's name and labels. The first byte says which. */
#include <jansson.h>

#include "api/documents/cluster_file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_app.h"

static void read_cluster(const char *text, size_t length)
{
    struct orr_error err = {0};
    struct orr_cluster_file cluster;
    enum orr_code code = orr_cluster_file_read(text, length, &cluster, &err);
    if (code != ORR_OK) {
        FUZZ_REQUIRE(code == ORR_INVALID && err.text[0], "%s: %s", orr_code_name(code), err.text);
        return;
    }
    FUZZ_REQUIRE(cluster.host_count > 0, "no hosts");
    for (uint32_t i = 0; i < cluster.host_count; i++)
        FUZZ_REQUIRE(cluster.hosts[i].topology < cluster.topology_count && cluster.hosts[i].count > 0, "host %u", i);
    orr_cluster_file_release(&cluster);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return -1;
    if (data[0] & 1) {
        read_cluster((const char *)data + 1, size - 1);
        return 0;
    }
    struct fuzz_app fuzz;
    fuzz_app_open(&fuzz);
    struct fuzz_message message = {
        .method = "PATCH", .target = "/v1/topologies/@", .body = (const char *)data + 1, .length = size - 1};
    unsigned status = fuzz_app_ask(&fuzz, &message);
    FUZZ_REQUIRE(status < 500, "status %u", status);
    message = (struct fuzz_message){.method = "GET", .target = "/v1/topologies/@"};
    FUZZ_REQUIRE(fuzz_app_ask(&fuzz, &message) == 200, "the topology is gone");
    message.target = "/v1/topologies?limit=10";
    FUZZ_REQUIRE(fuzz_app_ask(&fuzz, &message) == 200, "the list cannot be read");
    fuzz_app_close(&fuzz);
    return 0;
}
