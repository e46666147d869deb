# SPDX-License-Identifier: Apache-2.0
# usage: ./dev measure [DUMP]
# Measures how soon the page can be used and how it pans, by the browser's own clock and trace.
need build run page && build release && npm_packages && ORRERY=$PWD/build/orrery exec node tests/browser/measure.mjs "$@"
