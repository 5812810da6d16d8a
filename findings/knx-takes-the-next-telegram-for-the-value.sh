#!/usr/bin/env bash
# knx 0.4.0 (PyPI): of two telegrams that arrive in one read, the second is handed over as the value of the first.
#
# Guess: two messages of a stream are two telegrams, however they are cut (the first two octets are the length, as the text in the source has it); the
#   value of a switch is 1.
# Seen: the length is only waited for: all that has been read is decoded as one telegram, so that the value 1 becomes the ten octets of the next
#   message behind it, and that message is not handed over at all. If the read ends within the next message, its rest is taken for the length of another.
#   Telegrams that come one by one are right.
# Source: knx.py, telegram_decoder: target.send(_decode(buf[4:])), buf = bytearray(); listen reads up to 100 octets.
# Output seen: "one by one", "  1.1.5 0/0/7 1", "  1.1.6 0/0/8 0", "cut within", "  1.1.5 0/0/7 1", "  1.1.6 0/0/8 0", "together", "  1.1.5 0/0/7 00080027110600080080"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v knx==0.4.0 || exit 2
cat >run.py <<'PY'
import knx


class Receiver:
    def send(self, telegram):
        print(" ", telegram.src, telegram.dst, telegram.value if isinstance(telegram.value, int) else telegram.value.hex())


def message(source, group, bit):
    return knx.encode_data("HHHBB", (knx.EIB_GROUP_PACKET, source, knx.encode_ga(group), 0, knx.KNXWRITE | bit))


first, second = message(0x1105, "0/0/7", 1), message(0x1106, "0/0/8", 0)
for name, reads in (("one by one", (first, second)), ("cut within", (first[:5], first[5:], second)), ("together", (first + second,))):
    print(name)
    decoder = knx.telegram_decoder(Receiver())
    for octets in reads:
        decoder.send(octets)
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "one by one
  1.1.5 0/0/7 1
  1.1.6 0/0/8 0
cut within
  1.1.5 0/0/7 1
  1.1.6 0/0/8 0
together
  1.1.5 0/0/7 00080027110600080080" ] || { echo "changed" >&2; exit 1; }
