#!/usr/bin/env bash
# iptables 1.8.9 (Debian): iptables-translate turns "not all of these SCTP chunks" into "none of these".
#
# Guess: the nft rule that it prints matches the same packets, and what nft cannot say in one rule is printed as a comment
#   (so it is with `--chunk-types any`). `! --chunk-types all INIT,ABORT` matches a packet with an INIT and no ABORT,
#   `! --chunk-types only DATA` one with DATA and SACK, or with SACK alone (man iptables-extensions, sctp).
# Seen: each part is negated for itself and the parts stay joined by "and": of the first nothing with an INIT is left, and the
#   second wants no DATA and each of 21 other chunk types in one packet, which never comes: a rule that counted all
#   packets of control counts none. A single chunk, `! --chunk-types all INIT`, is right.
# Source: extensions/libxt_sctp.c, sctp_xlate_chunk.
# Output seen: "! all: sctp chunk init missing sctp chunk abort missing counter", "! only DATA: chunk data missing, 21
#   others exist"
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
    "$folder/root/usr/sbin/xtables-nft-multi" iptables-translate -A INPUT -p sctp -m sctp "$@" | sed "s/.*INPUT //; s/'.*//"
}
only=$(translated ! --chunk-types only DATA)
seen="all: $(translated --chunk-types all INIT,ABORT)
! all: $(translated ! --chunk-types all INIT,ABORT)
! only DATA: $(grep -o 'chunk data [a-z]*' <<<"$only"), $(grep -o exists <<<"$only" | wc -l) others exist"
echo "$seen"
[ "$seen" = "all: sctp chunk init exists sctp chunk abort exists counter
! all: sctp chunk init missing sctp chunk abort missing counter
! only DATA: chunk data missing, 21 others exist" ] || { echo "changed" >&2; exit 1; }
