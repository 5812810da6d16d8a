#!/usr/bin/env bash
# pyVoIP 1.6.8 (PyPI): what it sends in a call of A-law is mu-law, and header extensions and padding that it gets are played.
#
# Guess: who agreed upon payload type 8 sends what its own encode_pcma makes (RFC 3551, §4.5.14: PCMA); a packet with X or P has its sound
#   between the extension, whose length is in it, and the padding, whose length is the last octet (RFC 3550, §5.1 and §5.3.1).
# Seen: encode_packet has a branch for PCMA, which calls the encoder of PCMU: silence goes out as ff, which in A-law is 848 of 32,767, and all else
#   is distorted for the other side. The bits X and P are read and kept, and nothing is taken off: 160 octets of sound
#   become 168, the level's extension (RFC 6464) first, as a click of 8 samples.
# Source: pyVoIP/RTP.py, RTPClient.encode_packet, RTPMessage.parse.
# Output seen: "encode_pcma: d5", "encode_packet, type 8: ff", "encode_packet, type 0: ff", "as A-law: 848", "plain: 160 of 160", "X: 168 of 160", "P: 164 of 160"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v pyVoIP==1.6.8 || exit 2
cat >run.py <<'PY'
import struct
import warnings

warnings.simplefilter("ignore")
import audioop

from pyVoIP.RTP import PayloadType, RTPClient, RTPMessage, TransmitType


def client(number, kind):
    return RTPClient({number: kind}, "192.0.2.1", 10000, "192.0.2.2", 10000, TransmitType.SENDRECV)


silence = b"\x80" * 160
a_law = client(8, PayloadType.PCMA)
print("encode_pcma:", a_law.encode_pcma(silence)[:1].hex())
sent = a_law.encode_packet(silence)
print("encode_packet, type 8:", sent[:1].hex())
print("encode_packet, type 0:", client(0, PayloadType.PCMU).encode_packet(silence)[:1].hex())
print("as A-law:", *struct.unpack("<h", audioop.alaw2lin(sent[:1], 2)))
sound = b"\xd5" * 160
for name, first, before, behind in (
    ("plain", 0x80, b"", b""),
    ("X", 0x90, bytes.fromhex("bede000110ff0000"), b""),
    ("P", 0xA0, b"", bytes.fromhex("00000004")),
):
    packet = struct.pack(">BBHII", first, 8, 1, 160, 7) + before + sound + behind
    print(f"{name}: {len(RTPMessage(packet, {8: PayloadType.PCMA}).payload)} of {len(sound)}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "encode_pcma: d5
encode_packet, type 8: ff
encode_packet, type 0: ff
as A-law: 848
plain: 160 of 160
X: 168 of 160
P: 164 of 160" ] || { echo "changed" >&2; exit 1; }
