# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Root file systems of other releases, made by debootstrap: for `./dev portability` and for the archive.
#
# The minimal systems are kept in $systems, with the packages that apt has fetched and what ccache has compiled; each use gets a copy.
# A name that ends in -arm64 is the same system for 64-bit Arm. On another processor qemu-user-static runs it; the kernel is told so (binfmt_misc).
systems=${ORR_SYSTEMS:-/var/cache/orrery/systems}
system_rows="
debian-11    bullseye
debian-12    bookworm
debian-13    trixie
ubuntu-22.04 jammy
ubuntu-24.04 noble"
system_names() { awk 'NF { print $1 }' <<<"$system_rows"; }
suite_of() { awk -v name="${1%-arm64}" '$1 == name { print $2 }' <<<"$system_rows"; }
mirror_of() { # the one that apt uses here, if this is Debian too
    local site=""
    case "$1" in
    ubuntu-*) echo http://archive.ubuntu.com/ubuntu ;;
    *)
        site=$(apt-get indextargets --format '$(SITE)' 2>/dev/null | grep '/debian/\?$' | head -1)
        echo "${site:-http://deb.debian.org/debian}"
        ;;
    esac
}

# Arm's programs start: by themselves, or once the kernel knows which program runs them (magic and mask are those of an ELF file for aarch64).
arm_runs() {
    local kernel=/proc/sys/fs/binfmt_misc zeros='\x00\x00\x00\x00\x00\x00\x00\x00' ones='\xff\xff\xff\xff\xff\xff\xff\xff' qemu
    [ "$(uname -m)" != aarch64 ] && [ ! -e $kernel/qemu-aarch64 ] || return 0
    qemu=$(command -v qemu-aarch64-static) || return 1
    [ -e $kernel/register ] || mount -t binfmt_misc none $kernel 2>/dev/null || return 1
    printf '%s' ":qemu-aarch64:M::\x7fELF\x02\x01\x01\x00$zeros\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00$ones\xfe\xff\xff\xff:$qemu:F" \
        >$kernel/register 2>/dev/null
}

# system_obstacle NAME: why a system cannot be made or entered here; nothing if it can.
system_obstacle() {
    [ -n "$(suite_of "$1")" ] || { echo "there is no system of that name ($(system_names | xargs))"; return; }
    [ "$(id -u)" = 0 ] || { echo "only root can make a root file system"; return; }
    unshare --mount --pid --fork true 2>/dev/null || { echo "this machine does not let root mount anything"; return; }
    case "$1" in *-arm64) arm_runs || { echo "programs for Arm do not start here"; return; } ;; esac
    [ -e "$systems/$1/.complete" ] && return
    command -v debootstrap >/dev/null || { echo "debootstrap is not installed"; return; }
    curl -fsS -m 30 -o /dev/null "$(mirror_of "$1")/dists/$(suite_of "$1")/Release" 2>/dev/null || echo "$(mirror_of "$1") cannot be reached"
}

# system_make NAME: the minimal system, unless it is there.
system_make() {
    local options=(--variant=minbase) script=()
    [ ! -e "$systems/$1/.complete" ] || return 0
    rm -rf --one-file-system "${systems:?}/$1"
    mkdir -p "$systems"
    case "$1" in *-arm64) options+=(--arch=arm64) ;; esac
    case "$1" in ubuntu-*)
        options+=("--components=main,universe" --keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg)
        [ -e "/usr/share/debootstrap/scripts/$(suite_of "$1")" ] || script=(/usr/share/debootstrap/scripts/gutsy) # for all of Ubuntu
        ;;
    esac
    timeout 1200 debootstrap "${options[@]}" "$(suite_of "$1")" "$systems/$1" "$(mirror_of "$1")" "${script[@]}" >"$systems/$1.log" 2>&1 </dev/null ||
        { tail -n 20 "$systems/$1.log" >&2; return 1; }
    touch "$systems/$1/.complete"
}

# system_copy NAME: a fresh copy at $system; system_drop removes it. It has this network's certificates.
system_copy() {
    system_make "$1" || return 1
    mkdir -p "$systems/ccache" "$systems/packages-$1/partial"
    system=$(mktemp -d "$systems/copy-$1-XXXXXX")
    chmod 755 "$system"
    cp -a --reflink=auto "$systems/$1/." "$system" && cp /etc/resolv.conf "$system/etc/resolv.conf"
    mkdir -p "$system/usr/local/share/ca-certificates" "$system/ccache"
    echo force-unsafe-io >"$system/etc/dpkg/dpkg.cfg.d/unsafe-io" # nobody keeps this copy
    cp /usr/local/share/ca-certificates/*.crt "$system/usr/local/share/ca-certificates/" 2>/dev/null || true
}
system_drop() { [ -z "${system:-}" ] || rm -rf --one-file-system "$system"; }

# in_system SECONDS COMMAND: as a user of $system would type it, without input. Its mounts and processes end with it.
in_system() {
    # shellcheck disable=SC2016
    timeout -k 10 "$1" unshare --mount --pid --fork --kill-child bash -c '
        set -e
        mount -t proc proc "$0/proc" && mount -t sysfs -o ro sysfs "$0/sys"
        mkdir -p "$0/dev/pts" "$0/dev/shm"
        mount -t devpts -o newinstance,ptmxmode=0666 devpts "$0/dev/pts" && mount -t tmpfs tmpfs "$0/dev/shm"
        mount --bind "$1/ccache" "$0/ccache"
        mount --bind "$1/packages-$2" "$0/var/cache/apt/archives"
        exec chroot "$0" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 CCACHE_DIR=/ccache \
            npm_config_cafile=/etc/ssl/certs/ca-certificates.crt NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt bash -c "$3"' \
        "$system" "$systems" "$(basename "$system" | sed 's/^copy-//; s/-[^-]*$//')" "$2" </dev/null
}
