# SPDX-License-Identifier: Apache-2.0
# usage: ./dev fmt
# Formats the files of C, JavaScript, CSS and Python.
need lint && c_files | xargs clang-format -i && tests/tools/lint/scripts.sh fix
