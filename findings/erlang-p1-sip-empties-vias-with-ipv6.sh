#!/usr/bin/env bash
# p1_sip 1.0.49 (Debian erlang-p1-sip): a Via with an IPv6 address is read as none, and written as an empty line.
#
# Guess: a host is a name, an IPv4 address or an IPv6 address in brackets (RFC 3261 §25.1, "host"); the decoder takes each, or gives
#   an error for the message, as it has {error, bad_start_line_uri} for others.
# Seen: the message is read, its via is the empty list. Written again, an empty list of Vias is one empty line, which is the end of
#   the header: all fields that follow are now the body, in front of a Content-Length that is not read any more. In the
#   first line sip:bob@[2001:db8::1] is an error. Names, IPv4, several Vias in a line and blanks around the colon are right.
# Who cares: ejabberd and whoever else forwards a response by what the topmost Via says, on a network with IPv6.
# Source: src/esip_codec.erl, decode_via and decode_uri_host, and encode_via of an empty list.
# Output seen: for h.example.com "SIP/2.0 200 OK|Via: SIP/2.0/UDP h.example.com:5061;branch=z9hG4bK1|Call-ID: 1|...",
#   for [2001:db8::9] "SIP/2.0 200 OK||Call-ID: 1|Content-Length: 0||", "sip:bob@[2001:db8::1]:5060: error"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
command -v erl >/dev/null || exit 2
apt-get download -qq erlang-p1-sip=1.0.49-1 2>/dev/null || exit 2
dpkg -x ./*.deb root
seen=$(erl -noshell -pa root/usr/lib/erlang/lib/p1_sip-1.0.49/ebin -eval '
    lists:foreach(fun(Host) ->
        {ok, Message} = esip_codec:decode(list_to_binary(["SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP ", Host,
            ":5061;branch=z9hG4bK1\r\nCall-ID: 1\r\n\r\n"])),
        Text = iolist_to_binary(esip_codec:encode(Message)),
        io:format("~s~n", [binary:replace(Text, <<"\r\n">>, <<"|">>, [global])])
    end, ["h.example.com", "192.0.2.1", "[2001:db8::9]"]),
    lists:foreach(fun(Host) ->
        Uri = list_to_binary(["sip:bob@", Host, ":5060"]),
        io:format("~s: ~s~n", [Uri, case esip_codec:decode_uri(Uri) of error -> "error"; _ -> "fine" end])
    end, ["192.0.2.1", "[2001:db8::1]"]),
    halt().')
echo "$seen"
[ "$seen" = "SIP/2.0 200 OK|Via: SIP/2.0/UDP h.example.com:5061;branch=z9hG4bK1|Call-ID: 1|Content-Length: 0||
SIP/2.0 200 OK|Via: SIP/2.0/UDP 192.0.2.1:5061;branch=z9hG4bK1|Call-ID: 1|Content-Length: 0||
SIP/2.0 200 OK||Call-ID: 1|Content-Length: 0||
sip:bob@192.0.2.1:5060: fine
sip:bob@[2001:db8::1]:5060: error" ] || { echo "changed" >&2; exit 1; }
