#!/usr/bin/env bash
# folsom 0.8.2 (Debian erlang-folsom): the mean rate of a meter is per microsecond, its rates over 1, 5 and 15 minutes per second.
#
# Guess: of 1000 events in six seconds `mean` is about 170, and `one` is near it, as in the library of Java whose meters these are
#   (Dropwizard Metrics, where all four rates have one unit); all stand side by side in one result.
# Seen: `one` is 200 a second, `mean` 0.00017: the count divided by the time since the start in microseconds. A panel that
#   shows "mean" beside "one" has a line at zero, and an alarm on one of them cannot be moved to the other.
# Source: src/folsom_metrics_meter.erl, calc_mean_rate (folsom_utils:now_epoch_micro); folsom_ewma.erl counts in seconds.
# Output seen: "one: 200 a second", "mean times 1000000: between 100 and 200"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
command -v erl >/dev/null || exit 2
apt-get download -qq erlang-folsom=0.8.2+dfsg-3 erlang-bear=0.8.2+dfsg-3 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
seen=$(erl -noshell -pa root/usr/lib/erlang/lib/*/ebin -eval '
    {ok, _} = application:ensure_all_started(folsom),
    folsom_metrics:new_meter(events),
    folsom_metrics:notify({events, 1000}),
    timer:sleep(6000),
    Values = folsom_metrics:get_metric_value(events),
    io:format("one: ~p a second~n", [round(proplists:get_value(one, Values))]),
    Mean = 1000000 * proplists:get_value(mean, Values),
    io:format("mean times 1000000: ~s~n", [if Mean > 100, Mean < 200 -> "between 100 and 200"; true -> io_lib:format("~p", [Mean]) end]),
    halt().')
echo "$seen"
[ "$seen" = "one: 200 a second
mean times 1000000: between 100 and 200" ] || { echo "changed" >&2; exit 1; }
