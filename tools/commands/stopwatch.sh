# SPDX-License-Identifier: Apache-2.0
# usage: ./dev stopwatch [DUMP]
# Measures a new user's first answers: commands and seconds from a fresh clone to the report about a dump.
# Also keys, clicks and seconds from a pasted `nvidia-smi topo -m` to the verdict on the page.
exec tests/tools/stopwatch.sh "$@"
