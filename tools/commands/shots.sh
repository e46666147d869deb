# SPDX-License-Identifier: Apache-2.0
# usage: ./dev shots
# Takes screenshots of the page into build/screenshots.
need build run page && build release && npm_packages && (cd tests/browser && ORRERY=../../build/orrery node shots.mjs "$@")
