/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/version.h"

const char *orr_version(void)
{
    return ORR_VERSION_TEXT; /* engine/CMakeLists.txt */
}
