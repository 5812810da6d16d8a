#!/usr/bin/env bash
# PySIPio 1.8.0 (PyPI): keys come with payload type 121 or not at all, maxptime is ptime, and an answer with a=rtcp-mux is an IndexError.
#
# Guess: what a dynamic payload type means a=rtpmap says (RFC 8866, §6.6), so that 101 with telephone-event is read as such, as nearly all telephones
#   have it; an attribute is known by its whole name, and a=rtcp-mux (RFC 5761, §5.1.1) has no value.
# Seen: the name behind the number is not read; the number is looked up in a table in which 121 is telephone-event and 101 nothing. Attributes are looked
#   for as parts of the line: maxptime:150 is a ptime of 150 ms, rtcp-mux is rtcp without its port, which ends the reading; of the directions there
#   is sendrecv only, so that a call on hold has none. What it writes has t= and c= behind m= and a=, which RFC 8866, §5, does not allow.
# Source: PySIP/sip_core.py, SDPParser.parse_sdp ("rtcp" in attr), SipMessage.generate_sdp; PySIP/codecs/codec_info.py (EVENT).
# Output seen: "101 telephone-event: [8]", "121 telephone-event: [8, 121]", "121 opus: [8, 121]", "maxptime:150: ptime 150", "rtcp-mux: IndexError", "sendonly: None",
#   "written: v o s m b t a c a a a a a a a"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v PySIPio==1.8.0 || exit 2
cat >run.py <<'PY'
import sys
import types

package = types.ModuleType("PySIP")  # without the other parts, which want numpy and scipy and do not say so
package.__path__ = ["v/PySIP"]
sys.modules["PySIP"] = package
from PySIP.sip_core import SDPParser, SipMessage

HEAD = ("v=0", "o=- 1 1 IN IP4 192.0.2.1", "s=-", "c=IN IP4 192.0.2.1", "t=0 0", "m=audio 49170 RTP/AVP 8 101 121", "a=rtpmap:8 PCMA/8000")


def read(attribute):
    return SDPParser(SipMessage.sdp_to_dict("\r\n".join((*HEAD, f"a={attribute}", ""))))


for form in ("101 telephone-event", "121 telephone-event", "121 opus"):
    print(f"{form}: {list(read(f'rtpmap:{form}/8000').rtpmap)}")
print("maxptime:150: ptime", read("maxptime:150").ptime)
try:
    print("rtcp-mux:", read("rtcp-mux").rtcp_port)
except IndexError as error:
    print("rtcp-mux:", type(error).__name__)
print("sendonly:", read("sendonly").direction)
print("written:", *(line[0] for line in SipMessage.generate_sdp("192.0.2.1", 4000, 1, [8, 0]).splitlines()))
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "101 telephone-event: [8]
121 telephone-event: [8, 121]
121 opus: [8, 121]
maxptime:150: ptime 150
rtcp-mux: IndexError
sendonly: None
written: v o s m b t a c a a a a a a a" ] || { echo "changed" >&2; exit 1; }
