#!/usr/bin/env bash
# trafgen 0.6.8 (Debian netsniff-ng): a UDP checksum that comes to zero is sent as zero, over IPv6 as well, where it must not be.
#
# Guess: the checksum of udp() is "calculated by default", and one that comes to 0 is written as 0xffff: 0 says "no checksum"
#   (RFC 768), and over IPv6 receivers must drop it (RFC 8200 §8.1).
# Seen: 0 is written. With counters or random bytes in the payload, which trafgen is made for, one of 65536 datagrams goes out
#   so: over IPv6 a loss of 15 in a million that no queue explains, over IPv4 a datagram that nothing protects.
# Source: trafgen_l4.c, udp_packet_finish (calc_csum, calc_ipv6_udp_csum as they are), csum.h.
# Output seen: "IPv4, payload 5cf4: 0001", "IPv4, payload 5cf5: 0000", "IPv6, payload 8584: 0001", "IPv6, payload 8585: 0000"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq netsniff-ng=0.6.8-3 {libnl-3-200,libnl-genl-3-200}=3.7.0-0.2+b1 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/lib/x86_64-linux-gnu
sent() {
    rm -f out.pcap
    root/usr/sbin/trafgen -n 1 -P 1 -o out.pcap "{ eth(), $2, udp(sp=5000, dp=2905), c16(0x$3) }" >/dev/null 2>&1 || return 2
    echo "$1, payload $3: $(tail -c 4 out.pcap | head -c 2 | xxd -p)"
}
four="ipv4(saddr=192.0.2.1, daddr=192.0.2.2)"
six="ipv6(saddr=2001:db8::1, daddr=2001:db8::1)"
seen=$(sent IPv4 "$four" 5cf4 && sent IPv4 "$four" 5cf5 && sent IPv6 "$six" 8584 && sent IPv6 "$six" 8585)
echo "$seen"
[ "$seen" = "IPv4, payload 5cf4: 0001
IPv4, payload 5cf5: 0000
IPv6, payload 8584: 0001
IPv6, payload 8585: 0000" ] || { echo "changed" >&2; exit 1; }
