# SPDX-License-Identifier: Apache-2.0
# usage: ./dev build [PRESET...]
# Builds: release in build/ (the default), dev (with ASan and UBSan) in build-dev/, tsan, fuzz, lint and package in theirs.
# package is for /usr. CMake alone does as well: cmake -B build && cmake --build build. Warnings are errors in preset lint, and with ORR_WERROR=ON.
build "$@"
