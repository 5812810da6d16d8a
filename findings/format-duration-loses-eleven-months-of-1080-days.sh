#!/usr/bin/env bash
# format-duration 0.0.5 (PyPI): 1080 days are "2 years, 0 months, 20 days", which are 750.
#
# Guess: years, months and days together are the duration, by whatever length a month has there (365 and 30 days, as 400 days show): 1080 are 2 years,
#   11 months and 20 days.
# Seen: months are counted in the whole duration instead of in what is left behind the years, and then taken modulo 12; days are what is left behind
#   both, which is negative, modulo 30. 390 to 394 days gain a month (1 year, 1 month and 25 days are 420), 720 to 729 lose a year, 1080 to 1094 eleven
#   months.
# Source: format_duration/functions.py: months_count = duration.days // 30.
# Output seen: "364: 12 months, 4 days (364)", "365: 1 years, 0 months, 0 days (365)", "389: 1 years, 0 months, 24 days (389)", "390: 1 years, 1 months, 25 days (420)", "394: 1 years, 1 months, 29 days (424)", "395: 1 years, 1 months, 0 days (395)", "400: 1 years, 1 months, 5 days (400)", "719: 1 years, 11 months, 24 days (719)", "720: 1 years, 0 months, 25 days (390)", "729: 1 years, 0 months, 4 days (369)", "730: 2 years, 0 months, 0 days (730)", "1079: 2 years, 11 months, 19 days (1079)", "1080: 2 years, 0 months, 20 days (750)", "1094: 2 years, 0 months, 4 days (734)", "1095: 3 years, 0 months, 0 days (1095)"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v format-duration==0.0.5 || exit 2
cat >run.py <<'PY'
import re
from datetime import timedelta
from format_duration import DurationLimit, format_duration

for days in (364, 365, 389, 390, 394, 395, 400, 719, 720, 729, 730, 1079, 1080, 1094, 1095):
    text = format_duration(timedelta(days=days), limit=DurationLimit.DAY).strip()
    total = sum(int(n) * {"years": 365, "months": 30, "days": 1}[unit] for n, unit in re.findall(r"(\d+) (\w+)", text))
    print(f"{days}: {text} ({total})")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "364: 12 months, 4 days (364)
365: 1 years, 0 months, 0 days (365)
389: 1 years, 0 months, 24 days (389)
390: 1 years, 1 months, 25 days (420)
394: 1 years, 1 months, 29 days (424)
395: 1 years, 1 months, 0 days (395)
400: 1 years, 1 months, 5 days (400)
719: 1 years, 11 months, 24 days (719)
720: 1 years, 0 months, 25 days (390)
729: 1 years, 0 months, 4 days (369)
730: 2 years, 0 months, 0 days (730)
1079: 2 years, 11 months, 19 days (1079)
1080: 2 years, 0 months, 20 days (750)
1094: 2 years, 0 months, 4 days (734)
1095: 3 years, 0 months, 0 days (1095)" ] || { echo "changed" >&2; exit 1; }
