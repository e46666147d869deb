#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the portable archive: make_archive.sh OUT, in a Debian 11 system with the build packages, from the root of a clone.
#
# bin/orrery and libexec/orrery/orrery-service find the libraries of lib/orrery by $ORIGIN, and those find each other. Graphviz looks for its plugins
# in graphviz/ beside libgvc. Only glibc is the system's: whatever has 2.31 or newer will do.
set -eu
out=$1
version=$(cmake -P cmake/version.cmake)
name=orrery-$version-linux-$(uname -m)
tree=$out/$name libraries=$out/$name/lib/orrery system=/usr/lib/$(uname -m)-linux-gnu
rm -rf "$tree" && mkdir -p "$libraries/graphviz" "$libraries/fonts"

# Debian 11's libmicrohttpd does not say how long the headers of a request are while they come; that of Debian 12 does.
if ! pkg-config --atleast-version=0.9.75 libmicrohttpd; then
    echo "deb-src $(awk '/^deb / { print $2; exit }' /etc/apt/sources.list) bookworm main" >/etc/apt/sources.list.d/source.list
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends dpkg-dev >/dev/null
    # In place of the other: which of two the loader takes is not the same on every processor.
    (cd /tmp && apt-get source -qq libmicrohttpd && cd libmicrohttpd-*/ && ./configure -q --disable-static --disable-doc --disable-examples --disable-curl \
        --prefix=/usr --libdir="$system" && make -s -j2 && make -s install && cp debian/copyright /usr/local/share/libmicrohttpd.copyright)
    ldconfig
fi

cmake -B build-archive -G Ninja -DORR_TESTS=OFF -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_INSTALL_PREFIX=/opt/orrery \
    -DCMAKE_INSTALL_LIBDIR=lib "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O2 -g"
nice cmake --build build-archive
for component in program library development; do
    cmake --install build-archive --prefix "$tree" --component $component --strip
done
cp LICENSE README.md CHANGELOG.md "$tree"

# needed_by FILE...: the shared libraries that these load, without glibc
needed_by() { ldd "$@" | awk '$3 ~ /^\// { print $3 }' | grep -vE '/(libc|libm|libdl|libpthread|librt|libresolv|libutil|ld-linux[^/]*)\.so' | sort -u; }
for plugin in core dot_layout neato_layout pango; do cp "$system"/graphviz/libgvplugin_$plugin.so.6 "$libraries/graphviz/"; done
GVBINDIR=$libraries/graphviz dot -c
for library in $(needed_by "$tree/bin/orrery" "$tree/libexec/orrery/orrery-service" "$tree"/lib/liborrery.so.*.*.* "$libraries"/graphviz/*.so*); do
    cp -L "$library" "$libraries/"
done
cp /usr/share/fonts/truetype/dejavu/DejaVuSans{,-Bold}.ttf "$libraries/fonts/"
cp server/deploy/fonts.conf "$libraries/"
licences=$tree/share/doc/orrery/licences # of the libraries and fonts that come along, as their Debian packages have them
mkdir -p "$licences"
find "$libraries" -type f \( -name '*.so*' -o -name '*.ttf' \) -printf '%f\n' | while read -r file; do
    dpkg -S "*/$file" 2>/dev/null | sed 's/[:,].*//'
done | sort -u | grep -vx libmicrohttpd12 | while read -r package; do
    [ ! -e "/usr/share/doc/$package/copyright" ] || cp -L "/usr/share/doc/$package/copyright" "$licences/$package"
    dpkg-query -W -f='${Package} ${Version} (source ${source:Package} ${source:Version})\n' "$package"
done >"$licences/VERSIONS"
echo "libmicrohttpd $(pkg-config --modversion libmicrohttpd) (source libmicrohttpd of Debian 12)" >>"$licences/VERSIONS"
cp /usr/local/share/libmicrohttpd.copyright "$licences/libmicrohttpd12"

patchelf --set-rpath '$ORIGIN/../lib/orrery' "$tree/bin/orrery"
patchelf --set-rpath '$ORIGIN/../../lib/orrery' "$tree/libexec/orrery/orrery-service"
patchelf --set-rpath '$ORIGIN/orrery' "$tree"/lib/liborrery.so.*.*.*
for library in "$libraries"/*.so*; do patchelf --set-rpath '$ORIGIN' "$library"; done
for library in "$libraries"/graphviz/*.so*; do patchelf --set-rpath '$ORIGIN/..' "$library"; done
tar -C "$out" --owner=0 --group=0 --sort=name -czf "$out/$name.tar.gz" "$name"
