#!/usr/bin/env bash
# aio-mqtt 0.2.0 (PyPI): removing the filter a/b removes a as well, and removing a leaves it in place as long as there is a/b.
#
# Guess: TopicMatcher is a dictionary of filters, with __setitem__, get and __delitem__: deleting one key deletes that key, whatever other keys begin with; the
#   client keeps one for the queues of its consumers and deletes a filter when its last consumer ends.
# Seen: keys are a tree of levels. Deleting goes up from the last level and cuts each node that has no children any more, one with a value of its own too: the
#   consumer of "a" hears nothing from then on, without an error. Deleting "a" with "a/b" below stops at once, and the value stays.
#   Filters of which none is the beginning of another are right.
# Source: aio_mqtt/utils.py, TopicMatcher.__delitem__ (it asks for children and never touches value).
# Output seen: "without a/b: a [], a/b []", "without a: a ['first'], a/b ['second']"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v aio-mqtt==0.2.0 || exit 2
cat >run.py <<'PY'
from aio_mqtt.utils import TopicMatcher

for removed in "a/b", "a":
    matcher = TopicMatcher()
    matcher["a"], matcher["a/b"] = "first", "second"
    del matcher[removed]
    print(f"without {removed}: " + ", ".join(f"{topic} {list(matcher.iter_match(topic))}" for topic in ("a", "a/b")))
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "without a/b: a [], a/b []
without a: a ['first'], a/b ['second']" ] || { echo "changed" >&2; exit 1; }
