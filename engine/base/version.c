#include "engine/base/version.h"

const char *orr_version(void)
{
    return ORR_VERSION_TEXT; /* engine/CMakeLists.txt */
}
