#!/usr/bin/env bash
# sippy 2.5.0 (PyPI): a Reason with the place of a release, with two reasons or without a cause is an error.
#
# Guess: of Reason the parameters are cause, text and any other (RFC 3326, §2: reason-extension), of which RFC 8606 defines location, the place in the
#   telephone network where a call was ended; none is mandatory, and several reasons stand in one line with commas.
# Seen: any name but cause and text is an AssertionError, no cause is one as well, and two reasons are a ValueError. The BYE of a gateway that says
#   who was busy has no reason at all for who asks for it, while Q.850;cause=17 alone has. In a text in quotes the first \" ends it.
# Source: sippy/SipReason.py, parse (assert rp_name in (...), split at ";").
# Output seen: 'Q.850;cause=17;text="User busy": 17 User busy', 'Q.850;cause=17;text="User busy";location=LN: AssertionError',
#   "SIP;cause=480, Q.850;cause=16: ValueError", 'Preemption;text="Reserved": AssertionError', 'SIP;cause=480;text="say \"on\"": 480 say \'
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v sippy==2.5.0 || exit 2
cat >run.py <<'PY'
from sippy.SipHeader import SipHeader

for reason in (
    'Q.850;cause=17;text="User busy"',
    'Q.850;cause=17;text="User busy";location=LN',
    "SIP;cause=480, Q.850;cause=16",
    'Preemption;text="Reserved"',
    'SIP;cause=480;text="say \\"on\\""',
):
    try:
        body = SipHeader(f"Reason: {reason}", fixname=True).getBody()
        print(f"{reason}: {body.cause} {body.reason}")
    except (AssertionError, ValueError) as error:
        print(f"{reason}: {type(error).__name__}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = 'Q.850;cause=17;text="User busy": 17 User busy
Q.850;cause=17;text="User busy";location=LN: AssertionError
SIP;cause=480, Q.850;cause=16: ValueError
Preemption;text="Reserved": AssertionError
SIP;cause=480;text="say \"on\"": 480 say \' ] || { echo "changed" >&2; exit 1; }
