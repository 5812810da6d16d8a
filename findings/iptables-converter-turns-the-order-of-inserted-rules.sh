#!/usr/bin/env bash
# iptables-converter 0.9.10 (PyPI): rules that are inserted one after another come out in the other order; a flush of one chain empties all.
#
# Guess: the file for iptables-restore makes the rules that the commands make, as the README says: of two "-I INPUT" the later is first, and
#   "-F OUTPUT" empties OUTPUT and leaves policies alone (iptables(8)).
# Seen: an inserted rule is put in front of the list, and stays an -I, so that iptables-restore inserts the later one first and the earlier one
#   in front of it: the SCTP rule comes before the exception that was inserted to go before it. An -I into a chain with
#   no rule yet is an error. Any -F, of whatever chain, removes all rules and own chains of the table, and its policies are ACCEPT again.
#   An argument with a ">" is taken for a redirection: of a comment "hss -> mme" the arrow is missing.
# Source: iptables_conv/iptables_converter.py, Chains.put_into_fgr (stuff.insert(0, content); "-F" in action) and Tables.put_into_tables.
# Output seen: "-I INPUT -s 10.0.0.9 -j REJECT" in front of "-I INPUT -p sctp .. -j ACCEPT"; behind -F OUTPUT ":INPUT ACCEPT [0:0]" and no rule
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v iptables-converter==0.9.10 >/dev/null 2>&1 || exit 2
cat >first <<'RULES'
iptables -P INPUT DROP
iptables -A INPUT -j LOG
iptables -I INPUT -p sctp --dport 2905 -m comment --comment "hss -> mme" -j ACCEPT
iptables -I INPUT -s 10.0.0.9 -j REJECT
RULES
cp first second
echo "iptables -F OUTPUT" >>second
convert() {
    PYTHONPATH=v python3 -W ignore -c 'from iptables_conv.iptables_converter import main; main()' -s "$1" |
        sed -n '/^\*filter/,$p' | grep -e INPUT | sed 's/ $//'
}
seen=$(convert first; echo "with -F OUTPUT:"; convert second) || exit 2
echo "$seen"
[ "$seen" = ':INPUT DROP [0:0]
-I INPUT -s 10.0.0.9 -j REJECT
-I INPUT -p sctp --dport 2905 -m comment --comment "hss mme" -j ACCEPT
-A INPUT -j LOG
with -F OUTPUT:
:INPUT ACCEPT [0:0]' ] || { echo "changed" >&2; exit 1; }
