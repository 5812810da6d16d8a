#!/usr/bin/env bash
# p1_sip 1.0.49 (Debian erlang-p1-sip): a Timestamp comes back with six digits, as 1.76448e+9 if it counts from 1970.
#
# Guess: a Timestamp is copied into the response, at most with the delay added behind a blank (RFC 3261 §8.2.6.1), so that the sender,
#   who wrote the number, can take it from the clock and has the round trip. Decoded and encoded "1764482400.125" is the same.
# Seen: the decoder makes a float of it and the encoder writes floats with six significant digits: 1764482400.125 becomes 1.76448e+9,
#   which is not in the grammar (§25.1: digits, a dot, digits) and 2400 s away, and 54321.125 becomes 5.43211e+4. A delay of 0
#   is added, "54" becomes "54 0", which claims that this server measured none.
# Source: src/esip_codec.erl, decode_hdr of "timestamp" (to_float, and "0" for a missing delay) and encode_hdr of the same.
# Output seen: "54 -> 54 0", "54.25 -> 54.2500 0", "54321.125 -> 5.43211e+4 0", "1764482400.125 -> 1.76448e+9 0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
command -v erl >/dev/null || exit 2
apt-get download -qq erlang-p1-sip=1.0.49-1 2>/dev/null || exit 2
dpkg -x ./*.deb root
seen=$(erl -noshell -pa root/usr/lib/erlang/lib/p1_sip-1.0.49/ebin -eval '
    lists:foreach(fun(Time) ->
        {ok, Message} = esip_codec:decode(list_to_binary(["SIP/2.0 200 OK\r\nTimestamp: ", Time, "\r\n\r\n"])),
        Text = iolist_to_binary(esip_codec:encode(Message)),
        {match, [Again]} = re:run(Text, "Timestamp: (.*)\r\n", [{capture, all_but_first, list}]),
        io:format("~s -> ~s~n", [Time, string:trim(Again)])
    end, ["54", "54.25", "54321.125", "1764482400.125"]),
    halt().')
echo "$seen"
[ "$seen" = "54 -> 54 0
54.25 -> 54.2500 0
54321.125 -> 5.43211e+4 0
1764482400.125 -> 1.76448e+9 0" ] || { echo "changed" >&2; exit 1; }
