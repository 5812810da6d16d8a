#!/usr/bin/env bash
# sdp-transform 1.1.0 (PyPI): a candidate's "tcptype" is dropped with all behind it when read, and is "tcpfield" when written.
#
# Guess: a candidate over TCP comes back as it was, with tcptype, generation and network-id, as from the npm package of which this is a port.
# Seen: the pattern and the format have the word "tcpfield", which is in no specification, while the key is tcptype. Read, the line ends
#   behind "typ host" or the related address: tcptype, which RFC 6544 §4.5 wants of each TCP candidate, and generation, network-id and
#   network-cost are gone, silently. A dict with tcptype is written as "tcpfield active", an extension that no peer knows. Its comments with examples
#   have the word, too, as after a search and replace; UDP candidates are whole.
# Source: sdp_transform/grammar.py, the entry "candidates". RFC 6544, §4.5.
# Output seen: "udp: generation 3", "tcp: no tcptype, no generation", "written: typ host tcpfield active"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v sdp-transform==1.1.0 || exit 2
cat >run.py <<'PY'
import sdp_transform

HEAD = "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nt=0 0\r\nm=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\nc=IN IP4 192.0.2.1\r\n"


def candidate(text):
    return sdp_transform.parse(f"{HEAD}a=candidate:{text}\r\n")["media"][0]["candidates"][0]


udp = candidate("1 1 udp 2130706431 192.0.2.1 5000 typ host generation 3")
print("udp: generation", udp.get("generation"))
tcp = candidate("2 1 tcp 1518280447 192.0.2.1 9 typ host tcptype active generation 3")
print(f"tcp: {'' if 'tcptype' in tcp else 'no '}tcptype, {'' if 'generation' in tcp else 'no '}generation")
session = sdp_transform.parse(HEAD)
session["media"][0]["candidates"] = [{**tcp, "tcptype": "active"}]
text = sdp_transform.write(session)
print("written:", text[text.index("typ"):].splitlines()[0])
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "udp: generation 3
tcp: no tcptype, no generation
written: typ host tcpfield active" ] || { echo "changed" >&2; exit 1; }
