#include "engine/topology/dump.h"

struct orr_refusal orr_dump_refusal(const char *bytes, size_t length)
{
    (void)bytes, (void)length;
    return (struct orr_refusal){0};
}
