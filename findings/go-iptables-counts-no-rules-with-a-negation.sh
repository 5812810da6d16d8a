#!/usr/bin/env bash
# github.com/coreos/go-iptables v0.8.0 (Go): one rule for all sources but one network, and the counters of its whole chain cannot be read.
#
# Guess: StructuredStats() reads what "iptables -L -n -v -x" prints: a rule made with "! -s 192.0.2.0/24" has a "!" in front of the network there, as
#   iptables has printed it ever since; its counters are read as those of the others, with the mark kept or the network left out.
# Seen: ParseStat() gives the field with its "!" to a parser of networks, whose error ends the reading: StructuredStats() returns no rule of the chain at all.
#   The error's text shows a second slip, a format without a place for its words: "%!(EXTRA string=could not parse source)".
#   Stats(), which cuts lines into fields, has no trouble.
# Source: iptables/iptables.go, ParseStat (net.ParseCIDR of the fields 7 and 8; fmt.Errorf(err.Error(), ...)) and StructuredStats.
# Output seen: "192.0.2.0/24: 7 packets", "!192.0.2.0/24: invalid CIDR address: !192.0.2.0/24%!(EXTRA string=could not parse source)"
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
go mod init finding >/dev/null 2>&1
go get github.com/coreos/go-iptables@v0.8.0 >/dev/null 2>&1 || exit 2
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/coreos/go-iptables/iptables"
)

func main() {
	for _, source := range []string{"192.0.2.0/24", "!192.0.2.0/24"} {
		// The fields of: 7 700 ACCEPT sctp -- * * SOURCE 0.0.0.0/0 sctp dpt:2905
		fields := []string{"7", "700", "ACCEPT", "sctp", "--", "*", "*", source, "0.0.0.0/0", "sctp dpt:2905"}
		read, err := new(iptables.IPTables).ParseStat(fields)
		if err != nil {
			fmt.Printf("%s: %v\n", source, err)
			continue
		}
		fmt.Printf("%s: %d packets\n", source, read.Packets)
	}
}
GO
seen=$(nice -n 15 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "192.0.2.0/24: 7 packets
!192.0.2.0/24: invalid CIDR address: !192.0.2.0/24%!(EXTRA string=could not parse source)" ] || { echo "changed" >&2; exit 1; }
