#!/usr/bin/env bash
# stun-protocol 0.0.8 (PyPI): the password algorithms of one message are replaced by those of the next one that is read.
#
# Guess: each message that Message.create gives has its own PASSWORD-ALGORITHMS, the list that its server sent (RFC 8489 §14.11); what is read later changes
#   nothing of it.
# Seen: all lists that are read are one list. A response with MD5 and SHA-256 (1 and 2) says [2] after another server's response with SHA-256 alone is read, and is
#   packed again with the other's list. A client that compares the two servers, or answers the first late with its list (§9.2.5), sends one that the server refuses.
# Source: stun_protocol/attribute.py, PasswordAlgorithmsAttribute: a list is the default argument, and _unpack_value clears and fills it in place.
# Output seen: "first: [1, 2]", "second: [2]", "first, once more: [2]"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v stun-protocol==0.0.8 || exit 2
cat >run.py <<'PY'
from stun_protocol.attribute import Algorithm, PasswordAlgorithmsAttribute
from stun_protocol.message import Message, MessageClass, MessageMethod


def received(*numbers):
    message = Message(MessageClass.ERROR_RESPONSE, MessageMethod.ALLOCATE, bytes(12))
    message.add_attribute(PasswordAlgorithmsAttribute([Algorithm(number) for number in numbers]))
    return Message.create(message.pack())


def show(name, message):
    print(f"{name}: {[algorithm.algorithm_number for algorithm in message.attributes[0].algorithms]}")


first = received(1, 2)
show("first", first)
show("second", received(2))
show("first, once more", first)
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "first: [1, 2]
second: [2]
first, once more: [2]" ] || { echo "changed" >&2; exit 1; }
