/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/thread_slot.h"

#include <stdatomic.h>

unsigned orr_thread_slot(void)
{
    static atomic_uint threads;
    static _Thread_local unsigned slot = ORR_THREAD_SLOTS; /* not given yet */
    if (slot == ORR_THREAD_SLOTS)
        slot = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) % ORR_THREAD_SLOTS;
    return slot;
}
