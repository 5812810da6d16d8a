#!/usr/bin/env bash
# pdusms 1.0 (PyPI, module smspdu): a validity until 14:00 at -04 is sent as one at +04; a DELIVER has local time called UTC.
#
# Guess: SMS_SUBMIT.create wants an absolute validity as "YYMMDDhhmmss*ZZ" with * for the sign, and writes the sign as bit 3 of the
#   last octet (TS 23.040 §9.2.3.12.2, §9.2.3.11). SMS_DELIVER.create takes a UTC stamp, says its manual, and writes the time with
#   its zone.
# Seen: the validity is written as a telephone number is: what is no digit is left out, so that both signs give the same octet, and
#   west of Greenwich a message ends hours early: 14:00 in New York, -16 or -20, eight or ten. What is read has no sign at all. A
#   DELIVER has the machine's local time with zone 00, so that it is wrong by the zone of the machine.
# Who cares: senders with a time of expiry, for codes and offers; simulators of a centre.
# Source: smspdu/pdu.py, SMS_SUBMIT.toPDU (packPhoneNumber) and SMS_DELIVER.create (time.localtime and "00").
# Output seen: "+04: 40", "-04: 40", "12:00 UTC in Asia/Kolkata: 251130173000 zone 00"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v pdusms==1.0 || exit 2
cat >run.py <<'PY'
from smspdu import SMS_DELIVER, SMS_SUBMIT

for zone in ("+04", "-04"):
    message = SMS_SUBMIT.create("1", "+447785016005", "hi", tp_vpf=3, tp_vp="261130140000" + zone)
    written = message.toPDU()
    place = written.index("62110341")
    print(f"{zone}: {written[place + 12:place + 14]}, read {SMS_SUBMIT.fromPDU(written, '1').tp_vp}")
message = SMS_DELIVER.create("+447785016005", "1", "hi", datestamp=1764504000.0)
print(f"12:00 UTC in Asia/Kolkata: {message.tp_scts[:12]} zone {message.tp_scts[12:]}")
PY
seen=$(TZ=IST-5:30 PYTHONPATH=v python3 run.py 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "+04: 40, read 26113014000004
-04: 40, read 26113014000004
12:00 UTC in Asia/Kolkata: 251130173000 zone 00" ] || { echo "changed" >&2; exit 1; }
