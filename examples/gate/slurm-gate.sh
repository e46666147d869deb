#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Slurm: keeps jobs off nodes that are not what they should be. One script for both places in slurm.conf:
#
#   HealthCheckProgram=/etc/slurm/slurm-gate.sh    HealthCheckInterval=600    HealthCheckNodeState=IDLE,CYCLE
#   Prolog=/etc/slurm/slurm-gate.sh
#
# A degraded node is drained, with the reason in its record: by scontrol where slurmd runs the health check, by the exit
# status where it runs a prolog (the job is queued again). A node that cannot be judged stays as it is, unless
# ORRERY_GATE_STRICT=1. /etc/default/orrery-gate may set what follows.
set -u
# shellcheck source=/dev/null
[ ! -r /etc/default/orrery-gate ] || . /etc/default/orrery-gate
ORRERY=${ORRERY:-/usr/bin/orrery}
ORRERY_GATE_EXPECT=${ORRERY_GATE_EXPECT:-/etc/orrery/expected.xml} # a file, a machine type, or fleet:QUERY
ORRERY_GATE_OPTIONS=${ORRERY_GATE_OPTIONS:---timeout 5}            # more options, divided by blanks
ORRERY_GATE_STRICT=${ORRERY_GATE_STRICT:-0}

# shellcheck disable=SC2086 # a list
reason=$("$ORRERY" gate --expect "$ORRERY_GATE_EXPECT" $ORRERY_GATE_OPTIONS 2>&1)
status=$?
case $status in
0) exit 0 ;;
3) ;;
*)
    echo "orrery gate: status $status: $reason" >&2
    [ "$ORRERY_GATE_STRICT" = 1 ] || exit 0
    ;;
esac
if [ -n "${SLURM_JOB_ID:-}" ]; then # a prolog: slurmd drains the node
    echo "orrery gate: $reason" >&2
    exit 1
fi
exec scontrol update NodeName="${SLURMD_NODENAME:-$(uname -n | cut -d. -f1)}" State=DRAIN Reason="orrery gate: $reason"
