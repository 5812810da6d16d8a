#!/usr/bin/env bash
# ipset 7.17 (Debian): ipset-translate writes an exception, `nomatch`, as a member of the nftables set.
#
# Guess: "add peers 192.0.2.128/25,sctp:2905 nomatch" means that this half of the /24 is not in the set (man ipset, "nomatch").
#   nftables has no such flag, so that the translator splits the prefix, or leaves a comment with the line, as it does for
#   a set with skbinfo ("# create ...").
# Seen: the line comes out without `nomatch`, with status 0 and nothing on stderr: the hosts that were taken out are put in. The
#   exceptions of one prefix lie inside it, so that nft refuses the file for IPv4 ("conflicting intervals"); where exceptions
#   and prefixes differ in the port, as below, nothing is in conflict.
# Who cares: a firewall that moves from ipset to nftables lets in the peers that it kept out, or the reverse.
# Source: lib/ipset.c, ipset_xlate, which has no case for the option nomatch.
# Output seen: "add element inet global peers { 192.0.2.0/24 . sctp . 2905 }", "add element inet global peers { 192.0.2.128/25 . sctp . 2906 }"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq ipset=7.17-1 libipset13=7.17-1 libmnl0=1.0.4-3 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
seen=$(printf '%s\n' 'create peers hash:net,port' 'add peers 192.0.2.0/24,sctp:2905-2906' \
    'add peers 192.0.2.128/25,sctp:2906 nomatch' | root/usr/sbin/ipset-translate restore 2>&1) || { echo "$seen" >&2; exit 2; }
echo "$seen"
[ "$seen" = "add table inet global
add set inet global peers { type ipv4_addr . inet_proto . inet_service; flags interval; }
add element inet global peers { 192.0.2.0/24 . sctp . 2905-2906 }
add element inet global peers { 192.0.2.128/25 . sctp . 2906 }" ] || { echo "changed" >&2; exit 1; }
