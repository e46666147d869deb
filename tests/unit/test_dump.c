/* SPDX-License-Identifier: Apache-2.0 */
/* Reading dumps: what is understood, what is refused, with which words and at which place. */
#include "engine/dump/dump.h"
#include "tests/support/dump_text.h"

static enum orr_code read_bytes(const char *bytes, size_t length, struct orr_error *err)
{
    ORR_LOCAL(orr_dump, dump);
    *err = (struct orr_error){0};
    return orr_dump_read(bytes, length, NULL, &dump, err);
}
#define read_error(text, err) read_bytes((text), strlen(text), (err))

static const char small[] = "<system version=\"1\">\n"
                            "  <cpu numaid=\"0\" " X86_INTEL ">\n"
                            "    <pci busid=\"0000:07:00.0\" class=\"0x030200\" " GEN3X16 ">\n"
                            "      <gpu dev=\"0\" sm=\"80\" rank=\"0\" gdr=\"1\"/>\n"
                            "    </pci>\n"
                            "  </cpu>\n"
                            "</system>\n";

TEST(elements_keep_their_place_and_attributes)
{
    ORR_OWNED(orr_dump) *dump = read_text(small);
    assert_int_equal(dump->element_count, 4);
    assert_int_equal(dump->elements[3].kind, ORR_ELEMENT_GPU);
    assert_int_equal(dump->elements[3].line, 4);
    assert_int_equal(dump->elements[3].column, 7);
    assert_int_equal(dump->elements[3].parent, 2);
    assert_string_equal(orr_element_text(dump, 2, ORR_ATTR_BUSID), "0000:07:00.0");
    assert_int_equal(orr_element_int(dump, 3, ORR_ATTR_SM, 0), 80);
    assert_null(orr_element_text(dump, 3, ORR_ATTR_COLL));
    assert_int_equal(dump->refusal.line, 0);
}

TEST(elements_out_of_place_are_counted_and_left_out)
{
    ORR_OWNED(orr_dump) *dump = read_text("<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL ">\n"
                                          "<gpu dev=\"0\"/><xgmi target=\"x\"/></cpu></system>");
    assert_int_equal(dump->element_count, 2);
    assert_int_equal(dump->ignored_count, 2);
    assert_int_equal(dump->ignored_line, 2);
    assert_string_equal(dump->ignored_name, "gpu");
}

TEST(what_is_no_xml_gets_a_plain_word)
{
    struct orr_error err;
    assert_error(read_error("", &err), ORR_UNRECOGNISED, &err, "empty");
    assert_error(read_error(" \n\t ", &err), ORR_UNRECOGNISED, &err, "empty");
    assert_error(read_error("\x89PNG\r\n\x1a\n", &err), ORR_UNRECOGNISED, &err, "binary");
    assert_error(read_error("hello", &err), ORR_UNRECOGNISED, &err, "'h'");
    assert_error(read_error("<topology/>", &err), ORR_UNRECOGNISED, &err, "<topology>");
    assert_true(err.advice[0] != 0);
    assert_error(read_error("<system/>", &err), ORR_INVALID, &err, "version"); /* no attribute in the whole file */
}

TEST(malformed_xml_names_line_and_column)
{
    struct orr_error err;
    assert_error(read_error("<system version=\"1\">\n  <cpu numaid=\"0\"\n  <pci/>\n</system>", &err), ORR_SYNTAX, &err,
                 "");
    assert_int_equal(err.line, 3);
    assert_true(err.column > 0);
    assert_error(read_error("<system version=\"1\">\n<cpu numaid=\"0\">\n<pci busid=\"1\">\n", &err), ORR_SYNTAX, &err,
                 "ends inside <pci>, which was opened in line 3");
    assert_error(read_bytes("<system version=\"1\"\0></system>", 30, &err), ORR_SYNTAX, &err, "");
    assert_error(read_error("<system version=\"\xff\xfe\"></system>", &err), ORR_SYNTAX, &err, "");
}

TEST(entities_and_doctypes_are_refused)
{
    struct orr_error err;
    const char *laughs = "<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>\n"
                         "<system version=\"1\">&b;</system>";
    assert_error(read_error(laughs, &err), ORR_SYNTAX, &err, "DOCTYPE");
    assert_int_equal(err.line, 2);
    assert_error(read_error("<!DOCTYPE system SYSTEM \"file:///etc/passwd\"><system version=\"1\"/>", &err), ORR_SYNTAX,
                 &err, "DOCTYPE");
    assert_error(read_error("<system version=\"1\">&nope;</system>", &err), ORR_SYNTAX, &err, "");
}

