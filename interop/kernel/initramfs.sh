#!/bin/bash
# initramfs.sh OUT   builds the kernel peer's whole file system: busybox, tc, our program, a few others, some modules.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(realpath -m "$1")
modules=$(find /usr/lib/uml/modules -mindepth 1 -maxdepth 1 | sort -V | tail -1)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{bin,proc,sys,dev,tmp,modules}
tc=$(PATH=$PATH:/sbin:/usr/sbin command -v tc)
cp "$(command -v busybox)" "$root/bin/busybox"
cc -O2 -Wall -Wextra -static -o "$root/bin/peer" "$here/peer.c"
cc -O2 -Wall -Wextra -static -o "$root/bin/calls" "$here/calls.c"
install -m 755 "$here/init" "$root/init"
mkdir -p "$root/calls"
for list in "$here"/../../crates/sockets/tests/rfc6458/linux/*.txt; do
  sed -e '/^! /d' -e 's/ =.*//' "$list" > "$root/calls/$(basename "$list")"
done
install -m 755 "$here"/{fresh,weather} "$root/bin"
install -D -m 755 "$tc" "$root/sbin/tc"
for library in $(ldd "$tc" | grep -o '/[^ ]*'); do install -D "$library" "$root$library"; done
# Programs that the tests of `sheave run` talk to, where this machine has them.
for program in iperf3 sctp_test sctp_darn ncat socat sipp freeDiameterd; do
  file=$(command -v $program) || continue
  cp "$file" "$root/bin/$program"
  for library in $(ldd "$file" | grep -o '/[^ ]*'); do [ -e "$root$library" ] || install -D "$library" "$root$library"; done
done
# Loaded by name: what threads that end need, and who may speak to freeDiameter.
for file in "$(cc -print-file-name=libgcc_s.so.1)" /usr/lib/freeDiameter/acl_wl.fdx; do
  [ ! -e "$file" ] || install -D "$(realpath "$file")" "$root$(realpath -s "$file")"
done
# In the order in which they need each other. Without hmac, listen() fails.
for module in hmac crc-ccitt tun ipv6 udp_tunnel ip6_udp_tunnel sctp \
  sch_netem sch_ingress cls_matchall act_mirred ifb; do
  cp "$(find "$modules" -name "$module.ko")" "$root/modules/"
  echo "$module" >> "$root/modules/order"
done
mkdir -p "$(dirname "$out")"
(cd "$root" && find . | busybox cpio -o -H newc 2>/dev/null) > "$out.$$"
mv "$out.$$" "$out"
