#!/usr/bin/env bash
# proxy-protocol 0.11.3 (PyPI): the addresses in a header of the command LOCAL are given as TLVs.
#
# Guess: a header of version 2 with the command LOCAL (the proxy's own connection, a check of health) that has addresses of IPv4 or IPv6 none the
#   less gives a local result without TLVs: the receiver is to discard the block, addresses and all, and where TLVs are
#   read, they begin behind the addresses, as in a header of the command PROXY.
# Seen: the TLVs begin at the first byte of the addresses: 192.0.2.1 is the beginning of a TLV of type 192 with two bytes, the ports are the value of
#   one of type 0, and 2001:db8::1 is a TLV of type 32, that of TLS. The family is asked only behind the question for LOCAL.
#   Where the bytes happen to be 3, 0 and 4 they would count as a checksum.
# Source: proxyprotocol/v2.py, unpack_data (addr_data, tlv_data = b'', data); PROXY protocol specification, sections 2.2 and 2.2.7.
# Output seen: "PROXY IPv4: {}", "LOCAL IPv4: {192: 2, 0: 4}", "LOCAL IPv6: {32: 33}", the lengths behind the types
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v proxy-protocol==0.11.3 || exit 2
cat >run.py <<'PY'
import socket
import struct

from proxyprotocol.v2 import ProxyProtocolV2

ports = struct.pack("!HH", 40000, 2905)
ipv4 = b"".join(socket.inet_aton(f"192.0.2.{host}") for host in (1, 2)) + ports
ipv6 = b"".join(socket.inet_pton(socket.AF_INET6, f"2001:db8::{host}") for host in (1, 2)) + ports
for name, command, family, addresses in (
    ("PROXY IPv4", 0x21, 0x11, ipv4),
    ("LOCAL IPv4", 0x20, 0x11, ipv4),
    ("LOCAL IPv6", 0x20, 0x21, ipv6),
):
    header = b"\r\n\r\n\0\r\nQUIT\n" + struct.pack("!BBH", command, family, len(addresses)) + addresses
    tlvs = ProxyProtocolV2().unpack(header).tlv
    print(f"{name}: {({kind: len(value) for kind, value in tlvs.items()})}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "PROXY IPv4: {}
LOCAL IPv4: {192: 2, 0: 4}
LOCAL IPv6: {32: 33}" ] || { echo "changed" >&2; exit 1; }
