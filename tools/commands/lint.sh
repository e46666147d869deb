# SPDX-License-Identifier: Apache-2.0
# usage: ./dev lint
# Checks the format of C, JavaScript, CSS and Python and what clang-tidy, shellcheck, ESLint and flake8 find, and that nothing compiles with a warning.
# It names the source files without a licence line too; `python3 tools/spdx.py --write` gives them one.
need lint && build lint || exit 1
python3 tools/spdx.py || exit 1
shellcheck -S warning -s bash dev tools/*.sh tools/commands/*.sh .ci/run || exit 1
c_files | xargs clang-format --dry-run --Werror || exit 1
tests/tools/lint/scripts.sh check || exit 1
git ls-files 'engine/*.c' 'api/*.c' 'server/*.c' 'cli/*.c' 'library/*.c' | xargs -P2 -n1 clang-tidy -quiet -p build-lint
