#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 Shows that check_layers.py can fail: it must find each line below in a skeleton of
# the tree.
set -u
here=$(readlink -f "$(dirname "$0")")
root=$here/../..
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
status=0

# Folders of some rooms, and all rows.
fresh() {
    rm -rf "$tree" && mkdir -p "$tree"/engine/{base,paths,search,findings,diagram,place,perf,gate,order,exports} "$tree"/api/{documents,store} "$tree"/{server,cli,library,include,static}
    for part in engine api server cli library; do cp "$root/$part/CMakeLists.txt" "$tree/$part/"; done
    mkdir -p "$tree/docs" && cp "$root/docs/rooms.svg" "$tree/docs/"
}
check() { PYTHONDONTWRITEBYTECODE=1 python3 "$here/check_layers.py" "$tree"; }

fresh
printf '#include "engine/base/error.h"\n' >"$tree/engine/paths/good.c"
printf '#include <graphviz/cgraph.h>\n' >"$tree/engine/diagram/good.c"
printf '#include <sqlite3.h>\n' >"$tree/api/store/good.c"
printf '#include <jansson.h>\n' >"$tree/api/documents/good.c"
printf '#include "server/serve.h"\n' >"$tree/cli/good.c"
printf '#include <microhttpd.h>\n' >"$tree/server/good.c"
printf '#include "api/http/api.h"\n' >"$tree/library/good.c"
printf '#define ORR_LIMIT 3\n#define X(name) name,\n' >"$tree/engine/base/good.h"
check || { echo "a tree without fault was refused"; status=1; }

while read -r file line; do
    fresh
    mkdir -p "$(dirname "$tree/$file")"
    printf '%s\n' "$line" >"$tree/$file"
    if check >/dev/null; then
        echo "not found: $line in $file"
        status=1
    fi
done <<'BAD'
engine/base/x.c #define TEXT(name) name
engine/base/x.h #define LIMIT 3
engine/base/x.c #include "api/documents/json.h"
engine/paths/x.h #include "server/http.h"
api/x.c #include "server/http.h"
api/x.c #include "cli/options.h"
server/x.c #include "cli/options.h"
cli/x.c #include "server/http.h"
cli/x.c #include "server/server.h"
cli/x.c #include "api/http/call.h"
server/x.c #include "api/documents/json.h"
engine/base/x.c #include "library/library.h"
api/x.c #include <orrery/orrery.h>
server/x.c #include "include/orrery/orrery.h"
cli/x.c #include "library/library.h"
library/x.c #include "server/serve.h"
library/x.c #include <jansson.h>
include/x.h #include "engine/orrery.h"
cli/x.c #include <microhttpd.h>
cli/x.c #include <jansson.h>
cli/x.c #include <sqlite3.h>
api/x.c #include <microhttpd.h>
engine/search/x.c #include <jansson.h>
engine/search/x.c #  include <graphviz/gvc.h>
api/x.c #include <sqlite3.h>
api/x.c #include <jansson.h>
server/x.c #include <sqlite3.h>
api/x.c #include <libpq-fe.h>
engine/base/x.c #include "engine/paths/paths.h"
engine/paths/x.c #include "engine/search/search.h"
engine/search/x.c #include "engine/orrery.h"
engine/findings/x.c #include "engine/diagram/diagram.h"
engine/findings/x.c #include <archive.h>
api/x.c #include <dlfcn.h>
engine/diagram/x.c #include "engine/detect/detect.h"
engine/diagram/x.c #include "engine/findings/finding.h"
engine/place/x.c #include "engine/order/order.h"
engine/order/x.c #include "engine/place/place.h"
engine/expect/x.c #include "engine/perf/perf.h"
engine/perf/x.c #include "engine/gate/gate.h"
engine/exports/x.c #include "engine/report/report.h"
engine/gate/x.c #include "engine/perf/perf.h"
engine/paths/x.c #include <zlib.h>
api/x.c #include <microhttpd.h>
engine/nowhere/x.c int x;
engine/paths/x.c if (system->release->version >= 22707)
engine/search/x.c if (now >= ORR_VERSION(2, 28, 9))
api/x.c static const char *place = "../shared/topologies";
static/x.js fetch("../shared/topologies");
BAD
fresh
sed -i 's/^\(orr_room(machines machines\) .*/\1 orr_search)/' "$tree/engine/CMakeLists.txt"
if check >/dev/null; then
    echo "not found: the picture docs/rooms.svg differs from the rows"
    status=1
fi
exit $status
