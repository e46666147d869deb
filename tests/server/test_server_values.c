/* SPDX-License-Identifier: Apache-2.0 */
/* Values from operators and from strangers: settings, networks, forwarded addresses, ids, traces, scopes, log lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "server/client_address.h"
#include "server/config.h"
#include "server/cors.h"
#include "server/log.h"
#include "server/tokens.h"
#include "server/trace.h"
#include "tests/support/orr_test.h"

/* The table: names differ, defaults are within their own bounds, members do not overlap. */
TEST(every_row_is_sound)
{
    struct orr_config config;
    orr_config_init(&config);
    for (size_t i = 0; i < orr_config_row_count; i++) {
        const struct orr_config_row *row = &orr_config_rows[i];
        struct orr_error err = {0};
        char text[256], variable[64];
        assert_ptr_equal(orr_config_find(row->name, strlen(row->name)), row);
        assert_true(row->help[0] && row->lowest <= row->highest && row->at < sizeof config);
        assert_true((row->kind == ORR_CONFIG_BOOL) == !row->value);
        orr_config_variable(row, variable);
        assert_int_equal(strspn(variable, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"), strlen(variable));
        if (row->fallback)
            assert_ok(orr_config_set(&config, row, row->fallback, ORR_CONFIG_FLAG, &err), &err);
        orr_config_shown(&config, row, text, sizeof text);
        if (row->fallback && row->kind < ORR_CONFIG_TEXT) /* what is shown can be given again */
            assert_ok(orr_config_set(&config, row, text, ORR_CONFIG_FLAG, &err), &err);
        for (size_t k = 0; k < i; k++)
            assert_true(orr_config_rows[k].at != row->at && strcmp(orr_config_rows[k].name, row->name));
    }
}

TEST(numbers_with_units_and_bounds)
{
    static const struct {
        const char *name, *text;
        int64_t value; /* -1 if refused */
    } cases[] = {
        {"max-body", "64K", 65536}, {"max-body", "1024", 1024},
        {"max-body", "1023", -1},   {"max-body", "1G", 1 << 30},
        {"max-body", "2G", -1},     {"max-body", "", -1},
        {"max-body", "K", -1},      {"max-body", "1.5M", -1},
        {"max-body", "-1", -1},     {"max-body", "1 M", -1},
        {"max-body", "0x400", -1},  {"max-body", "99999999999999999999999G", -1},
        {"grace", "0", 0},          {"grace", "0.25", 250},
        {"grace", "1.2345", -1},    {"grace", "250ms", 250},
        {"grace", "1.5m", 90000},   {"grace", "1h", 3600000},
        {"grace", "2h", -1},        {"grace", ".5", -1},
        {"grace", "1.", 1000},      {"rate", "5", 5},
        {"rate", "5s", -1},         {"rate", "1000001", -1},
        {"log-format", "json", 1},  {"log-format", "logfmt", 0},
        {"log-format", "js", -1},   {"log-format", "logfmt|", -1},
        {"threads", "256", 256},    {"threads", "257", -1},
    };
    struct orr_config config;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct orr_error err = {0};
        orr_config_init(&config);
        const struct orr_config_row *row = orr_config_find(cases[i].name, strlen(cases[i].name));
        enum orr_code code = orr_config_set(&config, row, cases[i].text, ORR_CONFIG_FLAG, &err);
        if ((code == ORR_OK) != (cases[i].value >= 0))
            fail_msg("--%s %s: %s", cases[i].name, cases[i].text, err.text);
        if (code == ORR_OK)
            assert_int_equal(*(uint64_t *)((char *)&config + row->at), cases[i].value);
        else
            assert_non_null(strstr(err.text, cases[i].name));
    }
}

TEST(networks)
{
    static const struct {
        const char *list, *address; /* address NULL if the list is wrong */
        bool held;
    } cases[] = {
        {"10.0.0.0/8", "10.255.0.1", true},
        {"10.0.0.0/8", "11.0.0.1", false},
        {"10.0.0.0/8, ::1", "::1", true},
        {"192.168.1.0/25", "192.168.1.127", true},
        {"192.168.1.0/25", "192.168.1.128", false},
        {"0.0.0.0/0", "1.2.3.4", true},
        {"0.0.0.0/0", "2001:db8::1", false},
        {"2001:db8::/33", "2001:db8:7fff::1", true},
        {"2001:db8::/33", "2001:db8:8000::1", false},
        {"::/0", "1.2.3.4", true},
        {"::ffff:10.0.0.0/104", NULL, false},
        {"10.0.0.0/33", NULL, false},
        {"10.0.0", NULL, false},
        {"10.0.0.0/", NULL, false},
        {"10.0.0.0/8x", NULL, false},
        {"localhost", NULL, false},
        {"::1/129", NULL, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct orr_networks list = {0};
        struct orr_error err = {0};
        enum orr_code code = orr_networks_read(cases[i].list, &list, &err);
        if (!cases[i].address) {
            assert_int_equal(code, ORR_SETTING);
            continue;
        }
        assert_ok(code, &err);
        struct orr_networks none = {0};
        struct orr_networks anyone = {0};
        assert_ok(orr_networks_read("0.0.0.0/0, ::/0", &anyone, &err), &err);
        struct orr_address peer = {{0}};
        const struct orr_address address = orr_address_forwarded(&anyone, &peer, cases[i].address);
        if (orr_networks_hold(&list, &address) != cases[i].held)
            fail_msg("%s in %s", cases[i].address, cases[i].list);
        assert_false(orr_networks_hold(&none, &address));
        orr_networks_release(&anyone);
        orr_networks_release(&list);
    }
}

TEST(forwarded_addresses)
{
    static const struct {
        const char *header, *client;
    } cases[] = {
        {NULL, "10.0.0.1"},
        {"", "10.0.0.1"},
        {"1.2.3.4", "1.2.3.4"},
        {"9.9.9.9, 1.2.3.4", "1.2.3.4"},
        {"9.9.9.9, 1.2.3.4, 10.0.0.2", "1.2.3.4"},
        {"9.9.9.9, 1.2.3.4:5678 , 10.0.0.2", "1.2.3.4"},
        {"[2001:db8::1]:443,10.0.0.3", "2001:db8::1"},
        {"2001:db8::1", "2001:db8::1"},
        {"10.0.0.9, 10.0.0.8", "10.0.0.9"}, /* all are proxies: the first */
        {"1.2.3.4, nonsense, 10.0.0.2", "10.0.0.2"},
        {"1.2.3.4,,", "10.0.0.1"},
        {",", "10.0.0.1"},
        {"[2001:db8::1", "10.0.0.1"},
        {"[]", "10.0.0.1"},
        {"1.2.3.4.5", "10.0.0.1"},
        {":", "10.0.0.1"},
    };
    struct orr_networks trusted;
    struct orr_error err = {0};
    assert_ok(orr_networks_read("10.0.0.0/8", &trusted, &err), &err);
    struct orr_networks all;
    assert_ok(orr_networks_read("0.0.0.0/0,::/0", &all, &err), &err);
    struct orr_address zero = {{0}};
    const struct orr_address proxy = orr_address_forwarded(&all, &zero, "10.0.0.1"),
                             stranger = orr_address_forwarded(&all, &zero, "7.7.7.7");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[ORR_ADDRESS_TEXT];
        struct orr_address client = orr_address_forwarded(&trusted, &proxy, cases[i].header);
        orr_address_write(&client, text);
        assert_string_equal(text, cases[i].client);
        client = orr_address_forwarded(&trusted, &stranger, cases[i].header);
        assert_memory_equal(&client, &stranger, sizeof client); /* who is not a proxy is not believed */
    }
    orr_networks_release(&all);
    orr_networks_release(&trusted);
}

TEST(origins)
{
    static const char list[] = "https://a.example, http://localhost:3000";
    assert_true(orr_cors_allows(list, "https://a.example") && orr_cors_allows(list, "http://localhost:3000"));
    static const char *const others[] = {"https://a.example.evil",
                                         "https://a.exampl",
                                         "http://a.example",
                                         "",
                                         "null",
                                         "https://a.example, http://localhost:3000"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(orr_cors_allows(list, others[i]));
    assert_false(orr_cors_allows(NULL, "https://a.example") || orr_cors_allows(list, NULL));
    assert_true(orr_cors_allows("*", "https://anything.example") && !orr_cors_allows("*", ""));
}

TEST(scopes_of_tokens)
{
    static const struct {
        const char *text;
        unsigned bits;
    } cases[] = {{"read", ORR_SCOPE_READ},
                 {"write", ORR_SCOPE_WRITE},
                 {"read,write", 3},
                 {"write,read", 3},
                 {"read,read", ORR_SCOPE_READ},
                 {"", 0},
                 {"read,", 0},
                 {",read", 0},
                 {"reads", 0},
                 {"rea", 0},
                 {"read write", 0},
                 {"admin", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(orr_scopes_parse(cases[i].text, strlen(cases[i].text), NULL), cases[i].bits);
}

/* Token files with every kind of slip, and bytes at random. */
TEST(token_files)
{
    static const char good[] = "a read 2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90\n";
    static const struct {
        const char *text;
        bool taken;
    } cases[] = {
        {good, true},
        {"# c\n\n  \t\na read,write 2BD806C97F0E00AF1A1FC3328FA763A9269723C8DB8FAC4F93AF71DB186D6E90 \r\n", true},
        {"", false},
        {"# only a comment\n", false},
        {"a read\n", false},
        {"a read 2bd806c9\n", false},
        {"a read zzd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90\n", false},
        {"a read 2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90 x\n", false},
        {"a$ read 2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90\n", false},
        {"a all 2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90\n", false},
    };
    char path[] = "/tmp/orrery-tokens-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    unsigned seed = 7;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0] + 300; i++) {
        struct orr_tokens *tokens = NULL;
        struct orr_error err = {0};
        char noise[700];
        bool random = i >= sizeof cases / sizeof cases[0];
        size_t length = random ? (size_t)rand_r(&seed) % sizeof noise : strlen(cases[i].text);
        for (size_t k = 0; random && k < length; k++)
            noise[k] = (char)(k % 90 < 80 ? good[(size_t)rand_r(&seed) % (sizeof good - 1)] : rand_r(&seed));
        assert_int_equal(ftruncate(file, 0), 0);
        assert_int_equal(pwrite(file, random ? noise : cases[i].text, length, 0), length);
        enum orr_code code = orr_tokens_open(path, &tokens, &err);
        if (!random)
            assert_int_equal(code == ORR_OK, cases[i].taken);
        if (code == ORR_OK) {
            struct orr_bearer bearer;
            assert_int_equal(orr_tokens_find(tokens, "Bearer hunter2", &bearer), false);
            orr_tokens_close(tokens);
        } else {
            assert_true(err.text[0]);
        }
    }
    close(file);
    unlink(path);
}

TEST(ids_and_traces)
{
    char id[ORR_REQUEST_ID], parent[ORR_TRACEPARENT];
    orr_request_id("x", 0x123, id);
    assert_string_equal(id, "x");
    orr_request_id("x y", 0x123, id);
    assert_string_equal(id, "0000000000000123");
    assert_true(orr_trace_continue("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", 0x77, parent));
    assert_string_equal(parent, "00-0af7651916cd43dd8448eb211c80319c-0000000000000077-01");
    assert_false(orr_trace_continue("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0", 1, parent));
    assert_string_equal(parent, "");
}

/* Numbers and times of a line, at the ends of what they can be. */
TEST(log_lines_write_numbers)
{
    static const struct {
        uint64_t nanoseconds;
        const char *text;
    } durations[] = {{0, "d=0.000"},
                     {499, "d=0.000"},
                     {500, "d=0.001"},
                     {999499, "d=0.999"},
                     {999500, "d=1.000"},
                     {1234567890, "d=1234.568"},
                     {UINT64_C(86400000000000000), "d=86400000000.000"}};
    struct orr_log_line line;
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++) {
        orr_log_begin(&line, ORR_LOG_LOGFMT, "info", "test");
        size_t before = line.length;
        orr_log_milliseconds(&line, "d", durations[i].nanoseconds);
        line.text[line.length] = 0;
        assert_string_equal(line.text + before + 1, durations[i].text);
        before = line.length;
        orr_log_number(&line, "n", 0);
        line.text[line.length] = 0;
        assert_string_equal(line.text + before + 1, "n=0");
    }
    struct tm tm = {0};
    const char *rest = strptime(line.text, "ts=%Y-%m-%dT%H:%M:%S", &tm);
    assert_non_null(rest);
    assert_true(rest[0] == '.' && strspn(rest + 1, "0123456789") == 3 && !strncmp(rest + 4, "Z level=info", 12));
    time_t written = timegm(&tm), now = time(NULL);
    assert_true(written <= now && now - written < 3600);
}

/* Whatever a client sends, an entry is one line, and a member that does not fit is left out as a whole. */
TEST(log_lines_are_one_line)
{
    static char long_text[8000];
    memset(long_text, '"', sizeof long_text - 1);
    for (int format = ORR_LOG_LOGFMT; format <= ORR_LOG_JSON; format++) {
        struct orr_log_line line;
        orr_log_begin(&line, (enum orr_log_format)format, "info", "test");
        orr_log_text(&line, "a", "x\n\"\\\x7f\xff=\x01 y");
        orr_log_text(&line, "empty", "");
        orr_log_number(&line, "n", 18446744073709551615u);
        size_t before = line.length;
        orr_log_text(&line, "long", long_text);
        assert_int_equal(line.length, before);
        assert_null(memchr(line.text, '\n', line.length));
        line.text[line.length] = 0;
        assert_non_null(
            strstr(line.text, format == ORR_LOG_JSON
                                  ? "\"a\":\"x\\u000a\\\"\\\\\\u007f\\u00ff=\\u0001 y\",\"n\":18446744073709551615"
                                  : "a=\"x\\x0a\\\"\\\\\\x7f\\xff=\\x01 y\" n=18446744073709551615"));
    }
}
