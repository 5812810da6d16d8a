#!/usr/bin/env bash
# bear 0.8.2 (Debian erlang-bear): the statistics of up to four values are all 0, with a count of 0.
#
# Guess: of four round trips 5, 6, 7 and 40 ms `bear:get_statistics` gives the smallest, the largest, the mean and n = 4;
#   what needs more of them (kurtosis) is undefined.
# Seen: fewer than five values count as none: minimum, maximum, mean, median, each percentile and n are 0. A fifth value
#   brings all of them back. folsom's histograms are made with it: an exporter that asks for
#   the last seconds of a link with little traffic (heartbeats of SCTP, every 30 s) reports 0 ms for what was 40.
#   `get_statistics_subset` does the same.
# Source: src/bear.erl, STATS_MIN.
# Output seen: "4 values: n 0, min 0.0, max 0.0, median 0.0, p99 0.0", "5 values: n 5, min 5, max 40, median 6, p99 40"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
command -v erl >/dev/null || exit 2
apt-get download -qq erlang-bear=0.8.2+dfsg-3 2>/dev/null || exit 2
dpkg -x ./*.deb root
seen=$(erl -noshell -pa root/usr/lib/erlang/lib/bear-0.8.2/ebin -eval '
    Show = fun(Values) ->
        Found = bear:get_statistics(Values),
        Of = fun(Name) -> proplists:get_value(Name, Found) end,
        io:format("~b values: n ~w, min ~w, max ~w, median ~w, p99 ~w~n", [length(Values), Of(n), Of(min), Of(max), Of(median),
            proplists:get_value(99, Of(percentile))])
    end,
    Show([5, 6, 7, 40]),
    Show([5, 6, 7, 40, 6]),
    halt().')
echo "$seen"
[ "$seen" = "4 values: n 0, min 0.0, max 0.0, median 0.0, p99 0.0
5 values: n 5, min 5, max 40, median 6, p99 40" ] || { echo "changed" >&2; exit 1; }
