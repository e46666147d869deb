/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the dictionary of a fuzz target from the program's own tables: dictionary analysis|json|api|log|results|input.
 */
#include <ctype.h>

#include "api/handlers/openapi_yaml.h"
#include "engine/orrery.h"
#include "tests/fuzz/fuzz.h"

static void escaped(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (iscntrl((unsigned char)text[i]))
            printf("\\x%02x", (unsigned char)text[i]);
        else
            printf(text[i] == '"' || text[i] == '\\' ? "\\%c" : "%c", text[i]);
}

static void token_of(const char *before, const char *text, size_t length, const char *behind)
{
    printf("\"");
    escaped(before, strlen(before));
    escaped(text, length);
    escaped(behind, strlen(behind));
    printf("\"\n");
}

static void token(const char *text)
{
    token_of("", text, strlen(text), "");
}

static void analysis(void)
{
    static const char *const texts[] = {"<?xml version=\"1.0\"?>",
                                        "0x10de",
                                        "0x15b3",
                                        "0x1000",
                                        "0xc030",
                                        "0x068000",
                                        "0x020000",
                                        "0x030200",
                                        "0x03",
                                        "0x06",
                                        "0000:0f:00.0",
                                        "ffffffff,ffffffff",
                                        "fffffff:ffff:ff",
                                        "x86_64",
                                        "arm64",
                                        "ppc64",
                                        "GenuineIntel",
                                        "AuthenticAMD",
                                        "32.0 GT/s PCIe",
                                        "16.0 GT/s PCIe",
                                        "8 GT/s",
                                        "2.5 GT/s",
                                        "Unknown speed",
                                        "-1",
                                        "4294967295",
                                        "2147483647",
                                        "0x7fffffffffffffff",
                                        "400000",
                                        "/>",
                                        "&#x26;",
                                        "<!--",
                                        "<![CDATA[",
                                        "xmlns=\"x\""};
    for (int i = 0; i < ORR_ELEMENT_COUNT; i++) {
        const char *name = orr_element_name((enum orr_element_kind)i);
        token_of("<", name, strlen(name), " ");
        token_of("</", name, strlen(name), ">");
    }
    for (int i = 0; i < ORR_ATTR_OTHER; i++) {
        const char *name = orr_attr_name((enum orr_attr)i);
        token_of(" ", name, strlen(name), "=\"");
    }
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        token(texts[i]);
}

static void json(void)
{
    static const char *const texts[] = {"{\"hosts\": [",
                                        "{\"topology\": \"",
                                        "\", \"count\": ",
                                        "{\"name\": \"",
                                        "\"labels\": {",
                                        "\": \"",
                                        "\\u0000",
                                        "\\ud800",
                                        "\\udfff",
                                        "null",
                                        "true",
                                        "1e400",
                                        "-0",
                                        "9223372036854775808"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        token(texts[i]);
}

/* Paths and names of the description, settings, releases: whatever a request may say. */
static void api(void)
{
    static const char *const texts[] = {"GET /",
                                        "HEAD /",
                                        "POST /",
                                        "PATCH /",
                                        "DELETE /",
                                        "PUT /",
                                        "OPTIONS *",
                                        "\n====\n",
                                        "/v1/topologies/@",
                                        "If-Match: ",
                                        "If-None-Match: ",
                                        "Accept: ",
                                        "Accept-Encoding: gzip",
                                        "Content-Type: ",
                                        "application/json",
                                        "image/svg+xml",
                                        "text/vnd.graphviz;q=0.5",
                                        "*/*;q=0",
                                        "W/\"",
                                        "%00",
                                        "%2e%2e/",
                                        "%C0%AF",
                                        "%",
                                        "+",
                                        "&",
                                        "=",
                                        "rank:0",
                                        "rank:1",
                                        "GPU/0-1000",
                                        "NET/0-0",
                                        "light",
                                        "dark",
                                        "svg",
                                        "dot",
                                        "png"};
    const char *at = (const char *)orr_openapi_yaml, *end = at + orr_openapi_yaml_length;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((line_end ? line_end : end) - at), indent = 0;
        while (indent < length && at[indent] == ' ')
            indent++;
        const char *word = at + indent, *colon = memchr(word, ':', length - indent),
                   *name = memmem(word, length - indent, "name: ", 6);
        if (indent == 2 && *word == '/' && colon)
            token_of("", word, (size_t)(colon - word), "");
        if (name) {
            size_t size = 0;
            for (name += 6; isalnum((unsigned char)name[size]) || name[size] == '_' || name[size] == '-'; size++)
                continue;
            if (size)
                token_of("&", name, size, "=");
        }
        at += length + 1;
    }
    for (int i = 0; i < ORR_SETTING_COUNT; i++) {
        const char *name = orr_setting_name((enum orr_setting)i);
        token_of("&", name, strlen(name), "=");
    }
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    for (uint32_t i = 0; i < count; i++)
        token_of("release=", releases[i].name, strlen(releases[i].name), "");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        token(texts[i]);
}

