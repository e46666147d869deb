/* SPDX-License-Identifier: Apache-2.0 */
/* The table that describes releases: no field of a release, of its connect rules or its tuning model without a row, and
 * comparing two releases says what differs. */
#include <ctype.h>
#include <stdlib.h>

#include "engine/release/behaviours.h"
#include "engine/release/connect_rules.h"
#include "engine/release/device_rules.h"
#include "engine/release/tuning_model.h"
#include "tests/support/arena_case.h"

static const struct orr_release *release(const char *name)
{
    const struct orr_release *found = orr_release_find(name);
    assert_non_null(found);
    return found;
}

static const struct orr_behaviour_difference *differences;
static uint32_t difference_count;

static void compare(const char *here, const char *before)
{
    err = (struct orr_error){0};
    assert_ok(orr_releases_compare(release(here), release(before), arena, &differences, &difference_count, &err), &err);
}

static const struct orr_behaviour_difference *difference(const char *name)
{
    for (uint32_t i = 0; i < difference_count; i++)
        if (!strcmp(differences[i].behaviour.name, name))
            return &differences[i];
    return NULL;
}

#define DIFFERS(name, here_, before_)                                                                                  \
    do {                                                                                                               \
        const struct orr_behaviour_difference *found = difference(name);                                               \
        if (!found)                                                                                                    \
            fail_msg("no difference in %s", name);                                                                     \
        assert_string_equal(found->here, here_);                                                                       \
        assert_string_equal(found->before, before_);                                                                   \
    } while (0)

/* Names of the fields of a struct, read from its header: words before ',' ';' or '['. */
enum { FIELDS_MOST = 160 };
struct fields {
    char names[FIELDS_MOST][48];
    int count;
};

static char *without_comments(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    size_t length = fread(text, 1, (1 << 16) - 1, file);
    fclose(file);
    assert_true(length > 0 && length < (1 << 16) - 1);
    for (char *at = text; (at = strstr(at, "/*"));) {
        char *end = strstr(at, "*/");
        assert_non_null(end);
        memset(at, ' ', (size_t)(end + 2 - at));
    }
    return text;
}

static void add_field(struct fields *fields, const char *end)
{
    while (isspace((unsigned char)end[-1]))
        end--;
    const char *start = end;
    while (isalnum((unsigned char)start[-1]) || start[-1] == '_')
        start--;
    assert_true(fields->count < FIELDS_MOST && end > start);
    snprintf(fields->names[fields->count++], sizeof fields->names[0], "%.*s", (int)(end - start), start);
}

static void read_fields(const char *path, const char *struct_name, struct fields *fields)
{
    char head[64], *text = without_comments(path);
    snprintf(head, sizeof head, "\nstruct %s {", struct_name);
    const char *at = strstr(text, head);
    assert_non_null(at);
    int depth = 1;
    bool named = false;
    fields->count = 0;
    for (at += strlen(head); depth; at++) {
        if (*at == '{' || *at == '[') {
            if (*at == '[' && depth == 1 && !named) {
                add_field(fields, at);
                named = true;
            }
            depth++;
        } else if (*at == '}' || *at == ']') {
            depth--;
        } else if (depth == 1 && (*at == ',' || *at == ';')) {
            if (!named)
                add_field(fields, at);
            named = false;
        }
    }
    free(text);
}

static bool has_row(enum orr_behaviour_of of, const char *field)
{
    for (uint32_t i = 0; i < orr_behaviour_count(); i++) {
        struct orr_behaviour row;
        orr_behaviour_get(i, &row);
        const char *dot = strchr(row.name, '.');
        if (row.of == of && !strcmp(dot ? dot + 1 : row.name, field))
            return true;
    }
    return false;
}

