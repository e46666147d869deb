# SPDX-License-Identifier: Apache-2.0
# usage: ./dev archive [check] [arm64]
# Makes the portable archive and the wheel of the last commit in build-archive/, in a root file system of Debian 11; needs root.
# They are for this machine's processor, or for 64-bit Arm, where qemu is slow but needs no other machine.
# check tries them in minimal systems of Debian 11, 12 and 13: the archive without any package added, the wheel with Python and pip.
. tools/portability.sh
make_archive "$@"
