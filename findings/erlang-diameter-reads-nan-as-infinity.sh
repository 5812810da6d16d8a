#!/usr/bin/env bash
# Erlang/OTP's application diameter 2.2.7 (Debian's erlang-diameter 25.2.3): a Float32 or Float64 that is no number is read
# as infinity, and sent on as that.
#
# Guess: Erlang has no NaN, so that an AVP with one is an error, DIAMETER_INVALID_AVP_VALUE (RFC 6733 §7.1.5), which the codec
#   reports for values that it cannot hold, or an atom of its own.
# Seen: all values with the exponent of NaN and infinity are `infinity`, or '-infinity' by their sign. A proxy that decodes
#   and encodes sends 7f800000 for 7fc00000: "not measured" becomes "more than anything", and whatever is
#   compared with it comes out the other way round: no comparison with NaN holds.
# Source: src/base/diameter_types.erl, 'Float32' and 'Float64', which leave the fraction out of the pattern.
# Output seen: "7fc00000 infinity 7f800000", "7ff8000000000000 infinity 7ff0000000000000", "3fc00000 1.5 3fc00000"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
command -v erl >/dev/null || exit 2
apt-get download -qq erlang-diameter=1:25.2.3+dfsg-1+deb12u4 2>/dev/null || exit 2
dpkg -x ./*.deb root
seen=$(erl -noshell -pa root/usr/lib/erlang/lib/diameter-2.2.7/ebin -eval '
    Show = fun(Type, Bytes) ->
        Value = diameter_types:Type(decode, Bytes, #{}),
        Again = iolist_to_binary(diameter_types:Type(encode, Value, #{})),
        Hex = fun(Binary) -> string:lowercase(binary:encode_hex(Binary)) end,
        io:format("~s ~p ~s~n", [Hex(Bytes), Value, Hex(Again)])
    end,
    Show(list_to_atom("Float32"), <<16#7fc00000:32>>),
    Show(list_to_atom("Float64"), <<16#7ff8000000000000:64>>),
    Show(list_to_atom("Float32"), <<1.5:32/float>>),
    halt().')
echo "$seen"
[ "$seen" = "7fc00000 infinity 7f800000
7ff8000000000000 infinity 7ff0000000000000
3fc00000 1.5 3fc00000" ] || { echo "changed" >&2; exit 1; }
