#!/usr/bin/env bash
# erlang-megaco 25.2.3 (Debian, megaco 4.4.2): an MTP address in text is kept as characters, so that binary H.248 has another address.
#
# Guess: mtp{00C83FFF} is four to eight hexadecimal digits (RFC 3525 annex B.2, mtpAddress) for the two to four octets of the binary form
#   (annex A.2, MtpAddress): decoded it is <<0, 200, 63, 255>>, as an IPv4 address in text is decoded to its octets, and a message
#   that came as text can go on in either form.
# Seen: the digits themselves are the value. mtp{3FFF} goes into the binary form as the octets 33 46 46 46, an address that no node has;
#   five to eight digits are read but cannot be written in any form ("count_too_large" in text). In the other direction the
#   octets 3f ff of a binary peer end up as characters between the braces. IPv4 and IPv6 addresses are converted.
# Who cares: media gateways on MTP and M3UA, for which this kind of address is there; converters between the two codings.
# Source: src/text/megaco_text_parser_v1.hrl (ensure_mtpAddress) and megaco_text_gen_v1.hrl (enc_mtpAddress, OCTET STRING of 2..4).
# Output seen: "mtp{3FFF}: octets 33464646, 2 expected, in binary [4], text MEGACO/1 MTP { 3FFF }",
#   "mtp{00C83FFF}: octets 3030433833464646, 4 expected, in binary [], text refused" (sizes found in the binary message)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
command -v erl >/dev/null || exit 2
apt-get download -qq erlang-megaco=1:25.2.3+dfsg-1+deb12u4 erlang-asn1=1:25.2.3+dfsg-1+deb12u4 2>/dev/null || exit 2
for package in ./*.deb; do dpkg -x "$package" root; done
lib=root/usr/lib/erlang/lib
seen=$(erl -noshell -pa $lib/megaco-4.4.2/ebin $lib/asn1-5.0.21/ebin -eval '
    Body = " Transaction = 1 {Context = - {ServiceChange = ROOT {Services {Method = Restart, Reason = \"901\"}}}}",
    Hex = fun(Bytes) -> string:lowercase(binary:encode_hex(iolist_to_binary(Bytes))) end,
    Write = fun(Codec, Message) ->
        case Codec:encode_message([], Message) of
            {ok, Octets} -> Octets;
            {error, _} -> <<"refused">>
        end
    end,
    Show = fun(Address) ->
        {ok, Message} = megaco_pretty_text_encoder:decode_message([], list_to_binary(["MEGACO/1 ", Address, Body])),
        {_, Value} = element(3, element(3, Message)),
        Binary = Write(megaco_ber_encoder, Message),
        %% [4] IMPLICIT OCTET STRING in the explicit [1] of the sender.
        Length = (byte_size(Address) - 5) div 2,
        Found = [N || N <- [2, 4], binary:match(Binary, <<16#a1, (N + 2), 16#84, N>>) =/= nomatch],
        Text = Write(megaco_pretty_text_encoder, Message),
        io:format("~s: octets ~s, ~p expected, in binary ~p, text ~s~n",
            [Address, Hex(Value), Length, Found, string:trim(hd(string:split(Text, "\n")))])
    end,
    [Show(Address) || Address <- [<<"mtp{3FFF}">>, <<"mtp{00C83FFF}">>]],
    halt().')
echo "$seen"
[ "$seen" = "mtp{3FFF}: octets 33464646, 2 expected, in binary [4], text MEGACO/1 MTP { 3FFF }
mtp{00C83FFF}: octets 3030433833464646, 4 expected, in binary [], text refused" ] || { echo "changed" >&2; exit 1; }
