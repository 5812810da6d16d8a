#!/usr/bin/env bash
# getopt 1.0.2 (Debian erlang-getopt): an integer option whose value is no integer becomes 1, and a float option refuses "1".
#
# Guess: "--port 0x1f90" or "--port 3868/sctp" is an error, as it is for an option of type float; "--rate 1" is 1.0, since a person who
#   means 0.5 or 1 does not know which of them needs a dot. The port has 3868 as its default.
# Seen: an integer option takes the next word if that is digits, and else none: then it is 1, the default does not count, and the word
#   is left over as an argument of the program, with no error. With float there is no such way: "1", "1e3" and ".5" are
#   refused, as each needs digits on both sides of a dot.
# Source: src/getopt.erl, the implicit values of options, and the conversion of float arguments (list_to_float).
# Output seen: "--port 5000: 5000, left []", "--port 3868/sctp: 1, left [\"3868/sctp\"]", "--rate 1: error", "--rate 1.0: 1.0, left []"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
command -v erl >/dev/null || exit 2
apt-get download -qq erlang-getopt=1.0.2-1 2>/dev/null || exit 2
dpkg -x ./*.deb root
seen=$(erl -noshell -pa root/usr/lib/erlang/lib/getopt-*/ebin -eval '
    lists:foreach(fun({Option, Words}) ->
        Options = [{port, undefined, "port", {integer, 3868}, "port"}, {rate, undefined, "rate", {float, 0.5}, "rate"}],
        case getopt:parse(Options, Words) of
            {ok, {Values, Left}} ->
                io:format("~s: ~p, left ~p~n", [Words, proplists:get_value(Option, Values), Left]);
            {error, _} ->
                io:format("~s: error~n", [Words])
        end
    end, [{port, "--port 5000"}, {port, "--port 0x1f90"}, {port, "--port 3868/sctp"},
          {rate, "--rate 1.0"}, {rate, "--rate 1"}, {rate, "--rate 1e3"}]),
    halt().')
echo "$seen"
[ "$seen" = '--port 5000: 5000, left []
--port 0x1f90: 1, left ["0x1f90"]
--port 3868/sctp: 1, left ["3868/sctp"]
--rate 1.0: 1.0, left []
--rate 1: error
--rate 1e3: error' ] || { echo "changed" >&2; exit 1; }
