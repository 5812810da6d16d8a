#!/usr/bin/env bash
# erlang_js 2.0.7 (npm): an integer of more than 32 bits is written with its lower 32 bits, and 2^53 as 0.
#
# Guess: JavaScript's integers are exact up to 2^53, and the external term format takes any; a time in milliseconds or a counter of bytes arrives
#   in an Erlang node as it was, and what cannot be written is an error, for which the package has OutputException.
# Seen: 1764480000000, a time of 2025, arrives as 3543408640, 41 days after the start of 1970; 2^32 arrives as 0; the sign is kept. Nothing is
#   reported. 1.5 and all numbers of 32 bits are right, and so is what the package reads, so that an echo of a large number differs
#   from what was sent. Infinity is written as a float that no Erlang node reads.
# Source: Erlang.js, _bignum_to_binary: bignum >>>= 8, which works on 32 bits.
# Output seen: "sent ... 4294967296 1764480000000 -1764480000000 9007199254740992", "got ... 0 3543408640 -3543408640 0", "read 1764480000000"
set -euo pipefail
command -v erl >/dev/null || exit 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund erlang_js@2.0.7 >/dev/null || exit 2
cat >run.js <<'JS'
const { Erlang } = require("erlang_js");
const { writeFileSync } = require("fs");
const values = [2147483648, 4294967295, 4294967296, 1764480000000, -1764480000000, 2 ** 53, Infinity];
values.forEach((value, place) => Erlang.term_to_binary(value, (error, octets) => writeFileSync(`${place}`, error ? "" : octets)));
console.log("sent", values.join(" "));
JS
node run.js >sent
seen=$(
  cat sent
  erl -noshell -eval '
    Read = fun(Name) ->
        {ok, Octets} = file:read_file(Name),
        try io_lib:format(" ~w", [binary_to_term(Octets)]) catch _:_ -> " unreadable" end
    end,
    io:format("got~s~n", [[Read(integer_to_list(Place)) || Place <- lists:seq(0, 6)]]),
    file:write_file("large", term_to_binary(1764480000000)),
    halt().'
  node -e 'require("erlang_js").Erlang.binary_to_term(require("fs").readFileSync("large"), (_, value) => console.log("read", Number(value)))'
)
echo "$seen"
[ "$seen" = "sent 2147483648 4294967295 4294967296 1764480000000 -1764480000000 9007199254740992 Infinity
got 2147483648 4294967295 0 3543408640 -3543408640 0 unreadable
read 1764480000000" ] || { echo "changed" >&2; exit 1; }
