# SPDX-License-Identifier: Apache-2.0
# usage: ./dev run [OPTION...]
# Builds, then serves the page and the API on an SQLite database here (dev.orrery.db); prints the address.
# Options go to `orrery serve`, such as --listen 127.0.0.1:9000; build/orrery serve --help lists them.
need build run
targets="orrery docs" build release # without the tests, which take a third of the time
case " $* " in *" --database"[\ =]* | *" --help "*) ;; *) set -- --database "$PWD/dev.orrery.db" "$@" ;; esac
exec build/orrery serve "$@"
