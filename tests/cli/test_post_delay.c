/* SPDX-License-Identifier: Apache-2.0 */
/* How long the agent waits before it tries again. */
#include "cli/post.h"
#include "tests/support/orr_test.h"

TEST(waits_double_up_to_a_minute_and_differ)
{
    for (unsigned failures = 1; failures < 40; failures++) {
        double full = failures < 7 ? (double)(1u << (failures - 1)) : 60;
        assert_true(orr_post_delay(failures, 0, 0) == full / 2);
        assert_true(orr_post_delay(failures, 999, 0) > full * 0.99 && orr_post_delay(failures, 999, 0) < full);
    }
}

TEST(the_service_may_ask_for_more)
{
    assert_true(orr_post_delay(1, 500, 30) == 30);
    assert_true(orr_post_delay(1, 500, 100000) == 120);
    assert_true(orr_post_delay(7, 0, 5) == 30);
    assert_true(orr_post_delay(1, 0, -1) == 0.5);
}
