#!/usr/bin/env bash
# smidump 0.4.8 (Debian smitools) and yanglint 2.1.30 (Debian libyang2-tools): a MIB's address becomes a YANG type without dots.
#
# Guess: a textual convention with the DISPLAY-HINT "1d.1d.1d.1d" and SIZE (4) becomes binary, or a YANG string of its displayed
#   form, 192.0.2.1, and a hint "1x:" one such as 02:00:5e (RFC 2579 §3.1: the separator stands between the parts), so that what a
#   manager shows is valid for the module.
# Seen: the separators of the hint are left out of the pattern, and the length is still that of the octets: type string with length 4
#   and four numbers in a row, so that 192.0.2.1 is invalid and "1921" is valid. Of "1x:" the pattern has digits alone.
#   The pattern of the format xsd is the same. smidump, smilint and yanglint report nothing about the module.
# Source: tools/dump-yang.c and dump-xsd.c, which parse the hint and skip the delimiter.
# Output seen: "192.0.2.1: invalid", "1921: valid", "02:00:5e: invalid", "02005e: valid"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq smitools=0.4.8+dfsg2-16 libsmi2ldbl=0.4.8+dfsg2-16 libyang2-tools=2.1.30-2 libyang2=2.1.30-2 \
    erlang-snmp=1:25.2.3+dfsg-1+deb12u4 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
export SMIPATH=$folder:$folder/root/usr/lib/erlang/lib/snmp-5.13.3/mibs
cat >PATH-MIB <<'MIB'
PATH-MIB DEFINITIONS ::= BEGIN
IMPORTS MODULE-IDENTITY, OBJECT-TYPE, enterprises FROM SNMPv2-SMI TEXTUAL-CONVENTION FROM SNMPv2-TC;
pathMIB MODULE-IDENTITY LAST-UPDATED "202601010000Z" ORGANIZATION "Example" CONTACT-INFO "example.com" DESCRIPTION "Paths"
    REVISION "202601010000Z" DESCRIPTION "First" ::= { enterprises 32473 1 }
Dotted ::= TEXTUAL-CONVENTION DISPLAY-HINT "1d.1d.1d.1d" STATUS current DESCRIPTION "IPv4" SYNTAX OCTET STRING (SIZE (4))
Colons ::= TEXTUAL-CONVENTION DISPLAY-HINT "1x:" STATUS current DESCRIPTION "Octets" SYNTAX OCTET STRING
address OBJECT-TYPE SYNTAX Dotted MAX-ACCESS read-write STATUS current DESCRIPTION "IPv4" ::= { pathMIB 1 }
octets OBJECT-TYPE SYNTAX Colons MAX-ACCESS read-write STATUS current DESCRIPTION "Octets" ::= { pathMIB 2 }
END
MIB
module=$(root/usr/bin/smidump -q -f yang PATH-MIB 2>/dev/null)
# The two typedefs are moved into a module of their own; the dump imports modules that are not at hand.
{
    echo 'module paths { namespace "urn:example:paths"; prefix p;'
    sed -n '/^  typedef/,/^  }/p' <<<"$module"
    echo 'leaf address { type Dotted; } leaf octets { type Colons; } }'
} >paths.yang
seen=$(for pair in address=192.0.2.1 address=1921 octets=02:00:5e octets=02005e; do
    echo "{\"paths:${pair%%=*}\":\"${pair#*=}\"}" >data.json
    if root/usr/bin/yanglint paths.yang data.json >/dev/null 2>&1; then echo "${pair#*=}: valid"; else echo "${pair#*=}: invalid"; fi
done)
echo "$seen"
[ "$seen" = "192.0.2.1: invalid
1921: valid
02:00:5e: invalid
02005e: valid" ] || { echo "changed" >&2; cat paths.yang >&2; exit 1; }