TEST(limits_are_kept)
{
    struct orr_error err = {0};
    struct orr_dump *dump = NULL;
    struct orr_dump_limits limits = orr_dump_default_limits;
    limits.elements = 3;
    assert_error(orr_dump_read(small, strlen(small), &limits, &dump, &err), ORR_LIMIT, &err, "more than 3 elements");
    assert_int_equal(err.line, 4);
    limits = orr_dump_default_limits;
    limits.depth = 2;
    err = (struct orr_error){0};
    assert_error(orr_dump_read(small, strlen(small), &limits, &dump, &err), ORR_LIMIT, &err, "deeper than 2");
    limits = orr_dump_default_limits;
    limits.attributes = 3;
    err = (struct orr_error){0};
    assert_error(orr_dump_read(small, strlen(small), &limits, &dump, &err), ORR_LIMIT, &err, "attributes");
    limits = orr_dump_default_limits;
    limits.bytes = 10;
    err = (struct orr_error){0};
    assert_error(orr_dump_read(small, strlen(small), &limits, &dump, &err), ORR_LIMIT, &err, "more than 10");
}

TEST(deep_nesting_does_not_exhaust_the_stack)
{
    enum { DEPTH = 100000 };
    char *text = malloc(DEPTH * 3 + 1);
    struct orr_error err;
    for (int i = 0; i < DEPTH; i++)
        memcpy(text + 3 * i, "<a>", 3);
    text[DEPTH * 3] = 0;
    assert_error(read_error(text, &err), ORR_LIMIT, &err, "deeper");
    free(text);
}

TEST(a_missing_attribute_without_default_is_named)
{
    struct orr_error err;
    assert_error(read_error("<system><cpu/></system>", &err), ORR_INVALID, &err, "version");
    assert_string_equal(err.where, "system");
}

struct refusal_case {
    const char *text;
    uint32_t line;
    const char *words;
};

TEST(what_nccl_itself_would_refuse_is_noted)
{
    static const struct refusal_case cases[] = {
        {"<system version=\"1\"><cpu numaid=\"0\" arch=\"arm64\"/></system>", 0, ""},
        {"<system version=\"1\"><!-- a=b c --><cpu numaid='0' arch=\"arm64\" /></system>", 0, ""},
        {"<system version=\"1\"><foo><bar></bar></foo></system>", 0, ""},
        {"<system version=\"1\"><!--a=b c --></system>", 1, "'='"},
        {"<?xml version=\"1.0\"?>\n<system version=\"1\"/>", 1, "declaration"},
        {"<system version=\"1\">\n\t<cpu/></system>", 2, "tab"},
        {"<system\nversion=\"1\"/>", 1, "line"},
        {"<system version=\"1\">\n<cpu numaid=\"0\"\narch=\"arm64\"/></system>", 2, "one line"},
        {"<system version=\"1\"></system >", 1, "end tag"},
        {"<system version=\"1\">text</system>", 1, "text"},
        {"<system version=\"2\"/>", 1, "version=\"2\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ORR_OWNED(orr_dump) *dump = read_text(cases[i].text);
        assert_int_equal(dump->refusal.line, cases[i].line);
        if (!strstr(dump->refusal.text, cases[i].words))
            fail_msg("case %zu: \"%s\" lacks \"%s\"", i, dump->refusal.text, cases[i].words);
    }
}

TEST(nccl_has_room_for_255_elements)
{
    for (int elements = 255; elements <= 256; elements++) {
        struct orr_text text;
        orr_text_init(&text, 1 << 20);
        orr_text_puts(&text, "<system version=\"1\"><cpu numaid=\"0\" arch=\"arm64\">");
        for (int i = 2; i < elements; i++)
            orr_text_puts(&text, "<pci busid=\"1\" class=\"0x068000\"/>");
        orr_text_puts(&text, "</cpu></system>");
        ORR_OWNED(orr_dump) *dump = read_text(text.data);
        assert_int_equal(dump->refusal.line != 0, elements == 256);
        orr_text_release(&text);
    }
}
