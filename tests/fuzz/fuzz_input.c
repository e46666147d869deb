/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an input, with a machine type; and the copies that are made of them. The first byte chooses the type. */
#include "engine/base/arena.h"
#include "engine/input/anonymise.h"
#include "engine/input/input.h"
#include "engine/input/vm_file.h"
#include "engine/machines/machine_types.h"
#include "tests/fuzz/fuzz.h"

enum { MOST_TEXT = 16 << 20 };

/* What a reader made, written as NCCL's XML, is read again and is the same. */
static void write_and_read(const struct orr_dump *dump)
{
    struct orr_error err = {0};
    struct orr_text text, again;
    struct orr_dump *second = NULL;
    orr_text_init(&text, MOST_TEXT);
    orr_text_init(&again, MOST_TEXT);
    orr_dump_write(dump, &text);
    enum orr_code code = orr_dump_read(text.data ? text.data : "", text.length, NULL, &second, &err);
    FUZZ_REQUIRE(code == ORR_OK, "%s\n%s", err.text, text.data);
    orr_dump_write(second, &again);
    FUZZ_REQUIRE(text.length == again.length && !memcmp(text.data, again.data, text.length), "%s\n%s", text.data,
                 again.data);
    orr_dump_free(second);
    orr_text_release(&text);
    orr_text_release(&again);
}

static void copy(const char *bytes, size_t size)
{
    struct orr_error err = {0};
    ORR_LOCAL_TEXT(text, MOST_TEXT);
    ORR_LOCAL_ARENA(arena, 0);
    enum orr_code code = orr_anonymise(bytes, size, arena, &text, NULL, &err);
    FUZZ_REQUIRE(code == ORR_OK, "%s", err.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return -1;
    struct orr_error err = {0};
    struct orr_dump *dump = NULL;
    const char *bytes = (const char *)data + 1;
    const struct orr_input_options options = {.assumed = data[0] & 1 ? orr_machine_type(data[0] >> 1) : NULL};
    copy(bytes, size - 1);
    enum orr_code code = orr_input_read(bytes, size - 1, &options, &dump, &err);
    if (code != ORR_OK) {
        FUZZ_REQUIRE(code == err.code && err.text[0], "%s without words", orr_code_name(code));
        return 0;
    }
    FUZZ_REQUIRE(dump->notes && dump->notes->kind && dump->notes->recognised[0], "no notes");
    FUZZ_REQUIRE(!options.assumed || dump->notes->machine_type, "the machine type is not named");
    write_and_read(dump);
    ORR_LOCAL_TEXT(text, MOST_TEXT);
    const struct orr_vm_options vm = {.gpus = size % 2 ? "0000:00:05.0" : NULL};
    code = orr_vm_file(dump, &vm, &text, &err);
    FUZZ_REQUIRE(code == ORR_OK || err.text[0], "%s without words", orr_code_name(code));
    orr_dump_free(dump);
    return 0;
}
