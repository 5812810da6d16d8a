#!/usr/bin/env bash
# iptables 1.8.9 with nftables 1.0.6 (Debian): a limit for each port of SCTP is translated with ports of TCP, which nft refuses.
#
# Guess: `-p sctp -m hashlimit --hashlimit-mode srcip,dstport`, a limit for each peer and port (against floods of INITs, say),
#   becomes a meter of `sctp dport . ip saddr`, as `-p tcp` becomes one of `tcp dport . ip saddr`.
# Seen: the meter has "tcp dport" and "tcp sport" whatever the protocol is. In one rule with "ip protocol sctp" nft calls that
#   "conflicting protocols specified: sctp vs. tcp", and since a file is loaded whole or not at all, the converted firewall
#   does not come up. UDP is no better. Without -p the rule loads, and limits TCP only.
# Source: extensions/libxt_hashlimit.c, hashlimit_mode_xlate ("tcp sport", "tcp dport" for XT_HASHLIMIT_HASH_SPT and _DPT).
# Output seen: "tcp: meter a { tcp dport . ip saddr: loads", "udp: meter a { tcp dport . ip saddr: conflicting protocols
#   specified: udp vs. tcp", "sctp: meter a { tcp dport . ip saddr: conflicting protocols specified: sctp vs. tcp"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq iptables=1.8.9-2 libxtables12=1.8.9-2 libnftnl11=1.2.4-2 libmnl0=1.0.4-3 \
    {nftables,libnftables1}=1.0.6-2+deb12u2 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
libraries=$folder/root/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH=$libraries XTABLES_LIBDIR=$libraries/xtables
tried() {
    local rule
    rule=$("$folder/root/usr/sbin/xtables-nft-multi" iptables-translate -A INPUT -p "$1" -m hashlimit --hashlimit-above 100/sec \
        --hashlimit-burst 50 --hashlimit-mode srcip,dstport --hashlimit-name a -j DROP | sed "s/.*INPUT //; s/'.*//")
    printf 'table ip t {\nchain c {\n%s\n}\n}\n' "$rule" >rules
    echo "$1: $(grep -o 'meter.*saddr' <<<"$rule"): $(
        unshare --net "$folder/root/usr/sbin/nft" --check --file rules 2>errors && echo loads ||
            sed -n 's/.*Error: //p' errors | head -1)"
}
seen=$(tried tcp && tried udp && tried sctp)
echo "$seen"
[ "$seen" = "tcp: meter a { tcp dport . ip saddr: loads
udp: meter a { tcp dport . ip saddr: conflicting protocols specified: udp vs. tcp
sctp: meter a { tcp dport . ip saddr: conflicting protocols specified: sctp vs. tcp" ] || { echo "changed" >&2; exit 1; }
