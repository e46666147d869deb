/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the shape of a dump: a digest of everything that matters for NCCL and for comparisons. GUIDs and host hashes
 * do not matter, so hosts of one kind have the same shape although each has its own. */
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
    /* There is no shape if a graph file belongs to the dump, or if releases read the input differently, because then
     * the elements do not tell everything. */
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
