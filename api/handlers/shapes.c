/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of a dump: a digest of all that matters for NCCL and for comparing. GUIDs and host hashes do not: hosts of
 * one kind have the same shape although each has its own. */
#include "api/handlers/shapes.h"

#include "api/http/answer.h"
#include "engine/cluster/dump_shape.h"
#include "engine/input/input.h"

enum { MOST_TEXT = 64 << 20 };

bool orr_shape_of(const struct orr_dump *dump, char ret_shape[ORR_DIGEST_LENGTH + 1])
{
    struct orr_dump_shape shape;
    struct orr_error err = {0};
    ORR_LOCAL_ARENA(arena, 0);
    ORR_LOCAL_TEXT(text, MOST_TEXT);
    /* A graph file, and input of which each release makes something else, is more than its elements say. */
    if (!arena || dump->graphs || (dump->notes && dump->notes->release) ||
        orr_dump_shape(dump, arena, &shape, &err) != ORR_OK)
        return false;
    orr_dump_shape_write(&shape, &text);
    if (orr_text_failed(&text))
        return false;
    orr_sha256(text.data, text.length, ret_shape);
    return true;
}

bool orr_shape_of_bytes(const char *bytes, size_t length, char ret_shape[ORR_DIGEST_LENGTH + 1])
{
    struct orr_error err = {0};
    ORR_LOCAL(orr_dump, dump);
    return orr_input_read(bytes, length, NULL, &dump, &err) == ORR_OK && orr_shape_of(dump, ret_shape);
}
