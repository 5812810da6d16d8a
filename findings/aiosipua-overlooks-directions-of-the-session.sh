#!/usr/bin/env bash
# aiosipua 0.7.1 (PyPI): a call that is put on hold with one a=sendonly for the session is answered with sendrecv.
#
# Guess: a direction above the first m= line holds for each medium without one of its own (RFC 8866 §6.7); an offer of sendonly
#   is answered with recvonly (RFC 3264 §6.1), as the package does it for the same line below the m= line.
# Seen: the attribute is kept in the session's list and nobody looks there: `direction` of the medium is sendrecv, the answer too, and the
#   endpoint goes on sending to one that does not listen. An address of the session (c=), in contrast, is taken for media without one.
#   A parameter of a static format without an rtpmap (a=fmtp:18 annexb=no, as many gateways write it) is lost as well.
# Source: aiosipua/sdp.py, MediaDescription.direction; _extract_codecs.
# Output seen: "of the medium: sendonly, answer recvonly", "of the session: sendrecv, answer sendrecv", "fmtp with rtpmap: annexb=no, without: None"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v aiosipua==0.7.1 || exit 2
cat >run.py <<'PY'
from aiosipua.sdp import negotiate_sdp, parse_sdp

head = "v=0\r\no=- 1 2 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\n"
media = "m=audio 4000 RTP/AVP 0 18\r\n"
hold = "a=sendonly\r\n"
for name, text in (("medium", head + media + hold), ("session", head + hold + media)):
    offer = parse_sdp(text)
    answer, _ = negotiate_sdp(offer, "192.0.2.2", 5000)
    print(f"of the {name}: {offer.audio.direction}, answer {answer.audio.direction}")
fmtp = "a=fmtp:18 annexb=no\r\n"
known, bare = (parse_sdp(head + media + more).audio.codecs[1].fmtp for more in ("a=rtpmap:18 G729/8000\r\n" + fmtp, fmtp))
print(f"fmtp with rtpmap: {known}, without: {bare}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "of the medium: sendonly, answer recvonly
of the session: sendrecv, answer sendrecv
fmtp with rtpmap: annexb=no, without: None" ] || { echo "changed" >&2; exit 1; }
