/* SPDX-License-Identifier: Apache-2.0 */
/* Makes of orrery a program whose newest release was not compared with NCCL's own results, like a row of the release
 * table that was just added. tests/http/test_uncompared.py looks at everything that says something of such a release.
 */
#include "engine/release/release.h"

__attribute__((constructor)) static void forget_references(void)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    ((struct orr_release *)(uintptr_t)&releases[count - 1])->compared = false;
}
