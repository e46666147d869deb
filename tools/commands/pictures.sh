# SPDX-License-Identifier: Apache-2.0
# usage: ./dev pictures
# Takes the pictures of README.md into tests/pictures.
need build run page && build release && npm_packages && ORRERY=$PWD/build/orrery exec node tests/browser/pictures.mjs
