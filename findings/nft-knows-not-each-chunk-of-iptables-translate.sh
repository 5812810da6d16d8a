#!/usr/bin/env bash
# nftables 1.0.6 (Debian): chunks that iptables-translate 1.8.9 of the same release names are syntax errors.
#
# Guess: nft can load what iptables-translate prints, and what nft lacks is printed as a comment, as for `--chunk-types any`.
#   All 22 chunk types that it names have names in nft.
# Seen: nft has no word for I-DATA and I-FORWARD-TSN (RFC 8260), RE-CONFIG (RFC 6525) and PAD (RFC 4820), and an unknown word ends
#   the load of the whole file. Because "only" is spelled as the absence of all other types, no rule with `--chunk-types only`
#   can be loaded, not even `only INIT`. So a firewall with SCTP rules for data channels, whose streams are closed by RE-CONFIG,
#   cannot move to nft by its translation; a raw match of one byte sees the first chunk of a packet only.
# Source: nftables src/scanner.l and parser_bison.y, sctp_chunk_type; iptables extensions/libxt_sctp.c, sctp_xlate_chunk.
# Output seen: "DATA: loads", "I_DATA: syntax error", "RE_CONFIG: syntax error", "PAD: syntax error",
#   "only INIT: syntax error"
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
loaded() {
    "$folder/root/usr/sbin/xtables-nft-multi" iptables-translate -A INPUT -p sctp -m sctp --chunk-types "$@" |
        sed "s/.*INPUT //; s/'.*//; s/.*/table ip t {\nchain c {\n&\n}\n}/" >rules
    unshare --net "$folder/root/usr/sbin/nft" --check --file rules 2>errors && echo loads && return
    grep -o -m 1 'syntax error' errors || head -1 errors
}
seen=$(for chunk in DATA SACK ASCONF FORWARD_TSN I_DATA I_FORWARD_TSN RE_CONFIG PAD; do
    echo "$chunk: $(loaded all "$chunk")"
done
echo "only INIT: $(loaded only INIT)")
echo "$seen"
[ "$seen" = "DATA: loads
SACK: loads
ASCONF: loads
FORWARD_TSN: loads
I_DATA: syntax error
I_FORWARD_TSN: syntax error
RE_CONFIG: syntax error
PAD: syntax error
only INIT: syntax error" ] || { echo "changed" >&2; exit 1; }
