# SPDX-License-Identifier: Apache-2.0
# usage: ./dev portability [--whole] [SYSTEM|dockerfile ...]
# Runs README's two commands in fresh minimal systems, Debian 12 and 13 by default; needs root.
# The last commit is cloned into a copy of the system; there `./dev run` must build and serve, and the unit part of the suite must pass (--whole: all of it).
# Systems are debian-11, debian-12, debian-13, ubuntu-22.04 and ubuntu-24.04; debootstrap makes them below $ORR_SYSTEMS (/var/cache/orrery/systems).
. tools/portability.sh
check_portability "$@"
