#!/usr/bin/env bash
# ipset 7.17 and nftables 1.0.6 (Debian): ipset-translate copies a range of ports into a set that can hold single ports only.
#
# Guess: "add gateways 192.0.2.1,sctp:2905-2907" is three elements for ipset (man ipset, "hash:ip,port"); the translation has three
#   elements, or declares the set with "flags interval", as it does for types of networks, "hash:net,port".
# Seen: the flag depends on the type of the set alone, and the range is copied: nft refuses the file ("You must add 'flags
#   interval' ..."), and as a file is one transaction no rule of it is loaded. The same for addresses, 192.0.2.1-192.0.2.3, a prefix in hash:ip,
#   and for bitmap:port, whose usual entries are ranges. ipset-translate's status is 0.
# Source: lib/ipset.c, ipset_xlate_type_to_nftables, which sets the flag by the type, and for a netmask.
# Output seen: "hash:ip,port: flags interval" (of the message), "bitmap:port ...: flags interval", "hash:net,port: fine"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq ipset=7.17-1 libipset13=7.17-1 libmnl0=1.0.4-3 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
translate() {
    printf 'create s %s\nadd s %s\n' "$1" "$2" |
        LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu root/usr/sbin/ipset-translate restore >rules.nft || exit 2
    grep 'add element' rules.nft
    echo "$1: $( (unshare -n nft -c -f rules.nft 2>&1 || true) | grep -o 'flags interval' || echo fine)"
}
command -v nft >/dev/null || exit 2
seen=$(translate hash:ip,port 192.0.2.1,sctp:2905-2907
    translate 'bitmap:port range 2900-2999' 2905-2907
    translate hash:net,port 192.0.2.0/24,sctp:2905-2907)
echo "$seen"
[ "$seen" = "add element inet global s { 192.0.2.1 . sctp . 2905-2907 }
hash:ip,port: flags interval
add element inet global s { 2905-2907 }
bitmap:port range 2900-2999: flags interval
add element inet global s { 192.0.2.0/24 . sctp . 2905-2907 }
hash:net,port: fine" ] || { echo "changed" >&2; exit 1; }
