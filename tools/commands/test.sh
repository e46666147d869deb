# SPDX-License-Identifier: Apache-2.0
# usage: ./dev test [PART...]
# Runs the whole suite, or parts of it: unit answers fuzz property conformance http browser package js readme.
# The parts run side by side, ORR_TEST_JOBS pieces at once (one more than there are cores, because some pieces wait); logs stay in build-test/.
# Skipped checks are named and counted. property takes 170 random machines, 34 of them under the sanitizers, each through three releases, all of which come up equally often; conformance takes every second case;
# ../shared, if it lies beside the checkout, adds more of NCCL's own results and real dumps.
. tools/suite.sh
run_tests "$@"
