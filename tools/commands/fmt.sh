# usage: ./dev fmt
# Formats the C files.
need lint && c_files | xargs clang-format -i
