# SPDX-License-Identifier: Apache-2.0
# usage: ./dev conformance [ARGUMENT...]
# Compares with what NCCL's own code computed: the cases of ../shared if it lies beside the checkout, else those of tests/conformance.
# Arguments are those of tests/conformance/check.py.
build release && compare "$@"