static void input(void)
{
    static const char *const texts[] = {"GPU0",
                                        "GPU1",
                                        "NIC0",
                                        "mlx5_0",
                                        "CPU Affinity",
                                        "NUMA Affinity",
                                        "0-31,64-95",
                                        "N/A",
                                        "NIC Legend:",
                                        "<topology version=\"2.0\">",
                                        "<object type=\"PCIDev\"",
                                        "<object type=\"Bridge\"",
                                        "type=\"OSDev\"",
                                        "bridge_type=\"1-1\"",
                                        "bridge_type=\"0-1\"",
                                        "pci_busid=",
                                        "pci_type=\"0302 [10de:20b2]\"",
                                        "pci_link_speed=",
                                        "nodeset=\"0x1\"",
                                        "osdev_type=\"3\"",
                                        "NVLinkBandwidth",
                                        "<distances2hetero",
                                        "<indexes",
                                        "<u64values",
                                        "SysImageGUID",
                                        "NCCL INFO",
                                        "NET/0-0 (",
                                        "host_hash=",
                                        "guid=",
                                        "<graphs",
                                        "```"};
    static const char *const cells[] = {"X", "PIX", "PXB", "PHB", "NODE", "SYS", "NV4", "NV18"};
    analysis();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        token(texts[i]);
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
        token_of("\t", cells[i], strlen(cells[i]), "\t");
}

static void log_words(void)
{
    static const char *const texts[] = {
        "node1:10:110 [0] NCCL INFO ",
        "NCCL WARN ",
        "NCCL version 2.27.7+cuda12.4",
        "=== System : maxBw 24.0 totalBw 24.0 ===",
        "==========",
        "CPU/0-0 (1/2/-1)",
        "+ PCI[24.0] - ",
        "+ NVL[240.0] - ",
        "+ NET[12.5] - ",
        "+ C2C[223.6] - ",
        "+ LOC[5000.0] - ",
        "GPU/0-21000",
        "NIC/0-a1000",
        "NET/0-0 (0/1/1/1.250000)",
        "PCI/0-1000 (15b3197c00000000)",
        "DEV/0-21000 (0)",
        "NVS/0-0",
        " :GPU/0-21000 (0/5000.0/LOC)",
        "Pattern 4, crossNic 0, nChannels 1, bw 12.000000/12.000000, type PHB/PIX, sameChannels 1",
        " 0 : ",
        "Tree 0 : 0 -> 1 -> -1/-1/-1",
        "Trees [0] 1/-1/-1->0->-1",
        "Channel 00/02 : 0 1",
        "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM",
        " [send] via NET/IB/0/GDRDMA",
        "Ring 00 : 1 -> 0 -> 1",
        "2 coll channels, 2 collnet channels, 0 nvls channels, 2 p2p channels, 2 p2p channels per peer",
        "GPU Direct RDMA Enabled for GPU 0 / HCA 0 (distance 4 <= 5), read 0",
        " set by environment to ",
        "NCCL_P2P_LEVEL",
        "comm 0x5 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 21000 commId 0xa - Init START",
        " - Init COMPLETE",
        "  Algorithm   |  Tree  |  Ring  |",
        "AllReduce | 8.0/ 37.9 |",
        "\x1b[31m",
        "[1,0]<stdout>:",
        "<graphs>",
        "<graph id=\"0\" pattern=\"4\" nchannels=\"1\">",
        "<channel>",
        "<gpu dev=\"0x1\"/>",
        "</channel>"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        token(texts[i]);
}

static void results_words(void)
{
    static const char *const texts[] = {
        "# nThread 1 nGpus 8 minBytes 8 maxBytes 128 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1",
        "# Collective test starting: all_reduce_perf\n",
        "# Collective test concluded: sendrecv_perf\n",
        "# nccl-tests version 2.17.1 nccl-headers=22707 nccl-library=22707\n",
        "#  Rank  0 Group  0 Pid  1 on n1 device  0 [0000:1b:00] NVIDIA H100\n",
        ("#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   "
         "busbw "
         "#wrong\n"),
        "  1048576   262144  float  sum  -1  50.00  20.97  31.46  0  40.00  26.21  39.32  0\n",
        "n1:10:11 [0] NCCL INFO AllReduce: 8 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..1}\n",
        "# Out of bounds values : 0 OK\n",
        "# Avg bus bandwidth    : 37.3\n",
        "# Reducing maxBytes to 5 due to memory limitation\n",
        "size,time,algbw,busbw\n",
        "| size | busbw (GB/s) |\n",
        "| --- |",
        "65K",
        "1.5 GiB",
        "N/A",
        "1e+03",
        "{\"config\":{\"nthreads\":1,\"ngpus\":1,\"devices\":[{\"rank\":0,\"hostname\":\"n\"}]},",
        "\"results\":[{\"size\":8,\"count\":2,\"type\":\"float\",\"redop\":\"sum\",\"root\":\"-1\",",
        "\"out_of_place\":{\"time\":1.5,\"alg_bw\":1.0,\"bus_bw\":1.5,\"nwrong\":0}",
        "\"in_place\":{",
        "\"args\":[\"all_reduce_perf\"]",
        "\"nccl_version\":22707",
        "\"average_bus_bandwidth\":{\"bandwidth\":1.0}"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        token(texts[i]);
}

int main(int count, char **arguments)
{
    const char *which = count > 1 ? arguments[1] : "";
    if (!strcmp(which, "analysis"))
        analysis();
    else if (!strcmp(which, "json"))
        json();
    else if (!strcmp(which, "log"))
        log_words();
    else if (!strcmp(which, "results"))
        results_words();
    else if (!strcmp(which, "api"))
        api();
    else if (!strcmp(which, "input"))
        input();
    else
        return 2;
    return 0;
}
