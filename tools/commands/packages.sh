# SPDX-License-Identifier: Apache-2.0
# usage: ./dev packages [KIND...]
# Lists the Debian packages of a kind: build (the default), run, unit, http, page, package, lint, fuzz, bench, systems, image.
packages "${@:-build}" | sed 's/[ |].*//'
