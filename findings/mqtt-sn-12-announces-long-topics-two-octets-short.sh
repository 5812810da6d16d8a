#!/usr/bin/env bash
# mqtt-sn-12 1.0.9 (PyPI): a REGISTER with a topic name of 244 octets or more says that it is two octets shorter than it is.
#
# Guess: the length of three octets counts the whole message with the three octets (MQTT-SN 1.2 §5.2.1), which is 8 + n here, as PUBLISH and WILLMSG
#   of this package count; set_topic_name allows names of up to 64506.
# Seen: 6 + n, the length of the short form, stands in the long form. Its own reader cuts two letters of the name; a gateway registers another topic
#   or drops the message as malformed. Names up to 243 are right.
# Source: mqttsn12/packets.py, RegisterPacket.encode (total_length).
# Output seen: "name of 243: 249 octets, length 249, name read with 243", "name of 244: 252 octets, length 250, name read with 242", "name of 249: 257 octets, length 255, name read with 247"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v mqtt-sn-12==1.0.9 || exit 2
cat >run.py <<'PY'
from mqttsn12.packets import RegisterPacket

for size in (243, 244, 249):
    packet = RegisterPacket()
    packet.topic_name = b"t" * size
    content = packet.encode()
    said = content[0] if content[0] != 1 else int.from_bytes(content[1:3], "big")
    read = RegisterPacket()
    read.decode(content)
    print(f"name of {size}: {len(content)} octets, length {said}, name read with {len(read.topic_name)}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "name of 243: 249 octets, length 249, name read with 243
name of 244: 252 octets, length 250, name read with 242
name of 249: 257 octets, length 255, name read with 247" ] || { echo "changed" >&2; exit 1; }