/* What is in the header is in the table. */
TEST(every_field_has_a_row)
{
    static const char *const about_the_row[] = {"name",     "version", "date",   "summary",
                                                "compared", "connect", "tuning", "device"};
    static struct fields fields;
    read_fields("engine/release/release.h", "orr_release", &fields);
    assert_true(fields.count > 90);
    for (int i = 0; i < fields.count; i++) {
        bool about = false;
        for (size_t k = 0; k < sizeof about_the_row / sizeof about_the_row[0]; k++)
            about = about || !strcmp(fields.names[i], about_the_row[k]);
        if (has_row(ORR_OF_RELEASE, fields.names[i]) == about)
            fail_msg("struct orr_release: %s", fields.names[i]);
    }
    read_fields("engine/release/connect_rules.h", "orr_connect_rules", &fields);
    assert_true(fields.count > 20);
    for (int i = 0; i < fields.count; i++)
        if (!has_row(ORR_OF_CONNECT, fields.names[i]))
            fail_msg("struct orr_connect_rules: %s", fields.names[i]);
    read_fields("engine/release/tuning_model.h", "orr_tuning_model", &fields);
    assert_true(fields.count > 60);
    for (int i = 0; i < fields.count; i++)
        if (!has_row(ORR_OF_TUNING, fields.names[i]))
            fail_msg("struct orr_tuning_model: %s", fields.names[i]);
    read_fields("engine/release/device_rules.h", "orr_device_rules", &fields);
    assert_true(fields.count > 30);
    for (int i = 0; i < fields.count; i++)
        if (!has_row(ORR_OF_DEVICE, fields.names[i]))
            fail_msg("struct orr_device_rules: %s", fields.names[i]);
}

/* Rows follow the structs without a hole larger than what alignment asks for, and reach their ends. */
TEST(rows_cover_the_structs)
{
    static const struct {
        size_t start, end;
    } spans[] = {
        [ORR_OF_RELEASE] = {offsetof(struct orr_release, path_types), offsetof(struct orr_release, connect)},
        [ORR_OF_CONNECT] = {0, sizeof(struct orr_connect_rules)},
        [ORR_OF_TUNING] = {0, sizeof(struct orr_tuning_model)},
        [ORR_OF_DEVICE] = {0, sizeof(struct orr_device_rules)},
    };
    size_t at = 0;
    int of = -1;
    for (uint32_t i = 0; i < orr_behaviour_count(); i++) {
        struct orr_behaviour row;
        orr_behaviour_get(i, &row);
        if ((int)row.of != of) {
            if (of >= 0)
                assert_true(spans[of].end - at < sizeof(void *));
            of = (int)row.of;
            if (of == ORR_OF_SETTINGS)
                break;
            at = spans[of].start;
        }
        if (row.offset < at || row.offset - at >= sizeof(void *))
            fail_msg("%s lies at %zu, the field before ends at %zu", row.name, row.offset, at);
        at = row.offset + row.size;
    }
    assert_int_equal(of, ORR_OF_SETTINGS);
}

static size_t size_of_kind(const struct orr_behaviour *row)
{
    switch (row->kind) {
    case ORR_BEHAVIOUR_BOOL:
        return sizeof(bool);
    case ORR_BEHAVIOUR_INT:
    case ORR_BEHAVIOUR_FLOAT:
    case ORR_BEHAVIOUR_WORD:
    case ORR_BEHAVIOUR_PATH_TYPE:
        return 4;
    case ORR_BEHAVIOUR_INT64:
    case ORR_BEHAVIOUR_DOUBLE:
        return 8;
    default:
        return row->size;
    }
}

/* Every row can be read from every release and has what users need. */
TEST(rows_are_whole)
{
    uint32_t releases;
    const struct orr_release *all = orr_releases(&releases);
    for (uint32_t i = 0; i < orr_behaviour_count(); i++) {
        struct orr_behaviour row;
        orr_behaviour_get(i, &row);
        assert_int_equal(row.size, size_of_kind(&row));
        assert_true(row.sentence && strlen(row.sentence) > 5 && strlen(row.sentence) < 120);
        if (!row.bears && strcmp(row.name, "NCCL_IGNORE_CPU_AFFINITY") != 0)
            fail_msg("%s bears on nothing", row.name);
        assert_int_equal(row.bears >> ORR_BEARING_COUNT, 0);
        for (uint32_t k = 0; k < i; k++) {
            struct orr_behaviour other;
            orr_behaviour_get(k, &other);
            assert_string_not_equal(row.name, other.name);
        }
        for (uint32_t k = 0; k < releases; k++) {
            struct orr_value value;
            struct orr_text text;
            orr_text_init(&text, 4096);
            assert_ok(orr_behaviour_value(&row, &all[k], arena, &value, &err), &err);
            orr_value_write(&row, &value, &text);
            assert_false(orr_text_failed(&text));
            assert_true(text.length > 0);
            orr_text_release(&text);
        }
    }
    assert_string_equal(orr_bearing_name(ORR_BEARING_BIT_NET_DEVS), "net_devs");
}

