#!/usr/bin/env bash
# iptables 1.8.9 (Debian): in iptables-translate a range of `multiport --ports` becomes its two ends, and its negation is lost.
#
# Guess: --ports matches "if either the source or destination ports are equal to one of the given ports", ranges among them
#   (man iptables-extensions, multiport); the nft rule matches the same packets, as the rules for --dports and --sports do.
#   What nft cannot say is printed as a comment.
# Seen: 3868:3872 becomes 3868 and 3872, three ports are gone: a rule that drops Diameter between five peers' ports lets most
#   of it pass. `! --ports 3868` is the same as `--ports 3868`: what should be dropped passes, and the other way round. No
#   warning for either. With --dports ranges and negation are right.
# Source: extensions/libxt_multiport.c, __multiport_xlate and __multiport_xlate_v1, case XT_MULTIPORT_EITHER.
# Output seen: "--dports 3868:3872: sctp dport 3868-3872", "--ports 3868:3872: ... { 0-65535 . 3868, 3868 . 0-65535, 0-65535 .
#   3872, 3872 . 0-65535 }", "! --ports 3868: ... { 0-65535 . 3868, 3868 . 0-65535 }"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq iptables=1.8.9-2 libxtables12=1.8.9-2 libnftnl11=1.2.4-2 libmnl0=1.0.4-3 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
libraries=$folder/root/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH=$libraries XTABLES_LIBDIR=$libraries/xtables
translated() {
    echo "$*: $("$folder/root/usr/sbin/xtables-nft-multi" iptables-translate -A INPUT -p sctp -m multiport "$@" |
        sed "s/.*protocol sctp //; s/ counter.*//")"
}
seen=$(translated --dports 3868:3872 && translated ! --dports 3868 && translated --ports 3868:3872 &&
    translated --ports 3868 && translated ! --ports 3868)
echo "$seen"
[ "$seen" = "--dports 3868:3872: sctp dport 3868-3872
! --dports 3868: sctp dport != 3868
--ports 3868:3872: sctp sport . sctp dport { 0-65535 . 3868, 3868 . 0-65535, 0-65535 . 3872, 3872 . 0-65535 }
--ports 3868: sctp sport . sctp dport { 0-65535 . 3868, 3868 . 0-65535 }
! --ports 3868: sctp sport . sctp dport { 0-65535 . 3868, 3868 . 0-65535 }" ] || { echo "changed" >&2; exit 1; }
