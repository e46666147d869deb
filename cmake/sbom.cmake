# SPDX-License-Identifier: Apache-2.0
# The libraries that the build links, with versions and licences, as CycloneDX 1.5: build/orrery.cdx.json. ctest `sbom` compares it with the programs.
#
# Each row: the prefix of pkg_check_modules() and, for two modules, the module; its name for pkg-config; its licence as an SPDX expression.
set(rows
    "LIBXML2 libxml-2.0 MIT"
    "JANSSON jansson MIT"
    "MICROHTTPD libmicrohttpd LGPL-2.1-or-later"
    "GNUTLS gnutls LGPL-2.1-or-later"
    "SQLITE3 sqlite3 blessing"
    "LIBPQ libpq PostgreSQL"
    "GVC_libgvc libgvc EPL-1.0"
    "GVC_libcgraph libcgraph EPL-1.0"
    "ZLIB zlib Zlib"
    "NETTLE nettle LGPL-3.0-or-later OR GPL-2.0-or-later"
    "LIBARCHIVE libarchive BSD-2-Clause"
    "CURL libcurl curl")
set(components "")
foreach(row IN LISTS rows)
    string(REGEX MATCH "^([^ ]+) ([^ ]+) (.+)$" row "${row}")
    set(version ${${CMAKE_MATCH_1}_VERSION})
    list(APPEND components "  {\"type\": \"library\", \"name\": \"${CMAKE_MATCH_2}\", \"version\": \"${version}\",\
 \"purl\": \"pkg:generic/${CMAKE_MATCH_2}@${version}\", \"licenses\": [{\"expression\": \"${CMAKE_MATCH_3}\"}]}")
endforeach()
string(REPLACE ";" ",\n" components "${components}")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/orrery.cdx.json CONTENT [=[
{"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
 "metadata": {"component": {"type": "application", "name": "orrery", "version": "@ORR_VERSION@",
  "purl": "pkg:generic/orrery@@ORR_VERSION@", "licenses": [{"expression": "Apache-2.0"}]}},
 "components": [
@components@
 ]}
]=] @ONLY) # the order that CMake 3.18 wants
install(FILES ${CMAKE_BINARY_DIR}/orrery.cdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR})
