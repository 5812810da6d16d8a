#!/usr/bin/env bash
# tshark 4.0.17 (Debian): a message that came in several I-DATA chunks is put together, and then shown as plain bytes.
#
# Guess: I-DATA carries the payload protocol identifier in the first fragment only (RFC 8260 §2.1); the message that tshark puts together
#   goes to the dissector of that identifier, as one from DATA chunks does, and as an I-DATA in one piece does.
# Seen: the message is put together ("2 fragments") and goes to "Data": the fragment that completes it has a fragment number where the
#   identifier was, and 0 is taken for the identifier. Only if the first fragment comes last it is right. A filter such as
#   "rtcdc" or "s1ap" finds the short messages of an association and loses the long ones, unless a port number helps.
# Source: epan/dissectors/packet-sctp.c, dissect_data_chunk: payload_proto_id is read only with the B bit, and not kept with the fragments.
# Output seen: "DATA: rtcdc hello", "I-DATA whole: rtcdc hello", "I-DATA halves: data", "I-DATA turned: rtcdc hello"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
wireshark=4.0.17-0+deb12u3
apt-get download -qq {tshark,wireshark-common,libwireshark16,libwireshark-data,libwiretap13,libwsutil14}=$wireshark \
    libc-ares2=1.18.1-3 liblua5.2-0=5.2.4-3 libpcap0.8=1.10.3-1 libsmi2ldbl=0.4.8+dfsg2-16 libsnappy1v5=1.1.9-3 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu WIRESHARK_DATA_DIR=$folder/root/usr/share/wireshark
export HOME=$folder PATH=$folder/root/usr/bin:$PATH
tshark --version >/dev/null 2>&1 || exit 2
cat >write.py <<'PY'
import struct

OPEN = bytes([3, 0]) + struct.pack(">HIHH", 256, 0, 5, 0) + b"hello"


def data(tsn, flags, body):
    return struct.pack(">BBHIHHI", 0, flags, 16 + len(body), tsn, 0, 0, 50) + body


def i_data(tsn, flags, last, body):
    return struct.pack(">BBHIHHII", 64, flags, 20 + len(body), tsn, 0, 0, 0, last) + body


def write(name, chunks):
    with open(name, "wb") as file:
        file.write(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))
        for chunk in chunks:
            packet = struct.pack(">HHII", 5000, 5000, 7, 0) + chunk + bytes(-len(chunk) % 4)
            head = struct.pack(">BBHHHBBHII", 0x45, 0, 20 + len(packet), 0, 0, 64, 132, 0, 0xC0000201, 0xC0000202)
            file.write(struct.pack("<IIII", 0, 0, 20 + len(packet), 20 + len(packet)) + head + packet)


first, second = i_data(1, 2, 50, OPEN[:10]), i_data(2, 1, 1, OPEN[10:])
write("DATA", [data(1, 2, OPEN[:10]), data(2, 1, OPEN[10:])])
write("I-DATA whole", [i_data(1, 3, 50, OPEN)])
write("I-DATA halves", [first, second])
write("I-DATA turned", [second, first])
PY
python3 write.py
seen=$(for name in "DATA" "I-DATA whole" "I-DATA halves" "I-DATA turned"; do
  tshark -r "$name" -T fields -E separator=, -e frame.protocols -e rtcdc.label 2>/dev/null |
    sed -n '$s/.*sctp:\([a-z]*\),/'"$name"': \1 /p'
done)
echo "$seen"
[ "$seen" = "DATA: rtcdc hello
I-DATA whole: rtcdc hello
I-DATA halves: data 
I-DATA turned: rtcdc hello" ] || { echo "changed" >&2; exit 1; }
