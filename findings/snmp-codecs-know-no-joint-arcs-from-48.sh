#!/usr/bin/env bash
# erlang-snmp 25.2.3 (Debian) and asn1-ber 1.2.2 (npm, of net-snmp): object identifiers below 2.48, 2.49 and so on end in other trees.
#
# Guess: the first two arcs share a number, 40 times the first plus the second; below 0 and 1 the second is at most 39, below 2 (joint-iso-itu-t)
#   it has no limit, so that numbers from 80 on are all of tree 2, and from 128 on have several octets (X.690 §8.19.4). {2 999}, which
#   X.660 keeps for examples, is 88 37 in hexadecimal, as Erlang's own ASN.1 compiler writes it.
# Seen: both have one octet for the two arcs, and read it by a division by 40: 2.48.1 comes back as 3.8.1 in Erlang and as 0.1 in
#   JavaScript, and 2.100.3 as 4.20.3 and 166.19, trees that do not exist. 2.999.1 is an error in Erlang; asn1-ber drops
#   the upper bits without a word, so that a manager asks for 1.15.1.
# Source: snmp_pdus.erl, enc_oid_tag and dec_oid_tag; asn1-ber lib/ber/reader.js, readOID, and writer.js, writeOID.
# Output seen: "erlang: ... 2.48.1=3.8.1 2.100.3=4.20.3 2.999.1=error", "npm: ... 2.48.1=0.1 2.100.3=166.19 2.999.1=1.15.1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
command -v escript >/dev/null || exit 2
apt-get download -qq erlang-snmp=1:25.2.3+dfsg-1+deb12u4 2>/dev/null || exit 2
dpkg -x ./*.deb root
export ERL_LIBS=$folder/root/usr/lib/erlang/lib
npm install --silent --no-audit --no-fund asn1-ber@1.2.2 >/dev/null || exit 2
cat >run.escript <<'ERLANG'
#!/usr/bin/env escript
-include_lib("snmp/include/snmp_types.hrl").
main(_) ->
    Names = [[2, 39, 1], [2, 48, 1], [2, 100, 3], [2, 999, 1]],
    io:format("erlang:~s~n", [[[" ", show(Name), "=", back(Name)] || Name <- Names]]).
back(Name) ->
    Bind = #varbind{oid = [1, 3, 6, 1], variabletype = 'OBJECT IDENTIFIER', value = Name, org_index = 1},
    Message = #pdu{type = 'get-response', request_id = 1, error_status = noError, error_index = 0, varbinds = [Bind]},
    try snmp_pdus:dec_pdu(snmp_pdus:enc_pdu(Message)) of
        #pdu{varbinds = [#varbind{value = Read}]} -> show(Read)
    catch _:_ -> "error" end.
show(Name) -> lists:join(".", [integer_to_list(Arc) || Arc <- Name]).
ERLANG
cat >run.js <<'JS'
const { BerReader, BerWriter } = require("asn1-ber");
const back = (name) => {
  const writer = new BerWriter();
  writer.writeOID(name);
  return new BerReader(writer.buffer).readOID();
};
console.log("npm:", ["2.39.1", "2.48.1", "2.100.3", "2.999.1"].map((name) => `${name}=${back(name)}`).join(" "));
JS
seen=$(escript run.escript && node run.js)
echo "$seen"
[ "$seen" = "erlang: 2.39.1=2.39.1 2.48.1=3.8.1 2.100.3=4.20.3 2.999.1=error
npm: 2.39.1=2.39.1 2.48.1=0.1 2.100.3=166.19 2.999.1=1.15.1" ] || { echo "changed" >&2; exit 1; }
