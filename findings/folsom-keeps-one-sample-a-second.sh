#!/usr/bin/env bash
# folsom 0.8.2 (Debian erlang-folsom): a histogram with an exponentially decaying sample keeps one value of all that come in a second.
#
# Guess: new_histogram(Name, exdec, 1028, 0.015), the sample of Dropwizard Metrics ("1028, 0.015" are its numbers, too), holds the last
#   1028 values or so, newer ones with more weight: after 3000 round trips within a second it has 1028 of them.
# Seen: it has one, the last; the type `uniform` beside it has 1028. The priority of a value is a weight, equal for the whole second,
#   divided by a random whole number up to the number of values that are there: that is 1, so that each value has the
#   priority of the last one and takes its place. Median and 99th percentile are then one and the same value, with fewer
#   than five values all of them are 0 (bear).
# Source: src/folsom_sample_exdec.erl, update (rand:uniform_s(N, Seed), where the algorithm has a float from 0 to 1).
# Output seen: "uniform: 1028 of 3000", "exdec: one or two of 3000"
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
    folsom_metrics:new_histogram(uniform, uniform, 1028),
    folsom_metrics:new_histogram(exdec, exdec, 1028, 0.015),
    lists:foreach(fun(Name) ->
        lists:foreach(fun(Value) -> folsom_metrics:notify({Name, Value}) end, lists:seq(1, 3000)),
        Count = length(folsom_metrics:get_metric_value(Name)),
        io:format("~p: ~s of 3000~n", [Name, if Count < 3 -> "one or two"; true -> integer_to_list(Count) end])
    end, [uniform, exdec]),
    halt().')
echo "$seen"
[ "$seen" = "uniform: 1028 of 3000
exdec: one or two of 3000" ] || { echo "changed" >&2; exit 1; }
