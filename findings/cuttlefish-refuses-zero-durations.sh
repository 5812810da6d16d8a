#!/usr/bin/env bash
# cuttlefish 3.1.0 (Debian erlang-cuttlefish): a duration of "0s" is refused, "0.0s" is not, and zero is written as nothing.
#
# Guess: the type {duration, s} takes "0s" as 0, the usual setting for "no timer", and to_string writes 0 as "0s" or "0"; what
#   to_string writes can be read again.
# Seen: a whole number must not begin with 0, in any place: "0s", "0ms" and "1m0s" are errors, "10s" and "0.0s" are fine. 0 becomes
#   the empty text, which a file of the effective settings then shows behind the equals sign, and which cannot be read.
# Source: the grammar cuttlefish_duration_parse.peg (integer <- [1-9] [0-9]*), and to_string of cuttlefish_duration.erl.
# Output seen: "0s: error", "1m0s: error", "0.0s: 0", "10s: 10", "written: [] for 0, \"10s\" for 10"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
command -v erl >/dev/null || exit 2
apt-get download -qq erlang-cuttlefish=3.1.0-1 2>/dev/null || exit 2
dpkg -x ./*.deb root
seen=$(erl -noshell -pa root/usr/lib/erlang/lib/cuttlefish-3.1.0/ebin -eval '
    Type = {duration, s},
    lists:foreach(fun(Text) ->
        case cuttlefish_datatypes:from_string(Text, Type) of
            {error, _} -> io:format("~s: error~n", [Text]);
            Value -> io:format("~s: ~p~n", [Text, Value])
        end
    end, ["0s", "0ms", "1m0s", "0.0s", "10s"]),
    Write = fun(Value) -> cuttlefish_datatypes:to_string(Value, Type) end,
    io:format("written: ~p for 0, ~p for 10~n", [Write(0), Write(10)]),
    halt().')
echo "$seen"
[ "$seen" = '0s: error
0ms: error
1m0s: error
0.0s: 0
10s: 10
written: [] for 0, "10s" for 10' ] || { echo "changed" >&2; exit 1; }
