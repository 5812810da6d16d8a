#!/usr/bin/env bash
# github.com/pion/ice/v4 v4.4.9: a related address with the port 0 is read, and missing when the candidate is written.
#
# Guess: a candidate that is read and written again keeps `raddr` and `rport`: RFC 8839 §5.1 demands both for server
#   reflexive, peer reflexive and relayed candidates. Browsers that hide the host's address write "raddr 0.0.0.0 rport 0".
# Seen: UnmarshalCandidate keeps them (RelatedAddress shows 0.0.0.0 and 0), Marshal leaves both out if the port is 0, with
#   any address; with 9, the port that RFC 8839 gives for hidden addresses, they stay. A relay of descriptions made with
#   it changes what browsers sent into what that section forbids, and a strict parser may refuse it.
# Source: candidate_base.go, Marshal: the address counts as absent when its port is 0.
# Output seen: `raddr 0.0.0.0 rport 0: read 0.0.0.0 0, written""`; with port 9 `written" raddr 0.0.0.0 rport 9"`
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"fmt"
	"strings"

	"github.com/pion/ice/v4"
)

func main() {
	for _, related := range []string{"raddr 0.0.0.0 rport 0", "raddr 0.0.0.0 rport 9"} {
		candidate, err := ice.UnmarshalCandidate("1 1 udp 1694498815 192.0.2.1 5000 typ srflx " + related)
		if err != nil {
			fmt.Println(err)
			continue
		}
		_, written, _ := strings.Cut(candidate.Marshal(), "typ srflx")
		read := candidate.RelatedAddress()
		fmt.Printf("%s: read %s %d, written%q\n", related, read.Address, read.Port, written)
	}
}
GO
(go mod init finding && go get github.com/pion/ice/v4@v4.4.9 && go mod tidy) >/dev/null 2>&1 || exit 2
seen=$(nice -n 15 go run .)
echo "$seen"
[ "$seen" = 'raddr 0.0.0.0 rport 0: read 0.0.0.0 0, written""
raddr 0.0.0.0 rport 9: read 0.0.0.0 9, written" raddr 0.0.0.0 rport 9"' ] || { echo "changed" >&2; exit 1; }
