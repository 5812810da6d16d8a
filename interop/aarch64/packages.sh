#!/bin/bash
# packages.sh FOLDER   fetches Debian's arm64 packages and makes of them FOLDER/system.cpio, and kernels with pages of
#                      4 and of 16 KiB, FOLDER/kernel-4 and FOLDER/kernel-16.
#
# Nothing is installed here: apt works on folders of its own, and no program of a package is run.
set -euo pipefail
folder=$(realpath -m "$1")
# What the tests of `sheave run` use, with what that needs. freeDiameter is left out: it wants an interface beside
# loopback, of which the guest has none.
programs="bash dash busybox-static coreutils util-linux procps diffutils grep sed gcc libc6-dev python3 openssl \
  iperf3 ncat socat lksctp-tools libsctp-dev sip-tester"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# for_arm RELEASE PROGRAM ARGS...   a program of apt for that release on arm64, where nothing is installed.
for_arm() {
  local own=$work/$1
  if [ ! -d "$own" ]; then
    mkdir -p "$own"/{lists/partial,archives/partial}
    : > "$own/status"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $1 main" \
      > "$own/sources.list"
    for_arm "$1" apt-get update > /dev/null
  fi
  "$2" -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Install-Recommends=false \
    -o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=1 \
    -o Dir::State="$own" -o Dir::State::status="$own/status" -o Dir::State::lists="$own/lists" \
    -o Dir::Cache="$own" -o Dir::Cache::archives="$own/archives" \
    -o Dir::Etc::SourceList="$own/sources.list" -o Dir::Etc::SourceParts=/dev/null "${@:3}"
}

# kernel RELEASE PACKAGE   the kernel that this package stands for.
kernel() {
  local package
  package=$(for_arm "$1" apt-cache depends "$2" | sed -n 's/ *Depends: //p' | head -1)
  (cd "$work/$1" && for_arm "$1" apt-get download "$package" > /dev/null)
  dpkg-deb --fsys-tarfile "$work/$1/$package"_*.deb | tar -x -O --wildcards './boot/vmlinuz-*'
}

mkdir -p "$folder"
kernel bookworm linux-image-cloud-arm64 > "$folder/kernel-4"
kernel trixie linux-image-arm64-16k > "$folder/kernel-16"

# shellcheck disable=SC2086
for_arm bookworm apt-get install -y --download-only $programs > /dev/null
root=$work/root
mkdir -p "$root"/usr/{bin,sbin,lib} "$root"/{proc,sys,dev,tmp,run,root}
for merged in bin sbin lib; do ln -s "usr/$merged" "$root/$merged"; done
for package in "$work"/bookworm/archives/*.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --keep-directory-symlink --exclude='./usr/share/doc' \
    --exclude='./usr/share/locale' --exclude='./usr/share/man' --exclude='./usr/share/info'
done
# What the packages' own scripts would do.
[ -e "$root/bin/sh" ] || ln -s dash "$root/bin/sh"
ln -sf gcc "$root/usr/bin/cc"
printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n' > "$root/etc/passwd"
printf 'root:x:0:\nnogroup:x:65534:\n' > "$root/etc/group"
echo '127.0.0.1 localhost' > "$root/etc/hosts"

(cd "$root" && find . | cpio --quiet -o -H newc) > "$folder/system.cpio.$$"
mv "$folder/system.cpio.$$" "$folder/system.cpio"
