# SPDX-License-Identifier: Apache-2.0
# Cross-compiles for 64-bit Arm, with Debian's crossbuild-essential-arm64 and the libraries of architecture arm64:
#     cmake -B build-aarch64 -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64.cmake
# If qemu-user is installed, ctest runs the unit tests under it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(PKG_CONFIG_EXECUTABLE aarch64-linux-gnu-pkg-config)
find_program(QEMU NAMES qemu-aarch64 qemu-aarch64-static)
if(QEMU)
    set(CMAKE_CROSSCOMPILING_EMULATOR ${QEMU})
endif()
