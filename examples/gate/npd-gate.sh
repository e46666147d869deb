#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Custom plugin of Kubernetes' Node Problem Detector: the condition NcclDegraded of a node. npd-gate.json runs it.
# Exit status 0: no problem; 1: the node is degraded; 2: it cannot be judged. The line printed becomes the message.
set -u
ORRERY=${ORRERY:-/usr/bin/orrery}
ORRERY_GATE_EXPECT=${ORRERY_GATE_EXPECT:-/etc/orrery/expected.xml} # a file, a machine type, or fleet:QUERY
ORRERY_GATE_OPTIONS=${ORRERY_GATE_OPTIONS:---timeout 8}            # more options, divided by blanks

# shellcheck disable=SC2086 # a list
"$ORRERY" gate --expect "$ORRERY_GATE_EXPECT" $ORRERY_GATE_OPTIONS 2>&1
case $? in
0) exit 0 ;;
3) exit 1 ;;
*) exit 2 ;;
esac
