#!/usr/bin/env bash
# slixmpp-jingle 0.9.0 (PyPI): RTCP is multiplexed though the description does not say so, and a parameter ends at its second "=".
#
# Guess: make_description turns an SDP section into the Jingle description of the same session: a=rtcp-mux and a=extmap-allow-mixed
#   are there if they are there, and values are whole.
# Seen: <rtcp-mux/> is set if there is an a=mid, whatever else there is; <extmap-allow-mixed/> always, since an iterator that found nothing is true, too. Of
#   a parameter only what is in front of its second "=" is left: the padding of sprop-parameter-sets is gone. Relay candidates go back to SDP without raddr, which RFC 8839 (§5.1) wants.
# Source: slixmpp_jingle/xep_0167/rtp.py, make_description; xep_0294/hdrext.py, make_extmapallowmixed; xep_0176/stanza.py, Candidate.getSDP.
# Output seen: "rtcp-mux: True, extmap-allow-mixed: True", "sprop-parameter-sets: Z0LgHtoCgPRA,aM48gA", "candidate: typ relay generation 0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v slixmpp-jingle==0.9.0 slixmpp==1.17.0 || exit 2
cat >run.py <<'PY'
import asyncio

import slixmpp

SECTION = """v=0
o=- 1 1 IN IP4 192.0.2.1
s=-
t=0 0
m=video 9 RTP/SAVPF 97
c=IN IP4 192.0.2.1
a=mid:0
a=rtpmap:97 H264/90000
a=fmtp:97 packetization-mode=1;sprop-parameter-sets=Z0LgHtoCgPRA,aM48gA==
a=ice-ufrag:abcd
a=ice-pwd:0123456789012345678901
a=candidate:1 1 udp 41885439 192.0.2.9 6000 typ relay raddr 192.0.2.1 rport 5000
""".replace("\n", "\r\n")


async def main():
    client = slixmpp.ClientXMPP("alice@example.com", "secret")
    for number in ("0166", "0167", "0176", "0293", "0294", "0320", "0339"):
        client.register_plugin(f"xep_{number}", module=f"slixmpp_jingle.xep_{number}")
    description = client.plugin["xep_0167"].make_description(SECTION, "video")
    text = str(description)
    print(", ".join(f"{name}: {f'<{name} ' in text}" for name in ("rtcp-mux", "extmap-allow-mixed")))
    parameters = {parameter["name"]: parameter["value"] for payload in description["payload-types"] for parameter in payload["parameters"]}
    print("sprop-parameter-sets:", parameters["sprop-parameter-sets"])
    for candidate in client.plugin["xep_0176"].make_candidate(SECTION):
        print("candidate:", candidate.getSDP()[candidate.getSDP().index("typ"):])


asyncio.run(main())
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "rtcp-mux: True, extmap-allow-mixed: True
sprop-parameter-sets: Z0LgHtoCgPRA,aM48gA
candidate: typ relay generation 0" ] || { echo "changed" >&2; exit 1; }