TEST(a_release_does_not_differ_from_itself)
{
    uint32_t count;
    const struct orr_release *all = orr_releases(&count);
    for (uint32_t i = 0; i < count; i++) {
        compare(all[i].name, all[i].name);
        assert_int_equal(difference_count, 0);
    }
}

/* Against the tables of docs/nccl, such as docs/nccl/graph.md, "What changes by release". */
TEST(differences_are_named)
{
    compare("2.12.12", "2.7.8");
    DIFFERS("intel_overhead_up", "6", "12");
    DIFFERS("qpi_zhaoxin", "6 GB/s", "5000 GB/s");
    DIFFERS("steps_all", "262144 steps", "1572864 steps");
    DIFFERS("relays_by_gpu", "yes", "no");
    DIFFERS("tree_pattern", "balanced tree", "split tree");
    DIFFERS("path_types", "LOC NVL NVB PIX PXB PXN PHB SYS", "LOC NVL PIX PXB PHB SYS NET");
    DIFFERS("NCCL_PXN_DISABLE", "0", "not known");
    assert_null(difference("max_channels"));
    assert_null(difference("NCCL_P2P_DISABLE"));

    compare("2.21.5", "2.12.12");
    DIFFERS("qpi_amd", "16 GB/s", "5000 GB/s");
    DIFFERS("qpi_intel", "SKL: 10, SRP: 10, ERP: 10", "SKL: 9, SRP: 9, ERP: 9");
    DIFFERS("nvlink_bw", "sm 50: 20, sm 70: 20, sm 80: 20, sm 89: 20, sm 90: 20.6, sm 100: 20.6",
            "sm 50: 22, sm 70: 22, sm 80: 22, sm 89: 22, sm 90: 22, sm 100: 22");

    compare("2.27.7", "2.21.5");
    DIFFERS("max_channels", "64", "32");
    DIFFERS("c2c", "a link type of its own", "an NVLink");
    DIFFERS("nvlink_bw", "sm 100: 40.1", "sm 100: 20.6");
    DIFFERS("tuning.tree_max", "row 3: 77.4 82.8 72", "row 3: none");
    assert_true(difference("nvlink_bw")->behaviour.bears & ORR_BEARS_BANDWIDTH);
    assert_null(difference("nic_functions"));

    compare("2.30.7", "2.27.7");
    DIFFERS("nvls_least_gpus", "2", "3");
    DIFFERS("has_devs", "yes", "no");
    DIFFERS("connect.rails", "if the node's own ring graph crosses NICs in pairs",
            "if the aligned ring graph crosses NICs in pairs");
    DIFFERS("NCCL_PXN_C2C", "1", "0");
    DIFFERS("NCCL_NETDEVS_POLICY", "AUTO: its share", "not known");
    assert_null(difference("qpi_intel"));
}

TEST(neighbours_of_a_version)
{
    const struct orr_release *below, *above;
    orr_release_neighbours(ORR_VERSION(2, 13, 4), &below, &above);
    assert_string_equal(below->name, "2.12.12");
    assert_ptr_equal(above, below + 1);
    assert_string_equal(above->name, "2.14.3");
    orr_release_neighbours(ORR_VERSION(2, 3, 5), &below, &above);
    assert_null(below);
    assert_string_equal(above->name, "2.7.8");
    orr_release_neighbours(ORR_VERSION(9, 0, 0), &below, &above);
    uint32_t count;
    assert_ptr_equal(below, &orr_releases(&count)[count - 1]);
    assert_null(above);
}
