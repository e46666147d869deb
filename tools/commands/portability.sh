# SPDX-License-Identifier: Apache-2.0
# usage: ./dev portability [--whole] [SYSTEM|dockerfile|compilers|aarch64 ...]
# Runs README's two commands in fresh minimal systems, Debian 12 and 13 by default; needs root.
# The last commit is cloned into a copy of the system; there `./dev run` must build and serve, and the unit part of the suite must pass (--whole: all of it).
# Systems are debian-11, debian-12, debian-13, ubuntu-22.04 and ubuntu-24.04; debootstrap makes them below $ORR_SYSTEMS (/var/cache/orrery/systems).
# compilers: all of GCC 12 to 14 and Clang 14 to 19 that Debian 12 and 13 have, or those that $ORR_COMPILERS names, with warnings as errors.
# aarch64: cross-compiled for Arm on Debian 13; the programs of the unit tests run under qemu.
# dockerfile: the image, on a base of Debian 12 made by debootstrap.
. tools/portability.sh
check_portability "$@"
