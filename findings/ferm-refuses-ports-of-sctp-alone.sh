#!/usr/bin/env bash
# ferm 2.5.1 (Debian): several ports of SCTP are an error, several ports of SCTP and TCP are not, and import-ferm writes the error.
#
# Guess: proto sctp with dports (2905 3868) becomes "-p sctp -m multiport --dports 2905,3868", since multiport is for all protocols with
#   ports, SCTP and DCCP among them (man iptables-extensions, "multiport"). import-ferm turns the rules that iptables-save
#   prints into a file that ferm takes.
# Seen: ferm wants tcp, udp or udplite "first", and stops at the whole file. It looks for one of them in the list of protocols, so that
#   proto (tcp sctp) is taken and becomes the very rule for SCTP that was refused. import-ferm, of the same package, makes
#   a file of a saved rule for SCTP that ferm refuses; dport (2905 3868), two rules, is the way round.
# Source: src/ferm, multiport_params: grep { /^(?:tcp|udp|udplite)$/ }.
# Output seen: "sctp: error", "(tcp sctp): -A INPUT --protocol tcp ..., -A INPUT --protocol sctp --match multiport --destination-ports 2905,3868 ...",
#   "imported: error"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq ferm=2.5.1-1.1 2>/dev/null || exit 2
dpkg -x ./*.deb root
export PERL5LIB=$folder/root/usr/share/perl5
rules() {
    if perl root/usr/sbin/ferm --noexec --lines --test "$1" >out 2>err; then grep '^-A' out; else
        grep -q 'To use multiport' err && echo error
    fi
}
seen=$(for protocols in udplite sctp '(tcp sctp)'; do
    echo "table filter chain INPUT proto $protocols dports (2905 3868) ACCEPT;" >written
    echo "$protocols:"
    rules written
done
    printf '*filter\n:INPUT DROP [0:0]\n-A INPUT -p sctp -m multiport --dports 2905,3868 -j ACCEPT\nCOMMIT\n' |
        perl root/usr/sbin/import-ferm >imported
    echo "imported:"
    rules imported)
echo "$seen"
[ "$seen" = "udplite:
-A INPUT --protocol udplite --match multiport --destination-ports 2905,3868 --jump ACCEPT
sctp:
error
(tcp sctp):
-A INPUT --protocol tcp --match multiport --destination-ports 2905,3868 --jump ACCEPT
-A INPUT --protocol sctp --match multiport --destination-ports 2905,3868 --jump ACCEPT
imported:
error" ] || { echo "changed" >&2; exit 1; }
