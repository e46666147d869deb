# SPDX-License-Identifier: Apache-2.0
"""Random machines on which detection and its twin must agree, byte for byte; `./dev soak` takes more of them."""
import io

import pytest

import twin_check


@pytest.mark.parametrize("first", range(1, 25, 3))
def test_detection_agrees_with_its_twin(first):
    known = twin_check.releases()
    for seed in range(first, first + 3):
        among = [known[2 * seed % len(known)], known[(2 * seed + 1) % len(known)]]  # all within seventeen machines
        out = io.StringIO()
        assert not twin_check.check(seed, among, out=out), out.getvalue()[:6000]
