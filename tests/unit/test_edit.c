/* SPDX-License-Identifier: Apache-2.0 */
/* Dumps that are edited: what copies share, origins, places, and the limits. */
#include "engine/dump/edit.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/dump_text.h"
#include "tests/support/orr_test.h"

static const char machine[] = "<system version=\"1\">\n"
                              " <cpu numaid=\"0\">\n"
                              "  <pci busid=\"0000:1b:00.0\" class=\"0x030200\">\n"
                              "   <gpu dev=\"0\" rank=\"0\"/></pci>\n"
                              " </cpu>\n"
                              "</system>\n";

static struct orr_doc_node *gpu_of(const struct orr_doc *doc)
{
    return orr_doc_find(doc->system, ORR_ELEMENT_GPU, ORR_ATTR_DEV, "0");
}

TEST(copies_share_attributes_until_they_change_them)
{
    ORR_OWNED(orr_dump) *dump = read_text(machine);
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_doc doc;
    orr_doc_open(&doc, dump, arena);
    struct orr_doc_node *gpu = gpu_of(&doc);
    assert_ptr_equal(gpu->attributes, &dump->attributes[dump->elements[3].first_attribute]);
    orr_doc_set(&doc, gpu, ORR_ATTR_RANK, "%d", 7);
    assert_string_equal(orr_doc_get(gpu, ORR_ATTR_RANK), "7");
    assert_string_equal(orr_element_text(dump, 3, ORR_ATTR_RANK), "0");
    const struct orr_dump *changed = orr_doc_to_dump(&doc, dump);
    assert_non_null(changed);
    assert_int_equal(changed->element_count, dump->element_count);
    assert_int_equal(orr_element_int(changed, 3, ORR_ATTR_RANK, -1), 7);
    assert_int_equal(changed->elements[3].line, 4);
    assert_int_equal(changed->elements[3].column, 4);
}

TEST(values_keep_where_they_are_from)
{
    ORR_OWNED(orr_dump) *dump = read_text(machine);
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_doc doc, copy;
    orr_doc_open(&doc, dump, arena);
    orr_doc_suppose(&doc, gpu_of(&doc), ORR_ATTR_GDR, "1");
    orr_doc_set(&doc, gpu_of(&doc), ORR_ATTR_RANK, "1");
    const struct orr_dump *assumed = orr_doc_to_dump(&doc, dump);
    assert_non_null(assumed);
    assert_true(orr_dump_assumed(assumed, ORR_ELEMENT_GPU, ORR_ATTR_GDR));
    assert_false(orr_dump_assumed(assumed, ORR_ELEMENT_GPU, ORR_ATTR_RANK));
    orr_doc_open(&copy, assumed, arena);
    assert_int_equal(orr_doc_attribute(gpu_of(&copy), ORR_ATTR_GDR)->origin, ORR_VALUE_ASSUMED);
    assert_int_equal(orr_doc_attribute(gpu_of(&copy), ORR_ATTR_RANK)->origin, ORR_VALUE_EDITED);
    assert_int_equal(orr_doc_attribute(gpu_of(&copy), ORR_ATTR_DEV)->origin, ORR_VALUE_GIVEN);
}

TEST(an_element_takes_as_many_attributes_as_the_reader_allows)
{
    char text[4096];
    size_t used = (size_t)snprintf(text, sizeof text, "<system version=\"1\"><cpu numaid=\"0\"");
    for (int i = 0; i < 62; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, " extra%d=\"%d\"", i, i);
    snprintf(text + used, sizeof text - used, " arch=\"x86_64\"/></system>");
    ORR_OWNED(orr_dump) *dump = read_text(text);
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_doc doc;
    orr_doc_open(&doc, dump, arena);
    struct orr_doc_node *cpu = orr_doc_child(doc.system, ORR_ELEMENT_CPU);
    orr_doc_set(&doc, cpu, ORR_ATTR_VENDOR, "AuthenticAMD");
    orr_doc_drop(&doc, cpu, ORR_ATTR_NUMAID);
    assert_int_equal(cpu->attribute_count, 64);
    assert_null(orr_doc_get(cpu, ORR_ATTR_NUMAID));
    assert_string_equal(orr_doc_get(cpu, ORR_ATTR_ARCH), "x86_64");
    assert_string_equal(orr_doc_get(cpu, ORR_ATTR_VENDOR), "AuthenticAMD");
}

TEST(a_limit_of_elements_is_remembered)
{
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_doc doc;
    orr_doc_init(&doc, arena);
    doc.limit = 3;
    for (int i = 0; i < 2; i++)
        orr_doc_add(&doc, doc.system, ORR_ELEMENT_CPU, NULL);
    assert_false(doc.too_many);
    assert_ptr_equal(orr_doc_add(&doc, doc.system, ORR_ELEMENT_CPU, NULL), &doc.spare);
    assert_true(doc.too_many);
}
