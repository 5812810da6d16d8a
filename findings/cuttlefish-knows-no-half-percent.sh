#!/usr/bin/env bash
# cuttlefish 3.1.0 (Debian erlang-cuttlefish): {percent, float} takes whole percents only, and writes 0.5 % as "1%".
#
# Guess: the type has its name from values such as "0.5%", a loss rate, which become a float; {percent, integer} is for whole
#   ones. What the type holds is written so that it can be read: 0.005 is "0.5%".
# Seen: float is the form of the result alone: "1%" is 0.01, "0.5%" is no error of cuttlefish but a badarg of list_to_integer, for it
#   reads the digits as an integer. The other way 0.005 and 0.001 are rounded up to "1%", and 0.101 to "11%": the effective
#   settings show up to ten times the loss that is set.
# Source: cuttlefish_datatypes.erl, from_string and to_string for {percent, float}.
# Output seen: "1% is 0.01", "0.5% is badarg", "0.005 is written 1%", "0.001 is written 1%"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
command -v erl >/dev/null || exit 2
apt-get download -qq erlang-cuttlefish=3.1.0-1 2>/dev/null || exit 2
dpkg -x ./*.deb root
seen=$(erl -noshell -pa root/usr/lib/erlang/lib/cuttlefish-3.1.0/ebin -eval '
    Type = {percent, float},
    lists:foreach(fun(Text) ->
        Value = try cuttlefish_datatypes:from_string(Text, Type) catch error:Reason -> Reason end,
        io:format("~s is ~p~n", [Text, Value])
    end, ["1%", "0.5%", "12.5%"]),
    lists:foreach(fun(Value) ->
        io:format("~p is written ~s~n", [Value, cuttlefish_datatypes:to_string(Value, Type)])
    end, [0.101, 0.005, 0.001]),
    halt().')
echo "$seen"
[ "$seen" = "1% is 0.01
0.5% is badarg
12.5% is badarg
0.101 is written 11%
0.005 is written 1%
0.001 is written 1%" ] || { echo "changed" >&2; exit 1; }
