#!/usr/bin/env bash
# IPTables::Parse 1.6 (Debian libiptables-parse-perl 1.6-3): a file as its manual wants it has no default DROP, one without -v a rule too many.
#
# Guess: "all parsing routines" read the file that ipt_rules_file names, made "with a command like .. -nL -v", or without -v, which the code
#   asks for. A rule has its protocol's name ('tcp' in the manual) and its ports; default_drop has the key "all" for a DROP of all.
# Seen: with -v default_drop sees no DROP at the chain's end, since its pattern wants DROP first in the line. Without -v it does, under the key "0",
#   chain_rules takes the headings for rule 1, so that each rule_num is one too high for "iptables -D". iptables 1.8.9 of the same
#   Debian prints protocols as numbers, so the manual's comparison with 'tcp' fails, and a rule for ports 80,443 has an empty
#   d_port, as one for any port has.
# Source: IPTables/Parse.pm: chain_rules (/\starget\s{2,}prot/), parse_keys (dpts?:), default_drop (^DROP, $protocols{$1}).
# Output seen: "with -v: 1 132 2905, 2 6 , 3 all ; dropped -", "without -v: 1  , 2 132 2905, 3 6 , 4 all ; dropped 0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libiptables-parse-perl=1.6-3 2>/dev/null || exit 2
dpkg -x ./*.deb root
# Printed by iptables 1.8.9: "-n -L INPUT" and "-v -n -L INPUT".
cat >plain <<'RULES'
Chain INPUT (policy ACCEPT)
target     prot opt source               destination         
ACCEPT     132  --  0.0.0.0/0            0.0.0.0/0            sctp dpt:2905
ACCEPT     6    --  0.0.0.0/0            0.0.0.0/0            multiport dports 80,443
DROP       0    --  0.0.0.0/0            0.0.0.0/0           
RULES
cat >verbose <<'RULES'
Chain INPUT (policy ACCEPT 0 packets, 0 bytes)
 pkts bytes target     prot opt in     out     source               destination         
    0     0 ACCEPT     132  --  *      *       0.0.0.0/0            0.0.0.0/0            sctp dpt:2905
    0     0 ACCEPT     6    --  *      *       0.0.0.0/0            0.0.0.0/0            multiport dports 80,443
    0     0 DROP       0    --  *      *       0.0.0.0/0            0.0.0.0/0           
RULES
cat >run.pl <<'PERL'
use strict;
use warnings;
use IPTables::Parse;

for my $file ("verbose", "plain") {
    my $parser = IPTables::Parse->new(iptables => "/usr/sbin/iptables", skip_ipt_exec_check => 1, ipt_rules_file => $file);
    my @rules = map { "$_->{rule_num} $_->{protocol} $_->{d_port}" } @{ $parser->chain_rules("filter", "INPUT") };
    my ($dropped) = $parser->default_drop("filter", "INPUT");
    print "$file: ", join(", ", @rules), "; dropped ", ref $dropped ? join(" ", keys %$dropped) : "-", "\n";
}
PERL
seen=$(PERL5LIB=$folder/root/usr/share/perl5 perl run.pl) || exit 2
echo "$seen"
[ "$seen" = "verbose: 1 132 2905, 2 6 , 3 all ; dropped -
plain: 1  , 2 132 2905, 3 6 , 4 all ; dropped 0" ] || { echo "changed" >&2; exit 1; }
